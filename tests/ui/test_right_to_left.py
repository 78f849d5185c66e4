"""The window turned around, as languages that are read from right to left have it; texts keep their own direction."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from transcript_rows import call, chat, compaction, result, row
from ui_scenes import click, point_of

from desktop_app.conversation.gauge import Gauge, PartKind, Segment, SentPart, SentRequest, Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.context_panel.panel_breakdown import BreakdownTable, TableLine
from desktop_app.ui.insights.chart import ChartPoint, WindowChart
from desktop_app.ui.policy.policy_words import text_in_field, value_words
from desktop_app.ui.request_view.part_list import PartList
from desktop_app.ui.request_view.part_rows import PartAction, rows_of
from desktop_app.ui.settings.entries import Percent
from desktop_app.ui.sidebar.arrangement import details_of
from desktop_app.ui.theme import theme
from desktop_app.ui.transcript.row_layout import RowCache
from desktop_app.ui.transcript.row_painter import Action, Flow, RowLayout, TextLine
from desktop_app.ui.transcript.transcript_items import items_of
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.widgets.inputs import Slider
from desktop_app.ui.widgets.layouts import set_margins, vertical
from desktop_app.ui.widgets.number_formats import format_percent
from desktop_app.ui.widgets.row_list import CheckList, CheckRow
from desktop_app.ui.widgets.text_label import TextLabel

WIDTH = 700
LEFT, RIGHT = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft
MIXED = "שלום, זה הקוד:\n\n```python\nprint(1)\n```\n\nPython היא שפה"


@pytest.fixture(autouse=True)
def direction_is_restored(qapp: QApplication) -> Iterator[None]:
    yield
    qapp.setLayoutDirection(LEFT)


@pytest.fixture
def turned(qapp: QApplication) -> None:
    qapp.setLayoutDirection(RIGHT)


def rows() -> list[RowLayout]:
    """Rows of all kinds that have boxes, laid out anew."""
    cache = RowCache()
    shown = [*chat(2), row(2, Role.ASSISTANT, Text(MIXED)), call(3, "read"), result(4, "read", is_error=True)]
    return [cache.make(item, WIDTH) for item in items_of(shown, (compaction(1, 1),))]


def spans(layout: RowLayout) -> list[tuple[float, float]]:
    """From where to where each thing of the row goes."""
    boxes = [drawn.box for drawn in layout.drawn if isinstance(drawn, TextLine | Flow)]
    boxes += [region.box for region in layout.hit_regions]
    return [(box.left(), box.right()) for box in boxes]


def test_a_row_is_turned_around(qapp: QApplication) -> None:
    before = [spans(layout) for layout in rows()]
    qapp.setLayoutDirection(RIGHT)
    after = [spans(layout) for layout in rows()]
    for one, other in zip(before, after, strict=True):
        assert other == [(pytest.approx(WIDTH - right), pytest.approx(WIDTH - left)) for left, right in one]


@pytest.mark.parametrize("direction", [LEFT, RIGHT])
def test_a_text_has_its_own_direction_and_code_goes_from_left_to_right(qapp: QApplication, direction) -> None:
    qapp.setLayoutDirection(direction)
    cache = RowCache()
    hebrew, english = (row(n, Role.ASSISTANT, Text(text)) for n, text in enumerate((MIXED, "Say שלום.\n\n`x`")))
    flows = [flow for item in items_of((hebrew, english), ()) for flow in cache.make(item, WIDTH).flows]
    found = [(flow.is_code, flow.document.firstBlock().textDirection()) for flow in flows]
    assert found == [(False, RIGHT), (True, LEFT), (False, RIGHT), (False, LEFT)]


@pytest.mark.row("U6", "right to left")
def test_a_click_finds_what_was_turned_around(turned, view: TranscriptWidget, qtbot) -> None:
    view.transcript.open(chat(2), ())
    assert point_of(view, "m0", Action.COPY).x() < view.viewport().width() / 2
    with qtbot.waitSignal(view.copied):
        click(view, qtbot, "m0", Action.COPY)


@pytest.mark.parametrize(("key", "expected"), [(Qt.Key.Key_Right, ["a1"]), (Qt.Key.Key_Left, ["n1"])])
def test_alt_and_an_arrow_follow_the_chevrons(turned, view: TranscriptWidget, qtbot, key, expected) -> None:
    shown = chat(2)
    shown[1] = replace(shown[1], versions=("a1", "m1", "n1"))
    view.transcript.open(shown, ())
    earlier, later = (point_of(view, "m1", action).x() for action in (Action.EARLIER, Action.LATER))
    assert earlier > later
    asked: list[str] = []
    view.action_requested.connect(lambda action, argument: asked.append(argument))
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, key, Qt.KeyboardModifier.AltModifier)
    assert asked == expected


def test_the_gauge_fills_from_the_right(turned, qtbot) -> None:
    gauge = ContextGauge()
    qtbot.addWidget(gauge)
    gauge.resize(720, 90)
    gauge.set_gauge(Gauge({Segment.USER: 2_000}, 2_000, 8_000, 1_000, Status.SAFE))
    gauge.show()
    qtbot.waitExposed(gauge)
    bar = gauge.bar
    image, middle = bar.grab().toImage(), bar.height() // 4
    assert image.pixelColor(bar.width() - 60, middle).name() == theme.palette[Segment.USER].lower()
    assert image.pixelColor(200, middle).name() == theme.palette["free"].lower()
    used = next(part.hint for part in bar.parts if part.amount)
    assert bar.hint_at(bar.width() - 60) == used
    assert bar.hint_at(200) != used


def test_a_table_begins_at_the_right(turned, qtbot) -> None:
    table = BreakdownTable()
    qtbot.addWidget(table)
    table.set_lines([TableLine("", 2_000, None, Segment.USER)])
    table.resize(300, table.sizeHint().height())
    image = table.grab().toImage()
    coloured = [
        x for x in range(300) if image.pixelColor(x, image.height() // 2).name() == theme.palette[Segment.USER].lower()
    ]
    assert coloured
    assert min(coloured) > 150


def test_a_slider_goes_where_it_is_clicked(turned, qtbot) -> None:
    slider = Slider()
    qtbot.addWidget(slider)
    slider.resize(200, 24)
    slider.set_range(0, 100)
    slider.show()
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(199, 12))
    assert slider.value() == 0
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(1, 12))
    assert slider.value() == 100


def test_margins_are_those_of_the_sides_where_reading_begins_and_ends(turned) -> None:
    column = vertical(margins=(1, 2, 3, 4))
    assert column.getContentsMargins() == (3, 2, 1, 4)
    set_margins(column, 24, 0, 8, 0)
    assert column.getContentsMargins() == (8, 0, 24, 0)


def test_a_box_to_tick_stands_before_its_name(turned, qtbot) -> None:
    shown = CheckList(7)
    qtbot.addWidget(shown)
    shown.resize(300, 80)
    shown.show_rows([CheckRow("a", "a", is_checked=True)])
    image, y = shown.viewport().grab().toImage(), shown.visualRect(shown.rows.index(0)).center().y()
    accent = theme.palette["accent"].lower()
    ticked = [x for x in range(image.width()) if image.pixelColor(x, y - 4).name() == accent]
    assert ticked
    assert min(ticked) > 200


@pytest.mark.parametrize("direction", [LEFT, RIGHT])
def test_a_label_that_is_too_long_shows_its_beginning(qapp: QApplication, qtbot, direction) -> None:
    qapp.setLayoutDirection(direction)
    pictures = []
    for text in ("אבגדהוזחטיכלמנסעפצקרשת" + end for end in ("m" * 9, "ל" * 99)):
        label = TextLabel(text)
        qtbot.addWidget(label)
        label.resize(120, 24)
        pictures.append(label.grab().toImage())
    assert pictures[0] == pictures[1]


def lefts(text: str, *marks: str) -> list[float]:
    """Where these are seen, within a text on a line that is read from right to left."""
    layout = QTextLayout(f"שלום {text} שלום")
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [layout.glyphRuns(layout.text().index(mark), 1)[0].boundingRect().left() for mark in marks]


def test_a_number_and_its_sign_keep_their_order(qapp: QApplication) -> None:
    assert format_percent(0.02) == "2 %"
    qapp.setLayoutDirection(RIGHT)
    number, sign = lefts("2 %", "2", "%")
    assert number > sign, "as it would be"
    entry = Percent("font_scale", "גודל", 0.02, (1, 200, 1))
    size = entry.label.text().partition(": ")[2]
    for text in (format_percent(0.02), value_words(0.02, "share"), size):
        kept = lefts(text, "2", "%")
        assert kept == sorted(kept)
    assert text_in_field("compact_at", 0.02) == "2 %", "the same as it is read"


def test_what_a_compaction_freed_keeps_its_order(turned) -> None:
    (mark,) = (RowCache().make(item, WIDTH) for item in items_of(chat(2), (compaction(1, 1),))[-1:])
    (figures,) = (drawn.text for drawn in mark.drawn if isinstance(drawn, TextLine) and "→" in drawn.text)
    seen = lefts(figures, "6", "→", "4,")
    assert seen == sorted(seen)


def test_the_age_of_a_conversation_keeps_its_order(turned) -> None:
    """Else it reads "h · 12 messages 2"."""
    details = details_of(ConversationInfo("a", "Tides", 0.0, 90_000.0, 12), now=90_000.0 + 2 * 3_600)
    layout, option = QTextLayout(details), QTextOption()
    option.setTextDirection(RIGHT)
    layout.setTextOption(option)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    places = [
        layout.glyphRuns(details.index(words), 1)[0].boundingRect().left() for words in ("12", "mess", "2 h", "h")
    ]
    assert places == sorted(places), "from right to left: the age, then the messages"


def test_the_parts_of_a_request_are_turned_around(turned, qtbot) -> None:
    shown = PartList()
    qtbot.addWidget(shown)
    shown.resize(700, 300)
    part = SentPart(PartKind.MESSAGE, "user", "", "Print it.", 9, 12, Segment.USER, message_id="m1")
    gauge = Gauge({Segment.USER: 12}, 12, 8_000, 1_000, Status.SAFE)
    shown.parts.set_rows(rows_of(SentRequest(gauge, (part,))))
    shown.show()
    qtbot.waitExposed(shown)
    shown.choose(0)
    box = shown.link_box(0, PartAction.SHOW_IN_CHAT)
    assert 0 < box.center().x() < 350
    with qtbot.waitSignal(shown.action_requested):
        qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    image, row = shown.viewport().grab().toImage(), shown.visualRect(shown.parts.index(0))
    coloured = [
        (x, y)
        for x in range(row.width())
        for y in range(row.top(), row.bottom())
        if image.pixelColor(x, y).name() == theme.palette[Segment.USER].lower()
    ]
    assert coloured
    assert min(x for x, _ in coloured) > 600


def test_the_chart_goes_from_the_right(turned, qtbot) -> None:
    chart = WindowChart()
    qtbot.addWidget(chart)
    chart.resize(500, 200)
    chart.points = [ChartPoint(float(n), n, n) for n in range(1, 4)]
    assert chart.positions[0].x() > chart.positions[2].x()
    told: list[str] = []
    chart.pointed.connect(told.append)
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert len(set(told)) == 2, "the next one is at the left"
