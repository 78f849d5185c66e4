"""Gemini CLI's sessions, in the shape of both kinds of files, and its saved chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, entries_in, messages_in, only_conversation, only_unread, read_file

from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Chain, Compaction, Transcript
from desktop_app.imports.format import NO_MESSAGES
from texts import NOT_AN_OBJECT, UNREADABLE

PIXEL = "iVBORw0KGgo="
ABOUT = {"sessionId": "7c1e", "projectHash": "ab" * 32, "startTime": "2026-03-01T10:00:00.000Z", "kind": "main"}


def at(minute: int) -> str:
    return f"2026-03-01T10:{minute:02d}:00.000Z"


def user(name: str, minute: int, *parts: Any) -> dict[str, Any]:
    content = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"id": name, "timestamp": at(minute), "type": "user", "content": content}


def reply(name: str, minute: int, content: Any = "", **more: Any) -> dict[str, Any]:
    tokens = {"input": 100, "output": 20, "cached": 60, "thoughts": 5, "tool": 0, "total": 125}
    told = {"thoughts": [], "tokens": tokens, "model": "gemini-3-pro", **more}
    return {"id": name, "timestamp": at(minute), "type": "gemini", "content": content, **told}


def call(name: str, answer: Any, **more: Any) -> dict[str, Any]:
    response = {"functionResponse": {"id": name, "name": "read_file", "response": answer}}
    return {
        "id": name,
        "name": "read_file",
        "args": {"path": "pond.txt"},
        "result": [response],
        "status": "success",
        "timestamp": at(3),
        "displayName": "ReadFile",
        **more,
    }


THOUGHT = {"subject": "Looking", "description": "The pond is in a file.", "timestamp": at(2)}
SESSION: list[dict[str, Any]] = [
    user("u1", 1, "What lives in the pond?"),
    reply("g1", 2, "I look.", thoughts=[THOUGHT], toolCalls=[call("c1", {"output": "newts"})]),
    {"id": "i1", "timestamp": at(4), "type": "info", "content": "Update available."},
    reply("g2", 5, "Newts do."),
    user("u2", 6, "Draw one ", {"inlineData": {"mimeType": "image/png", "data": PIXEL}}),
    reply("g3", 7, "No."),
]


def session(tmp_path: Path, *lines: dict[str, Any], name: str = "session-1.jsonl") -> ForeignConversation:
    (tmp_path / name).write_text("\n".join(map(json.dumps, lines)) + "\n")
    return only_conversation(read_file(tmp_path / name))


def older(messages: list[dict[str, Any]], **more: Any) -> bytes:
    return json.dumps({**ABOUT, "lastUpdated": at(9), "messages": messages, **more}, indent=2).encode()


def linked(found: ForeignConversation) -> list[tuple[str, str, str]]:
    return [(e.id, e.parent, e.message.text) for e in entries_in(found)]


def check_session(found: ForeignConversation) -> None:
    assert linked(found) == [
        ("u1", "", "What lives in the pond?"),
        ("g1", "u1", "I look."),
        ("g1/1", "g1", "newts"),
        ("g2", "g1/1", "Newts do."),
        ("u2", "g2", "Draw one "),
        ("g3", "u2", "No."),
    ]
    asked, looked, result, *_, drawn, _ = messages_in(found)
    assert looked.parts == (
        Reasoning("**Looking**\n\nThe pond is in a file."),
        Text("I look."),
        ToolCall("c1", "read_file", '{"path": "pond.txt"}'),
    )
    assert (result.role, result.parts) == (Role.TOOL, (ToolResult("c1", "read_file", "newts"),))
    assert drawn.parts[1] == Attachment("file.png", "image/png", f"data:image/png;base64,{PIXEL}")
    assert looked.usage == Usage(100, 25, 60, reasoning_tokens=5)
    assert (asked.at, looked.model, asked.model) == (1772359260.0, "gemini-3-pro", "")
    assert (found.id, found.title, found.model) == ("7c1e", "What lives in the pond?", "gemini-3-pro")
    kept = json.loads(found.rest)
    assert kept["projectHash"] == "ab" * 32
    assert kept["notices"]["i1"]["content"] == "Update available."
    assert kept["messages"]["g1"]["toolCalls"]["0"] == {"displayName": "ReadFile"}


def test_a_session_of_lines_is_read_whole(tmp_path: Path) -> None:
    first_version = reply("g1", 2, "I look.", thoughts=[THOUGHT])
    change = {"$set": {"lastUpdated": at(9), "summary": ""}}
    found = session(tmp_path, ABOUT, SESSION[0], change, first_version, *SESSION[1:])
    check_session(found)
    assert found.current == "g3"


def test_an_older_session_is_the_same_conversation(tmp_path: Path) -> None:
    (tmp_path / "session-1.json").write_bytes(older(SESSION))
    found = only_conversation(read_file(tmp_path / "session-1.json"))
    check_session(found)
    assert found.updated_at > found.created_at > 0


def test_a_summary_of_the_program_is_the_title(tmp_path: Path) -> None:
    assert session(tmp_path, ABOUT | {"summary": "Pond life"}, *SESSION).title == "Pond life"


def test_what_was_taken_back_is_a_branch(tmp_path: Path) -> None:
    found = session(tmp_path, ABOUT, *SESSION, {"$rewindTo": "u2"}, user("u3", 8, "Thanks"))
    assert ("u2", "g2", "Draw one ") in linked(found)
    assert linked(found)[-1] == ("u3", "g2", "Thanks")
    assert found.current == "u3"


def test_taking_back_what_is_not_there_begins_anew(tmp_path: Path) -> None:
    found = session(tmp_path, ABOUT, *SESSION, {"$rewindTo": "x"}, user("u3", 8, "Hello"))
    assert linked(found)[-1] == ("u3", "", "Hello")


def test_a_summary_archives_what_it_replaced_and_what_follows_it_stays(tmp_path: Path) -> None:
    snapshot = user("s", 8, "<state_snapshot>They spoke of newts.</state_snapshot>")
    anew = {"$set": {"messages": [user("ctx", 8, "<session_context>"), snapshot, *SESSION[4:]]}}
    found = session(tmp_path, ABOUT, *SESSION, anew, user("u3", 9, "Go on"))
    (compaction,) = [e for e in found.entries if isinstance(e, ForeignCompaction)]
    assert compaction.parent == "g2"
    assert "They spoke of newts." in compaction.summary
    assert linked(found)[-3:] == [("u2", "s", "Draw one "), ("g3", "u2", "No."), ("u3", "g3", "Go on")]
    (entry,) = [e for e in new_entries(found, "") if isinstance(e, Compaction)]
    assert len(entry.archived) == 4


def test_what_was_kept_is_written_again_with_new_ids(tmp_path: Path) -> None:
    """Gemini CLI 0.61: /compress keeps the context under its id before the summary, and copies what it keeps."""
    context, snapshot = user("ctx", 0, "<session_context>"), user("s", 8, "<state_snapshot>Newts.</state_snapshot>")
    understood = reply("ack", 8, [{"text": "Got it. Thanks for the additional context!"}])
    copies = [user("copy1", 8, "Draw one "), reply("copy2", 8, [{"text": "No."}])]
    anew = {"$set": {"messages": [context, snapshot, understood, *copies]}}
    lines = [ABOUT, context, *SESSION, anew, user("u3", 9, "Go on")]
    back = [{"$rewindTo": "u3"}, {"$set": {"messages": [snapshot, understood, *copies]}}, user("u4", 10, "Stop")]
    for more, last in ([], "Go on"), (back, "Stop"):
        found = session(tmp_path, *lines, *more)
        (compaction,) = [e for e in found.entries if isinstance(e, ForeignCompaction)]
        assert (compaction.kept, compaction.follows) == (("ctx", "u2", "g3"), "ctx")
        view = view_of(Transcript(Chain(new_entries(found, ""))))
        said = [i.message.text for i in view.items if i.kind in (ItemKind.MESSAGE, ItemKind.SUMMARY)]
        assert ["Newts." in each for each in said] == [False, True, False, False, False]
        assert said[2:] == ["Draw one ", "No.", last]


def test_what_the_program_says_in_the_users_role_is_not_the_users(tmp_path: Path) -> None:
    context = user("ctx", 0, "<session_context>")
    found = session(tmp_path, ABOUT, context, *SESSION)
    assert (messages_in(found)[0].speaker, messages_in(found)[1].speaker) == ("Gemini CLI", "")
    (tmp_path / "only").mkdir()
    path = tmp_path / "only" / "session-2.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (ABOUT, context)))
    assert only_unread(read_file(path)).reason == NO_MESSAGES


def test_a_command_that_failed_is_an_error_and_an_image_of_a_result_is_there_once(tmp_path: Path) -> None:
    failed = call("c1", {"output": "Output: gone\nExit Code: 3"}) | {"name": "run_shell_command"}
    drawn = call("c2", {"output": "Drawn"})
    image = {"inlineData": {"data": "iVBORw0KGgo=", "mimeType": "image/png"}}
    drawn["result"] = [*drawn["result"], image]
    repeated = user("r", 3, [*drawn["result"]])
    messages = messages_in(session(tmp_path, ABOUT, reply("g1", 2, "I draw.", toolCalls=[failed, drawn]), repeated))
    assert [each.tool_result.is_error for each in messages if each.tool_result] == [True, False]
    assert sum(each.has_image for each in messages) == 1
    assert len(messages) == 3


def test_two_summaries_follow_each_other(tmp_path: Path) -> None:
    def anew(name: str, *kept: dict[str, Any]) -> dict[str, Any]:
        return {"$set": {"messages": [user(name, 8, f"<state_snapshot>{name}</state_snapshot>"), *kept]}}

    found = session(tmp_path, ABOUT, *SESSION, anew("s1", *SESSION[3:]), anew("s2", SESSION[5]))
    links = [(e.id, e.parent) for e in found.entries]
    assert links == [
        ("u1", ""),
        ("g1", "u1"),
        ("g1/1", "g1"),
        ("s1", "g1/1"),
        ("g2", "s1"),
        ("u2", "g2"),
        ("s2", "u2"),
        ("g3", "s2"),
    ]


def test_what_the_program_sent_to_the_model_is_there_once(tmp_path: Path) -> None:
    answer = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "masked"}}}
    sent = {"functionCall": {"id": "c1", "name": "read_file", "args": {}}}
    shortened = SESSION[1] | {"content": [{"text": "I look."}, sent]}
    anew = {"$set": {"messages": [SESSION[0], shortened, user("r1", 3, answer), *SESSION[3:]]}}
    check_session(session(tmp_path, ABOUT, *SESSION, anew))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"status": "error", "result": [{"functionResponse": {"id": "c1", "response": {"error": "gone"}}}]}, "gone"),
        ({"status": "error", "result": None, "resultDisplay": "gone"}, "gone"),
        ({"status": "cancelled", "result": None, "resultDisplay": ""}, ""),
    ],
)
def test_a_call_that_failed_has_a_result_that_says_so(tmp_path: Path, more: dict[str, Any], expected: str) -> None:
    found = session(tmp_path, ABOUT, reply("g1", 2, toolCalls=[call("c1", {}, **more)]))
    result = messages_in(found)[1].tool_result
    assert result is not None
    assert (result.text, result.is_error) == (expected, True)


def test_what_was_shown_of_a_result_is_kept_if_it_is_not_what_the_model_got(tmp_path: Path) -> None:
    calls = [call("c1", {"output": "newts"}, resultDisplay="newts"), call("c2", {"output": "newts"}, resultDisplay="1")]
    found = session(tmp_path, ABOUT, reply("g1", 2, toolCalls=calls))
    kept = json.loads(found.rest)["messages"]["g1"]["toolCalls"]
    assert "resultDisplay" not in kept["0"]
    assert kept["1"]["resultDisplay"] == "1"


def test_a_call_that_was_not_run_has_no_result(tmp_path: Path) -> None:
    found = session(tmp_path, ABOUT, reply("g1", 2, toolCalls=[call("c1", {}, status="scheduled", result=None)]))
    assert [message.role for message in messages_in(found)] == [Role.ASSISTANT]


def test_a_line_that_is_damaged_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "session-1.jsonl"
    path.write_text("\n".join([json.dumps(ABOUT), json.dumps(SESSION[0]), json.dumps(SESSION[1])[:40]]))
    found = only_conversation(read_file(path))
    assert [message.text for message in messages_in(found)] == ["What lives in the pond?"]
    assert found.unread == (UNREADABLE.format(what="line 3", why=NOT_AN_OBJECT),)


def test_in_the_folder_of_the_program_the_project_is_known(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "pond" / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text("/home/ann/pond")
    (chats.parent / "logs.json").write_text(json.dumps([{"sessionId": "7c1e", "messageId": 0, "type": "user"}]))
    (chats / "session-1.json").write_bytes(older(SESSION))
    found = only_conversation(read_file(tmp_path / "tmp"))
    assert found.folder == "/home/ann/pond"


HISTORY: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "What lives in the pond?"}]},
    {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"functionCall": {"name": "ls", "args": {"n": 1}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "newts"}}}]},
    {"role": "model", "parts": [{"text": "Newts.", "thoughtSignature": "c2ln"}]},
]


@pytest.mark.parametrize("whole", [HISTORY, {"history": HISTORY, "authType": "oauth-personal"}], ids=["list", "object"])
def test_a_saved_chat_has_its_name_and_all_its_parts(tmp_path: Path, whole: object) -> None:
    (tmp_path / "checkpoint-my%20pond.json").write_text(json.dumps(whole, indent=2))
    found = only_conversation(read_file(tmp_path / "checkpoint-my%20pond.json"))
    assert found.title == "my pond"
    assert [message.parts for message in messages_in(found)] == [
        (Text("What lives in the pond?"),),
        (Reasoning("Hm."), ToolCall("", "ls", '{"n": 1}')),
        (ToolResult("", "ls", "newts"),),
        (Text("Newts."),),
    ]
    assert '"thoughtSignature":"c2ln"' in found.rest


def test_a_saved_chat_that_went_on_is_the_same_conversation(tmp_path: Path) -> None:
    more = [*HISTORY, {"role": "user", "parts": [{"text": "Thanks"}]}]
    for name, history in {"a": HISTORY, "b": more}.items():
        (tmp_path / f"checkpoint-{name}.json").write_text(json.dumps(history))
    short, long = read_file(tmp_path)
    assert isinstance(short, ForeignConversation)
    assert isinstance(long, ForeignConversation)
    assert short.id == long.id
    assert [entry.id for entry in long.entries][:-1] == [entry.id for entry in short.entries]


@pytest.mark.parametrize(
    ("content", "refused"),
    [
        ("\n".join(map(json.dumps, [ABOUT, *SESSION, {"$rewindTo": "u2"}])).encode(), 0),
        (older(SESSION), 10),
        (json.dumps({"history": HISTORY}).encode(), 10),
    ],
    ids=["lines", "object", "saved chat"],
)
def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path, content: bytes, refused: int) -> None:
    assert check_damaged(tmp_path / "damaged.json", content) >= refused
