"""The draft's attachments, as chips above its text."""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.message import Attachment
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr, tr_details
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import FlowLayout, discard, horizontal
from desktop_app.ui.widgets.look import (
    CONTROL_HEIGHT,
    MEDIUM,
    SMALL_HEIGHT,
    Corner,
    StyleAware,
    Tint,
    colour,
    paint_box,
    scale,
)
from desktop_app.ui.widgets.number_formats import escape_name, shorten
from desktop_app.ui.widgets.pictures import paint_picture, pictures
from desktop_app.ui.widgets.text_label import Run, TextLabel

MAX_NAME = 40  # characters of a name that are shown
READING = translatable("reading…")
NOT_SEEN = translatable("not seen by this model")
NO_READER = translatable(
    "This model gets the name only. Choose one that sees images, or one to describe them: Settings, Other tasks."
)
DESCRIBED = translatable("This model does not see images. It gets a description in words.")
REMOVING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class RemoveButton(Button):
    """The × of a chip; Delete and Backspace also press it."""

    def sizeHint(self) -> QSize:
        return QSize(scale(24), scale(24))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in REMOVING:
            self.click()
        else:
            super().keyPressEvent(event)


class Thumbnail(QWidget):
    """A thumbnail of an image."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        pictures.loaded.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(scale(40), scale(SMALL_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_picture(QPainter(self), QRectF(self.rect()), self._url, 4)


class AttachmentChip(StyleAware, QWidget):
    """One attachment, or a file that is being read. Signal: remove_requested."""

    remove_requested = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.attachment: Attachment | None = None
        self._name = escape_name(name)
        self.label = TextLabel(size=13)
        self.remove = RemoveButton("×", ButtonKind.QUIET)
        self.remove.setAccessibleName(tr("Remove {name}").format(name=self._name))
        self.remove.setToolTip(tr("Remove (Delete)"))
        self.remove.clicked.connect(lambda _=False: self.remove_requested.emit())
        self._row = horizontal(self.label, self.remove, holder=self, spacing=6, margins=(10, 3, 4, 3))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.set_tokens(None)

    def set_attachment(self, attachment: Attachment) -> None:
        """Show the file that was read."""
        self.attachment = attachment
        if attachment.is_image:
            self._row.insertWidget(0, Thumbnail(attachment.content))
        self.set_tokens(None)

    def set_tokens(self, tokens: int | None, image_reader: str | None = "") -> None:
        """Show the tokens that it adds to the request; None while not known. image_reader: see `AttachmentsCounted`."""
        cost = "" if tokens is None else tr("%n tokens", "", tokens)
        details = (tr_details(self.attachment.about), cost) if self.attachment is not None else (tr(READING),)
        detail = " · ".join(filter(None, details))
        is_image = self.attachment is not None and self.attachment.is_image
        note, hint = image_words(image_reader) if is_image else ("", "")
        tint: Tint = "warning" if image_reader is None else "ink_faint"
        name, rest = Run(shorten(self._name, MAX_NAME), weight=MEDIUM), Run(f"  {detail}", "ink_faint")
        self.label.set_runs((name, rest, Run(f" · {note}", tint)) if note else (name, rest))
        self.setAccessibleName(", ".join(filter(None, (self._name, detail, note))))
        self.setAccessibleDescription(hint)
        self.setToolTip("\n".join(filter(None, (self._name, hint))))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the same height with and without a thumbnail."""
        return super().sizeHint().expandedTo(QSize(0, scale(CONTROL_HEIGHT)))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), colour("line"), Corner.CONTROL)


def image_words(image_reader: str | None) -> tuple[str, str]:
    """Return a note for an image that the conversation's model does not see itself, and a hint what to do about it."""
    if image_reader is None:
        return tr(NOT_SEEN), tr(NO_READER)
    return (tr("described by {model}").format(model=image_reader), tr(DESCRIBED)) if image_reader else ("", "")


class AttachmentBar(FlowLayout):
    """The chips of the draft, in order.

    Signals: changed, when the attachments have changed; removed(int), the number of a chip that the user removed; left,
    when the focus should go back to the draft after that.
    """

    changed = Signal()
    removed = Signal(int)
    left = Signal()

    def __init__(self, holder: QWidget) -> None:
        super().__init__(gap=6)
        holder.setLayout(self)
        self._holder = holder
        self._numbers = count()
        self._chips: dict[int, AttachmentChip] = {}
        self._removed: set[int] = set()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(chip.attachment for chip in self._chips.values() if chip.attachment is not None)

    @property
    def chips(self) -> tuple[AttachmentChip, ...]:
        return tuple(self._chips.values())

    @property
    def is_reading(self) -> bool:
        return any(chip.attachment is None for chip in self._chips.values())

    def set_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        """Replace the attachments."""
        for number in list(self._chips):
            self._drop(number)
        for attachment in attachments:
            self._add(attachment.name).set_attachment(attachment)
        self.changed.emit()

    def begin(self, name: str) -> int:
        """Show a file that is being read, and return the number of its chip."""
        self._add(name)
        self.changed.emit()
        return max(self._chips)

    def finish(self, number: int, attachments: tuple[Attachment, ...]) -> None:
        """Show a file that was read, and its pages that are pictures; () removes its chip, as it could not be read."""
        if attachments:
            self._chips[number].set_attachment(attachments[0])
        else:
            self._drop(number)
        if len(attachments) > 1:
            self._add_pages(number, attachments[1:])
        self.changed.emit()

    def _add_pages(self, number: int, pages: tuple[Attachment, ...]) -> None:
        """Add chips behind the one with that number."""
        names = list(self._chips)
        for page in pages:
            self._add(page.name).set_attachment(page)
        for later in names[names.index(number) + 1 :]:
            chip = self._chips[later] = self._chips.pop(later)
            self.removeWidget(chip)
            self.addWidget(chip)

    def has(self, number: int) -> bool:
        return number in self._chips

    def was_removed(self, number: int) -> bool:
        """Return whether the user removed that chip."""
        return number in self._removed

    def set_tokens(self, tokens: tuple[int, ...], image_reader: str | None = "") -> None:
        """Show the tokens of each attachment, and the model that describes the images."""
        read = [chip for chip in self._chips.values() if chip.attachment is not None]
        for chip, cost in zip(read, tokens, strict=False):
            chip.set_tokens(cost, image_reader)

    def focus_last(self) -> bool:
        """Give the newest chip the keyboard focus; return whether there is one."""
        if not self._chips:
            return False
        self.chips[-1].remove.setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def _add(self, name: str) -> AttachmentChip:
        number, chip = next(self._numbers), AttachmentChip(name)
        chip.setParent(self._holder)
        chip.remove_requested.connect(lambda: self._remove(number))
        self._chips[number] = chip
        self.addWidget(chip)
        chip.show()
        return chip

    def _remove(self, number: int) -> None:
        self._removed.add(number)
        self.removed.emit(number)
        had_focus = self._chips[number].remove.hasFocus()
        self._drop(number)
        self.changed.emit()
        if not (had_focus and self.focus_last()):
            self.left.emit()

    def _drop(self, number: int) -> None:
        chip = self._chips.pop(number)
        self.removeWidget(chip)
        discard(chip)
