"""What tests of the window share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from desktop_app.conversation.events import TurnEvent, TurnFinished
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.live_turns import turn_after
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.transcript.items import MessageItem
from desktop_app.ui.transcript.transcript_model import TranscriptModel

Scene = Callable[[MainWindow, Bridge], Coroutine[Any, Any, None]]
"""What a test does in an open window whose engine is up."""

PATIENCE = 75
"""Seconds until a wait has failed: an engine starts in 2, and in 40 where ten others want the processor."""

Run = Callable[[Coroutine[Any, Any, None]], None]
"""Runs a coroutine to its end in the window's kind of event loop."""


def signalled(signal: Any, until: Callable[..., bool] = lambda *_: True) -> asyncio.Task[Any]:
    """Waits, from now on, for a signal whose arguments satisfy `until`; gives its first argument."""
    arrived: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def note(*arguments: object) -> None:
        if not arrived.done() and until(*arguments):
            arrived.set_result(arguments[0] if arguments else None)

    signal.connect(note)

    async def wait() -> Any:
        try:
            return await asyncio.wait_for(arrived, PATIENCE)
        finally:
            signal.disconnect(note)

    return asyncio.ensure_future(wait())


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():
            await asyncio.sleep(0.005)


async def in_window(
    window: MainWindow, bridge: Bridge, scene: Callable[[], Awaitable[None]], is_open: Callable[[], object]
) -> None:
    """Shows the window, plays the scene once it is open, closes in order, also when the scene fails: what an engine
    that was left says would reach the next test. A bug in the window fails the test."""
    bugs: list[str] = []
    bridge.crashed.connect(bugs.append)
    window.painted.connect(bridge.start_engine)
    window.show()
    try:
        await until(is_open)
        await scene()
    finally:
        window.close()
        await bridge.close()
    assert bugs == []


def texts(window: MainWindow) -> list[str]:
    """What the messages say, and what other rows are."""
    model = window.transcript_model
    items = [model.item(n) for n in range(model.rowCount())]
    return [i.row.message.text if isinstance(i, MessageItem) else type(i).__name__ for i in items]


def is_idle(window: MainWindow) -> bool:
    return not window.transcript_model.is_running


async def send(window: MainWindow, bridge: Bridge, text: str) -> None:
    """Writes and sends, and waits until the turn is over."""
    finished = signalled(bridge.happened, lambda event: isinstance(event, TurnFinished))
    window.composer.set_text(text)
    window.chat.send(text)
    await finished
    await until(lambda: not window.composer.text())


def tell(model: TranscriptModel, *events: TurnEvent, now: float = 0.0) -> None:
    """Fold the events of the conversation that is open, as the controller does."""
    for event in events:
        model.apply(event, turn_after(model.turn, event, now))


def keys(model: TranscriptModel) -> list[str]:
    return [model.item(n).key for n in range(model.rowCount())]
