"""Copilot CLI's sessions, in the shape that version 1.0.102 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

PIXEL = "iVBORw0KGgo="
AT = 1_772_359_260.0


def event(name: str, kind: str, agent: str = "", **data: Any) -> dict[str, Any]:
    of = {"agentId": agent} if agent else {}
    return {"type": kind, "data": data, "id": name, "timestamp": "2026-03-01T10:01:00.000Z", "parentId": None, **of}


def user(name: str, words: str, agent: str = "", **more: Any) -> dict[str, Any]:
    return event(name, "user.message", agent, content=words, transformedContent=words, **more)


def reply(name: str, words: str, *calls: dict[str, Any], agent: str = "", **more: Any) -> dict[str, Any]:
    about = {"messageId": f"m-{name}", "apiCallId": f"api-{name}", "model": "newt-1"}
    return event(name, "assistant.message", agent, content=words, toolRequests=list(calls), **about, **more)


def usage(name: str) -> dict[str, Any]:
    tokens = {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 60, "reasoningTokens": 5}
    return event(f"use-{name}", "session.usage_record", usage={"apiCallId": f"api-{name}", **tokens})


def result(name: str, call: str, agent: str = "", **more: Any) -> dict[str, Any]:
    return event(name, "tool.execution_complete", agent, toolCallId=call, **more)


CALL = {"toolCallId": "c1", "name": "view", "arguments": {"path": "pond"}, "type": "function"}
START = event("s", "session.start", sessionId="s1", selectedModel="newt-1", context={"cwd": "/pond", "branch": "main"})
PICTURE = event("f", "session.binary_asset", assetId="a1", mimeType="image/png", data=PIXEL, type="image")
ATTACHED = {"type": "blob", "assetId": "a1", "displayName": "p.png", "mimeType": "image/png"}
SESSION: list[dict[str, Any]] = [
    START,
    PICTURE,
    user("u1", "What lives in the pond?", attachments=[ATTACHED]),
    usage("r1"),
    reply("r1", "I look.", CALL, reasoningText="Look."),
    event("x", "tool.execution_start", toolCallId="c1", toolName="view", arguments={"path": "pond"}),
    result("t1", "c1", success=True, result={"content": "newts", "binaryResultsForLlm": [ATTACHED]}),
    reply("r2", "Again.", CALL | {"toolCallId": "c2"}, CALL | {"toolCallId": "c3"}),
    result("t2", "c2", success=False, error={"message": "no such file", "code": "failure"}),
    result("t3", "c3", success=True, result={"content": "exit 3"}, shellExecution={"exitCode": 3}),
    reply("r3", "Newts do."),
    user("u2", "And here?"),
    reply("r4", "Toads."),
]


def write(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return file


def session(tmp_path: Path, *lines: dict[str, Any]) -> ForeignConversation:
    return only_conversation(read_file(write(tmp_path, *lines)))


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, *SESSION)
    asked, looked, newts, _, failed, exited, answered, *_ = messages_in(found)
    picture = Attachment("p.png", "image/png", f"data:image/png;base64,{PIXEL}")
    assert asked.parts == (Text("What lives in the pond?"), picture)
    assert looked.parts == (Reasoning("Look."), Text("I look."), ToolCall("c1", "view", '{"path": "pond"}'))
    assert (looked.model, looked.usage, looked.at) == ("newt-1", Usage(100, 20, 60, reasoning_tokens=5), AT)
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("c1", "view", "newts"), picture))
    assert failed.parts == (ToolResult("c2", "view", "no such file", is_error=True),)
    assert exited.parts == (ToolResult("c3", "view", "exit 3", is_error=True),)
    assert answered.usage is None
    assert (found.id, found.folder, found.title, found.model) == ("s1", "/pond", "What lives in the pond?", "newt-1")


@pytest.mark.parametrize("name", ["Pond life", "'Pond life'", '"Pond life"'])
def test_the_title_is_the_name_in_the_workspace(tmp_path: Path, name: str) -> None:
    (tmp_path / "workspace.yaml").write_text(f"id: s1\nname: {name}\nuser_named: true\n")
    write(tmp_path, *SESSION)
    assert only_conversation(read_file(tmp_path)).title == "Pond life"


def test_a_compaction_keeps_what_the_user_wrote_before_the_summary(tmp_path: Path) -> None:
    data: dict[str, Any] = {"summaryContent": "Newts.", "trigger": "manual", "preCompactionTokens": 900}
    compaction = event("k", "session.compaction_complete", **data)
    repeated = event("q", "model.response", response={"content": "Newts."})
    found = session(tmp_path, *SESSION, repeated, compaction, user("u3", "Go on"))
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.parent, entry.kept, entry.follows) == ("r4", ("u1", "u2"), "u2")
    assert (entry.summary, entry.is_automatic, entry.tokens_before) == ("Newts.", False, 900)
    assert found.entries[-1].parent == "k"


def test_a_subagent_is_put_away(tmp_path: Path) -> None:
    subagent = (
        user("v1", "Count the newts", "a1"),
        reply("w1", "I count.", CALL | {"toolCallId": "d1"}, agent="a1"),
        result("y1", "d1", "a1", success=True, result={"content": "2"}),
        reply("w2", "Two.", agent="a1"),
    )
    main, other = read_file(write(tmp_path, *SESSION[:8], *subagent, *SESSION[8:]))
    assert isinstance(main, ForeignConversation)
    assert isinstance(other, ForeignConversation)
    assert len(main.entries) == 9
    assert [message.text for message in messages_in(other)] == ["Count the newts", "I count.", "2", "Two."]
    assert (other.id, other.folder, other.is_put_away, other.title) == ("s1/a1", "/pond", True, "Count the newts")


def test_what_was_rewound_is_a_branch(tmp_path: Path) -> None:
    rewind = event("z", "session.snapshot_rewind", upToEventId="u2", eventsRemoved=2)
    found = session(tmp_path, *SESSION, rewind, user("u3", "Another version"))
    assert [(each.id, each.parent) for each in entries_in(found)][-3:] == [("u2", "r3"), ("r4", "u2"), ("u3", "r3")]


def test_a_broken_line_is_reported_and_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path, *SESSION)
    whole = file.read_bytes()
    file.write_bytes(whole[:-40])
    found = only_conversation(read_file(file))
    assert (len(messages_in(found)), len(found.unread)) == (8, 1)
    check_damaged(file, whole)
