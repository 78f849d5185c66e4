"""Reads Word documents as text, with everything that Word shows: controls, boxes, notes, comments, changes, margins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .document_text import OFFICE, DocumentText, local_name
from .document_walker import DocumentReader
from .office_files import DAMAGE, mended_word, well_formed
from .word_numbering import Numbering

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
WRAPPERS = frozenset(
    {"sdtContent", "hyperlink", "smartTag", "customXml", "fldSimple", "dir", "bdo", "ins", "moveTo"}
    | {"Choice", "Fallback", "ruby", "rubyBase", "oMathPara"}
)
"""Elements whose content is read as if it were in their place."""
SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_DELETED, _END = "\1", "\2"
"""Marks of deleted text, which no XML can hold: neighbouring deletions become one."""


def read_docx(file: str) -> DocumentText:
    """Return the text of a Word document. Raises Unreadable."""
    import docx

    try:
        return _WordReader(docx.Document(file), ()).read()
    except DAMAGE:  # another form than the usual one, or damaged
        content, damaged = mended_word(file)
        return _WordReader(docx.Document(content), damaged).read()


def _value(element: _Element | None, name: str = "val") -> str:
    return "" if element is None else element.get(_W + name) or ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _is_on(element: _Element | None) -> bool:
    return element is not None and _value(element) not in ("0", "false", "off")


class _WordReader(DocumentReader):
    """Reads one Word document."""

    table_name = "tbl"

    def __init__(self, document: Document, damaged: Sequence[str]) -> None:
        super().__init__(damaged)
        self._document = document
        self._part: Any = document.part
        self._headings = {style.style_id: _heading_level(style.name or "") for style in document.styles}
        self._numbering = Numbering(self._root_of("numbering"), document.styles.element)
        self._footnotes = self._parts("footnotes", "footnote")
        self._endnotes = self._parts("endnotes", "endnote")
        self._comments = self._parts("comments", "comment")

    def read(self) -> DocumentText:
        """Return the text with the margins around it."""
        return self._whole(OFFICE + "wordprocessingml.document", self._document.element.body)

    # Blocks

    def _block(self, element: _Element) -> Iterator[str]:
        name = local_name(element)
        if name == "p":
            yield from self._paragraph(element)
        elif name == "tbl":
            yield from self._table(element)
        elif name == "sdt":
            yield from self._control(element)
        elif name == "altChunk":
            self._found["embedded"] += 1
        elif name in WRAPPERS:
            yield from self._blocks(element)
        elif name in ("del", "moveFrom"):
            self._found["deleted"] += 1
            yield from (f"[deleted: {line}]" for line in self._blocks(element))

    def _control(self, element: _Element) -> Iterator[str]:
        content = element.find(_W + "sdtContent")
        if content is not None:
            lines = self._blocks(content)
            yield from (f"[empty field: {line}]" for line in lines) if _is_empty_control(element) else lines

    def _paragraph_text(self, element: _Element, text: str) -> str:
        text = _marked(text)
        if not text.strip():
            return text
        properties = element.find(_W + "pPr")
        style = properties.find(_W + "pStyle") if properties is not None else None
        level = self._headings.get(_value(style), 0)
        return f"{'#' * level}{' ' if level else ''}{self._numbering.label_of(properties)}{text}"

    def _table(self, element: _Element) -> Iterator[str]:
        above: dict[int, str] = {}
        for row in _children(element, "tr"):
            page, cells, column = self._page, list[str](), 0
            properties = row.find(_W + "trPr")
            if properties is not None:
                column = _number(_value(properties.find(_W + "gridBefore")))
                cells += [""] * min(column, 100)
            for cell in _children(row, "tc"):
                text, span = self._cell(cell), _span(cell)
                if _continues(cell):
                    text = text or above.get(column, "")
                else:
                    above[column] = text
                cells += [text, *[""] * (span - 1)]
                column += span
            yield from self._pages_since(page)
            line = " | ".join(cells)
            is_deleted = properties is not None and properties.find(_W + "del") is not None
            self._found["deleted"] += is_deleted
            yield f"[deleted: {line}]" if is_deleted and not line.startswith("[deleted: ") else line

    # Text

    def _inline(self, parent: _Element) -> str:
        return "".join(map(self._text_of, parent))

    def _text_of(self, element: _Element) -> str:
        """Return the text of an element within a paragraph."""
        name = local_name(element)
        if name in ("t", "delText") and element.tag.startswith(_W):
            return element.text or ""
        if name == "r" and element.tag.startswith(_W):
            return self._run(element)
        if name in SIGNS:
            return SIGNS[name]
        if name == "oMath":
            return "".join(found.text or "" for found in element.iter() if local_name(found) == "t")
        if name in ("ins", "moveTo"):
            text = self._inline(element)
            self._found["inserted"] += bool(text)
            return text
        if name in ("del", "moveFrom"):
            text = self._inline(element)
            self._found["deleted"] += bool(text)
            return f"{_DELETED}{text}{_END}" if text else ""
        if name == "sdt":
            content = element.find(_W + "sdtContent")
            text = self._inline(content) if content is not None else ""
            return f"[empty field: {text}]" if text and _is_empty_control(element) else text
        if name == "AlternateContent":
            return self._alternative(element)
        if name in WRAPPERS:
            return self._inline(element)
        return self._special(name, element)

    def _run(self, run: _Element) -> str:
        properties = run.find(_W + "rPr")
        text = self._inline(run)
        if properties is not None and _is_on(properties.find(_W + "vanish")) and text.strip():
            return self._hidden(text)
        return text

    def _special(self, name: str, element: _Element) -> str:
        if name == "lastRenderedPageBreak":
            self._page += 1
        elif name == "sym":
            with suppress(ValueError):
                code = int(_value(element, "char"), 16)
                return SYMBOLS.get(code & 0xFF, chr(code)) if 0xF000 <= code <= 0xF0FF else chr(code)
        elif name in ("footnoteReference", "endnoteReference"):
            notes = self._footnotes if name == "footnoteReference" else self._endnotes
            note = notes.get(_value(element, "id"))
            return self._note(note) if note is not None else self._missing("note")
        elif name == "commentReference":
            comment = self._comments.get(_value(element, "id"))
            if comment is None:
                return self._missing("comment")
            return self._comment(_value(comment, "author"), comment)
        elif name == "fldChar":
            return _form_field(element)
        elif name in ("drawing", "pict", "object"):
            return self._drawing(element)
        return ""

    def _alternative(self, element: _Element) -> str:
        """Return the first form that shows something: Word writes shapes twice, for itself and for older programs."""
        for form in element:
            before = len(self._boxes)
            text = self._inline(form)
            if text or len(self._boxes) > before:
                return text
        return ""

    def _drawing(self, drawing: _Element) -> str:
        """Keep the text boxes of a drawing for the end of the paragraph; return what stands for its pictures."""
        boxes = [found for found in drawing.iter(_W + "txbxContent") if not _is_within_box(found, drawing)]
        for box in boxes:
            self._keep_box(box)
        texts = [found.get("string", "") for found in drawing.iter() if local_name(found) == "textpath"]
        self._boxes += [f"[Word art] {text}" for text in texts if text]
        names = {local_name(found) for found in drawing.iter()}
        if "relIds" in names:
            return self._diagram(drawing)
        for kind in ("chart", "OLEObject"):
            if kind in names:
                return self._unread(kind)
        if not names & {"pic", "imagedata"}:
            return ""
        return self._picture(next((found.get("descr") for found in drawing.iter() if found.get("descr")), ""))

    def _diagram(self, drawing: _Element) -> str:
        ids = [found.get(_R + "dm") for found in drawing.iter() if local_name(found) == "relIds"]
        for part in (self._part.related_parts.get(ref) for ref in ids):
            if part is not None:
                content = well_formed(str(part.partname), part.blob, self._damaged)
                points = (found for found in _parsed(content).iter() if local_name(found) == "pt")
                texts = ("".join(t.text or "" for t in each.iter() if local_name(t) == "t").strip() for each in points)
                return f"[diagram: {'; '.join(filter(None, texts))}]"
        self._found["chart"] += 1
        return "[diagram]"

    # Notes, comments and margins

    def _parts(self, kind: str, item: str) -> dict[str, _Element]:
        """Return the notes or comments of the document by their ids."""
        root = self._root_of(kind)
        found = root.iter(_W + item) if root is not None else ()
        return {_value(each, "id"): each for each in found if not _value(each, "type")}

    def _root_of(self, kind: str) -> _Element | None:
        """Return the root of another part of the document; None if there is none."""
        for relation in self._part.rels.values():
            if relation.reltype.endswith(f"/{kind}") and not relation.is_external:
                part = relation.target_part
                return _parsed(well_formed(str(part.partname), part.blob, self._damaged))
        return None

    def _missing(self, kind: str) -> str:
        self._found["missing"] += 1
        return f"[a {kind} that could not be found]"

    def _margin_parts(self, kind: str) -> Iterator[_Element]:
        shows_even = _is_on(self._document.settings.element.find(_W + "evenAndOddHeaders"))
        for section in self._document.element.body.iter(_W + "sectPr"):
            for reference in section.iter(f"{_W}{kind}Reference"):
                use = _value(reference, "type")
                if (use == "first" and not _is_on(section.find(_W + "titlePg"))) or (use == "even" and not shows_even):
                    continue
                part = self._part.related_parts.get(reference.get(_R + "id"))
                if part is not None:
                    body, self._part = self._part, part  # pictures in it are related to it
                    yield part.element
                    self._part = body


SYMBOLS = {0xB7: "•", 0xA7: "▪", 0xA8: "☐", 0xFE: "☒", 0xFC: "✓", 0xFD: "☒", 0x6F: "☐", 0xD8: "➢", 0xE0: "→"}
"""Characters of Symbol and Wingdings, by their codes."""


def _heading_level(name: str) -> int:
    level = name.removeprefix("Heading ").removeprefix("heading ")
    return int(level) if level != name and level.isdecimal() and len(level) == 1 else int(name == "Title")


def _parsed(content: bytes) -> _Element:
    from docx.oxml.parser import parse_xml

    return parse_xml(content)


def _marked(text: str) -> str:
    """Return the text with its deletions marked."""
    return text.replace(_END + _DELETED, "").replace(_DELETED, "[deleted: ").replace(_END, "]")


def _children(parent: _Element, name: str) -> Iterator[_Element]:
    """Yield the rows of a table or the cells of a row, also within controls."""
    for element in parent:
        found = local_name(element)
        if found == name:
            yield element
        elif found == "sdt" or found in WRAPPERS:
            yield from _children(element, name)


def _span(cell: _Element) -> int:
    properties = cell.find(_W + "tcPr")
    span = _value(properties.find(_W + "gridSpan")) if properties is not None else ""
    return min(max(int(span), 1), 100) if span.isdecimal() else 1


def _continues(cell: _Element) -> bool:
    """Return whether a cell belongs to the one above."""
    properties = cell.find(_W + "tcPr")
    merge = properties.find(_W + "vMerge") if properties is not None else None
    return merge is not None and _value(merge) != "restart"


def _is_empty_control(control: _Element) -> bool:
    """Return whether a content control shows its prompt."""
    properties = control.find(_W + "sdtPr")
    return properties is not None and _is_on(properties.find(_W + "showingPlcHdr"))


def _is_within_box(box: _Element, drawing: _Element) -> bool:
    """Return whether a box is inside another one, or is the second form of a shape."""
    ancestors: Iterable[_Element] = box.iterancestors()
    for ancestor in ancestors:
        if ancestor is drawing:
            return False
        if ancestor.tag == _W + "txbxContent" or local_name(ancestor) == "Fallback":
            return True
    return False


def _form_field(element: _Element) -> str:
    """Return the state of a check box or list of a form; the text of other fields is in the runs after it."""
    data = element.find(_W + "ffData")
    box = data.find(_W + "checkBox") if data is not None else None
    if box is not None:
        checked = box.find(_W + "checked")
        state = checked if checked is not None else box.find(_W + "default")
        return "☒" if _is_on(state) else "☐"
    choices = data.find(_W + "ddList") if data is not None else None
    if choices is None:
        return ""
    chosen = _value(choices.find(_W + "result")) or "0"
    entries = [_value(entry) for entry in choices.iter(_W + "listEntry")]
    return entries[int(chosen)] if chosen.isdecimal() and int(chosen) < len(entries) else ""
