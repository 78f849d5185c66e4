"""Cut the passage that a query is about out of a long message. Short messages are returned whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from desktop_app.context.text_cuts import head_of, tail_of
from desktop_app.conversation.message import Attachment, Message, Text, ToolCall, ToolResult

from .query import RELATED_WEIGHT, Term

MAX_WHOLE = 800
"""Characters; shorter messages are not cut."""
MAX_READ = 200_000
"""Characters of one message that are searched."""
MAX_OCCURRENCES = 200
"""Of one term in one message that are compared."""
BEFORE = 0.3
"""The share of a passage's free room that is given to what precedes the first term."""
SNAP = 80
"""Characters by which a passage may be shifted to begin and end with a whole line or word."""

_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?:ations?|ings?|ies|ied|ed|es|s|ly|e|y)$")


def text_of(message: Message) -> str:
    """Return what can be recalled of a message: text, calls and results, without reasoning and images."""
    pieces: list[str] = []
    for part in message.parts:
        match part:
            case Text(text):
                pieces.append(text)
            case ToolResult():
                pieces.append(part.text)
            case ToolCall():
                pieces.append(f"{part.name} {part.arguments}")
            case Attachment():
                pieces.append(f"[{part.name}]" if part.is_image else part.as_text)
            case _:
                pass
    return "\n\n".join(piece.strip() for piece in pieces if piece.strip())


def passage_of(text: str, terms: Iterable[Term], worth: Mapping[str, float], most: int) -> str:
    """Return at most `most` characters of a text, from where most of the query is found, or from its beginning.

    worth: the information of each term, by its text.
    """
    if len(text) <= most:
        return text
    occurrences = _occurrences(text[:MAX_READ], terms, worth)
    first, last = _best_stretch(occurrences, most)
    room = max(most - (last + SNAP - first), 0)
    start = max(min(first - int(room * BEFORE), len(text) - most), 0)
    return _cut(text, start, most)


def _occurrences(text: str, terms: Iterable[Term], worth: Mapping[str, float]) -> list[tuple[int, str, float]]:
    """Return index, text and value of each occurrence of the terms, in the order of the text.

    Terms that were only learned from other messages are left out.
    """
    lowered = text.lower()
    found: list[tuple[int, str, float]] = []
    for term in terms:
        value = term.weight * worth.get(term.text, 0.0)
        if value > 0 and term.weight >= RELATED_WEIGHT:
            found += [(index, term.text, value) for index in islice(_find_term(lowered, term.text), MAX_OCCURRENCES)]
    return sorted(found)


def _find_term(lowered: str, term: str) -> Iterator[int]:
    """Yield where the term's words occur in their order, inflected forms included.

    The first word is found with `str.find`, which is many times as fast as a pattern.
    """
    stems = [_stem(word) for word in _WORD.findall(term.lower())]
    if not stems:
        return
    rest = re.compile(r"\w*[\W_]+".join(map(re.escape, stems))) if len(stems) > 1 else None
    index = lowered.find(stems[0])
    while index >= 0:
        begins = index == 0 or not lowered[index - 1].isalnum() or not term.isascii()
        if begins and (rest is None or rest.match(lowered, index)):
            yield index
        index = lowered.find(stems[0], index + 1)


def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > 4 and word.isascii() else word


def _best_stretch(occurrences: Sequence[tuple[int, str, float]], most: int) -> tuple[int, int]:
    """Return the first and the last index of the stretch with the highest value; each term counts once."""
    room = max(most - SNAP, 1)
    counts: dict[str, int] = {}
    score, best, begin = 0.0, 0.0, 0
    found = (0, 0)
    for index, term, value in occurrences:
        counts[term] = counts.get(term, 0) + 1
        score += value if counts[term] == 1 else 0.0
        # A term that occurs again further on need not be in the stretch twice.
        while index - occurrences[begin][0] > room or counts[occurrences[begin][1]] > 1:
            _, gone, lost = occurrences[begin]
            counts[gone] -= 1
            score -= lost if counts[gone] == 0 else 0.0
            begin += 1
        if score > best + 1e-9:
            best, found = score, (occurrences[begin][0], index)
    return found


def _cut(text: str, start: int, most: int) -> str:
    """Return the passage from about that index, cut at the ends of lines or words."""
    if start:
        line = text.find("\n", start - 1, start + SNAP) + 1
        blank = text.find(" ", start - 1, start + SNAP) + 1
        start = line or blank or start
    passage = head_of(tail_of(text, len(text) - start), most)
    if start + len(passage) < len(text):
        end = max(passage.rfind("\n", len(passage) - SNAP), passage.rfind(" ", len(passage) - SNAP))
        passage = passage[:end] if end > 0 else passage
    return passage.strip()
