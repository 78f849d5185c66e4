"""Caches of attached images and drawn graphics, for painting.

Images are decoded on a thread, at no more than the size at which the window shows them. Drawings of formulas and
diagrams are requested when they are first laid out, and painted once they have arrived.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QObject,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QThreadPool,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QGuiApplication, QImage, QImageReader, QPainter, QPainterPath

from desktop_app.conversation.markdown_html import Drawing, Graphic

from .look import colour, paint_box, scale

MAX_SIZE = QSize(480, 320)
"""The maximum size of a picture in the window, in pixels before the font scale."""
FORMATS = (b"png", b"jpeg", b"gif", b"webp", b"bmp")
MAX_PICTURES = 32  # decoded pictures in the cache


class Pictures(QObject):
    """A cache of the pictures painted last. Signal: loaded, when a picture that was missing is decoded."""

    loaded = Signal()
    _decoded = Signal(str, QImage)

    def __init__(self) -> None:
        super().__init__()
        self._kept: OrderedDict[str, QImage] = OrderedDict()
        self._decoded.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    def find(self, url: str) -> QImage:
        """Return the picture of a data URL; a null image until it is decoded, and if it cannot be decoded."""
        if url not in self._kept:
            self._kept[url] = QImage()
            size = _limit() * 2  # for high-resolution screens
            QThreadPool.globalInstance().start(lambda: self._decoded.emit(url, _decode(url, size)))
        self._kept.move_to_end(url)
        return self._kept[url]

    def _keep(self, url: str, image: QImage) -> None:
        self._kept[url] = image
        while len(self._kept) > MAX_PICTURES:
            self._kept.popitem(last=False)
        self.loaded.emit()


pictures = Pictures()  # one per process: transcript and composer show the same images


@lru_cache(maxsize=64)
def picture_size(url: str) -> QSize:
    """Return the size of a data URL's image in pixels, read from its header; an empty size for any other text."""
    _buffer, reader = _reader(url)
    return reader.size()


def fitting_size(url: str) -> QSize:
    """Return the size at which an image is shown: its own, or scaled down to MAX_SIZE."""
    size, limit = picture_size(url), _limit()
    is_larger = size.width() > limit.width() or size.height() > limit.height()
    return size.scaled(limit, Qt.AspectRatioMode.KeepAspectRatio) if is_larger else size


def paint_picture(painter: QPainter, box: QRectF, url: str, radius: float) -> None:
    """Fill the box with the middle of an image; a plain box until the image is decoded."""
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
    """Return a reader and its buffer, which has to live as long.

    Only raster images are read: vector formats such as SVG can refer to files.
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


MAX_DRAWINGS = 1_000
MAX_IMAGES = 128
SCHEME = "graphic:"
TOGETHER = 60  # milliseconds for which missing graphics are collected, so that one process draws them


class Graphics(QObject):
    """A cache of drawings. Signals: wanted, when some are missing; drawn, when some have arrived.

    version: increases with each arrival.
    """

    wanted = Signal()
    drawn = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.version = 0
        self._kept: OrderedDict[str, tuple[Graphic, Drawing | None]] = OrderedDict()
        self._images: OrderedDict[tuple[object, ...], QImage] = OrderedDict()
        self._missing: dict[str, Graphic] = {}
        self._gathering = QTimer(self, singleShot=True, interval=TOGETHER)
        self._gathering.timeout.connect(self.wanted)

    def find(self, graphic: Graphic, name: str = "") -> Drawing | None:
        """Return the drawing of a graphic, or one with the error; None until it has arrived.

        name: the graphic's `name_of`, if known; "" to compute it.
        """
        name = name or name_of(graphic)
        if name not in self._kept:
            self._kept[name] = graphic, None
            self._missing[name] = graphic
            self._gathering.start()
        self._kept.move_to_end(name)
        return self._kept[name][1]

    def named(self, name: str) -> tuple[Graphic, Drawing] | None:
        """Return the graphic of that name with its drawing; None if it was not drawn."""
        graphic, drawing = self._kept.get(name, (None, None))
        return (graphic, drawing) if graphic is not None and drawing is not None and drawing.svg else None

    def error_of(self, name: str) -> str:
        """Return the reason why a graphic was not drawn; "" if it was, or has not arrived."""
        _, drawing = self._kept.get(name, (None, None))
        return drawing.error if drawing is not None else ""

    def take_missing(self, count: int) -> list[Graphic]:
        """Remove and return up to `count` graphics that are to be drawn, the newest first."""
        names = list(self._missing)[-count:][::-1]
        return [self._missing.pop(name) for name in names]

    def keep(self, graphics: Iterable[Graphic], drawings: Iterable[Drawing]) -> None:
        """Store the drawings of these graphics."""
        for graphic, drawing in zip(graphics, drawings, strict=True):
            self._kept[name_of(graphic)] = graphic, drawing
        while len(self._kept) > MAX_DRAWINGS:
            self._kept.popitem(last=False)
        self.version += 1
        self.drawn.emit()

    def forget(self, graphics: Iterable[Graphic]) -> None:
        """Drop these graphics, so that they are requested again: the engine ended before it drew them."""
        for graphic in graphics:
            self._kept.pop(name_of(graphic), None)

    def image(self, name: str, size: QSizeF, ink: QColor | None = None) -> QImage:
        """Return a drawing as an image of that size in pixels. ink: one colour for it; None for its own colours."""
        found, dense = self.named(name), _device_pixel_ratio()
        key = name, size.width(), size.height(), ink.rgba() if ink else None, dense
        if key not in self._images:
            self._images[key] = _paint(found[1].svg, size * dense, ink) if found else QImage()
            self._images[key].setDevicePixelRatio(dense)
            while len(self._images) > MAX_IMAGES:
                self._images.popitem(last=False)
        self._images.move_to_end(key)
        return self._images[key]


graphics = Graphics()  # one per process, shared by the functions that lay out and paint rows


def name_of(graphic: Graphic) -> str:
    """Return the URL of a graphic within documents: SCHEME and a hash of its kind and source."""
    return SCHEME + hashlib.sha256(f"{graphic.kind}\n{graphic.source}".encode(errors="replace")).hexdigest()[:24]


def _paint(svg: str, size: QSizeF, ink: QColor | None) -> QImage:
    from PySide6.QtSvg import QSvgRenderer  # imported with the first graphic, so that the window opens sooner

    image = QImage(math.ceil(size.width()), math.ceil(size.height()), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(svg.encode()).render(painter, QRectF(0, 0, size.width(), size.height()))
    if ink is not None:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(image.rect(), ink)
    painter.end()
    return image


def _device_pixel_ratio() -> float:
    screen = QGuiApplication.primaryScreen()
    return screen.devicePixelRatio() if screen is not None else 1.0
