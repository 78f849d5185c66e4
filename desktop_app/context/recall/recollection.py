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

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.context.masking import mask_secrets
from desktop_app.context.text_cuts import head_of, tail_of
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.message import Attachment, Message, Text, ToolCall, ToolResult

from .outline import Outline
from .query import RecallQuery, Term
from .rank import Rarity

MAX_READ = 200_000
"""Characters of one message that are searched."""
MAX_OCCURRENCES = 200
"""Occurrences of a term in a message that are compared."""
BEFORE = 0.3
"""The share of a passage's spare length that precedes the first term."""
SNAP = 80
"""Characters by which a passage may be shifted to begin and end at a line or word boundary."""

_WORD = re.compile(r"[^\W_]+")
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


def passage_of(text: str, terms: Iterable[Term], worth: Mapping[str, float], most: int) -> str:
    """Return at most `most` characters of a text, where most of the query is found, or from its beginning.

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
    """Return index, text and value of each occurrence of the terms, in the order of the text."""
    lowered = text.lower()
    found: list[tuple[int, str, float]] = []
    for term in terms:
        value = term.weight * worth.get(term.text, 0.0)
        if value > 0:
            found += [(index, term.text, value) for index in islice(_find_term(lowered, term.text), MAX_OCCURRENCES)]
    return sorted(found)


def _find_term(lowered: str, term: str) -> Iterator[int]:
    """Yield the indexes at which the term's words occur in order, inflected forms included.

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
        # The stretch need not contain a term twice.
        while index - occurrences[begin][0] > room or counts[occurrences[begin][1]] > 1:
            _, first_term, lost = occurrences[begin]
            counts[first_term] -= 1
            score -= lost if counts[first_term] == 0 else 0.0
            begin += 1
        if score > best + 1e-9:
            best, found = score, (occurrences[begin][0], index)
    return found


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

PASSAGES = (800,) * 3 + (250,) * 12
"""Characters of a passage of each of the best messages, in their order."""
PASSAGE, IN_OVERVIEW = 100, 70
"""Characters of a passage of others, a line of 30 tokens, so that nearly a hundred fit; and of each one if the query
asks for an overview of the conversation: what was mentioned when, not the best few passages."""
MIN_PASSAGE = 60
"""Characters."""
MIN_LINE = 10
"""Tokens: no message fits into fewer."""
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


def places_to_read(
    scores: Sequence[tuple[Place, float]], length_of: Callable[[Place], int], budget: int
) -> list[Place]:
    """Return the messages that may fit into the budget, best first, at least one. length_of: in characters."""
    kept: list[Place] = []
    room = budget * READ_A_TOKEN
    for place, _ in scores:
        room -= min(length_of(place), PASSAGES[len(kept)] if len(kept) < len(PASSAGES) else IN_OVERVIEW) + AROUND
        if kept and room < 0:
            break
        kept.append(place)
    return kept


def passage_length(rank: int, wanted: RecallQuery) -> int:
    """Return the characters of a passage of the message that is number `rank` of the best ones, from 0."""
    if wanted.is_overview:
        return IN_OVERVIEW
    return PASSAGES[rank] if rank < len(PASSAGES) else PASSAGE


def recollected_of(message: Message, index: int, outline: Outline, source: RecallSource | None = None) -> Recollected:
    """Return the full recallable text of a message. source: its conversation, if several are searched.

    Secrets are masked then: they were sent to another model, perhaps of another provider.
    """
    text = text_of(message) if source is None else mask_secrets(text_of(message))
    speaker, day, session = outline.speakers[index], outline.day_of(index), outline.sessions[index]
    return Recollected(message.id, index, speaker, day, text, len(text), session, source)


def pack(
    query: str,
    found: Iterable[Recollected],
    wanted: RecallQuery,
    rarity: Rarity,
    budget: int,
    count: Count,
) -> Recollection:
    """Return as many of the found messages as fit into the budget. found: full messages, best first."""
    kept: list[Recollected] = []
    headings: set[tuple[str, int]] = set()
    left, passed_over = budget, 0
    for message in found:
        if left < MIN_LINE or passed_over > MAX_PASSED_OVER:
            break
        above = [(key, line) for key, line in _lines_above(message) if key not in headings]
        more = sum(count(f"{line}\n") for _, line in above)
        most = min(passage_length(len(kept), wanted), left * CHARACTERS_A_TOKEN)
        passed_over += 1
        for room in (most, most // 3):
            shortened = _shorten(message, room, wanted, rarity)
            cost = count(_line(shortened) + "\n") + more
            if shortened.text and cost <= left:
                kept.append(shortened)
                headings.update(key for key, _ in above)
                left, passed_over = left - cost, 0
                break
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


def _shorten(message: Recollected, room: int, wanted: RecallQuery, rarity: Rarity) -> Recollected:
    if message.full_length <= room + SNAP // 2:
        return message
    worth = {term.text: rarity.worth(term.text) for term in wanted.terms}
    text = passage_of(message.text, wanted.terms, worth, room) if room >= MIN_PASSAGE else ""
    return msgspec.structs.replace(message, text=text)


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
    if message.is_part and len(message.text) > PASSAGE:
        return f"{head} ({len(message.text):,} of {message.full_length:,} characters): … {text} …"
    if message.is_part:
        return f"{head}: … {text} …"
    return f"{head}: {text}"
