"""The messages that an operation archived: searched, read in full, brought back and pinned."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from test_context_panel import COMPACTION, GAUGE, PRUNE, message
from ui_scenes import link, press

from builders import model, user
from desktop_app.conversation.events import MessageChange, MessageState, ViewChanged
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.ui.context_panel.archived import ArchivedMessages
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel


@pytest.fixture
def archived(panel, told) -> ArchivedMessages:
    panel.show_tab("history")
    panel.history.set_operations((COMPACTION, PRUNE))
    press(link(panel.history.list.cards["c1"], "Messages"))
    assert told[-1] == ("archived", "c1", "", 0)
    return panel.history.archived


def choose(archived, qtbot, number: int, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    shown = archived.list
    place = shown.visualRect(shown.rows.index(number)).center()
    qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, modifier, QPoint(place))


def test_a_message_is_read_in_full_brought_back_and_pinned(panel, archived, qtbot, told):
    long = "First line.\n" + "And a long story. " * 200
    said = model(long, id="m7", model="builtin/SmolLM2")
    panel.history.show_archived("c1", (message(1), message(2, message=said, tokens=812)), 2)
    choose(archived, qtbot, 1)
    reader = archived.reader
    assert reader.page.toPlainText().count("And a long story.") == 200
    assert reader.speaker.text() == "SmolLM2"
    assert "812 tokens" in reader.about.text()
    press(reader.bring_back)
    assert told[-1] == ("bring_back", ("m7",))
    press(reader.pin)
    assert told[-1] == ("pin", "m7")
    press(reader.show_in_chat)
    assert told[-1] == ("message", "m7")


def test_several_messages_are_brought_back_at_once(panel, archived, qtbot, told):
    panel.history.show_archived("c1", [message(number) for number in range(5)], 5)
    choose(archived, qtbot, 0)
    choose(archived, qtbot, 2, Qt.KeyboardModifier.ShiftModifier)
    press(archived.reader.bring_back)
    assert told[-1] == ("bring_back", ("m0", "m1", "m2"))


def test_a_message_that_is_back_shows_it_and_cannot_be_brought_back_again(panel, archived, qtbot, told):
    panel.history.show_archived("c1", (message(1),), 1)
    choose(archived, qtbot, 0)
    panel.change_view(ViewChanged("c", (), (MessageChange("m1", is_pinned=True), MessageChange("m99"))))
    assert not archived.reader.bring_back.isVisible()
    press(archived.reader.pin)
    assert told[-1] == ("unpin", "m1")


def test_nothing_comes_under_the_mouse_once_a_message_is_back(panel, archived, qtbot):
    panel.history.show_archived("c1", (message(1),), 1)
    choose(archived, qtbot, 0)
    links = archived.reader.show_in_chat, archived.reader.pin
    before = [link.x() for link in links]
    panel.change_view(ViewChanged("c", (), (MessageChange("m1"),)))
    QTest.qWait(20)
    assert not archived.reader.bring_back.isVisible()
    assert [link.x() for link in links] == before


def test_what_was_looked_for_is_seen(panel, archived, qtbot):
    long = "# Report\n\n" + "And a long story.\n\n" * 80 + "The refund of **Ana** is late.\n\n" + "It goes on.\n\n" * 80
    said = model(long, id="m7")
    huge = user(long * 6, id="m8")
    rows = message(7, message=said), message(8, message=huge)
    panel.history.show_archived("c1", rows, 2)
    assert archived.list.rows.rows[0].words.splitlines()[1].startswith("Report And a long"), "as it reads"
    archived.search.setText("REFUND ana")
    panel.history.show_archived("c1", rows, 2)
    for row in archived.list.rows.rows:
        before, found, after = row.body
        assert (before.text[0], found.text, found.weight) == ("…", "refund", BOLD)
        assert after.text.startswith(" of **Ana** is late. It goes on.")
    choose(archived, qtbot, 0)
    QTest.qWait(20)
    page, area = archived.reader.page, archived.reader.text_area
    marks = page.extraSelections()
    assert [mark.cursor.selectedText() for mark in marks] == ["refund", "Ana"]
    where = page.mapTo(area.viewport(), page.cursorRect(marks[0].cursor).center()).y()
    assert 0 < where < area.viewport().height()
    choose(archived, qtbot, 1)
    assert archived.reader.body.cursorRect().intersects(archived.reader.body.viewport().rect())
    assert archived.reader.body.textCursor().position() == huge.text.index("refund")


def test_a_shortened_result_shows_itself_and_what_the_model_sees(panel, archived, qtbot):
    result = Message(id="r", role=Role.TOOL, parts=(ToolResult("1", "read", "line\n" * 50),))
    panel.history.show_archived(
        "c1", (message(1, message=result, state=MessageState.PRUNED, sent_text="[50 lines cleared]"),), 1
    )
    choose(archived, qtbot, 0)
    text = archived.reader.page.toPlainText()
    assert text.count("line\n") >= 50
    assert "[50 lines cleared]" in text


@pytest.mark.row("W3", "read as in the chat")
def test_an_archived_message_reads_as_in_the_chat_and_a_huge_one_as_plain_text(panel, archived, qtbot):
    parts = (Text("A **bold** word.\n\n```python\nprint(1)\n```"), ToolCall("1", "read", '{"path": "a```b"}'))
    said = Message(id="m7", role=Role.ASSISTANT, parts=parts)
    huge = user("**word** " * 3_000, id="m8")
    panel.history.show_archived("c1", (message(7, message=said), message(8, message=huge)), 2)
    choose(archived, qtbot, 0)
    reader = archived.reader
    text = reader.page.toPlainText()
    assert "A bold word." in text
    assert "print(1)" in text
    assert '{"path": "a```b"}' in text
    choose(archived, qtbot, 1)
    assert reader.body.isVisible()
    assert reader.body.written() == huge.text
    assert not reader.text_area.isVisible()


def test_typing_searches_once(panel, archived, told, qtbot):
    panel.history.show_archived("c1", (message(1),), 1)
    told.clear()
    qtbot.keyClicks(archived.search, "ledger")
    qtbot.waitUntil(lambda: told == [("archived", "c1", "ledger", 0)])
    panel.history.show_archived("c1", (), 0)
    assert archived.found.text() == "Nothing found for “ledger”."


def test_four_thousand_messages_come_page_by_page(panel, archived, qtbot, told):
    panel.history.show_archived("c1", [message(number) for number in range(60)], 4_000)
    shown = archived.list
    qtbot.waitUntil(lambda: shown.verticalScrollBar().maximum() > 0)
    shown.verticalScrollBar().setValue(shown.verticalScrollBar().maximum())
    assert told[-1] == ("archived", "c1", "", 60)
    with qtbot.assertNotEmitted(panel.requests.archived_requested):  # one page at a time
        shown.verticalScrollBar().setValue(0)
        shown.verticalScrollBar().setValue(shown.verticalScrollBar().maximum())
    panel.history.show_archived("c1", [message(number) for number in range(60, 120)], 4_000, offset=1)
    assert shown.rows.rowCount() == 120
    assert "4,000 messages" in archived.found.text()


def test_an_answer_that_nobody_waits_for_is_passed_over(panel, archived, qtbot):
    press(archived.back)
    panel.history.show_archived("c1", (message(1),), 1)
    assert panel.history.currentWidget() is panel.history.list
    panel.open_archived("p1")
    panel.history.show_archived("c1", (message(1),), 1)
    assert archived.list.rows.rowCount() == 0


def test_messages_are_told_by_the_scale_of_the_request(panel, archived, qtbot):
    panel.history.show_archived("c1", (message(1, tokens=100), message(2, tokens=812)), 2)
    panel.pins.set_pins((message(3, tokens=100),))
    choose(archived, qtbot, 0)
    for scale, first, second in ((1.255, "125 tokens", "1,019 tokens"), (1.0, "100 tokens", "812 tokens")):
        panel.set_gauge(replace(GAUGE, scale=scale))
        assert [row.aside for row in archived.list.rows.rows] == [first, second]
        assert archived.reader.about.text().endswith(first)
        (card,) = panel.pins.list.cards.values()
        assert first in [label.text() for label in card.findChildren(TextLabel)]
        assert panel.pins.total.text().startswith(first)
