"""The X-ray: the request part by part, its filters, its links, earlier requests, and the largest parts in the panel."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from ui_scenes import show_widget

from desktop_app.conversation.gauge import (
    ComparedPart,
    Gauge,
    PartChange,
    PartKind,
    Segment,
    SentPart,
    SentRequest,
    Status,
)
from desktop_app.ui.context_panel.panel_breakdown import LargestParts
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.request_view.part_list import PartModel
from desktop_app.ui.request_view.part_rows import (
    PartAction,
    PartRow,
    actions_of,
    compared_rows,
    difference,
    rows_of,
    title_of,
)
from desktop_app.ui.request_view.request_view import RequestView, ShownRequest

SYSTEM = SentPart(PartKind.MESSAGE, "system", "", "Be brief.", 9, 20, Segment.SYSTEM, "m0")
TOOLS = SentPart(PartKind.TOOLS, "", "", "read  Read a file", 17, 100, Segment.SCHEMAS, stands_for=1)
SERVER = SentPart(PartKind.TOOLS, "", "linear", "find  Find an issue", 19, 6_410, Segment.SCHEMAS, stands_for=9)
SUMMARY = SentPart(PartKind.SUMMARY, "user", "", "So far.", 7, 640, Segment.SUMMARY, operation_id="c1", stands_for=42)
ASKED = SentPart(PartKind.MESSAGE, "user", "", "Why?", 4, 8, Segment.USER, "m1")
CALLED = SentPart(
    PartKind.MESSAGE, "assistant", "", "read {}", 7, 9, Segment.ASSISTANT, "m2", other_segments=(Segment.CALLS,)
)
RESULT = SentPart(
    PartKind.MESSAGE, "tool", "read", "cut\n" * 400, 60_000, 3_000, Segment.RESULTS, "m3", "p1", 58_114,
    arguments='{"path": "src/ledger.py"}',
)  # fmt: skip
FRAME = SentPart(PartKind.FRAME, "", "", "", 0, 3, Segment.FRAME)
PARTS = (SYSTEM, TOOLS, SERVER, SUMMARY, ASKED, CALLED, RESULT, FRAME)


def request(parts: tuple[SentPart, ...], cached: int = 0) -> SentRequest:
    total = sum(part.tokens for part in parts)
    return SentRequest(Gauge({Segment.USER: total}, total, 64_000, 4_000, Status.SAFE), parts, cached)


@pytest.fixture
def xray(qtbot) -> RequestView:
    view = show_widget(RequestView(), qtbot, 900, 600)
    view.set_model("Large")
    view.set_request(request(PARTS, cached=3))
    return view


def shown(view: RequestView) -> list[SentPart]:
    return [row.part for row in view.list.parts.rows]


def click_link(view: RequestView, number: int, action: PartAction) -> None:
    view.list.choose(number)
    box = view.list.link_box(number, action)
    assert not box.isEmpty()
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())


# What a row says


def test_a_row_tells_what_stands_in_place_of_what(xray) -> None:
    words = [row.words for row in rows_of(request(PARTS, cached=3))]
    assert "42 messages" in words[3]
    assert "58,114" in words[6]
    assert "src/ledger.py" in title_of(RESULT)
    assert "linear" in title_of(SERVER)
    assert [row.cached_tokens for row in rows_of(request(PARTS, cached=3))] == [0, 0, 6_530, 0, 0, 0, 0, 0]


def test_each_part_leads_to_where_it_comes_from() -> None:
    memory = replace(SYSTEM, kind=PartKind.MEMORY, message_id="")
    instructions = replace(memory, kind=PartKind.INSTRUCTIONS)
    origins = [(actions_of(part) or [None])[0] for part in (*PARTS, memory, instructions)]
    assert origins == [
        None, PartAction.SHOW_TOOLS, PartAction.SHOW_TOOLS, PartAction.SHOW_OPERATION, PartAction.SHOW_IN_CHAT,
        PartAction.SHOW_IN_CHAT, PartAction.SHOW_IN_CHAT, None, PartAction.SHOW_MEMORY,
        PartAction.SHOW_PROJECT,
    ]  # fmt: skip
    assert [part for part in PARTS if PartAction.LEAVE_OUT in actions_of(part)] == [SERVER]
    assert PartAction.UNPIN in actions_of(replace(ASKED, is_pinned=True))


def test_what_would_turn_the_line_around_is_seen() -> None:
    row = PartRow(replace(ASKED, text="a\u202eb", name="c\u202ed"), 0)
    assert "\u202e" not in row.words


# The list


@given(st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=5))
def test_the_list_shows_what_it_is_given_last(lists) -> None:
    ground = QWidget()
    model = PartModel(ground)
    for numbers in lists:
        rows = [PartRow(replace(ASKED, tokens=number), 0) for number in numbers]
        model.set_rows(rows)
        assert model.rows == rows
        assert model.rowCount() == len(rows)


def test_the_choice_stays_where_it_is_while_the_request_grows(xray) -> None:
    xray.list.choose(4)
    xray.set_request(request((*PARTS[:-1], replace(ASKED, message_id="m4"), FRAME)))
    assert xray.list.currentIndex().row() == 4
    xray.set_request(request((SYSTEM, ASKED, FRAME)))
    xray.list.choose(1)
    xray.set_request(request(()))
    assert xray.list.parts.rowCount() == 0


def test_a_link_is_clicked_and_the_keyboard_opens(qtbot, xray) -> None:
    with qtbot.waitSignal(xray.list.action_requested) as asked:
        click_link(xray, 3, PartAction.SHOW_OPERATION)
    assert asked.args[0] is PartAction.SHOW_OPERATION
    assert asked.args[1].part == SUMMARY
    with qtbot.waitSignal(xray.list.action_requested) as asked:
        qtbot.keyClick(xray.list, Qt.Key.Key_Return)
    assert (asked.args[0], asked.args[1].index) == (PartAction.OPEN, 3)
    with qtbot.waitSignal(xray.list.action_requested) as asked:
        where = xray.list.visualRect(xray.list.parts.index(1)).center()
        QTest.mouseClick(xray.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
        QTest.mouseDClick(xray.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert (asked.args[0], asked.args[1].part) == (PartAction.OPEN, TOOLS)


def test_ten_thousand_parts_are_shown_and_changed_at_once(xray) -> None:
    many = tuple(replace(ASKED, message_id=f"m{n}", tokens=n) for n in range(10_000))
    xray.set_request(request(many))
    qt_rows = xray.list.parts.rowCount()
    xray.list.choose(9_999)
    xray.grab()
    changes: list[tuple[int, int]] = []
    xray.list.parts.rowsInserted.connect(lambda _, first, last: changes.append((first, last)))
    xray.list.parts.modelReset.connect(lambda: changes.append((-1, -1)))
    xray.set_request(request((*many, replace(ASKED, message_id="new"))))
    assert (qt_rows, changes) == (10_000, [(10_000, 10_000)]), "only what is new is told"
    xray.grab()
    assert xray.list.viewport().rect().intersects(xray.list.visualRect(xray.list.currentIndex()))


def test_parts_that_are_not_listed_are_told_and_the_others_keep_their_places(xray) -> None:
    xray.set_request(replace(request(PARTS), unlisted=(2, 1_000)))
    assert [row.index for row in xray.list.parts.rows] == [0, 1, *range(1_002, 1_000 + len(PARTS))]
    assert "1,008" in xray.note.text()
    xray.set_request(request(PARTS))
    assert "1,008" not in xray.note.text()


# Filters, moments


def test_the_parts_of_a_segment(xray) -> None:
    xray.filter(Segment.CALLS)
    assert shown(xray) == [CALLED]
    assert xray.all_parts.isVisible()
    xray.filter(Segment.SCHEMAS)
    assert shown(xray) == [TOOLS, SERVER]
    xray.set_request(request((SYSTEM, TOOLS)))
    assert shown(xray) == [TOOLS], "also of what comes later"
    QTest.mouseClick(xray.all_parts, Qt.MouseButton.LeftButton)
    assert shown(xray) == [SYSTEM, TOOLS]


COMPARED = (
    ComparedPart(SYSTEM, PartChange.SAME, 20),
    ComparedPart(SUMMARY, PartChange.ADDED),
    ComparedPart(ASKED, PartChange.REMOVED, 8),
    ComparedPart(RESULT, PartChange.CHANGED, 58_114),
)


def test_a_comparison_tells_the_differences(qtbot, xray) -> None:
    assert not xray.moments.isVisible()
    xray.show_moment(ShownRequest.CHANGES, "10:31")
    assert shown(xray) == []
    xray.set_changes(COMPARED)
    assert shown(xray) == [SUMMARY, ASKED, RESULT]
    QTest.mouseClick(xray.only_changes, Qt.MouseButton.LeftButton)
    rows = xray.list.parts.rows
    assert [row.index for row in rows] == [0, 1, 1, 2], "each in the request that it is read from"
    assert [difference(row) for row in rows] == [0, 640, -8, 3_000 - 58_114]
    assert "55,114" in xray.note.text()
    with qtbot.waitSignal(xray.moment_chosen) as chosen:
        QTest.mouseClick(xray.moments.button("now"), Qt.MouseButton.LeftButton)
    assert chosen.args == [ShownRequest.NOW]


def test_the_title_is_whole_beside_the_moments(xray) -> None:
    xray.resize(1_000, 700)
    assert xray.title.isVisible()
    xray.show_moment(ShownRequest.CHANGES, "10:31")
    xray.set_changes(COMPARED)
    assert not xray.title.isVisible()
    assert "10:31" in xray.note.text()
    xray.show_moment(ShownRequest.NOW, "")
    assert xray.title.isVisible()
    assert xray.title.text() not in xray.note.text()


def test_only_what_is_still_there_is_changed(xray) -> None:
    xray.show_moment(ShownRequest.CHANGES, "10:31")
    xray.set_changes(COMPARED)
    xray.list.choose(1)
    assert xray.list.link_box(1, PartAction.PIN).isEmpty()
    assert not xray.list.link_box(1, PartAction.SHOW_IN_CHAT).isEmpty()


changes = st.tuples(st.sampled_from(PartChange), st.integers(0, 999))


@given(st.lists(changes, max_size=20))
def test_each_compared_part_is_found_in_its_request(found) -> None:
    parts = [
        ComparedPart(replace(ASKED, message_id=str(n)), change, tokens) for n, (change, tokens) in enumerate(found)
    ]
    before = [one.part for one in parts if one.change is not PartChange.ADDED]
    now = [one.part for one in parts if one.change is not PartChange.REMOVED]
    for row in compared_rows(parts):
        assert (before if row.change is PartChange.REMOVED else now)[row.index] == row.part


# In the panel


def test_the_largest_parts_and_what_is_done_about_them(qtbot) -> None:
    requests = PanelRequests(None)
    card = LargestParts(requests)
    qtbot.addWidget(card)
    assert card.isHidden()
    card.set_parts((SERVER, RESULT, FRAME))
    assert len(card.parts) == 2
    with qtbot.waitSignal(requests.part_requested) as asked:
        QTest.mouseClick(card.parts[0].links[PartAction.LEAVE_OUT], Qt.MouseButton.LeftButton)
    assert asked.args == [PartAction.LEAVE_OUT, SERVER]
    with qtbot.waitSignal(requests.part_requested) as asked:
        QTest.mouseClick(card.parts[1].links[PartAction.PIN], Qt.MouseButton.LeftButton)
    assert asked.args == [PartAction.PIN, RESULT]
    card.set_parts(())
    assert card.isHidden()


@pytest.mark.row("W1", "rows of the table are chosen by mouse and keys")
def test_rows_of_the_breakdown_are_chosen_by_mouse_and_keys(qtbot, panel) -> None:
    gauge = Gauge({Segment.SYSTEM: 20, Segment.RESULTS: 80}, 100, 8_192, 1_000, Status.SAFE)
    panel.breakdown.set_gauge(gauge)
    table = panel.breakdown.table
    height = table.height() // len(table.lines)
    with qtbot.waitSignal(panel.requests.segment_requested) as asked:
        QTest.mouseClick(table, Qt.MouseButton.LeftButton, pos=QPoint(60, height + 5))
    assert asked.args == [Segment.RESULTS]
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Up)
    with qtbot.waitSignal(panel.requests.segment_requested) as asked:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert asked.args == [Segment.SYSTEM]
    with qtbot.assertNotEmitted(panel.requests.segment_requested):
        QTest.mouseClick(table, Qt.MouseButton.LeftButton, pos=QPoint(60, 2 * height + 5))  # the sum


def test_empty_categories_are_folded(panel) -> None:
    gauge = Gauge({Segment.SYSTEM: 20, Segment.RESULTS: 80}, 100, 8_192, 1_000, Status.SAFE)
    panel.breakdown.set_gauge(gauge)
    folded = len(panel.breakdown.table.lines)
    QTest.mouseClick(panel.breakdown.unused, Qt.MouseButton.LeftButton)
    assert len(panel.breakdown.table.lines) == folded + len(Segment) - 2
    panel.breakdown.set_gauge(replace(gauge, segments={**gauge.segments, Segment.USER: 1}))
    assert len(panel.breakdown.table.lines) == folded + len(Segment) - 2, "it stays unfolded"
