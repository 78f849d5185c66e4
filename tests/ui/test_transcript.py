"""The transcript on the screen: what is laid out, where the reader's place is, what the mouse and the keys do."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication, QRegion
from PySide6.QtWidgets import QApplication, QMenu
from transcript_rows import chat, compaction, row
from ui_scenes import actions, at_end, click, settle, tell, top_of, words

from desktop_app.conversation.events import (
    Failure,
    MessageRecorded,
    MessageState,
    ReplyStarted,
    TextDelta,
    TurnFailed,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.message import Reasoning, Role, Text
from desktop_app.ui.style import show_theme
from desktop_app.ui.transcript.row_layout import LONG
from desktop_app.ui.transcript.row_painter import Action, TextLine
from desktop_app.ui.transcript.selection import TextPosition
from desktop_app.ui.transcript.transcript_widget import MessageReader
from texts import BRANCH_OFF, REASONING, SYSTEM_PROMPT


def test_a_conversation_opens_at_its_end_and_lays_out_only_what_is_seen(view, qtbot, monkeypatch):
    made: list[str] = []
    make = view.cache.make
    monkeypatch.setattr(view.cache, "make", lambda item, *rest: (made.append(item.key), make(item, *rest))[1])
    view.transcript.open(chat(2_000), ())
    qtbot.waitUntil(lambda: view.is_settled)
    assert at_end(view)
    assert "m1999" in made
    assert len(set(made)) < 40


def test_new_text_is_followed_unless_the_user_scrolled_up(view, qtbot):
    view.transcript.open(chat(40), ())
    tell(view.transcript, MessageRecorded("c", row(40)))
    settle(view, qtbot)
    assert at_end(view)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 300)
    settle(view, qtbot)
    place = top_of(view, "m38")
    tell(view.transcript, MessageRecorded("c", row(41, Role.ASSISTANT)))
    settle(view, qtbot)
    assert top_of(view, "m38") == place
    assert view.jump.isVisible()
    assert view.jump.text() == "↓ 1 new message"
    tell(view.transcript, MessageRecorded("c", row(42, Role.ASSISTANT)))
    tell(view.transcript, MessageRecorded("c", row(43)))  # nobody waits for the user's own
    settle(view, qtbot)
    assert view.jump.text() == "↓ 2 new messages"
    qtbot.mouseClick(view.jump, Qt.MouseButton.LeftButton)
    assert at_end(view)
    assert not view.jump.isVisible()
    view.verticalScrollBar().setValue(0)
    settle(view, qtbot)
    assert view.jump.text() == "↓ Newest message", "what was seen is not new"


def test_a_mark_at_the_end_is_no_new_text(view, qtbot):
    view.transcript.open(chat(40), ())
    settle(view, qtbot)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 300)
    settle(view, qtbot)
    tell(view.transcript, ViewChanged("c", (compaction(1, after=39),), ()))
    settle(view, qtbot)
    assert view.transcript.item(view.transcript.rowCount() - 1).key == "mark op1"
    assert not view.jump.isVisible()


def test_a_growing_reply_is_followed_and_keeps_the_readers_place(view, qtbot):
    view.transcript.open(chat(40), ())
    tell(view.transcript, ReplyStarted("c", "m40", "Sonnet"))
    tell(view.transcript, TextDelta("c", "m40", "line\n\n" * 60))
    qtbot.waitUntil(lambda: view.is_settled)
    assert at_end(view)
    assert not view.jump.isVisible()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 400)
    place = top_of(view, "m40")
    tell(view.transcript, TextDelta("c", "m40", "more\n\n" * 60))
    qtbot.waitUntil(view.jump.isVisible)
    assert top_of(view, "m40") == place


def test_deltas_that_arrive_together_are_laid_out_once(view, qtbot, monkeypatch):
    view.transcript.open(chat(4), ())
    tell(view.transcript, ReplyStarted("c", "m4", "Sonnet"))
    settle(view, qtbot)
    made: list[str] = []
    make = view.cache.make
    monkeypatch.setattr(view.cache, "make", lambda item, *rest: (made.append(item.key), make(item, *rest))[1])
    for passes in range(1, 5):
        for _ in range(50):
            tell(view.transcript, TextDelta("c", "m4", "word "))
        assert len(made) == passes - 1
        QApplication.processEvents()
        assert made == ["m4"] * passes
        assert words(view, "m4")[-1].count("word") == 50 * passes


def test_older_messages_are_asked_for_near_the_top_and_leave_the_place_alone(view, qtbot):
    view.transcript.open(chat(60, first=60), ())
    with qtbot.waitSignal(view.page_requested) as wished:
        view.verticalScrollBar().setValue(view.heights.top(1) + 100)
    assert wished.args[0] == 60
    settle(view, qtbot)
    seen = view.row_at(QPoint(400, 300))
    key = view.transcript.item(seen).key
    place = top_of(view, key)
    view.transcript.add_page(chat(60), 60)
    settle(view, qtbot)
    assert top_of(view, key) == place
    assert view.transcript.row_of(key) == seen - 1 + 60


def test_another_width_keeps_the_readers_place(view):
    rows = [row(n, Role.USER, Text("some words that wrap " * 12)) for n in range(60)]
    view.transcript.open(rows, ())
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    key = view.transcript.item(view.row_at(QPoint(300, 20))).key
    view.resize(500, 600)
    assert -400 < top_of(view, key) < 100


def test_a_message_can_be_gone_to(view):
    view.transcript.open(chat(200), ())
    assert view.show_message("m20")
    assert 0 <= top_of(view, "m20") < 200
    assert not view.show_message("elsewhere")


@pytest.mark.long
def test_a_long_reply_is_shown_whole_and_formatted(view, qtbot):
    text = "word **bold** " * 10_000
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    qtbot.waitUntil(lambda: view.is_settled)
    assert "".join(words(view, "m0")[2:]).count("bold") == 10_000
    assert "*" not in "".join(words(view, "m0"))
    assert Action.READ not in actions(view, "m0")


def test_a_reply_stays_as_it_was_when_it_ends(view, qtbot):
    text = "Some **words** to read.\n\n" * 2_000
    view.transcript.open(chat(1), ())
    tell(view.transcript, ReplyStarted("c", "m1", "Sonnet"))
    tell(view.transcript, TextDelta("c", "m1", text))
    settle(view, qtbot)
    documents = [flow.document for flow in view.layout_of(1).flows]
    assert at_end(view)
    tell(view.transcript, MessageRecorded("c", row(1, Role.ASSISTANT, Text(text))))
    settle(view, qtbot)
    assert [flow.document for flow in view.layout_of(1).flows] == documents
    assert at_end(view)


def test_a_long_message_of_the_user_unfolds_in_its_place(view, qtbot):
    text = "word " * LONG
    view.transcript.open([row(0, Role.USER, Text(text))], ())
    assert "Show all 100,000 characters" in words(view, "m0")
    assert sum(len(line) for line in words(view, "m0")) < LONG
    settle(view, qtbot)
    click(view, qtbot, "m0", Action.FOLD)
    settle(view, qtbot)
    assert sum(line.count("word") for line in words(view, "m0")) == LONG
    assert "Show less" in words(view, "m0")


def test_the_tags_and_actions_fit_the_message(view, qtbot):
    rows = [
        row(0, state=MessageState.ARCHIVED, is_pinned=True),
        row(1, state=MessageState.PRUNED),
        row(2, Role.ASSISTANT, Text("**bold**")),
    ]
    view.transcript.open(rows, [compaction(1, after=0)])
    assert {"summarized", "◆ pinned"} <= set(words(view, "m0"))
    assert view.layout_of(0).opacity < 1
    assert "shortened" in words(view, "m1")
    assert "".join(words(view, "mark op1")[:2]) == "42 messages summarized · 61,204 → 4,180 tokens"
    edit, more = Action.EDIT_MESSAGE, Action.MORE
    assert actions(view, "m0")[::-1] == [Action.BRING_BACK, Action.COPY, edit, Action.UNPIN, more]
    assert actions(view, "m1")[::-1] == [Action.COPY, edit, Action.PIN, more]
    of_reply = [Action.COPY, Action.REGENERATE, Action.PIN, more]
    assert actions(view, "m2") == [*of_reply[::-1], *of_reply], "beside the name while it is hovered, and at its end"
    regions = view.layout_of(view.transcript.row_of("m2")).hit_regions
    (text,) = view.layout_of(view.transcript.row_of("m2")).flows
    assert all(region.box.top() >= text.box.bottom() - 3 for region in regions if not region.is_on_hover)
    for key, action, argument in (
        ("m0", Action.BRING_BACK, "m0"),
        ("m2", Action.REGENERATE, "m2"),
        ("mark op1", Action.SHOW_OPERATION, "op1"),
        ("mark op1", Action.UNDO_OPERATION, "op1"),
    ):
        with qtbot.waitSignal(view.action_requested) as wished:
            click(view, qtbot, key, action)
        assert wished.args == [action, argument]
    view.perform(Action.READ, "m2")
    reader = next(w for w in QApplication.topLevelWidgets() if isinstance(w, MessageReader))
    assert reader.text.toPlainText() == "**bold**"
    tell(view.transcript, TurnStarted("c"))
    assert Action.REGENERATE not in actions(view, "m2")


def test_a_failure_says_what_happened_what_was_kept_and_what_to_do(view, qtbot):
    view.transcript.open(chat(2), ())
    tell(view.transcript, TurnFailed("c", Failure("provider", "No answer", "503", "All is kept.", "Try later.")))
    assert {"No answer", "503", "All is kept.", "Try later."} <= set(words(view, "failure 0"))
    with qtbot.waitSignal(view.action_requested) as told:
        click(view, qtbot, "failure 0", Action.TRY_AGAIN)
    assert told.args == [Action.TRY_AGAIN, ""]


@pytest.mark.parametrize(
    ("target", "is_opened"),
    [
        ("https://example.org/a", True),
        ("mailto:a@example.org", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
    ],
)
def test_links_are_opened_only_to_the_web_and_to_mail(view, qtbot, monkeypatch, target, is_opened):
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    view.transcript.open([row(0, Role.ASSISTANT, Text(f"[click me]({target})"))], ())
    spot = (view.origin(0) + view.layout_of(0).flows[0].top_left + QPointF(10, 10)).toPoint()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert opened == [target] * is_opened


@pytest.mark.row("U1", "reasoning folded")
def test_the_system_prompt_and_reasoning_unfold(view, qtbot):
    rows = [row(0, Role.SYSTEM, Text("Be brief.")), row(1, Role.ASSISTANT, Reasoning("Hm, well."), Text("Yes."))]
    view.transcript.open(rows, ())
    assert SYSTEM_PROMPT.format(tokens=10) in words(view, "m0")
    assert "Be brief." not in words(view, "m0")
    click(view, qtbot, "m0", Action.FOLD)
    click(view, qtbot, "m1", Action.FOLD)
    assert "Be brief." in words(view, "m0")
    assert "Hm, well." in words(view, "m1")


def test_of_long_reasoning_the_words_at_its_beginning_are_counted(view):
    rows = [row(n, Role.ASSISTANT, Reasoning("word " * count)) for n, count in enumerate((100_000, 1_000_000))]
    view.transcript.open(rows, ())
    assert "▸ Reasoning · 100,000 words" in words(view, "m0")
    assert REASONING.format(words=100_000) in words(view, "m1")


def test_copying_a_message_and_its_code(view, qtbot):
    text = "Look:\n\n```python\nx = 1\n```"
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    click(view, qtbot, "m0", Action.COPY)
    assert QGuiApplication.clipboard().text() == text
    click(view, qtbot, "m0", Action.COPY_CODE)
    assert QGuiApplication.clipboard().text() == "x = 1"


def test_text_is_marked_with_the_mouse_and_copied(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text("alpha beta\n\ngamma delta"))], ())
    flow = view.layout_of(0).flows[0]
    start = (view.origin(0) + flow.top_left + QPointF(0, 8)).toPoint()
    end = (view.origin(0) + flow.box.bottomRight() - QPointF(2, 8)).toPoint()
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view.viewport(), end)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "alpha beta\ngamma delta"
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=start + QPoint(6, 0))
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "alpha"
    view.transcript.open([row(0, Role.ASSISTANT, Text("alpha beta\n\n```\nx = 1\n```\n\ngamma delta"))], ())
    settle(view, qtbot)
    view.text_selection.begin(TextPosition("m0", (0, 6)))
    view.text_selection.caret = TextPosition("m0", (2, 5))
    view.copy_selection()
    assert QGuiApplication.clipboard().text() == "beta\nx = 1\ngamma"


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_keyboard_goes_from_message_to_message_copies_and_opens_the_menu(view, qtbot):
    view.transcript.open(chat(3), ())
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.currentIndex().row() == 1
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "message 1"
    qtbot.keyClick(view, Qt.Key.Key_Return)
    menu = view.findChild(QMenu)
    assert menu is not None
    offered = [action.text() for action in menu.actions()]
    assert sorted(offered) == [
        BRANCH_OFF, "Copy message", "Export from here on…", "Export up to here…",
        "Open as text", "Pin", "Regenerate", "Show in the request", "What the model saw",
    ]  # fmt: skip
    menu.close()


class Repainted(QObject):
    """Notes what of a widget is painted."""

    def __init__(self, watched):
        super().__init__(watched)
        self.region = QRegion()
        watched.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.region += event.region()
        return False


def test_the_ring_around_the_current_message_is_painted_as_a_whole(view, qtbot):
    view.transcript.open(chat(6), ())
    settle(view, qtbot)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.wait(50)
    painted = Repainted(view.viewport())
    for _ in range(2):
        qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: not painted.region.isEmpty())
    ring = view.visualRect(view.currentIndex()).adjusted(-10, -6, 10, 6)
    assert QRegion(ring).subtracted(painted.region).isEmpty()


def test_a_hostile_message_loads_nothing_and_stays_text(view, tmp_path):
    image = tmp_path / "secret.png"
    image.write_bytes(b"not an image")
    text = f"![pixel](https://evil.example/x.png)\n\n![local]({image})\n\n<img src='{image}'><script>x</script>"
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    shown = "\n".join(words(view, "m0"))
    assert "[image: pixel]" in shown
    assert "[image: local]" in shown
    assert "<script>x</script>" in shown


def test_code_behind_an_emoji_is_marked_where_it_stands(view, qtbot):
    view.transcript.open([row(0, Role.USER, Text("🎉🎉 keep `vendor/` as it is"))], ())
    [flow] = view.layout_of(0).flows
    assert flow.document.toPlainText() == "🎉🎉 keep vendor/ as it is"


def test_code_is_highlighted_a_little_later(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text("```python\ndef f(): return 1  # one\n```"))], ())
    document = view.layout_of(0).flows[0].document
    qtbot.waitUntil(lambda: len(document.firstBlock().layout().formats()) >= 3)


def test_rows_that_were_laid_out_have_the_colours_of_the_theme_that_is_chosen_later(view, qapp):
    def inks() -> set[str]:
        return {drawn.ink.name() for drawn in view.layout_of(0).drawn if isinstance(drawn, TextLine)}

    view.transcript.open([row(0, Role.ASSISTANT, Text("Some text."))], ())
    light = inks()
    try:
        show_theme(qapp, "dark", 1.0)
        dark = inks()
    finally:
        show_theme(qapp, "light", 1.0)
    assert light
    assert light.isdisjoint(dark)
    assert inks() == light


def test_markdown_has_our_look(view):
    text = "# Big\n\nSome `code` and [a link](https://x.org).\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    fonts = {}
    for word in ("Big", "code", "Some"):
        fonts[word] = view.layout_of(0).flows[0].document.find(word).charFormat().font()
    assert (fonts["Big"].pixelSize(), fonts["Some"].pixelSize()) == (18, 14)
    assert fonts["code"].family() != fonts["Some"].family()


def test_a_screen_reader_hears_who_says_what(view):
    view.transcript.open(chat(2), ())
    role = Qt.ItemDataRole.AccessibleTextRole
    assert view.transcript.index(0).data(role) == "You: message 0"
    assert view.accessibleName() == "Conversation"


def test_scrolling_up_into_a_long_reply_keeps_what_is_read(view, qtbot):
    text = "\n\n".join(f"## Part {n}\n\n{'some words ' * 40}" for n in range(120))
    view.transcript.open([row(0, Role.ASSISTANT, Text(text)), *chat(30, first=1)], ())
    settle(view, qtbot)
    view.verticalScrollBar().setValue(top_of(view, "m1") + view.verticalOffset() - 100)
    place = top_of(view, "m1")
    settle(view, qtbot)
    assert abs(top_of(view, "m1") - place) <= 1


def test_a_rule_at_the_beginning_takes_nothing_away(view):
    view.transcript.open([row(0, Role.ASSISTANT, Text("---\nplain\n\n---\n\nmore"))], ())
    assert "plain" in "".join(words(view, "m0"))


def test_a_message_without_an_answer_can_be_tried_again(view, qtbot):
    view.transcript.open([row(0), row(1, Role.ASSISTANT), row(2)], ())
    assert "No answer yet." in words(view, "m2")
    with qtbot.waitSignal(view.action_requested) as told:
        click(view, qtbot, "m2", Action.TRY_AGAIN)
    assert told.args[0] is Action.TRY_AGAIN
