"""The glyphs of the texts that were shown last: without them Qt shapes a paragraph anew whenever a line is painted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from functools import cache

import shiboken6
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QTextDocument, QTextLayout

MAX_CHARACTERS = 100_000  # whose glyphs are kept: several screens full
BLOCK_WEIGHT = 20  # characters that a paragraph counts for besides its own: to forget one takes as long as many
ABOVE_ALL = QRectF(0, -100_000, 1, 1)  # where no line is


class GlyphCache:
    """Which documents keep their glyphs from one paint to the next."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[QTextDocument, int] = OrderedDict()  # in characters; what was shown last is at the end
        self._size = 0

    def keep(self, document: QTextDocument) -> None:
        """Keep the glyphs of a document that is about to be laid out or painted; of those shown longest ago no more."""
        if document in self._sizes:
            self._sizes.move_to_end(document)
            return
        for layout in _layouts(document):
            layout.setCacheEnabled(True)
        self._sizes[document] = document.characterCount() + BLOCK_WEIGHT * document.blockCount()
        self._size += self._sizes[document]
        while self._size > MAX_CHARACTERS and len(self._sizes) > 1:
            self._forget_oldest()

    def clear(self) -> None:
        """Forget all glyphs."""
        while self._sizes:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        document, size = self._sizes.popitem(last=False)
        self._size -= size
        if not shiboken6.isValid(document):
            return  # the application ends, and loses its fonts after its documents
        with QPainter(_paper()) as painter:
            for layout in _layouts(document):
                layout.setCacheEnabled(False)
                layout.draw(painter, QPointF(), [], ABOVE_ALL)  # draws nothing, and frees what is not to be kept


@cache
def glyph_cache() -> GlyphCache:
    """Return the one of this window. Glyphs are numbers within fonts: it is cleared when Qt loads those anew."""
    made, application = GlyphCache(), QGuiApplication.instance()
    assert isinstance(application, QGuiApplication)
    application.fontDatabaseChanged.connect(made.clear)
    return made


def _layouts(document: QTextDocument) -> Iterator[QTextLayout]:
    block = document.begin()
    while block.isValid():
        yield block.layout()
        block = block.next()


@cache
def _paper() -> QImage:
    return QImage(1, 1, QImage.Format.Format_RGB32)
