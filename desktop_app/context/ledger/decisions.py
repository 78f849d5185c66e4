"""Tell whether a sentence says what was decided: by the words with which people do that, and by the classifier.

Without the words most of what the classifier takes for a decision is a report of work or a remark.
"""

from __future__ import annotations

import re

from desktop_app.context.sentence_kinds import kinds_of

from .facts import QUESTION

ANNOUNCED, MENTIONED = 0.3, 0.5
"""How probable a decision must be where a sentence begins like one, and where it only has a word for one."""

_ANNOUNCES = re.compile(
    r"(?:(?:ok(?:ay)?|yes|fine|right|good|so|then|all right)\b[,:.! ]*)*"
    r"(?:(?:final )?decision\b|decided\b|agreed\b(?! with)|approved\b|settled\b|as agreed\b|i agree\b|go with\b"
    r"|(?:it['’]s|it is) (?:settled|decided)\b"
    r"|(?:let['’]?s|we['’]ll|we will|we['’]re going to|we are going to)"
    r" (?:use|go with|go for|keep|drop|take|call|switch|stick|leave|move|postpone|stay)\b"
    r"|i(?:['’]ll| will) (?:use|go with|go for|take|stick with|switch)\b"
    r"|(?:i|we)(?:['’]ve| have)? (?:go with|went with|gone with|decided?|settled?|chose|chosen|picked|opted|agreed?)\b"
    r"|(?:wir (?:nehmen|bleiben|machen)|on (?:prend|garde)|nos quedamos)\b)",
    re.IGNORECASE,
)
_MENTIONS = re.compile(
    r"\b(?:decided|decision|agreed|settled|chose|chosen|picked|opted|voted|concluded|approved|rejected|postponed|cancel\w*"
    r"|dropped|going with|went (?:with|for)|go with|(?:switch|mov|renam|replac)(?:ed|ing)|made up my mind"
    r"|instead of|turned down"
    r"|final|entschieden|beschlossen|geeinigt|décidé|convenu|choisi|decidi\w+|acordado|elegi\w+)\b|\bit is[.!]*$"
    r"|决定|定了|选了|说定|商量好|敲定|同意|改用|決め|決ま|ことにし",
    re.IGNORECASE,
)


def is_decision(sentence: str) -> bool:
    """Return whether somebody says what was decided, and does not ask."""
    if QUESTION.search(sentence):
        return False
    likely = kinds_of(sentence).decision
    announced = likely >= ANNOUNCED and _ANNOUNCES.match(sentence)
    return bool(announced) or (likely >= MENTIONED and _MENTIONS.search(sentence) is not None)
