"""Markdown as a widget."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from desktop_app.ui.widgets.look import TRANSPARENT, StyleAware, Tint, colour, recolour

from .markdown_documents import markdown_document
from .segments import ProseSegment


class MarkdownText(StyleAware, QTextBrowser):
    """A text that can be read and copied, as high as it is, without links to open."""

    def __init__(self, text: str, parent: QWidget | None = None, *, tint: Tint = "ink_soft") -> None:
        super().__init__(parent)
        self._source = text
        self._tint: Tint = tint
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.refresh_style()

    def show_text(self, text: str) -> None:
        """Show another text."""
        if text != self._source:
            self._source = text
            self.refresh_style()

    def sizeHint(self) -> QSize:
        return QSize(240, math.ceil(self.document().size().height()) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def refresh_style(self) -> None:
        recolour(self, {QPalette.ColorRole.Base: TRANSPARENT, QPalette.ColorRole.Text: colour(self._tint)})
        document = markdown_document(ProseSegment(self._source))
        document.setParent(self)
        self.setDocument(document)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        if self.height() != self.sizeHint().height():
            self.setFixedHeight(self.sizeHint().height())
