"""Plain text and code as documents that Qt can lay out. Nothing is loaded from outside a message."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)

from desktop_app.ui.widgets.look import colour, font, scale

LINE_HEIGHT = 22
CODE_LINE_HEIGHT = 19
_HEADING_SIZES = {1: 18, 2: 16, 3: 15}
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_NO_HTML = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


def code_font(size: float) -> QFont:
    """Return the fixed-pitch font."""
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
        """Load nothing: a message must not make the window read a file or a server."""
        return None


def plain_document(text: str) -> InkDocument:
    """Return text as it was typed, with `code` in the fixed-pitch font."""
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


def _units(text: str, index: int) -> int:
    """Return an index in UTF-16 units, as Qt counts: a character beyond the basic plane is two."""
    return index if text.isascii() else len(text[:index].encode("utf-16-le", "surrogatepass")) // 2


def soft_document(text: str) -> InkDocument:
    """Return text as it was typed, in a quieter colour."""
    document = plain_document(text)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    quiet = QTextCharFormat()
    quiet.setForeground(colour("ink_soft"))
    cursor.mergeCharFormat(quiet)
    return document


def code_document(text: str) -> InkDocument:
    """Return code, not highlighted yet."""
    document = InkDocument(is_code=True)
    document.setPlainText(text)
    _set_lines(document, CODE_LINE_HEIGHT)
    return document


def _set_lines(document: QTextDocument, height: float) -> None:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    shape = QTextBlockFormat()
    shape.setLineHeight(scale(height), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.mergeBlockFormat(shape)
