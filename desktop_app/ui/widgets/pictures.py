"""Attached images as they are painted: decoded in a thread, at no more than the size that the window shows."""

from __future__ import annotations

import base64
from collections import OrderedDict
from functools import lru_cache

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QRectF, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QImageReader, QPainter, QPainterPath

from .look import colour, paint_box, scale

MAX_SIZE = QSize(480, 320)
"""Pixels of a picture in the window, before the font scale."""
FORMATS = (b"png", b"jpeg", b"gif", b"webp", b"bmp")
MAX_PICTURES = 32  # pictures that are kept


class Pictures(QObject):
    """Keeps the pictures that were painted last. Signal: loaded, when one that was painted as a box has arrived."""

    loaded = Signal()
    _decoded = Signal(str, QImage)

    def __init__(self) -> None:
        super().__init__()
        self._kept: OrderedDict[str, QImage] = OrderedDict()
        self._decoded.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    def find(self, url: str) -> QImage:
        """Return the picture of a data URL; a null one while it is decoded, and if it cannot be."""
        if url not in self._kept:
            self._kept[url] = QImage()
            size = _limit() * 2  # for dense screens
            QThreadPool.globalInstance().start(lambda: self._decoded.emit(url, _decode(url, size)))
        self._kept.move_to_end(url)
        return self._kept[url]

    def _keep(self, url: str, image: QImage) -> None:
        self._kept[url] = image
        while len(self._kept) > MAX_PICTURES:
            self._kept.popitem(last=False)
        self.loaded.emit()


pictures = Pictures()  # one for the process: transcript and composer show the same images


@lru_cache(maxsize=64)
def picture_size(url: str) -> QSize:
    """Return the pixels of the image of a data URL, read from its first bytes; an empty size for another text."""
    _buffer, reader = _reader(url)
    return reader.size()


def fitting_size(url: str) -> QSize:
    """Return the size at which the image is shown: its own, or as much of it as fits."""
    size, limit = picture_size(url), _limit()
    is_larger = size.width() > limit.width() or size.height() > limit.height()
    return size.scaled(limit, Qt.AspectRatioMode.KeepAspectRatio) if is_larger else size


def paint_picture(painter: QPainter, box: QRectF, url: str, radius: float) -> None:
    """Paint the middle of an image so that it fills the box; a plain box while it is not there."""
    image = pictures.find(url)
    if image.isNull():
        paint_box(painter, box, colour("free"), None, radius)
        return
    part = image.size().scaled(box.size().toSize(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
    target = QRectF(0, 0, part.width(), part.height())
    target.moveCenter(box.center())
    rounded = QPainterPath()
    rounded.addRoundedRect(box, radius, radius)
    painter.save()
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    painter.setClipPath(rounded, Qt.ClipOperation.IntersectClip)
    painter.drawImage(target, image)
    painter.restore()


def _limit() -> QSize:
    return QSize(scale(MAX_SIZE.width()), scale(MAX_SIZE.height()))


def _reader(url: str) -> tuple[QBuffer, QImageReader]:
    """Return a reader, and the buffer that has to live as long. What is no picture of pixels, such as SVG, is not read:
    its parts can refer to files.
    """
    buffer = QBuffer()
    encoded = url.partition(";base64,")[2]
    buffer.setData(QByteArray(base64.b64decode(encoded[: len(encoded) // 4 * 4])))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    if bytes(reader.format().data()) not in FORMATS:
        reader = QImageReader()
    return buffer, reader


def _decode(url: str, limit: QSize) -> QImage:
    _buffer, reader = _reader(url)
    size = reader.size()
    if size.width() > limit.width() or size.height() > limit.height():
        reader.setScaledSize(size.scaled(limit, Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()
