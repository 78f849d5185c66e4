"""Classify sentences as rules, directives and decisions, and find those that a later one replaces (K6, K9).

The sentence classifier (context/sentence_kinds) was trained on as many rules as other sentences. In a conversation
one sentence in thirty is a rule, so most sentences that it takes for rules are stories, remarks or tasks. A sentence
counts as a rule only if one of its clauses also has the form of one: it forbids, obliges, limits, says how often, or
compares. The clearer the form, the less certain the classifier must be. An order to do something once, a question or a
statement is not a rule. A decision must also contain words with which people announce one: without them, most hits are
reports of work or remarks.

A rule is superseded only if the later sentence says that something changes, and names the rule's subject or an
alternative to it. Not found: a change without such a word ("spaces, please"), one that does not name the rule's subject
("the second rule does not hold"), and nearly all changes in languages other than those below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from desktop_app.context.sentence_kinds import Kinds, kinds_of
from desktop_app.conversation.words import lexicon

from .facts import QUESTION, topic_of, words_of

CLEAR, LIKELY, POSSIBLE, CERTAIN = 0.1, 0.3, 0.65, 0.9
"""Minimum probability of a rule for a clear form, for a form that is seldom anything but a rule, for a form that often
is something else, and for a form that says what the speaker must do."""
MIN_PREFERENCE = 0.55
"""Minimum probability of rule and preference together for a comparison to count as a preference."""
MIN_WORDS, MIN_PLAIN = 2, 0.6
"""Minimum number of plain words, and their share of all words; with fewer, a line is a path, a log or code."""


def _pattern(first: str = "", anywhere: str = "", signs: str = "") -> re.Pattern[str]:
    """Return a pattern for words at the start of a clause, words anywhere in it, and parts without word boundaries."""
    parts = [rf"^(?:{first})\b" if first else "", rf"\b(?:{anywhere})\b" if anywhere else "", signs]
    return re.compile("|".join(filter(None, parts)), re.IGNORECASE)


_PLAIN = re.compile(r"[(\"'“*]{0,3}[^\W\d_]+(?:['’/-][^\W\d_]+){0,5}[)\"'”*.,;:!?…]{0,4}")
_CODE = re.compile(r"`[^`\n]*`")
_CODE_ENDS = (";", "{", "}", ",")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKED = re.compile(
    r"[+|>#]|\W*\d+\s+[-–+]\s|(?:.{0,40}: )?(?:line \d|module not found|pass\b|\w*(?:error|exception|warning):)",
    re.IGNORECASE,
)
"""The beginning of a line of a patch, a listing, or a program's report."""
_CLAUSE_END = re.compile(
    r"[.;:–—(!?]\s+|\.{2,}|,\s+|[，；。]|\s-\s|\s(?:but|so that|aber|mais|pero|and(?= (?:don['’]?t|do not)\b))\s",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:and|but|so|also|then|now|ok(?:ay)?|alright|right|well|yes|no(?=[,!.])|please|pls|just|actually|btw|oh|hey|omfg"
    r"|again"
    r"|agreed|good|note|remember|important|dude|thus|however|und|bitte|et|y|por favor|one thing|listen)\b[\s,:!.]*)+",
    re.IGNORECASE,
)

_ASKS_OR_TELLS = _pattern(
    first="(?:can|could|would|will|can['’]t|couldn['’]t|won['’]t) (?:you|we|i|u)|what|why|how|which|who|whether"
    "|should (?:i|we|it|this)|do (?:you|we|i)|does|did|is|are|was|were|any idea|let['’]?s|let (?:me|us)|thanks?"
    "|(?:he|she|they) (?!must|may|should|can|cannot|needs?|ha[sv]e? to|prefers?|wants?|would)\\w+"
    "|i (?:wonder|guess|suppose|think|believe|hope|know|mean|feel|read|was|had|will)|i['’](?:ve|ll)"
    "|kannst du|können sie|peux-tu|pouvez-vous|podes|puedes|podrías"
)
"""A clause that asks, wonders, announces or reports something about the speaker."""
_TASK = _pattern(
    first="write|add|make (?!sure)|create|build|fix|show|give|tell|run|read|open|look|check|put|move|remove|delete"
    "|rename"
    "|update|change|set|start|continue|go|try|find|list|explain|describe|summari[sz]e|draft|implement|refactor|convert"
    "|generate|help|remind|send|book|call|copy|modify|improve|extend|install|test|review|edit|replace|undo|revert"
    "|resolve|adjust|think|switch|print|render|display|kill|sleep|compute|calculate|compare|suggest|propose|finish"
)
"""A clause that orders something to be done once."""
_PAST = _pattern(
    anywhere="was|were|had|did|(?:is|are|but) never|(?:was|were|did|had)n['’]t|has been|have been|said|told|asked"
    "|needed|went|came|took"
    "|(?:must|should|could|may|might) have"
)
_NOT_MEANT = _pattern(
    anywhere="should(?:n['’]t)? (?:be (?:fine|ok(?:ay)?|good|enough|able|easy|possible|done|so)|work|help|do|suffice"
    "|i|we|you|now|pass|be (?:functional|operational))|(?:may|might|could) need"
    "|must (?:be (?:so|very|hard|great|awesome|nice|fun|an?|tired|exhausted|excited|proud)|feel|admit|say)"
    "|no longer|would (?:be|have)|for now|right now|this time|just this once|today"
    "|(?:no|not|nothing|none|\\w{2,12}n['’]t) .{0,60}(?:needed|required|necessary|needs?)"
)
"""Guesses, sympathy, remarks that something is not needed, and temporary rules, in the words of an obligation."""
_OF_ONESELF = _pattern(
    anywhere="(?:i|he|she|they) (?:must|should|needs?|ha(?:ve|s) to|ought to|can['’]t|cannot)(?! (?:not|never|only))"
    "|(?:i|you|he|she|they|it) (?:always|never)|i (?:don['’]?t|do not|have)|to (?:only|always|never)"
    "|ich (?:muss|soll|habe)|je dois|tengo que|necesito|necesitamos|hemos",
    signs="我(?:应该|需要|总是|不能)",
)
"""Statements of what a person has to do, does or does not do."""

_CLEAR = _pattern(
    first="(?:don['’]?t|do not) (?:ever )?(?!worry|bother|think|know|understand|see|have|get|feel|like|want|need|mind"
    "|care|believe|forget|be |you |i )\\w+|(?:always|never) (?!mind|again|ever)\\w+"
    "|avoid|refrain from|ask (?:first|before)"
    "|(?:i|we) (?:strongly |always )?prefer|prefer|(?:the )?(?:user|customer|client) (?:prefers|wants|likes)"
    "|only \\w+ (?:\\w+ )?(?:may|can|gets?)",
    anywhere="from (?:now|here) on|going forward|until further notice|unless i (?:say|ask|tell)|whatever else|as a rule"
    "|under no circumstances|at no time|without (?:asking|my (?:ok|okay|consent|approval))|hands off|off[- ]limits"
    "|you (?:must|are to|may not|should (?:always|never))|(?:must|may|should|can|shall) (?:never|not|only)|mustn['’]t"
    "|(?<!method )not (?:allowed|permitted|supposed|acceptable)|forbid(?:s|den)|prohibited"
    "|out of (?:bounds|the question)"
    "|shouldn['’]t (?!be)\\w+|(?:ask|check with|tell) me (?:first|before)"
    "|niemals|auf keinen fall|ab (?:jetzt|sofort)|dar(?:f|fst) nicht|dürfen nicht|untersagt|verboten"
    "|désormais|dorénavant|en aucun cas|interdit|a partir de ahora|en ningún caso|prohíbe",
    signs="n['’]t (?:allowed|permitted|supposed)|必须|务必|不得|禁止|一律|永远不|从现在起"
    "|絶対に|必ず|てはいけ|てはなら|今後",
)
_LABELLED = re.compile(
    r"(?:[\w'’]+ ){0,3}(?:rules?|constraints?|requirements?|polic(?:y|ies)|conventions?|规则|要求)"
    r"(?: (?:from|of|for) [\w ]{1,40})?[:：]\s*\S",
    re.IGNORECASE,
)
_LIKELY = _pattern(
    first="(?:every|each|any|all) .{1,60} needs?|use|keep in mind|stick to|stay|follow|respect|treat"
    "|reply|answer|respond"
    "|verwende|benutze?|vermeide|achte|lass|schreib|antworte?",
    anywhere="must(?!['’-])|should|ought to|shall|required|mandatory|unacceptable|allergic|confidential|important that"
    "|(?<!not )(?<!n['’]t )(?:needs? to|ha(?:s|ve) to)|(?:is|are) to be \\w+(?:ed|en|t)|(?:allow|tolerate)s? no"
    "|(?:can['’]t|cannot)(?! (?:wait|help|believe|see|find|remember|imagine|stop|say|tell|resolve))"
    "|(?<!is )(?<!are )(?<!['’]s )always|never|(?<!she )(?<!he )stays|in (?:the )?future|as (?:it|they) (?:is|are)"
    "|at (?:the very )?most|at least|not? more than|more than \\w+ may|maximum|minimum|exceed|capped|or (?:less|fewer)"
    "|(?:limited|restricted) to|limit of"
    "|by (?:mon|tues|wednes|thurs|fri)day"
    "|muss|müssen|soll(?:en|te|st)?|darf|dürfen|höchstens|maximal|mindestens"
    "|tabu|immer|nie|nur|kein(?:e[nrsm]?)?|bleibt"
    "|jamais|toujours|doi(?:t|s|vent)|devez|il faut|obligatoire|au (?:plus|moins|maximum)|uniquement|seulement"
    "|évite[rz]?"
    "|chaque|aucune?|ne \\w+ pas|pas de|sans|allergique"
    "|nunca|siempre|deben?|debes|hay que|tiene que|prohibid[oa]|obligatorio|como (?:máximo|mínimo)|sólo|solo|evita|cada"
    "|ningun[ao]?|no (?:uses|toques|cambies|borres|se (?:puede|permite|debe))|alérgic[oa]",
    signs="不要|别(?!人|的|处|致|担心|客气|急)|不能|不可以?|不准|不许|总是|只能|只用|只允许|最多|至少|不超过|保密|规定|过敏|需要"
    "|应该(?!就|会|是|能|有|可以|没|很|不会)|前必?须?得?把|ないで|なければ|べき|ください|以内|以下|のみ|だけ|常に|いつも|までに",
)
_NOTHING = "no (?!(?:\\w+ )?changes?|problem|worries|idea|need|thanks?|doubt|wonder|matter|such|one |errors?)\\w+"
_POSSIBLE = _pattern(
    first="keep|leave|wait for|be|report|ask|(?:make sure|ensure|see to it) (?:that|it|they|you|every|all|any|each|no"
    "|nothing|nobody)"
    "|not|every(?! time)|each|all|any|nothing|no one"
    "|everything|only|whenever|unless|without|" + _NOTHING + "|ändere|frag|utilise|veille|n['’]en|demande|attends"
    "|usa|asegúrate|nadie|nada|no se|pregunta|espera",
    anywhere="(?:within|below|under|above|over|up to) (?:\\w+ )?[\\d$€£]+"
    "|need(?:s|ed)?|limit|ceiling|per \\w+|nobody|clos(?:es|ed)"
    "|bitte|nichts|niemand|pflicht|zulässig|begrenzt|gehör(?:t|en) nicht|kurz"
    "|s['’]il (?:te|vous) pla[iî]t|seule?|permis|défendu|limité|nécessaires?|reste"
    "|por favor|ningún|únicamente|límite|entre nosotros|no más",
    signs="请|要|先|就|不让|只有|避免|上限|保持|一定|こと|ません|禁|アレルギー",
)
_FORBIDS_FIRST = _pattern(first=_NOTHING)
_PREFERS = _pattern(
    first="i like (?:my|it when|when|how you)",
    anywhere="(?:i|we|he|she)(?:['’]d| would) (?:much |really |always )?(?:rather|sooner|prefer)|preference|preferred"
    "|preferably|rather than|instead of|(?:suits?|annoys?|bothers?) me"
    "|(?:better|best|easier|nicer|clearer) (?:for|on|to|than)"
    "|my taste|lieber|bevorzuge|préfère|plutôt que|prefiero",
    signs="更喜欢|更爱|宁愿|情愿|の方が",
)


def is_directive(sentence: str, kinds: Kinds) -> bool:
    """Return whether a clause has the form of a rule, and the sentence is likely enough to be one."""
    return kinds.rule + kinds.preference >= CLEAR and _has_form(sentence, kinds) and _is_said(sentence)


def _has_form(sentence: str, kinds: Kinds) -> bool:
    opened = _OPENING.sub("", sentence)
    if _LABELLED.match(opened):
        return True
    clauses = list(_clauses(sentence))
    if any(map(_is_clear, clauses)):
        return True
    if kinds.rule < LIKELY and kinds.rule + kinds.preference < MIN_PREFERENCE:
        return False
    if any(_ASKS_OR_TELLS.match(clause) or _TASK.match(clause) for clause in clauses):
        return False  # other clauses belong to the question, story or task
    if (
        kinds.rule >= LIKELY
        and _FORBIDS_FIRST.match(opened)
        and not (_PAST.search(opened) or _NOT_MEANT.search(opened))
    ):
        return True
    return any(_lays_down(clause, kinds) for clause in clauses)


def _is_clear(clause: str) -> bool:
    return _CLEAR.search(clause) is not None and not (
        _ASKS_OR_TELLS.match(clause) or _PAST.search(clause) or _NOT_MEANT.search(clause)
    )


def _is_said(sentence: str) -> bool:
    """Return whether the sentence was written by a person, and is not a line of a log or of code."""
    if _MARKED.match(sentence) or sentence.endswith(_CODE_ENDS):
        return False
    words = _CODE.sub("it", sentence).split()
    plain = sum(_PLAIN.fullmatch(word) is not None for word in words)
    return _CJK.search(sentence) is not None or (plain >= MIN_WORDS and plain >= MIN_PLAIN * len(words))


def _clauses(sentence: str) -> Iterator[str]:
    for clause in _CLAUSE_END.split(sentence):
        if bare := _OPENING.sub("", clause.strip(" *_\"'“”")):
            yield bare


def _lays_down(clause: str, kinds: Kinds) -> bool:
    if _PAST.search(clause) or _NOT_MEANT.search(clause):
        return False
    if kinds.rule + kinds.preference >= MIN_PREFERENCE and _PREFERS.search(clause):
        return True
    if kinds.rule < LIKELY or (kinds.rule < CERTAIN and _OF_ONESELF.search(clause)):
        return False
    return _LIKELY.search(clause) is not None or (kinds.rule >= POSSIBLE and _POSSIBLE.search(clause) is not None)


MAX_PREFERENCE = 160
"""Bytes; a longer sentence about a preference is a story."""

_STRONG = re.compile(
    r"\b(?:always|never|must(?:n['’]t)?|don['’]?t|do not|not allowed|forbidden|under no circumstances|constraints?"
    r"|requirements?|rules?|policy|niemals|immer|darf nicht|muss|jamais|toujours|nunca|siempre)\b(?!\.\w)"
    r"|必须|务必|不要|不得|不能|禁止|规则|[请要都]总是|永远不|絶対に|必ず|ないで",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:\b(?:rules?|constraints?|requirements?|conventions?|guidelines?|polic(?:y|ies)|must|always|never|keep in mind"
    r"|remember|please)\b|规则|要求|必须|注意)[^.!?。！？]{0,120}[:：]\s*$",
    re.IGNORECASE,
)

MIN_SHARED = 0.5
"""Share of the words of both sentences that they must have in common if the later one only corrects; with less it may
be about something else."""
MIN_NAMED = 0.6
"""Share of a rule's words that a sentence must name to allow what the rule forbids."""
FEW = 2
"""Words; a topic this short applies to every rule about it."""
SHORT = 7
"""Words; in a sentence this short, "instead" refers to the latest rule."""

_CUES = lexicon(
    "actually instead forget ignore disregard longer anymore more changed thought scrap mind rather now switch all drop"
    " needed again stattdessen lieber vergiss mehr oublie ne lugar vez ya"
)
"""In lowercase; only sentences with one of these words, or of the pieces below, are examined."""
_PIECES = ("改用", "不再", "不用再", "plutôt")
_TAKES_BACK = re.compile(
    r"\b(?:forget|ignore|disregard|scrap|drop)\b.{0,40}\b(?:said|told|rule|instruction|about|requirement|earlier|that)\b"
    r"|\bnever mind\b.{0,30}\b(?:about|rule|said)\b|\bvergiss\b|\boublie"
)
_ENDS = re.compile(
    r"\bno longer\b|\bany ?more\b|\bnot needed\b|\bnicht mehr\b|\bne .{1,30} plus\b|\bya no\b|不再|不用再"
)
_REPLACES = re.compile(
    r"\binstead\b|\bchanged my mind\b|\bsecond thought\b|\brather than\b|\bswitch to\b|改用|\bstattdessen\b"
    r"|\bdoch lieber\b|\bplutôt\b|\ben (?:lugar|vez) de\b"
)
_CORRECTS = re.compile(r"\bactually\b|\bfrom now on\b|\bafter all\b")
_ALLOWS = re.compile(
    r"\b(?:you (?:can|may)|it(?:['’]s| is) (?:ok|okay|fine|allowed)|feel free)\b.*\b(?:now|after all|again)\b"
)
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|switch from|plutôt que|en lugar de|en vez de|nicht mehr)\b(?P<old>[^,.;!?]{2,60})"
)
_FORBIDS = re.compile(r"\b(?:never|don['’]?t|do not|must ?n[o'’]?t|avoid|forbidden|no)\b")
_ADDS = re.compile(r"\b(?:also|too|as well|in addition|additionally|auch|aussi|también)\b|也|还")

_ALTERNATIVES = tuple(
    map(
        lexicon,
        (
            "tab tabs space spaces", "single double", "british american", "camel camelcase snake snake_case kebab",
            "npm yarn pnpm bun", "pip poetry uv conda pipenv", "pytest unittest nose", "jest vitest mocha jasmine",
            "float floats integer integers int ints decimal decimals", "sync async synchronous asynchronous",
            "light dark", "metric imperial", "celsius fahrenheit", "formal informal casual", "merge rebase squash",
            "english german french spanish italian chinese japanese portuguese dutch", "window aisle middle",
            "monday tuesday wednesday thursday friday saturday sunday", "morning afternoon evening night",
            "mysql postgres postgresql sqlite mongodb", "black ruff yapf autopep8", "json yaml toml xml",
            "short long brief detailed", "economy business first", "utc local", "class classes function functions",
        ),
    )
)  # fmt: skip
"""Alternatives: asking for one of a group replaces a rule about another."""


def is_rule(sentence: str) -> bool:
    """Return whether a sentence prescribes how to do something, or states a preference; a question is never a rule."""
    if QUESTION.search(sentence):
        return False
    kinds = kinds_of(sentence)
    is_story = kinds.preference > kinds.rule and len(sentence.encode(errors="replace")) > MAX_PREFERENCE
    return not is_story and is_directive(sentence, kinds)


def is_strong_rule(rule: str) -> bool:
    """Return whether a rule says always, never or must, so that it is kept before rules that say should."""
    return _STRONG.search(rule) is not None


def announces_rules(paragraph: str) -> bool:
    """Return whether a list of rules follows."""
    return paragraph.rstrip()[-1:] in (":", "：") and _ANNOUNCES.search(paragraph) is not None


def may_supersede(text: str) -> bool:
    """Return whether the text could replace or take back a rule: a cheap test before the exact ones."""
    return not _CUES.isdisjoint(words_of(text)) or any(map(text.__contains__, _PIECES))


def superseded_by(sentence: str, rules: Sequence[str]) -> list[str]:
    """Return the rules that the sentence replaces or takes back, oldest first. rules: the earlier rules."""
    lowered = sentence.lower()
    if not may_supersede(sentence) or QUESTION.search(sentence) or _ADDS.search(lowered):
        return []
    others = [rule for rule in rules if rule != sentence]
    if old := _INSTEAD_OF.search(lowered):
        given_up = topic_of(old["old"])
        if named := [rule for rule in others if given_up and given_up <= topic_of(rule)]:
            return named
    change = _change_of(lowered)
    found = [rule for rule in others if _ends(change, rule)]
    if not found and others and _REPLACES.search(lowered) and len(words_of(lowered)) <= SHORT:
        return others[-1:] if _verb(others[-1]) == _verb(sentence) != "" else []
    return found


_ChangeKind = Literal["takes back", "ends", "allows", "corrects", ""]


class _Change(NamedTuple):
    """The effect of a sentence on the rules that it names, parsed once for a hundred rules."""

    kind: _ChangeKind
    words: frozenset[str]
    topic: frozenset[str]


def _change_of(lowered: str) -> _Change:
    kind: _ChangeKind = ""
    if _TAKES_BACK.search(lowered):
        kind = "takes back"
    elif _ENDS.search(lowered):
        kind = "ends"
    elif _ALLOWS.search(lowered):
        kind = "allows"
    elif _REPLACES.search(lowered) or _CORRECTS.search(lowered):
        kind = "corrects"
    return _Change(kind, words_of(lowered), topic_of(lowered))


def _ends(change: _Change, rule: str) -> bool:
    """Return whether the change ends the rule."""
    changed, topic = change.topic, topic_of(rule)
    shared = changed & topic
    match change.kind:
        case "takes back" | "ends":
            # With only one word in common, "no longer" may end a fact and not a rule.
            least = 1 if change.kind == "takes back" else 2
            return len(shared) >= max(least, MIN_SHARED * min(len(changed), len(topic)))
        case "allows":
            return _FORBIDS.search(rule.lower()) is not None and len(shared) >= MIN_NAMED * len(topic) > 0
        case "corrects" if is_alternative(words_of(rule), change.words):
            return bool(shared) or min(len(topic), len(changed)) <= FEW
        case "corrects":
            return len(shared) >= MIN_SHARED * len(topic | changed) > 0
        case _:
            return False


def is_alternative(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether each set has a word for which the other has an alternative."""
    return any(words & group and others & group and not words & others & group for group in _ALTERNATIVES)


def _verb(sentence: str) -> str:
    """Return the first word after any opening words, such as "use" in "Please use tabs"."""
    words: Sequence[str] = re.findall(r"[a-z]+", sentence.lower())
    return next((word for word in words if word not in ("please", "always", "actually", "ok", "no", "then", "and")), "")


ANNOUNCED, MENTIONED = 0.3, 0.5
"""Minimum probability of a decision if a sentence begins like one, and if it only contains a word for one."""

_ANNOUNCES_DECISION = re.compile(
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
    """Return whether a sentence states a decision and is not a question."""
    if QUESTION.search(sentence):
        return False
    likely = kinds_of(sentence).decision
    announced = likely >= ANNOUNCED and _ANNOUNCES_DECISION.match(sentence)
    return bool(announced) or (likely >= MENTIONED and _MENTIONS.search(sentence) is not None)
