"""The card above the composer on which a turn waits for the user's word."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.tools import PermissionAnswer, Scope
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.flow import FlowLayout
from desktop_app.ui.widgets.invisible import escape_invisible
from desktop_app.ui.widgets.look import BOLD, RESTYLING, colour, font, paint_box, restyle, scaled
from desktop_app.ui.widgets.text_label import TextLabel

from .question_text import covers, note_of, pattern_warning, suggested_pattern, title_of
from .targets import Targets

DEAF_FOR = 0.4
"""Seconds in which a question that has just appeared takes no answer: what is being typed or clicked was not meant for
it. As long as Qt's interval of a double click."""
ELSE, LEAST, KEYS_FROM = 240, 160, 260
"""Pixels of the window's height that belong to everything else, that the card has at least, and from which on it names
its keys; the tooltips of the buttons name them as well."""
STAGE = 48  # pixels of the conversation that stay in sight
KEYS = "Alt+A allows once · Alt+C for this conversation · Alt+W always · Alt+D or Esc denies"
KEYS_OF_ROUNDS = "Alt+A continues · Alt+D or Esc stops"


class QuestionCard(QWidget):
    """Shows one question at a time. It never takes the focus by itself, and Enter in the composer answers nothing.

    Signal: answered(question's name, PermissionAnswer).
    """

    answered = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question: QuestionAsked | None = None
        self._shown_at = 0.0
        self.title = TextLabel(weight=BOLD, wraps=True)
        self.place = TextLabel(size=12, tint="ink_faint")
        self.note = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.targets = Targets()
        self.whole = LinkButton("Show all arguments")
        self.pattern_label = TextLabel("Rule for next time", size=12, tint="ink_soft")
        self.pattern = QLineEdit()
        self.pattern.setAccessibleName("Rule for what is allowed from now on")
        self.warning = TextLabel(size=12, tint="warning", wraps=True)
        self.area = ScrollColumn(spacing=8)
        self.once = Button("Allow once", ButtonKind.PRIMARY)
        self.conversation = Button("Allow in this conversation")
        self.always = Button("Always allow")
        self.deny = Button("Deny")
        self.keys = TextLabel(size=12, tint="ink_faint", wraps=True)
        self._lay_out()
        self._connect()
        self._dress()
        self.hide()

    @property
    def has_focus(self) -> bool:
        """Whether the keyboard is in the card."""
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    @property
    def is_listening(self) -> bool:
        """Whether it asks something, and has done so long enough to take an answer."""
        return self.question is not None and monotonic() - self._shown_at >= DEAF_FOR

    def show_question(self, question: QuestionAsked, place: int = 1, count: int = 1) -> None:
        """Asks. place, count: which of how many that wait. The one that is shown already stays as the user left it."""
        self.place.set_text(f"{place} of {count}" if count > 1 else "")
        if self.question == question:
            return
        self.question = question
        is_rounds = question.kind == "rounds"
        self._shown_at = monotonic()
        self.title.set_text(title_of(question))
        self._tell(self.note, note_of(question))
        self.targets.show_needs(question.needs, question.call)
        self.targets.setVisible(not is_rounds)
        self.whole.setVisible(self.targets.has_more)
        self.whole.setText("Show all arguments")
        self.pattern.setText(escape_invisible(suggested_pattern(question.needs)))
        self.rule.setVisible(len(question.needs) == 1 and not is_rounds)
        for button in (self.conversation, self.always):
            button.setVisible(not is_rounds)
        self.once.setText("Continue" if is_rounds else "Allow once")
        self.deny.setText("Stop" if is_rounds else "Deny")
        self.keys.set_text(KEYS_OF_ROUNDS if is_rounds else KEYS)
        self._check_pattern()
        self.setAccessibleName(self.title.text())
        self.setAccessibleDescription(f"{self.targets.words()} {self.note.text()} {self.keys.text()}".strip())
        self.show()
        told = QAccessibleAnnouncementEvent(self, f"{self.title.text()}. {self.targets.words()}")
        QAccessible.updateAccessibility(told)

    def clear(self) -> None:
        """Nothing is asked."""
        self.question = None
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape in the card denies."""
        if event.key() == Qt.Key.Key_Escape:
            self._answer(False)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Takes no more room than its window can spare; what is longer scrolls."""
        super().showEvent(event)
        self.window().installEventFilter(self)
        self._limit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follows the height of the window."""
        if event.type() == QEvent.Type.Resize:
            self._limit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme and the font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._dress()
            self._limit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box, and the bar that says that something waits."""
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("accent"), 10)
        paint_box(painter, QRectF(0, 12, 3, box.height() - 24), colour("accent"), None, 1.5)

    def _answer(self, is_allowed: bool, scope: Scope = "once") -> None:
        """Tells the answer, unless the question is too new to have been read."""
        question = self.question
        if question is None or not self.is_listening:
            return
        pattern = "" if scope == "once" else self._pattern()
        if scope != "once" and not covers(pattern, question.needs):
            self.pattern.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.answered.emit(question.question, PermissionAnswer(is_allowed, scope, pattern))

    def _answer_for_longer(self, scope: Scope) -> None:
        if self.question is not None and self.question.kind != "rounds":
            self._answer(True, scope)

    def _check_pattern(self) -> None:
        needs = self.question.needs if self.question is not None else ()
        self._tell(self.warning, pattern_warning(self._pattern(), needs))
        for button in (self.conversation, self.always):
            button.setEnabled(covers(self._pattern(), needs))
        self.pattern.setAccessibleDescription(self.warning.text())

    def _pattern(self) -> str:
        """The pattern in the field; the proposed one with the signs that are only marked there."""
        suggestion = suggested_pattern(self.question.needs) if self.question is not None else ""
        text = self.pattern.text().strip()
        return suggestion.strip() if text == escape_invisible(suggestion).strip() else text

    def _toggle_whole(self) -> None:
        is_whole = self.targets.toggle_whole()
        self.whole.setText("Hide arguments" if is_whole else "Show all arguments")

    def _tell(self, label: TextLabel, words: str) -> None:
        label.set_text(words)
        label.setVisible(bool(words))

    def _connect(self) -> None:
        self.once.clicked.connect(lambda _=False: self._answer(True))
        self.conversation.clicked.connect(lambda _=False: self._answer_for_longer("conversation"))
        self.always.clicked.connect(lambda _=False: self._answer_for_longer("always"))
        self.deny.clicked.connect(lambda _=False: self._answer(False))
        self.whole.clicked.connect(self._toggle_whole)
        self.pattern.textChanged.connect(self._check_pattern)
        for keys, button in {"A": self.once, "C": self.conversation, "W": self.always, "D": self.deny}.items():
            # Not QPushButton's own mnemonics: those need an "&" in a text that paints itself.
            QShortcut(QKeySequence(f"Alt+{keys}"), self, button.click)
            button.setToolTip(f"{button.text()} (Alt+{keys})")

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title, 1)
        head.addWidget(self.place, 0, Qt.AlignmentFlag.AlignTop)
        self.rule = QWidget()
        rule = QHBoxLayout(self.rule)
        rule.setContentsMargins(0, 0, 0, 0)
        rule.setSpacing(10)
        rule.addWidget(self.pattern_label)
        rule.addWidget(self.pattern, 1)
        buttons = FlowLayout()
        for button in (self.once, self.conversation, self.always, self.deny):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 12, 14, 12)
        column.setSpacing(8)
        column.addLayout(head)
        for widget in (self.note, self.targets, self.whole, self.rule, self.warning):
            self.area.add(widget)
        column.addWidget(self.area)
        column.addLayout(buttons)
        column.addWidget(self.keys)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def _limit(self) -> None:
        most = max(self.window().height() - scaled(ELSE) - STAGE, scaled(LEAST))
        self.setMaximumHeight(most)
        self.keys.setVisible(most >= scaled(KEYS_FROM))

    def _dress(self) -> None:
        restyle(self.pattern, f"font-family: '{font(13, is_mono=True).family()}'; font-size: {scaled(13)}px;")
