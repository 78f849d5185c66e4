"""Detect notes that would allow a model more than the user allowed. Pure.

Only users may widen permissions, in their own words: such a note by a model is refused. A note that narrows permissions
("never push without asking") is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from desktop_app.context.ledger.facts import topic_of
from desktop_app.context.ledger.user_rules import is_rule

MIN_SHARED = 0.5
"""Share of the shorter text's words that a note and a rule about the same subject have in common."""


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_CONSENT = (
    r"(?:\b(?:ask|permi|confirm|approv|consent|authori[sz]|review|sign-?off|check(?:ing)? (?:in|with)|prompt|clearance"
    r"|oversight|supervision|question|ok(?:ay)?\b|nachfrag|rückfrag|fragen|erlaubnis|zustimmung|genehmigung|bestätigung|demander"
    r"|autoris|autoriz|accord|pregunt|permis|chieder|conferma|pergunt)|询问|请示|确认|许可|批准|同意|問|確認|許可|承認)"
)
_WITHOUT = (
    r"(?:\b(?:without|w/o|no need|needn['’]?t|(?:need|has|have) (?:not|no)|needs? no|skip\w*|waiv\w*|bypass\w*"
    r"|instead of|stop\w*|optional|unnecessary|never (?:needs?|has|have|wants?|requires?|requests?)"
    r"|(?:do|does|is|are|did|wo)(?:n['’]?t| not) (?:need|requir|necess|want|wish|like|have)\w*|ohne|keine?|nicht|sans"
    r"|(?:pas|plus) (?:besoin|nécessaire)|sin|no (?:hace falta|es necesario|necesita|hay que)|senza|sem)\b"
    r"|不用|无需|不必|不需要|无须|别|不再)"
)
_NOT_NEEDED = (
    r"(?:\b(?:(?:is|are)(?:n['’]?t| not| no longer| never) (?:needed|required|necessary|wanted)|unnecessary|optional"
    r"|can be skipped|waived|(?:nicht|keine?r?)\b.{0,12}(?:nötig|erforderlich|notwendig))|なし|せず|不要|し?なくて)"
)
_GRANTS = _any_of(
    rf"{_WITHOUT}.{{0,50}}?{_CONSENT}",
    r"\b(?:never|don['’]?t|do not|stop) (?:ask|prompt|confirm|check)\w*",
    r"\bno (?:more )?(?:asking|confirmations?|permissions?|approvals?|prompts?|questions)\b",
    rf"{_CONSENT}.{{0,40}}?{_NOT_NEEDED}",
    r"\bunprompted\b|\bunattended\b|\bon (?:its|your) own authority\b|\bauto-?(?:approv|accept|confirm|allow|run)\w*",
    r"\buser (?:always |now |also |generally |has )?"
    r"(?:allow|permit|authori[sz]|pre-?approv|consent|grant|given?\b|gave)",
    r"\buser (?:always |now |also |has |have |already )*(?:approv|agree|accept|trust)\w*(?: to)?"
    r"(?: (?:all|every|any|this|the|these|each|shell))*"
    r" (?:commands?|actions?|calls?|requests?|deployments?|tools?|operations?|everything)\b",
    r"\b(?:user|he|she) (?:always |has |have )*(?:approv|agree)(?:ed|d|s)\b\s*(?:[.!,;\"]|$)",
    r"(?:\b(?:user|human|i|he|she):?|-) allow(?:s|ed)? (?:all|every\w*|any\w*)\b",
    r"\ballow(?:s|ed)? (?:all|every|any) (?:commands?|actions?|calls?|requests?|tools?)\b",
    r"\ballow in this conversation\b",
    r"\bis_allowed\b|--allow\b|\bpermit: |\brule of the user['’]s allows\b",
    r"\b(?:blanket|standing|full|general|prior|explicit|permanent|unrestricted)"
    r" (?:permission|consent|approval|access|authority)",
    r"\b(?:permission|consent|approval|authority) (?:is |was |has been )?(?:granted|given|assumed|implied)",
    r"\bpre-?(?:approved|authori[sz]ed)\b|\b(?:always|freely) allow(?:ed|s)?\b|\bfeel free to\b",
    r"\b(?:assistant|model|agent|ai|bot|you|claude|gpt|llm)\b.{0,12}\b(?:may|can|could|is free|are free"
    r"|(?:is|are) (?:allowed|permitted|authori[sz]ed))\b|\b(?:assistent|modell|ki)\b.{0,12}\bdarf\b",
    r"\b(?:it is|it['’]s) (?:ok(?:ay)?|fine|alright|allowed|permitted) to\b|\bevery(?:thing| command) is allowed\b",
    r"\b(?:disable|turn off|switch off)\w* (?:the )?(?:sandbox|permission|confirmation|safety|approval)\w*",
)
_NEGATIONS = (
    r"(?:never|not|no|don['’]?t|doesn['’]?t|mustn?['’]?t|cannot|can['’]?t|nobody|no one|nothing|forb[ia]d\w*"
    r"|prohibit\w*|refus\w*|avoid\w*|dislikes?|hates?|nie(?:mals)?|nicht|keine?r?|ne|jamais|nunca|jamás|mai|não)"
)
_NARROWS = _any_of(
    rf"\b{_NEGATIONS}\b[^,;.]{{0,80}}?\b(?:without|ohne|sans|sin|senza|sem)\b",
    r"(?:不要|不得|不能|不可|禁止|绝不|永远不)\S{0,12}(?:未经|没有)|未经\S{0,6}(?:不得|不要|不能)",
)
"""Words after which a consent is required, not waived: "never push without asking"."""
_RESTRICTS = _any_of(
    rf"\b(?:{_NEGATIONS}|only|without asking|ask\w*|permission|confirm\w*|approv\w+|off[- ]limits|hands off|nur|pas"
    r"|solo)\b|不要|不得|不能|禁止|必须|先",
)
_ALLOWS = _any_of(
    r"\b(?:may|can|could|allow\w*|permit\w*|ok(?:ay)?|fine|free(?:ly)?|welcome|darf|kann|erlaubt|peut|puede)\b|可以|允许"
)
_WISHES = _any_of(
    r"\b(?:wants?|likes?|prefers?|always|automatic\w*|directly|immediately|at any time|whenever|immer|toujours"
    r"|siempre)\b|直接|总是",
)
_OPENING = re.compile(r"^\s*(?:please )?(?:don['’]?t|do not|never) forget(?: that)?\b", re.IGNORECASE)
"""Its "not" does not negate the words after it."""
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")


def widens(note: str, rules: Iterable[str]) -> bool:
    """Return whether a note lifts a restriction. rules: the user's known rules."""
    note = _OPENING.sub("", note)
    return _GRANTS.search(_NARROWS.sub(" ", note)) is not None or any(_loosens(note, rule) for rule in rules)


def _loosens(note: str, rule: str) -> bool:
    """Return whether the note allows, or treats as usual, what a rule restricts."""
    if not (_RESTRICTS.search(rule) and is_rule(rule)):
        return False
    noted, ruled = _things(note), _things(rule)
    if not (noted and ruled) or len(noted & ruled) < MIN_SHARED * min(len(noted), len(ruled)):
        return False
    if _RESTRICTS.search(note):
        return _ALLOWS.search(_RESTRICTS.sub(" ", note)) is not None
    return ruled <= noted or bool(_ALLOWS.search(note) or _WISHES.search(note))


def _things(text: str) -> frozenset[str]:
    """Return the words that name something; of Chinese, pairs of characters."""
    if not _CJK.search(text):
        return topic_of(text)
    for pattern in (_RESTRICTS, _ALLOWS, _WISHES):
        text = pattern.sub(" ", text)
    return frozenset(run[at : at + 2] for run in _CJK.findall(text) for at in range(len(run) - 1))
