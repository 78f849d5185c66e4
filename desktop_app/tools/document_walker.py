"""Walks text documents of any format: pages, text boxes, notes, margins and what a text does not show as it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from desktop_app.conversation.words import translatable

from .document_text import PAGES, WORDS, DocumentNote, DocumentText, Unreadable, count_of, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_DEPTH = 60
"""Levels of blocks in blocks, such as text boxes in text boxes; what is deeper is counted as embedded."""
UNREAD = {
    "picture": (translatable("1 picture"), translatable("{count} pictures")),
    "chart": (translatable("1 chart"), translatable("{count} charts")),
    "OLEObject": (translatable("1 embedded object"), translatable("{count} embedded objects")),
    "embedded": (translatable("1 embedded document"), translatable("{count} embedded documents")),
}
"""What stays unread, by the name of the element, in words for one and for several."""


class DocumentReader(ABC):
    """Reads one document, and counts what its text does not show as it is. A subclass knows a format's elements.

    damaged: the names of the parts of the file that could not be read as a whole.
    """

    table_name: str
    """The local name of a table's element."""

    def __init__(self, damaged: Sequence[str]) -> None:
        self._damaged = [*damaged]
        self._found: Counter[str] = Counter()
        self._page, self._depth = 1, 0
        self._boxes: list[str] = []
        self._notes: list[str] = []

    def _whole(self, media_type: str, body: Iterable[_Element]) -> DocumentText:
        """Return the text of the document with the margins around it. Raises Unreadable if there is none."""
        lines = [*self._blocks(body)]
        first = ["[Page 1]"] if self._page > 1 else []
        headers, footers = self._margins("header"), self._margins("footer")
        notes = [f"[^{number}]: {text}" for number, text in enumerate(self._notes, 1)]
        text = "\n".join([*headers, *first, *lines, *notes, *footers])
        if not text.strip():
            raise Unreadable("holds no text, only pictures" if self._found["picture"] else "holds no text")
        about = count_of(self._page, PAGES) if self._page > 1 else count_of(len(text.split()), WORDS)
        return DocumentText(media_type, text, about, tuple(_remarks(self._found, self._damaged)))

    @abstractmethod
    def _block(self, element: _Element) -> Iterator[str]:
        """Yield the lines of a paragraph, a list, a table, or of what wraps some."""

    @abstractmethod
    def _table(self, element: _Element) -> Iterator[str]:
        """Yield a line for each row of a table."""

    @abstractmethod
    def _inline(self, parent: _Element) -> str:
        """Return the text within an element of a paragraph."""

    @abstractmethod
    def _paragraph_text(self, element: _Element, text: str) -> str:
        """Return the text of a paragraph with its number, and marked if it is a heading."""

    @abstractmethod
    def _margin_parts(self, kind: str) -> Iterator[_Element]:
        """Yield the headers or footers that the pages show."""

    def _blocks(
        self, elements: Iterable[_Element], block: Callable[[_Element], Iterator[str]] | None = None
    ) -> Iterator[str]:
        """Yield the lines of paragraphs, lists and tables. block: reads one of them, if not `_block`."""
        if self._depth > MAX_DEPTH:
            self._found["embedded"] += 1
            return
        self._depth += 1
        for element in elements:
            yield from (block or self._block)(element)
        self._depth -= 1

    def _line_of(self, elements: Iterable[_Element]) -> str:
        return " ".join(" ".join(self._blocks(elements)).split())

    def _paragraph(self, element: _Element) -> Iterator[str]:
        page = self._page
        text, boxes = self._with_boxes(self._inline, element)
        yield from self._pages_since(page)
        text = self._paragraph_text(element, text)
        if text or not boxes:
            yield text
        yield from boxes

    def _with_boxes(self, read: Callable[[_Element], str], element: _Element) -> tuple[str, list[str]]:
        """Return the text of an element, and the lines of the text boxes in it."""
        outer, self._boxes = self._boxes, []
        text = read(element)
        boxes, self._boxes = self._boxes, outer
        return text, boxes

    def _pages_since(self, page: int) -> Iterator[str]:
        yield from (f"[Page {number}]" for number in range(page + 1, self._page + 1))

    def _cell(self, cell: _Element) -> str:
        """Return a cell in one line. A table within it is in brackets, with its rows separated by semicolons."""
        pieces: list[str] = []
        for element in cell:
            if local_name(element) == self.table_name:
                pieces.append(f"[table: {'; '.join(self._table(element))}]")
            else:
                pieces += self._blocks([element])
        return " ".join(" ".join(pieces).split())

    def _hidden(self, text: str) -> str:
        self._found["hidden"] += 1
        return f"[hidden: {text}]"

    def _unread(self, kind: str) -> str:
        self._found[kind] += 1
        return f"[{UNREAD[kind][0].removeprefix('1 ')}]"

    def _picture(self, words: str) -> str:
        self._found["picture"] += 1
        return f"[picture: {words}]" if words else "[picture]"

    def _keep_box(self, box: Iterable[_Element]) -> None:
        """Keep the lines of a text box for the end of the paragraph."""
        lines = [line for line in self._blocks(box) if line.strip()]
        if len(lines) > 1:
            lines = ["[Text box]", *lines, "[End of the text box]"]
        self._boxes += [f"[Text box] {lines[0]}"] if len(lines) == 1 else lines

    def _note(self, note: Iterable[_Element]) -> str:
        """Keep a note for the end of the document, and return its number."""
        number = len(self._notes) + 1
        self._notes.append("")  # a note may hold another one
        self._notes[number - 1] = self._line_of(note)
        return f"[^{number}]"

    def _comment(self, author: str, comment: Iterable[_Element]) -> str:
        self._found["comment"] += 1
        return f"[comment{f' by {author}' if author else ''}: {self._line_of(comment)}]"

    def _margins(self, kind: str) -> list[str]:
        """Return the different headers or footers, each in one line."""
        page = self._page
        parts = self._margin_parts(kind)
        found = [" / ".join(line.strip() for line in self._blocks(part) if line.strip()) for part in parts]
        self._page = page
        return [f"[{kind.capitalize()}] {line}" for line in dict.fromkeys(filter(None, found))]


def _remarks(found: Counter[str], damaged: Sequence[str]) -> Iterator[DocumentNote]:
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
