"""What is computed for a dialog ends with it, its thread too: else it would take a processor from all else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from desk import Desk

from desktop_app.chat import export_files
from desktop_app.chat.ports import WorldError
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.engine import protocol as p
from desktop_app.engine.protocol import Computation

Ask = Callable[[str, Path], p.EngineRequest[Any]]


class Gate:
    """Holds whatever thread calls a function for one message, and counts the messages."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        self.begun, self.opened, self.messages = threading.Event(), threading.Event(), 0
        read = getattr(owner, name)

        def gated(*args: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                self.messages += 1
                self.begun.set()
                assert self.opened.wait(60)
            return read(*args)

        monkeypatch.setattr(owner, name, gated)


COMPUTATIONS: dict[Computation, tuple[Any, str, Ask]] = {
    Computation.PLAN: (Reading, "of", lambda name, _: p.PlanOptimize(name, strategy="extractive")),
    Computation.PREVIEW: (TokenCounts, "of", lambda name, _: p.PreviewModel(name, "scripted/scripted")),
    Computation.INSIGHTS: (TokenCounts, "of", lambda name, _: p.ReadInsights(name)),
    Computation.EXPORT: (
        export_files,
        "_article_of",
        lambda name, folder: p.ExportConversation(name, str(folder / "said.html"), "html"),
    ),
}


async def end_of_threads(executor: ThreadPoolExecutor) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
    executor.shutdown()


async def begun(desk: Desk, gate: Gate, request: p.EngineRequest[Any]) -> tuple[asyncio.Task[Any], ThreadPoolExecutor]:
    """Return the request once its thread is at its first message, and the pool of that thread."""
    executor = ThreadPoolExecutor()
    asyncio.get_running_loop().set_default_executor(executor)
    asked = asyncio.ensure_future(desk.ask(request))
    assert await asyncio.to_thread(gate.begun.wait, 60)
    return asked, executor


@pytest.mark.parametrize("what", COMPUTATIONS)
async def test_its_thread_ends_when_it_is_cancelled(long_desk, what: Computation, tmp_path: Path, monkeypatch) -> None:
    desk = await long_desk()
    owner, name, request = COMPUTATIONS[what]
    gate = Gate(monkeypatch, owner, name)
    asked, executor = await begun(desk, gate, request(desk.conversation, tmp_path))
    await desk.ask(p.CancelComputation(what, desk.conversation))
    with pytest.raises(WorldError) as caught:
        await asked
    assert caught.value.failure.kind == "cancelled"
    gate.opened.set()
    await end_of_threads(executor)
    assert gate.messages == 1, "of a hundred"
    assert not list(tmp_path.glob("said*"))


@pytest.mark.parametrize("what", COMPUTATIONS)
async def test_it_ends_when_another_conversation_is_opened_but_for_an_export(
    long_desk, what: Computation, tmp_path: Path, monkeypatch
) -> None:
    desk = await long_desk()
    other = (await desk.engine.conversations.create("Other")).id
    await desk.opened()
    owner, name, request = COMPUTATIONS[what]
    gate = Gate(monkeypatch, owner, name)
    asked, executor = await begun(desk, gate, request(desk.conversation, tmp_path))
    await desk.ask(p.OpenConversation(desk.conversation))
    opening = asyncio.ensure_future(desk.ask(p.OpenConversation(other)))
    if what is Computation.EXPORT:
        await opening
        gate.opened.set()
        assert (await asked).bytes == (tmp_path / "said.html").stat().st_size
        assert gate.messages > 100
    else:
        with pytest.raises(WorldError) as caught:
            await asked
        assert caught.value.failure.kind == "cancelled"
        gate.opened.set()
        await opening
    await end_of_threads(executor)


async def test_of_many_plans_asked_for_at_once_the_newest_is_made(long_desk) -> None:
    desk = await long_desk()
    asked = [asyncio.ensure_future(desk.ask(p.PlanOptimize(desk.conversation, 500 + n))) for n in range(6)]
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(result, p.Plan) for result in results] == [False] * 5 + [True]
    assert {result.failure.kind for result in results[:-1]} == {"cancelled"}
