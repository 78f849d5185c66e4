"""Find in conversation: keys, count, what is marked, and messages that are not loaded."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from transcript_rows import chat, row
from ui_scenes import at_end, play_scene, top_of_text, until

from desktop_app.conversation.message import Role, Text
from desktop_app.engine import protocol as p
from desktop_app.ui.transcript.row_painter import occurrences
from desktop_app.ui.transcript.selecting_view import best_place


def is_in_sight(view, key):
    number = view.transcript.row_of(key)
    box = view.visualRect(view.transcript.index(number)) if number >= 0 else None
    return box is not None and box.bottom() > 0 and box.top() < view.viewport().height()


async def find(window, text):
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    await until(window.ui.find_bar.isVisible)
    QTest.keyClicks(window.ui.find_bar.field, text)


@play_scene()
async def test_a_text_is_found_where_it_is_not_loaded_and_stepped_through(window, bridge, monkeypatch):
    bar, view = window.ui.find_bar, window.ui.transcript
    said: list[str] = []
    monkeypatch.setattr("desktop_app.ui.palette.result_rows.announce", lambda _, text, **how: said.append(text))
    await find(window, "question 4")
    await until(lambda: bar.count.text().startswith("6 of 6"))  # none in sight or behind it
    await until(lambda: is_in_sight(view, "c1-48"))
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    await until(lambda: bar.count.text().startswith("1 of"))
    await until(lambda: is_in_sight(view, "c1-4"))
    QTest.keyClick(window, Qt.Key.Key_F3)
    await until(lambda: is_in_sight(view, "c1-40"))
    assert said[-2:] == ["1 of 6", "2 of 6"], "a screen reader speaks them, as the field keeps the focus"
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


@play_scene()
async def test_nothing_found_is_said_and_leaves_the_place_alone(window, bridge):
    await find(window, "no such words")
    await until(lambda: window.ui.find_bar.count.text() == "Not found")
    assert not window.ui.find_bar.next.isEnabled()
    assert at_end(window.ui.transcript)


def test_the_occurrence_itself_is_scrolled_to_and_painted(view, qtbot):
    long = "line of text\n\n" * 300 + "here is the *needle* of it\n\n" + "line of text\n\n" * 100
    view.transcript.open([*chat(4), row(4, Role.ASSISTANT, Text(long)), *chat(20, first=5)], ())
    qtbot.waitUntil(lambda: view.is_settled)
    view.mark_text("NEEDLE")
    assert view.show_occurrence("m4")
    number = view.transcript.row_of("m4")

    def seen() -> bool:
        top = top_of_text(view.layout_of(number), "needle")
        return view.is_settled and top is not None and 0 < view.origin(number).y() + top < view.viewport().height()

    qtbot.waitUntil(seen)
    marked = view.grab().toImage()
    view.mark_text("")
    assert view.grab().toImage() != marked


def test_each_place_in_a_message_is_stepped_to_and_outlined(view, qtbot):
    lines = [f"line {n} with {'a needle' if n in (5, 200, 390) else 'text'}\n\n" for n in range(400)]
    view.transcript.open([*chat(4), row(4, Role.ASSISTANT, Text("".join(lines))), *chat(20, first=5)], ())
    qtbot.waitUntil(lambda: view.is_settled)
    view.mark_text("needle")
    tops = []
    for place in (0, 1, 2, 7):
        view.current_place = None
        view.show_occurrence("m4", place)
        qtbot.waitUntil(lambda: view.is_settled and view.current_place is not None)
        tops.append(view.current_place[1].top())
    assert tops[0] < tops[1] < tops[2] == tops[3], "of more than are painted, the last one"
    outlined = view.grab().toImage()
    view.current_place = None
    assert view.grab().toImage() != outlined


@play_scene()
async def test_places_are_counted_and_stepped_through_not_messages(window, bridge):
    await find(window, "e")
    await until(lambda: " of " in window.ui.find_bar.count.text())
    read = await bridge.ask(p.ReadMessages(window.chat.conversation, 1_000, 1_000))
    texts = [row.message.text.lower() for row in read.rows]
    places = sum(text.count("e") for text in texts)
    assert window.ui.find_bar.count.text().endswith(f" of {places}")
    assert places > sum("e" in text for text in texts)


def test_a_folded_message_is_unfolded_for_what_is_in_it(view, qtbot):
    view.transcript.open([row(0, Role.USER, Text("many words " * 3_000 + "needle")), *chat(8, first=1)], ())
    view.mark_text("needle")
    assert view.show_occurrence("m0")
    qtbot.waitUntil(lambda: top_of_text(view.layout_of(0), "needle") is not None)


def test_the_place_with_most_of_the_words_is_shown():
    hits = [(0, "Harbour"), (5_000, "ledger"), (9_000, "harbour"), (9_040, "LEDGER"), (9_050, "ledger")]
    assert best_place(hits) == (2, 2)
    assert best_place(hits[:1]) == (0, 1)


def test_words_are_marked_whole_and_in_every_script(view, qtbot):
    view.transcript.open([row(0, Role.USER, Text("indexes of an Index, 把数据库迁移"))], ())
    qtbot.waitUntil(lambda: view.is_settled)
    (flow, *_) = view.layout_of(0).flows
    assert [cursor.selectedText() for cursor in occurrences(flow.document, ("index", "数据库"))] == ["Index", "数据库"]
    assert [cursor.selectedText() for cursor in occurrences(flow.document, "index")] == ["index", "Index"]


def test_both_spellings_of_a_word_are_marked(view, qtbot):
    view.transcript.open([row(0, Role.USER, Text("Straße, STRASSE and strasse"))], ())
    qtbot.waitUntil(lambda: view.is_settled)
    (flow, *_) = view.layout_of(0).flows
    for text in ("strasse", "Straße"):
        assert [c.selectedText() for c in occurrences(flow.document, text)] == ["Straße", "STRASSE", "strasse"]


@play_scene()
async def test_it_leads_from_insights_back_to_the_conversation(window, bridge):
    window.activateWindow()
    window.insights.toggle()
    await until(lambda: window.insights.is_shown)
    await find(window, "question 4")
    assert not window.insights.is_shown
    assert window.ui.find_bar.field.isVisible()
    await until(lambda: window.ui.find_bar.count.text().startswith("6 of 6"))
