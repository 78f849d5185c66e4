"""Pack the messages that recall found into a budget of tokens, in their order.

Of each message, the passage that matches the query is packed: of the best ones a long passage, of many others a line
that tells what to read on about. Short messages are packed in full. Pure: the archive's rows are passed
as values, and a function counts tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.context.masking import mask_secrets
from desktop_app.context.text_cuts import head_of, tail_of
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.message import Attachment, Message, Text, ToolCall, ToolResult

from .outline import Outline
from .query import RecallQuery
from .rank import Rarity

MAX_READ = 200_000
"""Characters of one message that are searched."""
MAX_OCCURRENCES = 200
"""Occurrences of a term in a message that are compared."""
SNAP = 80
"""Characters by which a passage may be shifted to begin and end at a line or word boundary."""

_ENDING = re.compile(r"(?:ations?|ings?|ies|ied|ed|es|s|ly|e|y)$")


def text_of(message: Message) -> str:
    """Return the recallable text of a message: text, calls and results, without reasoning and images."""
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


def excerpt_of(text: str, stems: Mapping[str, float], most: int) -> str:
    """Return at most `most` characters of a text, where most of the query is found, or from its beginning.

    stems: the beginnings of the query's words, each with its information.
    """
    if len(text) <= most:
        return text
    lowered, half = text[:MAX_READ].lower(), max(most // 2, 1)
    values: dict[int, float] = {}  # of stretches of `most` characters, each half over the one before
    for stem, value in stems.items():
        halves = {index // half for index in islice(_find(lowered, stem), MAX_OCCURRENCES)}
        for stretch in halves | {each - 1 for each in halves if each}:
            values[stretch] = values.get(stretch, 0.0) + value
    best = max(values, key=lambda stretch: (values[stretch], -stretch), default=0)
    return _cut(text, min(best * half, len(text) - most), most)


def _find(lowered: str, stem: str) -> Iterator[int]:
    """Yield the indexes of the words that begin with the stem. `str.find` is many times as fast as a pattern."""
    index = lowered.find(stem)
    while index >= 0:
        if index == 0 or not lowered[index - 1].isalnum() or not stem.isascii():
            yield index
        index = lowered.find(stem, index + 1)


def _stem(word: str) -> str:
    return _ENDING.sub("", word.lower()) or word if len(word) > 4 and word.isascii() else word.lower()


def _cut(text: str, start: int, most: int) -> str:
    """Return the passage from about `start`, cut at the ends of lines or words."""
    if start:
        line = text.find("\n", start - 1, start + SNAP) + 1
        blank = text.find(" ", start - 1, start + SNAP) + 1
        start = line or blank or start
    passage = head_of(tail_of(text, len(text) - start), most)
    if start + len(passage) < len(text):
        end = max(passage.rfind("\n", len(passage) - SNAP), passage.rfind(" ", len(passage) - SNAP))
        passage = passage[:end] if end > 0 else passage
    return passage.strip()


Count = Callable[[str], int]
Place = TypeVar("Place")

LINE, MAX_EXCERPT = 70, 800
"""Characters of an excerpt, at least and at most: a line of 30 tokens tells what to read on about."""
SHARPNESS = 4
"""The power of its score to which a message gets room: where few score high, long excerpts; otherwise many short."""
SHORT = 100
"""Characters of an excerpt whose length is not given."""
MIN_LINE = 10
"""Tokens: no message fits into fewer."""
SHARED_A_TOKEN = 3
"""Characters for each token of the budget, if few messages share it."""
CHARACTERS_A_TOKEN = 4
"""Approximate upper bound, which limits the passages that are tried."""
READ_A_TOKEN, AROUND = 6, 30
"""Characters that are read for each token of the budget, half as many again as a token mostly has; and characters that
frame a message."""
MAX_PASSED_OVER = 12
"""Successive messages that do not fit, after which packing ends."""


ID_LENGTH = 12
"""Characters of a conversation's id by which a model names it: 48 of its random bits."""
MAX_TITLE = 80
"""Characters."""
_SOURCE = re.compile(rf"^Conversation ([\w-]{{1,{ID_LENGTH}}}), “(.*)”:\n(?:\[.*\]\n)?#(\d+) ", re.MULTILINE)


_MAY_BE_OURS = re.compile(
    r"(?:\r\n?|[\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029])(?=\[|#\d|Conversation [\w-]+,)", re.IGNORECASE
)
"""The start of a line within a message that looks like a line of the page; a space before it tells them apart."""


class RecallSource(msgspec.Struct, frozen=True):
    """The conversation of a recalled message, if several were searched."""

    conversation: str
    """The id, or its beginning."""
    title: str = ""
    index: int = 0
    """Of the first message that was recalled from it."""


class Recollected(msgspec.Struct, frozen=True):
    """A recalled message, or a passage of it."""

    id: str
    index: int
    """Among the conversation's messages, from 0."""
    speaker: str
    """The name, or the role."""
    day: str
    """As written in the conversation, such as "8 May, 2023"."""
    text: str
    full_length: int
    """The length of the full message in characters."""
    session: int = 0
    """The number of its session in its conversation."""
    source: RecallSource | None = None
    """Its conversation, if several were searched."""

    @property
    def is_part(self) -> bool:
        """Whether `text` is only a passage of the message."""
        return len(self.text) < self.full_length


class Recollection(msgspec.Struct, frozen=True):
    """Recalled messages by conversation, each in chronological order."""

    query: str
    messages: tuple[Recollected, ...] = ()
    tokens: int = 0
    """Of `page_of` these messages."""

    @property
    def message_ids(self) -> tuple[str, ...]:
        return tuple([message.id for message in self.messages])


def page_of(messages: Sequence[Recollected]) -> str:
    """Return the messages as text: one line each with index and speaker, under the message's day.

    If several conversations were searched, a line with its title precedes the messages of each.
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
    """Return the conversations whose titles a page contains, in order, each once."""
    found: dict[str, RecallSource] = {}
    for conversation, title, index in _SOURCE.findall(page):
        found.setdefault(conversation, RecallSource(conversation, title, int(index)))
    return tuple(found.values())


def rooms_of(scores: Sequence[tuple[Place, float]], length_of: Callable[[Place], int], budget: int) -> dict[Place, int]:
    """Return the characters of an excerpt of each message that may fit into the budget, best first, at least one.

    length_of: in characters. Each gets a line; what remains of the budget, at least a character for each of its tokens,
    is shared by score.
    """
    lines = sum([min(length_of(place), LINE) + AROUND for place, _ in scores])
    worth = [max(score, 0.0) ** SHARPNESS for _, score in scores]
    share = max(budget * SHARED_A_TOKEN - lines, budget) / (sum(worth) or 1.0)
    rooms: dict[Place, int] = {}
    left = budget * READ_A_TOKEN
    for (place, _), each in zip(scores, worth, strict=True):
        room = min(max(int(share * each), LINE), MAX_EXCERPT)
        left -= min(length_of(place), room) + AROUND
        if rooms and left < 0:
            break
        rooms[place] = room
    return rooms


def recollected_of(message: Message, index: int, outline: Outline, source: RecallSource | None = None) -> Recollected:
    """Return the full recallable text of a message. source: its conversation, if several are searched.

    Secrets are masked then: they were sent to another model, perhaps of another provider.
    """
    text = text_of(message) if source is None else mask_secrets(text_of(message))
    speaker, day, session = outline.speakers[index], outline.day_of(index), outline.sessions[index]
    return Recollected(message.id, index, speaker, day, text, len(text), session, source)


def pack(
    query: str,
    found: Iterable[tuple[Recollected, int]],
    wanted: RecallQuery,
    rarity: Rarity,
    budget: int,
    count: Count,
) -> Recollection:
    """Return as many of the found messages as fit into the budget.

    found: full messages, best first, each with the maximum characters of its excerpt.
    """
    stems = {_stem(word): rarity.worth(word) for word in wanted.words}
    kept: list[Recollected] = []
    headings: set[tuple[str, int]] = set()
    left, passed_over = budget, 0
    for message, room in found:
        if left < MIN_LINE or passed_over > MAX_PASSED_OVER:
            break
        above = [(key, line) for key, line in _lines_above(message) if key not in headings]
        most = min(room, left * CHARACTERS_A_TOKEN)
        text = message.text if message.full_length <= most + SNAP // 2 else excerpt_of(message.text, stems, most)
        shortened = replace(message, text=text)
        cost = count(_line(shortened) + "\n") + sum(count(f"{line}\n") for _, line in above)
        passed_over += 1
        if text and cost <= left:
            kept.append(shortened)
            headings.update(key for key, _ in above)
            left, passed_over = left - cost, 0
    return _recollection(query, kept, budget, count)


def _lines_above(message: Recollected) -> list[tuple[tuple[str, int], str]]:
    """Return the heading lines of a message, each with the conversation and the session to which it belongs."""
    day = (_conversation_of(message), message.session), f"[{message.day}]"
    return [day] if message.source is None else [((message.source.conversation, -1), _heading(message.source)), day]


def _conversation_of(message: Recollected) -> str:
    return "" if message.source is None else message.source.conversation


def _heading(source: RecallSource) -> str:
    title = " ".join(title_in_english(source.title).split()).replace("“", "‘").replace("”", "’")
    return f"Conversation {source.conversation[:ID_LENGTH]}, “{title[:MAX_TITLE]}”:"


def _recollection(query: str, kept: list[Recollected], budget: int, count: Count) -> Recollection:
    """Return the kept messages in order. While they exceed the budget, the last one added is dropped."""
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
    if message.is_part and len(message.text) > SHORT:
        return f"{head} ({len(message.text):,} of {message.full_length:,} characters): … {text} …"
    if message.is_part:
        return f"{head}: … {text} …"
    return f"{head}: {text}"
