"""The page of insights: its figures, the chart under mouse and keys, scopes, export, and empty states."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from accessible_tree import Role, read
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QFileDialog
from ui_scenes import optimize, play_scene, send, until

from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.insights import DayInsights, Insights, Moment, OperationMoment, UsageOf
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Usage
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.insights.chart import WindowChart, describe_point, points_of, time_labels
from desktop_app.ui.insights.figures import content_rows, day_rows, figures_of, format_amount, provider_rows, range_of
from desktop_app.ui.insights.insights_page import InsightsPage
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.widgets.accessibility import use_roles
from provider import Reply, ScriptedProvider
from texts import FULLEST, REACHED, REPORTED

NOW = 1_760_000_000.0
SPENT = Usage(17_000, 400, 8_500, dollars=0.5, requests=5)
READ = p.InsightsRead(
    Insights(
        1,
        tuple(Moment(NOW + n, 1_000 * n, True) for n in (1, 2, 3, 5, 6)),
        (OperationMoment(NOW + 4, "compaction", Trigger.BEFORE_REQUEST, 5_500, 900, 12, 2.5),),
        {Segment.USER: 750, Segment.RESULTS: 2_250},
        is_counted=True,
        usage=(UsageOf("far/large", "chat", SPENT), UsageOf("far/small", "summary", Usage(900, 90))),
        fidelity=Fidelity(6, 3, 1),
        days=(DayInsights("2025-10-09", SPENT, 1, 4_600), DayInsights("2025-10-10", Usage(900, 90), 0, 0, 2, 90_000)),
    ),
    Gauge({Segment.USER: 600}, 600, 8_192, 2_048, Status.SAFE),
    1.25,
)
"""Of a life of five replies with a compaction."""


@pytest.fixture
def page(qtbot) -> InsightsPage:
    made = InsightsPage()
    qtbot.addWidget(made)
    made.resize(800, 500)
    made.show()
    made.show_insights(READ)
    return made


def test_the_cards_say_what_the_insights_hold():
    values = [figure.value for figure in figures_of(READ)]
    assert values == ["4,600", "90 %", "3,400", "$0.50", "47 %", "2.5 s"]
    assert "$1.25" in figures_of(READ)[4].detail
    nothing = figures_of(p.InsightsRead(Insights()))
    assert [figure.value for figure in nothing] == ["0", "–", "–", "–", "–", "–"]


@pytest.mark.parametrize(
    ("amount", "words"), [(0, "0"), (9_999, "9,999"), (10_000, "10 k"), (999_499, "999 k"), (999_500, "1.0 M")]
)
def test_amounts_are_short(amount, words):
    assert format_amount(amount) == words


def test_the_tables_add_up():
    rows = {row.square: row.cells for row in content_rows(READ.insights, READ.gauge)}
    assert rows == {Segment.USER: ("750", "25 %", "10 %"), Segment.RESULTS: ("2,250", "75 %", "0 %")}
    (far,) = provider_rows(READ.insights)
    spent = READ.insights.spent()
    assert far.cells[:2] == (str(spent.requests), format_amount(spent.prompt_tokens))
    newest, oldest = day_rows(READ.insights)
    assert (newest.cells[-1], oldest.cells[-2]) == ("2", "4,600")
    assert range_of(READ.insights).endswith("2025")


def test_points_stand_in_the_order_of_time_and_an_operation_is_one(page):
    assert [(point.before, point.tokens) for point in page.chart.points] == [
        (1_000, 1_000),
        (2_000, 2_000),
        (3_000, 3_000),
        (5_500, 900),
        (5_000, 5_000),
        (6_000, 6_000),
    ]
    labels = list(time_labels(page.chart.points, 4))
    assert len({text for _, text in labels}) == len(labels) <= 4


@pytest.mark.row("W7", "read by keys and mouse")
def test_arrow_keys_and_the_mouse_read_the_points(page, qtbot):
    chart, told = page.chart, QSignalSpy(page.chart.pointed)
    chart.setFocus()
    usable = chart.usable
    for key, index in ((Qt.Key.Key_Left, 5), (Qt.Key.Key_PageUp, 3), (Qt.Key.Key_Home, 0), (Qt.Key.Key_Right, 1)):
        QTest.keyClick(chart, key)
        assert told.at(told.count() - 1)[0] == describe_point(chart.points[index], usable)
        assert chart.accessibleDescription() == page.pointed.text()
    page.resize(1_000, 1_200)
    page.grab()  # laid out
    for x in (0, 2):
        qtbot.mouseMove(chart, chart.positions[4].toPoint() + QPoint(x, 5))
    qtbot.waitUntil(lambda: page.pointed.text() == describe_point(chart.points[4], usable))


def test_a_screen_reader_finds_the_points_and_the_rows_of_the_tables(page):
    use_roles()
    points = [node.name for node in read(page.chart).all() if node.role is Role.StaticText]
    assert points == [describe_point(point, page.chart.usable) for point in page.chart.points]
    table = page.contents.table
    lines = [node.name for node in read(table).all() if node.role is Role.StaticText]
    assert len(lines) == len(table.rows) > 0
    assert all(row.name in line and row.cells[0] in line for row, line in zip(table.rows, lines, strict=True))


@pytest.mark.parametrize("tokens", [2_000, 90_000, 2_000_000])
def test_labels_of_lines_do_not_cover_each_other_however_far_a_reply_was_above_the_limits(qtbot, tokens):
    chart = WindowChart()
    qtbot.addWidget(chart)
    chart.resize(600, 200)
    chart.show_insights(Insights(moments=(Moment(1.0, tokens, True),)), READ.gauge)
    heights = sorted(line.y for line in chart.lines() if line.label)
    assert all(below - above >= 18 for above, below in pairwise(heights))
    assert len(chart.lines()) >= 3
    assert "90 %" in [line.label for line in chart.lines()]


def test_a_chart_of_one_reply_or_none_is_painted(qtbot):
    chart = WindowChart()
    qtbot.addWidget(chart)
    chart.resize(300, 200)
    for moments in ((), (Moment(0.0, 0, False),)):
        chart.show_insights(Insights(moments=moments), None)
        assert not chart.grab().isNull()
        QTest.keyClick(chart, Qt.Key.Key_Left)
        assert chart.accessibleDescription()
    assert points_of(Insights()) == []


def test_it_fits_a_small_window_and_says_when_nothing_was_measured(page):
    assert page.content.width() <= page.area.viewport().width()
    assert page.source.isHidden()
    moments = tuple(replace(moment, is_measured=False) for moment in READ.insights.moments)
    page.show_insights(replace(READ, insights=replace(READ.insights, moments=moments)))
    assert page.source.isVisible()
    page.show_insights(p.InsightsRead(Insights()))
    assert page.empty.isVisible()
    assert not page.content.isVisible()
    assert not page.export.isEnabled()


def test_the_figures_are_told_to_a_screen_reader(page):
    for card, figure in zip(page.cards, figures_of(READ), strict=True):
        assert figure.value in card.accessibleName()
        assert card.accessibleDescription() == figure.detail
    assert "25 %" in page.contents.table.accessibleDescription()


def test_a_cost_without_prices_is_none():
    usage = replace(READ.insights.usage[0], usage=Usage(10, 1))
    assert figures_of(p.InsightsRead(Insights(usage=(usage,))))[2].value == "–"


@pytest.mark.long
@play_scene()
async def test_the_key_shows_it_scopes_change_it_and_a_conversation_ends_it(
    window: MainWindow, bridge: Bridge, provider: ScriptedProvider
):
    provider.script = [Reply("Yes.", usage=(2_400 + 20 * n, 2, 0)) for n in range(2)]
    for text in ("One?", "Two?"):
        await send(window, bridge, text)
    await optimize(window)
    (operation,) = window.ui.transcript_model.operations
    QTest.keyClick(window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    page = window.insights.page
    assert page is not None
    await until(lambda: page.content.isVisible())
    assert page.curve.isVisible()
    page.scope.button("all").click()
    freed = f"{operation.tokens_before - operation.tokens_after:,}"
    await until(lambda: page.curve.isHidden() and page.cards[0].value.text() == freed)
    window.chat.open_new()
    await until(lambda: window.ui.chat_page.isVisible() and window.chat.conversation != "c1")
    window.ui.sidebar.insights.click()
    assert page.isVisible()
    page.scope.button("one").click()
    await until(lambda: page.empty.isVisible())
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert window.ui.chat_page.isVisible()
    window.ui.panel.breakdown.insights.click()
    assert page.isVisible()


@pytest.mark.row("W7", "scopes; CSV")
@play_scene()
async def test_the_export_asks_for_a_file_and_says_where_it_is(window: MainWindow, bridge, tmp_path: Path):
    await until(lambda: window.chat.conversation)
    window.insights.toggle()
    page = window.insights.page
    assert page is not None
    await until(lambda: page.export.isEnabled())
    page.export.click()
    await until(lambda: window.findChildren(QFileDialog))
    (dialog,) = window.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "x.csv"))
    dialog.reject()
    await until(lambda: str(tmp_path / "x.csv") in page.status.text())


def test_how_full_conversations_got_is_told_of_one_and_of_several():
    one = Insights(fullest=(0.92,), spills={"a": 1_500_000, "b": 500})
    assert figures_of(p.InsightsRead(one))[2].detail == FULLEST.format(percent=92, outputs=2, size="1.4 MB")
    several = Insights(conversations=4, fullest=(0.2, 0.76, 0.91, 0.96), sizes=(10_000, 20_000))
    figure = figures_of(p.InsightsRead(several))[2]
    assert (figure.value, figure.detail) == (
        "15 k",
        REPORTED.format(requests=2)
        + "\n".join(
            REACHED.format(count=count, conversations=4, percent=percent)
            for count, percent in [(3, 75), (2, 90), (1, 95)]
        ),
    )
