"""Requests about attachments, carried out by the real engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest
from desk import Desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.message import Attachment
from desktop_app.engine import protocol as p

TEXT = "one needle\ntwo\nthree\n"


async def conversation_in(desk: Desk, folder: Path) -> str:
    opened = await desk.ask(p.CreateConversation())
    return (await desk.ask(p.ChooseFolder(opened.conversation.id, str(folder)))).conversation.id


async def test_attachments_are_counted_as_the_model_gets_them(desk: Desk) -> None:
    conversation = (await desk.ask(p.CreateConversation())).conversation.id
    files = (Attachment("a.txt", "text/plain", TEXT * 50), Attachment("b.png", "image/png", "data:image/png;base64,"))
    counted = await desk.ask(p.CountAttachments(conversation, files))
    (text, image) = counted.tokens
    assert counted.image_reader is None, "neither the built-in model nor another one looks at images"
    assert text > 300
    assert 0 < image < 100  # the built-in model cannot see: it is told so


@pytest.mark.wire
async def test_an_attached_text_is_read_in_pages_once_it_was_sent(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(TEXT)
    conversation = await conversation_in(desk, tmp_path)
    read = (await desk.ask(p.AttachFile(str(tmp_path / "notes.txt"), "docs/notes.txt"))).attachment
    assert (read.name, read.content) == ("docs/notes.txt", TEXT)
    await desk.ask(p.Send(conversation, "Look", (read,)))
    session = await desk.engine.conversations.open(conversation)
    async with asyncio.timeout(60):
        while not session.view.last_user_id:  # until the message is recorded
            await asyncio.sleep(0.01)
    await desk.ask(p.Stop(conversation))
    sent = session.message(session.view.last_user_id)
    assert sent is not None
    page = await desk.ask(p.ReadAttachment(conversation, sent.id, 1, "needle"))
    assert page.lines == ((1, "one needle"),)
    for message, part in ((sent.id, 0), (sent.id, 9), ("gone", 1), (sent.id, -1)):
        with pytest.raises(WorldError):
            await desk.ask(p.ReadAttachment(conversation, message, part))


@pytest.mark.wire
async def test_a_command_of_the_users_runs_unasked_in_the_folder(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(TEXT)
    conversation = await conversation_in(desk, tmp_path)
    output = (await desk.ask(p.RunCommand(conversation, "cat notes.txt; false"))).attachment
    assert output.name == "$ cat notes.txt; false"
    assert output.content.startswith(TEXT)
    assert "exit code 1" in output.content


@pytest.mark.wire
async def test_a_command_of_the_users_runs_although_models_may_run_none(desk: Desk, tmp_path: Path) -> None:
    conversation = await conversation_in(desk, tmp_path)
    off = replace(desk.engine.services.settings, tools_off=("bash",))
    await desk.ask(p.WriteSettings(off))
    output = (await desk.ask(p.RunCommand(conversation, "echo of mine"))).attachment
    assert output.content.startswith("of mine\n")


@pytest.mark.wire
async def test_a_command_that_is_not_wanted_any_more_ends_with_its_children(desk: Desk, tmp_path: Path) -> None:
    conversation = await conversation_in(desk, tmp_path)
    running = asyncio.ensure_future(desk.ask(p.RunCommand(conversation, "sleep 61 & echo $! > pid; wait", "7")))
    async with asyncio.timeout(20):
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.01)
    await desk.ask(p.StopCommand("8"))
    assert not running.done()
    await desk.ask(p.StopCommand("7"))
    with pytest.raises(WorldError) as stopped:
        await running
    assert stopped.value.failure.kind == "cancelled"
    pid = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.wire
async def test_paths_are_completed_in_the_folder_and_nowhere_without_one(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(TEXT)
    conversation = await conversation_in(desk, tmp_path)
    assert await desk.ask(p.CompletePath(conversation, "no")) == p.FilesCompleted(str(tmp_path), ("notes.txt",))
    await desk.ask(p.ChooseFolder(conversation, ""))
    assert await desk.ask(p.CompletePath(conversation, "no")) == p.FilesCompleted("", ())
