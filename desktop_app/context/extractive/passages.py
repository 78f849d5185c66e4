"""A conversation as passages: what people and the model said in own words, with how much of it counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.context.ledger.facts import words_of
from desktop_app.context.ledger.message_facts import Read, Reading
from desktop_app.conversation.message import Message, Role, Text

from .sentence_kind import Sentence, Voice, chance_to_matter, is_chatter, weight_of
from .summary_builder import DECISIONS, DETAILS, STATE, Order, SummaryLine

PASSAGE_MOST = 500
"""Characters; what is said in a message this short stays together, a longer one is taken sentence by sentence."""
SENTENCES_A_MESSAGE = 60
"""A single pasted text does not make the whole summary."""
NARRATED, OBSERVED = 0.6, 0.3
"""What a model says while it calls tools is about to happen, and in plain chats the user's words matter more; what
a tool showed is not what somebody said."""
LISTENED_LEAST = 30_000
"""Characters that are listened to in any case: it takes no time."""
LISTENED_MOST = 6_000
"""Characters of one message that it is taken to say, whatever was pasted into it."""
SHARE_OF_USERS = 0.6
"""Of what is listened to at most; the rest is for what the model replied."""
PASTED = "Pasted by the user"
"""The speaker of what a user quoted or pasted: it is neither the user's wish nor the user's word."""
VOICES = {voice.value: voice for voice in Voice} | {PASTED: Voice.USER}
THIN = 0.65
"""Share of a message's words."""
OFTEN = 3
"""Said word for word so many times, it is a phrase of a program."""


class Passage(msgspec.Struct, frozen=True, gc=False):
    """Sentences of one message that belong together, each with its words and weight. `order`: message, sentence.

    day: the date that the conversation itself gives, such as "25 May, 2023". share: less than 1 for what is less than
    somebody's word. chance: in a chat among people, how likely somebody will want to know it.
    """

    speaker: str
    voice: Voice
    order: Order
    day: str = ""
    share: float = 1.0
    sentences: tuple[str, ...] = ()
    words: tuple[frozenset[str], ...] = ()
    weights: tuple[float, ...] = ()
    chance: float = 0.0

    @property
    def length(self) -> int:
        """Characters."""
        return sum(map(len, self.sentences))


def passages_of(
    head: Sequence[Message], earlier: Iterable[tuple[str, SummaryLine]], reading: Reading, plenty: int
) -> list[Passage]:
    """What people and the model said in own words, in order, without chatter.

    earlier: lines of an earlier page; what they quote competes with the new messages, since a page is merged and never
    summarised again. plenty: characters; of a session of work in which more is said, about as much is listened to.
    """
    plenty = max(plenty, LISTENED_LEAST)
    while True:
        places = _worth_listening(head, math.inf if is_among_people(head) else plenty)
        found = _heard(head, places, earlier, reading)
        if len(places) == sum(_speaks(message) for message in head) or sum(p.length for p in found) >= plenty / 2:
            return found
        plenty *= 4  # most of it was pasted


def _heard(
    head: Sequence[Message], places: Iterable[int], earlier: Iterable[tuple[str, SummaryLine]], reading: Reading
) -> list[Passage]:
    listener = _Listener(head)
    found = [passage for line in earlier if (passage := listener.quoted(*line)) is not None]
    for place in places:
        found += listener.passages(head[place], place, reading.of(head[place]))
    return found


def _speaks(message: Message) -> bool:
    return message.role is Role.USER or message.role is Role.ASSISTANT


def _worth_listening(head: Sequence[Message], plenty: float) -> list[int]:
    """The places of the messages to listen to, in order: what users said, what the model replied, and what it said
    between its calls, each as far as `plenty` characters last."""
    lengths: tuple[dict[int, int], ...] = ({}, {}, {})
    for place, message in enumerate(head):
        if message.role is Role.USER or message.role is Role.ASSISTANT:
            length = min(sum([len(part.text) for part in message.parts if isinstance(part, Text)]), LISTENED_MOST)
            lengths[0 if message.role is Role.USER else 2 if message.tool_calls else 1][place] = length
    chosen: list[int] = []
    for of_kind, share in zip(lengths, (SHARE_OF_USERS, 1.0, 1.0), strict=True):
        said = sum(of_kind.values())
        if said > plenty and (of_kind is lengths[2] or plenty <= 0):
            break
        some = of_kind if said <= plenty else _some(of_kind, share * plenty)
        chosen += some
        plenty -= sum([of_kind[place] for place in some])
    return sorted(chosen)


def _some(lengths: dict[int, int], room: float) -> list[int]:
    """Places of messages of at most `room` characters: half of it for the newest, half for others at even distances."""
    places, newest, free = list(lengths), list[int](), room / 2
    while places and lengths[places[-1]] <= free:
        newest.append(places.pop())
        free -= lengths[newest[-1]]
    older = sum([lengths[place] for place in places])
    return newest + places[:: math.ceil(older / (room / 2)) or 1]


class _Listener:
    """Hears message after message; remembers what was said often, which words, and which day it is."""

    def __init__(self, head: Sequence[Message]) -> None:
        self.among_people, self._works = is_among_people(head), is_work(head)
        self._speakers = {message.speaker for message in head if message.speaker}
        self._times: Counter[str] = Counter()
        self._known: set[str] = set()
        self._day = ""

    def quoted(self, section: str, line: SummaryLine) -> Passage | None:
        """A line of an earlier page as a passage again, if it is somebody's."""
        if section not in (DECISIONS, DETAILS) and not (section == STATE and line.speaker):
            return None
        voice = VOICES.get(line.speaker, Voice.PERSON if line.speaker else Voice.USER)
        said = Sentence(line.text)
        share = NARRATED if line.speaker == PASTED else 1.0
        passage = self._weighed(Passage(line.speaker, voice, line.order, line.day, share), [said])
        self._known |= said.words
        return passage

    def passages(self, message: Message, place: int, read: Read) -> list[Passage]:
        """What a message tells: as one passage if it is short, else sentence by sentence."""
        self._day = read.day or self._day
        said = list(dict.fromkeys(read.sentences))[:SENTENCES_A_MESSAGE]
        self._times.update(said)
        voice = self._voice(message)
        heard = [(number, Sentence(text)) for number, text in enumerate(said) if self._times[text] < OFTEN]
        kept = [pair for pair in heard if not is_chatter(pair[1], voice)]
        if kept and voice is Voice.PERSON and _is_thin(kept, heard):
            kept = heard
        passage = Passage(
            message.speaker or voice.value, voice, (place, 0), self._day, self._share(message, voice, read)
        )
        pasted = set(said).difference(read.instructions) if voice is Voice.USER else set[str]()
        own = [pair for pair in kept if pair[1].text not in pasted]
        found = self._told(passage, own)
        if pasted:
            shown = replace(passage, speaker=PASTED, share=min(passage.share, NARRATED))
            found += self._told(shown, [pair for pair in kept if pair[1].text in pasted])
        self._known.update(word for _, sentence in heard for word in sentence.words)
        return found

    def _told(self, passage: Passage, kept: list[tuple[int, Sentence]]) -> list[Passage]:
        return [
            self._weighed(replace(passage, order=(passage.order[0], group[0][0])), [sentence for _, sentence in group])
            for group in _grouped(kept)
        ]

    def _voice(self, message: Message) -> Voice:
        if self.among_people:
            return Voice.PERSON
        return Voice.USER if message.role is Role.USER else Voice.MODEL

    def _share(self, message: Message, voice: Voice, read: Read) -> float:
        if voice is Voice.USER:
            return OBSERVED if sum(map(len, read.sentences)) < 0.5 * len(read.text) else 1.0
        return NARRATED if message.tool_calls or (voice is Voice.MODEL and not self._works) else 1.0

    def _weighed(self, passage: Passage, said: Sequence[Sentence]) -> Passage:
        """The passage with those sentences and what they count."""
        words = tuple([sentence.words for sentence in said])
        told = replace(passage, sentences=tuple([sentence.text for sentence in said]), words=words)
        if passage.voice is Voice.PERSON:
            fresh = len({word for some in words for word in some if word not in self._known})
            return replace(told, chance=chance_to_matter(said, fresh, self._speakers))
        weights = [passage.share * weight_of(sentence, passage.voice, self._speakers) for sentence in said]
        return replace(told, weights=tuple(weights))


def _is_thin(kept: Sequence[tuple[int, Sentence]], heard: Sequence[tuple[int, Sentence]]) -> bool:
    """Whether so much of a message would be left out that the rest of it is not that message any more."""
    return len(_words(kept)) < THIN * len(_words(heard))


def _words(said: Sequence[tuple[int, Sentence]]) -> set[str]:
    return {word for _, sentence in said for word in words_of(sentence.text)}


def _grouped(kept: list[tuple[int, Sentence]]) -> list[list[tuple[int, Sentence]]]:
    """The sentences of one message, together if they are few, else each for itself."""
    if sum(len(sentence.text) for _, sentence in kept) <= PASSAGE_MOST:
        return [kept] if kept else []
    return [[one] for one in kept]


def is_among_people(head: Iterable[Message]) -> bool:
    """Whether the other side has a name too: nobody gives a model instructions here."""
    return any(message.speaker for message in head if message.role is Role.ASSISTANT)


def is_work(head: Iterable[Message]) -> bool:
    """Whether something is made or done here: tools are called, or code is written."""
    return any(message.tool_calls or "```" in message.text for message in head)
