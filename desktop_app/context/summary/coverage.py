"""Judge by its own words whether a reply is a summary of what was said, before code adds anything to it. Pure.

main_terms(texts)                        -> the words that most messages have
says_enough(summary, texts, …)           -> whether a summary has enough of them
keeps_enough(repaired, summary)          -> whether a corrected summary is still the one that was corrected

Names and rules that a summary lost are put back by code (`restore_facts`), so that they prove nothing about the reply:
"The weather is nice today." would pass. What tells a summary from a refusal, thanks, our own instructions, one sentence
said forty times, another conversation's summary or one in another language is how many of the words it has that run
through the conversation, and how many of its own words were said in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from desktop_app.context.ledger.facts import FUNCTION_WORDS

MAX_TERMS = 30
MIN_SHARE, MIN_SHARE_OF_PROSE = 0.15, 0.4
"""Of the main terms, in a reply of the form that was asked for, and in mere prose, which may answer the last question.
Of 84 summaries of 22 conversations, 4 of 150 tokens for 100 to 900 messages have less; of 372 replies that are none,
in 8 languages, none has more, and of 65 answers to the last question 14 (decision 42)."""
MIN_GROUNDED = 0.35
"""Of the summary's terms: what was said in the conversation."""
MIN_KEPT = 0.25
"""Of a summary's terms, in its corrected version, which may be shorter."""
MIN_REPEATS = 4
STEM = 5
"""Letters of a word that count: endings differ."""
MIN_WORD = 4

_DENSE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Scripts that put no blanks between words, and Korean, whose words end in particles: they count by pairs of signs."""
_ENDING = re.compile("[\u3040-\u309f]+")
"""Hiragana alone: the endings and particles of Japanese, which name nothing."""
_SENTENCE_ENDS = re.compile(r"[\n.!?…。！？]+")
_WORD = re.compile(r"[^\W_]+")


def terms_of(text: str) -> frozenset[str]:
    """Return the stems of the words that name something, numbers of two digits and more, and pairs of dense signs."""
    lowered, found = text.lower(), set[str]()
    if not lowered.isascii():
        for run in _DENSE.findall(lowered):
            found.update(pair for pair in map("".join, pairwise(run)) if not _ENDING.fullmatch(pair))
        lowered = _DENSE.sub(" ", lowered)
    for word in _WORD.findall(lowered):
        if word.isdigit():
            found.update([word] if len(word) > 1 else [])
        elif len(word) >= MIN_WORD and word not in FUNCTION_WORDS:
            found.add(word[:STEM])
    return frozenset(found)


def main_terms(sets: Iterable[Collection[str]], most: int = MAX_TERMS) -> tuple[str, ...]:
    """Return the terms that occur in most of the sets, without numbers; of equal ones those that came first."""
    times = Counter(term for terms in sets for term in sorted(terms) if not term.isdigit())
    return tuple(term for term, _ in times.most_common(most))


def says_enough(summary: str, texts: Sequence[str], ignored: str = "", is_formed: bool = True) -> bool:
    """Return whether the summary is one of those texts, each of which is a message's, or a line of an earlier summary.

    ignored: our instructions, whose words prove nothing. is_formed: whether it has the form that was asked for.
    Where no text has a term, as in a talk in smileys, everything is enough.
    """
    ours = terms_of(ignored)
    said = [terms_of(text) - ours for text in texts]
    own, main = terms_of(summary) - ours, main_terms(said)
    if is_repeating(summary):
        return False
    if not main:
        return True
    share = len(own.intersection(main)) / len(main)
    grounded = own.intersection(frozenset[str]().union(*said))
    return share >= (MIN_SHARE if is_formed else MIN_SHARE_OF_PROSE) and len(grounded) >= MIN_GROUNDED * len(own)


def is_repeating(text: str) -> bool:
    """Return whether a model ran in circles: each of its sentences was written four times, as the average."""
    said = [sentence for piece in _SENTENCE_ENDS.split(text) if (sentence := piece.strip().lower())]
    return len(said) >= MIN_REPEATS * len(set(said)) > 0


def keeps_enough(repaired: str, summary: str) -> bool:
    """Return whether a corrected summary still has enough of the one that was to be corrected."""
    before = terms_of(summary)
    return len(before.intersection(terms_of(repaired))) >= MIN_KEPT * len(before)
