"""Reads OpenDocument texts (odt, ott, fodt): numbers of lists, notes, comments, changes, text boxes, margins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZipFile

from .document_text import (
    DocumentText,
    Unreadable,
    attribute_of,
    local_name,
    open_document_content,
    parse_part,
)
from .document_walker import MAX_DEPTH, DocumentReader
from .office_files import DAMAGE
from .word_numbering import number_in_words

if TYPE_CHECKING:
    from lxml.etree import _Element

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
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
        content = styles = open_document_content(zipped)
        try:
            with zipped.open("styles.xml") as part:
                styles = parse_part(part)
        except DAMAGE:
            damaged.append("styles")
    return _OdtReader(content, styles, damaged).read()


def _number(element: _Element, name: str, default: int = 1) -> int:
    text = attribute_of(element, name)
    return int(text) if text.isdecimal() else default


def _find(element: _Element, name: str) -> _Element | None:
    return next((found for found in element if local_name(found) == name), None)


class _OdtReader(DocumentReader):
    """Reads one OpenDocument text. styles: the root with the styles and master pages."""

    table_name = "table"

    def __init__(self, content: _Element, styles: _Element, damaged: list[str]) -> None:
        super().__init__(damaged)
        self._content, self._styles = content, styles
        self._lists: dict[str, dict[int, _LabelShape]] = {}
        self._hidden_styles: set[str] = set()
        self._deletions: dict[str, _Element] = {}
        self._controls: dict[str, str] = {}
        self._counts: dict[str, list[int]] = {}
        for root in {id(root): root for root in (styles, content)}.values():
            self._prepare(root)

    def _prepare(self, root: _Element) -> None:
        """Take in the styles, deletions and form fields, to which the text refers."""
        for element in root.iter():
            name = local_name(element)
            if name == "list-style":
                self._lists[attribute_of(element, "name")] = dict(map(_level_of, element))
            elif name == "style" and any(attribute_of(part, "display") == "none" for part in element):
                self._hidden_styles.add(attribute_of(element, "name"))
            elif name == "changed-region":
                kinds = {local_name(part): part for part in element}
                self._found["inserted"] += "insertion" in kinds
                if "deletion" in kinds:
                    self._deletions[attribute_of(element, "id")] = kinds["deletion"]
            elif name in _CONTROLS and element.tag.startswith("{urn:oasis:names:tc:opendocument:xmlns:form"):
                self._controls[attribute_of(element, "id")] = _control_of(name, element)

    def read(self) -> DocumentText:
        """Return the text with the margins around it."""
        body = next((found for found in self._content.iter() if local_name(found) == "body"), None)
        text = _find(body, "text") if body is not None else None
        if text is None:
            raise Unreadable("holds no text")
        return self._whole(MEDIA_TYPE, text)

    # Blocks

    def _block(self, element: _Element, depth: int = 0, style: str = "") -> Iterator[str]:
        """Yield the lines of a paragraph, a list or a table. depth, style: of the list around it."""
        name = local_name(element)
        if name in ("p", "h"):
            yield from self._paragraph(element)
        elif name == "list":
            yield from self._list(element, depth + 1, attribute_of(element, "style-name") or style)
        elif name == "table":
            yield from self._table(element)
        elif name == "soft-page-break":
            self._page += 1
            yield f"[Page {self._page}]"
        elif name == "frame" or element.tag == "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}custom-shape":
            text, boxes = self._with_boxes(self._drawing, element)
            yield from [text, *boxes] if text else boxes
        elif name not in _PASSED:
            yield from self._blocks(element, partial(self._block, depth=depth, style=style))

    def _paragraph_text(self, element: _Element, text: str) -> str:
        text = self._styled(element, text)
        if local_name(element) == "h" and text.strip():
            return f"{'#' * min(_number(element, 'outline-level'), 9)} {text}"
        return text

    def _styled(self, element: _Element, text: str) -> str:
        """Return a text marked as hidden if its style hides it."""
        is_hidden = attribute_of(element, "style-name") in self._hidden_styles and text.strip()
        return self._hidden(text) if is_hidden else text

    def _list(self, element: _Element, depth: int, style: str) -> Iterator[str]:
        levels = self._lists.get(style, {})
        counts = self._counts.setdefault(style, [0] * (MAX_DEPTH + 2))
        is_continued = depth > 1 or attribute_of(element, "continue-numbering") == "true"
        if not is_continued and not attribute_of(element, "continue-list"):
            counts[depth:] = [0] * (len(counts) - depth)
        for item in element:
            if local_name(item) not in ("list-item", "list-header"):
                continue
            yield from self._item(item, depth, style, levels, counts)

    def _item(
        self, item: _Element, depth: int, style: str, levels: dict[int, _LabelShape], counts: list[int]
    ) -> Iterator[str]:
        """Yield the lines of an item, the first one with its number or bullet."""
        label = ""
        if local_name(item) == "list-item" and any(local_name(part) in ("p", "h") for part in item):
            label = self._label(_number(item, "start-value", 0), depth, levels, counts)
        for line in self._blocks(item, partial(self._block, depth=depth, style=style)):
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

    def _table(self, element: _Element) -> Iterator[str]:
        above: dict[int, tuple[str, int]] = {}
        for row in _rows(element):
            page, cells, column = self._page, list[str](), 0
            for cell in row:
                times = min(_number(cell, "number-columns-repeated"), MAX_REPEATED)
                if local_name(cell) == "covered-table-cell":
                    for at in range(column, column + times):
                        text, left = above.get(at, ("", 0))
                        above[at] = text, left - 1
                        cells.append(text if left > 0 else "")
                elif local_name(cell) == "table-cell":
                    text = self._cell(cell)
                    above[column] = text, _number(cell, "number-rows-spanned") - 1
                    cells += [text] * times
                column += times
            yield from self._pages_since(page)
            yield " | ".join(cells)

    # Text

    def _inline(self, parent: _Element) -> str:
        pieces = [_SPACES.sub(" ", parent.text or "")]
        for element in parent:
            pieces += [self._text_of(element), _SPACES.sub(" ", element.tail or "")]
        return "".join(pieces)

    def _text_of(self, element: _Element) -> str:
        """Return the text of an element within a paragraph."""
        name = local_name(element)
        if name == "s":
            return " " * min(_number(element, "c"), MAX_REPEATED)
        if name in ("tab", "line-break"):
            return "\t" if name == "tab" else "\n"
        if name == "span":
            return self._styled(element, self._inline(element))
        if name == "note":
            body = _find(element, "note-body")
            return self._note(() if body is None else body)
        if name == "annotation":
            return self._annotation(element)
        if name == "change":
            return self._deletion(attribute_of(element, "change-id"))
        if name == "soft-page-break":
            self._page += 1
        if name in ("frame", "custom-shape", "rect", "ellipse"):
            return self._drawing(element)
        if name == "control":
            return self._controls.get(attribute_of(element, "control"), "")
        return self._field(name, element)

    def _field(self, name: str, element: _Element) -> str:
        if name in ("hidden-text", "hidden-paragraph") and attribute_of(element, "is-hidden") != "false":
            text = attribute_of(element, "string-value") or self._inline(element)
            return self._hidden(text) if text else ""
        if name == "placeholder":
            return f"[empty field: {self._inline(element)}]"
        if name == "ruby":
            base = _find(element, "ruby-base")
            return self._inline(base) if base is not None else ""
        return "" if not name or name in _PASSED else self._inline(element)

    def _deletion(self, name: str) -> str:
        deletion = self._deletions.get(name)
        if deletion is None:
            return ""
        self._found["deleted"] += 1
        lines = [line for part in deletion if local_name(part) != "change-info" for line in self._blocks([part])]
        return f"[deleted: {' / '.join(filter(None, lines))}]"

    def _drawing(self, drawing: _Element) -> str:
        """Keep the text boxes of a drawing for the end of the paragraph; return what stands for its pictures."""
        parts = {local_name(part): part for part in drawing}
        box = parts.get("text-box", None if local_name(drawing) == "frame" else drawing)
        if box is not None:
            self._keep_box(box)
            return ""
        if "object" in parts or "object-ole" in parts:
            return self._unread("OLEObject")
        if "image" not in parts:
            return ""
        words = " ".join("".join(parts[name].itertext()) for name in ("title", "desc") if name in parts)
        return self._picture(" ".join(words.split()))

    def _annotation(self, comment: _Element) -> str:
        author = _find(comment, "creator")
        parts = (part for part in comment if local_name(part) in ("p", "list"))
        return self._comment(author.text or "" if author is not None else "", parts)

    def _margin_parts(self, kind: str) -> Iterator[_Element]:
        for master in (element for element in self._styles.iter() if local_name(element) == "master-page"):
            for part in master:
                is_margin = local_name(part) in (kind, f"{kind}-left", f"{kind}-first")
                if is_margin and attribute_of(part, "display") != "false":
                    yield part


def _level_of(element: _Element) -> tuple[int, _LabelShape]:
    kind = _KINDS.get(attribute_of(element, "num-format"), "")
    level = _LabelShape(
        local_name(element) in ("list-level-style-bullet", "list-level-style-image"),
        kind,
        attribute_of(element, "num-prefix"),
        attribute_of(element, "num-suffix"),
        _number(element, "start-value"),
        _number(element, "display-levels"),
    )
    return _number(element, "level"), level


def _control_of(name: str, element: _Element) -> str:
    """Return a field of a form as text."""
    if name in ("checkbox", "radio"):
        state = attribute_of(element, "current-state") or attribute_of(element, "current-selected")
        return "☒" if state in ("checked", "true") else "☐"
    chosen = [option for option in element if attribute_of(option, "current-selected") == "true"]
    texts = [attribute_of(option, "label") for option in chosen]
    text = ", ".join(texts) or attribute_of(element, "current-value") or attribute_of(element, "value")
    return f"[Form field {attribute_of(element, 'name')}: {text or 'empty'}]"


def _rows(table: _Element) -> Iterator[_Element]:
    """Yield the rows of a table, also in its head and in groups."""
    for element in table:
        if local_name(element) == "table-row":
            yield element
        elif local_name(element) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(element)
