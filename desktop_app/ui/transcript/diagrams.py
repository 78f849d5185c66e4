"""Diagrams in place of the code that describes them, and the line above a block of code."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from desktop_app.conversation.markdown_html import DIAGRAM_LANGUAGES, Drawing, Graphic
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import MEDIUM, Corner, colour, font, scale
from desktop_app.ui.widgets.pictures import graphics, name_of

from .code_blocks import CodeBlock
from .row_builder import ActionLink, RowBuilder, advance
from .row_painter import Action, DrawnGraphic, Fill
from .segments import CodeSegment, MarkdownSegment

CODE_PAD, CODE_HEAD = 14, 28
LINK_GAP = 14
MAX_LANGUAGE = 60  # characters of a language's name that are shown
GROUND, SHADE = QColor("#ffffff"), QColor(60, 50, 20, 34)
"""The background of diagrams, whose colours are for a light one; and a shade over them in the dark theme."""


def find_diagram(builder: RowBuilder, segment: MarkdownSegment, block: CodeBlock | None) -> Drawing | None:
    """Return the drawing that replaces a block of code; None if it is no diagram, or is not drawn (yet)."""
    if not isinstance(segment, CodeSegment) or block is None or builder.is_toggled(_toggle(block)):
        return None
    is_whole = segment.is_first and segment.is_last and not segment.is_open
    drawing = graphics.find(_graphic(block)) if is_whole and _is_diagram(block) else None
    return drawing if drawing is not None and drawing.svg else None


def lay_out_diagram(builder: RowBuilder, block: CodeBlock, drawing: Drawing) -> None:
    """Put a diagram in a box, at its natural size or as wide as the row."""
    pad, top, index = scale(CODE_PAD), builder.y, len(builder.layout.drawn)
    code_head(builder, block, pad)
    paper = QRectF(pad, builder.y, builder.width - 2 * pad, 0)
    factor = min(scale(100) / 100, (paper.width() - 2 * pad) / drawing.width)
    box = QRectF(0, paper.top() + pad, drawing.width * factor, drawing.height * factor)
    box.moveLeft(round((builder.width - box.width()) / 2))
    paper.setBottom(box.bottom() + pad)
    builder.layout.drawn.append(Fill(paper, GROUND, None, Corner.ROW))
    builder.layout.drawn.append(DrawnGraphic(box, name_of(_graphic(block))))
    if colour("paper").lightness() < 128:
        builder.layout.drawn.append(Fill(paper, SHADE, None, Corner.ROW))
    builder.y = paper.bottom()
    builder.skip(CODE_PAD)
    frame = QRectF(0, top, builder.width, builder.y - top)
    builder.layout.drawn.insert(index, Fill(frame, colour("code"), None, Corner.CONTROL))


def code_head(builder: RowBuilder, block: CodeBlock, pad: float, *more: ActionLink) -> None:
    """Put the language on the line at `y`, with links for the code on the right. more: further links."""
    line, small = scale(CODE_HEAD), font(11, MEDIUM)
    left = builder.words(pad, block.language[:MAX_LANGUAGE], font(11), "ink_faint", line)
    if reason := _reason(block):
        builder.words(left + scale(8), reason, font(11), "ink_faint", line, builder.width * 0.6)
    links = [
        ActionLink(Action.COPY_CODE, block.text, tr("Copy")),
        ActionLink(Action.SAVE_CODE, f"{block.language}\n{block.text}", tr("Save…")),
    ]
    if _is_drawn(block):
        label = tr("Show diagram") if builder.is_toggled(_toggle(block)) else tr("Show code")
        links.append(ActionLink(Action.SHOW_CODE, _toggle(block), label))
    x = builder.width - pad + scale(LINK_GAP)
    for link in (*links, *more):
        x -= advance(small, link.label) + 1 + scale(LINK_GAP)
        builder.link(x, link, small, line)
    builder.y += line


def _is_diagram(block: CodeBlock) -> bool:
    return block.language.lower() in DIAGRAM_LANGUAGES


def _graphic(block: CodeBlock) -> Graphic:
    return Graphic("diagram", block.text)


def _toggle(block: CodeBlock) -> str:
    return f"{block.key} as code"


def _is_drawn(block: CodeBlock) -> bool:
    return _is_diagram(block) and graphics.named(name_of(_graphic(block))) is not None


def _reason(block: CodeBlock) -> str:
    """Return why a diagram is not drawn; "" if it is, or if the block is none."""
    failed = graphics.error_of(name_of(_graphic(block))) if _is_diagram(block) else ""
    return tr("not drawn: {reason}").format(reason=failed) if failed else ""
