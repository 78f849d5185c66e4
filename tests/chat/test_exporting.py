"""A conversation becomes a file: whole, readable, and one that can be imported again."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_take_turn import long_chat

from desktop_app.chat.files import export_file, import_file
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import Trigger

FENCED = "Look:\n```\ncode\n```"
SAID = [
    Message(role=Role.USER, parts=(Text("What is in it?"), Attachment("a.txt", "text/plain", "one ``` two"))),
    Message(role=Role.ASSISTANT, parts=(Reasoning("First\nthen"), Text("I look."), ToolCall("c", "read", '{"a": 1}'))),
    Message(role=Role.TOOL, parts=(ToolResult("c", "read", FENCED),)),
    Message(role=Role.ASSISTANT, parts=(Text("Code, half of 🙂: \ud83d."),)),
]


async def talked(house) -> Session:
    home = await house([])
    return await home.chats.create("Files", SAID)


async def test_markdown_has_everything_that_was_said(house, tmp_path: Path) -> None:
    session = await talked(house)
    size = await export_file(session, str(tmp_path / "a.md"), "markdown")
    text = (tmp_path / "a.md").read_text()
    assert len(text.encode()) == size
    assert text.startswith("# Files\n\n## You\n\nWhat is in it?\n\na.txt:\n\n````\none ``` two\n````\n\n## Assistant")
    assert '> First\n> then\n\nI look.\n\nCalls `read`:\n\n```\n{"a": 1}\n```' in text
    assert f"`read` answered:\n\n````\n{FENCED}\n````" in text, "what is in a fence does not end it"


async def test_json_can_be_imported_again_and_archived_messages_are_in_it(house, tmp_path: Path) -> None:
    home = await house([])
    session = await home.chats.create("Long", [*long_chat(70), *SAID])
    await home.make_room(session, Trigger.USER)
    assert session.view.summary is not None
    await export_file(session, str(tmp_path / "a.jsonl"), "json")
    again = await import_file(home.chats, str(tmp_path / "a.jsonl"))
    rows, before = again.page(again.total, again.total), session.page(session.total, session.total)
    assert [row.message.role for row in rows] == [row.message.role for row in before]
    assert [row.message.tool_calls for row in rows] == [row.message.tool_calls for row in before]
    assert "Answer 3: " in rows[7].message.text


@pytest.mark.parametrize("path", ["nowhere/a.md", ".", "a\0b", "taken"])
async def test_what_cannot_be_written_is_told_and_leaves_nothing(house, tmp_path: Path, path: str, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    session = await talked(house)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(WorldError, match="could not be written"):
        await export_file(session, path, "markdown")
    assert sorted(tmp_path.iterdir()) == before
