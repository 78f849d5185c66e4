"""A cache of documents, and the time limit for making more."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from desktop_app.ui.theme import theme

from .documents import InkDocument, code_document, plain_document, soft_document
from .segments import GrowingText, MarkdownSegment

MAX_DOCUMENTS = 256  # documents; a message on the screen has a few
MAX_TEXTS = 64  # messages whose segments are kept
Make = Callable[..., InkDocument]


class DocumentCache:
    """Keeps documents, so that a row is laid out again without those that did not change.

    deadline: by `monotonic`, after which no second document is made; None for none.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], InkDocument] = OrderedDict()
        self._texts: OrderedDict[str, GrowingText] = OrderedDict()
        self._max_documents = MAX_DOCUMENTS
        self._has_made = False
        self.deadline: float | None = None

    def begin(self, deadline: float | None) -> None:
        """Begin another row: one document is made in any case, further ones until the deadline."""
        self.deadline = deadline
        self._has_made = False
        self._max_documents = MAX_DOCUMENTS

    def expect(self, count: int) -> None:
        """Keep at least so many more, so that a row does not push out its own documents."""
        self._max_documents = max(self._max_documents, MAX_DOCUMENTS + count)

    @property
    def has_time(self) -> bool:
        return self.deadline is None or not self._has_made or monotonic() < self.deadline

    def segments_of(self, key: str, text: str) -> tuple[list[MarkdownSegment], int]:
        """Return a text's segments, and how many characters at its end there was no time for."""
        growing = self._texts.setdefault(key, GrowingText())
        self._texts.move_to_end(key)
        while len(self._texts) > MAX_TEXTS:
            self._texts.popitem(last=False)
        return growing.segments_of(text, self._may_go_on)

    def _may_go_on(self) -> bool:
        has_time, self._has_made = self.has_time, True
        return has_time

    def ready(self, make: Make, text: object, width: float, *more: object) -> InkDocument | None:
        """Return that document if it is kept, or if there is time to make it."""
        is_kept = (make, text, width, theme.version, *more) in self._kept
        return self.get(make, text, width, *more) if is_kept or self.has_time else None

    def get(self, make: Make, text: object, width: float, *more: object) -> InkDocument:
        """Return that document; make it if it is not kept."""
        key = (make, text, width, theme.version, *more)
        document = self._kept.get(key)
        if document is None:
            document = self._kept[key] = make(text, *more)
            document.setTextWidth(width)
            self._has_made = True
            while len(self._kept) > self._max_documents:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return document

    def plain(self, text: str, width: float) -> InkDocument:
        """Return text as it was typed: every line break counts, `code` is set in the fixed-pitch font."""
        return self.get(plain_document, text, width)

    def soft(self, text: str, width: float) -> InkDocument:
        return self.get(soft_document, text, width)

    def code(self, text: str, width: float) -> InkDocument:
        return self.get(code_document, text, width)

    def passing(self, text: str, width: float) -> InkDocument:
        """Return code that will soon have changed: it is not kept, and pushes nothing out."""
        document = code_document(text)
        document.setTextWidth(width)
        return document
