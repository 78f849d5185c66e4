"""Kimi Code's sessions, in the shape that version 2.1.0 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

PIXEL = "iVBORw0KGgo="
AT = 1_772_359_260_000
ABOUT = {"type": "metadata", "protocol_version": "1.5", "created_at": AT}
TOKENS = {"inputOther": 40, "output": 20, "inputCacheRead": 60, "inputCacheCreation": 0}


def line(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "agentId": "main", **more, "time": AT}


def message(name: str, *content: Any, kind: str = "user") -> dict[str, Any]:
    inner = {"role": "user", "content": list(content), "id": name, "toolCalls": [], "origin": {"kind": kind}}
    return line("context.append_message", message=inner)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def event(kind: str, **more: Any) -> dict[str, Any]:
    return line("context.append_loop_event", event={"type": kind, **more})


def step(name: str, *inner: dict[str, Any]) -> list[dict[str, Any]]:
    return [event("step.begin", uuid=name), *inner, event("step.end", uuid=name, usage=TOKENS)]


def part(**fields: Any) -> dict[str, Any]:
    return event("content.part", part=fields)


def call(name: str) -> dict[str, Any]:
    return event("tool.call", uuid=f"u-{name}", toolCallId=name, name="Read", args={"path": "pond"})


def result(name: str, output: Any, **more: Any) -> dict[str, Any]:
    return event("tool.result", toolCallId=name, result={"output": output, "durationMs": 5, **more})


PICTURE = {"type": "image_url", "imageUrl": {"url": f"data:image/png;base64,{PIXEL}"}}
SESSION: list[dict[str, Any]] = [
    ABOUT,
    line("profile.bind", modelAlias="pond/newt-1", systemPrompt="Be brief."),
    message("u1", text("What lives in the pond?"), PICTURE),
    message("i1", text("<system-reminder>"), kind="injection"),
    *step(
        "r1", part(type="think", think="Look."), part(type="text", text="I look."), call("c1"), result("c1", "newts")
    ),
    {"type": "agent.message.appended", "message": {"message": {"role": "assistant", "content": [text("I look.")]}}},
    *step(
        "r2", call("c2"), call("c3"), result("c2", "none", isError=True), result("c3", [text("A picture."), PICTURE])
    ),
    *step("r3", part(type="text", text="Newts do.")),
    message("u2", text("And here?")),
    *step("r4", part(type="text", text="Toads.")),
]


def write(tmp_path: Path, *lines: dict[str, Any], agent: str = "main", **state: Any) -> Path:
    file = tmp_path / "agents" / agent / "wire.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    about = {"id": "s1", "version": 2, "cwd": "/pond", "agents": {}, "createdAt": AT, "archived": False, **state}
    (tmp_path / "state.json").write_text(json.dumps(about))
    return file


def session(tmp_path: Path, *lines: dict[str, Any], **state: Any) -> ForeignConversation:
    write(tmp_path, *lines, **state)
    return only_conversation(read_file(tmp_path))


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, *SESSION)
    asked, looked, newts, again, failed, seen, answered, *_ = messages_in(found)
    picture = Attachment("image", "image/png", f"data:image/png;base64,{PIXEL}")
    assert asked.parts == (Text("What lives in the pond?"), picture)
    assert looked.parts == (Reasoning("Look."), Text("I look."), ToolCall("c1", "Read", '{"path": "pond"}'))
    assert (looked.model, looked.usage, looked.at) == ("newt-1", Usage(100, 20, 60), AT / 1000)
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("c1", "Read", "newts"),))
    assert [each.call_id for each in again.parts if isinstance(each, ToolCall)] == ["c2", "c3"]
    assert failed.parts == (ToolResult("c2", "Read", "none", is_error=True),)
    assert seen.parts == (ToolResult("c3", "Read", "A picture."), picture)
    assert answered.text == "Newts do."
    assert len(found.entries) == 9
    assert (found.id, found.folder, found.title, found.model) == ("s1", "/pond", "What lives in the pond?", "newt-1")
    assert "<system-reminder>" in found.rest


def test_a_title_counts_unless_kimi_replaces_it(tmp_path: Path) -> None:
    first = session(tmp_path, *SESSION, title="Pond", titleKind="replaceable", isCustomTitle=False)
    assert first.title == "What lives in the pond?"
    assert session(tmp_path, *SESSION, title="Pond", titleKind="generated", isCustomTitle=False).title == "Pond"


def test_a_compaction_keeps_the_last_messages_of_the_user(tmp_path: Path) -> None:
    begin = line("full_compaction.begin", source="manual")
    applied = line("context.apply_compaction", summary="Newts.", tokensBefore=900, tokensAfter=90)
    compaction = [begin, applied | {"keptUserMessageCount": 1}]
    found = session(tmp_path, *SESSION, *compaction, message("u3", text("Go on")))
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.parent, entry.summary, entry.kept, entry.follows) == ("r4", "Newts.", ("u2",), "u2")
    assert (entry.tokens_before, entry.tokens_after, entry.is_automatic) == (900, 90, False)
    assert found.entries[-1].parent == entry.id
    found = session(tmp_path, *SESSION, begin, applied | {"keptUserMessageCount": 0})
    assert [each.kept for each in found.entries if isinstance(each, ForeignCompaction)] == [()]


def test_an_undone_turn_is_a_branch_and_a_stopped_reply_is_marked(tmp_path: Path) -> None:
    found = session(
        tmp_path, *SESSION, line("turn.step.interrupted"), line("context.undo", count=1), message("u3", text("x"))
    )
    assert [(each.id, each.parent) for each in entries_in(found)][-3:] == [("u2", "r3"), ("r4", "u2"), ("u3", "r3")]
    assert [message.is_interrupted for message in messages_in(found)][-3:] == [False, True, False]


def test_a_subagent_is_put_away(tmp_path: Path) -> None:
    write(tmp_path, *SESSION)
    write(tmp_path, *SESSION[:10], agent="agent-0")
    other, main = read_file(tmp_path)
    assert isinstance(main, ForeignConversation)
    assert isinstance(other, ForeignConversation)
    assert (other.id, other.folder, other.is_put_away) == ("s1/agent-0", "/pond", True)
    assert (main.id, main.is_put_away) == ("s1", False)


def test_an_unfinished_step_is_read_and_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path, *SESSION)
    whole = file.read_bytes()
    file.write_bytes(b"".join(whole.splitlines(keepends=True)[:8]) + b'{"type"')
    found = only_conversation(read_file(file))
    assert [message.text for message in messages_in(found)] == ["What lives in the pond?", "I look."]
    assert len(found.unread) == 1
    check_damaged(file, whole)
