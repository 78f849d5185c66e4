"""What is shown of a Markdown text, as values: block by block, with its words and how they look."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextFormat

from desktop_app.ui.transcript.markdown_documents import last_table, markdown_document, rows_document
from desktop_app.ui.transcript.segments import CodeSegment, MarkdownSegment, ProseSegment, TableSegment

Shown = list[tuple[object, ...]]


def whole(*parts: str, references: str = "") -> Shown:
    """The text in one piece, but for fenced code, which has its own box. parts: between which a fence stands."""
    shown: Shown = []
    for part in parts:
        if part.startswith("```"):
            shown += [("code", ((line, ""),)) for line in part.split("\n")[1:-1] if line]
        else:
            shown += shown_of(markdown_document(ProseSegment(part, references=references)))
    return shown


def joined_segments(segments: list[MarkdownSegment]) -> Shown:
    """The segments one after the other; a paragraph or a table that goes on is one with what it goes on from."""
    shown: Shown = []
    for segment in segments:
        match segment:
            case CodeSegment(text):
                shown += [("code", ((line, ""),)) for line in text.split("\n") if line]
            case TableSegment():
                table = sum(block[0] == "cell" and block[2] == 0 for block in shown[_last_table(shown) :])
                shown += shown_of(rows_document(segment, ()), table)
            case ProseSegment(goes_on=goes_on):
                blocks = shown_of(markdown_document(segment))
                if goes_on in ("paragraph", "word") and shown and blocks:
                    last = shown.pop()
                    blocks[0] = (*last[:-1], _merged([*last[-1], *blocks[0][-1]]))
                shown += blocks
    return shown


def _last_table(shown: Shown) -> int:
    return max(place for place, block in enumerate(shown) if block[:3] == ("cell", 0, 0))


def shown_of(document: QTextDocument, rows_before: int = 0) -> Shown:
    """The blocks that have words. rows_before: of a table that goes on."""
    document.setTextWidth(600)
    shown: Shown = []
    block = document.begin()
    while block.isValid():
        kind = _kind(block, document, rows_before)
        words = _words(block, is_head=kind[:2] == ("cell", 0))
        if words:
            shown.append((*kind, words))
        block = block.next()
    return shown


def _kind(block: QTextBlock, document: QTextDocument, rows_before: int) -> tuple[object, ...]:
    shape, listed = block.blockFormat(), block.textList()
    table = QTextCursor(block).currentTable()
    if table is not None:
        cell = table.cellAt(block.position())
        return "cell", cell.row() + (rows_before if table == last_table(document) else 0), cell.column()
    if shape.hasProperty(QTextFormat.Property.BlockCodeFence):
        return ("code",)
    quote = shape.property(QTextFormat.Property.BlockQuoteLevel) or 0
    if listed is not None:
        kind = listed.format()
        return "item", kind.style(), kind.indent(), listed.itemText(block), shape.marker(), quote
    return "block", shape.headingLevel(), shape.indent(), quote


def _words(block: QTextBlock, is_head: bool) -> tuple[tuple[str, str], ...]:
    pieces: list[tuple[str, str]] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        iterator += 1
        look = fragment.charFormat()
        marks = {
            "b": look.fontWeight() >= 600, "i": look.fontItalic(), "s": look.fontStrikeOut(),
            "u": look.fontUnderline(), "m": look.fontFixedPitch() or "mono" in look.font().family().lower(),
        }  # fmt: skip
        if is_head:  # Qt forgets to make it bold where code stands before it
            marks["b"] = False
        pieces.append((fragment.text(), "".join(m for m, is_on in marks.items() if is_on) + look.anchorHref()))
    if block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
        pieces = [("".join(text for text, _ in pieces), "")] if pieces else []
    return _merged(pieces)


def _merged(pieces: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    joined: list[tuple[str, str]] = []
    for text, look in pieces:
        if joined and joined[-1][1] == look:
            joined[-1] = joined[-1][0] + text, look
        else:
            joined.append((text, look))
    return tuple(joined)
