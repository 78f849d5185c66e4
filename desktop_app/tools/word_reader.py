"""Reads Word documents as text, with everything that Word shows: controls, boxes, notes, comments, changes, margins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from desktop_app.conversation.words import translatable

from .document_text import OFFICE, PAGES, WORDS, DocumentNote, DocumentText, Unreadable, count_of
from .office_files import DAMAGE, mended_word, well_formed
from .word_numbering import Numbering

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_NAMESPACE = re.compile(r"\{[^}]*\}")
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
MAX_DEPTH = 60
"""Levels of tables in tables and boxes in boxes."""


def read_docx(file: str) -> DocumentText:
    """Return the text of a Word document. Raises Unreadable."""
    import docx

    try:
        return _WordReader(docx.Document(file), ()).read()
    except DAMAGE:  # another form than the usual one, or damaged
        content, damaged = mended_word(file)
        return _WordReader(docx.Document(content), damaged).read()


def _name(element: _Element) -> str:
    tag = element.tag
    return _NAMESPACE.sub("", tag) if isinstance(tag, str) else ""


def _value(element: _Element | None, name: str = "val") -> str:
    return "" if element is None else element.get(_W + name) or ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _is_on(element: _Element | None) -> bool:
    return element is not None and _value(element) not in ("0", "false", "off")


class _WordReader:
    """Reads one document, and counts what its text does not show as it is."""

    def __init__(self, document: Document, damaged: Sequence[str]) -> None:
        self._document = document
        self._damaged = [*damaged]
        self._part: Any = document.part
        self._page = 1
        self._depth = 0
        self._boxes: list[str] = []
        self._notes: list[str] = []
        self._found: Counter[str] = Counter()
        self._headings = {style.style_id: _heading_level(style.name or "") for style in document.styles}
        self._numbering = Numbering(self._root_of("numbering"), document.styles.element)
        self._footnotes = self._parts("footnotes", "footnote")
        self._endnotes = self._parts("endnotes", "endnote")
        self._comments = self._parts("comments", "comment")

    def read(self) -> DocumentText:
        """Return the text with the margins around it."""
        lines = [*self._blocks(self._document.element.body)]
        first = ["[Page 1]"] if self._page > 1 else []
        headers, footers = self._margins("header"), self._margins("footer")
        text = "\n".join([*headers, *first, *lines, *self._note_lines(), *footers])
        if not text.strip():
            raise Unreadable("holds no text, only pictures" if self._found["picture"] else "holds no text")
        about = count_of(self._page, PAGES) if self._page > 1 else count_of(len(text.split()), WORDS)
        return DocumentText(
            OFFICE + "wordprocessingml.document", text, about, tuple(remarks_on(self._found, self._damaged))
        )

    # Blocks

    def _blocks(self, parent: _Element) -> Iterator[str]:
        """Yield the lines of paragraphs and tables."""
        if self._depth > MAX_DEPTH:
            return
        self._depth += 1
        for element in parent:
            name = _name(element)
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
        self._depth -= 1

    def _control(self, element: _Element) -> Iterator[str]:
        content = element.find(_W + "sdtContent")
        if content is not None:
            lines = self._blocks(content)
            yield from (f"[empty field: {line}]" for line in lines) if _is_empty_control(element) else lines

    def _paragraph(self, element: _Element) -> Iterator[str]:
        page, outer, self._boxes = self._page, self._boxes, []
        text = _marked(self._inline(element))
        boxes, self._boxes = self._boxes, outer
        yield from (f"[Page {number}]" for number in range(page + 1, self._page + 1))
        properties = element.find(_W + "pPr")
        style = properties.find(_W + "pStyle") if properties is not None else None
        level = self._headings.get(_value(style), 0)
        if text.strip():
            text = self._numbering.label_of(properties) + text
        if text or not boxes:
            yield f"{'#' * level} {text}" if level and text.strip() else text
        yield from boxes

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
            yield from (f"[Page {number}]" for number in range(page + 1, self._page + 1))
            line = " | ".join(cells)
            is_deleted = properties is not None and properties.find(_W + "del") is not None
            self._found["deleted"] += is_deleted
            yield f"[deleted: {line}]" if is_deleted and not line.startswith("[deleted: ") else line

    def _cell(self, cell: _Element) -> str:
        """Return a cell in one line. A table within it is in brackets, with its rows separated by semicolons."""
        pieces: list[str] = []
        for element in cell:
            if _name(element) == "tbl":
                pieces.append(f"[table: {'; '.join(self._table(element))}]")
            else:
                pieces += self._blocks([element])  # type: ignore[arg-type]  # anything that yields elements
        return " ".join(" ".join(pieces).split())

    # Text

    def _inline(self, parent: _Element) -> str:
        return "".join(map(self._text_of, parent))

    def _text_of(self, element: _Element) -> str:
        """Return the text of an element within a paragraph."""
        name = _name(element)
        if name in ("t", "delText") and element.tag.startswith(_W):
            return element.text or ""
        if name == "r" and element.tag.startswith(_W):
            return self._run(element)
        if name in SIGNS:
            return SIGNS[name]
        if name == "oMath":
            return "".join(found.text or "" for found in element.iter() if _name(found) == "t")
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
            self._found["hidden"] += 1
            return f"[hidden: {text}]"
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
            return self._note(notes.get(_value(element, "id")))
        elif name == "commentReference":
            return self._comment(self._comments.get(_value(element, "id")))
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
            lines = [line for line in self._blocks(box) if line.strip()]
            if len(lines) > 1:
                lines = ["[Text box]", *lines, "[End of the text box]"]
            self._boxes += [f"[Text box] {lines[0]}"] if len(lines) == 1 else lines
        texts = [found.get("string", "") for found in drawing.iter() if _name(found) == "textpath"]
        self._boxes += [f"[Word art] {text}" for text in texts if text]
        names = {_name(found) for found in drawing.iter()}
        if "relIds" in names:
            return self._diagram(drawing)
        for kind in ("chart", "OLEObject"):
            if kind in names:
                self._found[kind] += 1
                return f"[{UNREAD[kind][0].removeprefix('1 ')}]"
        if not names & {"pic", "imagedata"}:
            return ""
        self._found["picture"] += 1
        words = next((found.get("descr") for found in drawing.iter() if found.get("descr")), "")
        return f"[picture: {words}]" if words else "[picture]"

    def _diagram(self, drawing: _Element) -> str:
        ids = [found.get(_R + "dm") for found in drawing.iter() if _name(found) == "relIds"]
        for part in (self._part.related_parts.get(ref) for ref in ids):
            if part is not None:
                content = well_formed(str(part.partname), part.blob, self._damaged)
                points = [found for found in _parsed(content).iter() if _name(found) == "pt"]
                texts = ("".join(t.text or "" for t in point.iter() if _name(t) == "t").strip() for point in points)
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

    def _note(self, note: _Element | None) -> str:
        if note is None:
            self._found["missing"] += 1
            return "[a note that could not be found]"
        number = len(self._notes) + 1
        self._notes.append("")  # a note may refer to another one
        self._notes[number - 1] = " ".join(" ".join(self._blocks(note)).split())
        return f"[^{number}]"

    def _note_lines(self) -> list[str]:
        return [f"[^{number}]: {text}" for number, text in enumerate(self._notes, 1)]

    def _comment(self, comment: _Element | None) -> str:
        if comment is None:
            self._found["missing"] += 1
            return "[a comment that could not be found]"
        self._found["comment"] += 1
        author = _value(comment, "author")
        return f"[comment{f' by {author}' if author else ''}: {' '.join(' '.join(self._blocks(comment)).split())}]"

    def _margins(self, kind: str) -> list[str]:
        """Return the different headers or footers that Word shows."""
        shows_even = _is_on(self._document.settings.element.find(_W + "evenAndOddHeaders"))
        found: dict[str, None] = {}
        for section in self._document.element.body.iter(_W + "sectPr"):
            for reference in section.iter(f"{_W}{kind}Reference"):
                use = _value(reference, "type")
                if (use == "first" and not _is_on(section.find(_W + "titlePg"))) or (use == "even" and not shows_even):
                    continue
                part = self._part.related_parts.get(reference.get(_R + "id"))
                if part is not None:
                    body, self._part, page = self._part, part, self._page
                    lines = " / ".join(line.strip() for line in self._blocks(part.element) if line.strip())
                    self._part, self._page = body, page
                    found |= {lines: None} if lines else {}
        return [f"[{kind.capitalize()}] {line}" for line in found]


def remarks_on(found: Counter[str], damaged: Sequence[str] = ()) -> Iterator[DocumentNote]:
    """Yield what is said of a text. found: what it holds, counted by kind. damaged: names of parts of the file."""
    if damaged:
        names = ", ".join(damaged)
        chip = translatable("damaged and read only in part: {names}").format(names=names[:200])
        yield DocumentNote(chip, f"Damaged, so that something in them was not read: {names[:1_000]}.")
    if found["missing"]:
        chip = translatable("notes or comments that could not be read: {count}").format(count=f"{found['missing']:,}")
        yield DocumentNote(chip, f"Notes or comments that are not in the file any more: {found['missing']:,}.")
    if changes := found["inserted"] + found["deleted"]:
        yield DocumentNote(
            translatable("tracked changes: {count}").format(count=f"{changes:,}"),
            f"Tracked changes: {found['inserted']:,} insertions are read as a part of the text,"
            f" {found['deleted']:,} deletions are marked as [deleted: …].",
        )
    if found["comment"]:
        chip = translatable("comments: {count}").format(count=f"{found['comment']:,}")
        yield DocumentNote(chip, "Comments are in the text where they belong, as [comment by …].")
    if found["hidden"]:
        chip = translatable("with hidden text")
        yield DocumentNote(chip, "Text that is not shown on its pages is marked as [hidden: …].")
    unread = [count_of(found[kind], nouns) for kind, nouns in UNREAD.items() if found[kind]]
    if unread:
        chip = translatable("not read: {what}").format(what=", ".join(unread))
        yield DocumentNote(chip, f"Not read: {', '.join(unread)}.")


UNREAD = {
    "picture": (translatable("1 picture"), translatable("{count} pictures")),
    "chart": (translatable("1 chart"), translatable("{count} charts")),
    "OLEObject": (translatable("1 embedded object"), translatable("{count} embedded objects")),
    "embedded": (translatable("1 embedded document"), translatable("{count} embedded documents")),
}
"""What stays unread, by the name of the element, in words for one and for several."""
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
        found = _name(element)
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
        if ancestor.tag == _W + "txbxContent" or _name(ancestor) == "Fallback":
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
