"""Where a long paragraph can be cut into pieces that are laid out one by one. No Qt."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from desktop_app.ui.widgets.math_text import math_spans

PIECE = 4_000  # characters
LOOKAHEAD = 3  # pieces more that are looked through for a place outside markup, before any will do
# What opens or closes something; a backslash takes the next character's meaning.
_MARK = re.compile(r"\\.|(?P<code>`+)|(?P<open>\[)|(?P<close>\](?:\([^)\n]*\))?)|(?P<run>\*+|_+|~+)")
_SPACE = re.compile(r"(?<=[^\s\\]) (?=[^\W\d_])")  # what follows begins no list, heading or quote


def split_paragraph(text: str) -> Iterator[tuple[int, str]]:
    """Yield the pieces and their start. No cut is inside markup; a space at the cut belongs to no piece."""
    marked, position = _merge_overlaps(_marked_spans(text)) if len(text) > PIECE else [], 0
    while len(text) - position > PIECE:
        cut = _cut(text, position, marked)
        if cut == len(text):
            break
        yield position, text[position:cut]
        position = cut + (text[cut] == " ")
    yield position, text[position:]


def _cut(text: str, start: int, marked: Sequence[tuple[int, int]]) -> int:
    """Return the last space outside markup in the piece, else the first one after it, else any position."""
    end = start + PIECE
    most = min(end + LOOKAHEAD * PIECE, len(text))
    spaces = [found.start() for found in _SPACE.finditer(text, start + 1, most)]
    free = [position for position in spaces if not _is_within(position, marked)]
    before = [position for position in free if position <= end]
    if before or free:
        return before[-1] if before else free[0]
    if spaces and most == len(text):
        return most
    return max((position for position in spaces if position <= end), default=end)


def _is_within(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    number = bisect_left(spans, (position, 0)) - 1
    return number >= 0 and position < spans[number][1]


def _merge_overlaps(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans in their order, with those that overlap merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _marked_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of emphasis, code, links and formulas; rather too much than too little."""
    spans, open_at = math_spans(text), dict[str, int]()
    position = 0
    while (found := _MARK.search(text, position)) is not None:
        position = found.end()
        if found["code"]:
            closing = re.compile(rf"(?<!`){found['code']}(?!`)").search(text, position)
            if closing is not None:
                spans.append((found.start(), closing.end()))
                position = closing.end()
        elif found["open"]:
            open_at.setdefault("[", found.start())
        elif found["close"]:
            if "[" in open_at:
                spans.append((open_at.pop("["), found.end()))
        elif found["run"]:
            _note_run(text, found, open_at, spans)
    return spans


def _note_run(text: str, run: re.Match[str], open_at: dict[str, int], spans: list[tuple[int, int]]) -> None:
    before = text[run.start() - 1 : run.start()].strip()
    after = text[run.end() : run.end() + 1].strip()
    kind = run[0][0]
    if kind == "_" and before.isalnum() and after.isalnum():
        return  # within a word it is a sign like any other
    if before and kind in open_at:
        spans.append((open_at.pop(kind), run.end()))
    elif after:
        open_at.setdefault(kind, run.start())
