"""Pack the messages that were found into a budget of tokens, in their order.

Short messages are packed whole, of long ones the passage that the query is about. Pure: the archive's rows come in as
values, and tokens are counted by a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.conversation.message import Message

from .outline import Outline
from .passages import MAX_WHOLE, passage_of, text_of
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
READ_A_TOKEN, AROUND = 6, 30
"""Characters that are read for each token of the budget, half as many again as it mostly holds; and those that frame a
message."""
MAX_PASSED_OVER = 12
"""Messages in a row that do not fit before the search ends."""


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
            lines.append(f"[{message.day}]")
        day = message.day
        lines.append(_line(message))
    return "\n".join(lines)


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


def recollected_of(message: Message, index: int, outline: Outline) -> Recollected:
    """Return all that can be recalled of a message."""
    text = text_of(message)
    return Recollected(message.id, index, outline.speakers[index], outline.day_of(index), text, len(text))


def pack(
    query: str,
    found: Iterable[Recollected],
    wanted: RecallQuery,
    postings: Postings,
    outline: Outline,
    budget: int,
    count: Count,
) -> Recollection:
    """Return as much of what was found as fits into the budget. found: whole messages, best first."""
    worth = {text: information(len(held), len(outline.speakers)) for text, held in postings.items() if held}
    kept: list[Recollected] = []
    sessions: set[int] = set()
    left, passed_over = budget, 0
    for whole in found:
        if left < MIN_LINE or passed_over > MAX_PASSED_OVER:
            break
        session = outline.sessions[whole.index]
        day = 0 if session in sessions else count(f"[{whole.day}]\n")
        most = min(PASSAGE_FIRST if len(kept) < FIRST else PASSAGE, left * CHARACTERS_A_TOKEN)
        passed_over += 1
        for room in (most, most // 3):
            shown = _shorten(whole, room, wanted, worth)
            cost = count(_line(shown) + "\n") + day
            if shown.text and cost <= left:
                kept.append(shown)
                sessions.add(session)
                left, passed_over = left - cost, 0
                break
    return _recollection(query, kept, budget, count)


def _shorten(whole: Recollected, room: int, wanted: RecallQuery, worth: Mapping[str, float]) -> Recollected:
    if whole.whole <= max(room, MAX_WHOLE):
        return whole
    text = passage_of(whole.text, wanted.terms, worth, room) if room >= MIN_PASSAGE else ""
    return msgspec.structs.replace(whole, text=text)


def _recollection(query: str, kept: list[Recollected], budget: int, count: Count) -> Recollection:
    """Return what was kept, in order. While the whole is over the budget, the last one added is dropped."""
    while kept:
        messages = tuple(sorted(kept, key=lambda message: message.index))
        tokens = count(page_of(messages))
        if tokens <= budget:
            return Recollection(query, messages, tokens)
        kept.pop()
    return Recollection(query)


def _line(message: Recollected) -> str:
    head = f"#{message.index} {message.speaker}"
    if message.is_part:
        return f"{head} ({len(message.text):,} of {message.whole:,} characters): … {message.text} …"
    return f"{head}: {message.text}"
