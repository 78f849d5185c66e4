"""The picture that the last session left of its window: shown at the next start until the real window is ready.

One file has it, with what it was made for: a window of another size, theme or language is not like it. The file is
private like the archive, and is removed when a conversation is deleted. Damaged ones are ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec
from PySide6.QtCore import QBuffer, QIODevice, QRect, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from desktop_app import __version__
from desktop_app.paths import replace_private_file

from .theme import theme
from .widgets.look import colour

MAGIC = b"palimpsest picture 1\n"
HASH_BYTES = 32
MAX_BYTES = 64 * 1024 * 1024
QUALITY = 80  # of a PNG: little compression, which is quickest to write and to read


class Look(msgspec.Struct, frozen=True):
    """What a picture of the window depends on, besides its content."""

    width: int
    height: int
    ratio: float
    is_dark: bool
    has_high_contrast: bool
    font_scale: float
    language: str
    program: str = __version__


def look_of(window: QWidget, language: str) -> Look:
    """Return how that window looks now. language: the one that the settings name."""
    ratio = window.devicePixelRatioF()
    colours = theme.is_dark, theme.has_high_contrast
    return Look(window.width(), window.height(), ratio, *colours, theme.font_scale, language)


def encode_picture(image: QImage, look: Look) -> bytes:
    """Return the content of the file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG", QUALITY)  # type: ignore[call-overload]
    content = msgspec.json.encode(look) + b"\n" + buffer.data().data()
    return MAGIC + hashlib.sha256(content).digest() + content


def decode_picture(content: bytes) -> tuple[QImage, Look] | None:
    """Return the picture, and what it was made for; None if the bytes are no such file."""
    start = len(MAGIC) + HASH_BYTES
    if not content.startswith(MAGIC) or hashlib.sha256(content[start:]).digest() != content[len(MAGIC) : start]:
        return None
    line, _, png = content[start:].partition(b"\n")
    try:
        look = msgspec.json.decode(line, type=Look)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    image = QImage.fromData(png, "PNG")  # type: ignore[call-overload]
    image.setDevicePixelRatio(look.ratio)
    size = round(look.width * look.ratio), round(look.height * look.ratio)
    return None if image.isNull() or (image.width(), image.height()) != size else (image, look)


def read_picture(file: Path) -> tuple[QImage, Look] | None:
    """Return the picture in a file; None if there is none that can be used."""
    with contextlib.suppress(OSError):
        if file.stat().st_size <= MAX_BYTES:
            return decode_picture(file.read_bytes())
    return None


def store_picture(file: Path, image: QImage, look: Look) -> None:
    """Replace the file, in any thread. A failure is ignored: the next start is less quick."""
    if file.parent.is_dir():  # a data folder that was moved away is not created again
        with contextlib.suppress(OSError):
            replace_private_file(file, encode_picture(image, look))


class StillPicture(QWidget):
    """Shows the picture, and takes the mouse: what is under it is not there yet."""

    def __init__(self, image: QImage, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._image, self._look = image, look
        self.setCursor(Qt.CursorShape.BusyCursor)

    def cover(self, window: QWidget) -> None:
        """Lie above everything in a window of the right size."""
        self.setParent(window)
        self.setGeometry(QRect(0, 0, self._look.width, self._look.height))
        self.raise_()
        self.show()

    def uncover(self, widget: QWidget) -> None:
        """Let that widget be seen and used."""
        self.setMask(self._region() - QRegion(self._place_of(widget)))

    def cover_only(self, widget: QWidget) -> None:
        """Lie above nothing but that widget from now on."""
        self.setMask(QRegion(self._place_of(widget)))

    def _region(self) -> QRegion:
        return QRegion(self.rect()) if self.mask().isEmpty() else self.mask()

    def _place_of(self, widget: QWidget) -> QRect:
        return QRect(self.mapFromGlobal(widget.mapToGlobal(widget.rect().topLeft())), widget.size())

    def go(self) -> None:
        """Leave the real window to be seen."""
        self.hide()
        self.deleteLater()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if (self.width(), self.height(), self.devicePixelRatioF()) == (
            self._look.width, self._look.height, self._look.ratio,
        ):  # fmt: skip
            painter.drawImage(0, 0, self._image)
        else:
            painter.fillRect(self.rect(), colour("paper"))
