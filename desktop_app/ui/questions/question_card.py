"""The card above the composer in which a turn waits for the user's answer."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QLineEdit, QSizePolicy, QWidget

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.tools import PermissionAnswer, Scope, can_be_kept
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole, announce
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.invisible import escape_invisible
from desktop_app.ui.widgets.layouts import FlowLayout, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, Corner, StyleAware, colour, font, paint_box, restyle, scale, turn_around
from desktop_app.ui.widgets.text_label import TextLabel

from .question_text import (
    covers,
    is_recall,
    note_of,
    pattern_effect,
    pattern_warning,
    suggested_pattern,
    title_of,
    wider_of,
)
from .targets import Targets

DEAF_FOR = 0.4
"""Seconds in which a new question takes no answer: what is being typed or clicked was not meant for it. As long as Qt's
interval of a double click."""

# Pixels
OTHER_HEIGHT = 240  # of the window's height, for everything else
MIN_TRANSCRIPT_HEIGHT = 48
MIN_HEIGHT = 160
MIN_HEIGHT_WITH_KEYS = 260  # a lower card does not name its keys; the tooltips of the buttons do

KEYS = translatable("Alt+A allows once · Alt+C for this conversation · Alt+W always · Alt+D or Esc denies")
KEYS_WITHOUT_ALWAYS = translatable("Alt+A allows once · Alt+C for this conversation · Alt+D or Esc denies")
KEYS_ONCE = translatable("Alt+A allows once · Alt+D or Esc denies")
KEYS_OF_ROUNDS = translatable("Alt+A continues · Alt+D or Esc stops")
READ_ALL = translatable("Read the whole call")
SHOW_ARGUMENTS, HIDE_ARGUMENTS = translatable("Show all arguments"), translatable("Hide arguments")


class QuestionCard(WithRole, StyleAware, QWidget):
    """Shows one question at a time. It never takes the focus by itself, and Enter in the composer answers nothing.

    Signal: answered(id of the question, PermissionAnswer).
    """

    accessible_role = Role.AlertMessage
    answered = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question: QuestionAsked | None = None
        self._shown_at = 0.0
        self.title = TextLabel(weight=BOLD, wraps=True)
        self.position = TextLabel(size=12, tint="ink_faint")
        self.note = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.targets = Targets()
        self.whole = LinkButton(tr(SHOW_ARGUMENTS))
        self.rule = QWidget()
        self.pattern = QLineEdit()
        self.pattern.setAccessibleName(tr("Rule for what is allowed from now on"))
        self.warning = TextLabel(size=12, tint="warning", wraps=True)
        self.effect = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.area = ScrollColumn(spacing=8)
        self.once = Button(tr("Allow once"), ButtonKind.PRIMARY)
        self.conversation = Button(tr("Allow in this conversation"))
        self.always = Button(tr("Always allow"))
        self.deny = Button(tr("Deny"))
        self.keys = TextLabel(size=12, tint="ink_faint", wraps=True)
        self._lay_out()
        self._connect()
        self.refresh_style()
        self.hide()

    @property
    def has_focus(self) -> bool:
        """Whether the focus is in the card."""
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    @property
    def is_listening(self) -> bool:
        """Whether there is a question that has been shown long enough to take an answer."""
        return self.question is not None and monotonic() - self._shown_at >= DEAF_FOR

    def show_question(self, question: QuestionAsked, number: int = 1, count: int = 1) -> None:
        """Show the question with this number of those that wait; one that is shown already stays as it is."""
        self.position.set_text(tr("{number} of {count}").format(number=number, count=count) if count > 1 else "")
        if self.question == question:
            return
        self.question = question
        is_rounds = question.kind == "rounds"
        is_kept = can_be_kept(question.needs)
        self._shown_at = monotonic()
        self.title.set_text(title_of(question))
        _set_or_hide(self.note, note_of(question))
        self.note.set_tint("warning" if any(need.earlier == "changed" for need in question.needs) else "ink_soft")
        self.targets.show_needs(question.needs, question.call, question.preview)
        self.targets.setVisible(not is_rounds)
        self.whole.setVisible(self.targets.has_more)
        self.whole.setText(tr(READ_ALL if self.targets.is_cut else SHOW_ARGUMENTS))
        self.pattern.setText(escape_invisible(suggested_pattern(question.needs)))
        self.rule.setVisible(len(question.needs) == 1 and is_kept and not is_rounds and not is_recall(question))
        self.conversation.setVisible(is_kept and not is_rounds)
        self.always.setVisible(_can_be_always(question))
        self.once.setText(tr("Continue") if is_rounds else tr("Allow once"))
        self.deny.setText(tr("Stop") if is_rounds else tr("Deny"))
        self.keys.set_text(tr(_keys_of(question)))
        self._check_pattern()
        self.setAccessibleName(self.title.text())
        self.setAccessibleDescription(f"{self.targets.words()} {self.note.text()} {self.keys.text()}".strip())
        self.show()
        announce(self, f"{self.title.text()}. {self.targets.words()}", is_urgent=True)

    def clear(self) -> None:
        """Hide the card: no question waits."""
        self.question = None
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._answer(False)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.window().installEventFilter(self)
        self._limit_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:  # of the window
            self._limit_height()
        return super().eventFilter(watched, event)

    def refresh_style(self) -> None:
        restyle(self.pattern, f"font-family: '{font(13, is_mono=True).family()}'; font-size: {scale(13)}px;")
        self._limit_height()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("line"), Corner.CARD)
        turn_around(painter, self)
        paint_box(painter, QRectF(0, 12, 3, box.height() - 24), colour("accent"), None, Corner.MARK)

    def _answer(self, is_allowed: bool, scope: Scope = "once") -> None:
        question = self.question
        if question is None or not self.is_listening:
            return
        pattern = "" if scope == "once" else self._pattern()
        if scope != "once" and not covers(pattern, question.needs):
            self.pattern.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.answered.emit(question.question, PermissionAnswer(is_allowed, scope, pattern))

    def _allow_for(self, scope: Scope) -> None:
        if self.question is None or self.question.kind == "rounds":
            return
        if scope != "always" or _can_be_always(self.question):  # a key presses a hidden button, too
            self._answer(True, scope)

    def _check_pattern(self) -> None:
        needs = self.question.needs if self.question is not None else ()
        _set_or_hide(self.warning, pattern_warning(self._pattern(), needs))
        effect, is_risky = pattern_effect(self._pattern(), needs)
        _set_or_hide(self.effect, effect)
        self.effect.set_tint("warning" if is_risky else "ink_soft")
        for button in (self.conversation, self.always):
            button.setEnabled(covers(self._pattern(), needs))
        self.pattern.setAccessibleDescription(self.warning.text() or effect)

    def _pattern(self) -> str:
        """Return the pattern in the field; the suggested one with its invisible characters."""
        suggestion = suggested_pattern(self.question.needs) if self.question is not None else ""
        text = self.pattern.text().strip()
        return suggestion.strip() if text == escape_invisible(suggestion).strip() else text

    def _show_whole(self) -> None:
        if self.targets.is_cut:
            self.targets.read()
        else:
            self.whole.setText(tr(HIDE_ARGUMENTS if self.targets.toggle_whole() else SHOW_ARGUMENTS))

    def _connect(self) -> None:
        self.once.clicked.connect(lambda _=False: self._answer(True))
        self.conversation.clicked.connect(lambda _=False: self._allow_for("conversation"))
        self.always.clicked.connect(lambda _=False: self._allow_for("always"))
        self.deny.clicked.connect(lambda _=False: self._answer(False))
        self.whole.clicked.connect(self._show_whole)
        self.pattern.textChanged.connect(self._check_pattern)
        for key, button in {"A": self.once, "C": self.conversation, "W": self.always, "D": self.deny}.items():
            # Not QPushButton's own mnemonics: those need an "&" in a text that paints itself.
            QShortcut(QKeySequence(f"Alt+{key}"), self, button.click)
            button.setToolTip(tr("{action} (Alt+{key})").format(action=button.text(), key=key))

    def _lay_out(self) -> None:
        rule_label = TextLabel(tr("Rule for next time"), size=12, tint="ink_soft")
        horizontal(rule_label, (self.pattern, 1), holder=self.rule, spacing=10)
        for widget in (self.note, self.targets, self.whole, self.rule, self.warning, self.effect):
            self.area.add(widget)
        head = horizontal((self.title, 1), (self.position, 0, Qt.AlignmentFlag.AlignTop), spacing=12)
        buttons = FlowLayout(self.once, self.conversation, self.always, self.deny)
        vertical(head, self.area, buttons, self.keys, holder=self, spacing=8, margins=(18, 12, 14, 12))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def _limit_height(self) -> None:
        """Take no more height than the window can spare; what is longer scrolls."""
        limit = max(self.window().height() - scale(OTHER_HEIGHT) - MIN_TRANSCRIPT_HEIGHT, scale(MIN_HEIGHT))
        self.setMaximumHeight(limit)
        self.keys.setVisible(limit >= scale(MIN_HEIGHT_WITH_KEYS))


def _keys_of(question: QuestionAsked) -> str:
    if question.kind == "rounds":
        return KEYS_OF_ROUNDS
    if not can_be_kept(question.needs):
        return KEYS_ONCE
    return KEYS if _can_be_always(question) else KEYS_WITHOUT_ALWAYS


def _can_be_always(question: QuestionAsked) -> bool:
    """Return whether "always" may be answered: not where a look into other conversations, or a command that may do more
    than the sandbox allows, is the exception, and not for what is too long for a rule."""
    is_exception = is_recall(question) or wider_of(question)
    return question.kind != "rounds" and not is_exception and can_be_kept(question.needs)


def _set_or_hide(label: TextLabel, text: str) -> None:
    label.set_text(text)
    label.setVisible(bool(text))
