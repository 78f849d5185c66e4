from __future__ import annotations

import pytest

from builders import model
from desktop_app.__main__ import main
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from stores import Store

TEXTS = ["hello", "the ledger is split", "so be it", "many words before it " * 20 + "and one more ledger 账本"]


@pytest.fixture
def data(stored):
    folder = stored(TEXTS, "Work 工作")
    store = Store(folder / "archive.sqlite3")
    store.create(ConversationInfo("d", "Other", 1.0, 1.0), [Message(id="x", role=Role.TOOL, parts=(Text("ledger"),))])
    store.append("c", archived=["m1"])
    store.close()
    return folder


def test_results_have_the_promised_shape(data, report) -> None:
    (result,) = report("search", "split ledger", "--data-dir", data)["results"]
    assert isinstance(result.pop("score"), float)
    assert result == {
        "conversation": "c", "message": "m1", "index": 1, "role": "user", "archived": True,
        "snippet": "the «ledger» is «split»", "at": 1.0, "is_by_meaning": False,
    }  # fmt: skip


def test_options_narrow_the_search(data, report) -> None:
    holder = Store(data / "archive.sqlite3")  # a Palimpsest has the archive open
    for arguments, found in (
        (["ledger"], {"m1", "m3", "x"}),
        (["ledger", "--conversation", "d"], {"x"}),
        (["zebra"], set()),
    ):
        assert {row["message"] for row in report("search", *arguments, "--data-dir", data)["results"]} == found
    assert len(report("search", "ledger", "--limit", 1, "--data-dir", data)["results"]) == 1
    holder.close()


def test_filters_narrow_it_and_suffice_alone(data, report, printed) -> None:
    store = Store(data / "archive.sqlite3")
    code = Text("```python\nledger = 1\n```")
    said = model(code, id="late", at=1_780_000_000.0, model="work/gpt-5")
    store.append("d", said)
    store.close()
    for arguments, found in (
        (["--role", "tool"], {"x"}),
        (["--since", "2026-05-01"], {"late"}),
        (["ledger", "--until", "2026-05", "--since", "2026"], {"late"}),
        (["ledger", "--until", "2026-04", "--since", "2026"], set()),
        (["--model", "gpt", "--has-code"], {"late"}),
        (["what did we say about the ledger in May 2026?"], {"late"}),
        (["ledger role:tool"], {"x"}),
    ):
        told = report("search", *arguments, "--data-dir", data)
        assert {row["message"] for row in told["results"]} == found, arguments
        assert told["is_complete"] is True
    assert "2026-05-28" in printed("search", "--has-code", "--data-dir", data)
    assert "nothing to search for" in printed("search", "--data-dir", data, code=2)
    assert "gtp" in printed("search", "ledger", "--model", "gtp", "--data-dir", data, code=2)
    assert "soonish" in printed("search", "ledger", "--since", "soonish", "--data-dir", data, code=2)


def test_an_archive_whose_older_messages_have_no_facets_yet_says_so(data, report, printed) -> None:
    store = Store(data / "archive.sqlite3")
    store.database.execute_sql("INSERT INTO facets_missing (below) VALUES (3)")
    store.close()
    assert report("search", "ledger", "--data-dir", data)["is_complete"] is True
    assert report("search", "ledger", "--role", "tool", "--data-dir", data)["is_complete"] is False
    assert "open Palimpsest once" in printed("search", "ledger", "--role", "tool", "--data-dir", data)


def test_what_begins_with_a_dash_can_be_searched_for(data, printed) -> None:
    assert "«one» «more»" in printed("search", "--data-dir", data, "--", "--one -more")


def test_people_get_a_table_in_which_what_was_found_can_be_seen(data, printed, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    lines = printed("search", "ledger", "--data-dir", data).splitlines()
    assert lines[0].split() == ["CONVERSATION", "DATE", "INDEX", "ROLE", "FOUND"]
    assert all("«ledger»" in line for line in lines[1:])
    assert sum("archived" in line for line in lines) == 1
    assert "Nothing" in printed("search", "zebra", "--data-dir", data)


def test_what_is_not_there_is_said(data, tmp_path, printed) -> None:
    assert "no archive" in printed("search", "x", "--data-dir", tmp_path / "empty", code=2)
    assert "zzz" in printed("search", "x", "--conversation", "zzz", "--data-dir", data, code=2)
    (data / "archive.sqlite3").write_text("my notes")
    assert "not a Palimpsest archive" in printed("search", "x", "--data-dir", data, code=1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "many"],
        ["search", "x", "--role", "nobody"],
        ["search", "x", "--since", " "],
        ["search", "x", "--model", 'a"b'],
        ["recall", "--conversation", "c", "--budget", "0"],
        ["compact", "f", "--window", "0"],
        ["compact", "f", "--target-tokens", "-3"],
        ["context", "f"],
    ],
)
def test_bad_arguments_end_with_usage(capsys, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
