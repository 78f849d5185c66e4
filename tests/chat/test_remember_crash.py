"""The program is killed between the saving of memories and the recording of their flush: nothing is done twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from engine_that_dies import opened
from msgspec.structs import replace
from remembering import TEA, saving
from test_summarize import chat

from desktop_app.archive.archive import ArchiveThread
from desktop_app.archive.store import Store
from desktop_app.chat.session import Session
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.transcript import Flush, Trigger
from provider import ScriptedProvider

ROOT = Path(__file__).resolve().parents[2]
DOG = "The user has a dog."


def killed_in_flush(path: Path, conversation: str, script: list) -> None:
    """Runs a flush in another process, and kills it as soon as the memories are saved."""
    with ScriptedProvider(script) as provider:
        command = [sys.executable, str(Path(__file__).with_name("engine_that_dies.py"))]
        child = subprocess.Popen(
            [*command, str(path), conversation, provider.base_url], stdout=subprocess.PIPE, text=True, cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PATH": "", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )  # fmt: skip
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "saved\n"
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait(30)
            child.stdout.close()
        assert len(provider.requests) == 1


def stored(path: Path) -> str:
    """A conversation in a new archive; its id."""
    store = Store(path)
    messages = [replace(message, id=f"m{number}", at=float(number)) for number, message in enumerate(chat(8))]
    store.create(ConversationInfo("c", "Long", 1.0, 1.0), messages)
    store.close()
    return "c"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_a_flush_that_was_saved_and_not_recorded_is_recorded_and_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "archive.sqlite3"
    conversation = stored(path)
    killed_in_flush(path, conversation, [saving(TEA, DOG)])

    archive = await ArchiveThread.open(path)
    saved = await archive.memories()
    assert [memory.text for memory in saved] == [TEA, DOG]
    with ScriptedProvider([]) as provider:
        session, keeper, litellm = await opened(archive, conversation, provider.base_url)
        assert flushes(session) == []
        assert await keeper.flushed(session, Trigger.USER)
        assert await keeper.flushed(session, Trigger.OVERFLOW) == []
        assert provider.requests == [], "nobody is asked a second time"
        await litellm.close()
    assert await archive.memories() == saved
    (flush,) = flushes(session)
    assert flush.memories == tuple(memory.id for memory in saved)
    assert flush.texts == (TEA, DOG)
    assert flush.before == session.view.items[-1].message.id
    await archive.close()


def flushes(session: Session) -> list[Flush]:
    return [entry for entry in session.transcript.entries if isinstance(entry, Flush)]
