"""Code blocks of messages: folding and highlighting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from operator import itemgetter
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import shiboken6
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCharFormat, QTextDocument, QTextLayout

from desktop_app.ui.widgets.look import colour

from .segments import CodeSegment, MarkdownSegment, code_of_block

if TYPE_CHECKING:
    from pygments.lexer import Lexer


MAX_LINES, SHOWN_LINES = 60, 24
"""Lines: longer code than MAX_LINES is folded to its first SHOWN_LINES."""


class CodeBlock(msgspec.Struct, frozen=True):
    """A block of code. key: identifies it when it is folded or unfolded."""

    key: str
    language: str
    text: str
    is_folded: bool = False

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1

    @property
    def visible_text(self) -> str:
        """The part of the text that is shown."""
        return "\n".join(self.text.split("\n", SHOWN_LINES)[:SHOWN_LINES]) if self.is_folded else self.text

    @property
    def unwrapped(self) -> str:
        """The key of the switch that stops wrapping its lines."""
        return f"{self.key} unwrapped"

    @property
    def is_long(self) -> bool:
        return self.lines > MAX_LINES


class LineEnds(NamedTuple):
    """The lines of a piece of code that are needed to find the longest line of all pieces."""

    first: str
    longest: str
    last: str | None
    """None if there is only one line."""


def line_ends(code: str) -> LineEnds:
    """Return the first, longest and last line of a piece of code."""
    lines = code.split("\n")
    return LineEnds(lines[0], max(lines, key=len), lines[-1] if len(lines) > 1 else None)


def longest_line(pieces: Iterable[tuple[str, LineEnds]]) -> tuple[str, int]:
    """Return the longest line and its length. If it spans several pieces, return only its beginning in the first one.

    pieces: each with the text that joins it to the previous one; "" within a line.
    """
    longest, begun, length = ("", 0), "", 0
    for joint, piece in pieces:
        begun, length = (piece.first, len(piece.first)) if joint else (begun or piece.first, length + len(piece.first))
        longest = max(longest, (begun, length), (piece.longest, len(piece.longest)), key=itemgetter(1))
        if piece.last is not None:
            begun, length = piece.last, len(piece.last)
    return longest


def fold_code(
    segments: Sequence[MarkdownSegment],
    key: str,
    is_folded: Callable[[str], bool],
    begin: int = 0,
    count: int = 0,
) -> tuple[list[MarkdownSegment], dict[int, CodeBlock]]:
    """Return the segments with folded blocks shortened, and each block by the index of each of its segments.

    key: the message's key. is_folded: returns whether a long block with that key is folded. begin: the segments before
    it are returned unchanged, and without their `count` blocks.
    """
    folded: list[MarkdownSegment] = [*segments[:begin]]
    blocks: dict[int, CodeBlock] = {}
    block = None
    for number, segment in enumerate(segments[begin:], start=begin):
        if not isinstance(segment, CodeSegment):
            folded.append(segment)
            continue
        if segment.is_first or block is None:
            count += 1
            block = CodeBlock(f"{key} code {count}", segment.language, code_of_block(segments, number))
            block = msgspec.structs.replace(block, is_folded=block.is_long and is_folded(block.key))
            if block.is_folded:
                blocks[len(folded)] = block
                folded.append(msgspec.structs.replace(segment, text=block.visible_text, is_last=True))
                continue
        if not block.is_folded:
            blocks[len(folded)] = block
            folded.append(segment)
    return folded, blocks


SLICE = 0.005  # seconds in one pass of the event loop
STEP = 5  # tokens between two checks of the clock: a lexer may need a millisecond for one
MAX_RANGES = 1_000  # coloured pieces of one line; a line with more stays plain
MAX_CHARACTERS = 40_000  # longer code stays plain
MAX_AT_ONCE = 1_000  # characters of code that is highlighted while it is laid out: about a millisecond
LOOK_EVERY = 15  # milliseconds between two checks whether a lexer is loaded
# Compiling a lexer takes 30 ms, in pure Python code that releases the GIL every 5 ms. The thread has no references to
# Qt objects, which may be deleted in the meantime.
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
    """Highlights documents one after the other. Signal: highlighted(document), when one is finished."""

    highlighted = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lexers: dict[str, Lexer | None] = {}
        self._loading: dict[str, tuple[Future[Lexer | None], list[QTextDocument]]] = {}
        self._waiting: deque[tuple[QTextDocument, Lexer]] = deque()
        self._work: Iterator[None] | None = None
        self._document: QTextDocument | None = None  # the one that is being highlighted
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._look = QTimer(self, interval=LOOK_EVERY)
        self._look.timeout.connect(self._take_lexers)

    @property
    def is_idle(self) -> bool:
        return self._work is None and not self._waiting and not self._loading

    def add(self, document: QTextDocument, language: str, is_growing: bool = False) -> None:
        """Queue a document, unless it was queued before, is too long or has no language.

        is_growing: whether another one will replace it in a moment. A short one is then highlighted at once, so that
        its colours do not flicker.
        """
        if document.property("is_highlighted") or not language or document.characterCount() > MAX_CHARACTERS:
            return
        document.setProperty("is_highlighted", True)
        if language in self._lexers:
            lexer = self._lexers[language]
            if is_growing and lexer is not None and document.characterCount() <= MAX_AT_ONCE:
                deque(_steps(document, lexer), maxlen=0)
            else:
                self._queue(document, lexer)
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
                self._document, lexer = self._waiting.popleft()
                self._work = _steps(self._document, lexer)
            if next(self._work, self) is self:
                self._work = None
                self.highlighted.emit(self._document)
        self._turn.start()


def find_lexer(language: str) -> Lexer | None:
    """Return Pygments' lexer for a fence's language; None if there is none. Searching plugins would take long."""
    from pygments.lexers import find_lexer_class, get_all_lexers

    wanted = language.lower()
    for name, aliases, _, _ in get_all_lexers(plugins=False):
        kind = find_lexer_class(name) if wanted in aliases else None
        if kind is not None:
            return kind(
                stripnl=False
            )  # it still adds a final line end: lexers such as the one for diffs match complete lines only
    return None


def _steps(document: QTextDocument, lexer: Lexer) -> Iterator[None]:
    """Highlight one document, in steps much shorter than a slice."""
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
        piece = QTextLayout.FormatRange()
        piece.start = at - block.position()
        piece.length = min(end - at, block.length() - 1 - piece.start)
        look = QTextCharFormat()
        look.setForeground(colour(role))  # type: ignore[arg-type]
        piece.format = look
        ranges.setdefault(block.blockNumber(), []).append(piece)
        at = block.position() + block.length()
