"""What is painted beside the blocks of a message: the boxes of tasks, and the bars of quotes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QTextTable
from transcript_rows import row
from ui_scenes import settle

from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.widgets.look import colour, font

BESIDE = 24  # pixels in which the sign of a block is, before its text


def show(view, qtbot, text: str, state: MessageState = MessageState.IN_VIEW) -> QImage:
    view.transcript.open([row(0, Role.ASSISTANT, Text(text), state=state)], ())
    settle(view, qtbot)
    return view.viewport().grab().toImage()


def texts(view) -> list[QRectF]:
    """Where the first lines of the blocks of the last document are seen."""
    flow, boxes = view.layout_of(0).flows[-1], []
    block = flow.document.begin()
    while block.isValid():
        line = block.layout().lineAt(0).naturalTextRect().translated(block.layout().position())
        boxes.append(line.translated(view.origin(0) + flow.top_left))
        block = block.next()
    return boxes


def beside(image: QImage, text: QRectF, is_after: bool = False) -> list[QColor]:
    """The colours on the side of a text where it begins."""
    x = round(text.right() if is_after else text.left() - BESIDE)
    rows = range(round(text.top()), round(text.bottom()))
    return [image.pixelColor(column, y) for y in rows for column in range(x, x + BESIDE)]


def near(colours: list[QColor], wanted: QColor) -> int:
    """How many are almost that colour."""
    channels = (QColor.red, QColor.green, QColor.blue)
    return sum(all(abs(of(one) - of(wanted)) < 8 for of in channels) for one in colours)


@pytest.mark.parametrize("words", ["same", "אותו"])
def test_a_task_that_is_done_has_a_tick_and_one_that_is_open_an_empty_box(view, qtbot, words):
    image = show(view, qtbot, f"```\nx = 1\n```\n\n- [x] {words}\n- [ ] {words}")
    done, still_open = (beside(image, text, is_after=words != "same") for text in texts(view))
    assert near(done, colour("accent")) > 40
    assert near(done, colour("accent_ink")) > 3
    assert near(still_open, colour("accent")) == 0
    assert near(still_open, colour("ink_faint")) > 6
    assert near(still_open, colour("ink")) == 0


def test_nothing_is_crossed_out_behind_the_tick_of_a_message_that_is_faded(view, qtbot):
    image = show(view, qtbot, "- [x] done", MessageState.ARCHIVED)
    faded = beside(image, texts(view)[0])
    accent, paper = colour("accent").lightness(), colour("paper").lightness()
    assert near(faded, colour("paper")) > 40
    assert accent + 20 < min(one.lightness() for one in faded) < paper - 20


def test_a_mark_that_the_parser_leaves_behind_a_list_is_none(view, qtbot):
    image = show(view, qtbot, "- [x] done\n\nthat is all")
    done, after = texts(view)
    assert near(beside(image, done), colour("accent")) > 0
    assert near(beside(image, after), colour("accent")) == 0


def test_a_quote_has_a_bar_and_one_within_it_two(view, qtbot):
    image = show(view, qtbot, "Before\n\n> outer\n>\n> > inner\n\nafter")
    before, outer, inner, after = (near(beside(image, text), colour("line")) for text in texts(view))
    assert (before, after) == (0, 0)
    assert outer > 10
    assert inner > 10
    lefts = [text.left() for text in texts(view)]
    assert lefts[0] < lefts[1] < lefts[2]


def test_a_quote_that_is_read_from_the_right_has_its_bar_there(view, qtbot):
    image = show(view, qtbot, "> ציטוט")
    (text,) = texts(view)
    assert near(beside(image, text, is_after=True), colour("line")) > 10
    assert near(beside(image, text), colour("line")) == 0


@pytest.mark.parametrize("words", ["same", "אותו"])
def test_the_dot_of_a_list_stands_at_half_the_height_of_small_letters_and_apart(view, qtbot, words):
    image = show(view, qtbot, f"- {words}\n- {words}")
    text = texts(view)[0]
    is_after = words != "same"
    left = round(text.right() if is_after else text.left() - BESIDE)
    inked = [
        (x - left, y)
        for y in range(round(text.top()), round(text.bottom()))
        for x in range(left, left + BESIDE)
        if near([image.pixelColor(x, y)], colour("ink"))
    ]
    apart = min(x for x, _ in inked) if is_after else BESIDE - 1 - max(x for x, _ in inked)
    assert apart >= 6
    line = view.layout_of(0).flows[-1].document.begin().layout().lineAt(0)
    baseline = text.top() + line.ascent() - (line.naturalTextRect().top() - line.y())
    middle = sum(y for _, y in inked) / len(inked) + 0.5
    assert middle == pytest.approx(baseline - QFontMetricsF(font()).xHeight() / 2, abs=1.0)


def test_a_table_in_a_text_that_is_read_from_the_right_stands_at_the_right(view, qtbot):
    show(view, qtbot, "שלום עולם\n\n| א | ב |\n|---|---|\n| ג | ד |")
    flow = view.layout_of(0).flows[-1]
    (table,) = [frame for frame in flow.document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
    box = flow.document.documentLayout().frameBoundingRect(table)
    assert flow.document.textWidth() - box.right() < box.width(), "nothing but a margin is beside it"
