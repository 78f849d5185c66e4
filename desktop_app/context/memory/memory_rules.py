"""Find facts about users and their lasting wishes in their messages, without a model.

notes_by_rule(messages, most) -> notes in the user's own words, oldest first

Only explicit statements are taken ("remember that …", "my name is …", "I prefer …", "always …", "never …"), in English,
German, French, Spanish and Chinese; no quotations, pasted text, questions or reports about others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from desktop_app.context.ledger.facts import QUESTION
from desktop_app.context.ledger.message_facts import Reading, is_own
from desktop_app.context.ledger.own_words import own_words
from desktop_app.context.ledger.prose import MAX_READ, sentences
from desktop_app.context.ledger.user_rules import is_rule, is_strong_rule
from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import AnyEntry

from .memories import Note, is_same

SAID = "The user said: “{}”"
MIN_SENTENCE, MAX_SENTENCE = 6, 300
"""Characters; a shorter sentence says nothing, and a longer one is a story."""
MIN_CJK = 3
MIN_PREFERENCE = 0.9
"""Minimum probability of a sentence that states a preference."""
BRIEF_FROM = 2_000
"""Characters; a longer message is a task, and its rules apply to that task only."""

_QUOTATION = re.compile(r"[\"“„«「『][^\"”“»」』\n]{0,2000}[\"”“»」』]")
_OPENING = re.compile(
    r"^(?:(?:please|also|and|so|ok(?:ay)?|oh|by the way|btw|hi|hello|hey|for the record|just so you know|one more thing"
    r"|from now on|in (?:the )?future|bitte|also|und|übrigens|hallo|s['’]il (?:te|vous) pla[iî]t|et|au fait|bonjour"
    r"|por favor|y|hola|请|以后|你好)\b[,:!—–-]*\s*|[请，,]\s*)+",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"^(?:(?:remember|keep in mind|don['’]?t forget|do not forget|make a note|bear in mind)"
    r"(?: for (?:later|next time|the future))?(?:,? that\b|[,:])\s*|remember (?=(?:my|i|we|our|i['’]m)\b)"
    r"|(?:merk(?:e)? dir|denk(?:e)? daran|vergiss nicht|notiere?(?: dir)?)(?:,? dass\b|[,:])\s*"
    r"|(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|n['’]oublie pas) (?:bien )?(?:que |qu['’])"
    r"|(?:recuerda|no olvides|ten en cuenta|anota) que\s+|(?:记住|请记住|记得|别忘了)[，,：:]?\s*)(?P<fact>.+)",
    re.IGNORECASE,
)
_OF_ONESELF = re.compile(
    r"^(?:my (?:full |first |last |nick)?name is|my name['’]s|i am called|i['’]m called|(?:please )?call me|i go by"
    r"|my pronouns are|my (?:e-?mail|birthday|time ?zone|native language|mother tongue|job|profession)(?: address)? is"
    r"|i live in|i work (?:as|at|for)|i(?: am|['’]m) allergic to"
    r"|ich hei(?:ß|ss)e|mein name ist|nenn(?:e|t)? mich|ich wohne in|ich arbeite (?:als|bei|für)"
    r"|je m['’]appelle|mon nom est|appelle-moi|j['’]habite|je travaille (?:comme|chez|pour)"
    r"|me llamo|mi nombre es|llámame|vivo en|trabajo (?:como|en|para)"
    r"|我叫|我的名字(?:是|叫)|叫我|我住在|我是一[名个位])",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"^(?:the|an?|this|that|it|he|she|they|der|die|das|es|er|sie|le|la|les|c['’]est|ça|il|elle|on|ils|elles|el|los|las)\b",
    re.IGNORECASE,
)
_ONLY_NOW = re.compile(
    r"\b(?:this time|for now|right now|just this once|today|for this (?:one|message|answer|task)|here|diesmal|jetzt"
    r"|heute|cette fois|aujourd['’]hui|esta vez|hoy)\b|这次|今天|现在",
    re.IGNORECASE,
)
_NO_WISH = re.compile(
    r"^(?:call me (?:crazy|back|later|when|if|tomorrow|at)|i (?:really )?prefer not to (?:say|answer))\b", re.IGNORECASE
)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def notes_by_rule(messages: Iterable[Message], most: int) -> tuple[Note, ...]:
    """Return the facts worth remembering in user messages, each sentence as a quoted note: the newest `most`."""
    found: list[str] = []
    for message in messages:
        if message.role is Role.USER:
            for fact in _facts(message):
                found = [old for old in found if not is_same(old, fact)]
                found.append(fact)
    return tuple(Note(SAID.format(fact)) for fact in found[-most:])


def user_rules(entries: Iterable[AnyEntry], reading: Reading) -> tuple[str, ...]:
    """Return the rules that the user gave in a conversation."""
    messages = (entry for entry in entries if isinstance(entry, Message) and entry.role is Role.USER)
    return tuple(rule for message in messages for rule in reading.of(message).rules)


def _facts(message: Message) -> Iterable[str]:
    typed = "\n\n".join(part.text for part in message.parts if isinstance(part, Text))
    is_brief = len(typed) >= BRIEF_FROM
    for sentence in sentences(own_words(typed[:MAX_READ])):
        bare = _OPENING.sub("", sentence)
        if QUESTION.search(sentence) or _NO_WISH.match(bare) or not _is_quotable(sentence):
            continue
        remembered = _REMEMBER.match(bare)
        if remembered or _OF_ONESELF.match(bare) or (not is_brief and _is_lasting(bare)):
            yield (remembered["fact"] if remembered else bare).strip().rstrip(".。!！;；,，").strip()


def _is_lasting(bare: str) -> bool:
    """Return whether a sentence states a preference of the user, or how something is always to be done."""
    if _ONLY_NOW.search(bare) or not is_own(bare):
        return False
    is_always = is_strong_rule(bare) and is_rule(bare) and not _OF_OTHERS.match(bare)
    return is_always or kinds_of(bare).preference >= MIN_PREFERENCE


def _is_quotable(sentence: str) -> bool:
    """Return whether a sentence is mostly in the user's own words, and neither too short nor too long."""
    least = MIN_CJK if _CJK.search(sentence) else MIN_SENTENCE
    own = _QUOTATION.sub("", sentence)
    return least <= len(sentence) <= MAX_SENTENCE and len(own.split()) * 2 >= len(sentence.split())
