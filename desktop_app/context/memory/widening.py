"""Detect notes that would allow a model more than the user allowed. Pure.

Only the user may widen permissions, in the user's own words: such a note by a model is refused. A note that narrows
them ("never push without asking") is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from desktop_app.context.ledger.facts import words_of
from desktop_app.context.ledger.rules import is_rule
from desktop_app.conversation.words import lexicon

MIN_SHARED = 0.5
"""Of the words of the shorter one: from there on a note speaks of the thing that a rule speaks of."""

_CONSENT = (
    r"(?:ask\w*|permissions?|confirm\w*|approv\w+|consent|authori[sz]ation|review\w*|sign-?off"
    r"|check(?:ing)? (?:in|with)|prompt\w*|clearance|oversight|supervision"
    r"|(?:my|the user['’]s|his|her|their) ok(?:ay)?)"
)
_NOT_NEEDED = (
    r"(?:(?:is|are) (?:not|no longer|never) (?:needed|required|necessary|wanted)|isn['’]?t (?:needed|required)"
    r"|not (?:needed|required|necessary)|unnecessary|optional|can be skipped|waived)"
)


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WITHOUT = _any_of(
    r"\b(?:without|w/o|no need (?:for|of|to)|needn['’]?t|(?:need|has|have) (?:not|no)|needs? no|skip\w*|waiv\w*"
    r"|bypass\w*|instead of|stop\w*|optional|unnecessary|not? (?:longer )?(?:need|requir|necess)\w*"
    r"|(?:do|does|is|are|did|do|wo)(?:n['’]?t| not) (?:need|requir|necess|want|wish|like|have)\w*)\b.{0,50}?\b"
    + _CONSENT,
    rf"\b{_CONSENT}\b.{{0,40}}\b{_NOT_NEEDED}\b",
    rf"\bnever (?:needs?|has|have|wants?|requires?|requests?)\b.{{0,40}}\b{_CONSENT}",
    r"\b(?:never|don['’]?t|do not|stop) (?:ask|prompt|confirm|check)\w*",
    r"\bno (?:more )?(?:asking|confirmations?|permissions?|approvals?|prompts?|questions)\b",
    r"\bunprompted\b|\bunattended\b|\bon (?:its|your) own authority\b|\bauto-?(?:approv|accept|confirm|allow|run)\w*",
)
_GRANTS = _any_of(
    r"\buser (?:always |now |also |generally |has )?(?:allow|permit|authori[sz]|pre-?approv|consent|grant|given)\w*",
    r"\buser (?:has )?(?:gave|given)\b",
    r"\b(?:blanket|standing|full|general|prior|explicit|permanent|unrestricted)"
    r" (?:permission|consent|approval|access|authority)",
    r"\b(?:permission|consent|approval|authority) (?:is |was |has been )?(?:granted|given|assumed|implied)",
    r"\bpre-?(?:approved|authori[sz]ed)\b|\b(?:always|freely) allow(?:ed|s)?\b|\bfeel free to\b",
    r"\b(?:assistant|model|agent|ai|bot|you|claude|gpt|llm)\b.{0,12}\b(?:may|can|could|is free|are free"
    r"|(?:is|are) (?:allowed|permitted|authori[sz]ed))\b",
    r"\b(?:it is|it['’]s) (?:ok(?:ay)?|fine|alright|allowed|permitted) to\b|\bevery(?:thing| command) is allowed\b",
    r"\b(?:disable|turn off|switch off)\w* (?:the )?(?:sandbox|permission|confirmation|safety|approval)\w*",
)
_GERMAN = r"(?:nachfrag\w*|rückfrag\w*|fragen|erlaubnis|zustimmung|genehmigung|bestätigung)"
_OTHER_LANGUAGES = _any_of(
    rf"\b(?:ohne|keine?|nicht)\b.{{0,30}}\b{_GERMAN}|\b(?:assistent|modell|ki)\b.{{0,12}}\bdarf\b",
    rf"\b{_GERMAN}\b.{{0,40}}\b(?:nicht|keine?r?)\b.{{0,12}}(?:nötig|erforderlich|notwendig)",
    r"\bsans\b.{0,30}(?:demander|permission|autorisation|confirmation|accord)",
    r"(?:pas|plus) (?:besoin|nécessaire)\b.{0,30}(?:demander|permission|autorisation|confirm)",
    r"\bsin\b.{0,30}(?:preguntar|permiso|autorización|confirm|pedir)",
    r"\bno (?:hace falta|es necesario|necesita|hay que)\b.{0,30}(?:pregunt|permiso|autoriz|confirm|pedir)",
    r"\bsenza\b.{0,30}(?:chieder|permesso|conferma|autorizzazione)|\bsem\b.{0,30}(?:perguntar|permissão|confirma)",
    r"(?:不用|无需|不必|不需要|无须|别|不再)\S{0,8}(?:询问|请示|确认|许可|批准|同意|问)",
    r"(?:確認|許可|承認)(?:は|なし|せず|不要|し?なくて)",
)
_NEGATIONS = (
    r"(?:never|not|no|don['’]?t|doesn['’]?t|mustn?['’]?t|cannot|can['’]?t|nobody|no one|nothing|forb[ia]d\w*"
    r"|prohibit\w*|refus\w*|avoid\w*|dislikes?|hates?|nie(?:mals)?|nicht|keine?r?|ne|jamais|nunca|jamás|mai|não)"
)
_NARROWS = _any_of(
    rf"\b{_NEGATIONS}\b[^,;.]{{0,80}}?\b(?:without|ohne|sans|sin|senza|sem)\b",
    r"(?:不要|不得|不能|不可|禁止|绝不|永远不)\S{0,12}(?:未经|没有)",
)
"""What comes behind such words is required, not waived: "never push without asking"."""
_RESTRICTS = _any_of(
    rf"\b(?:{_NEGATIONS}|only|without asking|ask\w*|permission|confirm\w*|approv\w+|off[- ]limits|hands off|nur|pas"
    r"|solo)\b",
    r"不要|不得|不能|禁止|必须|先",
)
_ALLOWS = _any_of(
    r"\b(?:may|can|could|allow\w*|permit\w*|ok(?:ay)?|fine|free(?:ly)?|welcome|darf|kann|erlaubt|peut|puede)\b|可以|允许"
)
_WISHES = _any_of(
    r"\b(?:wants?|likes?|prefers?|always|automatic\w*|directly|immediately|at any time|whenever|immer|toujours"
    r"|siempre)\b|直接|总是",
)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]{1,2}")
_SMALL = lexicon(
    "the a an and or to of in on at for with from by is are be it that this user said says wants want likes never"
    " always not no don t do does without asking ask asks first before only must should may can allowed please they he"
    " she i you my me their his her freely directly any time okay ok fine prefers prefer when whenever needed"
)


def widens(note: str, rules: Iterable[str]) -> bool:
    """Return whether a note lifts a restriction. rules: the known rules of the user."""
    bare = _NARROWS.sub(" ", note)
    if any(pattern.search(bare) for pattern in (_WITHOUT, _GRANTS, _OTHER_LANGUAGES)):
        return True
    return any(_loosens(note, rule) for rule in rules)


def _loosens(note: str, rule: str) -> bool:
    """Return whether the note allows, or treats as usual, what a rule restricts."""
    if not (_RESTRICTS.search(rule) and is_rule(rule)):
        return False
    said, ruled = _things(note), _things(rule)
    if not (said and ruled) or len(said & ruled) < MIN_SHARED * min(len(said), len(ruled)):
        return False
    if _RESTRICTS.search(note):
        return _ALLOWS.search(_RESTRICTS.sub(" ", note)) is not None
    return ruled <= said or bool(_ALLOWS.search(note) or _WISHES.search(note))


def _things(text: str) -> frozenset[str]:
    """Return the words that name something, without the ending of a plural or a verb; of Chinese, pairs of signs."""
    if not _CJK.search(text):
        return frozenset(_stem(word) for word in words_of(text) if word not in _SMALL)
    for pattern in (_RESTRICTS, _ALLOWS, _WISHES):
        text = pattern.sub(" ", text)
    return frozenset(text[at : at + 2] for at in range(len(text) - 1) if _CJK.fullmatch(text[at : at + 2]))


def _stem(word: str) -> str:
    for ending in ("ing", "es", "ed", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    return word
