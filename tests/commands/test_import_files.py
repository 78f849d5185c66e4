from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from desktop_app.archive.store import Store
from desktop_app.conversation.message import Message, Role, ToolCall

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "\n  Please split billing/models/ledger.py in two files and run the tests twice\nNow."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "class Ledger"},
    {"role": "user", "name": "Ann", "content": "谢谢"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def written(path: Path, objects: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(value) + "\n" for value in objects))
    return str(path)


def entries(data: Path, conversation: str) -> list[Message]:
    store = Store(data / "archive.sqlite3", read_only=True)
    try:
        return [entry for entry in store.entries(conversation) if isinstance(entry, Message)]
    finally:
        store.close()


def test_a_file_is_imported_whole_and_in_its_order(tmp_path: Path, data: Path, capsys) -> None:
    assert main(["import", written(tmp_path / "a.jsonl", CHAT), "--data-dir", str(data), "--json"]) == 0
    (imported,) = json.loads(capsys.readouterr().out)["conversations"]
    assert set(imported) == {"id", "title", "messages"}
    assert imported["messages"] == 5
    assert imported["title"].startswith("Please split billing/models/ledger.py in two files")
    assert imported["title"].endswith("…")
    assert len(imported["title"]) <= 61
    messages = entries(data, imported["id"])
    assert [message.role for message in messages] == [
        Role.SYSTEM,
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.USER,
    ]
    assert messages[2].parts == (ToolCall("1", "read", '{"path":"a"}'),)
    assert messages[4].speaker == "Ann"
    assert len({message.id for message in messages}) == 5
    assert len({message.at for message in messages}) == 1


def test_several_files_and_a_title_from_the_files_name(tmp_path: Path, data: Path, capsys) -> None:
    first = written(tmp_path / "a.jsonl", CHAT)
    second = written(tmp_path / "greeting.jsonl", [{"role": "assistant", "content": "Hello"}])
    assert main(["import", first, second, "--data-dir", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["CONVERSATION", "MESSAGES", "TITLE"]
    assert lines[2].split()[1:] == ["1", "greeting"]
    assert lines[1].index(" 4 ") == lines[2].index(" 1 ")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"role": "user", "content": "fine"}\n\n{"role": "user", "cont\n', "bad.jsonl, line 3: this is not JSON"),
        (b'\n\n{"role": "user", "content": "fine"}\n\n{"role": "chief"}\n', "bad.jsonl, line 5: the role 'chief'"),
        (b'{"role": "user", "content": "\xff"}', "bad.jsonl, line 1: this is not UTF-8"),
        (b"[1, 2]\n", "bad.jsonl, line 1: a chat message must be a JSON object"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "bad.jsonl, line 1: this is not JSON"),
        (b"[" * 100_000, "bad.jsonl, line 1: this is not JSON"),
        (b"", "bad.jsonl: the file holds no messages"),
        (b"\n \n", "bad.jsonl: the file holds no messages"),
    ],
)
def test_a_broken_file_is_named_with_its_line_and_the_sound_one_is_imported(
    tmp_path: Path, data: Path, capsys, content: bytes, told: str
) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    files = [str(tmp_path / "bad.jsonl"), written(tmp_path / "good.jsonl", CHAT)]
    assert main(["import", *files, "--data-dir", str(data), "--json"]) == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert "Nothing was imported from this file" in printed.err
    assert [row["messages"] for row in json.loads(printed.out)["conversations"]] == [5]


def test_a_missing_file_and_a_folder_are_said_and_nothing_is_created(tmp_path: Path, data: Path, capsys) -> None:
    assert main(["import", str(tmp_path / "missing.jsonl"), str(tmp_path), "--data-dir", str(data), "--json"]) == 2
    printed = capsys.readouterr()
    assert "missing.jsonl: no such file" in printed.err
    assert "is a directory" in printed.err
    assert json.loads(printed.out) == {"conversations": []}
    assert not data.exists()


def test_a_data_folder_in_use_or_unusable_is_said_plainly(tmp_path: Path, data: Path, capsys) -> None:
    file = written(tmp_path / "a.jsonl", CHAT)
    holder = Store(data / "archive.sqlite3")
    assert main(["import", file, "--data-dir", str(data)]) == 1
    holder.close()
    assert "already open on this data folder" in capsys.readouterr().err
    assert main(["import", file, "--data-dir", f"{file}/data"]) == 1
    assert "cannot be used" in capsys.readouterr().err


def test_lone_surrogates_are_replaced_and_it_is_said(tmp_path: Path, data: Path, capsys, caplog) -> None:
    (tmp_path / "a.jsonl").write_text('{"role": "user", "content": "half \\ud83d whole \\ud83d\\ude00"}\n')
    assert main(["import", str(tmp_path / "a.jsonl"), "--data-dir", str(data), "--json"]) == 0
    (imported,) = json.loads(capsys.readouterr().out)["conversations"]
    assert entries(data, imported["id"])[0].text == "half \ufffd whole \U0001f600"
    assert "replaced by U+FFFD" in caplog.text


def test_the_data_folder_may_be_named_before_the_command(tmp_path: Path, data: Path, capsys) -> None:
    assert main(["--data-dir", str(data), "import", written(tmp_path / "a.jsonl", CHAT)]) == 0
    assert (data / "archive.sqlite3").exists()


def test_a_history_that_is_broken_is_imported_as_it_is_with_one_warning(tmp_path: Path, data: Path, capsys) -> None:
    broken = [{"role": "assistant", "content": "Hi"}, {"role": "user", "content": ""}, CHAT[3]]
    code = main(["import", "--data-dir", str(data), "--json", written(tmp_path / "broken.jsonl", broken)])
    out, err = capsys.readouterr()
    assert code == 0
    (conversation,) = json.loads(out)["conversations"]
    assert [m.role.value for m in entries(data, conversation["id"])] == ["assistant", "user", "tool"]
    assert err.count("repaired for the model") == 1
    assert "result without a call (1)" in err


def test_an_export_of_another_program_is_named(tmp_path: Path, data: Path, capsys) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"title": "One", "mapping": {}}], indent=2))
    assert main(["import", str(file), "--data-dir", str(data)]) == 2
    said = capsys.readouterr().err
    assert "ChatGPT" in said
    assert "JSON Lines" in said
    assert "None" not in said
