"""Text made into documents that Qt can lay out: Markdown, plain text with `code` in it, and code.

Nothing is ever loaded from outside a message: images become links, HTML stays text.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QBrush,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTable,
)

from desktop_app.ui.theme import theme
from desktop_app.ui.widgets.look import BOLD, colour, font, scaled

KEPT = 256  # documents; a message on the screen has a few
LINE_HEIGHT = 22
CODE_LINE_HEIGHT = 19
_HEADING_SIZES = {1: 18, 2: 16, 3: 15}
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_NO_HTML = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


def code_font(size: float) -> QFont:
    """The fixed-pitch font."""
    return font(size, is_mono=True)


class InkDocument(QTextDocument):
    """A document without margins, undo or resources."""

    def __init__(self, is_code: bool = False) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(code_font(12.5) if is_code else font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing: a message must not make the window read a file or a server."""
        return None


class DocumentShelf:
    """Documents that were made lately, so that a row that is laid out again keeps those that did not change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], InkDocument] = OrderedDict()

    def markdown(self, text: str, width: float) -> InkDocument:
        """Markdown, `width` pixels wide."""
        return self._find(_markdown, text, width)

    def plain(self, text: str, width: float) -> InkDocument:
        """Text as a person typed it: every line break counts, `code` is set in the fixed-pitch font."""
        return self._find(_plain, text, width)

    def soft(self, text: str, width: float) -> InkDocument:
        """The same in a quieter colour."""
        return self._find(_soft, text, width)

    def code(self, text: str, width: float) -> InkDocument:
        """Code, not highlighted yet."""
        return self._find(_code, text, width)

    def passing(self, text: str, width: float) -> InkDocument:
        """Code that will have changed when it is looked at again: it is not kept, and pushes nothing out."""
        document = _code(text)
        document.setTextWidth(width)
        return document

    def _find(self, make: Callable[[str], InkDocument], text: str, width: float) -> InkDocument:
        key = (make, text, width, theme.version)
        document = self._kept.get(key)
        if document is None:
            document = self._kept[key] = make(text)
            document.setTextWidth(width)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return document


def _plain(text: str) -> InkDocument:
    document = InkDocument()
    document.setPlainText(text)
    cursor = QTextCursor(document)
    code = QTextCharFormat()
    code.setFont(code_font(13))
    for found in reversed(list(_BACKTICKS.finditer(text))) if len(text) < 20_000 else ():
        cursor.setPosition(_units(text, found.start()))
        cursor.setPosition(_units(text, found.end()), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(found[1], code)
    _set_lines(document, LINE_HEIGHT)
    return document


def _units(text: str, place: int) -> int:
    """A place by Qt's count, which is of UTF-16 units: a character beyond the basic plane is two."""
    return place if text.isascii() else len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def _soft(text: str) -> InkDocument:
    document = _plain(text)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    quiet = QTextCharFormat()
    quiet.setForeground(colour("ink_soft"))
    cursor.mergeCharFormat(quiet)
    return document


def _code(text: str) -> InkDocument:
    document = InkDocument(is_code=True)
    document.setPlainText(text)
    _set_lines(document, CODE_LINE_HEIGHT)
    return document


def _set_lines(document: QTextDocument, height: float) -> None:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    shape = QTextBlockFormat()
    shape.setLineHeight(scaled(height), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.mergeBlockFormat(shape)


def _markdown(text: str) -> InkDocument:
    document = InkDocument()
    document.setIndentWidth(scaled(26))
    document.setMarkdown(text, _NO_HTML)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block = document.begin()
    while block.isValid():
        _shape_block(cursor, block, is_first=block.blockNumber() == 0, is_last=not block.next().isValid())
        _ink_fragments(cursor, block)
        block = block.next()
    cursor.endEditBlock()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _shape_table(frame)
    return document


def _shape_block(cursor: QTextCursor, block: QTextBlock, is_first: bool, is_last: bool) -> None:
    """Spacing, line height and indent."""
    old = block.blockFormat()
    shape = QTextBlockFormat()
    cursor.setPosition(block.position())
    is_in_table = cursor.currentTable() is not None
    top, bottom = (12, 4) if old.headingLevel() else (0, 0) if is_in_table else (0, 8)
    if block.textList() and block.next().isValid() and block.next().textList():
        bottom = 3
    shape.setTopMargin(0 if is_first else scaled(top))
    shape.setBottomMargin(0 if is_last else scaled(bottom))
    if not is_in_table:
        shape.setLineHeight(scaled(LINE_HEIGHT), QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    if old.property(QTextFormat.Property.BlockQuoteLevel):
        shape.setLeftMargin(scaled(16))
    if old.hasProperty(QTextFormat.Property.BlockCodeFence):
        shape.setBackground(colour("code"))
        shape.setBottomMargin(0)
    cursor.mergeBlockFormat(shape)


def _ink_fragments(cursor: QTextCursor, block: QTextBlock) -> None:
    """Headings, quotes, code, links and images, in our own look."""
    heading = block.blockFormat().headingLevel()
    is_quote = bool(block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel))
    changes: list[tuple[int, int, QTextCharFormat, str]] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        iterator += 1
        look, text = QTextCharFormat(fragment.charFormat()), ""
        if look.isImageFormat():
            image = look.toImageFormat()
            text = str(image.property(QTextFormat.Property.ImageAltText) or "") or image.name()
            look, text = _link(QTextCharFormat(), image.name()), f"[image: {text}]"
        elif look.isAnchor():
            look = _link(look, look.anchorHref())
        elif look.fontFixedPitch():
            look.setFont(code_font(13))
        elif heading:
            look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            look.setFont(font(_HEADING_SIZES.get(heading, 14), BOLD))
        elif is_quote:
            look.setForeground(colour("ink_soft"))
        else:
            continue
        changes.append((fragment.position(), fragment.length(), look, text))
    for start, length, look, text in reversed(changes):
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        if text:
            cursor.insertText(text, look)
        else:
            cursor.setCharFormat(look)


def _link(look: QTextCharFormat, target: str) -> QTextCharFormat:
    look.setAnchor(True)
    look.setAnchorHref(target)
    look.setForeground(QBrush(colour("accent")))
    look.setFontUnderline(False)
    return look


def _shape_table(table: QTextTable) -> None:
    shape = table.format()
    shape.setBorder(1)
    shape.setBorderBrush(QBrush(colour("line")))
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderCollapse(True)
    shape.setCellSpacing(0)
    shape.setCellPadding(scaled(6))
    shape.setTopMargin(scaled(4))
    shape.setBottomMargin(scaled(4))
    shape.setWidth(QTextLength())
    table.setFormat(shape)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        look = cell.format()
        look.setBackground(colour("code"))
        cell.setFormat(look)
