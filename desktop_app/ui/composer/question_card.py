"""The card above the composer with a permission question of a waiting turn, and what the tool call would touch."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QShowEvent,
    QTextFormat,
)
from PySide6.QtWidgets import QApplication, QLineEdit, QSizePolicy, QTextEdit, QWidget

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import (
    ChangePreview,
    DiffLine,
    PermissionAnswer,
    RequiredPermission,
    Scope,
    can_be_kept,
)
from desktop_app.conversation.words import translatable
from desktop_app.ui.transcript.call_diff import changes_in_call
from desktop_app.ui.transcript.row_text import arguments_text
from desktop_app.ui.transcript.tool_card import TINTS_OF_LINES
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole, announce
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import FlowLayout, horizontal, vertical
from desktop_app.ui.widgets.long_text import LongTextField, TextReader
from desktop_app.ui.widgets.look import BOLD, Corner, StyleAware, colour, font, paint_box, restyle, scale, turn_around
from desktop_app.ui.widgets.number_formats import escape_invisible
from desktop_app.ui.widgets.text_label import TextLabel

from .question_text import (
    DONE_BY,
    MAX_SHOWN,
    command_of,
    covers,
    is_recall,
    is_risky,
    note_of,
    pattern_effect,
    pattern_warning,
    suggested_pattern,
    target_of,
    title_of,
    wider_of,
)

MAX_LINES, MAX_LINES_OF_CHANGE = 6, 12  # lines that are visible at once; more scroll
MARGIN = 16


class Targets(StyleAware, QWidget):
    """Shows commands, paths and hosts in a fixed-pitch font, and all arguments of the call on request."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._short = self._heading = ""  # the text without the arguments: with the lines of a diff, and without
        self._size = 0  # characters of the command and of all targets
        self._call: ToolCall | None = None
        self._is_whole = False
        self._changes: list[str] = []  # lines of a diff, at the end of the short text
        self._signs: list[str] = []  # the sign of each of these lines
        self.text = LongTextField(size=13, is_mono=True)
        self.text.installEventFilter(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("What it would do"))
        vertical(self.text, holder=self, margins=(12, 8, 4, 8))

    @property
    def is_cut(self) -> bool:
        """Whether the call is too long to be shown here."""
        return self._size > MAX_SHOWN or (self._call is not None and len(self._call.arguments) > MAX_SHOWN)

    @property
    def has_more(self) -> bool:
        """Whether the arguments contain more than the short text."""
        return self.is_cut or (self._call is not None and self._whole().partition(": ")[2] != self._short)

    def show_needs(
        self, needs: Sequence[RequiredPermission], call: ToolCall | None, preview: ChangePreview | None = None
    ) -> None:
        """Show the permissions that are needed, and what would change in a file, without the arguments."""
        self._call, self._is_whole = call, False
        command = command_of(needs, call)
        needs = [need for need in needs if need.kind != "run"] if command else needs
        self._size = len(command) + sum(len(need.target) + len(need.about) for need in needs)
        shortened = [replace(need, target=need.target[:MAX_SHOWN], about=need.about[:MAX_SHOWN]) for need in needs]
        lines = [tr(DONE_BY[need.kind]).format(target=target_of(need)) for need in shortened[:MAX_SHOWN]]
        if command:
            self._short = "\n\n".join(filter(None, (command[:MAX_SHOWN], "\n".join(lines))))
        elif len(needs) == 1:
            self._short = target_of(shortened[0])
        else:
            self._short = "\n".join(lines) or self._whole()
        self._changes, self._signs = [], []
        if self._size > MAX_SHOWN:
            size = tr("%n characters in all", "", self._size)
            self._short = f"{self._short[:MAX_SHOWN]} …\n{size}"
        else:
            self._changes, self._signs = _changes_of(call, preview)
        self._heading = self._short
        self._short = "\n".join((self._short, "", *self._changes)) if self._changes else self._short
        self._show(self._short)

    def toggle_whole(self) -> bool:
        """Show or hide the arguments; return whether they are shown now."""
        self._is_whole = not self._is_whole
        self._show(f"{self._short}\n\n{self._whole()}" if self._is_whole else self._short)
        return self._is_whole

    def read(self) -> None:
        """Show the arguments, from which the rest is derived, in a separate window."""
        text = self._whole() or self._short
        TextReader(tr("What it would do"), text, self.window(), is_mono=True, as_shown=escape_invisible).show()

    def words(self) -> str:
        """Return the short text, for screen readers."""
        return escape_invisible(self._short[:MAX_SHOWN])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            QTimer.singleShot(0, self, self._fit)  # once the text has its new width
        return super().eventFilter(watched, event)

    def refresh_style(self) -> None:
        self._colour_changes()
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("code"), None, Corner.CONTROL)

    def _whole(self) -> str:
        return arguments_text(self._call) if self._call is not None else ""

    def _show(self, text: str) -> None:
        self.text.show_text(escape_invisible(text))
        self._colour_changes()
        self._fit()

    def _colour_changes(self) -> None:
        """Give the lines of a diff the background colours that they have in the conversation."""
        text, marked = escape_invisible(self._short), list[QTextEdit.ExtraSelection]()
        start = len(escape_invisible(self._heading)) + 2
        for sign, change in zip(self._signs, self._changes, strict=True):
            end = start + len(escape_invisible(change))
            if (tint := TINTS_OF_LINES.get(sign)) is not None:
                line = QTextEdit.ExtraSelection()
                cursor = self.text.cursor_of(text, start, end)
                if not cursor.movePosition(cursor.MoveOperation.NextCharacter, cursor.MoveMode.KeepAnchor):
                    cursor.clearSelection()  # no line end follows: only an empty selection fills the width
                line.cursor = cursor  # type: ignore[attr-defined]
                line.format.setBackground(colour(tint, 0.16))  # type: ignore[attr-defined]
                line.format.setProperty(QTextFormat.Property.FullWidthSelection, True)  # type: ignore[attr-defined]
                marked.append(line)
            start = end + 1
        self.text.setExtraSelections(marked)

    def _fit(self) -> None:
        limit = MAX_LINES_OF_CHANGE if self._changes else MAX_LINES * (2 if self._is_whole else 1)
        lines, policy = self.text.lines(limit + 1), Qt.ScrollBarPolicy
        self.text.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > limit else policy.ScrollBarAlwaysOff)
        self.text.setFixedHeight(min(lines, limit) * self.text.fontMetrics().lineSpacing() + 8)
        self.setFixedHeight(self.text.height() + MARGIN)


def _changes_of(call: ToolCall | None, preview: ChangePreview | None) -> tuple[list[str], list[str]]:
    """Return the lines of a diff and the sign of each: compared with the file, or else derived from the call alone."""
    if preview is not None and (preview.lines or preview.note in ("same", "line_ends")):
        width = len(str(max((line.number for line in preview.lines), default=0)))
        lines = [_numbered(line, width) for line in preview.lines]
        more = [tr("… %n more lines", "", preview.more)] if preview.more else []
        return lines + more, [line.sign for line in preview.lines] + [" "] * len(more)
    is_short = call is not None and len(call.arguments) <= MAX_SHOWN
    changes = changes_in_call(call) if call is not None and is_short else None
    lines = [*changes.begun] if changes is not None else []
    return lines, [line[:1] for line in lines]


def _numbered(line: DiffLine, width: int) -> str:
    return f"{line.number:>{width}} {line.sign} {line.text}" if line.number else f"{'⋮':>{width}}"


DEAF_FOR = 0.4
"""Seconds in which a new question accepts no answer: what is typed or clicked in that time was not meant for it. Equal
to Qt's double-click interval."""

# Pixels
OTHER_HEIGHT = 240  # of the window's height for everything else
MIN_TRANSCRIPT_HEIGHT = 48
MIN_HEIGHT = 160
MIN_HEIGHT_WITH_KEYS = 260  # a lower card does not list its keys, which are in the buttons' tooltips

KEYS = translatable("Alt+A allows once · Alt+C for this conversation · Alt+W always · Alt+D or Esc denies")
KEYS_WITHOUT_ALWAYS = translatable("Alt+A allows once · Alt+C for this conversation · Alt+D or Esc denies")
KEYS_ONCE = translatable("Alt+A allows once · Alt+D or Esc denies")
KEYS_OF_ROUNDS = translatable("Alt+A continues · Alt+D or Esc stops")
READ_ALL = translatable("Read the whole call")
SHOW_ARGUMENTS, HIDE_ARGUMENTS = translatable("Show all arguments"), translatable("Hide arguments")


class QuestionCard(WithRole, StyleAware, QWidget):
    """Shows one question at a time. It never takes the focus by itself, and Enter in the composer does not answer it.

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
        """Show a question. number, count: its position among the waiting ones. One that is already shown stays."""
        self.position.set_text(tr("{number} of {count}").format(number=number, count=count) if count > 1 else "")
        if self.question == question:
            return
        self.question = question
        is_rounds = question.kind == "rounds"
        is_kept = can_be_kept(question.needs)
        self._shown_at = monotonic()
        self.title.set_text(title_of(question))
        _set_or_hide(self.note, note_of(question))
        self.note.set_tint("warning" if any(map(is_risky, question.needs)) else "ink_soft")
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
        if event.key() == Qt.Key.Key_Escape and self.pattern.hasFocus() and self.pattern.isModified():
            self.once.setFocus(Qt.FocusReason.OtherFocusReason)  # a typed pattern stays; another Escape denies
        elif event.key() == Qt.Key.Key_Escape:
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
        if scope != "always" or _can_be_always(self.question):  # a shortcut also presses a hidden button
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
        """Return the pattern in the field; if that is the suggested one, with its invisible characters."""
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
            # Not QPushButton's mnemonics: these need an "&" in the text, which our buttons would paint.
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
        """Take no more height than the window can spare; longer content scrolls."""
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
    """Return whether "always" is a possible answer.

    It is not for access to other conversations, for commands that may do more than the sandbox allows, and for calls
    that are too long for a rule.
    """
    is_exception = is_recall(question) or wider_of(question)
    return question.kind != "rounds" and not is_exception and can_be_kept(question.needs)


def _set_or_hide(label: TextLabel, text: str) -> None:
    label.set_text(text)
    label.setVisible(bool(text))
