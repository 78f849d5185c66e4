"""A conversation becomes a file: whole, readable, and one that can be imported again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from test_take_turn import long_chat

from desktop_app.chat.export import FORMATS, render_export, write_export
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.openai_chat import read_chat
from desktop_app.conversation.rows import MessageState
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


def export(session: Session, path: Path, format: str, scope: str = "record") -> int:
    return write_export(path, render_export(session.info.title, session.view, format, scope))


async def test_markdown_has_everything_that_was_said(house, tmp_path: Path) -> None:
    session = await talked(house)
    size = export(session, tmp_path / "a.md", "markdown")
    text = (tmp_path / "a.md").read_text()
    assert len(text.encode()) == size
    assert text.startswith("# Files\n\n## You\n\nWhat is in it?\n\na.txt:\n\n````\none ``` two\n````\n\n## Assistant")
    assert '> First\n> then\n\nI look.\n\nCalls `read`:\n\n```\n{"a": 1}\n```' in text
    assert f"`read` answered:\n\n````\n{FENCED}\n````" in text, "what is in a fence does not end it"


async def test_its_project_is_named_for_people_and_is_no_message(house) -> None:
    view = (await talked(house)).view
    markdown, html, lines = (render_export("Files", view, kind, "record", project="A & B") for kind in FORMATS)
    assert markdown.startswith("# Files\n\nProject: A & B\n\n## You")
    assert "<h1>Files</h1>\n<p>Project: A &amp; B</p>" in html
    assert lines == render_export("Files", view, "json", "record")


async def test_json_can_be_imported_again_and_archived_messages_are_in_it(house, tmp_path: Path) -> None:
    home = await house([])
    session = await home.chats.create("Long", [*long_chat(70), *SAID])
    await home.make_room(session, Trigger.USER)
    assert session.view.summary is not None
    export(session, tmp_path / "a.jsonl", "json")
    again = await home.chats.create("Again", read_chat((tmp_path / "a.jsonl").read_bytes(), str))
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
        export(session, Path(path), "markdown")
    assert sorted(tmp_path.iterdir()) == before


async def test_what_the_model_sees_now_is_exported_without_what_is_archived(house, tmp_path: Path) -> None:
    home = await house([])
    session = await home.chats.create("Long", [*long_chat(70), *SAID])
    await home.make_room(session, Trigger.USER)
    whole, seen = (render_export("Long", session.view, "markdown", scope) for scope in ("record", "view"))
    archived = next(m for m in session.page(session.total, session.total) if m.state is MessageState.ARCHIVED)
    assert archived.message.text in whole
    assert session.view.summary.summary in seen
    assert session.view.summary.summary not in whole
    assert len(seen) < len(whole)
    html = render_export("Long", session.view, "html", "record")
    assert html.count('<span class="tag">archived</span>') == len(session.view.summary.archived)


async def test_a_file_that_is_there_is_replaced_only_on_demand(house, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("mine")
    with pytest.raises(WorldError) as refused:
        write_export(file, "other")
    assert refused.value.failure.kind == "exists"
    assert file.read_text() == "mine"
    assert write_export(file, "other", is_replacing=True) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert file.read_text() == "other"


def test_a_disk_that_is_full_leaves_neither_a_file_nor_a_half(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(WorldError, match="could not be written"):
        write_export(tmp_path / "a.md", "text")
    assert list(tmp_path.iterdir()) == []


async def test_a_part_begins_or_ends_at_a_message_and_keeps_calls_with_their_results(house) -> None:
    session = await talked(house)
    ids = [item.message.id for item in session.view.items if item.message.role is not Role.SYSTEM]

    def lines(**ends: str) -> list[str]:
        text = render_export("Files", session.view, "json", "record", **ends)
        return [line["role"] for line in map(json.loads, text.splitlines()) if line["role"] != "system"]

    assert lines(first=ids[3]) == ["assistant"]
    assert lines(first=ids[2]) == ["assistant", "tool", "assistant"], "the result comes with its call"
    assert lines(last=ids[0]) == ["user"]
    assert lines(last=ids[1]) == ["user", "assistant", "tool"]
    assert lines(first=ids[0], last=ids[0]) == ["user"]
    assert lines() == ["user", "assistant", "tool", "assistant"]


async def test_a_conversation_without_a_title_has_a_heading(house) -> None:
    session = await (await house([])).chats.create("", SAID)
    assert render_export(session.info.title, session.view, "markdown", "record").startswith("# New conversation\n")


def test_the_disk_has_the_new_file_before_the_old_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, done = tmp_path / "chat.md", list[tuple[str, int]]()
    write_export(path, "old")
    sync, replace = os.fsync, os.replace

    def noted_sync(descriptor: int) -> None:
        sync(descriptor)
        done.append(("synced", os.fstat(descriptor).st_size))

    def noted_replace(one: Path, other: Path) -> None:
        done.append(("replaced", os.stat(one).st_size))
        replace(one, other)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "replace", noted_replace)
    assert write_export(path, "newer", is_replacing=True) == 5
    assert done == [("synced", 5), ("replaced", 5)]
    assert path.read_text() == "newer"
