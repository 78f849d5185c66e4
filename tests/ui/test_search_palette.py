"""The search palette: typed into, walked through, chosen from."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible

from desktop_app.context.recall.filters import FilterNames, TypedQuery
from desktop_app.conversation.listing import SEARCH_LIMIT, ConversationInfo, SearchResult
from desktop_app.conversation.message import Role
from desktop_app.ui.palette.result_rows import runs_of
from desktop_app.ui.palette.search_palette import SearchPalette
from desktop_app.ui.widgets.accessibility import use_roles
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import Run

CONVERSATIONS = [ConversationInfo("c1", "Billing", 1.0, 2.0, 42), ConversationInfo("c2", "Lisbon", 1.0, 2.0, 1)]


def result(number: int, **fields) -> SearchResult:
    base = {"conversation": "c1", "title": "Billing", "message": f"m{number}", "index": number, "role": Role.USER}
    return SearchResult(**(base | {"archived": False, "snippet": "never touch «vendor»/", "score": 1.0} | fields))


@pytest.fixture
def palette(window):
    made = SearchPalette(window)
    made.set_conversations(CONVERSATIONS)
    made.open()
    return made


def titles(palette: SearchPalette) -> list[str]:
    return [row.title for row in palette.list.rows.rows]


def test_found_words_are_bold():
    assert runs_of("a «b» c «d»") == (Run("a "), Run("b", "ink", BOLD), Run(" c "), Run("d", "ink", BOLD))
    assert runs_of("open «end") == (Run("open "), Run("«end"))
    assert runs_of("no\n mark") == (Run("no mark"),)


def test_it_opens_with_the_conversations_and_the_cursor_in_its_field(palette, window):
    assert titles(palette) == ["Billing", "Lisbon"]
    assert window.focusWidget() is palette.field


def test_a_conversation_tells_its_messages_and_its_model_in_words(palette):
    infos = [replace(CONVERSATIONS[0], title="", model=model) for model in ("builtin", "work/large", "")]
    palette.set_conversations([replace(info, id=str(number)) for number, info in enumerate(infos)])
    rows = palette.list.rows.rows
    count = f"{infos[0].messages} messages"
    assert ["".join(run.text for run in row.body) for row in rows] == [f"{count} · built in", f"{count} · large", count]
    assert {row.title for row in rows} == {"New conversation"}, "as the list of conversations calls it"


def test_typing_asks_once_and_shows_what_was_found(palette, qtbot):
    asked: list[TypedQuery] = []
    palette.search_requested.connect(lambda _, typed: asked.append(typed))
    qtbot.keyClicks(palette.field, "vendor")
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [TypedQuery("vendor")]
    palette.set_results("vendor", [result(1, archived=True), result(2, role=Role.ASSISTANT)])
    assert titles(palette) == ["Billing · You", "Billing · Assistant"]
    assert palette.list.rows.rows[0].tag == "summarized"
    palette.set_results("vendor", [result(1, archived=True, is_by_meaning=True), result(2, is_by_meaning=True)])
    assert [row.tag for row in palette.list.rows.rows] == ["by meaning · summarized", "by meaning"]
    palette.set_results("vendor", [result(1), result(2)])
    assert palette.note.text().startswith("2 results")


def test_results_that_end_where_the_search_ends_are_called_the_first_ones(palette, qtbot):
    qtbot.keyClicks(palette.field, "vendor")
    palette.set_results("vendor", [result(number) for number in range(SEARCH_LIMIT)])
    assert palette.note.text().startswith(f"The first {SEARCH_LIMIT} results")
    palette.set_results("vendor", [result(number) for number in range(SEARCH_LIMIT - 1)])
    assert palette.note.text().startswith(f"{SEARCH_LIMIT - 1} results")


def test_typing_replaces_what_was_searched_for_before(palette, qtbot):
    qtbot.keyClicks(palette.field, "vendor")
    palette.reject()
    asked: list[TypedQuery] = []
    palette.search_requested.connect(lambda _, typed: asked.append(typed))
    palette.open()
    assert asked == [TypedQuery("vendor")], "conversations may have come and gone"
    qtbot.keyClicks(palette.field, "lisbon")
    assert palette.query() == "lisbon"


def test_an_older_answer_is_passed_over(palette, qtbot):
    qtbot.keyClicks(palette.field, "vendor")
    palette.set_results("ven", [result(1)])
    assert titles(palette) == ["Billing", "Lisbon"]
    palette.set_results("vendor", [result(2)])
    palette.field.clear()
    palette.set_results("vendor", [result(3)])
    assert titles(palette) == ["Billing", "Lisbon"]


def test_no_answer_is_awaited_to_what_has_failed(palette, qtbot, monkeypatch):
    monkeypatch.setattr(palette._waiting, "start", lambda: palette._waiting.timeout.emit())
    qtbot.keyClicks(palette.field, "vendor")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.note.text() == "Searching…"
    palette.note_failure("ven")
    assert palette.note.text() == "Searching…", "of an older query"
    palette.note_failure("vendor")
    assert palette.note.text() == "The search failed."


def test_a_cleared_field_searches_no_more(palette, qtbot):
    qtbot.keyClicks(palette.field, "vendor")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette._waiting.isActive()
    palette.field.clear()
    assert not palette._waiting.isActive()
    assert "Searching" not in palette.note.text()


def test_the_arrows_walk_and_enter_opens(palette, qtbot):
    qtbot.keyClicks(palette.field, "vendor")
    with qtbot.waitSignal(palette.search_requested):
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    found = [result(number) for number in range(3)]
    palette.set_results("vendor", found)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(palette.field, key)
    with qtbot.waitSignal(palette.result_chosen) as chosen:
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert chosen.args == [found[1]]
    assert not palette.isVisible()


def test_enter_opens_a_result_when_the_names_of_filters_come_late(palette, qtbot):
    with qtbot.waitSignal(palette.search_requested):
        palette.field.setText("vendor")
    palette.set_results("vendor", [result(1)])
    palette.set_names(FilterNames((("p1", "Roof"),), ("small",), ("grep",)), {"c1": "Roof"})
    assert "Roof" in titles(palette)[0], "it says its project at once"
    with qtbot.waitSignal(palette.result_chosen, timeout=1_000):
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)


def test_a_click_opens(palette, qtbot):
    qtbot.keyClicks(palette.field, "v")
    palette.set_results("v", [result(0), result(1)])
    place = palette.list.visualRect(palette.list.rows.index(1)).center()
    with qtbot.waitSignal(palette.result_chosen) as chosen:
        qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args[0].message == "m1"


def test_a_conversation_is_chosen_by_its_id(palette, qtbot):
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    with qtbot.waitSignal(palette.conversation_chosen) as chosen:
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert chosen.args == ["c2"]


def test_nothing_found_is_said(palette, qtbot):
    qtbot.keyClicks(palette.field, "zebra")
    palette.set_results("zebra", [])
    assert palette.note.text() == "Nothing found for “zebra”."
    assert not palette.list.isVisible()
    with qtbot.assertNotEmitted(palette.result_chosen):
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)


def test_escape_and_a_click_beside_it_close(palette, window, qtbot):
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    palette.open()
    qtbot.mouseClick(window.childAt(5, 5), Qt.MouseButton.LeftButton)
    assert not palette.isVisible()


@pytest.fixture
def spoken(monkeypatch):
    """What a screen reader is given to speak, as the field keeps the focus."""
    said: list[str] = []
    use_roles()
    QAccessible.setActive(True)
    monkeypatch.setattr("desktop_app.ui.widgets.palette_sheet.announce", lambda _, text, **how: said.append(text))
    yield said
    QAccessible.setActive(False)


def test_counts_and_the_chosen_row_are_spoken(spoken, palette, qtbot):
    qtbot.waitUntil(lambda: bool(spoken))
    assert spoken.pop().startswith("Billing")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: bool(spoken))
    assert spoken.pop().startswith("Lisbon")
    with qtbot.waitSignal(palette.search_requested):
        qtbot.keyClicks(palette.field, "vendor")
    palette.set_results("vendor", [result(1), result(2, title="Contract")])
    qtbot.waitUntil(lambda: bool(spoken))
    assert spoken.pop().startswith("2 results. Billing"), "the keys are not said each time"
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: bool(spoken))
    assert spoken.pop().startswith("Contract"), "the count is said once"
    palette.set_results("vendor", [])
    qtbot.waitUntil(lambda: bool(spoken))
    assert spoken.pop() == "Nothing found for “vendor”."
