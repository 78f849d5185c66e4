"""The request view: the next request, an earlier one, or the changes since, in place of the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from desktop_app.conversation.gauge import ComparedPart, Segment, SentRequest
from desktop_app.conversation.words import translatable
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.transcript.transcript_view import COLUMN, SIDE
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import FlowLayout, horizontal, vertical
from desktop_app.ui.widgets.look import Corner, colour, paint_box, scale
from desktop_app.ui.widgets.number_formats import format_number
from desktop_app.ui.widgets.text_label import TextLabel

from .part_list import PartList
from .part_rows import PartRow, compared_rows, rows_in, rows_of, summarize_changes

READING = translatable("Reading the request…")
PADDING = 14  # pixels at both sides of a button's text
NARROW = 560  # pixels of width below which the title is part of the line under the buttons


class ShownRequest(StrEnum):
    """The request that is shown: the next one, an earlier one, or the changes between both."""

    NOW = "now"
    THEN = "then"
    CHANGES = "changes"


class PartFrame(QWidget):
    """The frame around the list."""

    def __init__(self, parts: PartList) -> None:
        super().__init__()
        vertical(parts, holder=self, margins=(1, 5, 1, 5))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), colour("line"), Corner.CARD)


class RequestView(QWidget):
    """Shows a request or a comparison of two.

    Signals: moment_chosen(ShownRequest); replies_requested, for the menu of earlier requests; copy_requested and
    curl_requested, to copy the request as JSON and as a curl command.
    """

    moment_chosen = Signal(object)
    replies_requested = Signal()
    copy_requested = Signal()
    curl_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[PartRow] = []
        self._model = self._when = ""
        self.segment: Segment | None = None
        self.title = TextLabel(size=13, tint="ink_soft")
        self.moments = Segmented([(moment.value, "") for moment in ShownRequest])
        self.moments.hide()
        self.earlier = Button(tr("Earlier request…"), ButtonKind.QUIET, padding=PADDING)
        self.earlier.setToolTip(tr("Show what the model saw when it answered, and what has changed since"))
        self.copy = Button(tr("Copy JSON"), ButtonKind.QUIET, padding=PADDING)
        self.copy.setToolTip(tr("Copy this request, with all texts whole"))
        self.curl = Button(tr("Copy curl"), ButtonKind.QUIET, padding=PADDING)
        self.curl.setToolTip(tr("Copy this request as a command line that sends it, without the key"))
        self.note = TextLabel(tr(READING), size=12, tint="ink_faint")
        self.only_changes = LinkButton(tr("Show only changes"), size=12)
        self.only_changes.setCheckable(True)
        self.only_changes.setChecked(True)
        self.all_parts = LinkButton(tr("Show all parts"), size=12)
        self.list = PartList()
        self._lay_out()
        self.moments.chosen.connect(lambda value: self.moment_chosen.emit(ShownRequest(value)))
        self.earlier.clicked.connect(lambda _=False: self.replies_requested.emit())
        self.copy.clicked.connect(lambda _=False: self.copy_requested.emit())
        self.curl.clicked.connect(lambda _=False: self.curl_requested.emit())
        self.only_changes.toggled.connect(self._show)
        self.all_parts.clicked.connect(lambda _=False: self.filter(None))
        self.show_moment(ShownRequest.NOW, "")

    @property
    def moment(self) -> ShownRequest:
        return ShownRequest(self.moments.value())

    def show_moment(self, moment: ShownRequest, when: str) -> None:
        """Prepare to show a request that will arrive. when: the time of the earlier reply; "" for none."""
        self._when = when
        self.moments.setVisible(bool(when))
        texts = (tr("Now"), tr("At {time}").format(time=when), tr("Changes since"))
        for value, text in zip(ShownRequest, texts, strict=True):
            button = self.moments.button(value)
            button.setText(text)
            button.setAccessibleName(text)
        self.moments.choose(moment)
        self._set_rows([], tr(READING))
        self._place_title()

    def set_model(self, label: str) -> None:
        """Set the display name of the model that gets the request."""
        self._model = label
        self._name()

    def set_request(self, request: SentRequest) -> None:
        count, listed = request.unlisted[1], len(request.parts)
        words = tr("%n parts of {all} are listed: the first and the newest", "", listed).format(
            all=format_number(listed + count)
        )
        self._set_rows(rows_of(request), words if count else "")

    def set_changes(self, parts: Sequence[ComparedPart]) -> None:
        rows = compared_rows(parts)
        self._set_rows(rows, summarize_changes(rows))

    def show_failure(self, message: str) -> None:
        self._set_rows([], message)

    def filter(self, segment: Segment | None) -> None:
        """Show only the parts of a segment; None for all."""
        self.segment = segment
        self._show()

    def choose(self, message_id: str) -> bool:
        """Select the part with that message; return False if there is none."""
        rows = self.list.parts.rows
        number = next((n for n, row in enumerate(rows) if row.part.message_id == message_id), -1)
        if number >= 0:
            self.list.choose(number)
        return number >= 0

    def offer_replies(self, replies: Sequence[tuple[str, str]]) -> QMenu:
        """Open the menu of earlier requests, and return it. replies: their ids and labels."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for reply_id, text in replies:
            menu.addAction(text.replace("&", "&&")).setData(reply_id)
        if not replies:
            menu.addAction(tr("The model has not answered yet")).setEnabled(False)
        menu.popup(self.earlier.mapToGlobal(QPoint(0, self.earlier.height() + 4)))
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = max((self.width() - scale(COLUMN)) // 2, SIDE)
        edge = min(scale(12), self.height() // 20)
        self._column.setContentsMargins(side, edge, side, edge)
        self.earlier.setVisible(self.width() - 2 * side > scale(420) or self.moments.isHidden())
        self._place_title()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), colour("paper"))

    def _place_title(self) -> None:
        """Show the title in the bar if it fits there, otherwise below: next to the moments it would be cut off."""
        fits = self.width() >= scale(NARROW) and self.moments.isHidden()
        if fits is not self.title.isVisibleTo(self):
            self.title.setVisible(fits)
            self._show()

    def _lay_out(self) -> None:
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        buttons = FlowLayout(self.moments, self.earlier, self.copy, self.curl, gap=6)
        bar = horizontal((self.title, 1), buttons, spacing=6)
        below = horizontal((self.note, 1), self.only_changes, self.all_parts, spacing=12)
        self._column = vertical(bar, below, (PartFrame(self.list), 1), holder=self, spacing=8)

    def _set_rows(self, rows: list[PartRow], note: str = "") -> None:
        self._rows, self._words = rows, note
        self._show()

    def _name(self) -> None:
        titles = {
            ShownRequest.NOW: tr("The next request, as {model} will get it").format(model=self._model),
            ShownRequest.THEN: tr("The request as it was sent"),
            ShownRequest.CHANGES: tr("What has changed since {time}").format(time=self._when),
        }
        self.title.set_text(titles[self.moment])

    def _show(self) -> None:
        is_compared = self.moment is ShownRequest.CHANGES
        self._name()
        self.only_changes.setVisible(is_compared)
        self.only_changes.setText(tr("Show all parts") if self.only_changes.isChecked() else tr("Show only changes"))
        self.all_parts.setVisible(self.segment is not None)
        self.copy.setVisible(not is_compared)
        self.curl.setVisible(not is_compared)
        rows = rows_in(self._rows, self.segment, is_compared and self.only_changes.isChecked())
        self.list.parts.set_rows(rows)
        words = self._words or self._describe(rows)
        self.note.set_text(words if self.title.isVisibleTo(self) else f"{words} · {self.title.text()}")

    def _describe(self, rows: Sequence[PartRow]) -> str:
        """Return the number of parts that are shown, and their tokens."""
        tokens = tr("%n tokens", "", sum(row.part.tokens for row in rows))
        if self.segment is None:
            return " · ".join((tr("%n parts", "", len(rows)), tokens))
        of_all = tr("{category}: {count} of %n parts", "", len(self._rows))
        of_all = of_all.format(category=tr(SEGMENT_NAMES[self.segment]), count=format_number(len(rows)))
        return f"{of_all} · {tokens}"
