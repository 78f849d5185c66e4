"""gptme's conversations, in the shape that version 0.35.1 writes."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

AT = "2026-03-01T10:01:00.500000"


def line(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "timestamp": AT, **more}


def reply(content: str) -> dict[str, Any]:
    usage = {"input_tokens": 40, "output_tokens": 20, "cache_read_tokens": 60, "reasoning_tokens": 5}
    return line("assistant", content, metadata={"model": "local/newt-1", "served_model": "newt-1", "usage": usage})


def result(name: str, content: str) -> dict[str, Any]:
    return line("system", content, call_id=name, metadata={"tool": "shell"})


SESSION: list[dict[str, Any]] = [
    line("system", "You are gptme.", pinned=True, hide=True),
    line("user", "What lives in the pond?", files=["/pond/p.png"]),
    reply('<think>\nLook.\n</think>\n\nI look.\n@shell(c1): {"command": "ls {pond}"}\nSo.'),
    result("c1", "newts\n\nReturn code: 0"),
    reply('@shell(c2): {"command": "exit 3"}'),
    result("c2", "Ran command\n\nReturn code: 3\n"),
    reply("Newts do. @shell(c3): {not a call"),
    line("system", "The token budget is low."),
    line("user", "And there?"),
    reply("Toads."),
]


def write(folder: Path, lines: list[dict[str, Any]], name: str = "conversation.jsonl") -> Path:
    file = folder / "pond" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return file


def session(tmp_path: Path, lines: list[dict[str, Any]]) -> ForeignConversation:
    write(tmp_path, lines)
    return only_conversation(read_file(tmp_path))


def test_a_conversation_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, SESSION)
    asked, looked, newts, _, failed, answered, budget, *_ = messages_in(found)
    picture = Attachment("p.png", "", "", about="not in the export")
    assert asked.parts == (Text("What lives in the pond?"), picture)
    call = ToolCall("c1", "shell", '{"command": "ls {pond}"}')
    assert looked.parts == (Reasoning("Look."), Text("I look."), call, Text("So."))
    assert (looked.model, looked.usage) == ("newt-1", Usage(100, 20, 60, reasoning_tokens=5))
    assert looked.at == datetime.fromisoformat(AT).timestamp()
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("c1", "shell", "newts\n\nReturn code: 0"),))
    assert failed.parts == (ToolResult("c2", "shell", "Ran command\n\nReturn code: 3\n", is_error=True),)
    assert answered.parts == (Text("Newts do. @shell(c3): {not a call"),)
    assert (budget.role, budget.text) == (Role.SYSTEM, "The token budget is low.")
    assert (found.id, found.title, found.model) == ("pond", "What lives in the pond?", "newt-1")
    assert "You are gptme." in found.rest


def test_the_configuration_has_the_title_and_the_folder(tmp_path: Path) -> None:
    write(tmp_path, SESSION)
    (tmp_path / "pond" / "config.toml").write_text('[chat]\nname = "Pond life"\nworkspace = "/pond"\nstream = true\n')
    found = only_conversation(read_file(tmp_path))
    assert (found.title, found.folder) == ("Pond life", "/pond")


def test_a_branch_is_in_the_tree_of_its_conversation(tmp_path: Path) -> None:
    write(tmp_path, [*SESSION[:8], line("user", "Another version")], "branches/old.jsonl")
    found = session(tmp_path, SESSION)
    *_, budget = (each for each in entries_in(found) if each.message.role is Role.SYSTEM)
    followers = [each for each in entries_in(found) if each.parent == budget.id]
    assert [each.message.text for each in followers] == ["Another version", "And there?"]
    assert found.current == found.entries[-1].id


def test_a_broken_line_is_reported_and_damaged_conversations_are_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path, SESSION)
    whole = file.read_bytes()
    file.write_bytes(whole[:-40])
    found = only_conversation(read_file(file))
    assert (messages_in(found)[-1].text, len(found.unread)) == ("And there?", 1)
    check_damaged(file, whole)
