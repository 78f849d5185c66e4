"""The markup within a paragraph: where emphasis, code, links and formulas begin and end. No Qt."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import category

import msgspec

from desktop_app.conversation.markdown_html import math_spans

# What opens or closes something; a backslash takes the next character's meaning.
_MARK = re.compile(r"\\.|(?P<code>`+)|(?P<open>\[)|(?P<close>\])|(?P<run>\*+|_+|~+)")
MAX_ADDRESS = 2_000  # characters: it has an end, since one is looked for at each bracket
MAX_TRIES = 50  # openers that are tried for a closer: else a text could be made to take for ever


class _Run(msgspec.Struct):
    """Asterisks, underscores or tildes that may open or close emphasis. left: those that have no partner yet."""

    start: int
    end: int
    kind: str
    left: int
    may_open: bool
    may_close: bool


def marked_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of emphasis, code, links and formulas, in order and apart; rather too much than too little."""
    spans, brackets, runs = math_spans(text), list[int](), dict[str, list[_Run]]()
    position, backticks = 0, _backticks(text)
    while (found := _MARK.search(text, position)) is not None:
        position = found.end()
        if found["code"]:
            alike = backticks[len(found["code"])]
            number = bisect_left(alike, position)
            if number < len(alike):
                position = alike[number] + len(found["code"])
                spans.append((found.start(), position))
        elif found["open"]:
            brackets.append(found.start())
        elif found["close"] and brackets:
            position = _end_of_address(text, position)
            spans.append((brackets.pop(), position))
        elif found["run"]:
            spans += _pair_run(_run_at(text, found), runs)
    return _merge_overlaps(spans)


def _end_of_address(text: str, position: int) -> int:
    """Return where an address in parentheses ends that begins there, if one does."""
    if not text.startswith("(", position):
        return position
    end = text.find(")", position, position + MAX_ADDRESS + 2)
    return end + 1 if end >= 0 and text.find("\n", position, end) < 0 else position


def _backticks(text: str) -> dict[int, list[int]]:
    """Return where runs of backticks begin, by their length: each is closed by the next one that is as long."""
    starts: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text):
        starts[len(run[0])].append(run.start())
    return starts


def _run_at(text: str, found: re.Match[str]) -> _Run:
    """Return a run with what CommonMark lets it do, by the characters beside it."""
    start, end, kind = found.start(), found.end(), found[0][0]
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    is_left = not after.isspace() and (not _is_sign(after) or before.isspace() or _is_sign(before))
    is_right = not before.isspace() and (not _is_sign(before) or after.isspace() or _is_sign(after))
    is_word = kind == "_" and is_left and is_right  # within a word an underscore is a sign like any other
    may_open, may_close = is_left and (not is_word or _is_sign(before)), is_right and (not is_word or _is_sign(after))
    return _Run(start, end, kind, end - start, may_open, may_close)


def _is_sign(character: str) -> bool:
    return category(character)[0] in "PS"


def _pair_run(run: _Run, open_runs: dict[str, list[_Run]]) -> Iterator[tuple[int, int]]:
    """Yield what the run closes, the innermost first, and note it if it may open something."""
    runs = open_runs.setdefault(run.kind, [])
    number = len(runs) - 1 if run.may_close else -1
    lowest = max(number - MAX_TRIES, -1)
    while run.left and number > lowest:
        opener = runs[number]
        if _is_odd_pair(opener, run):
            number -= 1
            continue
        for others in open_runs.values():
            while others and others[-1].start > opener.start:
                others.pop()
        used = min(2, opener.left, run.left)
        opener.left, run.left = opener.left - used, run.left - used
        yield opener.start, run.end
        if not opener.left:
            runs.pop()
            number -= 1
    if run.left and run.may_open:
        runs.append(run)


def _is_odd_pair(opener: _Run, closer: _Run) -> bool:
    """Return whether CommonMark's rule of three keeps these apart."""
    first, second = opener.end - opener.start, closer.end - closer.start
    return (opener.may_close or closer.may_open) and (first + second) % 3 == 0 and bool(first % 3 or second % 3)


def is_within(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a position is within one of the spans, which are in order and apart."""
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
