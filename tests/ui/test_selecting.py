"""Text selected over several messages with the mouse, and copied as it is read and as Markdown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QClipboard, QGuiApplication
from transcript_rows import chat, row
from ui_scenes import settle, tell

from desktop_app.conversation.events import ReplyStarted, TextDelta
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.selecting_view import leave_text

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
ANSWER = "It is **bold**, a [link](https://a.b) and `code`.\n\n```python\nx = 1\ny = 2\n```\n\n- one\n- two"


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def point_in(view, key: str, share: float) -> QPoint:
    """A point of the row's text: at its beginning (0), or at its end (1)."""
    number = view.transcript.row_of(key)
    flows = view.layout_of(number).flows
    inside = flows[0].box.topLeft() + QPointF(0, 6) if share == 0 else flows[-1].box.bottomRight() - QPointF(2, 6)
    return (view.origin(number) + inside).toPoint()


def drag(view, qtbot, start: QPoint, end: QPoint) -> None:
    qtbot.mousePress(view.viewport(), LEFT, pos=start)
    qtbot.mouseMove(view.viewport(), end)
    qtbot.mouseRelease(view.viewport(), LEFT, pos=end)


@pytest.fixture
def told(view, qtbot):
    rows = [
        row(0, Role.USER, Text("What is *it*?")),
        row(1, Role.ASSISTANT, Text(ANSWER)),
        row(2, Role.USER, Text("Thanks, a lot")),
    ]
    view.transcript.open(rows, ())
    settle(view, qtbot)
    view.follow_end()
    settle(view, qtbot)
    return view


def test_what_is_marked_is_offered_to_the_middle_button(told, qtbot, monkeypatch):
    clipboard, offered = QGuiApplication.clipboard(), []
    monkeypatch.setattr(type(clipboard), "supportsSelection", lambda _: True)
    monkeypatch.setattr(type(clipboard), "setText", lambda _, text, mode: offered.append((text, mode)))
    drag(told, qtbot, point_in(told, "m0", 0), point_in(told, "m0", 1))
    qtbot.mouseClick(told.viewport(), LEFT, pos=point_in(told, "m2", 0))
    qtbot.mouseDClick(told.viewport(), LEFT, pos=point_in(told, "m2", 0))
    selection = QClipboard.Mode.Selection
    assert offered == [("What is *it*?", selection), ("Thanks", selection)], "a click offers nothing"


@pytest.mark.parametrize("is_backward", [False, True])
def test_a_selection_over_messages_is_copied_with_who_said_what(told, qtbot, is_backward):
    ends = point_in(told, "m0", 0), point_in(told, "m2", 1)
    drag(told, qtbot, *(reversed(ends) if is_backward else ends))
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL)
    assert clipboard() == f"You\n\nWhat is *it*?\n\nAssistant\n\n{ANSWER}\n\nYou\n\nThanks, a lot"
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL | SHIFT)
    assert clipboard() == f"## You\n\nWhat is *it*?\n\n## Assistant\n\n{ANSWER}\n\n## You\n\nThanks, a lot"


@pytest.mark.row("U1", "selected over messages, copied as Markdown")
def test_a_part_of_a_message_is_copied_as_text_and_as_markdown(told, qtbot):
    drag(told, qtbot, point_in(told, "m1", 0) + QPoint(24, 0), point_in(told, "m1", 1))
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL)
    assert clipboard().endswith("code.\nx = 1\ny = 2\none\ntwo")
    assert "**" not in clipboard()
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL | SHIFT)
    markdown = clipboard()
    assert "**bold**" in markdown
    assert "[link](https://a.b) and `code`" in markdown
    assert "```python\nx = 1\ny = 2\n```" in markdown
    assert "- one\n- two" in markdown
    assert "##" not in markdown


def test_shift_and_a_click_reach_from_where_the_selection_began(told, qtbot):
    drag(told, qtbot, point_in(told, "m0", 0), point_in(told, "m0", 0) + QPoint(20, 0))
    qtbot.mouseClick(told.viewport(), LEFT, SHIFT, pos=point_in(told, "m2", 1))
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL)
    assert clipboard().startswith("You\n\nWhat")
    assert clipboard().endswith("Thanks, a lot")
    qtbot.mouseClick(told.viewport(), LEFT, pos=point_in(told, "m2", 1))
    assert told.text_selection.is_empty


@pytest.mark.wire
def test_the_view_scrolls_on_while_the_mouse_is_outside(view, qtbot):
    view.transcript.open(chat(24), ())
    settle(view, qtbot)
    view.go_to_start()
    settle(view, qtbot)
    below = QPoint(view.viewport().width() // 2, view.viewport().height() + 120)
    qtbot.mousePress(view.viewport(), LEFT, pos=point_in(view, "m0", 0))
    qtbot.mouseMove(view.viewport(), below)
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() == view.verticalScrollBar().maximum(), timeout=20_000)
    qtbot.waitUntil(lambda: len(view.text_selection.spans(view.transcript.row_of)) == 24)
    qtbot.mouseRelease(view.viewport(), LEFT, pos=below)
    at = view.verticalScrollBar().value()
    qtbot.keyClick(view, Qt.Key.Key_C, CONTROL)
    assert "message 0" in clipboard()
    assert "message 23" in clipboard()
    qtbot.wait(100)
    assert view.verticalScrollBar().value() == at


def test_a_selection_whose_message_is_gone_is_no_selection(told, qtbot):
    drag(told, qtbot, point_in(told, "m0", 0), point_in(told, "m2", 1))
    told.transcript.open(chat(2, first=10), ())
    settle(told, qtbot)
    assert not told.copy_selected_text()
    assert not told.copy_selected_markdown()


def test_code_with_a_fence_in_it_keeps_its_own(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text("~~~md\n```\nx\n```\n~~~\n\nend"))], ())
    settle(view, qtbot)
    last = view.layout_of(0).flows[-1].box.topLeft() + QPointF(2, 6)
    drag(view, qtbot, point_in(view, "m0", 0), (view.origin(0) + last).toPoint())
    qtbot.keyClick(view, Qt.Key.Key_C, CONTROL | SHIFT)
    assert clipboard().startswith("````md\n```\nx\n```\n````")


def rich() -> tuple[str, str]:
    """Return the HTML in the clipboard, and the Markdown."""
    held = QGuiApplication.clipboard().mimeData()
    return held.html(), held.data("text/markdown").data().decode()


def test_what_is_copied_can_be_pasted_as_it_looks(told, qtbot):
    drag(told, qtbot, point_in(told, "m0", 0), point_in(told, "m2", 1))
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL)
    html, markdown = rich()
    assert "<strong>bold</strong>" in html
    assert "<li>one</li>" in html
    assert '<code class="language-python">x = 1\ny = 2\n</code>' in html
    assert "<p>What is *it*?</p>" in html, "what was typed is no Markdown"
    assert [html.index(f"<b>{who}</b>") for who in ("You", "Assistant")] == sorted(
        html.index(f"<b>{who}</b>") for who in ("You", "Assistant")
    )
    assert markdown == f"## You\n\nWhat is *it*?\n\n## Assistant\n\n{ANSWER}\n\n## You\n\nThanks, a lot"
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL | SHIFT)
    assert not QGuiApplication.clipboard().mimeData().hasHtml(), "who wants Markdown pastes it everywhere"


def test_a_copied_table_has_lines_and_a_part_keeps_its_looks(view, qtbot):
    text = "| a | b |\n|---|---|\n| **1** | 2 |\n\n## End\n\n<script>x</script>\x1b[0m"
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    settle(view, qtbot)
    view.perform(Action.COPY, "m0")
    html, markdown = rich()
    assert '<table border="1"' in html
    assert "<h2>End</h2>" in html
    assert "<script>" not in html
    assert "\x1b" not in html + markdown + clipboard()
    assert clipboard() == text.replace("\x1b", "")
    drag(view, qtbot, point_in(view, "m0", 0), point_in(view, "m0", 1) - QPoint(30, 0))
    qtbot.keyClick(view, Qt.Key.Key_C, CONTROL)
    assert "<strong>1</strong>" in rich()[0]


def test_a_very_long_text_is_copied_alone(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text("word " * 50_000))], ())
    settle(view, qtbot)
    view.perform(Action.COPY, "m0")
    assert len(clipboard()) == 250_000
    assert not QGuiApplication.clipboard().mimeData().hasHtml()


def test_the_text_alone_is_left_when_the_program_ends(told, qtbot):
    told.perform(Action.COPY, "m1")
    assert QGuiApplication.clipboard().mimeData().hasHtml()
    leave_text()
    assert clipboard() == ANSWER
    assert not QGuiApplication.clipboard().mimeData().hasHtml()


def test_a_reply_that_is_being_written_is_copied_with_what_is_around_it(told, qtbot):
    tell(told.transcript, ReplyStarted("c", "m3", "Sonnet"))
    tell(told.transcript, TextDelta("c", "m3", "So **far**."))
    settle(told, qtbot)
    told.follow_end()
    settle(told, qtbot)
    drag(told, qtbot, point_in(told, "m2", 0), point_in(told, "m3", 1) + QPoint(400, 0))
    qtbot.keyClick(told, Qt.Key.Key_C, CONTROL)
    assert "So" in clipboard()
    assert "<strong>far</strong>" in rich()[0]
