from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Pin


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = Store(tmp_path / "archive.sqlite3")
    texts = ["hello", "the ledger is split", "so be it", "many words before it " * 20 + "and one more ledger 账本"]
    messages = [Message(id=f"m{n}", at=1.0, role=Role.USER, parts=(Text(text),)) for n, text in enumerate(texts)]
    store.create(
        ConversationInfo("c", "Work 工作", 1.0, 1.0), [messages[0], Pin(id="p", message_id="m0"), *messages[1:]]
    )
    store.create(ConversationInfo("d", "Other", 1.0, 1.0), [Message(id="x", role=Role.TOOL, parts=(Text("ledger"),))])
    store.set_archived("c", ["m1"], [])
    store.close()
    return tmp_path


def found(capsys, *arguments: str) -> list[dict[str, object]]:
    assert main(["search", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)["results"]


def test_results_have_the_promised_shape(data: Path, capsys) -> None:
    (result,) = found(capsys, "split ledger", "--data-dir", str(data))
    assert isinstance(result.pop("score"), float)
    assert result == {
        "conversation": "c",
        "message": "m1",
        "index": 1,
        "role": "user",
        "archived": True,
        "snippet": "the «ledger» is «split»",
    }


def test_options_narrow_the_search(data: Path, capsys) -> None:
    assert {row["message"] for row in found(capsys, "ledger", "--data-dir", str(data))} == {"m1", "m3", "x"}
    assert {row["message"] for row in found(capsys, "ledger", "--conversation", "d", "--data-dir", str(data))} == {"x"}
    assert len(found(capsys, "ledger", "--limit", "1", "--data-dir", str(data))) == 1
    assert found(capsys, "zebra", "--data-dir", str(data)) == []


def test_what_begins_with_a_dash_can_be_searched_for(data: Path, capsys) -> None:
    assert {row["message"] for row in found(capsys, "--data-dir", str(data), "--", "--one -more")} == {"m3"}
    with pytest.raises(SystemExit):
        main(["search", "--help"])
    assert "palimpsest search -- --no-verify" in capsys.readouterr().out


def test_people_get_a_table_in_which_what_was_found_can_be_seen(data: Path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    assert main(["search", "ledger", "--data-dir", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["CONVERSATION", "INDEX", "ROLE", "FOUND"]
    assert all("«ledger»" in line for line in lines[1:])
    assert sum("archived" in line for line in lines) == 1
    assert main(["search", "zebra", "--data-dir", str(data)]) == 0
    assert "Nothing was found" in capsys.readouterr().out


def test_it_reads_while_a_palimpsest_has_the_archive_open(data: Path, capsys) -> None:
    holder = Store(data / "archive.sqlite3")
    assert len(found(capsys, "ledger", "--data-dir", str(data))) == 3
    holder.close()


def test_what_is_not_there_is_said(data: Path, tmp_path: Path, capsys) -> None:
    assert main(["search", "x", "--data-dir", str(tmp_path / "empty")]) == 2
    assert "There is no archive" in capsys.readouterr().err
    assert main(["search", "x", "--conversation", "zzz", "--data-dir", str(data)]) == 2
    assert "no conversation 'zzz'" in capsys.readouterr().err


def test_a_foreign_file_is_said(data: Path, capsys) -> None:
    (data / "archive.sqlite3").write_text("my notes")
    assert main(["search", "x", "--data-dir", str(data)]) == 1
    assert "is not a Palimpsest archive" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[" "], ["x", "--limit", "0"], ["x", "--limit", "many"], []])
def test_bad_arguments_end_with_usage(data: Path, capsys, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["search", *arguments, "--data-dir", str(data)])
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
