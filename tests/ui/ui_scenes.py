"""What tests of the window share."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import TurnEvent, TurnFinished
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.live_turns import turn_after
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.transcript.row_painter import Action, Found, RowLayout, TextLine
from desktop_app.ui.transcript.selecting_view import RowSearch
from desktop_app.ui.transcript.transcript_items import MessageItem
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.sheet import Sheet

S = TypeVar("S", bound=Sheet)
W = TypeVar("W", bound=QWidget)
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


async def opened_sheet(window: MainWindow, kind: type[S]) -> S:
    """Return the sheet of that kind, once it is open."""
    await until(lambda: any(sheet.is_complete for sheet in window.findChildren(kind)))
    return next(sheet for sheet in window.findChildren(kind) if sheet.is_complete)


def show_widget(widget: W, qtbot: Any, width: int, height: int, is_active: bool = False) -> W:
    """Show a widget of that size, which ends with the test, and return it once it is on the screen."""
    widget.resize(width, height)
    qtbot.addWidget(widget)
    widget.show()
    if is_active:
        widget.activateWindow()
        qtbot.waitActive(widget)
    else:
        qtbot.waitExposed(widget)
    return widget


def play_scene(*, fixture: str = "play", **options: object) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Play a coroutine test in an open window. It gets the window, the bridge, and fixtures by their names.

    fixture: "play" or "play_with_process". options: of the engine's folder.
    """

    def decorate(scene: Callable[..., Any]) -> Callable[..., None]:
        def play(request: pytest.FixtureRequest, **fixtures: object) -> None:
            request.getfixturevalue(fixture)(lambda *parts: scene(*parts, **fixtures), **options)

        return _as_test(play, scene, list(inspect.signature(scene).parameters)[2:])

    return decorate


def run_in_loop(scene: Callable[..., Any]) -> Callable[..., None]:
    """Run a coroutine test in the window's kind of event loop. It gets fixtures by their names."""

    def run(request: pytest.FixtureRequest, **fixtures: object) -> None:
        request.getfixturevalue("run")(scene(**fixtures))

    return _as_test(run, scene, list(inspect.signature(scene).parameters))


def _as_test(test: Any, scene: Callable[..., Any], fixtures: list[str]) -> Callable[..., None]:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    test.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in ("request", *fixtures)])
    test.__name__, test.__doc__ = scene.__name__, scene.__doc__
    return test


def press(button: QWidget) -> None:
    """Click on a button once it is laid out. Other events wait: a coroutine's own step may not be entered again."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def link(card: QWidget, name: str) -> LinkButton:
    """Return a card's link by its text."""
    return next(button for button in card.findChildren(LinkButton) if button.text() == name)


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
    model = window.ui.transcript_model
    items = [model.item(n) for n in range(model.rowCount())]
    return [i.row.message.text if isinstance(i, MessageItem) else type(i).__name__ for i in items]


def is_idle(window: MainWindow) -> bool:
    return not window.ui.transcript_model.is_running


async def send(window: MainWindow, bridge: Bridge, text: str) -> None:
    """Writes and sends, and waits until the turn is over."""
    finished = signalled(bridge.happened, lambda event: isinstance(event, TurnFinished))
    window.ui.composer.set_text(text)
    window.chat.send(text)
    await finished
    await until(lambda: not window.ui.composer.text())


async def optimize(window: MainWindow) -> None:
    """Make room as the plan says that is proposed."""
    window.ui.gauge.optimize.click()
    dialog = await opened_sheet(window, PlanDialog)
    await until(dialog.apply.isEnabled)
    press(dialog.apply)
    await until(lambda: window.ui.transcript_model.operations and not window.findChildren(PlanDialog))


def tell(model: TranscriptModel, *events: TurnEvent, now: float = 0.0) -> None:
    """Fold the events of the conversation that is open, as the controller does."""
    for event in events:
        model.apply(event, turn_after(model.turn, event, now))


def keys(model: TranscriptModel) -> list[str]:
    return [model.item(n).key for n in range(model.rowCount())]


def top_of_text(layout: RowLayout, found: Found) -> float | None:
    """Where a text, or most of some words together, are in a row, in pixels from its top."""
    search = RowSearch(layout, found)
    search.go_on(deadline=float("inf"))
    return search.top


def settle(view: TranscriptWidget, qtbot) -> None:
    """Waits until all that is seen is laid out: on a busy machine that takes several passes."""
    qtbot.waitUntil(lambda: view.is_settled)


def at_end(view: TranscriptWidget) -> bool:
    bar = view.verticalScrollBar()
    return bar.maximum() > 0 and bar.value() == bar.maximum()


def top_of(view: TranscriptWidget, key: str) -> int:
    return view.visualRect(view.transcript.index(view.transcript.row_of(key))).top()


def actions(view: TranscriptWidget, key: str) -> list[Action]:
    return [hot.action for hot in view.layout_of(view.transcript.row_of(key)).hit_regions]


def words(view: TranscriptWidget, key: str) -> list[str]:
    """All text of the row, line by line."""
    layout = view.layout_of(view.transcript.row_of(key))
    lines = [drawn.text for drawn in layout.drawn if isinstance(drawn, TextLine)]
    lines += [hot.words.text for hot in layout.hit_regions if hot.words is not None]
    return lines + [flow.document.toPlainText() for flow in layout.flows]


def point_of(view: TranscriptWidget, key: str, action: Action) -> QPoint:
    number = view.transcript.row_of(key)
    hot = next(hot for hot in view.layout_of(number).hit_regions if hot.action is action)
    return (view.origin(number) + hot.box.center()).toPoint()


def click(view: TranscriptWidget, qtbot, key: str, action: Action) -> None:
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point_of(view, key, action))
