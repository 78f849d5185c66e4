"""A conversation as passages: what people and the model said in own words, with how much of it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import msgspec

from desktop_app.conversation.message import Message, Role

from .page import DECISIONS, DETAILS, STATE, Line, Order
from .reading import Reading
from .tone import Sentence, Voice, is_chatter, weight_of

PASSAGE_MOST = 500
"""Characters; what is said in a message this short stays together, a longer one is taken sentence by sentence."""
SENTENCES_A_MESSAGE = 60
"""A single pasted text does not make the whole summary."""
NARRATED, OBSERVED = 0.6, 0.3
"""What a model says while it calls tools is about to happen, and in plain chats the user's words matter more; what
a tool showed is not what somebody said."""
OFTEN = 3
"""Said word for word so many times, it is a phrase of a program."""


class Passage(msgspec.Struct, frozen=True, gc=False):
    """Sentences of one message that belong together, each with its words and weight. `order`: message, sentence.

    day: the date that the conversation itself gives, such as "25 May, 2023". share: less than 1 for what is less than
    somebody's word.
    """

    speaker: str
    voice: Voice
    order: Order
    day: str = ""
    share: float = 1.0
    sentences: tuple[str, ...] = ()
    words: tuple[frozenset[str], ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def length(self) -> int:
        """Characters."""
        return sum(map(len, self.sentences))


def passages_of(head: Sequence[Message], reading: Reading, plenty: int) -> list[Passage]:
    """What people and the model said in own words, in order, without chatter.

    plenty: characters; where more than that is said otherwise, a model's words between its tool calls are passed over.
    """
    found: list[Passage] = []
    among_people, works = is_among_people(head), is_work(head)
    speakers = {message.speaker for message in head if message.speaker}
    said_otherwise = sum(len(m.text) for m in head if m.role is not Role.TOOL and not m.tool_calls)
    times: Counter[str] = Counter()
    day = ""
    for place, message in enumerate(head):
        if message.role not in (Role.USER, Role.ASSISTANT) or (message.tool_calls and said_otherwise > plenty):
            continue
        read = reading.of(message)
        day = read.day or day
        said = list(dict.fromkeys(read.sentences))[:SENTENCES_A_MESSAGE]
        times.update(said)
        voice = Voice.PERSON if among_people else Voice.USER if message.role is Role.USER else Voice.MODEL
        heard = [(number, Sentence(text)) for number, text in enumerate(said) if times[text] < OFTEN]
        share = NARRATED if message.tool_calls or (voice is Voice.MODEL and not works) else 1.0
        share *= OBSERVED if sum(map(len, said)) < 0.5 * len(read.text) and voice is Voice.USER else 1.0
        kept = [pair for pair in heard if not is_chatter(pair[1], voice)]
        found += _grouped(kept, Passage(message.speaker or voice.value, voice, (place, 0), day, share), speakers)
    return found


def _grouped(kept: Sequence[tuple[int, Sentence]], passage: Passage, speakers: Collection[str]) -> list[Passage]:
    """The sentences of one message, together if they are few, else each for itself."""
    together = sum(len(sentence.text) for _, sentence in kept) <= PASSAGE_MOST
    return [
        weighed(passage, group[0][0], [sentence for _, sentence in group], speakers)
        for group in ([kept] if together else [[one] for one in kept])
        if group
    ]


def weighed(passage: Passage, number: int, sentences: Sequence[Sentence], speakers: Collection[str] = ()) -> Passage:
    """The passage with those sentences, the first of which is that of its message, and what their words count."""
    return Passage(
        passage.speaker,
        passage.voice,
        (passage.order[0], number),
        passage.day,
        passage.share,
        tuple([sentence.text for sentence in sentences]),
        tuple([sentence.words for sentence in sentences]),
        tuple([passage.share * weight_of(sentence, passage.voice, speakers) for sentence in sentences]),
    )


def passages_of_page(lines: Iterable[tuple[str, Line]]) -> list[Passage]:
    """What an earlier page quoted competes with the new messages: a page is merged, never summarised again."""
    voices = {voice.value: voice for voice in Voice}
    found: list[Passage] = []
    for section, line in lines:
        if section in (DECISIONS, DETAILS) or (section == STATE and line.speaker):
            voice = voices.get(line.speaker, Voice.PERSON if line.speaker else Voice.USER)
            found.append(
                weighed(Passage(line.speaker, voice, line.order, line.day), line.order[1], [Sentence(line.text)])
            )
    return found


def is_among_people(head: Iterable[Message]) -> bool:
    """Whether the other side has a name too: nobody gives a model instructions here."""
    return any(message.speaker for message in head if message.role is Role.ASSISTANT)


def is_work(head: Iterable[Message]) -> bool:
    """Whether something is made or done here: tools are called, or code is written."""
    return any(message.tool_calls or "```" in message.text for message in head)
