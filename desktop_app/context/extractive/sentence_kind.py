"""How a sentence sounds: whether it tells, asks, announces, or only greets and agrees; and how much its words count.

Words are looked up in sets, since regular expressions over every sentence of a long conversation would take longer
than counting its tokens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from enum import StrEnum

from desktop_app.context.ledger.facts import QUESTION, is_decision, lexicon, words_of
from desktop_app.context.ledger.rules import is_rule

FRAGMENT = 30
"""Characters; a point of a list that is shorter says little without its list."""

_ASIDE = re.compile(r"\[[^\]]*\]")
_CHATTER = re.compile(
    r"(?:hey|hi|hello|bye|wow|woah|whoa|oh|ah|aha|yay|yeah|yep|yes|ok(?:ay)?|thanks?|thank you|congrats|awesome|amazing"
    r"|great|nice|cool|perfect|excellent|done|sure|certainly|absolutely|totally|of course|got it|sounds|that['’]?s"
    r"|that sounds|glad|so glad|no worries|no problem|good luck|keep (?:it )?up|can['’]?t wait|take care|sorry|alright"
    r"|all right|right|you(?:['’]re| are) (?:right|welcome|absolutely|so)|i (?:see|understand|apologi[sz]e)"
    r"|my apologies|let me know|feel free|would you like|is there anything|i hope|i['’]d be happy|happy to"
    r"|here(?:['’]s| is| are)|if you (?:have|need)|what['’]s up|好的|谢谢|不客气|你好|再见|哈哈|太好了|是的)\b"
)
_ANNOUNCING = re.compile(
    r"(?:now,? )?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i need to|now|next|first|then|finally"
    r"|we(?:['’]ll| need to))\b"
)
_REQUEST = re.compile(
    r"\b(?:please|can you|could you|would you|help me|i(?:['’]d| would) like|i want|i need|we need|let['’]?s"
    r"|how (?:to|do)|hoping|looking for|recommend|suggest)\b|请|帮|想要|需要"
)
_CAPITALISED = re.compile(r"[A-Z][a-z]{2,}")
_QUOTED = re.compile(r"[\"“`《]\w")
_DIGIT = re.compile(r"\d")

_FIRST_PERSON = frozenset({"i", "my", "me", "we", "our", "us", "mine"})
_SECOND_PERSON = frozenset({"you", "your", "yours", "ya"})
_OF_ONESELF = lexicon(
    "name hobby hobbies favorite favourite like love hate prefer enjoy live work study usually job wife husband partner"
    " daughter son kids mother father brother sister dog cat birthday"
)
_TIME = lexicon(
    "yesterday today tonight tomorrow last next ago since week weeks weekend month months year years recently birthday"
    " deadline due monday tuesday wednesday thursday friday saturday sunday tues thurs fri january february march april"
    " june july august september october november december"
)
_PAST = lexicon("was were went had did made took got bought met saw found won lost")
_FIRST_PERSON_CJK = re.compile("我|私|僕")
_TIME_CJK = re.compile("昨天|今天|明天|上周|下周|去年|明年|月|周末|昨日|今日|明日|先週|来週")


class Voice(StrEnum):
    """Whose words: the user's, the model's, or those of a person with a name in a chat among people."""

    USER = "User"
    MODEL = "Assistant"
    PERSON = "person"


class Sentence:
    """A sentence with what is asked of it again and again: its text in small letters, its words, without asides."""

    __slots__ = ("is_own", "lowered", "plain", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = _ASIDE.sub("", text) if "[" in text else text
        self.lowered = self.plain.lower()
        self.words = words_of(self.plain)
        self.is_own = not _FIRST_PERSON.isdisjoint(self.words)


def is_chatter(said: Sentence, voice: Voice) -> bool:
    """Whether the sentence only greets, thanks, agrees, praises or asks back. A user's own requests never do."""
    plain = said.plain
    if voice is Voice.USER:
        return len(plain) < 24 and _CHATTER.match(said.lowered) is not None and not _names_something(plain)
    if QUESTION.search(plain):
        return True
    if voice is Voice.MODEL:
        return len(plain) < 60 and _CHATTER.match(said.lowered) is not None
    if not _TIME.isdisjoint(said.words) or (len(plain) >= 60 and said.is_own):
        return False
    exclaims = len(plain) < 40 and plain.endswith("!") and not (said.is_own or _names_something(plain))
    return exclaims or _CHATTER.match(said.lowered) is not None


def is_request(sentence: str) -> bool:
    """Whether the sentence asks for something, and says for what."""
    return len(sentence) >= FRAGMENT and bool(QUESTION.search(sentence) or _REQUEST.search(sentence.lower()))


def is_announcing(sentence: str) -> bool:
    """Whether the model only says what it is about to do or to show."""
    return _ANNOUNCING.match(sentence.lower()) is not None or sentence.endswith(":")


def weight_of(said: Sentence, voice: Voice, speakers: Collection[str] = ()) -> float:
    """How much each of the sentence's words counts, about 1 in one that tells something.

    The numbers were chosen on chats with questions that were asked about them later, and on coding sessions.
    """
    plain, words, is_own = said.plain, said.words, said.is_own
    weight = 0.5
    weight += 1.0 if _names_somebody_else(plain, speakers) else 0.0
    weight += 1.0 if _QUOTED.search(plain) else 0.0
    weight += 0.8 if not _TIME.isdisjoint(words) else 0.0
    weight += 0.3 if _DIGIT.search(plain) else 0.0
    weight += 0.2 if not _PAST.isdisjoint(words) or "ed " in plain else 0.0
    if not plain.isascii():
        is_own = is_own or _FIRST_PERSON_CJK.search(plain) is not None
        weight += 0.5 if _TIME_CJK.search(plain) else 0.0
    if voice is Voice.MODEL:
        weight += 0.5 if is_decision(plain, words) else 0.0
        weight *= 0.3 if _ANNOUNCING.match(said.lowered) or plain.endswith(":") else 1.0
        weight *= 0.5 if not _SECOND_PERSON.isdisjoint(words) or len(plain) < FRAGMENT else 1.0
    else:
        weight += 0.5 if is_own else 0.0
        weight += 0.5 if is_own and not _OF_ONESELF.isdisjoint(words) else 0.0
        weight += 0.5 if is_rule(plain, words) or is_decision(plain, words) else 0.0
    return max(weight, 0.1) * (0.5 if _CHATTER.match(said.lowered) else 1.0)


def chance_to_matter(said: Sequence[Sentence], fresh: int, speakers: Collection[str] = ()) -> float:
    """How likely it is that somebody asks later for what a message of a chat tells. fresh: words never said before.

    A logistic regression, fitted on a chat of 419 messages with questions about it; on another one of 369 messages,
    which it had not seen, it tells what is asked for from the rest as well (area under the curve 0.83 and 0.82).
    """
    score = -2.5 + 0.19 * fresh
    score += 2.4 if any(_names_somebody_else(s.plain, speakers) or _QUOTED.search(s.plain) for s in said) else 0.0
    score += 1.2 if any(not _TIME.isdisjoint(s.words) or _TIME_CJK.search(s.plain) for s in said) else 0.0
    score += 1.0 if any(s.is_own or _FIRST_PERSON_CJK.search(s.plain) for s in said) else 0.0
    return 1.0 / (1.0 + math.exp(-score))


def _names_something(sentence: str) -> bool:
    return bool(_names_somebody_else(sentence, ()) or _QUOTED.search(sentence) or _DIGIT.search(sentence))


def _names_somebody_else(sentence: str, speakers: Collection[str]) -> bool:
    """Whether a name or a term stands within the sentence that is not a speaker's own, or how the other calls them."""
    for found in _CAPITALISED.finditer(sentence, 2):
        start = found.start()
        before = sentence[start - 2 : start]
        if before[-1] in " (" and before[0] not in ".!?:…" and not any(s.startswith(found[0][:3]) for s in speakers):
            return True
    return False
