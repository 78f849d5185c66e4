"""Markdown that can be read and copied: as high as its text, without images and without links to open."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import (
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from .look import BOLD, TRANSPARENT, StyleAware, colour, font, recolour
from .math_text import to_qt_markdown

DIALECT = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
HEADING_GAP, LINE_GAP, INDENT = 8, 3, 16  # pixels: above a heading, below any other block, before a list


class MarkdownText(StyleAware, QTextBrowser):
    """Shows text that a model may have written."""

    def __init__(self, text: str = "", *, size: float = 13, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source, self._size = text, size
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self.refresh_style()

    def set_markdown(self, text: str) -> None:
        self._source = text
        self.refresh_style()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing: the text of a model must not read files or reach the network."""
        return None

    def sizeHint(self) -> QSize:
        return QSize(240, math.ceil(self.document().size().height()) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def refresh_style(self) -> None:
        recolour(self, {QPalette.ColorRole.Base: TRANSPARENT, QPalette.ColorRole.Text: colour("ink_soft")})
        document = self.document()
        document.setDefaultFont(font(self._size))
        document.setIndentWidth(INDENT)
        document.setMarkdown(to_qt_markdown(self._source), DIALECT)
        self._format_blocks(document)
        self._fit()

    def _format_blocks(self, document: QTextDocument) -> None:
        """Set the gaps between blocks, and headings in bold letters of the text's size."""
        block = document.begin()
        while block.isValid():
            cursor = QTextCursor(block)
            shape = QTextBlockFormat()
            is_heading = block.blockFormat().headingLevel() > 0
            shape.setTopMargin(HEADING_GAP if is_heading and block.blockNumber() else 0)
            shape.setBottomMargin(LINE_GAP)
            cursor.mergeBlockFormat(shape)
            if is_heading:
                look = QTextCharFormat()
                look.setFont(font(self._size, BOLD))
                look.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
                look.setForeground(colour("ink"))
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                cursor.mergeCharFormat(look)
            block = block.next()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        height = self.sizeHint().height()
        if self.height() != height:
            self.setFixedHeight(height)
