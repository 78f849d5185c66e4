"""Markdown to read and to copy from: as high as its text, nothing loaded, nothing opened."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QPalette,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from .look import BOLD, RESTYLING, colour, font
from .math_text import to_qt_markdown

DIALECT = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
HEADING_GAP, LINE_GAP, INDENT = 8, 3, 16  # pixels: above a heading, below any other block, before a list


class MarkdownText(QTextBrowser):
    """A text that a model may have written: its pictures are not loaded and its links lead nowhere."""

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
        self._show()

    def set_markdown(self, text: str) -> None:
        """Shows another text."""
        self._source = text
        self._show()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing: a summary must not make this program read files or reach the network."""
        return None

    def sizeHint(self) -> QSize:
        """As high as its text."""
        return QSize(240, math.ceil(self.document().size().height()) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, another height."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme and the font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._show()

    def _show(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(0, 0, 0, 0))
        palette.setColor(QPalette.ColorRole.Text, colour("ink_soft"))
        if palette != self.palette():
            self.setPalette(palette)
        document = self.document()
        document.setDefaultFont(font(self._size))
        document.setIndentWidth(INDENT)
        document.setMarkdown(to_qt_markdown(self._source), DIALECT)
        self._calm_headings(document)
        self._fit()

    def _calm_headings(self, document: QTextDocument) -> None:
        """Headings of one size with the text: in a card a summary's own would shout."""
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
