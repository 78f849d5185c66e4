"""Syntax highlighting in slices of a few milliseconds; Pygments is imported at the first code."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCharFormat, QTextDocument, QTextLayout

from desktop_app.ui.widgets.look import colour

if TYPE_CHECKING:
    from pygments.lexer import Lexer

SLICE = 0.005  # seconds in one pass of the event loop
STEP = 5  # tokens between two looks at the clock: a lexer may need a millisecond for one
MAX_RANGES = 1_000  # coloured pieces of one line; with more of them it stays plain
MAX_CHARACTERS = 40_000  # characters; longer code stays plain
LOOK_EVERY = 15  # milliseconds between two looks at whether a lexer is loaded
# Compiling a lexer takes 30 ms. It is Python's own code, which gives the lock away every 5 ms. The thread knows nothing
# of Qt's objects, which may be deleted meanwhile.
_loader = ThreadPoolExecutor(1, "lexers")

_ROLE_OF_TOKEN = {
    "Comment": "ink_faint",
    "Keyword": "accent",
    "Operator.Word": "accent",
    "Name.Function": "warning",
    "Name.Class": "warning",
    "Name.Decorator": "warning",
    "Name.Tag": "accent",
    "Literal.String": "ok",
    "Literal.Number": "tight",
    "Generic.Deleted": "critical",
    "Generic.Inserted": "ok",
    "Generic.Heading": "accent",
    "Generic.Subheading": "accent",
}


class Highlighter(QObject):
    """Highlights documents one after the other. Signal: highlighted, when one is done."""

    highlighted = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lexers: dict[str, Lexer | None] = {}
        self._loading: dict[str, tuple[Future[Lexer | None], list[QTextDocument]]] = {}
        self._waiting: deque[tuple[QTextDocument, Lexer]] = deque()
        self._work: Iterator[None] | None = None
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._look = QTimer(self, interval=LOOK_EVERY)
        self._look.timeout.connect(self._take_lexers)

    @property
    def is_idle(self) -> bool:
        return self._work is None and not self._waiting and not self._loading

    def add(self, document: QTextDocument, language: str) -> None:
        """Queue a document that has no colours yet."""
        if document.property("is_highlighted") or not language or document.characterCount() > MAX_CHARACTERS:
            return
        document.setProperty("is_highlighted", True)
        if language in self._lexers:
            self._queue(document, self._lexers[language])
        elif language in self._loading:
            self._loading[language][1].append(document)
        else:
            self._loading[language] = _loader.submit(find_lexer, language), [document]
            self._look.start()

    def _take_lexers(self) -> None:
        for language, (lexer, documents) in list(self._loading.items()):
            if lexer.done():
                del self._loading[language]
                self._lexers[language] = lexer.result()
                for document in documents:
                    self._queue(document, lexer.result())
        if not self._loading:
            self._look.stop()

    def _queue(self, document: QTextDocument, lexer: Lexer | None) -> None:
        if lexer is not None:
            self._waiting.append((document, lexer))
            self._turn.start()

    def _go_on(self) -> None:
        deadline = monotonic() + SLICE
        while monotonic() < deadline:
            if self._work is None:
                if not self._waiting:
                    return
                self._work = _steps(*self._waiting.popleft())
            if next(self._work, self) is self:
                self._work = None
                self.highlighted.emit()
        self._turn.start()


def find_lexer(language: str) -> Lexer | None:
    """Return Pygments' lexer for the language of a fence. Plugins are left out: looking for them takes long."""
    from pygments.lexers import find_lexer_class, get_all_lexers

    wanted = language.lower()
    for name, aliases, _, _ in get_all_lexers(plugins=False):
        kind = find_lexer_class(name) if wanted in aliases else None
        if kind is not None:
            return kind(stripnl=False)  # ends the last line: lexers of diffs and the like know whole lines only
    return None


def _steps(document: QTextDocument, lexer: Lexer) -> Iterator[None]:
    """Highlight one document, in steps of well under a slice."""
    if not shiboken6.isValid(document):
        return
    ranges: dict[int, list[QTextLayout.FormatRange]] = {}
    position = 0
    for count, (token, text) in enumerate(lexer.get_tokens(document.toPlainText())):
        role = _role(str(token).removeprefix("Token."))
        if role:
            _note(ranges, document, position, len(text), role)
        position += len(text)
        if count % STEP == STEP - 1:
            yield
            if not shiboken6.isValid(document):
                return
    for number, formats in ranges.items():
        if len(formats) <= MAX_RANGES:
            document.findBlockByNumber(number).layout().setFormats(formats)
    document.markContentsDirty(0, document.characterCount())


def _role(token: str) -> str:
    while token:
        if token in _ROLE_OF_TOKEN:
            return _ROLE_OF_TOKEN[token]
        token = token.rpartition(".")[0]
    return ""


def _note(ranges: dict[int, list[QTextLayout.FormatRange]], document: QTextDocument, at: int, length: int, role: str):
    end = at + length
    while at < end:
        block = document.findBlock(at)
        shown = QTextLayout.FormatRange()
        shown.start = at - block.position()
        shown.length = min(end - at, block.length() - 1 - shown.start)
        look = QTextCharFormat()
        look.setForeground(colour(role))  # type: ignore[arg-type]
        shown.format = look
        ranges.setdefault(block.blockNumber(), []).append(shown)
        at = block.position() + block.length()
