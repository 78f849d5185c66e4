"""Formulas within documents: inline drawings on the baseline of the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from desktop_app.conversation.markdown_html import FORMULA_SIZE, Graphic, formulas_in
from desktop_app.ui.widgets.look import colour, scale
from desktop_app.ui.widgets.pictures import graphics, name_of

TEXT_SIZE = 14
ENLARGED = 1.08
"""The factor for the size of formulas, whose letters are smaller than the text's at the same size."""
LEADING = 4
"""Pixels between two lines of text with formulas, as between lines without."""
FORMULA = QTextFormat.ObjectTypes.UserObject.value + 1
NAME, SOURCE, WIDTH, ASCENT, DEPTH = (QTextFormat.Property.UserProperty.value + number for number in range(1, 6))
_OBJECT = "\ufffc"  # the character that represents a formula in a document's text


class Formulas(msgspec.Struct, frozen=True):
    """The names of a segment's formulas that are drawn. max_width: of one, in pixels."""

    names: tuple[str, ...] = ()
    max_width: float = 0

    def markdown(self, graphic: Graphic) -> str:
        """Return the Markdown that represents a formula for Qt's parser; "" if it is not drawn."""
        name = name_of(graphic)
        return f"![formula]({name})" if name in self.names else ""

    def format_of(self, name: str, size: int) -> QTextCharFormat:
        """Return the format of the formula with that name, among text of that size."""
        look = QTextCharFormat()
        found = graphics.named(name)
        if found is not None:
            graphic, drawing = found
            factor = min(scale(size) / FORMULA_SIZE * ENLARGED, max(self.max_width, 1) / max(drawing.width, 1))
            look.setObjectType(FORMULA)
            look.setProperty(NAME, name)
            look.setProperty(SOURCE, f"$${graphic.source}$$" if graphic.kind == "display" else f"${graphic.source}$")
            look.setProperty(WIDTH, drawing.width * factor)
            look.setProperty(ASCENT, (drawing.height - drawing.depth) * factor)
            look.setProperty(DEPTH, drawing.depth * factor)
        return look


NO_FORMULAS = Formulas()


def named_formulas(text: str) -> dict[str, Graphic]:
    """Return the formulas of a text by name."""
    return {name_of(graphic): graphic for graphic in formulas_in(text)}


def drawn_formulas(found: Mapping[str, Graphic], max_width: float) -> Formulas:
    """Return the ones of these formulas that are drawn, and request the others. max_width: see `Formulas`."""
    drawings = {name: graphics.find(graphic, name) for name, graphic in found.items()}
    names = tuple(name for name, drawing in drawings.items() if drawing is not None and drawing.svg)
    return Formulas(names, max_width) if names else NO_FORMULAS


class FormulaPainter(QPyTextObject):
    """Measures and paints formulas. Qt places their box on the baseline; the part below it extends out of the box."""

    def intrinsicSize(self, document: QTextDocument, position: int, look: QTextFormat) -> QSizeF:
        return QSizeF(_number(look, WIDTH), _number(look, ASCENT))

    def drawObject(
        self, painter: QPainter, box: QRectF | QRect, document: QTextDocument, position: int, look: QTextFormat
    ) -> None:
        size = QSizeF(_number(look, WIDTH), _number(look, ASCENT) + _number(look, DEPTH))
        ink = look.foreground().color() if look.hasProperty(QTextFormat.Property.ForegroundBrush) else colour("ink")
        painter.drawImage(QPointF(box.topLeft()), graphics.image(str(look.property(NAME)), size, ink))


formula_painter = FormulaPainter()


def arrange_formulas(cursor: QTextCursor, formats: list[QTextCharFormat]) -> None:
    """Increase the line spacing of the cursor's paragraph by the formulas' depth; centre a formula that is alone."""
    depth = max(_number(look, DEPTH) for look in formats)
    shape = QTextBlockFormat()
    if depth > LEADING:
        shape.setLineHeight(scale(LEADING) + depth, QTextBlockFormat.LineHeightTypes.LineDistanceHeight.value)
    if cursor.block().text().strip() == _OBJECT and cursor.currentTable() is None:
        shape.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    cursor.mergeBlockFormat(shape)


def _number(look: QTextFormat, name: int) -> float:
    return float(look.property(name) or 0)


def selected_text(cursor: QTextCursor) -> str:
    """Return the selected text, with the sources of its formulas."""
    text = cursor.selection().toPlainText()
    if text.startswith("\n") and not cursor.selectedText().startswith(("\u2029", "\u2028")):
        text = text[1:]  # Qt begins a part of a list with a line end
    return fill_in_formulas(text, cursor)


def fill_in_formulas(text: str, cursor: QTextCursor) -> str:
    """Return the text of a selection with its formulas replaced by their sources."""
    if _OBJECT not in text:
        return text
    document = cursor.document()
    positions = range(cursor.selectionStart(), cursor.selectionEnd())
    sources = [_source_at(document, at) for at in positions if document.characterAt(at) == _OBJECT]
    return "".join(piece + source for piece, source in zip(text.split(_OBJECT), [*sources, ""], strict=False))


def _source_at(document: Any, position: int) -> str:
    look = QTextCursor(document)
    look.setPosition(position + 1)
    return str(look.charFormat().property(SOURCE) or "")
