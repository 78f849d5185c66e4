"""Qwen Code's sessions, in the shape that version 0.24.4 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

PIXEL = "iVBORw0KGgo="
TOKENS = {"promptTokenCount": 100, "candidatesTokenCount": 15, "thoughtsTokenCount": 5, "totalTokenCount": 120}


def line(name: str, parent: str | None, kind: str, **more: Any) -> dict[str, Any]:
    about = {"sessionId": "s1", "timestamp": "2026-03-01T10:01:00.000Z", "cwd": "/pond", "version": "0.24.4"}
    return {"uuid": name, "parentUuid": parent, **about, "type": kind, **more}


def user(name: str, parent: str | None, *parts: Any, **more: Any) -> dict[str, Any]:
    return line(name, parent, "user", message={"role": "user", "parts": list(parts)}, **more)


def reply(name: str, parent: str, *parts: Any) -> dict[str, Any]:
    message = {"role": "model", "parts": list(parts)}
    return line(name, parent, "assistant", model="newt-1", message=message, usageMetadata=TOKENS)


def result(name: str, parent: str, call: str, **response: Any) -> dict[str, Any]:
    parts = [{"functionResponse": {"id": call, "name": "read_file", "response": response}}]
    return line(name, parent, "tool_result", message={"role": "user", "parts": parts})


def log(name: str, parent: str) -> dict[str, Any]:
    return line(name, parent, "system", subtype="ui_telemetry", systemPayload={"uiEvent": {"response_text": name}})


CALL = {"functionCall": {"id": "c1", "name": "read_file", "args": {"file_path": "pond"}}}
PICTURE = {"inlineData": {"mimeType": "image/png", "data": PIXEL, "displayName": "p.png"}}
SESSION: list[dict[str, Any]] = [
    user("u1", None, {"text": "What lives in the pond?"}, PICTURE),
    log("x1", "u1"),
    reply("r1", "x1", {"text": "Look.", "thought": True}, {"text": "I look."}, CALL),
    result("t1", "r1", "c1", output="newts"),
    reply("r2", "t1", {"functionCall": {**CALL["functionCall"], "id": "c2"}}),
    result("t2", "r2", "c2", error="no such file"),
    reply("r3", "t2", {"text": "Hm.", "thought": True}, {"text": "Newts do."}),
    user("u2", "r3", {"text": "And here?"}),
    reply("r4", "u2", {"text": "Toads."}),
]


def write(tmp_path: Path, *lines: dict[str, Any], name: str = "s1.jsonl") -> Path:
    (tmp_path / name).write_text("\n".join(map(json.dumps, lines)) + "\n")
    return tmp_path / name


def session(tmp_path: Path, *lines: dict[str, Any]) -> ForeignConversation:
    write(tmp_path, *lines)
    return only_conversation(read_file(tmp_path))


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, *SESSION)
    asked, looked, newts, _, failed, answered, *_ = messages_in(found)
    picture = Attachment("p.png", "image/png", f"data:image/png;base64,{PIXEL}")
    assert asked.parts == (Text("What lives in the pond?"), picture)
    assert looked.parts == (Reasoning("Look."), Text("I look."), ToolCall("c1", "read_file", '{"file_path": "pond"}'))
    assert (looked.model, looked.usage, looked.at) == ("newt-1", Usage(100, 20, reasoning_tokens=5), 1_772_359_260.0)
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("c1", "read_file", "newts"),))
    assert failed.parts == (ToolResult("c2", "read_file", "no such file", is_error=True),)
    assert answered.text == "Newts do."
    assert (found.id, found.folder, found.title, found.model) == ("s1", "/pond", "What lives in the pond?", "newt-1")


def test_what_was_rewound_is_a_branch_and_a_name_is_the_title(tmp_path: Path) -> None:
    rewind = line("w", "r3", "system", subtype="rewind", systemPayload={"truncatedCount": 2})
    title = line("n", "u3", "system", subtype="custom_title", systemPayload={"customTitle": "Pond life"})
    found = session(tmp_path, *SESSION, rewind, user("u3", "w", {"text": "Another version"}), title)
    assert [(each.id, each.parent) for each in entries_in(found)][-3:] == [("u2", "r3"), ("r4", "u2"), ("u3", "r3")]
    assert (found.current, found.title) == ("u3", "Pond life")


def compaction(*kept: dict[str, Any]) -> dict[str, Any]:
    summary = [
        {"role": "user", "parts": [{"text": "They spoke of newts."}]},
        {"role": "model", "parts": [{"text": "Ok"}]},
    ]
    info = {"originalTokenCount": 900, "newTokenCount": 90, "triggerReason": "manual"}
    payload = {"info": info, "compressedHistory": [*summary, *(each["message"] for each in kept)]}
    return line("k", "r4", "system", subtype="chat_compression", systemPayload=payload)


def test_a_compression_keeps_nothing_or_the_last_messages(tmp_path: Path) -> None:
    found = session(tmp_path, *SESSION, compaction(), user("u3", "k", {"text": "Go on"}))
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.parent, entry.summary, entry.kept) == ("r4", "They spoke of newts.", ())
    assert (entry.tokens_before, entry.tokens_after, entry.is_automatic) == (900, 90, False)
    assert found.entries[-1].parent == "k"
    without_thought = {"message": {"role": "model", "parts": [{"text": "Newts do."}]}}
    found = session(tmp_path, *SESSION, compaction(without_thought, *SESSION[7:]))
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.kept, entry.summary) == (("r3", "u2", "r4"), "They spoke of newts.")


def test_a_subagent_is_put_away(tmp_path: Path) -> None:
    lines = [{**each, "agentId": "a1", "isSidechain": True} for each in SESSION[:3]]
    lines[2].pop("model")
    (tmp_path / "a1.meta.json").write_text('{"agentId": "a1", "model": "toad-1"}')
    write(tmp_path, *lines, name="a1.jsonl")
    found = only_conversation(read_file(tmp_path))
    assert (found.id, found.is_put_away, found.program, found.model) == ("s1/a1", True, "Qwen Code", "toad-1")


def test_a_broken_line_is_reported_and_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path, *SESSION)
    whole = file.read_bytes()
    file.write_bytes(whole[:-40])
    found = only_conversation(read_file(file))
    assert (len(messages_in(found)), len(found.unread)) == (7, 1)
    check_damaged(file, whole)
