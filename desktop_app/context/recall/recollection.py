"""Pack the messages that were found into a budget of tokens, in their order.

Short messages are packed whole, of long ones the passage that the query is about. Pure: the archive's rows come in as
values, and tokens are counted by a function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from desktop_app.context.ledger.prose import without_stamp

from .outline import Outline
from .passages import MAX_WHOLE, passage_of
from .query import RecallQuery
from .rank import Postings, information

Count = Callable[[str], int]

PASSAGE_FIRST, PASSAGE = 2_400, 600
"""Characters of a passage, in the messages that are ranked first and in others: about 600 and 150 tokens."""
FIRST = 3
MIN_PASSAGE = 80
"""Characters."""
MIN_LINE = 10
"""Tokens: with less room than this, no message fits any more."""
CHARACTERS_A_TOKEN = 4
"""About, at most: limits the passages that are tried."""
LINE_KEPT, LINES_KEPT = 3_000, 4_000
"""Characters of a line whose count is kept, and lines: 12 MB at most."""
READ_A_TOKEN, AROUND = 6, 30
"""Characters that are read for each token of the budget, half as many again as it mostly holds; and those that frame a
message."""
MAX_PASSED_OVER = 12
"""Messages in a row that do not fit before the search ends."""


class FoundMessage(msgspec.Struct, frozen=True, gc=False):
    """A message that was found."""

    index: int
    id: str
    text: str
    """All that can be recalled of it (`text_of`)."""


class Recollected(msgspec.Struct, frozen=True):
    """A message that was recalled, or a passage of it."""

    id: str
    index: int
    """Among the conversation's messages, from 0."""
    speaker: str
    """The name, or the role."""
    day: str
    """As the conversation gives it, such as "8 May, 2023"."""
    text: str
    whole: int
    """The length of the whole message in characters."""

    @property
    def is_part(self) -> bool:
        """Whether only a passage of the message is here."""
        return len(self.text) < self.whole


class Recollection(msgspec.Struct, frozen=True):
    """What was recalled, in the order in which it was said."""

    query: str
    messages: tuple[Recollected, ...] = ()
    tokens: int = 0
    """Of `page_of` these messages."""

    @property
    def message_ids(self) -> tuple[str, ...]:
        return tuple([message.id for message in self.messages])


def page_of(messages: Sequence[Recollected]) -> str:
    """Return the messages as text: a line each with index and speaker, under the day on which it was said."""
    lines: list[str] = []
    day = ""
    for message in messages:
        stamped = without_stamp(message.text)[0] == message.day
        if message.day != day and not stamped:
            lines.append(_day_line(message.day))
        day = message.day
        lines.append(_line(message))
    return "\n".join(lines)


def cache_counts(count: Count) -> Count:
    """Return a count that caches its results: many queries of one conversation find the same messages."""
    kept: dict[str, int] = {}

    def counted(text: str) -> int:
        if len(text) > LINE_KEPT:
            return count(text)
        tokens = kept.get(text)
        if tokens is None:
            if len(kept) >= LINES_KEPT:
                kept.clear()
            tokens = kept[text] = count(text)
        return tokens

    return counted


def indexes_to_read(scores: Sequence[tuple[int, float]], outline: Outline, budget: int) -> list[int]:
    """Return the indexes of the messages that may fit into the budget, best first, at least one."""
    kept: list[int] = []
    room = budget * READ_A_TOKEN
    for index, _ in scores:
        room -= min(outline.lengths[index], PASSAGE) + AROUND
        if kept and room < 0:
            break
        kept.append(index)
    return kept


def pack(
    query: str,
    found: Sequence[FoundMessage],
    wanted: RecallQuery,
    postings: Postings,
    outline: Outline,
    budget: int,
    count: Count,
) -> Recollection:
    """Return as much of what was found as fits into the budget. found: distinct, best first."""
    worth = {text: information(len(held), len(outline.speakers)) for text, held in postings.items() if held}
    packing = _Packing(wanted, worth, outline, budget, count)
    for one in found:
        if packing.left < MIN_LINE or packing.passed_over > MAX_PASSED_OVER:
            break
        packing.add(one)
    return packing.recollection(query)


class _Packing:
    """Adds messages by rank, and returns them in their order."""

    def __init__(
        self, wanted: RecallQuery, worth: Mapping[str, float], outline: Outline, budget: int, count: Count
    ) -> None:
        self.left, self.passed_over = budget, 0
        self._wanted, self._worth, self._outline = wanted, worth, outline
        self._budget, self._count = budget, count
        self._kept: list[Recollected] = []
        self._sessions: set[int] = set()

    def add(self, found: FoundMessage) -> None:
        """Add the message, or a passage of it, if one fits."""
        if not found.text:
            return
        speaker, day = self._outline.speakers[found.index], self._outline.day_of(found.index)
        whole = Recollected(found.id, found.index, speaker, day, found.text, len(found.text))
        most = PASSAGE_FIRST if len(self._kept) < FIRST else PASSAGE
        for room in (most, most // 3):
            room = min(room, self.left * CHARACTERS_A_TOKEN)
            shown = whole if whole.whole <= max(room, MAX_WHOLE) else self._passage(whole, room)
            cost = self._cost(shown)
            if cost <= self.left:
                self._keep(shown, cost)
                return
            if shown is whole or room < MIN_PASSAGE:
                break
        self.passed_over += 1

    def _keep(self, shown: Recollected, cost: int) -> None:
        self._kept.append(shown)
        self._sessions.add(self._outline.sessions[shown.index])
        self.left -= cost
        self.passed_over = 0

    def recollection(self, query: str) -> Recollection:
        """Return what was added, in order. While the whole is over the budget, the last one added is dropped."""
        while True:
            messages = tuple(sorted(self._kept, key=lambda message: message.index))
            tokens = self._count(page_of(messages)) if messages else 0
            if tokens <= self._budget or not messages:
                return Recollection(query, messages, tokens)
            self._kept.pop()

    def _passage(self, whole: Recollected, most: int) -> Recollected:
        passage = passage_of(whole.text, self._wanted.terms, self._worth, most)
        return msgspec.structs.replace(whole, text=passage)

    def _cost(self, shown: Recollected) -> int:
        cost = self._count(_line(shown) + "\n")
        is_told = self._outline.sessions[shown.index] in self._sessions
        return cost if is_told else cost + self._count(_day_line(shown.day) + "\n")


def _day_line(day: str) -> str:
    return f"[{day}]"


def _line(message: Recollected) -> str:
    head = f"#{message.index} {message.speaker}"
    if message.is_part:
        return f"{head} ({len(message.text):,} of {message.whole:,} characters): … {message.text} …"
    return f"{head}: {message.text}"
