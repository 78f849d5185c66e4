"""Sessions of opencode as files of both layouts, as its database, and as `opencode export` writes them."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, check_tree, messages_in, only_conversation, only_unread, read_file, variants

from desktop_app.context.view.view import view_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.imports.format import NOT_JSON
from desktop_app.imports.formats import read_all
from desktop_app.imports.sources import sources_in
from texts import UNREADABLE

Json = dict[str, Any]
START = 1_766_000_000
"""Seconds; each message is ten later, and each part one."""
PICTURE = "data:image/png;base64,iVBORw0KGgo="
LAYOUTS = ("files", "older files", "database", "export")


def session(**more: Any) -> Json:
    times = {"created": START * 1000, "updated": (START + 99) * 1000}
    about = {"id": "ses_1", "version": "1.1.13", "projectID": "pond", "directory": "/home/ann/pond", "title": "Fish"}
    return about | {"slug": "quiet-pond", "time": times} | more


def message(number: int, role: str, *parts: Json, **more: Any) -> Json:
    name, at = f"msg_{number:02}", START + number * 10
    info = {"id": name, "sessionID": "ses_1", "role": role, "time": {"created": at * 1000}, "agent": "build"}
    if role == "assistant":
        tokens = {"input": 100, "output": 20, "reasoning": 7, "cache": {"read": 30, "write": 4}}
        place = {"cwd": "/home/ann/pond", "root": "/home/ann"}
        info |= {"modelID": "glm-4.7", "providerID": "zai", "parentID": "msg_00", "path": place}
        info |= {"cost": 0.25, "tokens": tokens, "finish": "stop"}
    for n, part in enumerate(parts):
        owner = {"id": f"prt_{number:02}{n}", "sessionID": "ses_1", "messageID": name}
        part |= owner | {"time": {"start": (at + n) * 1000}} if part["type"] != "tool" else owner
    return {"info": info | more, "parts": list(parts)}


def text(said: str, **more: Any) -> Json:
    return {"type": "text", "text": said, **more}


def tool(status: str, **more: Any) -> Json:
    times = {"start": (START + 12) * 1000, "end": (START + 14) * 1000}
    state = {"status": status, "input": {"command": "ls"}, "title": "List", "time": times, **more}
    return {"type": "tool", "callID": "call_1", "tool": "bash", "state": state}


def whole() -> list[Json]:
    picture = {"type": "file", "mime": "image/png", "filename": "carp.png", "url": PICTURE}
    return [
        message(0, "user", text("Which fish?"), picture, {"type": "agent", "name": "explore"}),
        message(
            1,
            "assistant",
            {"type": "step-start", "snapshot": "3f2a"},
            {"type": "reasoning", "text": "I look."},
            tool("completed", output="carp.txt", metadata={"exit": 0}),
            text("A carp."),
        ),
        message(2, "user", text("Feed it")),
        message(3, "assistant", tool("error", error="no food"), error={"name": "MessageAbortedError", "data": {}}),
    ]


def write(path: Path, layout: str, messages: list[Json], about: Json | None = None) -> Path:
    """Write a session as that layout, and return what is to be imported."""
    about = about or session()
    if layout == "database":
        return _write_database(path, about, messages)
    if layout == "export":
        (path / "exported.json").write_text(json.dumps({"info": about, "messages": messages}, indent=2))
        return path / "exported.json"
    is_older = layout == "older files"
    root = path / ("project/home-ann-pond/storage/session" if is_older else "storage")
    _put(root / ("info" if is_older else "session/pond") / "ses_1.json", about)
    for each in messages:
        name = each["info"]["id"]
        _put(root / "message" / "ses_1" / f"{name}.json", each["info"])
        for part in each["parts"]:
            _put(root / "part" / ("ses_1" if is_older else "") / name / f"{part['id']}.json", part)
    _put(root / "migration", 2)
    return path


def _put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def _write_database(path: Path, about: Json, messages: list[Json]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path / "opencode.db")) as database:
        database.executescript(SCHEMA)
        times = about["time"]
        columns = {
            **{"id": about["id"], "project_id": "pond", "slug": about["slug"], "directory": about["directory"]},
            **{"title": about["title"], "version": about["version"], "revert": json.dumps(about.get("revert"))},
            **{"time_created": times["created"], "time_updated": times["updated"]},
            "time_archived": times.get("archived"),
        }
        places = ", ".join("?" * len(columns))
        database.execute(f"INSERT INTO session ({', '.join(columns)}) VALUES ({places})", list(columns.values()))
        for each in messages:
            info = dict(each["info"])
            name, at = info.pop("id"), info["time"]["created"]
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (name, "ses_1", at, at, json.dumps(info)))
            for part in each["parts"]:
                data = json.dumps({field: value for field, value in part.items() if not field.endswith(("ID", "id"))})
                if "callID" in part:
                    data = json.dumps(json.loads(data) | {"callID": part["callID"]})
                row = (part["id"], name, "ses_1", at, at, data)
                database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
        database.commit()
    return path / "opencode.db"


SCHEMA = """
CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT NULL,
    `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `revert` text,
    `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `time_archived` integer);
CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL,
    `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL,
    `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
"""


def one(path: Path) -> ForeignConversation:
    return only_conversation(read_file(path))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_gives_all_parts_once_with_times_models_and_tokens(tmp_path: Path, layout: str) -> None:
    found = one(write(tmp_path, layout, whole()))
    assert [(message.at - START, message.role, message.parts) for message in messages_in(found)] == [
        (0, Role.USER, (Text("Which fish?"), Attachment("carp.png", "image/png", PICTURE))),
        (11, Role.ASSISTANT, (Reasoning("I look."),)),
        (12, Role.ASSISTANT, (ToolCall("call_1", "bash", '{"command": "ls"}'),)),
        (14, Role.TOOL, (ToolResult("call_1", "bash", "carp.txt"),)),
        (13, Role.ASSISTANT, (Text("A carp."),)),
        (20, Role.USER, (Text("Feed it"),)),
        (12, Role.ASSISTANT, (ToolCall("call_1", "bash", '{"command": "ls"}'),)),
        (14, Role.TOOL, (ToolResult("call_1", "bash", "no food", is_error=True),)),
    ]
    counted = sum(part["type"] in ("text", "reasoning", "tool") for each in whole() for part in each["parts"])
    assert counted + sum(part["type"] == "tool" for each in whole() for part in each["parts"]) == found.messages
    usage = Usage(134, 20, 30, 4, 0.25, reasoning_tokens=7)
    assert [(n, m.usage, m.is_interrupted) for n, m in enumerate(messages_in(found)) if m.usage] == [
        (4, usage, False),
        (6, usage, True),
    ]
    assert {message.model for message in messages_in(found) if message.role is Role.ASSISTANT} == {"glm-4.7"}
    assert (found.id, found.title, found.folder, found.model) == ("ses_1", "Fish", "/home/ann/pond", "glm-4.7")
    assert (found.created_at, found.updated_at, found.is_put_away) == (START, START + 99, False)
    for kept in ('"snapshot":"3f2a"', '"name":"explore"', '"slug":"quiet-pond"', '"exit":0', '"providerID":"zai"'):
        assert kept in found.rest
    assert "carp.txt" not in found.rest


def test_each_layout_is_the_same_conversation(tmp_path: Path) -> None:
    found: list[ForeignConversation] = []
    for layout in LAYOUTS:
        (tmp_path / layout).mkdir()
        found.append(one(write(tmp_path / layout, layout, whole())))
    assert len({(each.id, each.entries) for each in found}) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_summary_stands_for_what_was_before_it(tmp_path: Path, layout: str) -> None:
    messages = [
        *whole()[:2],
        message(2, "user", {"type": "compaction", "auto": False}),
        message(3, "assistant", text("They asked about fish."), summary=True),
        message(4, "user", text("And birds?")),
    ]
    *before, summary, birds = one(write(tmp_path, layout, messages)).entries
    assert isinstance(summary, ForeignCompaction)
    assert (summary.parent, summary.summary, summary.is_automatic) == (before[-1].id, "They asked about fish.", False)
    assert (summary.at, birds.parent) == (START + 30, summary.id)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_branch_ends_before_what_was_taken_back(tmp_path: Path, layout: str) -> None:
    found = one(write(tmp_path, layout, whole(), session(revert={"messageID": "msg_02"})))
    current = next(e for e in found.entries if e.id == found.current)
    assert isinstance(current, ForeignMessage)
    assert current.message.text == "A carp."


@pytest.mark.parametrize("layout", ["files", "database"])
def test_what_was_put_away_is_put_away(tmp_path: Path, layout: str) -> None:
    times = session()["time"] | {"archived": START * 1000}
    assert one(write(tmp_path, layout, whole(), session(time=times))).is_put_away


@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_call_that_never_ended_has_no_result(tmp_path: Path, status: str) -> None:
    found = one(write(tmp_path, "files", [message(1, "assistant", tool(status))]))
    assert [message.role for message in messages_in(found)] == [Role.ASSISTANT]


def test_the_folder_is_read_out_of_a_zip(tmp_path: Path) -> None:
    write(tmp_path / "opencode", "files", whole())
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for file in (tmp_path / "opencode").rglob("*.json"):
            archive.write(file, file.relative_to(tmp_path))
    assert one(tmp_path / "all.zip").messages == 8


def test_the_newest_changes_of_a_database_in_use_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "database", whole())
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE session SET title = 'Newest'")
        database.commit()
        before = sorted(file.name for file in tmp_path.iterdir())
        (found,) = [each for each in read_file(tmp_path) if isinstance(each, ForeignConversation)]
        assert found.title == "Newest"
        assert sorted(file.name for file in tmp_path.iterdir()) == before


def many_tables(path: Path) -> Path:
    """A database whose table of parts is created behind the first 64 KB, as opencode 1.18.33 has it."""
    file = write(path, "database", whole())
    with closing(sqlite3.connect(file)) as database:
        parts = database.execute("SELECT * FROM part").fetchall()
        (create,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'part'").fetchone()
        database.execute("DROP TABLE part")
        for number in range(60):
            columns = ", ".join(f"column_of_table_{number}_{n} TEXT NOT NULL" for n in range(40))
            database.execute(f"CREATE TABLE other_{number} ({columns})")
        database.execute(create)
        database.executemany(f"INSERT INTO part VALUES ({', '.join('?' * len(parts[0]))})", parts)
        database.commit()
    return file


def test_a_database_is_known_by_its_tables_wherever_they_are_in_the_file(tmp_path: Path) -> None:
    file = many_tables(tmp_path)
    assert b"CREATE TABLE part" not in file.read_bytes()[:65_536]
    assert one(file).messages == 8


@pytest.mark.parametrize("is_named_alone", [True, False])
def test_a_database_with_everything_in_its_log_is_read_and_not_changed(tmp_path: Path, is_named_alone: bool) -> None:
    made = write(tmp_path / "made", "database", whole())
    home = tmp_path / "home"
    home.mkdir()
    path = home / "opencode.db"
    with closing(sqlite3.connect(path)) as database, closing(sqlite3.connect(made)) as filled:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        for line in filled.iterdump():
            database.execute(line) if line not in ("BEGIN TRANSACTION;", "COMMIT;") else None
        database.commit()
        before = {file.name: file.read_bytes() for file in home.iterdir() if not file.name.endswith("-shm")}
        assert len(before["opencode.db"]) <= 4096
        assert one(path if is_named_alone else home).messages == 8
        assert {file.name: file.read_bytes() for file in home.iterdir() if not file.name.endswith("-shm")} == before


def test_no_copy_of_a_database_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, copies = write(tmp_path, "database", whole()), tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    reading = read_all(sources_in(path))
    next(reading)
    assert list(copies.iterdir())
    reading.close()
    assert not list(copies.iterdir())


def test_another_programs_database_is_not_opencodes(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE part (id TEXT, message_id TEXT)")
        database.commit()
    assert "SQLite" in only_unread(read_file(tmp_path / "other.db")).reason


def test_a_subagents_session_is_put_away(tmp_path: Path) -> None:
    assert one(write(tmp_path, "files", whole(), session(parentID="ses_0"))).is_put_away
    assert not one(write(tmp_path / "other", "files", whole())).is_put_away


def test_a_command_that_ended_with_an_error_is_one(tmp_path: Path) -> None:
    found = one(write(tmp_path, "files", [message(1, "assistant", tool("completed", metadata={"exit": 3}))]))
    result = messages_in(found)[-1].tool_result
    assert result is not None
    assert result.is_error


def test_a_compaction_keeps_the_messages_from_its_tail_on(tmp_path: Path) -> None:
    messages = [
        message(0, "user", text("Which fish?")),
        message(1, "assistant", text("A carp.")),
        message(2, "user", text("Feed it")),
        message(3, "assistant", text("Fed.")),
        message(4, "user", {"type": "compaction", "auto": True, "tail_start_id": "msg_02"}),
        message(5, "assistant", text("They talked about a carp."), summary=True),
        message(6, "user", text("And now?")),
    ]
    found = one(write(tmp_path, "files", messages))
    view = view_of(Transcript(Chain(new_entries(found, "f"))))
    assert view.summary is not None
    said = [item.message.text for item in view.items]
    assert said[-3:] == ["Feed it", "Fed.", "And now?"]
    assert not {"Which fish?", "A carp."} & set(said)


def test_a_damaged_part_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    write(tmp_path, "files", whole())
    (tmp_path / "storage/part/msg_01/prt_013.json").write_text("{")
    found = one(tmp_path)
    assert found.messages == 7
    assert found.unread == (UNREADABLE.format(what="storage/part/msg_01/prt_013.json", why=NOT_JSON),)


def test_one_message_alone_says_what_is_to_be_given(tmp_path: Path) -> None:
    write(tmp_path, "files", whole())
    found = only_unread(read_file(tmp_path / "storage/message/ses_1/msg_00.json"))
    assert "whole folder" in found.reason


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    content = write(tmp_path, "export", whole()).read_bytes()
    assert check_damaged(tmp_path / "exported.json", content) > 10


@pytest.mark.parametrize("layout", ["files", "older files"])
@pytest.mark.long
def test_damaged_files_are_refused_clearly_or_read(tmp_path: Path, layout: str) -> None:
    write(tmp_path, layout, whole())
    files = sorted(tmp_path.rglob("*.json"))
    refused = 0
    for number, file in enumerate(files * 3):
        content = file.read_bytes()
        (damaged,) = list(variants(content, number % 4 + 1, seed=number))[-1:]
        file.write_bytes(damaged)
        refused += _is_refused(tmp_path)
        file.write_bytes(content)
    assert refused > 0


def test_a_damaged_database_is_refused_clearly_or_read(tmp_path: Path) -> None:
    path = write(tmp_path, "database", whole())
    content = path.read_bytes()
    chance, refused = random.Random(0), 0
    for number in range(40):
        damaged = bytearray(content)
        for _ in range(30):
            damaged[chance.randrange(100, len(damaged))] = chance.randrange(256)
        path.write_bytes(content[: chance.randrange(len(content))] if number % 4 == 0 else damaged)
        refused += _is_refused(path)
    assert refused > 0


def _is_refused(path: Path) -> bool:
    found = read_file(path)
    for each in found:
        if isinstance(each, ForeignConversation):
            check_tree(each)
        else:
            assert each.reason
    return any(isinstance(each, UnreadFile) or each.unread for each in found)


def test_a_total_tells_that_the_reply_is_counted_without_its_thoughts(tmp_path: Path) -> None:
    tokens = {"total": 161, "input": 100, "output": 20, "reasoning": 7, "cache": {"read": 30, "write": 4}}
    answer = message(1, "assistant", text("Newts."), tokens=tokens)
    found = one(_write_database(tmp_path, session(), [message(0, "user", text("What lives here?")), answer]))
    assert messages_in(found)[1].usage == Usage(134, 27, 30, 4, 0.25, reasoning_tokens=7)


def test_a_title_that_only_tells_when_a_session_began_is_none(tmp_path: Path) -> None:
    about = session(title="New session - 2026-11-27T21:51:36.727Z")
    assert one(_write_database(tmp_path, about, [message(0, "user", text("Newts?"))])).title == "Newts?"


def test_a_database_with_tables_of_kilo_is_kilos(tmp_path: Path) -> None:
    file = _write_database(tmp_path, session(), [message(0, "user", text("What lives here?"))])
    assert one(file).program == "opencode"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE kilo_board (id TEXT PRIMARY KEY)")
        database.commit()
    found = one(file)
    assert (found.program, found.title, found.folder) == ("Kilo", "Fish", "/home/ann/pond")
    assert [each.text for each in messages_in(found)] == ["What lives here?"]
