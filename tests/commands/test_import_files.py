from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_app.conversation.message import Message, Role, ToolCall
from stores import Store

CALL = {"id": "1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "\n  Please split billing/models/ledger.py in two files and run the tests twice\nNow."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "1", "content": "class Ledger"},
    {"role": "user", "name": "Ann", "content": "谢谢"},
]


def entries(data: Path, conversation: str) -> list[Message]:
    store = Store(data / "archive.sqlite3", read_only=True)
    try:
        return [entry for entry in store.entries(conversation) if isinstance(entry, Message)]
    finally:
        store.close()


def test_a_file_is_imported_whole_and_in_its_order(data: Path, chat_file, report) -> None:
    (imported,) = report("import", chat_file(CHAT), "--data-dir", data)["conversations"]
    assert {"id", "title", "messages", "new", "program"} <= set(imported)
    assert imported["messages"] == 4, "as a person counts: without the system prompt"
    assert imported["title"].startswith("Please split billing/models/ledger.py")
    assert len(imported["title"]) <= 61
    messages = entries(data, imported["id"])
    assert [message.role for message in messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]
    assert messages[2].parts == (ToolCall("1", "read", '{"path":"a"}'),)
    assert messages[4].speaker == "Ann"
    assert len({message.id for message in messages}) == 5
    assert len({message.at for message in messages}) == 1


def test_several_files_and_a_title_from_the_files_name(data: Path, chat_file, printed) -> None:
    second = chat_file([{"role": "assistant", "content": "Hello"}], "greeting.jsonl")
    lines = printed("--data-dir", data, "import", chat_file(CHAT), second).splitlines()
    assert lines[0].split() == ["CONVERSATION", "PROGRAM", "MESSAGES", "NEW", "LAST", "TITLE"]
    assert lines[2].split()[-1] == "greeting"
    assert lines[1].index(" 4 ") == lines[2].index(" 1 ")


def test_a_conversation_in_two_files_is_one(data: Path, chat_file, printed) -> None:
    grown = [*CHAT, {"role": "user", "content": "And then?"}]
    files = (chat_file(CHAT, "a.jsonl"), chat_file(grown, "b.jsonl"))
    for more in (("--list",), ()):
        (_, line) = printed("--data-dir", data, "import", *files, *more).splitlines()
        assert line.split()[3:5] == ["5", "0" if more else "5"]


def test_all_without_found_is_refused(data: Path, chat_file, printed) -> None:
    assert "--found" in printed("--data-dir", data, "import", chat_file(CHAT), "--all", code=2)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'{"role": "user", "content": "fine"}\n\n{"role": "user", "cont\n', "bad.jsonl: line 3"),
        (b'\n\n{"role": "user", "content": "fine"}\n\n{"role": "chief"}\n', "bad.jsonl: line 5"),
        (b'{"role": "user", "content": "\xff"}', "bad.jsonl: line 1"),
        (b"[" * 100_000, "bad.jsonl: its format is not known"),
        (b"\n \n", "bad.jsonl"),
        (json.dumps([{"title": "One", "mapping": {}, "parent": None}]).encode(), "“One”: it has no messages"),
        (None, "bad.jsonl"),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_and_the_sound_one_is_imported(
    tmp_path: Path, data: Path, chat_file, printed, content: bytes | None, place: str
) -> None:
    if content is not None:
        (tmp_path / "bad.jsonl").write_bytes(content)
    said = printed("import", tmp_path / "bad.jsonl", chat_file(CHAT), "--data-dir", data, code=2)
    assert place in said
    assert "None" not in said
    assert "CONVERSATION" in said


def test_nothing_is_created_where_nothing_is_imported(tmp_path: Path, data: Path, report) -> None:
    assert report("import", tmp_path, "--data-dir", data, code=2)["conversations"] == []
    assert not data.exists()


@pytest.mark.wire
def test_a_data_folder_in_use_or_unusable_is_said_plainly(data: Path, chat_file, printed) -> None:
    file = chat_file(CHAT)
    holder = Store(data / "archive.sqlite3")
    assert "already open" in printed("import", file, "--data-dir", data, code=1)
    holder.close()
    assert "cannot be used" in printed("import", file, "--data-dir", f"{file}/data", code=1)


def test_lone_surrogates_are_replaced_and_it_is_said(tmp_path: Path, data: Path, printed) -> None:
    (tmp_path / "a.jsonl").write_text('{"role": "user", "content": "half \\ud83d whole \\ud83d\\ude00"}\n')
    assert "U+FFFD" in printed("import", tmp_path / "a.jsonl", "--data-dir", data)
    store = Store(data / "archive.sqlite3", read_only=True)
    (info,) = store.conversations()
    store.close()
    assert entries(data, info.id)[0].text == "half \ufffd whole \U0001f600"


def test_a_history_that_is_broken_is_imported_as_it_is_with_one_warning(data: Path, chat_file, printed) -> None:
    broken = [{"role": "assistant", "content": "Hi"}, {"role": "user", "content": ""}, CHAT[3]]
    said = printed("import", "--data-dir", data, chat_file(broken))
    assert said.count("repaired for the model") == 1
    store = Store(data / "archive.sqlite3", read_only=True)
    (info,) = store.conversations()
    store.close()
    assert [m.role.value for m in entries(data, info.id)] == ["assistant", "user", "tool"]
