"""Older messages are read one page at a time, however often they are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace

import pytest
from transcript_rows import row

from desktop_app.conversation.events import MessageRow
from desktop_app.engine import protocol as p
from desktop_app.ui.transcript.conversation_controller import OlderMessages


class Engine:
    """Answers each request when it is told to, as a bridge does. The conversation can change meanwhile."""

    def __init__(self) -> None:
        self.conversation = "c"
        self.asked: list[p.ReadMessages] = []
        self.added: list[list[MessageRow]] = []
        self.tasks: list[asyncio.Task[None]] = []
        self._answers: list[asyncio.Future[p.MessagesRead]] = []
        model = SimpleNamespace(add_page=lambda rows, around: self.added.append(list(rows)))
        self.past = OlderMessages(self, SimpleNamespace(transcript=model), lambda: self.conversation)  # type: ignore[arg-type]

    def start(self, coroutine: Coroutine[None, None, None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(coroutine))

    async def ask(self, request: p.ReadMessages) -> p.MessagesRead:
        self.asked.append(request)
        self._answers.append(asyncio.get_running_loop().create_future())
        return await self._answers[-1]

    async def read(self, before: int) -> None:
        self.past.read(before, before)
        await asyncio.sleep(0)

    async def answer(self, failure: Exception | None = None) -> None:
        rows = (row(self.asked[-1].before - 1),)
        if failure is not None:
            self._answers[-1].set_exception(failure)
        else:
            self._answers[-1].set_result(p.MessagesRead(rows, 100))
        await asyncio.wait(self.tasks)


async def test_while_a_page_is_on_its_way_no_other_one_is_asked_for() -> None:
    engine = Engine()
    for before in (60, 60, 40):
        await engine.read(before)
    assert [asked.before for asked in engine.asked] == [60]
    await engine.answer()
    assert [[one.index for one in page] for page in engine.added] == [[59]]
    await engine.read(40)
    assert [asked.before for asked in engine.asked] == [60, 40]


async def test_after_a_failure_pages_are_read_again() -> None:
    engine = Engine()
    await engine.read(60)
    await engine.answer(ConnectionError())
    with pytest.raises(ConnectionError):
        engine.tasks[-1].result()
    await engine.read(60)
    assert len(engine.asked) == 2


async def test_a_page_of_a_conversation_that_was_left_is_not_shown() -> None:
    engine = Engine()
    await engine.read(60)
    engine.conversation = "other"
    await engine.answer()
    assert not engine.added
