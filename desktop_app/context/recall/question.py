"""Distinguish a question from words to look up, and find its subject."""

from __future__ import annotations

import re

import msgspec

from desktop_app.conversation.words import lexicon

from .query import parse_query

MIN_WORDS = 3
"""Minimum words of a question; "what index" are words to look up."""
_WORD = re.compile(r"\w+")
_ASKS = re.compile(
    r"^\W*(?:what|when|where|who|whom|whose|which|why|how|did|do|does|was|were|is|are|has|have|had|can|could|should"
    r"|remind|was|wann|wo|wer|wen|wem|welche[rsnm]?|warum|wieso|wie|worauf|wozu|womit|hat|haben|hatten?|gab)\b",
    re.IGNORECASE,
)
_ASKS_CJK = re.compile("什么|哪|谁|多少|怎么|为何|为什么|何时|どこ|いつ|なぜ|誰|何|언제|어디|무엇|왜|누가")
_DECIDING = re.compile(
    r"\b(?:which (?:way|one|option|of them) did (?:we|i|you) (?:go|take|pick|want)|did (?:we|i) (?:go|end up) with"
    r"|what was the (?:plan|outcome|result|verdict)"
    r"|deci(?:de[ds]?|ding|sions?)|agree(?:d|ment)?|settled?|cho(?:ose|se|sen|ice)|conclu(?:de[ds]?|sions?)|opt(?:ed)?"
    r"|entschieden|entschied|entscheiden|entscheidung(?:en)?|beschlossen|beschluss|geeinigt|einigten|vereinbart)\b"
    r"|决定|定下|选择|選択|決め|결정",
    re.IGNORECASE,
)
DECISION_WORDS = ("decided", "decision", "agreed", "settled", "entschieden", "beschlossen", "Entscheidung")
"""Words that are looked up if a question asks for decisions without a subject."""
_ASKING = lexicon(
    "remember recall remind know find think thought talk talked talking mention mentioned discuss discussed discussion"
    " conversation chat happen happened erinnerst erinnern weißt gesagt gesprochen besprochen"
)
"""Words of a question about a conversation, which its messages need not contain."""
_GERMAN_STOP = lexicon(
    "aber alle als also am an auch auf aus bei bin bis da damals dann das dass dem den der des die dies diese dieser"
    " doch dort du durch ein eine einem einen einer eines er es für gab gegen gibt hab habe haben hat hatte hatten hier"
    " ich ihr im in ist ja jetzt kann kein keine man mehr mein meine mich mir mit nach nicht noch nun nur ob oder ohne"
    " schon sein sich sie sind so über um und uns unser unsere unter vom von vor wann war waren warum was wegen welche"
    " welchem welchen welcher welches wem wen wenn wer werden wie wieso wir wird wo wozu wurde wurden zu zum zur"
)


class Question(msgspec.Struct, frozen=True):
    """The subject of a query, and whether it is a question."""

    words: tuple[str, ...]
    """Words of its subject: without stop words, and without words that ask for a decision."""
    is_question: bool = False
    """Whether it is a sentence that asks, and not words to look up."""
    asks_decision: bool = False


def question_of(query: str) -> Question:
    """Return the subject of a query, and whether it is a question."""
    is_question = _is_question(query)
    asks_decision = _DECIDING.search(query) is not None
    about = _DECIDING.sub(" ", query) if is_question and asks_decision else query
    words = [term.text for term in parse_query(about).terms if term.is_asked]
    kept = tuple(word for word in words if word.lower() not in _GERMAN_STOP | (_ASKING if is_question else set()))
    if is_question and asks_decision and not kept:
        return Question(DECISION_WORDS, is_question, asks_decision)
    return Question(kept or tuple(words), is_question, asks_decision)


def _is_question(query: str) -> bool:
    if _ASKS_CJK.search(query):
        return True
    asks = _ASKS.search(query) or query.rstrip().endswith("?")
    return bool(asks) and len(_WORD.findall(query)) >= MIN_WORDS
