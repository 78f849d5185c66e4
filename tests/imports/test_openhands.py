"""OpenHands' conversations, in the shape that version 1.16.0 writes."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from damage import check_tree, messages_in, only_conversation, read_file, variants

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

AT = "2026-03-01T10:01:00.500000"
PIXEL = "data:image/png;base64,iVBORw0KGgo="
METRICS = {
    "response_id": "chat-1",
    **{"model": "openai/newt-1", "prompt_tokens": 100, "completion_tokens": 20},
    **{"cache_read_tokens": 60, "cache_write_tokens": 0, "reasoning_tokens": 5},
}
STATE = {
    "id": "s1",
    "agent": {"llm": {"model": "openai/newt-1", "api_key": "**********"}, "kind": "Agent"},
    "workspace": {"working_dir": "/pond", "kind": "LocalWorkspace"},
    "persistence_dir": "/x",
    "execution_status": "finished",
    "stats": {"usage_to_metrics": {"agent": {"model_name": "openai/newt-1", "token_usages": [METRICS]}}},
}


def event(name: str, kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": AT, "source": source, **more, "kind": kind}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "cache_prompt": False}


def user(name: str, *content: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "user", "content": list(content), "thinking_blocks": []}
    return event(name, "MessageEvent", "user", llm_message=message, extended_content=[])


def reply(name: str, words: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": [text(words)], "thinking_blocks": []}
    return event(name, "MessageEvent", llm_message=message, llm_response_id=f"chat-{name}")


def call(name: str, response: str, *thought: dict[str, Any], **more: Any) -> dict[str, Any]:
    inner = {"id": f"call-{name}", "name": "terminal", "arguments": '{"command": "ls"}', "origin": "completion"}
    about = {"tool_name": "terminal", "tool_call_id": f"call-{name}", "tool_call": inner, "llm_response_id": response}
    return event(name, "ActionEvent", thought=list(thought), action={"command": "ls"}, **about, **more)


def result(name: str, of: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    observation = {"content": list(content), "is_error": False, "exit_code": 0, **more}
    return event(
        name,
        "ObservationEvent",
        "environment",
        tool_name="terminal",
        tool_call_id=f"call-{of}",
        observation=observation,
    )


PICTURE = {"type": "image", "image_urls": [PIXEL]}
EVENTS: list[dict[str, Any]] = [
    event("e0", "SystemPromptEvent", system_prompt=text("Be brief."), tools=[]),
    user("e1", text("What lives in the pond?"), PICTURE),
    call("e2", "chat-1", text("I look."), reasoning_content="Look."),
    call("e3", "chat-1"),
    result("e4", "e2", text("newts"), PICTURE),
    result("e5", "e3", text("exit 3"), exit_code=3),
    call("e6", "chat-2"),
    event("e7", "AgentErrorEvent", error="no such tool", tool_name="terminal", tool_call_id="call-e6"),
    call("e8", "chat-3"),
    event("e9", "UserRejectObservation", rejection_reason="No.", tool_name="terminal", tool_call_id="call-e8"),
    reply("f0", "Newts do."),
    user("f1", text("And there?")),
    reply("f2", "Toads."),
]


def write(tmp_path: Path, events: list[dict[str, Any]]) -> Path:
    (tmp_path / "events").mkdir(exist_ok=True)
    (tmp_path / "base_state.json").write_text(json.dumps(STATE))
    for number, each in enumerate(events):
        (tmp_path / "events" / f"event-{number:05}-{each['id']}.json").write_text(json.dumps(each))
    return tmp_path


def session(tmp_path: Path, events: list[dict[str, Any]]) -> ForeignConversation:
    return only_conversation(read_file(write(tmp_path, events)))


def test_a_conversation_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, EVENTS)
    asked, looked, newts, exited, _, failed, _, refused, answered, *_ = messages_in(found)
    picture = Attachment("image", "image/png", PIXEL)
    assert asked.parts == (Text("What lives in the pond?"), picture)
    calls = [ToolCall(f"call-{name}", "terminal", '{"command": "ls"}') for name in ("e2", "e3")]
    assert looked.parts == (Reasoning("Look."), Text("I look."), *calls)
    assert (looked.model, looked.usage) == ("newt-1", Usage(100, 20, 60, reasoning_tokens=5))
    assert looked.at == datetime.fromisoformat(AT).timestamp()
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("call-e2", "terminal", "newts"), picture))
    assert exited.parts == (ToolResult("call-e3", "terminal", "exit 3", is_error=True),)
    assert failed.parts == (ToolResult("call-e6", "terminal", "no such tool", is_error=True),)
    assert refused.parts == (ToolResult("call-e8", "terminal", "No.", is_error=True, ending="denied"),)
    assert (answered.text, answered.model, answered.usage) == ("Newts do.", "newt-1", None)
    assert (found.id, found.folder, found.title, found.model) == ("s1", "/pond", "What lives in the pond?", "newt-1")
    assert "Be brief." in found.rest


def test_a_condensation_keeps_what_it_does_not_name(tmp_path: Path) -> None:
    forgotten = [each["id"] for each in EVENTS[2:10]]
    condensation = event("k", "Condensation", forgotten_event_ids=forgotten, summary="Newts.", summary_offset=2)
    found = session(tmp_path, [*EVENTS, condensation, user("f3", text("Go on"))])
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.parent, entry.kept, entry.follows) == ("f2", ("e1", "f0", "f1", "f2"), "e1")
    assert (entry.summary, found.entries[-1].parent) == ("Newts.", "k")


def test_a_second_condensation_replaces_the_first_summary_or_keeps_it(tmp_path: Path) -> None:
    first = event("k1", "Condensation", forgotten_event_ids=["e1"], summary="One.", summary_offset=1)
    forgotten = ["k1-summary", *(each["id"] for each in EVENTS[2:])]
    second = event("k2", "Condensation", forgotten_event_ids=forgotten, summary="Two.", summary_offset=1)
    found = session(tmp_path, [*EVENTS, first, second])
    assert [each.kept for each in found.entries if isinstance(each, ForeignCompaction)][1] == ()
    kept = second | {"forgotten_event_ids": forgotten[1:]}
    found = session(tmp_path, [*EVENTS, first, kept])
    assert [each.kept for each in found.entries if isinstance(each, ForeignCompaction)][1] == ("k1",)


def test_a_broken_event_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    write(tmp_path, EVENTS)
    (tmp_path / "events" / "event-00010-f0.json").write_text('{"id": "f0", "ti')
    found = only_conversation(read_file(tmp_path))
    assert [message.text for message in messages_in(found)][-2:] == ["And there?", "Toads."]
    assert len(found.unread) == 1


def test_damaged_conversations_are_read_or_refused(tmp_path: Path) -> None:
    write(tmp_path, EVENTS)
    for file in sorted(tmp_path.rglob("*.json")):
        content = file.read_bytes()
        for damaged in variants(content, 12):
            file.write_bytes(damaged)
            for each in read_file(tmp_path):
                if isinstance(each, ForeignConversation):
                    check_tree(each)
        file.write_bytes(content)
