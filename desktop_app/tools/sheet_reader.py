"""Reads spreadsheets as text: values as they are shown, formulas that were never computed, and what is hidden."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from zipfile import ZipFile, is_zipfile

from desktop_app.conversation.words import translatable

from .document_text import (
    OFFICE,
    SHEETS,
    DocumentNote,
    DocumentText,
    Unreadable,
    attribute_of,
    count_of,
    local_name,
    open_document_content,
    parse_part,
)
from .office_files import DAMAGE
from .sheet_numbers import BUILT_IN, format_value, plain_number

if TYPE_CHECKING:
    from lxml.etree import _Element

MEDIA_TYPE = OFFICE + "spreadsheetml.sheet"
MAX_CHARACTERS = 6_000_000
"""Characters after which no more rows are read: more than a file may have."""
MAX_NAMED = 40
"""Merged ranges, or hidden rows and columns, that are named for a sheet."""
MAX_REPEATED = 1_000
"""Cells or rows that a file repeats without writing them again."""
MAX_BLANK = 20
"""Empty rows that are written as empty lines; more of them are counted."""
ERRORS = frozenset({"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!"})
_CELL = re.compile(r"(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![\w(])")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


class SheetCells(NamedTuple):
    """The cells of a sheet by row and column, from 1, and remarks on it."""

    name: str
    rows: dict[int, dict[int, str]]
    remarks: tuple[str, ...] = ()
    is_hidden: bool = False


def read_sheets(file: str) -> DocumentText:
    """Return the values of a spreadsheet, sheet by sheet, with a line for each row. Raises Unreadable."""
    found: Counter[str] = Counter()
    sheets = [*_sheets_of(file, found)]
    text = "\n\n".join(_text_of(sheet) for sheet in sheets)
    found["hidden"] = sum(sheet.is_hidden for sheet in sheets)
    return DocumentText(MEDIA_TYPE, text, count_of(len(sheets), SHEETS), tuple(_notes(found)))


def _sheets_of(file: str, found: Counter[str]) -> Iterator[SheetCells]:
    with open(file, "rb") as opened:
        if opened.read(1) == b"<":
            opened.seek(0)
            return _open_document_sheets(parse_part(opened), found)
    if not is_zipfile(file):
        return _other_sheets(file, found)
    with ZipFile(file) as zipped:
        names = zipped.namelist()
        if any(name.lower().endswith("workbook.xml") for name in names):
            return iter([*_Workbook(zipped, found).sheets()])
        if "content.xml" in names and "META-INF/manifest.xml" in names:
            return _open_document_sheets(open_document_content(zipped), found)
    return _other_sheets(file, found)


def _notes(found: Counter[str]) -> Iterator[DocumentNote]:
    if found["lost"]:
        chip = translatable("sheets that could not be read as a whole: {count}").format(count=f"{found['lost']:,}")
        yield DocumentNote(chip, f"Sheets that are damaged, or missing from the file: {found['lost']:,}.")
    if found["unread"]:
        chip = translatable("cells that could not be read: {count}").format(count=f"{found['unread']:,}")
        yield DocumentNote(chip, f"Cells whose text is damaged or missing: {found['unread']:,}.")
    if found["lost comments"]:
        chip = translatable("sheets whose comments could not be read: {count}").format(
            count=f"{found['lost comments']:,}"
        )
        yield DocumentNote(chip, f"Sheets whose comments and drawings are damaged: {found['lost comments']:,}.")
    if found["uncomputed"]:
        yield DocumentNote(
            translatable("formulas without values: {count}").format(count=f"{found['uncomputed']:,}"),
            f"Formulas that no program has computed, so that there are no values: {found['uncomputed']:,}."
            " The formulas are shown instead, beginning with =.",
        )
    if found["error"]:
        chip = translatable("cells with errors: {count}").format(count=f"{found['error']:,}")
        yield DocumentNote(chip, f"Cells with an error such as #DIV/0!: {found['error']:,}.")
    if found["hidden"]:
        chip = translatable("hidden sheets: {count}").format(count=f"{found['hidden']:,}")
        yield DocumentNote(chip, f"Sheets that are hidden from the user: {found['hidden']:,}.")
    if found["drawing"]:
        yield DocumentNote(translatable("charts and pictures are not read"), "Charts and pictures are not read.")
    if found["plain"]:
        chip = translatable("without number formats")
        yield DocumentNote(
            chip,
            "Number formats are not read: 1067 may be shown as 01067, and 0.19 as 19 %. Cells with errors are empty.",
        )


def _text_of(sheet: SheetCells) -> str:
    """Return the lines of a sheet. It begins at its first row and column, which are named if they are not A1."""
    rows = {number: row for number, row in sheet.rows.items() if any(row.values())}
    first_row = min(rows, default=1)
    first_column = min((min(n for n, text in row.items() if text) for row in rows.values()), default=1)
    is_shifted = first_row > 1 or first_column > 1
    begins = f", from {column_name(first_column)}{first_row:,}" if is_shifted else ""
    lines = [f"[Sheet {sheet.name}{' (hidden)' if sheet.is_hidden else ''}{begins}]", *sheet.remarks]
    number = first_row
    for at in sorted(rows):
        blank = at - number
        lines += [""] * blank if blank <= MAX_BLANK else [f"[rows {number:,} to {at - 1:,} are empty]"]
        row = rows[at]
        last = max(n for n, text in row.items() if text)
        lines.append("\t".join(row.get(n, "") for n in range(first_column, last + 1)))
        number = at + 1
    return "\n".join(lines)


def column_name(number: int) -> str:
    """Return the letters of a column, from 1."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def column_number(letters: str) -> int:
    """Return the number of a column by its letters."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def moved_formula(formula: str, down: int, right: int) -> str:
    """Return a formula as it is in another cell: a shared one is stored once."""

    def move(found: re.Match[str]) -> str:
        fixed_column, letters, fixed_row, row = found.groups()
        column = letters if fixed_column else column_name(max(column_number(letters) + right, 1))
        return f"{fixed_column}{column}{fixed_row}{row if fixed_row else max(int(row) + down, 1)}"

    pieces, at = list[str](), 0
    for quoted in _QUOTED.finditer(formula):
        pieces += [_CELL.sub(move, formula[at : quoted.start()]), quoted[0]]
        at = quoted.end()
    return "".join([*pieces, _CELL.sub(move, formula[at:])])


def _whole(text: str | None) -> int:
    """Return a number as it is in an attribute; 0 without one."""
    return int(text) if text and text.isdecimal() else 0


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Workbook:
    """The parts of an xlsx file."""

    def __init__(self, zipped: ZipFile, found: Counter[str]) -> None:
        self._zipped, self._found = zipped, found
        self._names = {name.lower().lstrip("/"): name for name in zipped.namelist()}
        links = self._links("")
        main = next((target for kind, target in links.values() if kind == "officeDocument"), "xl/workbook.xml")
        self._book = self._root(main)
        self._sheets = self._links(main)
        parts = {kind: target for kind, target in self._sheets.values()}
        self._strings, self._formats = list[str](), list[str]()
        with suppress(*DAMAGE):  # each cell that wants one that is missing says so
            self._strings += self._shared(parts.get("sharedStrings", ""))
        try:
            self._formats += self._styles(parts.get("styles", ""))
        except DAMAGE:
            found["plain"] = 1
        settings = {local_name(element): element for element in self._book.iter()}
        properties, calculation = settings.get("workbookPr"), settings.get("calcPr")
        self._is_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        # Some programs write 0 as the value of each formula, and ask for all to be computed when the file is opened.
        self._is_uncomputed = calculation is not None and calculation.get("fullCalcOnLoad") in ("1", "true")
        self._size = 0

    def sheets(self) -> Iterator[SheetCells]:
        for element in self._book.iter():
            if local_name(element) == "sheet":
                kind, target = self._sheets.get(attribute_of(element, "id"), ("", ""))
                is_hidden = element.get("state") in ("hidden", "veryHidden")
                name = _one_line(str(element.get("name") or ""))
                if kind == "chartsheet":
                    yield SheetCells(name, {}, ("[a chart, which is not read]",), is_hidden)
                elif target.lower() in self._names:
                    yield self._sheet(name, target, is_hidden)
                else:
                    self._found["lost"] += 1
                    yield SheetCells(name, {}, ("[this sheet is missing from the file]",), is_hidden)

    def _sheet(self, name: str, target: str, is_hidden: bool) -> SheetCells:
        rows: dict[int, dict[int, str]] = {}
        shared: dict[str, tuple[int, int, str]] = {}
        merged, hidden = list[str](), list[str]()
        number = 0
        unread: list[str] = []
        try:
            for element in self._elements(target, {"row", "mergeCell", "col"}):
                kind = local_name(element)
                if kind == "mergeCell":
                    merged.append(str(element.get("ref")))
                elif kind == "col" and element.get("hidden") in ("1", "true"):
                    ends = (column_name(_whole(element.get(end)) or 1) for end in ("min", "max"))
                    hidden.append("columns " + " to ".join(dict.fromkeys(ends)))
                elif kind == "row":
                    number = _whole(element.get("r")) or number + 1
                    if element.get("hidden") in ("1", "true"):
                        hidden.append(f"row {number:,}")
                    if self._size < MAX_CHARACTERS:
                        rows[number] = self._row(element, number, shared)
        except DAMAGE:
            self._found["lost"] += 1
            unread = [f"[this sheet is damaged: nothing could be read after row {number:,}]"]
        remarks = [*unread, _listed("Merged cells", merged), _listed("Hidden", hidden)]
        try:
            remarks += self._around(target)
        except DAMAGE:
            self._found["lost comments"] += 1
        return SheetCells(name, rows, tuple(filter(None, remarks)), is_hidden)

    def _row(self, row: _Element, number: int, shared: dict[str, tuple[int, int, str]]) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            place = re.match("[A-Z]+", str(cell.get("r") or ""))
            column = column_number(place[0]) if place else column + 1
            if text := _one_line(self._value(cell, number, column, shared)):
                cells[column] = text
                self._size += len(text) + 1
        return cells

    def _value(self, cell: _Element, row: int, column: int, shared: dict[str, tuple[int, int, str]]) -> str:
        kind = cell.get("t") or "n"
        parts = {local_name(part): part for part in cell}
        value = (parts["v"].text or "") if "v" in parts else ""
        if kind == "inlineStr":
            return _rich_text(parts["is"]) if "is" in parts else ""
        if "f" in parts:
            formula = self._formula(parts["f"], row, column, shared)
            if formula and ((not value and kind != "str") or (value == "0" and self._is_uncomputed)):
                self._found["uncomputed"] += 1
                return f"={formula}"
        if kind == "s":
            if value.isdecimal() and int(value) < len(self._strings):
                return self._strings[int(value)]
            self._found["unread"] += 1
            return "[could not be read]"
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE" if value else ""
        self._found["error"] += kind == "e"
        return self._number(value, _whole(cell.get("s"))) if kind == "n" and value else value

    def _number(self, value: str, style: int) -> str:
        code = self._formats[style] if 0 <= style < len(self._formats) else ""
        try:
            return format_value(float(value), code, is_1904=self._is_1904)
        except (ValueError, ArithmeticError):
            return value

    def _formula(self, element: _Element, row: int, column: int, shared: dict[str, tuple[int, int, str]]) -> str:
        text, group = element.text or "", element.get("si") or ""
        if element.get("t") == "shared":
            if text:
                shared[group] = row, column, text
            elif group in shared:
                first_row, first_column, text = shared[group]
                return moved_formula(text, row - first_row, column - first_column)
        return text

    def _around(self, target: str) -> Iterator[str]:
        """Yield the comments and text boxes of a sheet, and count its pictures and charts."""
        for kind, part in self._links(target).values():
            if kind == "comments" and part.lower() in self._names:
                root = self._root(part)
                authors = [found.text or "" for found in root.iter() if local_name(found) == "author"]
                yield from (_comment(found, authors) for found in root.iter() if local_name(found) == "comment")
            elif kind == "drawing" and part.lower() in self._names:
                root = self._root(part)
                self._found["drawing"] += any(local_name(found) in ("pic", "graphicFrame") for found in root.iter())
                for shape in (found for found in root.iter() if local_name(found) == "txBody"):
                    words = _one_line(" ".join(found.text or "" for found in shape.iter() if local_name(found) == "t"))
                    yield f"[Text box] {words}" if words else ""

    # Parts of the file

    def _open(self, name: str) -> IO[bytes]:
        return self._zipped.open(self._names[name.lower().lstrip("/")])

    def _root(self, name: str) -> _Element:
        with self._open(name) as file:
            return parse_part(file)

    def _elements(self, name: str, kinds: set[str]) -> Iterator[_Element]:
        """Yield elements as they are read, and forget each one after that."""
        import lxml.etree as xml

        with self._open(name) as file:
            events: Iterable[tuple[str, Any]] = xml.iterparse(file, resolve_entities=False, no_network=True)
            for _, element in events:
                if local_name(element) in kinds:
                    yield element
                    element.clear()

    def _links(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the relations of a part by id: their kinds and their targets."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if path.lower() not in self._names:
            return {}
        found: dict[str, tuple[str, str]] = {}
        for relation in self._root(path):
            target = str(relation.get("Target") or "")
            whole = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[str(relation.get("Id"))] = str(relation.get("Type") or "").rpartition("/")[2], whole
        return found

    def _shared(self, part: str) -> Iterator[str]:
        if part.lower() in self._names:
            yield from (_rich_text(item) for item in self._elements(part, {"si"}))

    def _styles(self, part: str) -> Iterator[str]:
        """Yield the number formats of the cells by the numbers of their styles."""
        if part.lower() not in self._names:
            return
        root = self._root(part)
        own = {str(f.get("numFmtId")): str(f.get("formatCode") or "") for f in root.iter() if local_name(f) == "numFmt"}
        for styles in (found for found in root if local_name(found) == "cellXfs"):
            for style in styles:
                number = str(style.get("numFmtId") or "0")
                yield own.get(number) or BUILT_IN.get(int(number) if number.isdecimal() else 0, "")


def _listed(title: str, found: Sequence[str]) -> str:
    more = f" and {len(found) - MAX_NAMED:,} more" if len(found) > MAX_NAMED else ""
    return f"[{title}: {', '.join(found[:MAX_NAMED])}{more}]" if found else ""


def _rich_text(item: _Element) -> str:
    """Return a text without the readings of its characters, as Japanese files have them."""
    texts: list[str] = []
    for part in item:
        if local_name(part) == "t":
            texts.append(part.text or "")
        elif local_name(part) == "r":
            texts += (found.text or "" for found in part if local_name(found) == "t")
    return "".join(texts)


def _comment(comment: _Element, authors: Sequence[str]) -> str:
    number = str(comment.get("authorId") or "")
    author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
    author = "" if author.startswith("tc=") else author.strip()
    words = _one_line("".join(found.text or "" for found in comment.iter() if local_name(found) == "t"))
    words = words.partition("Comment: ")[2] if words.startswith("[Threaded comment]") else words
    words = words.removeprefix(f"{author}:").strip() if author else words
    return f"[comment on {comment.get('ref')}{f' by {author}' if author else ''}: {words}]"


# Other formats


def _open_document_sheets(root: _Element, found: Counter[str]) -> Iterator[SheetCells]:
    """Yield the sheets of an ods or fods file. It holds each value also as it is shown."""
    styles = [element for element in root.iter() if local_name(element) == "style"]
    hidden = {attribute_of(s, "name") for s in styles if any(attribute_of(p, "display") == "false" for p in s)}
    for table in (element for element in root.iter() if local_name(element) == "table"):
        if local_name(table.getparent()) == "spreadsheet":  # not one of a chart
            is_hidden = attribute_of(table, "style-name") in hidden
            yield _open_document_sheet(table, is_hidden, found)


def _open_document_sheet(table: _Element, is_hidden: bool, found: Counter[str]) -> SheetCells:
    rows: dict[int, dict[int, str]] = {}
    remarks, merged, unseen = list[str](), list[str](), list[str]()
    number, size = 1, 0
    for row in (element for element in table.iter() if local_name(element) == "table-row"):
        cells: dict[int, str] = {}
        column = 1
        for cell in row:
            times = _times(cell, "number-columns-repeated")
            place = f"{column_name(column)}{number}"
            if text := _shown(cell, found):
                cells |= dict.fromkeys(range(column, column + min(times, MAX_REPEATED)), text)
            wide, high = _times(cell, "number-columns-spanned"), _times(cell, "number-rows-spanned")
            if wide > 1 or high > 1:
                merged.append(f"{place}:{column_name(column + wide - 1)}{number + high - 1}")
            notes = (part for part in cell if local_name(part) == "annotation")
            remarks += [f"[comment on {place}: {_paragraphs(note)}]" for note in notes]
            column += times
        times = _times(row, "number-rows-repeated")
        if attribute_of(row, "visibility") in ("collapse", "filter") and cells:
            unseen.append(f"row {number:,}")
        for at in range(number, number + min(times, MAX_REPEATED)) if cells and size < MAX_CHARACTERS else ():
            rows[at] = cells
            size += sum(map(len, cells.values()))
        number += times
    found["drawing"] += any(local_name(element) in ("image", "object") for element in table.iter())
    listed = (_listed("Merged cells", merged), _listed("Hidden", unseen), *remarks)
    return SheetCells(attribute_of(table, "name"), rows, tuple(filter(None, listed)), is_hidden)


def _shown(cell: _Element, found: Counter[str]) -> str:
    """Return a cell as it is shown; its formula if that was never computed."""
    if local_name(cell) == "covered-table-cell":
        return ""
    text, formula = _paragraphs(cell), attribute_of(cell, "formula")
    if formula and not text and not attribute_of(cell, "value-type"):
        found["uncomputed"] += 1
        return f"={formula.partition('=')[2]}"
    found["error"] += text in ERRORS or (bool(formula) and re.fullmatch(r"Err:\d+", text) is not None)
    return text


def _paragraphs(element: _Element) -> str:
    return _one_line(" ".join("".join(part.itertext()) for part in element if local_name(part) == "p"))


def _times(element: _Element, name: str) -> int:
    times = attribute_of(element, name)
    return max(int(times), 1) if times.isdecimal() else 1


def _other_sheets(file: str, found: Counter[str]) -> Iterator[SheetCells]:
    """Yield the sheets of xls and xlsb files: their values without formats."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

    try:
        book = CalamineWorkbook.from_path(file)
    except PasswordError:
        raise Unreadable("is encrypted") from None
    with book:
        found["plain"] = 1
        for about in book.sheets_metadata:
            values: dict[int, dict[int, str]] = {}
            remarks: tuple[str, ...] = ()
            try:
                rows = book.get_sheet_by_name(about.name).to_python(skip_empty_area=False)
                values = {n: dict(enumerate(map(_cell, row), 1)) for n, row in enumerate(rows, 1)}
            except (CalamineError, *DAMAGE):
                found["lost"] += 1
                remarks = ("[this sheet could not be read]",)
            yield SheetCells(about.name, values, remarks, about.visible != SheetVisibleEnum.Visible)


def _cell(value: object) -> str:
    return plain_number(value) if isinstance(value, float) else _one_line(str(value))
