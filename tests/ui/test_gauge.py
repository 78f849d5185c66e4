"""The context gauge: what is painted and said is what it was given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from ui_scenes import show_widget

from desktop_app.conversation.gauge import Gauge, Provenance, Segment, Status
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.theme import DARK, LIGHT, theme
from desktop_app.ui.translation import use_language
from desktop_app.ui.widgets.bars import MIN_PART_WIDTH, bar_widths
from texts import RESERVED

SEGMENTS = {Segment.SYSTEM: 25, Segment.SUMMARY: 612, Segment.PINNED: 31, Segment.USER: 842, Segment.ASSISTANT: 2_800}
GAUGE = Gauge(SEGMENTS, 4_310, 8_192, 1_638, Status.SAFE, tokenizer="smollm2")


@pytest.fixture
def gauge(qtbot):
    made = show_widget(ContextGauge(), qtbot, 720, 90)
    yield made
    theme.show(is_dark=False)


def settle(gauge: ContextGauge, qtbot) -> None:
    qtbot.waitUntil(lambda: gauge.bar.shown == [part.amount for part in gauge.bar.parts])


@given(
    st.lists(st.one_of(st.just(0.0), st.floats(0.5, 1e6)), max_size=13),
    st.floats(1, 1e6),
    st.floats(60, 2_000),
)
def test_widths_fill_no_more_than_the_bar_and_show_what_is_there(amounts, whole, pixels):
    widths = bar_widths(amounts, whole, pixels)
    assert sum(widths) <= pixels * 1.000001
    for amount, width in zip(amounts, widths, strict=True):
        assert (width == 0) == (amount == 0)
        assert width == 0 or width >= MIN_PART_WIDTH * 0.999999


def test_the_end_of_the_bar_is_true_where_there_is_room():
    widths = bar_widths([1, 1, 5_000, 10], 10_000, 700)
    assert sum(widths) == pytest.approx(5_012 / 10_000 * 700)
    assert widths[0] == widths[1] == MIN_PART_WIDTH


def test_numbers_status_and_basis_are_said(gauge):
    gauge.set_gauge(GAUGE)
    assert gauge.numbers.text() == f"4,310 of {GAUGE.usable:,} tokens"
    assert gauge.share.text() == "66 % · estimated"
    assert gauge.word.text() == "Plenty of room"
    assert f"4,310 of {GAUGE.window - GAUGE.reserve:,} tokens" in gauge.accessibleName()
    assert "plenty of room" in gauge.accessibleName()
    assert "Summary: 612 tokens" in gauge.accessibleDescription()
    gauge.set_gauge(replace(GAUGE, provenance=Provenance.MEASURED))
    assert gauge.share.text().endswith("measured")


def test_the_draft_counts_and_can_change_the_status(gauge):
    gauge.set_gauge(GAUGE)
    gauge.set_draft_tokens(700)
    assert gauge.numbers.text() == f"5,010 of {GAUGE.usable:,} tokens"
    assert gauge.word.text() == "Filling up"
    gauge.set_draft_tokens(0)
    assert gauge.word.text() == "Plenty of room"


def test_the_status_keeps_the_capitals_of_german(gauge, qapp, language_is_restored):
    use_language(qapp, "de")
    gauge.set_gauge(GAUGE)
    assert gauge.word.text() == "Viel Platz"


def test_none_is_being_counted(gauge):
    gauge.set_gauge(GAUGE)
    gauge.set_gauge(None)
    assert gauge.share.text() == "Counting…"
    assert not gauge.numbers.isVisible()
    assert not gauge.optimize.isEnabled()


def test_clicks_and_keys_ask(gauge, qtbot):
    gauge.set_gauge(GAUGE)
    with qtbot.waitSignal(gauge.bar.breakdown_requested):
        qtbot.mouseClick(gauge.bar, Qt.MouseButton.LeftButton, pos=QPoint(50, 8))
    with qtbot.waitSignal(gauge.bar.breakdown_requested):
        qtbot.keyClick(gauge.bar, Qt.Key.Key_Return)
    with qtbot.waitSignal(gauge.optimize_requested):
        qtbot.mouseClick(gauge.optimize, Qt.MouseButton.LeftButton)


@pytest.mark.row("W1", "what is under the mouse has its name")
def test_tooltips_name_what_is_under_the_mouse(gauge, qtbot):
    gauge.set_gauge(GAUGE)
    gauge.set_draft_tokens(100)
    settle(gauge, qtbot)
    width = gauge.bar.width()
    assert gauge.bar.hint_at(1).startswith("System prompt: 25 tokens")
    assert gauge.bar.hint_at(width * 0.15).startswith("You: 842 tokens")
    assert gauge.bar.hint_at(width * 1_560 / 8_192).startswith("Your draft: 100 tokens")
    assert gauge.bar.hint_at(width * 0.4).startswith("Assistant: 2,800 tokens")
    assert gauge.bar.hint_at(width * 0.7).startswith("Free: 2,144 tokens")
    assert gauge.bar.hint_at(width * 0.95).startswith(RESERVED.format(tokens=1_638))


def test_a_mark_says_what_happens_there_and_leads_to_where_it_is_set(gauge, qtbot):
    gauge.set_gauge(GAUGE)
    settle(gauge, qtbot)
    x = round(gauge.bar.width() * GAUGE.thresholds[2] * GAUGE.usable / GAUGE.window)
    mark = gauge.bar.mark_at(x + 3)
    assert mark == 2
    for words in ("90 %", f"{round(GAUGE.thresholds[2] * GAUGE.usable):,}", "summarized"):
        assert words in gauge.bar.hint_of_mark(mark)
    with qtbot.waitSignal(gauge.bar.policy_requested) as asked, qtbot.assertNotEmitted(gauge.bar.breakdown_requested):
        qtbot.mouseClick(gauge.bar, Qt.MouseButton.LeftButton, pos=QPoint(x + 3, 8))
    assert asked.args == ["compact_at"]
    assert gauge.bar.mark_at(gauge.bar.width() * 0.5) is None
    gauge.set_gauge(replace(GAUGE, window=0))
    assert gauge.bar.mark_at(x) is None


@pytest.mark.row("W1", "segments in their colours and places, the reserve, the marks")
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_painted_bar_has_the_segments_colours_in_their_places(gauge, qtbot, palette):
    theme.show(is_dark=palette is DARK)
    gauge.set_streaming(True)
    gauge.set_gauge(GAUGE)
    settle(gauge, qtbot)
    image = gauge.bar.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    ratio, middle = image.width() / gauge.bar.width(), 10
    for tokens, colour in (
        (300, palette[Segment.SUMMARY]),
        (1_100, palette[Segment.USER]),
        (3_000, palette[Segment.ASSISTANT]),
        (4_600, palette["free"]),
    ):
        at = round(tokens / 8_192 * gauge.bar.width() * ratio)
        assert image.pixelColor(at, round(middle * ratio)).name().upper() == colour.upper()


def test_a_mark_beyond_a_window_limit_is_not_on_the_bar(gauge, qtbot):
    limited = replace(GAUGE, spare=40_000, thresholds=(0.75, 0.80, 0.90, 6.5))
    gauge.set_gauge(limited)
    settle(gauge, qtbot)
    marks = {gauge.bar.mark_at(x) for x in range(gauge.bar.width())} - {None}
    assert marks == {0, 1, 2}
    assert "8K of 47K" in gauge.share.text()
    gauge.set_gauge(replace(limited, segments={Segment.USER: 16_384}, total=16_384, status=Status.CRITICAL))
    settle(gauge, qtbot)
    assert "8,192" in gauge.bar.hint_at(gauge.bar.width() - 10)


def test_what_is_over_the_window_is_marked_beyond_its_end(gauge, qtbot):
    gauge.set_gauge(replace(GAUGE, segments={Segment.USER: 16_384}, total=16_384, status=Status.EXCEEDED))
    settle(gauge, qtbot)
    middle = gauge.bar.width() // 2
    assert gauge.bar.hint_at(middle - 10) != gauge.bar.hint_at(middle + 10)
    assert "8,192" in gauge.bar.hint_at(middle + 10)
    image, y = gauge.bar.grab().toImage(), 10
    inside, beyond = ({image.pixelColor(x, y).name() for x in range(at, at + 60)} for at in (20, middle + 20))
    assert len(inside) == 1
    assert len(beyond) > 1


def test_what_does_not_fit_is_painted_up_to_the_end_and_said(gauge, qtbot):
    gauge.set_gauge(Gauge({Segment.USER: 20_000}, 20_000, 8_192, 1_638, Status.EXCEEDED))
    settle(gauge, qtbot)
    assert sum(gauge.bar.widths()) == pytest.approx(gauge.bar.width())
    assert gauge.word.text() == "Too long"
    assert gauge.share.text().startswith("305 %")


UNKNOWN = Gauge(SEGMENTS, 4_310, 0, 0, Status.UNKNOWN, tokenizer="smollm2")


@pytest.mark.parametrize("width", [720, 420])
def test_a_window_that_is_not_known_yet_is_said_and_compared_with_nothing(gauge, qtbot, width):
    gauge.resize(width, 90)
    gauge.set_gauge(UNKNOWN)
    assert gauge.numbers.text() == "4,310 tokens"
    assert gauge.share.text().startswith("window not known yet")
    assert "%" not in gauge.share.text() + gauge.accessibleName()
    assert not gauge.word.isVisible()
    assert gauge.optimize.isEnabled(), "the user may still make room by hand"
    assert "not known" in gauge.bar.hint_at(width / 2)
    gauge.set_draft_tokens(90)
    assert gauge.numbers.text() == "4,400 tokens"
    assert sum(gauge.bar.widths()) == 0


def test_a_window_that_is_not_known_yet_is_hatched_from_end_to_end(gauge):
    gauge.set_gauge(UNKNOWN)
    image = gauge.bar.grab().toImage()
    ratio = image.width() / gauge.bar.width()
    row = round((gauge.bar._box().center().y()) * ratio)
    inks = [image.pixelColor(x, row).name() for x in range(round(20 * ratio), image.width() - round(20 * ratio))]
    assert {LIGHT["free"].lower(), LIGHT["hatch"].lower()} <= set(inks)
    assert not {LIGHT[segment].lower() for segment in SEGMENTS} & set(inks)


@pytest.mark.parametrize(("total", "is_marked"), [(16_384, True), (122_000, False)])
def test_far_beyond_the_window_there_are_no_marks_to_crowd(gauge, qtbot, total, is_marked):
    gauge.set_gauge(replace(GAUGE, segments={Segment.USER: total}, total=total, status=Status.EXCEEDED))
    settle(gauge, qtbot)
    marks = {gauge.bar.mark_at(x) for x in range(gauge.bar.width())} - {None}
    assert bool(marks) == is_marked
