"""Reads OpenDocument texts (odt, ott, fodt): numbers of lists, notes, comments, changes, text boxes, margins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZipFile

from .document_text import PAGES, WORDS, DocumentText, Unreadable, count_of, parse_part
from .office_files import DAMAGE
from .word_numbering import number_in_words
from .word_reader import MAX_DEPTH, UNREAD, remarks_on

if TYPE_CHECKING:
    from lxml.etree import _Element

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
_NAMESPACE = re.compile(r"\{[^}]*\}")
_SPACES = re.compile(r"[ \t\r\n]+")
_KINDS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_PASSED = frozenset(
    {"tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls", "annotation-end"}
)
_CONTROLS = frozenset({"text", "textarea", "checkbox", "radio", "listbox", "combobox", "date", "formatted-text"})
MAX_REPEATED = 100
"""Empty cells, and spaces, that a file repeats without writing them again."""


class _LabelShape(NamedTuple):
    """How a level of a list is numbered. kind: "" for bullets and for no label."""

    is_bullet: bool
    kind: str = ""
    before: str = ""
    after: str = ""
    start: int = 1
    levels: int = 1


def read_odt(file: str) -> DocumentText:
    """Return the text of an OpenDocument text. Raises Unreadable."""
    with open(file, "rb") as opened:
        if opened.read(1) == b"<":
            opened.seek(0)
            root = parse_part(opened)
            return _OdtReader(root, root, []).read()
    damaged: list[str] = []
    with ZipFile(file) as zipped:
        if "META-INF/manifest.xml" in zipped.namelist() and b"encryption-data" in zipped.read("META-INF/manifest.xml"):
            raise Unreadable("is encrypted")
        with zipped.open("content.xml") as part:
            content = parse_part(part)
        styles = content
        try:
            with zipped.open("styles.xml") as part:
                styles = parse_part(part)
        except DAMAGE:
            damaged.append("styles")
    return _OdtReader(content, styles, damaged).read()


def _name(element: _Element) -> str:
    tag = element.tag
    return _NAMESPACE.sub("", tag) if isinstance(tag, str) else ""


def _attribute(element: _Element, name: str) -> str:
    """Return an attribute by its local name; "" if there is none."""
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), "")


def _number(element: _Element, name: str, default: int = 1) -> int:
    text = _attribute(element, name)
    return int(text) if text.isdecimal() else default


def _find(element: _Element, name: str) -> _Element | None:
    return next((found for found in element if _name(found) == name), None)


class _OdtReader:
    """Reads one document, and counts what its text does not show as it is."""

    def __init__(self, content: _Element, styles: _Element, damaged: list[str]) -> None:
        self._content, self._styles, self._damaged = content, styles, damaged
        self._found: Counter[str] = Counter()
        self._page, self._depth = 1, 0
        self._boxes: list[str] = []
        self._notes: list[str] = []
        self._lists: dict[str, dict[int, _LabelShape]] = {}
        self._hidden: set[str] = set()
        self._deletions: dict[str, _Element] = {}
        self._controls: dict[str, str] = {}
        self._counts: dict[str, list[int]] = {}
        for root in {id(root): root for root in (styles, content)}.values():
            self._prepare(root)

    def _prepare(self, root: _Element) -> None:
        """Take in the styles, deletions and form fields, to which the text refers."""
        for element in root.iter():
            name = _name(element)
            if name == "list-style":
                self._lists[_attribute(element, "name")] = dict(map(_level_of, element))
            elif name == "style" and any(_attribute(part, "display") == "none" for part in element):
                self._hidden.add(_attribute(element, "name"))
            elif name == "changed-region":
                kinds = {_name(part): part for part in element}
                self._found["inserted"] += "insertion" in kinds
                if "deletion" in kinds:
                    self._deletions[_attribute(element, "id")] = kinds["deletion"]
            elif name in _CONTROLS and element.tag.startswith("{urn:oasis:names:tc:opendocument:xmlns:form"):
                self._controls[_attribute(element, "id")] = _control_of(name, element)

    def read(self) -> DocumentText:
        """Return the text with the margins around it."""
        body = next((found for found in self._content.iter() if _name(found) == "body"), None)
        text = _find(body, "text") if body is not None else None
        if text is None:
            raise Unreadable("holds no text")
        lines = [*self._blocks(text)]
        first = ["[Page 1]"] if self._page > 1 else []
        whole = "\n".join([*self._margins("header"), *first, *lines, *self._note_lines(), *self._margins("footer")])
        if not whole.strip():
            raise Unreadable("holds no text, only pictures" if self._found["picture"] else "holds no text")
        about = count_of(self._page, PAGES) if self._page > 1 else count_of(len(whole.split()), WORDS)
        return DocumentText(MEDIA_TYPE, whole, about, tuple(remarks_on(self._found, self._damaged)))

    # Blocks

    def _blocks(self, parent: _Element, depth: int = 0, style: str = "") -> Iterator[str]:
        """Yield the lines of paragraphs, lists and tables. depth: of the list around them."""
        if self._depth > MAX_DEPTH:
            self._found["embedded"] += 1
            return
        self._depth += 1
        for element in parent:
            name = _name(element)
            if name in ("p", "h"):
                yield from self._paragraph(element)
            elif name == "list":
                yield from self._list(element, depth + 1, _attribute(element, "style-name") or style)
            elif name == "table":
                yield from self._table(element)
            elif name == "soft-page-break":
                self._page += 1
                yield f"[Page {self._page}]"
            elif name == "frame" or element.tag == "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}custom-shape":
                yield from self._boxed(element)
            elif name not in _PASSED:
                yield from self._blocks(element, depth, style)
        self._depth -= 1

    def _paragraph(self, element: _Element) -> Iterator[str]:
        page, outer, self._boxes = self._page, self._boxes, []
        text = self._inline(element)
        boxes, self._boxes = self._boxes, outer
        if _attribute(element, "style-name") in self._hidden and text.strip():
            self._found["hidden"] += 1
            text = f"[hidden: {text}]"
        yield from (f"[Page {number}]" for number in range(page + 1, self._page + 1))
        if _name(element) == "h" and text.strip():
            text = f"{'#' * min(_number(element, 'outline-level'), 9)} {text}"
        if text or not boxes:
            yield text
        yield from boxes

    def _list(self, element: _Element, depth: int, style: str) -> Iterator[str]:
        levels = self._lists.get(style, {})
        counts = self._counts.setdefault(style, [0] * (MAX_DEPTH + 2))
        is_continued = depth > 1 or _attribute(element, "continue-numbering") == "true"
        if not is_continued and not _attribute(element, "continue-list"):
            counts[depth:] = [0] * (len(counts) - depth)
        for item in element:
            if _name(item) not in ("list-item", "list-header"):
                continue
            yield from self._item(item, depth, style, levels, counts)

    def _item(
        self, item: _Element, depth: int, style: str, levels: dict[int, _LabelShape], counts: list[int]
    ) -> Iterator[str]:
        """Yield the lines of an item, the first one with its number or bullet."""
        label = ""
        if _name(item) == "list-item" and any(_name(part) in ("p", "h") for part in item):
            label = self._label(_number(item, "start-value", 0), depth, levels, counts)
        for line in self._blocks(item, depth, style):
            yield label + line if label and line.strip() else line
            label = "" if line.strip() else label

    def _label(self, start: int, depth: int, levels: dict[int, _LabelShape], counts: list[int]) -> str:
        shape = levels.get(depth, _LabelShape(is_bullet=True))
        counts[depth] = start or (counts[depth] + 1 if counts[depth] else shape.start)
        counts[depth + 1 :] = [0] * (len(counts) - depth - 1)
        if shape.is_bullet:
            return "  " * (depth - 1) + "- "
        if not shape.kind:
            return ""
        numbers = range(max(depth - shape.levels + 1, 1), depth + 1)
        words = (number_in_words(max(counts[n], 1), levels.get(n, shape).kind or shape.kind) for n in numbers)
        return f"{shape.before}{'.'.join(words)}{shape.after} ".lstrip()

    def _table(self, table: _Element) -> Iterator[str]:
        above: dict[int, tuple[str, int]] = {}
        for row in _rows(table):
            page, cells, column = self._page, list[str](), 0
            for cell in row:
                times = min(_number(cell, "number-columns-repeated"), MAX_REPEATED)
                if _name(cell) == "covered-table-cell":
                    for at in range(column, column + times):
                        text, left = above.get(at, ("", 0))
                        above[at] = text, left - 1
                        cells.append(text if left > 0 else "")
                elif _name(cell) == "table-cell":
                    text = self._cell(cell)
                    above[column] = text, _number(cell, "number-rows-spanned") - 1
                    cells += [text] * times
                column += times
            yield from (f"[Page {number}]" for number in range(page + 1, self._page + 1))
            yield " | ".join(cells)

    def _cell(self, cell: _Element) -> str:
        """Return a cell in one line. A table within it is in brackets, with its rows separated by semicolons."""
        pieces: list[str] = []
        for element in cell:
            if _name(element) == "table":
                pieces.append(f"[table: {'; '.join(self._table(element))}]")
            else:
                pieces += self._blocks([element])  # type: ignore[arg-type]  # anything that yields elements
        return " ".join(" ".join(pieces).split())

    # Text

    def _inline(self, parent: _Element) -> str:
        pieces = [_SPACES.sub(" ", parent.text or "")]
        for element in parent:
            pieces += [self._text_of(element), _SPACES.sub(" ", element.tail or "")]
        return "".join(pieces)

    def _text_of(self, element: _Element) -> str:
        """Return the text of an element within a paragraph."""
        name = _name(element)
        if name == "s":
            return " " * min(_number(element, "c"), MAX_REPEATED)
        if name in ("tab", "line-break"):
            return "\t" if name == "tab" else "\n"
        if name == "span":
            return self._span(element)
        if name == "note":
            return self._note(element)
        if name == "annotation":
            return self._comment(element)
        if name == "change":
            return self._deletion(_attribute(element, "change-id"))
        if name == "soft-page-break":
            self._page += 1
        if name in ("frame", "custom-shape", "rect", "ellipse"):
            return self._drawing(element)
        if name == "control":
            return self._controls.get(_attribute(element, "control"), "")
        return self._field(name, element)

    def _field(self, name: str, element: _Element) -> str:
        if name in ("hidden-text", "hidden-paragraph") and _attribute(element, "is-hidden") != "false":
            text = _attribute(element, "string-value") or self._inline(element)
            self._found["hidden"] += bool(text)
            return f"[hidden: {text}]" if text else ""
        if name == "placeholder":
            return f"[empty field: {self._inline(element)}]"
        if name == "ruby":
            base = _find(element, "ruby-base")
            return self._inline(base) if base is not None else ""
        return "" if not name or name in _PASSED else self._inline(element)

    def _span(self, element: _Element) -> str:
        text = self._inline(element)
        if _attribute(element, "style-name") in self._hidden and text.strip():
            self._found["hidden"] += 1
            return f"[hidden: {text}]"
        return text

    def _deletion(self, name: str) -> str:
        deletion = self._deletions.get(name)
        if deletion is None:
            return ""
        self._found["deleted"] += 1
        lines = [line for part in deletion if _name(part) != "change-info" for line in self._blocks([part])]  # type: ignore[arg-type]
        return f"[deleted: {' / '.join(filter(None, lines))}]"

    def _boxed(self, element: _Element) -> list[str]:
        """Return the lines of a drawing that is in no paragraph."""
        outer, self._boxes = self._boxes, []
        text = self._drawing(element)
        boxes, self._boxes = self._boxes, outer
        return [*filter(None, [text]), *boxes]

    def _drawing(self, drawing: _Element) -> str:
        """Keep the text boxes of a drawing for the end of the paragraph; return what stands for its pictures."""
        parts = {_name(part): part for part in drawing}
        box = parts.get("text-box", None if _name(drawing) == "frame" else drawing)
        if box is not None:
            lines = [line for line in self._blocks(box) if line.strip()]
            if len(lines) > 1:
                lines = ["[Text box]", *lines, "[End of the text box]"]
            self._boxes += [f"[Text box] {lines[0]}"] if len(lines) == 1 else lines
            return ""
        if "object" in parts or "object-ole" in parts:
            self._found["OLEObject"] += 1
            return f"[{UNREAD['OLEObject'][0].removeprefix('1 ')}]"
        if "image" not in parts:
            return ""
        self._found["picture"] += 1
        words = " ".join("".join(parts[name].itertext()) for name in ("title", "desc") if name in parts)
        return f"[picture: {' '.join(words.split())}]" if words.strip() else "[picture]"

    # Notes, comments and margins

    def _note(self, note: _Element) -> str:
        number = len(self._notes) + 1
        self._notes.append("")  # a note may hold another one
        body = _find(note, "note-body")
        lines = self._blocks(body) if body is not None else ()
        self._notes[number - 1] = " ".join(" ".join(lines).split())
        return f"[^{number}]"

    def _note_lines(self) -> list[str]:
        return [f"[^{number}]: {text}" for number, text in enumerate(self._notes, 1)]

    def _comment(self, comment: _Element) -> str:
        self._found["comment"] += 1
        author = _find(comment, "creator")
        named = f" by {author.text}" if author is not None and author.text else ""
        parts = [part for part in comment if _name(part) in ("p", "list")]
        lines = self._blocks(parts)  # type: ignore[arg-type]  # anything that yields elements
        return f"[comment{named}: {' '.join(' '.join(lines).split())}]"

    def _margins(self, kind: str) -> list[str]:
        """Return the different headers or footers of the pages."""
        found: dict[str, None] = {}
        page = self._page
        for master in (element for element in self._styles.iter() if _name(element) == "master-page"):
            for part in master:
                if _name(part) in (kind, f"{kind}-left", f"{kind}-first") and _attribute(part, "display") != "false":
                    line = " / ".join(line.strip() for line in self._blocks(part) if line.strip())
                    found |= {line: None} if line else {}
        self._page = page
        return [f"[{kind.capitalize()}] {line}" for line in found]


def _level_of(element: _Element) -> tuple[int, _LabelShape]:
    kind = _KINDS.get(_attribute(element, "num-format"), "")
    level = _LabelShape(
        _name(element) in ("list-level-style-bullet", "list-level-style-image"),
        kind,
        _attribute(element, "num-prefix"),
        _attribute(element, "num-suffix"),
        _number(element, "start-value"),
        _number(element, "display-levels"),
    )
    return _number(element, "level"), level


def _control_of(name: str, element: _Element) -> str:
    """Return a field of a form as text."""
    if name in ("checkbox", "radio"):
        state = _attribute(element, "current-state") or _attribute(element, "current-selected")
        return "☒" if state in ("checked", "true") else "☐"
    chosen = [option for option in element if _attribute(option, "current-selected") == "true"]
    texts = [_attribute(option, "label") for option in chosen]
    text = ", ".join(texts) or _attribute(element, "current-value") or _attribute(element, "value")
    return f"[Form field {_attribute(element, 'name')}: {text or 'empty'}]"


def _rows(table: _Element) -> Iterator[_Element]:
    """Yield the rows of a table, also in its head and in groups."""
    for element in table:
        if _name(element) == "table-row":
            yield element
        elif _name(element) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(element)
