"""Plain text and code as documents that Qt can lay out, and the caches of documents and glyphs.

Documents load nothing from outside a message. Without cached glyphs, Qt shapes a paragraph again for each line it
paints.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from time import monotonic
from typing import Any, TypeVar
from unicodedata import bidirectional

import shiboken6
from PySide6.QtCore import QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QImage,
    QPainter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextOption,
    QTextTable,
)

from desktop_app.ui.theme import theme
from desktop_app.ui.widgets.look import colour, font, scale
from desktop_app.ui.widgets.text_label import look_for, units

from .script_fonts import load_document_fonts, load_fonts
from .segments import GrowingPlainText, GrowingText, MarkdownSegment

MAX_CHARACTERS = 100_000  # characters whose glyphs are cached: several screenfuls
BLOCK_WEIGHT = 20  # characters that a paragraph counts for in addition to its own, as freeing it has a fixed cost
ABOVE_ALL = QRectF(0, -100_000, 1, 1)  # a clip without any line


class GlyphCache:
    """Lets recently shown documents keep their glyphs from one paint to the next."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[QTextDocument, int] = (
            OrderedDict()
        )  # in characters; the document that was shown last is at the end
        self._size = 0

    def keep(self, document: QTextDocument) -> None:
        """Keep the glyphs of a document that will be laid out or painted; free the glyphs of the least recent ones."""
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
            return  # the application is ending, and its documents were deleted before its fonts
        with QPainter(_paper()) as painter:
            for layout in _layouts(document):
                layout.setCacheEnabled(False)
                layout.draw(painter, QPointF(), [], ABOVE_ALL)  # draws nothing, but frees the glyphs


@cache
def glyph_cache() -> GlyphCache:
    """Return the window's glyph cache. Glyphs are indices into fonts: it is cleared when Qt reloads the fonts."""
    glyphs, application = GlyphCache(), QGuiApplication.instance()
    assert isinstance(application, QGuiApplication)
    application.fontDatabaseChanged.connect(glyphs.clear)
    return glyphs


def _layouts(document: QTextDocument) -> Iterator[QTextLayout]:
    block = document.begin()
    while block.isValid():
        yield block.layout()
        block = block.next()


@cache
def _paper() -> QImage:
    return QImage(1, 1, QImage.Format.Format_RGB32)


LINE_HEIGHT = 22
CODE_LINE_HEIGHT = 19
MAX_DOCUMENTS = 256  # cached documents; a visible message has a few
MAX_NEUTRAL = 500  # characters at the beginning that are searched for a letter
MAX_TEXTS = 64  # messages whose segments are cached
MAX_CODE_SPANS = 150  # code spans in one piece of typed text; a piece with more is not formatted
SHORT = 400  # characters up to which a document is laid out even if loading its fonts took until the deadline
MAX_VALUES = 512  # cached values, in addition to one for each document
_BACKTICKS = re.compile(r"`([^`\n]+)`")


def code_font(size: float) -> QFont:
    """Return the fixed-pitch font."""
    return font(size, is_mono=True)


def text_direction(text: str) -> Qt.LayoutDirection:
    """Return RightToLeft if the text's first letter is; otherwise Auto: each paragraph follows its own first letter."""
    letters = (bidirectional(sign) for sign in text[:MAX_NEUTRAL])
    first = next((kind for kind in letters if kind in ("L", "R", "AL")), "L")
    return Qt.LayoutDirection.LayoutDirectionAuto if first == "L" else Qt.LayoutDirection.RightToLeft


class InkDocument(QTextDocument):
    """A document without margins, undo or resources.

    signed: the numbers of the blocks that have a sign (see `has_sign`). found: what was searched for last, and the
    boxes of its matches. is_laid_out: whether it has been laid out, which takes time. key: its place in the cache.
    """

    def __init__(self, text: str, is_code: bool = False) -> None:
        """text: the text that the document will contain, for the choice of a font."""
        super().__init__()
        self.is_laid_out = False
        self.key: tuple[object, ...] = ()
        self.signed: tuple[int, ...] = ()
        self.found: tuple[object, list[QRectF]] = "", []
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(look_for(text, code_font(12.5) if is_code else font()))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if is_code:
            option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.setDefaultTextOption(option)

    def set_direction(self, direction: Qt.LayoutDirection) -> None:
        """Set the direction of the text, unless it is code."""
        option = self.defaultTextOption()
        if option.textDirection() not in (direction, Qt.LayoutDirection.LeftToRight):
            option.setTextDirection(direction)
            self.setDefaultTextOption(option)
        if direction == Qt.LayoutDirection.RightToLeft:
            for frame in self.rootFrame().childFrames():
                if isinstance(frame, QTextTable):
                    shape = frame.format()
                    shape.setAlignment(Qt.AlignmentFlag.AlignRight)
                    frame.setFormat(shape)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing: a message must not make the window read a file or a server."""
        return None


def plain_document(text: str) -> InkDocument:
    """Return a document of typed text, with `code` in the fixed-pitch font."""
    document = InkDocument(text)
    document.setPlainText(text)
    cursor = QTextCursor(document)
    code = QTextCharFormat()
    code.setFont(code_font(13))
    spans = list(_BACKTICKS.finditer(text))
    for found in reversed(spans) if len(spans) <= MAX_CODE_SPANS else ():
        cursor.setPosition(units(text, found.start()))
        cursor.setPosition(units(text, found.end()), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(found[1], code)
    _set_lines(document, LINE_HEIGHT)
    return document


def soft_document(text: str) -> InkDocument:
    """Return a document of typed text in a softer colour."""
    document = plain_document(text)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    quiet = QTextCharFormat()
    quiet.setForeground(colour("ink_soft"))
    cursor.mergeCharFormat(quiet)
    return document


def code_document(text: str) -> InkDocument:
    """Return a document of code that is not highlighted yet."""
    document = InkDocument(text, is_code=True)
    document.setPlainText(text)
    _set_lines(document, CODE_LINE_HEIGHT)
    return document


def unwrapped_code_document(text: str) -> InkDocument:
    """Return a document of code whose lines are not wrapped."""
    document = code_document(text)
    option = document.defaultTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    document.setDefaultTextOption(option)
    return document


def _set_lines(document: QTextDocument, height: float) -> None:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    shape = QTextBlockFormat()
    shape.setLineHeight(scale(height), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.mergeBlockFormat(shape)


Make = Callable[..., InkDocument]
Value = TypeVar("Value")


class DocumentCache:
    """Caches documents, so that unchanged ones are not laid out again with their row.

    deadline: the time, by `monotonic`, after which no second document is created; None for no deadline.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], InkDocument] = OrderedDict()
        self._texts: OrderedDict[str, GrowingText] = OrderedDict()
        self._plain: OrderedDict[str, GrowingPlainText] = OrderedDict()
        self.flowed: dict[str, Any] = {}  # what `flow_markdown` has laid out of the texts that grow, by key
        self._values: OrderedDict[tuple[object, ...], Any] = OrderedDict()
        self._max_documents = MAX_DOCUMENTS
        self._has_made = False
        self.deadline: float | None = None
        self._direction = Qt.LayoutDirection.LayoutDirectionAuto

    def begin(self, deadline: float | None, direction: Qt.LayoutDirection) -> None:
        """Begin another row with that reading direction.

        One document is created in any case, further ones until the deadline.
        """
        self._direction = direction
        self.deadline = deadline
        self._has_made = False
        self._max_documents = MAX_DOCUMENTS

    def expect(self, count: int) -> None:
        """Keep `count` documents more than usual, so that a row does not evict its own."""
        self._max_documents = max(self._max_documents, MAX_DOCUMENTS + count)

    @property
    def has_time(self) -> bool:
        return self.deadline is None or not self._has_made or monotonic() < self.deadline

    def segments_of(self, key: str, text: str) -> tuple[list[MarkdownSegment], int]:
        """Return the segments of a text, and the number of characters at its end that there was no time for."""
        growing = self._texts.setdefault(key, GrowingText())
        self._texts.move_to_end(key)
        while len(self._texts) > MAX_TEXTS:
            self._texts.popitem(last=False)
        return growing.segments_of(text, self._may_go_on)

    def plain_pieces_of(self, key: str, text: str) -> tuple[list[tuple[str, str]], int]:
        """Return the pieces of a typed text, and the number of characters at its end that there was no time for."""
        growing = self._plain.setdefault(key, GrowingPlainText())
        self._plain.move_to_end(key)
        while len(self._plain) > MAX_TEXTS:
            self._plain.popitem(last=False)
        return growing.pieces_of(text, self._may_go_on)

    def _may_go_on(self) -> bool:
        has_time, self._has_made = self.has_time, True
        return has_time

    def ready(self, make: Make, text: object, width: float, *more: object) -> InkDocument | None:
        """Return a document if it is cached, or if there is time to create it, load its fonts and lay it out."""
        document = self._kept.get(self._key(make, text, width, *more))
        if document is None or not document.is_laid_out:
            if not self.has_time:
                return None
            is_first, document = not self._has_made, self._made(make, text, width, *more)
            if not load_document_fonts(document, self._may_go_on):
                return None
            if not self.has_time and not (is_first and document.characterCount() <= SHORT):
                return None
        return self.get(make, text, width, *more)

    def has_fonts(self, text: str, *looks: QFont) -> bool:
        """Return whether the fonts for a text are loaded in each of these looks; load them if there is time."""
        return text.isascii() or all(load_fonts(text, look, self._may_go_on) for look in looks)

    def value(self, compute: Callable[[str], Value], text: str) -> Value | None:
        """Return the value computed from a text if it is cached, or if there is time to compute it."""
        is_kept = (compute, text, theme.version) in self._values
        return self.computed(compute, text, text) if is_kept or self._may_go_on() else None

    def computed(self, compute: Callable[[str], Value], text: str, key: str) -> Value:
        """Return the value computed from a text. It is cached under the key until the key's text changes."""
        place = compute, key, theme.version
        known, value = self._values.get(place, (None, None))
        if known != text:
            value = compute(text)
            self._values[place] = text, value
            while len(self._values) > MAX_VALUES + self._max_documents:
                self._values.popitem(last=False)
        self._values.move_to_end(place)
        return value

    def get(self, make: Make, text: object, width: float, *more: object) -> InkDocument:
        """Return a document that is laid out; create it if it is not cached."""
        document = self._made(make, text, width, *more)
        if not document.is_laid_out:
            glyph_cache().keep(document)
            document.setTextWidth(width)
            document.size()  # lays it out: that is what takes time
            document.is_laid_out = self._has_made = True
        return document

    def _made(self, make: Make, text: object, width: float, *more: object) -> InkDocument:
        key = self._key(make, text, width, *more)
        document = self._kept.get(key)
        if document is None:
            document = self._kept[key] = make(text, *more)
            document.key = key
            document.set_direction(self._direction)
            while len(self._kept) > self._max_documents:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return document

    def _key(self, *of_document: object) -> tuple[object, ...]:
        return (*of_document, theme.version, self._direction)

    def use(self, documents: Iterable[InkDocument]) -> None:
        """Note that these documents, which were returned before, are still in use."""
        for document in documents:
            if document.key in self._kept:
                self._kept.move_to_end(document.key)

    def passing(self, text: str, width: float) -> InkDocument:
        """Return a document of code that will change soon: it is not cached, and evicts nothing."""
        document = code_document(text)
        document.setTextWidth(width)
        return document
