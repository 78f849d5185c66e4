"""Pack the messages that were found into a budget of tokens, in their order.

Short messages are packed whole, of long ones the passage that the query is about. Pure: the archive's rows come in as
values, and tokens are counted by a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.context.masking import mask_secrets
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.message import Message

from .outline import Outline
from .passages import MAX_WHOLE, passage_of, text_of
from .query import RecallQuery
from .rank import Rarity

Count = Callable[[str], int]
Place = TypeVar("Place")

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


ID_LENGTH = 12
"""Characters of a conversation's id by which a model names it: 48 bits of those that are random."""
MAX_TITLE = 80
"""Characters."""
_SOURCE = re.compile(rf"^Conversation ([\w-]{{1,{ID_LENGTH}}}), “(.*)”:\n(?:\[.*\]\n)?#(\d+) ", re.MULTILINE)


_MAY_BE_OURS = re.compile(
    r"(?:\r\n?|[\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029])(?=\[|#\d|Conversation [\w-]+,)", re.IGNORECASE
)
"""What begins a line within a message as the lines of this page begin: a blank in front says that it is not one."""


class RecallSource(msgspec.Struct, frozen=True):
    """A conversation of several that were looked in."""

    conversation: str
    """The id, or how it begins."""
    title: str = ""
    index: int = 0
    """Of the first message that was recalled there."""


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
    session: int = 0
    """The number of its session in its conversation."""
    source: RecallSource | None = None
    """Its conversation, where several were looked in."""

    @property
    def is_part(self) -> bool:
        """Whether only a passage of the message is here."""
        return len(self.text) < self.whole


class Recollection(msgspec.Struct, frozen=True):
    """What was recalled, conversation by conversation, and there in the order in which it was said."""

    query: str
    messages: tuple[Recollected, ...] = ()
    tokens: int = 0
    """Of `page_of` these messages."""

    @property
    def message_ids(self) -> tuple[str, ...]:
        return tuple([message.id for message in self.messages])


def page_of(messages: Sequence[Recollected]) -> str:
    """Return the messages as text: a line each with index and speaker, under the day on which it was said.

    Where several conversations were looked in, a line with its title stands above the messages of each.
    """
    lines: list[str] = []
    day = ""
    source = None
    for message in messages:
        if message.source is not None and message.source != source:
            lines.append(_heading(message.source))
            day = ""
        source = message.source
        stamped = without_stamp(message.text)[0] == message.day
        if message.day != day and not stamped:
            lines.append(f"[{message.day}]")
        day = message.day
        lines.append(_line(message))
    return "\n".join(lines)


def sources_in(page: str) -> tuple[RecallSource, ...]:
    """Return the conversations that a page names above their messages, in its order, each once."""
    found: dict[str, RecallSource] = {}
    for conversation, title, index in _SOURCE.findall(page):
        found.setdefault(conversation, RecallSource(conversation, title, int(index)))
    return tuple(found.values())


def places_to_read(
    scores: Sequence[tuple[Place, float]], length_of: Callable[[Place], int], budget: int
) -> list[Place]:
    """Return the messages that may fit into the budget, best first, at least one. length_of: in characters."""
    kept: list[Place] = []
    room = budget * READ_A_TOKEN
    for place, _ in scores:
        room -= min(length_of(place), PASSAGE) + AROUND
        if kept and room < 0:
            break
        kept.append(place)
    return kept


def recollected_of(message: Message, index: int, outline: Outline, source: RecallSource | None = None) -> Recollected:
    """Return all that can be recalled of a message. source: its conversation, where several are looked in.

    What looks like a key is masked then: it was told to another model, perhaps of another provider.
    """
    text = text_of(message) if source is None else mask_secrets(text_of(message))
    told = outline.speakers[index], outline.day_of(index), text, len(text), outline.sessions[index]
    return Recollected(message.id, index, *told, source)


def pack(
    query: str,
    found: Iterable[Recollected],
    wanted: RecallQuery,
    rarity: Rarity,
    budget: int,
    count: Count,
) -> Recollection:
    """Return as much of what was found as fits into the budget. found: whole messages, best first."""
    kept: list[Recollected] = []
    headings: set[tuple[str, int]] = set()
    left, passed_over = budget, 0
    for whole in found:
        if left < MIN_LINE or passed_over > MAX_PASSED_OVER:
            break
        above = [(key, line) for key, line in _lines_above(whole) if key not in headings]
        more = sum(count(f"{line}\n") for _, line in above)
        most = min(PASSAGE_FIRST if len(kept) < FIRST else PASSAGE, left * CHARACTERS_A_TOKEN)
        passed_over += 1
        for room in (most, most // 3):
            shown = _shorten(whole, room, wanted, rarity)
            cost = count(_line(shown) + "\n") + more
            if shown.text and cost <= left:
                kept.append(shown)
                headings.update(key for key, _ in above)
                left, passed_over = left - cost, 0
                break
    return _recollection(query, kept, budget, count)


def _lines_above(message: Recollected) -> list[tuple[tuple[str, int], str]]:
    """Return the lines that stand above a message, each with the conversation and the session that it is for."""
    day = (_conversation_of(message), message.session), f"[{message.day}]"
    return [day] if message.source is None else [((message.source.conversation, -1), _heading(message.source)), day]


def _conversation_of(message: Recollected) -> str:
    return "" if message.source is None else message.source.conversation


def _heading(source: RecallSource) -> str:
    title = " ".join(title_in_english(source.title).split()).replace("“", "‘").replace("”", "’")
    return f"Conversation {source.conversation[:ID_LENGTH]}, “{title[:MAX_TITLE]}”:"


def _shorten(whole: Recollected, room: int, wanted: RecallQuery, rarity: Rarity) -> Recollected:
    if whole.whole <= max(room, MAX_WHOLE):
        return whole
    worth = {term.text: rarity.worth(term.text) for term in wanted.terms}
    text = passage_of(whole.text, wanted.terms, worth, room) if room >= MIN_PASSAGE else ""
    return msgspec.structs.replace(whole, text=text)


def _recollection(query: str, kept: list[Recollected], budget: int, count: Count) -> Recollection:
    """Return what was kept, in order. While the whole is over the budget, the last one added is dropped."""
    order = {conversation: n for n, conversation in enumerate(dict.fromkeys(map(_conversation_of, kept)))}
    while kept:
        messages = tuple(sorted(kept, key=lambda message: (order[_conversation_of(message)], message.index)))
        tokens = count(page_of(messages))
        if tokens <= budget:
            return Recollection(query, messages, tokens)
        kept.pop()
    return Recollection(query)


def _line(message: Recollected) -> str:
    head = f"#{message.index} {' '.join(message.speaker.split())}"
    text = _MAY_BE_OURS.sub("\n ", message.text)
    if message.is_part:
        return f"{head} ({len(message.text):,} of {message.whole:,} characters): … {text} …"
    return f"{head}: {text}"
