"""While a reply streams only what has changed is laid out and painted; the screen shows what a whole paint would."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication
from transcript_rows import row
from ui_scenes import settle

from desktop_app.conversation.events import ReplyStarted, TextDelta, TurnStarted
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.live_turns import LiveTurn, turn_after
from desktop_app.ui.transcript import text_flow
from examples import examples

PARTS = (
    "## A heading\n\n",
    "A paragraph with **bold** words and `code`, so long that it takes more than one line of the column. " * 2 + "\n\n",
    "- one\n- two\n  1. inner\n\n",
    "- gypsy (jumping)\n- Épopée, Ångström\n- query\n\n",
    "1. first\n2. second\n\n",
    "- [ ] open\n- [x] done\n\n",
    "> quoted\n> more\n\nNot quoted.\n\n",
    "```python\nx = 1\n\n\ndef f():\n    return x\n```\n\n",
    "| a | b |\n|---|--:|\n| 1 | 2 |\n| long words | 4 |\n\n",
    "Title\n===\n\n",
    "---\n\n",
    "| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 | a wide cell of a table |\n\n",
)


class Stream:
    """A reply that streams into the view."""

    def __init__(self, view, qtbot) -> None:
        self.view, self.qtbot, self.text = view, qtbot, ""
        view.transcript.open([row(0, Role.USER, Text("Go"))], (), LiveTurn())
        self.turn = LiveTurn()
        for event in (TurnStarted("c"), ReplyStarted("c", "r", "m", "")):
            self._apply(event)
        settle(view, qtbot)
        view.show()
        qtbot.waitExposed(view)

    def _apply(self, event) -> None:
        self.turn = turn_after(self.turn, event)
        self.view.transcript.apply(event, self.turn)

    def grow(self, text: str) -> None:
        self.text += text
        self._apply(TextDelta("c", "r", text))
        settle(self.view, self.qtbot)
        QApplication.processEvents()


def on_screen(view) -> QImage:
    """What the window has painted so far."""
    page = view.screen().grabWindow(view.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)
    return page.copy(view.viewport().geometry())


def painted_again(view) -> QImage:
    view.viewport().update()
    QApplication.processEvents()
    return on_screen(view)


@pytest.mark.parametrize("is_dark", [False, True])
def test_the_screen_shows_what_a_whole_paint_would(view, qtbot, is_dark) -> None:
    @settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
    @given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=12), st.integers(5, 60))
    def each(parts: list[str], size: int) -> None:
        stream, text = Stream(view, qtbot), "".join(parts)
        for start in range(0, len(text), size):
            stream.grow(text[start : start + size])
        assert on_screen(view) == painted_again(view)

    each()


def test_a_reader_further_up_sees_the_same_after_a_delta(view, qtbot) -> None:
    stream = Stream(view, qtbot)
    stream.grow("".join(PARTS) * 6)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    settle(view, qtbot)
    top = view.verticalScrollBar().value()
    stream.grow("And more. " * 40)
    assert view.verticalScrollBar().value() == top
    assert on_screen(view) == painted_again(view)


class Paints(QObject):
    """Notes the height of what is painted."""

    def __init__(self, widget) -> None:
        super().__init__(widget)
        self.heights: list[int] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.heights.append(event.rect().height())
        return False


def test_only_the_end_is_painted_again(view, qtbot) -> None:
    stream = Stream(view, qtbot)
    stream.grow("".join(PARTS) * 4 + "A last paragraph")
    qtbot.waitUntil(lambda: view._highlighter.is_idle)
    QApplication.processEvents()
    paints = Paints(view.viewport())
    for _ in range(3):
        stream.grow(" goes on")
    assert paints.heights
    assert max(paints.heights) < view.viewport().height() / 2


def test_finished_blocks_are_laid_out_once(view, qtbot, monkeypatch) -> None:
    stream = Stream(view, qtbot)
    stream.grow("".join(PARTS) * 6)
    made: list[str] = []
    make = text_flow._document

    def note(builder, segments, documents, number, *more):
        made.append(segments[number].text)
        return make(builder, segments, documents, number, *more)

    monkeypatch.setattr(text_flow, "_document", note)
    stream.grow("Something new. ")
    assert 0 < len(made) <= 4
