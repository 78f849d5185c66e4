"""What is asked is what is seen: signs that hide, or turn others around, are marked."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import PermissionAnswer, RequiredPermission
from desktop_app.ui.questions import question_card
from desktop_app.ui.questions.question_card import QuestionCard
from desktop_app.ui.questions.question_text import note_of, pending_question_text, title_of
from desktop_app.ui.transcript.row_text import arguments_summary
from desktop_app.ui.widgets.invisible import escape_invisible

SIGNS = ("\u202e", "\u2066", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u3164", "\U000e0041", "\x1b", "\u2028")


def asked(*needs: RequiredPermission, name: str = "write", arguments: str = "{}") -> QuestionAsked:
    return QuestionAsked("v", "q1", "permission", ToolCall("c", name, arguments), needs)


@pytest.fixture
def card(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QuestionCard:
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)
    made = QuestionCard()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_that_nobody_sees_is_shown_by_its_number(card: QuestionCard, sign: str) -> None:
    path = f"/w/invoice{sign}fdp.exe"
    card.show_question(asked(RequiredPermission("write", "write", path, f"/w{sign}/*"), name=f"wri{sign}te"))
    seen = [card.title.text(), card.targets.text.toPlainText(), card.pattern.text(), card.accessibleDescription()]
    card.targets.toggle_whole()
    seen.append(card.targets.text.toPlainText())
    for text in seen:
        assert sign not in text
        assert f"‹U+{ord(sign):04X}›" in text
    assert "invisible" in card.note.text()


def test_a_pattern_that_is_only_marked_is_allowed_as_it_was(card: QuestionCard) -> None:
    need = RequiredPermission("write", "write", "/w/a\u200db/x", "/w/a\u200db/*")
    card.show_question(asked(need))
    answered = QSignalSpy(card.answered)
    assert card.always.isEnabled()
    card.always.click()
    assert answered.at(0)[1] == PermissionAnswer(True, "always", need.suggestion)
    card.pattern.setText("/w/*")
    card.always.click()
    assert answered.at(1)[1] == PermissionAnswer(True, "always", "/w/*")


def test_a_path_with_an_end_of_line_looks_like_no_second_need(card: QuestionCard) -> None:
    card.show_question(
        asked(RequiredPermission("a", "read", "/w/x\nRead: /w/harmless"), RequiredPermission("a", "write", "/w/y"))
    )
    assert card.targets.text.toPlainText().splitlines() == ["Read: /w/x‹U+000A›Read: /w/harmless", "Change: /w/y"]


def test_titles_and_notes_are_marked_too() -> None:
    question = asked(
        RequiredPermission("b", "run", "a\u202eb", "a\u202eb"), RequiredPermission("b", "run", "c", "c"), name="b"
    )
    assert "\u202e" not in pending_question_text(question, "my\u202e title") + title_of(question) + note_of(question)
    assert "‹U+202E›" in pending_question_text(question, "my\u202e title")


@pytest.mark.parametrize("arguments", ['{"path": "a\\u202eb"}', "a\u202eb"])
def test_the_card_of_a_call_in_the_conversation_marks_them_too(arguments: str) -> None:
    assert arguments_summary(ToolCall("c", "write", arguments)) == "a‹U+202E›b"


@pytest.mark.parametrize("text", ["git log -3 | head", "naïve café.txt", "日本語", "שלום", "a\tb\nc", "👍🏽"])
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    assert escape_invisible(text) == text
