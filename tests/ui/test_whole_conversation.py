"""The scroll bar stands for the whole conversation, of which only some pages are in the window."""

from __future__ import annotations

import tracemalloc
from time import process_time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from transcript_rows import row

from desktop_app.conversation.events import MessageRecorded, MessageRow
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.live_turns import RESTING
from desktop_app.ui.transcript.conversation_controller import OlderMessages
from desktop_app.ui.transcript.transcript_items import MAX_OLDER, PAGE, GapItem
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from slowness import slowness

TOTAL = 10_000


def page(before: int) -> list[MessageRow]:
    """As the engine gives it."""
    return [
        row(n, Role.ASSISTANT if n % 2 else Role.USER, Text(f"message {n}\n\n" + "and **more** of it " * (n % 40)))
        for n in range(max(before - PAGE, 0), before)
    ]


class Reader:
    """Gives the view the pages that it asks for, one at a time, a little later."""

    def __init__(self, view: TranscriptWidget) -> None:
        self.view, self.wanted, self.reads = view, None, 0
        view.page_requested.connect(lambda before, around: setattr(self, "wanted", self.wanted or (before, around)))

    def settle(self) -> float:
        """Until nothing is asked for; the longest time that the window was held, in seconds of this process."""
        longest = 0.0
        for _ in range(400):
            began = process_time()
            if self.wanted is not None:
                (before, around), self.wanted = self.wanted, None
                self.reads += 1
                self.view.transcript.add_page(page(before), around)
            QApplication.processEvents()
            longest = max(longest, process_time() - began)
            if self.wanted is None and self.view.is_settled:
                return longest
        raise AssertionError("it asks for pages without an end")


@pytest.fixture
def reader(view) -> Reader:
    made = Reader(view)
    view.transcript.open(page(TOTAL), ())
    made.settle()
    return made


def seen(view: TranscriptWidget) -> list[int]:
    """The places of the messages that are seen."""
    items = [view.transcript.item(n) for n in view.rows_in_sight()]
    return [-1 if isinstance(item, GapItem) else item.row.index for item in items]


def test_home_goes_to_the_very_first_message_and_end_to_the_last(view, reader, qtbot):
    qtbot.keyClick(view, Qt.Key.Key_Home)
    reader.settle()
    assert seen(view)[0] == 0
    assert view.verticalScrollBar().value() == 0
    assert reader.reads < 6
    qtbot.keyClick(view, Qt.Key.Key_End)
    reader.settle()
    assert seen(view)[-1] == TOTAL - 1
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


@pytest.mark.parametrize("share", [0.0, 0.33, 0.9])
def test_the_scroll_bar_goes_to_any_place(view, reader, share):
    bar = view.verticalScrollBar()
    bar.setValue(round(bar.maximum() * share))
    reader.settle()
    shown = seen(view)
    assert -1 not in shown
    assert shown == list(range(shown[0], shown[-1] + 1))
    assert abs(shown[0] - TOTAL * share) < TOTAL * 0.05 + PAGE
    assert abs(bar.value() / bar.maximum() - share) < 0.05


@pytest.mark.slow
def test_ten_thousand_messages_are_scrolled_through_in_bounded_memory_and_time(view, reader):
    bar, longest = view.verticalScrollBar(), 0.0
    tracemalloc.start()
    for step in range(60):
        bar.setValue(round(bar.maximum() * (1 - step / 60)))
        longest = max(longest, reader.settle())
        assert -1 not in seen(view)
        assert len(view.transcript.rows) <= MAX_OLDER + 2 * PAGE
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60_000_000
    assert longest < 0.05 * 4 * slowness()  # four times: memory is traced


@pytest.mark.wire
def test_reading_upwards_page_by_page_keeps_the_place(view, reader):
    bar = view.verticalScrollBar()
    for _ in range(150):
        before = seen(view)
        bar.setValue(bar.value() - 400)
        reader.settle()
        after = seen(view)
        assert after[0] <= before[0]
        assert before[0] - after[0] < 20
        assert -1 not in after


@pytest.mark.long
def test_what_grows_beyond_the_bound_is_let_go_of_only_while_the_end_is_read(view, reader):
    past = OlderMessages(None, view, lambda: "c")  # type: ignore[arg-type]

    def grow(count: int) -> None:
        for index in range(view.transcript.rows[-1].index + 1, view.transcript.rows[-1].index + 1 + count):
            view.transcript.apply(MessageRecorded("c", row(index, Role.USER, Text(f"message {index}"))), RESTING)
            past.forget()
        reader.settle()

    for before in range(TOTAL - PAGE, TOTAL - MAX_OLDER - PAGE, -PAGE):
        view.transcript.add_page(page(before), before)
    grow(3 * PAGE)
    assert len(view.transcript.rows) <= MAX_OLDER + PAGE
    assert seen(view)[-1] == TOTAL - 1 + 3 * PAGE
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 2_000)
    reader.settle()
    before = seen(view)
    grow(5 * PAGE)
    assert len(view.transcript.rows) > MAX_OLDER + PAGE
    assert seen(view) == before
    view.follow_end()
    grow(1)
    assert len(view.transcript.rows) <= MAX_OLDER + PAGE
    assert seen(view)[-1] == view.transcript.rows[-1].index
