"""Split a conversation into passages, what people and the model said in their own words, and rank them for a page.

A sentence weighs by the kind of statement that it makes and by what it names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.context.ledger.facts import QUESTION, words_of
from desktop_app.context.ledger.message_facts import MessageFacts, Reading
from desktop_app.context.sentence_kinds import Kinds, kinds_of
from desktop_app.conversation.message import Message, Role, Text

from .summary_builder import DECISIONS, DETAILS, STATE, Order, SummaryLine

MIN_LENGTH = 30
"""Characters; a point of a list that is shorter says little without its list."""
MIN_CHATTER = {"User": 0.9, "Assistant": 0.6, "person": 0.85}
"""How likely a sentence must be chatter, by whose it is, to be left out."""
MAX_CHATTER = 24
"""Characters of a user's chatter: a longer sentence has more in it."""

_ASIDE = re.compile(r"\[[^\]]*\]")
_CAPITALISED = re.compile(r"[A-Z][a-z]{2,}")
_QUOTED = re.compile(r"[\"“`《]\w")
_LABEL = re.compile(r"[A-Z][A-Z ]{3,30}:")


class Voice(StrEnum):
    """Whose words: the user's, the model's, or those of a person with a name in a chat among people."""

    USER = "User"
    MODEL = "Assistant"
    PERSON = "person"


WEIGHTS = {
    Voice.USER: Kinds(preference=1.2, rule=1.4, decision=1.2, goal=1.2, fact=1.4, chatter=0.1),
    Voice.MODEL: Kinds(preference=0.2, rule=0.2, decision=1.0, goal=0.4, fact=1.0, chatter=0.1),
}
"""What a word of a sentence of each kind counts: a model's advice is not the user's rule."""
LABELLED = 1.0
"""What it counts more behind a label such as "NOTE:"."""
OF_KIND = Kinds(preference=0.3, rule=0.4, decision=1.2, goal=0.5, fact=1.4, chatter=-0.3)
BASE, OF_NEW_WORD, OF_NAME, OF_QUOTATION = -2.0, 0.25, 1.6, 1.2
"""Of a logistic regression: how likely somebody asks later for what a message of a chat among people tells."""


class Sentence:
    """A sentence without what stands in brackets, its words, and its kinds."""

    __slots__ = ("kinds", "plain", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = _ASIDE.sub("", text) if "[" in text else text
        self.words = words_of(self.plain)
        self.kinds = kinds_of(self.plain)


def is_chatter(said: Sentence, voice: Voice) -> bool:
    """Return whether the sentence only greets, thanks, agrees, announces or asks back. A user's questions never do."""
    if voice is Voice.USER:
        return len(said.plain) < MAX_CHATTER and said.kinds.chatter >= MIN_CHATTER[voice]
    return said.kinds.chatter >= MIN_CHATTER[voice] or QUESTION.search(said.plain) is not None


def is_request(sentence: str) -> bool:
    """Return whether the sentence asks for something, and says for what."""
    return len(sentence) >= MIN_LENGTH and (bool(QUESTION.search(sentence)) or kinds_of(sentence).goal >= 0.4)


def is_announcing(sentence: str) -> bool:
    """Return whether the model only says what it is about to do or to show."""
    return sentence.endswith(":") or kinds_of(sentence).chatter >= 0.5


def weight_of(said: Sentence, voice: Voice) -> float:
    """Return how much each of the sentence's words counts, about 1 in one that tells something."""
    weight = sum([of_kind * share for of_kind, share in zip(WEIGHTS[voice], said.kinds, strict=True)])
    return weight * (1.0 + (LABELLED if _LABEL.match(said.plain) else 0.0))


def urgency_of(rule: str) -> float:
    """Return how much a rule is one: by its kind, and whether somebody put a label such as "NOTE:" before it."""
    kinds = kinds_of(rule)
    return kinds.rule + kinds.preference + (LABELLED if _LABEL.match(rule) else 0.0)


def chance_to_matter(said: Sequence[Sentence], new_words: int, speakers: Collection[str] = ()) -> float:
    """Return how likely it is that somebody asks later for what a message of a chat among people tells.

    Fitted on a chat of 419 messages with questions about it; on another one of 369 messages it tells what is asked for
    from the rest with an area under the curve of 0.79. Preferences, rules and goals count more than was fitted.
    """
    kinds = Kinds(*map(max, zip(*[one.kinds for one in said], strict=True)))
    kinds = kinds._replace(chatter=min([one.kinds.chatter for one in said]))
    score = BASE + OF_NEW_WORD * new_words + sum([a * b for a, b in zip(OF_KIND, kinds, strict=True)])
    score += OF_NAME if any([names_somebody(one.plain, speakers) for one in said]) else 0.0
    score += OF_QUOTATION if any([_QUOTED.search(one.plain) for one in said]) else 0.0
    return 1.0 / (1.0 + math.exp(-score))


def names_somebody(sentence: str, speakers: Collection[str]) -> bool:
    """Return whether a name stands within the sentence that is none of the speakers', nor short for it."""
    for found in _CAPITALISED.finditer(sentence, 2):
        before = sentence[found.start() - 2 : found.start()]
        if before[-1] in " (" and before[0] not in ".!?:…" and not any(s.startswith(found[0][:3]) for s in speakers):
            return True
    return False


MAX_PASSAGE = 500
"""Bytes; in a chat among people a message this short stays together."""
MAX_SENTENCES = 60
"""Of one message: a single pasted text must not fill the summary."""
NARRATED = 0.6
"""What a model says while it calls tools is about to happen, and in plain chats the user's words matter more; what
a tool showed is not what somebody said."""
MIN_READ = 30_000
"""Characters that are read in any case."""
MAX_READ_OF_MESSAGE = 6_000
"""Characters of one message that count, whatever was pasted into it."""
SHARE_OF_USERS = 0.6
"""Of what is read at most; the rest is for what the model replied."""
PASTED = "Pasted by the user"
"""The speaker of what a user quoted or pasted, which is neither request nor statement of the user."""
VOICES = {voice.value: voice for voice in Voice} | {PASTED: Voice.USER}
THIN = 0.65
"""Share of a message's words."""
ENOUGH = 5.0
"""Rare words with which a passage has half of the greatest worth: the worth saturates."""
LINE = 40
"""Bytes that a line costs beside its words."""
OF_MODEL = 0.3
"""The worth of a model's words relative to the user's, which they follow from."""
MAX_REPEATS = 2
"""A sentence repeated more often is a program's output."""


class Passage(msgspec.Struct, frozen=True, gc=False):
    """Sentences of one message that belong together."""

    speaker: str
    voice: Voice
    order: Order
    """The index of the message, and of the first sentence in it."""
    day: str = ""
    """The date that the conversation itself gives, such as "25 May, 2023"."""
    share: float = 1.0
    """Less than 1 for what is less than somebody's word."""
    sentences: tuple[str, ...] = ()
    words: tuple[frozenset[str], ...] = ()
    """The words of each sentence."""
    weights: tuple[float, ...] = ()
    """What each sentence's words count."""
    chance: float = 0.0
    """In a chat among people, how likely somebody will want to know it."""

    @property
    def length(self) -> int:
        """Bytes, which are closer to tokens than characters are, whatever the script."""
        return sum([_length(text) for text in self.sentences])


def passages_of(
    head: Sequence[Message], earlier: Iterable[tuple[str, SummaryLine]], reading: Reading, plenty: int
) -> list[Passage]:
    """Return what people and the model said in their own words, in order, without chatter.

    earlier: lines of an earlier summary. What they quote competes with the new messages, since a summary is merged and
    never summarised again. plenty: characters; of work in which more is said, about as much is read.
    """
    plenty = max(plenty, MIN_READ)
    while True:
        indexes = _indexes_to_read(head, math.inf if is_among_people(head) else plenty)
        found = _read(head, indexes, earlier, reading)
        if len(indexes) == sum(_speaks(message) for message in head) or sum(p.length for p in found) >= plenty / 2:
            return found
        plenty *= 4  # most of it was pasted


def _read(
    head: Sequence[Message], indexes: Iterable[int], earlier: Iterable[tuple[str, SummaryLine]], reading: Reading
) -> list[Passage]:
    reader = _Reader(head)
    found = [passage for line in earlier if (passage := reader.quoted(*line)) is not None]
    for index in indexes:
        found += reader.passages(head[index], index, reading.of(head[index]))
    return found


def _speaks(message: Message) -> bool:
    return message.role is Role.USER or message.role is Role.ASSISTANT


def _indexes_to_read(head: Sequence[Message], plenty: float) -> list[int]:
    """Return which messages to read, in order: what users said, what the model replied, and what it said between its
    calls, each as far as `plenty` characters last."""
    lengths: tuple[dict[int, int], ...] = ({}, {}, {})
    for index, message in enumerate(head):
        if _speaks(message):
            length = min(sum([len(part.text) for part in message.parts if isinstance(part, Text)]), MAX_READ_OF_MESSAGE)
            lengths[0 if message.role is Role.USER else 2 if message.tool_calls else 1][index] = length
    chosen: list[int] = []
    for of_kind, share in zip(lengths, (SHARE_OF_USERS, 1.0, 1.0), strict=True):
        said = sum(of_kind.values())
        if said > plenty and (of_kind is lengths[2] or plenty <= 0):
            break
        some = of_kind if said <= plenty else _some(of_kind, share * plenty)
        chosen += some
        plenty -= sum([of_kind[index] for index in some])
    return sorted(chosen)


def _some(lengths: dict[int, int], room: float) -> list[int]:
    """Return messages of at most `room` characters: half of it for the newest, half for others at even distances."""
    indexes, newest, free = list(lengths), list[int](), room / 2
    while indexes and lengths[indexes[-1]] <= free:
        newest.append(indexes.pop())
        free -= lengths[newest[-1]]
    older = sum([lengths[index] for index in indexes])
    return newest + indexes[:: math.ceil(older / (room / 2)) or 1]


class _Reader:
    """Reads message after message; remembers what was said often, which words were new, and which day it is."""

    def __init__(self, head: Sequence[Message]) -> None:
        self.among_people, self._works = is_among_people(head), is_work(head)
        self._speakers = {message.speaker for message in head if message.speaker}
        self._times: Counter[str] = Counter()
        self._known: set[str] = set()
        self._day = ""

    def quoted(self, section: str, line: SummaryLine) -> Passage | None:
        """Return a line of an earlier summary as a passage again, if it is somebody's."""
        if section not in (DECISIONS, DETAILS) and not (section == STATE and line.speaker):
            return None
        voice = VOICES.get(line.speaker, Voice.PERSON if line.speaker else Voice.USER)
        said = Sentence(line.text)
        share = NARRATED if line.speaker == PASTED else 1.0
        passage = self._weighed(Passage(line.speaker, voice, line.order, line.day, share), [said])
        self._known |= said.words
        return passage

    def passages(self, message: Message, index: int, read: MessageFacts) -> list[Passage]:
        """Return what a message tells, sentence by sentence; among people as one passage if it is short."""
        self._day = read.day or self._day
        said = list(dict.fromkeys(read.sentences))[:MAX_SENTENCES]
        self._times.update(said)
        voice = self._voice(message)
        heard = [(number, Sentence(text)) for number, text in enumerate(said) if self._times[text] <= MAX_REPEATS]
        kept = [pair for pair in heard if not is_chatter(pair[1], voice)]
        if kept and voice is Voice.PERSON and _is_thin(kept, heard):
            kept = heard
        share = self._share(message, voice, read)
        passage = Passage(message.speaker or voice.value, voice, (index, 0), self._day, share)
        pasted = set(said).difference(read.instructions) if voice is Voice.USER else set[str]()
        found = self._split(passage, [pair for pair in kept if pair[1].text not in pasted])
        if pasted:
            shown = replace(passage, speaker=PASTED, share=min(share, NARRATED))
            found += self._split(shown, [pair for pair in kept if pair[1].text in pasted])
        self._known.update(word for _, sentence in heard for word in sentence.words)
        return found

    def _split(self, passage: Passage, kept: list[tuple[int, Sentence]]) -> list[Passage]:
        groups = [[pair] for pair in kept]
        if passage.voice is Voice.PERSON and kept and sum(_length(said.text) for _, said in kept) <= MAX_PASSAGE:
            groups = [kept]
        return [
            self._weighed(replace(passage, order=(passage.order[0], group[0][0])), [sentence for _, sentence in group])
            for group in groups
        ]

    def _voice(self, message: Message) -> Voice:
        if self.among_people:
            return Voice.PERSON
        return Voice.USER if message.role is Role.USER else Voice.MODEL

    def _share(self, message: Message, voice: Voice, read: MessageFacts) -> float:
        if voice is Voice.USER:
            return NARRATED if sum(map(len, read.sentences)) < 0.5 * len(read.text) else 1.0
        return NARRATED if message.tool_calls or (voice is Voice.MODEL and not self._works) else 1.0

    def _weighed(self, passage: Passage, said: Sequence[Sentence]) -> Passage:
        """Return the passage with those sentences and what they count."""
        words = tuple([sentence.words for sentence in said])
        told = replace(passage, sentences=tuple([sentence.text for sentence in said]), words=words)
        if passage.voice is Voice.PERSON:
            new_words = len({word for some in words for word in some if word not in self._known})
            return replace(told, chance=chance_to_matter(said, new_words, self._speakers))
        weights = [passage.share * weight_of(sentence, passage.voice) for sentence in said]
        return replace(told, weights=tuple(weights))


def _is_thin(kept: Sequence[tuple[int, Sentence]], heard: Sequence[tuple[int, Sentence]]) -> bool:
    """Return whether so much of a message would be left out that the rest of it is not that message any more."""
    return len(_words(kept)) < THIN * len(_words(heard))


def _words(said: Sequence[tuple[int, Sentence]]) -> set[str]:
    return {word for _, sentence in said for word in words_of(sentence.text)}


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def is_among_people(head: Iterable[Message]) -> bool:
    """Return whether the other side has a name too: nobody gives a model instructions here."""
    return any(message.speaker for message in head if message.role is Role.ASSISTANT)


def is_work(head: Iterable[Message]) -> bool:
    """Return whether something is made or done here: tools are called, or code is written."""
    return any(message.tool_calls or "```" in message.text for message in head)


def rank_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages by the weight and rarity of their words, or the chance that they are asked for."""
    spread = Counter(word for passage in passages for words in passage.words for word in words)
    total = math.log(sum(len(passage.words) for passage in passages) + 2)
    rarity = {word: 1.0 - math.log(times) / total for word, times in spread.items()}

    def worth(passage: Passage) -> float:
        length = passage.length + LINE
        if passage.chance:
            return passage.chance / length
        told = 0.0
        for weight, words in zip(passage.weights, passage.words, strict=True):
            told += weight * sum(map(rarity.__getitem__, words))
        return told / (told + ENOUGH) / length * (OF_MODEL if passage.voice is Voice.MODEL else 1.0)

    return sorted(passages, key=worth, reverse=True)
