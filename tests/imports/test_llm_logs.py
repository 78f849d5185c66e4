"""The log of llm: threads as version 0.36 stores them, and responses as 0.27 does."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from damage import check_tree, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

PIXEL = b"\x89PNG\r\n\x1a\n"
TABLES = {
    "threads": "id, name, tip_message_hash, forked_from, datetime_utc",
    "turns": "id, thread_id, parent_message_hash, tip_message_hash, model, resolved_model, input_tokens, output_tokens,"
    " token_details, duration_ms, datetime_utc, response_json",
    "messages": "hash, parent_hash, role, provider_metadata",
    "parts": "id, message_hash, position, type, tool_name, text, payload",
    "attachments": "id, type, path, url, content",
    "fragments": "id, hash, content, datetime_utc, source",
    "conversations": "id, name, model",
    "responses": "id, model, prompt, system, response, conversation_id, duration_ms, datetime_utc, input_tokens,"
    " output_tokens, token_details, reasoning",
    "prompt_attachments": "response_id, attachment_id",
    "prompt_fragments": 'response_id, fragment_id, "order"',
    "tool_calls": "id, response_id, name, arguments, tool_call_id",
    "tool_results": "id, response_id, name, output, tool_call_id, exception",
}
DETAILS = json.dumps(
    {"prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens_details": {"reasoning_tokens": 5}}
)
AT, SECONDS = "2026-03-01T10:01:00+00:00", 1_772_359_260.0


def write(tmp_path: Path, **rows: list[dict[str, Any]]) -> Path:
    file = tmp_path / "logs.db"
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as database:
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table} ({columns})")
        for table, each in rows.items():
            for row in each:
                places = ", ".join("?" * len(row))
                names = ", ".join(f'"{name}"' for name in row)
                database.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", list(row.values()))
        database.commit()
    return file


def message(name: str, parent: str | None, role: str) -> dict[str, Any]:
    return {"hash": name, "parent_hash": parent, "role": role}


def part(owner: str, position: int, kind: str, text: str | None = None, **payload: Any) -> dict[str, Any]:
    inner = json.dumps(payload) if payload else None
    return {"message_hash": owner, "position": position, "type": kind, "text": text, "payload": inner}


def turn(name: str, asked: str, answered: str) -> dict[str, Any]:
    tokens = {"input_tokens": 100, "output_tokens": 20, "token_details": DETAILS}
    place = {"thread_id": "t1", "parent_message_hash": asked, "tip_message_hash": answered}
    return {"id": name, **place, **tokens, "model": "newt-1", "duration_ms": 2_000, "datetime_utc": AT}


THREAD: dict[str, list[dict[str, Any]]] = {
    "threads": [{"id": "t1", "name": "Pond life", "tip_message_hash": "m4", "datetime_utc": AT}],
    "turns": [turn("1", "m1", "m2"), turn("2", "m3", "m4"), turn("3", "m1", "n2")],
    "messages": [
        message("m1", None, "user"),
        message("m2", "m1", "assistant"),
        message("m3", "m2", "tool"),
        message("m4", "m3", "assistant"),
        message("n2", "m1", "assistant"),
    ],
    "parts": [
        part("m1", 0, "text", text_ref=[{"fragment": 7}, {"literal": "\nWhat lives there?"}]),
        part("m1", 1, "attachment", attachment={"id": "a1"}),
        part("m1", 2, "attachment", attachment={"id": "a2"}),
        part("m2", 0, "reasoning", "Look."),
        part("m2", 1, "text", "I look."),
        part("m2", 2, "tool_call", name="ls", arguments={"path": "pond"}, tool_call_id="c1"),
        part("m2", 3, "tool_call", name="ls", arguments={"path": "x"}, tool_call_id="c2"),
        part("m3", 0, "tool_result", name="ls", output="newts", tool_call_id="c1"),
        part("m3", 1, "tool_result", name="ls", output="", exception="OSError: x", tool_call_id="c2"),
        part("m4", 0, "text", "Newts do."),
        part("n2", 0, "text", "No idea."),
    ],
    "attachments": [
        {"id": "a1", "type": "image/png", "path": "/pond/p.png", "content": PIXEL},
        {"id": "a2", "type": "image/png", "path": "/pond/q.png"},
    ],
    "fragments": [{"id": 7, "content": "There is a pond."}],
}
PICTURE = Attachment("p.png", "image/png", "data:image/png;base64,iVBORw0KGgo=")


def one(file: Path) -> ForeignConversation:
    return only_conversation(read_file(file))


def test_a_thread_is_read_whole(tmp_path: Path) -> None:
    found = one(write(tmp_path, **THREAD))
    links = [(each.id, each.parent) for each in entries_in(found)]
    assert links == [("m1", ""), ("m2", "m1"), ("m3", "m2"), ("m3/1", "m3"), ("m4", "m3/1"), ("n2", "m1")]
    asked, looked, newts, failed, answered, _ = messages_in(found)
    named = Attachment("q.png", "image/png", "", about="/pond/q.png")
    assert asked.parts == (Text("There is a pond.\nWhat lives there?"), PICTURE, named)
    assert looked.parts[:2] == (Reasoning("Look."), Text("I look."))
    assert looked.parts[2] == ToolCall("c1", "ls", '{"path": "pond"}')
    assert (looked.model, looked.usage) == ("newt-1", Usage(100, 20, 60, reasoning_tokens=5))
    assert (asked.at, looked.at) == (SECONDS, SECONDS + 2)
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("c1", "ls", "newts"),))
    assert failed.parts == (ToolResult("c2", "ls", "OSError: x", is_error=True),)
    assert answered.text == "Newts do."
    assert (found.id, found.title, found.model, found.current) == ("t1", "Pond life", "newt-1", "m4")


def test_a_name_that_was_cut_off_is_not_the_title(tmp_path: Path) -> None:
    threads = [{**THREAD["threads"][0], "name": "There is a…"}]
    assert one(write(tmp_path, **{**THREAD, "threads": threads})).title.startswith("There is a pond.")


def response(name: str, prompt: str, answer: str, **more: Any) -> dict[str, Any]:
    tokens = {"input_tokens": 100, "output_tokens": 20, "token_details": DETAILS}
    about = {"id": name, "conversation_id": "k1", "model": "newt-1", "duration_ms": 2_000, "datetime_utc": AT}
    return {**about, "prompt": prompt, "response": answer, **tokens, **more}


OLDER: dict[str, list[dict[str, Any]]] = {
    "conversations": [{"id": "k1", "name": "Pond life", "model": "newt-1"}],
    "responses": [
        response("1", "What lives there?", "I look.", system="Be brief.", reasoning="Look."),
        response("2", "", "Newts do.", system="Be brief."),
    ],
    "prompt_attachments": [{"response_id": "1", "attachment_id": "a1"}],
    "prompt_fragments": [{"response_id": "1", "fragment_id": 7, "order": 0}],
    "tool_calls": [{"id": 1, "response_id": "1", "name": "ls", "arguments": '{"path": "pond"}', "tool_call_id": "c1"}],
    "tool_results": [{"id": 1, "response_id": "2", "name": "ls", "output": "newts", "tool_call_id": "c1"}],
    "attachments": THREAD["attachments"],
    "fragments": THREAD["fragments"],
}


def test_an_older_conversation_is_read_whole(tmp_path: Path) -> None:
    found = one(write(tmp_path, **OLDER))
    system, asked, looked, newts, answered = messages_in(found)
    assert (system.role, system.text) == (Role.SYSTEM, "Be brief.")
    assert asked.parts == (Text("There is a pond.\nWhat lives there?"), PICTURE)
    assert looked.parts == (Reasoning("Look."), Text("I look."), ToolCall("c1", "ls", '{"path": "pond"}'))
    assert (looked.model, looked.usage) == ("newt-1", Usage(100, 20, 60, reasoning_tokens=5))
    assert (asked.at, looked.at) == (SECONDS, SECONDS + 2)
    assert newts.parts == (ToolResult("c1", "ls", "newts"),)
    assert answered.text == "Newts do."
    assert (found.id, found.title) == ("k1", "Pond life")


def test_threads_and_older_conversations_are_in_one_log(tmp_path: Path) -> None:
    rows = {**OLDER, **THREAD, "conversations": [*OLDER["conversations"], {"id": "t1", "name": "Pond life"}]}
    found = read_file(write(tmp_path, **rows))
    assert [each.id for each in found if isinstance(each, ForeignConversation)] == ["t1", "k1"]


def test_a_damaged_log_is_refused_clearly_or_read(tmp_path: Path) -> None:
    file = write(tmp_path, **THREAD)
    content, chance = file.read_bytes(), random.Random(0)
    for number in range(40):
        damaged = bytearray(content)
        for _ in range(20):
            damaged[chance.randrange(100, len(damaged))] = chance.randrange(256)
        file.write_bytes(content[: chance.randrange(len(content))] if number % 4 == 0 else damaged)
        for each in read_file(file):
            if isinstance(each, ForeignConversation):
                check_tree(each)
            else:
                assert each.reason
