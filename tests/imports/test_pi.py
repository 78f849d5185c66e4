"""pi's sessions, in the shape that version 1.5.2 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Compaction

PIXEL = "iVBORw0KGgo="
ABOUT = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/pond"}
AT = 1_772_359_260_000


def line(name: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": "message", "id": name, "parentId": parent, "timestamp": "2026-03-01T10:30:00Z", **more}


def user(name: str, parent: str | None, *content: Any) -> dict[str, Any]:
    return line(name, parent, message={"role": "user", "content": list(content), "timestamp": AT})


def reply(name: str, parent: str, *content: Any, **more: Any) -> dict[str, Any]:
    tokens = {"input": 40, "output": 20, "cacheRead": 60, "cacheWrite": 0, "reasoning": 5, "totalTokens": 120}
    about = {"model": "newt-1", "usage": {**tokens, "cost": {"total": 0.25}}, "stopReason": "stop", **more}
    return line(name, parent, message={"role": "assistant", "content": list(content), "timestamp": AT, **about})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls pond"}}
PICTURE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
RESULT = {"role": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": [text("newts"), PICTURE]}
SESSION: list[dict[str, Any]] = [
    ABOUT,
    line("m", None, type="model_change", modelId="newt-1"),
    user("u1", "m", text("What lives in the pond?"), PICTURE),
    reply("r1", "u1", {"type": "thinking", "thinking": "Look."}, text("I look."), CALL),
    line("t1", "r1", message={**RESULT, "isError": True}),
    reply("r2", "t1", text("Newts do.")),
    user("u2", "r2", text("And here?")),
    reply("r3", "u2", text("Toa"), stopReason="aborted"),
    line("b", "r3", message={"role": "bashExecution", "command": "pwd", "output": "/pond\n", "timestamp": AT}),
]


def session(tmp_path: Path, *lines: dict[str, Any]) -> ForeignConversation:
    file = tmp_path / "s.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return only_conversation(read_file(file))


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, *SESSION)
    asked, looked, result, answered, _, cut, ran = messages_in(found)
    picture = Attachment("image", "image/png", f"data:image/png;base64,{PIXEL}")
    assert asked.parts == (Text("What lives in the pond?"), picture)
    assert looked.parts == (Reasoning("Look."), Text("I look."), ToolCall("c1", "bash", '{"command": "ls pond"}'))
    assert (looked.model, looked.at) == ("newt-1", AT / 1000)
    assert looked.usage == Usage(100, 20, 60, dollars=0.25, reasoning_tokens=5)
    assert (result.role, result.parts) == (Role.TOOL, (ToolResult("c1", "bash", "newts", is_error=True), picture))
    assert (answered.is_interrupted, cut.is_interrupted) == (False, True)
    assert ran.text == "Ran `pwd`:\n\n```\n/pond\n```"
    assert (found.id, found.folder, found.title, found.model) == ("s1", "/pond", "What lives in the pond?", "newt-1")


def test_a_name_is_the_title_and_the_last_line_is_where_it_is_open(tmp_path: Path) -> None:
    title = line("n", "u3", type="session_info") | {"name": "Pond life"}
    found = session(tmp_path, *SESSION, user("u3", "t1", text("Another version")), title)
    assert (found.title, found.current) == ("Pond life", "u3")
    assert [(e.id, e.parent) for e in found.entries][-1] == ("u3", "t1")


def test_a_compaction_keeps_what_follows_the_line_that_it_names(tmp_path: Path) -> None:
    compaction = line("k", "b", type="compaction", summary="Newts.", firstKeptEntryId="u2", tokensBefore=900)
    found = session(tmp_path, *SESSION, compaction, user("u3", "k", text("Go on")))
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.parent, entry.kept, entry.tokens_before) == ("b", ("u2", "r3", "b"), 900)
    assert found.entries[-1].parent == "k"
    (ours,) = [each for each in new_entries(found, "") if isinstance(each, Compaction)]
    assert len(ours.archived) == 4
    unknown = session(tmp_path, *SESSION, compaction | {"firstKeptEntryId": "x"})
    assert [each.kept for each in unknown.entries if isinstance(each, ForeignCompaction)] == [()]


def test_lines_without_ids_follow_each_other(tmp_path: Path) -> None:
    older = [{name: value for name, value in each.items() if name not in ("id", "parentId")} for each in SESSION[1:]]
    found = session(tmp_path, ABOUT, *older)
    assert [entry.parent for entry in found.entries][1:] == [entry.id for entry in found.entries][:-1]


def test_a_broken_line_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(
        "\n".join(map(json.dumps, SESSION)).replace('{"type": "message", "id": "r2"', "{") + '\n{"type": "me'
    )
    found = only_conversation(read_file(file))
    assert len(messages_in(found)) == 6
    assert len(found.unread) == 2


def test_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    check_damaged(tmp_path / "s.jsonl", "\n".join(map(json.dumps, SESSION)).encode())
