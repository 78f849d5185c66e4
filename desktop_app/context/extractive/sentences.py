"""Weigh sentences by the kind of statement that they make and by what they name."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from enum import StrEnum

from desktop_app.context.ledger.facts import QUESTION, words_of
from desktop_app.context.sentence_kinds import Kinds, kinds_of

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
