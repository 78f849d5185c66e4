"""`read`: lines of files, and of outputs that were truncated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import Desk

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncate_result
from desktop_app.tools import line_window, read_file
from desktop_app.tools.text_files import open_regular
from desktop_app.tools.tool import ToolFailed


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_lines_are_numbered(desk: Desk) -> None:
    desk.file("a.txt", "one\n\ntwo")
    assert await desk.call("read", path="a.txt") == "1\tone\n2\t\n3\ttwo"


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"a\r\nb\r\n", ["a", "b"]), (b"\xef\xbb\xbfa\n", ["a"]), ("\ufeffaé\nb".encode("utf-16-be"), ["aé", "b"])],
)
async def test_line_ends_and_marks_of_encodings_are_no_text(desk: Desk, content: bytes, lines: list[str]) -> None:
    desk.file("a.txt", content)
    said = (await desk.call("read", path="a.txt")).split("\n")
    assert said[: len(lines)] == [f"{n}\t{line}" for n, line in enumerate(lines, 1)]


async def test_what_is_not_utf8_is_read_and_said(desk: Desk) -> None:
    desk.file("a.txt", "ä\nb\n".encode("cp1252"))
    assert await desk.call("read", path="a.txt") == "1\tä\n2\tb\n[not UTF-8: read as Windows-1252]"


async def test_a_part_says_where_it_goes_on(desk: Desk) -> None:
    desk.file("a.txt", "".join(f"line {n}\n" for n in range(1, 11)))
    assert await desk.call("read", path="a.txt", offset=3, limit=2) == (
        "3\tline 3\n4\tline 4\n[lines 3 to 4 of 10; read on with offset 5]"
    )
    assert (await desk.call("read", path="a.txt", offset=10)).endswith("10\tline 10\n[lines 10 to 10 of 10]")
    assert "has 10 lines" in await desk.failure("read", path="a.txt", offset=11)


@pytest.mark.parametrize(
    "content", ["word " * 40_000, "line\n" * 30_000, "é" * 100 + "\n", "a line of words\n" * 9_000]
)
async def test_what_is_read_is_never_truncated_and_comes_whole(desk: Desk, content: str) -> None:
    desk.file("a.txt", content)
    lines: list[str] = []
    offset = 1
    while offset:
        said = await desk.call("read", path="a.txt", offset=offset)
        assert truncate_result(said, "read", ContextPolicy()).spill is None
        *told, last = said.split("\n")
        offset = int(last.rpartition(" ")[2][:-1]) if "read on" in last else 0
        lines += [line.split("\t", 1)[1] for line in [*told, last] if "\t" in line]
    wanted = content.removesuffix("\n").split("\n")
    assert len(lines) == len(wanted)
    for line, want in zip(lines, wanted, strict=True):
        assert line == want or (line.startswith(want[:1_900]) and "truncated" in line)


async def test_a_spill_is_read_on_as_its_notice_says(desk: Desk) -> None:
    output = "".join(f"output line {n}\n" for n in range(1, 9_000))
    cut = truncate_result(output, "grep", ContextPolicy())
    name = await desk.spills.keep(output)
    assert cut.spill == name
    assert f'read {{"path": "{name}", "offset": {cut.first_cut_line}}}' in cut.text
    begin = f"{cut.first_cut_line}\toutput line {cut.first_cut_line}\n"
    assert (await desk.call("read", path=name, offset=cut.first_cut_line)).startswith(begin)
    assert (await desk.call("read", path=name[:12], offset=2, limit=1)).startswith("2\toutput line 2\n")
    assert await desk.needs("read", path=name) == ()
    assert "neither a file nor" in await desk.failure("read", path="0" * 64)


async def test_a_file_with_the_name_of_a_spill_is_a_file(desk: Desk) -> None:
    desk.file("abcdef123456", "mine")
    assert await desk.call("read", path="abcdef123456") == "1\tmine"


async def test_what_cannot_be_read_says_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.file("program", b"\x7fELF\0\0\0")
    desk.file("picture.png", b"\x89PNG\r\n\x1a\n\0\0")
    desk.file("settings.toml", "x")
    os.mkfifo(desk.folder / "pipe")
    assert "binary" in await desk.failure("read", path="program")
    assert "attach" in await desk.failure("read", path="picture.png")
    assert "use list" in await desk.failure("read", path=".")
    assert "not a regular file" in await desk.failure("read", path="pipe")
    assert "Did you mean settings.toml" in await desk.failure("read", path="setings.toml")
    assert "Nor is there a folder" in await desk.failure("read", path="nowhere/x")
    assert "NUL" in await desk.failure("read", path="a\0b")
    await desk.failure("read", path="x" * 5_000)
    monkeypatch.setattr(read_file, "MAX_FILE", 0)
    assert "grep" in await desk.failure("read", path="settings.toml")


async def test_an_empty_file_is_empty(desk: Desk) -> None:
    desk.file("a.txt", "")
    assert await desk.call("read", path="a.txt") == "[a.txt is empty]"


async def test_reading_needs_the_users_word_outside_and_for_secrets(desk: Desk) -> None:
    outside = desk.outside("a.txt", "x").parent
    (desk.folder / "link").symlink_to(outside)
    desk.file("inside.txt", "x")
    desk.file(".env", "KEY=1")
    assert await desk.needs("read", path="inside.txt") == ()
    for path in ("../outside/a.txt", "link/a.txt", str(outside / "a.txt")):
        [need] = await desk.needs("read", path=path)
        assert (need.kind, need.target, need.suggestion) == ("read", str(outside / "a.txt"), f"{outside}/*")
    for path in (".env", str(desk.data / "archive.sqlite3"), "~/.ssh/id_rsa"):
        [need] = await desk.needs("read", path=path)
        assert need.suggestion == ""
    [need] = await desk.needs("list", path="..")
    assert need.suggestion == "", "our data lie below it"


def test_a_link_that_was_put_there_after_the_path_was_resolved_is_not_followed(desk: Desk) -> None:
    link = desk.folder / "a.txt"
    link.symlink_to(desk.outside("a.txt", "theirs"))
    with pytest.raises(OSError, match="symbolic"):
        open_regular(link, 100, "")


LINES = st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=5), max_size=12)


@given(LINES, st.booleans(), st.integers(1, 14), st.integers(1, 5), st.integers(1, 7))
def test_every_part_is_that_of_the_whole(lines: list[str], has_end: bool, offset: int, limit: int, piece: int) -> None:
    text = "\n".join(lines) + ("\n" if lines and (has_end or not lines[-1]) else "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_window, "CHUNK", piece)
        window = line_window.window_of_text(text, offset, limit)
    assert window.lines == len(lines)
    wanted = [f"{n}\t{line}" for n, line in enumerate(lines, 1)][offset - 1 : offset - 1 + limit]
    if wanted:
        assert window.text("it").split("\n")[: len(wanted)] == wanted
    elif lines:
        with pytest.raises(ToolFailed):
            window.text("it")
