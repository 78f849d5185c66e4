"""Continue's sessions, in the shape that version 1.5.47 of its command line and its editor extensions write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def user(content: Any, *attached: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"role": "user", "content": content}, "contextItems": list(attached), "editorState": content}


def reply(content: str, *states: dict[str, Any], **more: Any) -> dict[str, Any]:
    details = {"prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens_details": {"reasoning_tokens": 5}}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, **details, "model": "newt-1", "cost_cents": 25}
    calls = {"toolCalls": [state["toolCall"] for state in states]} if states else {}
    message = {"role": "assistant", "content": content, **calls, "usage": usage}
    return {"message": message, "contextItems": [], **({"toolCallStates": list(states)} if states else {}), **more}


def state(name: str, output: str, status: str = "done") -> dict[str, Any]:
    call = {"id": name, "type": "function", "function": {"name": "Read", "arguments": '{"filepath": "pond"}'}}
    found = [{"content": output, "name": "Tool Result", "description": "Result"}] if output else []
    return {"toolCallId": name, "toolCall": call, "status": status, "parsedArgs": {"filepath": "pond"}, "output": found}


PICTURE = [{"type": "text", "text": "What lives here?"}, {"type": "imageUrl", "imageUrl": {"url": PIXEL}}]
SESSION: list[dict[str, Any]] = [
    user(PICTURE, {"name": "pond.txt", "description": "", "content": "There is a pond."}),
    reply("I look.", state("c1", "newts"), state("c2", "Error", "errored"), state("c3", "", "generated")),
    {"message": {"role": "tool", "content": "newts", "toolCallId": "c1"}, "contextItems": []},
    {"message": {"role": "tool", "content": "toads", "toolCallId": "c3"}, "contextItems": []},
    {"message": {"role": "thinking", "content": "Hm."}, "contextItems": []},
    reply("Newts do."),
    user("And there?"),
    reply("Toads."),
]


def write(tmp_path: Path, items: list[dict[str, Any]], title: str = "Pond life") -> Path:
    about = {"sessionId": "s1", "title": title, "workspaceDirectory": "/pond", "history": items}
    (tmp_path / "s1.json").write_text(json.dumps(about, indent=2))
    return tmp_path / "s1.json"


def session(tmp_path: Path, items: list[dict[str, Any]], title: str = "Pond life") -> ForeignConversation:
    return only_conversation(read_file(write(tmp_path, items, title)))


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, SESSION)
    asked, looked, newts, failed, toads, answered, *_ = messages_in(found)
    pond = Attachment("pond.txt", "text/plain", "There is a pond.")
    assert asked.parts == (Text("What lives here?"), Attachment("image", "image/png", PIXEL), pond)
    assert looked.parts[:2] == (Text("I look."), ToolCall("c1", "Read", '{"filepath": "pond"}'))
    assert (looked.model, looked.usage) == ("newt-1", Usage(100, 20, 60, dollars=0.25, reasoning_tokens=5))
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("c1", "Read", "newts"),))
    assert failed.parts == (ToolResult("c2", "Read", "Error", is_error=True),)
    assert toads.parts == (ToolResult("c3", "Read", "toads"),)
    assert answered.parts == (Reasoning("Hm."), Text("Newts do."))
    assert (found.id, found.folder, found.title, found.model) == ("s1", "/pond", "Pond life", "newt-1")


def test_the_list_of_sessions_has_the_time(tmp_path: Path) -> None:
    write(tmp_path, SESSION, "Untitled Session")
    about = {"sessionId": "s1", "title": "x", "workspaceDirectory": "/pond", "dateCreated": "1772359260000"}
    (tmp_path / "sessions.json").write_text(json.dumps([about | {"sessionId": "s0"}, about]))
    found = only_conversation(read_file(tmp_path))
    assert (found.created_at, found.title) == (1_772_359_260.0, "What lives here?")


def test_a_longer_session_has_the_same_beginning(tmp_path: Path) -> None:
    begun, whole = session(tmp_path, SESSION[:6]), session(tmp_path, SESSION)
    assert begun.entries == whole.entries[: len(begun.entries)]


def test_a_summary_replaces_what_is_before_it_and_begins_a_session_as_a_reply(tmp_path: Path) -> None:
    summary = {
        "message": {"role": "assistant", "content": "Newts."},
        "contextItems": [],
        "conversationSummary": "Newts.",
    }
    found = session(tmp_path, [*SESSION, summary, user("Go on")])
    (entry,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (entry.summary, entry.parent) == ("Newts.", entries_in(found)[-2].id)
    assert found.entries[-1].parent == entry.id
    begun = session(tmp_path, [summary, user("Go on")])
    assert [(message.role, message.text) for message in messages_in(begun)] == [
        (Role.ASSISTANT, "Newts."),
        (Role.USER, "Go on"),
    ]


def test_a_file_that_breaks_off_is_read_and_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path, SESSION)
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.rindex(b"Toads")])
    found = only_conversation(read_file(file))
    assert [message.text for message in messages_in(found)][-1] == "And there?"
    assert found.unread
    check_damaged(file, whole)
