"""Split a conversation into passages of prose, by people and by the model, and rank them for a page.

A sentence is weighted by the kind of statement that it makes and by the names in it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.context.ledger.facts import QUESTION, topic_of, words_of
from desktop_app.context.ledger.ledger import NUMBER
from desktop_app.context.ledger.message_facts import MessageFacts, Reading
from desktop_app.context.sentence_kinds import Kinds, kinds_of
from desktop_app.conversation.message import Message, Role, Text

from .summary_builder import (
    DECISIONS,
    DETAILS,
    INTENT,
    LATEST,
    QUESTIONS,
    STATE,
    WISHES,
    Order,
    SummaryLine,
    label_of,
    without_label,
)

MIN_LENGTH = 30
"""Characters; a shorter list point means little without its list."""
MIN_CHATTER = {"User": 0.9, "Assistant": 0.6, "person": 0.85}
"""Probability of chatter, by voice, from which a sentence is left out."""
MIN_FRAME = 4
"""Words; shorter sentences that differ in a number are about different things."""
MAX_CHATTER = 24
"""Characters of a user's chatter: a longer sentence contains more."""

_ASIDE = re.compile(r"\[[^\]]*\]")
_CAPITALISED = re.compile(r"[A-Z][a-z]{2,}")
_LETTERS, _NUMERAL = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_QUOTED = re.compile(r"[\"“`《]\w")


class Voice(StrEnum):
    """The origin of a passage: the user, the model, or a named person in a chat among people."""

    USER = "User"
    MODEL = "Assistant"
    PERSON = "person"


WEIGHTS = {
    Voice.USER: Kinds(preference=1.2, rule=1.4, decision=1.2, goal=1.2, fact=1.4, chatter=0.1),
    Voice.MODEL: Kinds(preference=0.2, rule=0.2, decision=1.0, goal=0.4, fact=1.0, chatter=0.1),
}
"""Weight of a word in a sentence of each kind: a model's advice is not the user's rule."""
LASTING = 0.5
"""Probability of a goal, preference or rule, from which a sentence is lasting."""
WISH = 0.6
"""Probability of a goal or a preference from which a sentence is listed as one."""
LABELLED = 1.0
"""Weight that a label such as "NOTE:" adds."""
OF_KIND = Kinds(preference=0.3, rule=0.4, decision=1.2, goal=0.5, fact=1.4, chatter=-0.3)
BASE, OF_NEW_WORD, OF_NAME, OF_QUOTATION = -2.0, 0.25, 1.6, 1.2
"""Coefficients of a logistic regression of whether a message in a chat among people is asked about later."""


class Sentence:
    """A sentence without bracketed text, with its words and kinds."""

    __slots__ = ("kinds", "plain", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = _ASIDE.sub("", text) if "[" in text else text
        self.words = words_of(self.plain)
        self.kinds = kinds_of(self.plain)


def is_chatter(sentence: Sentence, voice: Voice) -> bool:
    """Return whether the sentence only greets, thanks, agrees, announces or, by the model, asks back."""
    if voice is Voice.USER:
        return len(sentence.plain) < MAX_CHATTER and sentence.kinds.chatter >= MIN_CHATTER[voice]
    return sentence.kinds.chatter >= MIN_CHATTER[voice] or QUESTION.search(sentence.plain) is not None


def is_labelled(sentence: str) -> bool:
    """Return whether the sentence begins with a label such as "NOTE:"."""
    return label_of(sentence) != ""


def is_lasting(sentence: Sentence) -> bool:
    """Return whether the sentence is more likely a goal, a preference or a rule than anything else."""
    kinds = sentence.kinds
    return kinds.goal + kinds.preference + kinds.rule >= LASTING or is_labelled(sentence.plain)


def is_request(sentence: str) -> bool:
    """Return whether the sentence requests something specific."""
    return len(sentence) >= MIN_LENGTH and (bool(QUESTION.search(sentence)) or kinds_of(sentence).goal >= 0.4)


def is_announcing(sentence: str) -> bool:
    """Return whether the sentence only announces what the model is about to do or show."""
    return sentence.endswith(":") or kinds_of(sentence).chatter >= 0.5


def is_wish(sentence: str) -> bool:
    """Return whether the sentence is surely a goal or a preference."""
    kinds = kinds_of(sentence)
    return kinds.goal + kinds.preference >= WISH and not QUESTION.search(sentence)


def find_outdated(texts: Iterable[str]) -> set[str]:
    """Return the texts that a later one repeats with other numbers: "The cap is $200.", "The cap is $900."

    Both may hold, so they are only listed last. Codes and names are no numbers: each may have a rule of its own. But of
    statements with the same label and a word in common, the newest is preferred if each has a value of the same form:
    "STATE: We are on branch fix/a-1.", "STATE: Current branch: fix/b-22."
    """
    newest: dict[str, str] = {}
    newest_of: dict[tuple[str, str, str], str] = {}
    earlier = set[str]()
    for text in texts:
        for key in _subjects_of(text):
            if (before := newest_of.get(key, text)) != text:
                earlier.add(before)
            newest_of[key] = text
        words = text.split()
        frame = " ".join("#" if NUMBER.fullmatch(word) else word for word in words)
        if "#" in frame and len(words) >= MIN_FRAME:
            if (before := newest.get(frame, text)) != text:
                earlier.add(before)
            newest[frame] = text
    return earlier


def _subjects_of(text: str) -> set[tuple[str, str, str]]:
    """Return what a later statement is compared by: label, form of a value and word, for each pair of both."""
    if not (label := label_of(text)):
        return set()
    words = without_label(text).split()
    values = {_form_of(word.strip(".,;:!?")) for word in words if any(map(str.isdigit, word))}
    topic = topic_of(" ".join(word for word in words if not any(map(str.isdigit, word))))
    return {(label, value, word) for value in values for word in topic}


def _form_of(value: str) -> str:
    """Return the form of a value: "fix/b-22" is "a/a-0"."""
    return _NUMERAL.sub("0", _LETTERS.sub("a", value)) if not value.isalnum() else "0" if value.isdigit() else "a0"


def weight_of(sentence: Sentence, voice: Voice) -> float:
    """Return the weight of each of the sentence's words, about 1 in an informative one."""
    weight = sum([of_kind * share for of_kind, share in zip(WEIGHTS[voice], sentence.kinds, strict=True)])
    return weight * (1.0 + (LABELLED if is_labelled(sentence.plain) else 0.0))


def urgency_of(rule: str) -> float:
    """Return the urgency of a rule, by its kind and by a label such as "NOTE:" before it."""
    kinds = kinds_of(rule)
    return kinds.rule + kinds.preference + (LABELLED if is_labelled(rule) else 0.0)


def chance_to_matter(sentences: Sequence[Sentence], new_words: int, speakers: Collection[str] = ()) -> float:
    """Return the probability that a message in a chat among people is asked about later.

    Fitted on a chat of 419 messages with questions about it; on another one of 369 messages it separates the messages
    asked for from the rest with an area under the curve of 0.79. Preferences, rules and goals count more than fitted.
    """
    kinds = Kinds(*map(max, zip(*[sentence.kinds for sentence in sentences], strict=True)))
    kinds = kinds._replace(chatter=min([sentence.kinds.chatter for sentence in sentences]))
    score = BASE + OF_NEW_WORD * new_words + sum([a * b for a, b in zip(OF_KIND, kinds, strict=True)])
    score += OF_NAME if any([names_somebody(sentence.plain, speakers) for sentence in sentences]) else 0.0
    score += OF_QUOTATION if any([_QUOTED.search(sentence.plain) for sentence in sentences]) else 0.0
    return 1.0 / (1.0 + math.exp(-score))


def names_somebody(sentence: str, speakers: Collection[str]) -> bool:
    """Return whether the sentence contains, after its beginning, a name other than a speaker's or its short form."""
    for found in _CAPITALISED.finditer(sentence, 2):
        before = sentence[found.start() - 2 : found.start()]
        if before[-1] in " (" and before[0] not in ".!?:…" and not any(s.startswith(found[0][:3]) for s in speakers):
            return True
    return False


MAX_PASSAGE = 500
"""Bytes; in a chat among people, a message this short is one passage."""
MAX_SENTENCES = 60
"""Sentences of a message: a single pasted text must not fill the summary."""
NARRATED = 0.6
"""Weight of a model's words during tool calls, which only announce, and in plain chats, where the user's words matter
more; and of pasted text, which is not the user's statement."""
MIN_READ = 30_000
"""Minimum characters that are read."""
MAX_READ_OF_MESSAGE = 6_000
"""Characters of a message that count, even if more was pasted into it."""
SHARE_OF_USERS = 0.6
"""Maximum share of user messages in the characters that are read; the rest is for the model's replies."""
PASTED = "Pasted by the user"
"""The speaker of text that a user quoted or pasted, which is neither the user's request nor statement."""
VOICES = {voice.value: voice for voice in Voice} | {PASTED: Voice.USER}
THIN = 0.65
"""Share of a message's words; with less, its passage is not representative."""
ENOUGH = 5.0
"""Rare words with which a passage has half of the maximum worth, which saturates."""
LINE = 40
"""Bytes that a line costs in addition to its words."""
OF_MODEL = 0.3
"""The worth of a model's words relative to the user's, to which they respond."""
MAX_REPEATS = 2
"""A sentence repeated more often is a program's output."""


class Passage(msgspec.Struct, frozen=True, gc=False):
    """Sentences of one message that belong together."""

    speaker: str
    voice: Voice
    order: Order
    """The index of the message, and of the first sentence in it."""
    day: str = ""
    """The date written in the conversation itself, such as "25 May, 2023"."""
    share: float = 1.0
    """Weight of its words: less than 1 for announcements and pasted text (`NARRATED`)."""
    sentences: tuple[str, ...] = ()
    words: tuple[frozenset[str], ...] = ()
    """The words of each sentence."""
    weights: tuple[float, ...] = ()
    """The weight of each sentence's words."""
    chance: float = 0.0
    """In a chat among people, the probability that it is asked about later; otherwise 0."""

    is_lasting: bool = False
    """Whether it is a goal, preference or rule of the user, which holds until it is met or taken back."""

    @property
    def length(self) -> int:
        """Length in bytes, which are closer to tokens than characters in any script."""
        return sum([_length(text) for text in self.sentences])


def passages_of(
    head: Sequence[Message], earlier: Iterable[tuple[str, SummaryLine]], reading: Reading, plenty: int
) -> list[Passage]:
    """Return the passages of prose by people and by the model, in order, without chatter.

    earlier: lines of an earlier summary. Their quotations compete with the new messages, since a summary is merged and
    never summarised again. plenty: characters; of longer work, about as much is read.
    """
    plenty = max(plenty, MIN_READ)
    while True:
        indexes = _indexes_to_read(head, math.inf if is_among_people(head) else plenty)
        found = _read(head, indexes, earlier, reading)
        if len(indexes) == sum(_speaks(message) for message in head) or sum(p.length for p in found) >= plenty / 2:
            return found
        plenty *= 4  # most of the text was pasted


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
    """Return the ordered indexes of the messages to read, of at most about `plenty` characters.

    User messages come first, then the model's replies, then its words between tool calls.
    """
    lengths: tuple[dict[int, int], ...] = ({}, {}, {})
    for index, message in enumerate(head):
        if _speaks(message):
            length = min(sum([len(part.text) for part in message.parts if isinstance(part, Text)]), MAX_READ_OF_MESSAGE)
            lengths[0 if message.role is Role.USER else 2 if message.tool_calls else 1][index] = length
    chosen: list[int] = []
    for of_kind, share in zip(lengths, (SHARE_OF_USERS, 1.0, 1.0), strict=True):
        total = sum(of_kind.values())
        if total > plenty and (of_kind is lengths[2] or plenty <= 0):
            break
        some = of_kind if total <= plenty else _some(of_kind, share * plenty)
        chosen += some
        plenty -= sum([of_kind[index] for index in some])
    return sorted(chosen)


def _some(lengths: dict[int, int], room: float) -> list[int]:
    """Return messages of at most `room` characters: half of them the newest, half others at even distances."""
    indexes, newest, free = list(lengths), list[int](), room / 2
    while indexes and lengths[indexes[-1]] <= free:
        newest.append(indexes.pop())
        free -= lengths[newest[-1]]
    older = sum([lengths[index] for index in indexes])
    return newest + indexes[:: math.ceil(older / (room / 2)) or 1]


class _Reader:
    """Reads messages in order; remembers repeated sentences, known words, and the current day."""

    def __init__(self, head: Sequence[Message]) -> None:
        self.among_people, self._works = is_among_people(head), is_work(head)
        self._speakers = {message.speaker for message in head if message.speaker}
        self._times: Counter[str] = Counter()
        self._known: set[str] = set()
        self._day = ""

    def quoted(self, section: str, line: SummaryLine) -> Passage | None:
        """Return the passage of a line of an earlier summary; None if the line quotes no message."""
        is_said = section in (DECISIONS, DETAILS, WISHES) or (section in (INTENT, STATE, QUESTIONS) and line.speaker)
        if not is_said and not is_labelled(line.text):
            return None
        if line.speaker == LATEST:
            line = replace(line, speaker=Voice.USER.value)
        voice = VOICES.get(line.speaker, Voice.PERSON if line.speaker else Voice.USER)
        sentence = Sentence(line.text)
        share = NARRATED if line.speaker == PASTED else 1.0
        passage = self._weighed(Passage(line.speaker, voice, line.order, line.day, share), [sentence])
        self._known |= sentence.words
        return passage

    def passages(self, message: Message, index: int, read: MessageFacts) -> list[Passage]:
        """Return the passages of a message, one for each sentence; among people, one for a short message."""
        self._day = read.day or self._day
        sentences = list(dict.fromkeys(read.sentences))[:MAX_SENTENCES]
        self._times.update(sentences)
        voice = self._voice(message)
        heard = [(number, Sentence(text)) for number, text in enumerate(sentences) if self._times[text] <= MAX_REPEATS]
        kept = [pair for pair in heard if not is_chatter(pair[1], voice)]
        if kept and voice is Voice.PERSON and _is_thin(kept, heard):
            kept = heard
        share = self._share(message, voice, read)
        passage = Passage(message.speaker or voice.value, voice, (index, 0), self._day, share)
        pasted = set(sentences).difference(read.instructions) if voice is Voice.USER else set[str]()
        found = self._split(passage, [pair for pair in kept if pair[1].text not in pasted])
        if pasted:
            quotation = replace(passage, speaker=PASTED, share=min(share, NARRATED))
            found += self._split(quotation, [pair for pair in kept if pair[1].text in pasted])
        self._known.update(word for _, sentence in heard for word in sentence.words)
        return found

    def _split(self, passage: Passage, kept: list[tuple[int, Sentence]]) -> list[Passage]:
        groups = [[pair] for pair in kept]
        if (
            passage.voice is Voice.PERSON
            and kept
            and sum(_length(sentence.text) for _, sentence in kept) <= MAX_PASSAGE
        ):
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

    def _weighed(self, passage: Passage, sentences: Sequence[Sentence]) -> Passage:
        """Return the passage with the given sentences and their weights."""
        words = tuple([sentence.words for sentence in sentences])
        weighed = replace(passage, sentences=tuple([sentence.text for sentence in sentences]), words=words)
        if passage.voice is Voice.PERSON:
            new_words = len({word for some in words for word in some if word not in self._known})
            return replace(weighed, chance=chance_to_matter(sentences, new_words, self._speakers))
        weights = [passage.share * weight_of(sentence, passage.voice) for sentence in sentences]
        lasting = passage.voice is Voice.USER and passage.share == 1.0 and any(map(is_lasting, sentences))
        return replace(weighed, weights=tuple(weights), is_lasting=lasting)


def _is_thin(kept: Sequence[tuple[int, Sentence]], heard: Sequence[tuple[int, Sentence]]) -> bool:
    """Return whether the rest of a message is too little to represent it."""
    return len(_words(kept)) < THIN * len(_words(heard))


def _words(numbered: Sequence[tuple[int, Sentence]]) -> set[str]:
    return {word for _, sentence in numbered for word in words_of(sentence.text)}


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def is_among_people(head: Iterable[Message]) -> bool:
    """Return whether the assistant's messages name a speaker: then it is a chat among people, without instructions."""
    return any(message.speaker for message in head if message.role is Role.ASSISTANT)


def is_work(head: Iterable[Message]) -> bool:
    """Return whether the conversation is work: tools are called, or code is written."""
    return any(message.tool_calls or "```" in message.text for message in head)


def rank_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages ranked by the weight and rarity of their words, or by the chance that they are asked for."""
    spread = Counter(word for passage in passages for words in passage.words for word in words)
    total = math.log(sum(len(passage.words) for passage in passages) + 2)
    rarity = {word: 1.0 - math.log(times) / total for word, times in spread.items()}

    def worth(passage: Passage) -> float:
        length = passage.length + LINE
        if passage.chance:
            return passage.chance / length
        total = 0.0
        for weight, words in zip(passage.weights, passage.words, strict=True):
            total += weight * sum(map(rarity.__getitem__, words))
        return total / (total + ENOUGH) / length * (OF_MODEL if passage.voice is Voice.MODEL else 1.0)

    return sorted(passages, key=worth, reverse=True)
