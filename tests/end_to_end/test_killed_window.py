"""SIGKILL for the window, or for window and engine, while a reply streams: nothing that was committed is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from desktop_app.archive.archive import ArchiveThread
from desktop_app.conversation.message import Message, Role
from desktop_app.settings import Server, Settings, write_settings
from provider import Hang, ScriptedProvider

WINDOW = Path(__file__).with_name("window_that_dies.py")


@pytest.mark.parametrize("who", ["alone", "both"])
async def test_what_was_committed_and_what_had_arrived_is_there(tmp_path: Path, who: str) -> None:
    data = tmp_path / "data"
    with ScriptedProvider([Hang("Half a sen")]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), 8_192, 1_000)
        write_settings(data / "settings.json", Settings(chat_model="scripted/scripted", servers=(server,)))
        window = await asyncio.create_subprocess_exec(
            sys.executable, str(WINDOW), str(data), who, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        )
        async with asyncio.timeout(90):
            assert await window.wait() == -signal.SIGKILL

        archive = await opened_once_the_engine_has_gone(data / "archive.sqlite3")
        await archive.recover_partials()
        (info,) = await archive.conversations()
        messages = [entry for entry in await archive.entries(info.id) if isinstance(entry, Message)]
        await archive.close()
    assert [(m.role, m.text, m.is_interrupted) for m in messages[1:]] == [
        (Role.USER, "A story, please", False),
        (Role.ASSISTANT, "Half a sen", True),
    ]


async def opened_once_the_engine_has_gone(file: Path) -> ArchiveThread:
    """An engine whose window died stores what is in flight, and then gives the data folder free."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await ArchiveThread.open(file)
            except Exception as error:
                if "already open" not in str(error):
                    raise
                await asyncio.sleep(0.2)
