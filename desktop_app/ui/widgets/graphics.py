"""Drawings of formulas and diagrams: asked for when they are first laid out, painted once they have arrived."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterable

from PySide6.QtCore import QObject, QRectF, QSizeF, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from desktop_app.conversation.markdown_html import Drawing, Graphic

MAX_DRAWINGS = 1_000
MAX_IMAGES = 128
SCHEME = "graphic:"
TOGETHER = 60  # milliseconds in which graphics are gathered, so that one process draws them


class Graphics(QObject):
    """Keeps drawings by their graphics. Signals: wanted, when some are missing; drawn, when some have arrived.

    version: grows with each arrival.
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
        """Return the drawing, also one that says why there is none; None until it has arrived. name: if it is known."""
        name = name or name_of(graphic)
        if name not in self._kept:
            self._kept[name] = graphic, None
            self._missing[name] = graphic
            self._gathering.start()
        self._kept.move_to_end(name)
        return self._kept[name][1]

    def named(self, name: str) -> tuple[Graphic, Drawing] | None:
        """Return a graphic that was drawn, by its name."""
        graphic, drawing = self._kept.get(name, (None, None))
        return (graphic, drawing) if graphic is not None and drawing is not None and drawing.svg else None

    def error_of(self, name: str) -> str:
        """Return why a graphic was not drawn; "" if it was, and before that is known."""
        _, drawing = self._kept.get(name, (None, None))
        return drawing.error if drawing is not None else ""

    def take_missing(self, count: int) -> list[Graphic]:
        """Return up to so many graphics that are to be drawn, the newest first."""
        names = list(self._missing)[-count:][::-1]
        return [self._missing.pop(name) for name in names]

    def keep(self, graphics: Iterable[Graphic], drawings: Iterable[Drawing]) -> None:
        """Keep the drawings of these graphics."""
        for graphic, drawing in zip(graphics, drawings, strict=True):
            self._kept[name_of(graphic)] = graphic, drawing
        while len(self._kept) > MAX_DRAWINGS:
            self._kept.popitem(last=False)
        self.version += 1
        self.drawn.emit()

    def forget(self, graphics: Iterable[Graphic]) -> None:
        """Let these be asked for again: the engine ended before it drew them."""
        for graphic in graphics:
            self._kept.pop(name_of(graphic), None)

    def image(self, name: str, size: QSizeF, ink: QColor | None = None) -> QImage:
        """Return the drawing as an image of that size in pixels. ink: its one colour; None for its own colours."""
        found, dense = self.named(name), _device_pixel_ratio()
        key = name, size.width(), size.height(), ink.rgba() if ink else None, dense
        if key not in self._images:
            self._images[key] = _paint(found[1].svg, size * dense, ink) if found else QImage()
            self._images[key].setDevicePixelRatio(dense)
            while len(self._images) > MAX_IMAGES:
                self._images.popitem(last=False)
        self._images.move_to_end(key)
        return self._images[key]


graphics = Graphics()  # one for the process: the functions that lay rows out and paint them share what was drawn


def name_of(graphic: Graphic) -> str:
    """Return the name of a graphic within documents."""
    return SCHEME + hashlib.sha256(f"{graphic.kind}\n{graphic.source}".encode(errors="replace")).hexdigest()[:24]


def _paint(svg: str, size: QSizeF, ink: QColor | None) -> QImage:
    from PySide6.QtSvg import QSvgRenderer  # not needed before there is a graphic: the window shows sooner

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
