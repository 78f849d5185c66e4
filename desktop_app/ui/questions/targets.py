"""What a call would touch: it is what the user allows. What nobody reads in a card is read in a window."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextFormat
from PySide6.QtWidgets import QTextEdit, QWidget

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ChangePreview, DiffLine, RequiredPermission
from desktop_app.ui.transcript.call_diff import changes_in_call
from desktop_app.ui.transcript.row_text import arguments_text
from desktop_app.ui.transcript.tool_card import TINTS_OF_LINES
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.invisible import escape_invisible
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import Corner, StyleAware, colour, paint_box
from desktop_app.ui.widgets.text_reader import TextReader

from .question_text import DONE_BY, MAX_SHOWN, command_of, target_of

MAX_LINES, MAX_LINES_OF_CHANGE = 6, 12  # shown at once; more lines scroll
MARGIN = 16


class Targets(StyleAware, QWidget):
    """Shows commands, paths and hosts in a fixed-pitch font, and all arguments of the call on request."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._short = self._heading = ""  # with the lines of a diff, and without
        self._size = 0  # characters of all that it would touch
        self._call: ToolCall | None = None
        self._is_whole = False
        self._changes: list[str] = []  # lines of a diff, at the end of what is shown first
        self._signs: list[str] = []  # of each of them
        self.text = LongTextField(size=13, is_mono=True)
        self.text.installEventFilter(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("What it would do"))
        vertical(self.text, holder=self, margins=(12, 8, 4, 8))

    @property
    def is_cut(self) -> bool:
        """Whether it is too long to be shown here."""
        return self._size > MAX_SHOWN or (self._call is not None and len(self._call.arguments) > MAX_SHOWN)

    @property
    def has_more(self) -> bool:
        """Whether the arguments say more than what is shown first."""
        return self.is_cut or (self._call is not None and self._whole().partition(": ")[2] != self._short)

    def show_needs(
        self, needs: Sequence[RequiredPermission], call: ToolCall | None, preview: ChangePreview | None = None
    ) -> None:
        """Show what is needed, and what would change in a file, without the arguments."""
        self._call, self._is_whole = call, False
        command = command_of(needs, call)
        needs = [need for need in needs if need.kind != "run"] if command else needs
        self._size = len(command) + sum(len(need.target) + len(need.about) for need in needs)
        begun = [replace(need, target=need.target[:MAX_SHOWN], about=need.about[:MAX_SHOWN]) for need in needs]
        lines = [tr(DONE_BY[need.kind]).format(target=target_of(need)) for need in begun[:MAX_SHOWN]]
        if command:
            self._short = "\n\n".join(filter(None, (command[:MAX_SHOWN], "\n".join(lines))))
        elif len(needs) == 1:
            self._short = target_of(begun[0])
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
        """Show or hide all arguments; return whether they are shown now."""
        self._is_whole = not self._is_whole
        self._show(f"{self._short}\n\n{self._whole()}" if self._is_whole else self._short)
        return self._is_whole

    def read(self) -> None:
        """Show all arguments, of which everything else is made, in a window of their own."""
        text = self._whole() or self._short
        TextReader(tr("What it would do"), text, self.window(), is_mono=True, as_shown=escape_invisible).show()

    def words(self) -> str:
        """Return what is shown first, for screen readers."""
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
        """Give the lines of a diff the grounds that they have in the conversation."""
        shown, marked = escape_invisible(self._short), list[QTextEdit.ExtraSelection]()
        start = len(escape_invisible(self._heading)) + 2
        for sign, change in zip(self._signs, self._changes, strict=True):
            end = start + len(escape_invisible(change))
            if (tint := TINTS_OF_LINES.get(sign)) is not None:
                line = QTextEdit.ExtraSelection()
                cursor = self.text.cursor_of(shown, start, end)
                if not cursor.movePosition(cursor.MoveOperation.NextCharacter, cursor.MoveMode.KeepAnchor):
                    cursor.clearSelection()  # at the end of all: only with a line's end would its whole width be filled
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
    """Return the lines of a diff, and the sign of each: of the file, else of what the call itself says."""
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
