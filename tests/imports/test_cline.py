"""Cline's sessions, in the shape that version 3.0.65 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, messages_in, only_conversation, only_unread, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Compaction

PIXEL = "iVBORw0KGgo="
AT = 1_772_359_260_000


def user(name: str, minute: int, *content: Any) -> dict[str, Any]:
    return {"id": name, "role": "user", "content": list(content), "ts": AT + minute * 60_000}


def reply(name: str, minute: int, *content: Any) -> dict[str, Any]:
    tokens = {"inputTokens": 100, "outputTokens": 20, "cacheReadTokens": 60, "cacheWriteTokens": 0}
    about = {"modelInfo": {"id": "newt-1", "provider": "pond"}, "metrics": tokens}
    return {"id": name, "role": "assistant", "content": list(content), "ts": AT + minute * 60_000, **about}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def written(words: str) -> dict[str, Any]:
    return text(f'<user_input mode="act">{words}</user_input>')


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "read_files", "input": arguments}


def result(name: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "name": "read_files", "content": content}


PICTURE = [text("A picture."), {"type": "image", "data": PIXEL, "mediaType": "image/png"}]
SESSION: list[dict[str, Any]] = [
    user("u1", 1, written("What lives in the pond?")),
    reply("r1", 2, {"type": "thinking", "thinking": "Look."}, text("I look."), call("c1", files=["pond"])),
    user("t1", 3, result("c1", [{"query": "pond", "result": "newts", "success": True}])),
    reply("r2", 4, text("Again."), call("c2", files=["x"]), call("c3", files=["p.png"])),
    user("t2", 5, result("c2", '{"query": "x", "result": "", "error": "no such file", "success": false}')),
    user("t3", 6, result("c3", [{"query": "p.png", "result": PICTURE, "success": True}])),
    reply("r3", 7, text("Newts do.")),
    user("u2", 8, written("And here?"), {"type": "file", "path": "/pond/a.txt", "content": "toads"}),
    reply("r4", 9, text("Toads.")),
]


def write(folder: Path, messages: list[dict[str, Any]], **more: Any) -> None:
    about = {"version": 1, "updated_at": "2026-03-01T11:00:00Z", "agent": "lead", "sessionId": "s1"}
    (folder / "s1.messages.json").write_text(json.dumps({**about, **more, "messages": messages}))
    described = {"session_id": "s1", "cwd": "/pond", "model": "newt-1", "messages_path": "/x", "pid": 7}
    described |= {"started_at": "2026-03-01T10:00:00Z", "prompt": "What…", "metadata": {"title": "Pond life"}}
    (folder / "s1.json").write_text(json.dumps(described))


def write_compaction(folder: Path, last: str, *messages: dict[str, Any]) -> None:
    about = {"version": 1, "conversation_id": "s1", "source_message_count": 3, "source_last_message_key": f"id:{last}"}
    (folder / "s1.compaction.json").write_text(json.dumps({**about, "messages": list(messages)}))


def summary(words: str) -> dict[str, Any]:
    about = {"kind": "compaction_summary", "summary": words, "tokensBefore": 900, "generatedAt": AT + 570_000}
    return {"role": "user", "content": [text(f"Context summary:\n{words}")], "metadata": about}


def session(folder: Path) -> ForeignConversation:
    return only_conversation(read_file(folder))


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    found = session(tmp_path)
    asked, looked, result_1, again, failed, seen, _, here, _ = messages_in(found)
    assert asked.parts == (Text("What lives in the pond?"),)
    assert looked.parts == (Reasoning("Look."), Text("I look."), ToolCall("c1", "read_files", '{"files": ["pond"]}'))
    assert (looked.model, looked.usage, looked.at) == ("newt-1", Usage(100, 20, 60), AT / 1000 + 120)
    assert (result_1.role, result_1.parts) == (Role.TOOL, (ToolResult("c1", "read_files", "newts"),))
    assert [part.call_id for part in again.parts if isinstance(part, ToolCall)] == ["c2", "c3"]
    assert failed.parts == (ToolResult("c2", "read_files", "no such file", is_error=True),)
    picture = Attachment("image", "image/png", f"data:image/png;base64,{PIXEL}")
    assert seen.parts == (ToolResult("c3", "read_files", "A picture."), picture)
    assert here.parts == (Text("And here?"), Attachment("a.txt", "text/plain", "toads"))
    assert (found.title, found.folder, found.model, found.id) == ("Pond life", "/pond", "newt-1", "s1")
    assert json.loads(found.rest)["about"]["pid"] == 7


def test_a_compaction_archives_what_cline_no_longer_sends(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    write_compaction(tmp_path, "r3", summary("They spoke of newts."), *SESSION[3:7])
    found = session(tmp_path)
    (compaction,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (compaction.parent, compaction.summary, compaction.follows) == ("r3", "They spoke of newts.", "")
    assert compaction.kept == ("r2", "t2", "t3", "r3")
    assert compaction.tokens_before == 900
    (entry,) = [each for each in new_entries(found, "") if isinstance(each, Compaction)]
    assert len(entry.archived) == 3
    assert found.entries[-2].parent == compaction.id


def test_a_summary_may_follow_messages_that_were_kept(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    write_compaction(tmp_path, "r3", SESSION[0], summary("Newts."), SESSION[6])
    (compaction,) = [each for each in session(tmp_path).entries if isinstance(each, ForeignCompaction)]
    assert (compaction.kept, compaction.follows) == (("u1", "r3"), "u1")


def test_a_subagent_is_put_away_and_worked_in_the_folder_of_its_caller(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    about = {"agent": "subagent", "sessionId": "s1__a1", "origin": {"parentThreadId": "s1"}}
    (tmp_path / "a1.messages.json").write_text(json.dumps({**about, "messages": SESSION[:3]}))
    subagent, main = read_file(tmp_path)
    assert isinstance(subagent, ForeignConversation)
    assert isinstance(main, ForeignConversation)
    assert (subagent.id, subagent.folder, subagent.is_put_away) == ("s1__a1", "/pond", True)
    assert subagent.title == "What lives in the pond?"
    assert not main.is_put_away


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    file = tmp_path / "s1.messages.json"
    file.write_bytes(file.read_bytes()[:-260])
    found = session(tmp_path)
    assert len(messages_in(found)) == 7
    assert found.unread


def test_the_session_alone_is_enough_and_the_other_files_alone_have_no_messages(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    write_compaction(tmp_path, "r3", summary("Newts."), *SESSION[3:7])
    assert only_conversation(read_file(tmp_path / "s1.messages.json")).title == "What lives in the pond?"
    for name in ("s1.json", "s1.compaction.json"):
        only_unread(read_file(tmp_path / name))


def test_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    write_compaction(tmp_path, "r3", summary("Newts."), *SESSION[3:7])
    file = tmp_path / "s1.messages.json"
    check_damaged(file, file.read_bytes())
