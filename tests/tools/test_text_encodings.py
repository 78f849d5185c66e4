"""Texts that are not UTF-8: the encoding that is recognized, and that read, grep, edit, bash and attachments agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tool_calls import Desk

from desktop_app.tools.bash import WRITTEN_OVER, Output, last_states
from desktop_app.tools.change_files import decode_text
from desktop_app.tools.read_attachments import read_attachment
from desktop_app.tools.text_encodings import NAMES, recognized_encoding

TEXTS = {
    "gb18030": [
        "合同编号：甲方与乙方签订本协议，租金为每月一千四百五十元。",
        "错误：找不到文件",
        "编译失败: 第3行 语法错误",
    ],
    "cp932": ["氏名,住所,金額\n山田太郎,東京都千代田区,１２００", "エラー: ファイルが見つかりません", "会議の議事録"],
    "euc_jp": ["これは日本語のテキストです。\n会議の議事録"],
    "cp949": ["안녕하세요. 이 문서는 계약서입니다.", "이름,부서,금액\n김철수,영업부,1200", "월 임대료는 백만 원이다."],
    "big5hkscs": [
        "合約編號：甲方與乙方簽訂本協議，租金為每月一千四百五十元。",
        "錯誤：找不到檔案",
        "姓名,部門,金額\n王小明,銷售,1200",
    ],
    "cp1251": ["Договор аренды заключён на три месяца.", "Ошибка: файл не найден", "имя;сумма\nИванов;1200"],
    "koi8-r": ["Договор аренды заключён на три месяца."],
    "cp866": ["Не удается найти указанный файл."],
    "cp1252": ["Grüße aus Köln", "naïve café – déjà vu", "El niño comió; ¿qué pasó?", 'a = "é"', "größe: 5 €"],
    "cp1250": ["Příliš žluťoučký kůň úpěl ďábelské ódy", "Zażółć gęślą jaźń"],
    "cp1253": ["Καλημέρα κόσμε, αυτό είναι ένα συμβόλαιο"],
    "cp874": ["สวัสดีชาวโลก นี่คือสัญญา"],
}
CASES = [(encoding, text, times) for encoding, texts in TEXTS.items() for text in texts for times in (1, 30)]


@pytest.mark.parametrize(("encoding", "text", "times"), CASES)
def test_an_encoding_is_recognized_in_short_and_long_texts(encoding: str, text: str, times: int) -> None:
    content = "\n".join([text] * times).encode(encoding)
    assert recognized_encoding(content)[0] == encoding
    file = decode_text(content)
    assert file.text == "\n".join([text] * times)
    assert file.encode(file.text) == content


@pytest.mark.parametrize("encoding", ["gb18030", "cp932", "cp949", "big5hkscs", "cp1251", "cp1252"])
async def test_all_tools_show_and_change_the_same_text(desk: Desk, encoding: str) -> None:
    text = TEXTS[encoding][1].split("\n", 1)[0]
    path = desk.file("a.txt", f"first\n{text}\nlast\n".encode(encoding))
    assert f"2\t{text}\n3\tlast\n[not UTF-8: read as {NAMES[encoding]}]" in await desk.call("read", path="a.txt")
    assert f"2: {text}" in await desk.call("grep", pattern=text[1:4])
    assert text in await desk.call("bash", command="cat a.txt")
    await desk.call("edit", path="a.txt", old_text=text, new_text=f"{text}{text[:2]}")
    assert path.read_bytes() == f"first\n{text}{text[:2]}\nlast\n".encode(encoding)
    attached = await read_attachment(path)
    assert (attached.content, NAMES[encoding] in attached.about) == (path.read_bytes().decode(encoding), True)


MIXED = "naïve = 1\n".encode() + b"bad byte \xff here\nkey = a\n"


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("naïve = 1", "naïve = 2", MIXED.replace(b"1", b"2")),
        ("key = a", "key = é", MIXED.replace(b"= a", "= é".encode())),
        ("byte ÿ here", "ÿ – and 咖啡", MIXED.replace(b"byte \xff here", "ÿ – and 咖啡".encode())),
        ("byte ", "é ", MIXED.replace(b"byte ", "é ".encode())),
    ],
)
async def test_a_file_in_two_encodings_is_found_as_it_is_read_and_gets_utf_8(
    desk: Desk, old: str, new: str, wanted: bytes
) -> None:
    path = desk.file("mixed.txt", MIXED)
    assert "2\tbad byte ÿ here" in await desk.call("read", path="mixed.txt")
    await desk.call("edit", path="mixed.txt", old_text=old, new_text=new)
    assert path.read_bytes() == wanted
    assert new in await desk.call("read", path="mixed.txt"), "also in a line with the odd byte"
    assert "mixed.txt" in await desk.call("grep", pattern=new)


PARTS = st.sampled_from(
    ["ascii\n", "é".encode(), "咖啡\n".encode(), b"\xff", b"\xe9t\xe9 ", "文件\n".encode("gbk"), b"\r\n"]
)


@given(
    st.lists(PARTS, max_size=12).map(lambda parts: b"".join(p if isinstance(p, bytes) else p.encode() for p in parts))
)
@example(b"\xef\xbb\xbf\xff")
@example(b"\xff\xfea")
def test_an_insertion_changes_no_other_byte(content: bytes) -> None:
    file = decode_text(content)
    assert file.replaced([], "", "") == content
    if file.text:
        old = file.text[len(file.text) // 2]
        places = [n for n, sign in enumerate(file.text) if sign == old]
        before, after = file.replaced(places, old, "X"), file.replaced(places, old, "YY")
        assert before.replace(b"X", b"YY") == after
        assert len(places) == before.count(b"X") - file.text.replace(old, "").count("X")


@pytest.mark.parametrize(
    ("output", "left"),
    [
        ("10%\r50%\r100%\nok\n", f"100%\nok\n{WRITTEN_OVER}"),
        ("downloading 99%\rdone\n", f"done\n{WRITTEN_OVER}"),
        ("a\r\nb\r\n", "a\r\nb\r\n"),
        ("1\r2\r", f"2\n{WRITTEN_OVER}"),
        ("plain", "plain"),
    ],
)
def test_a_line_that_was_written_over_is_as_it_was_left(output: str, left: str) -> None:
    assert last_states(output) == left


async def test_progress_of_a_command_shows_its_last_state(desk: Desk) -> None:
    said = await desk.call("bash", command=r"for n in 1 2 3; do printf '\rstep %s of 3' $n; done; echo; echo end")
    assert said == f"step 3 of 3\nend\n{WRITTEN_OVER}[exit code 0]"


def test_an_output_is_shown_live_in_its_encoding() -> None:
    output = Output()
    assert output.add("错误：找不到文件\n".encode("gbk")) == "错误：找不到文件\n"
    assert output.text() == "错误：找不到文件\n"


@pytest.mark.wire
async def test_a_file_of_windows_is_attached_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("氏名,金額\n山田太郎,１２００\n".encode("cp932"))
    attached = await read_attachment(tmp_path / "a.csv")
    assert (attached.content, attached.about) == (
        "氏名,金額\n山田太郎,１２００\n",
        "2 lines, read as Shift JIS (cp932)",
    )
