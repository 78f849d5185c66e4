"""Write the summary without a model (K4): first the facts that must not be lost, then the most informative passages.

Nothing is paraphrased: every line is a quotation or a fact from the ledger. The page is filled in the order of
importance, each kind up to its share, so that one kind cannot crowd out the others. Tokens that a kind does not use go
to the best remaining passages, then to facts that no sentence contains, and at last to excerpts of pasted text, code
and results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from desktop_app.context.ledger.changed_files import READING
from desktop_app.context.ledger.ledger import NUMBER, FactIndex, calls_with_results, one_line
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.ledger.prose import sentences
from desktop_app.context.ledger.user_rules import is_decision, is_rule, is_strong_rule
from desktop_app.conversation.memory import Fact, FileRead, Ledger
from desktop_app.conversation.message import Message, Role

from . import summary_builder as sections
from .passages import (
    MAX_REPEATS,
    Passage,
    Voice,
    find_outdated,
    is_among_people,
    is_announcing,
    is_labelled,
    is_request,
    is_wish,
    is_work,
    passages_of,
    rank_passages,
    urgency_of,
)
from .summary_builder import ENGLISH, SummaryBuilder, SummaryLine, language_of, language_of_headings, lines_of

ROOM = 60
"""Minimum free tokens for a section of excerpts."""
MIN_EXCERPT, MAX_EXCERPT = 160, 8_000
"""Characters of an excerpt."""
MAX_READ = 400
"""Newest messages, and newest calls, that are considered."""
TRIES = 3
SURELY = 0.97
"""The share of the space that remains without headings and labels."""
CLOSE = 0.95
"""The share of the space that must be used."""
MAX_OWN_WORDS = 0.5
"""Share of prose in a message, from which it is speech and not an excerpt."""


def add_excerpts(page: SummaryBuilder, head: Sequence[Message], reading: Reading, count: Callable[[str], int]) -> None:
    """Add excerpts while there is space, the newest first, all of the same width."""
    if page.free < ROOM:
        return
    newest = range(len(head) - 1, max(len(head) - MAX_READ, 0) - 1, -1)
    pasted = [(index, head[index]) for index in newest if _is_pasted(head[index], reading)]
    answered = list(enumerate(calls_with_results(head)))[: -MAX_READ - 1 : -1]

    def excerpts(width: int) -> list[tuple[str, SummaryLine]]:
        texts = [(index, one_line(message.text, width), _speaker(message)) for index, message in pasted]
        lines = [(sections.SHOWN, SummaryLine(text, (index, 0), speaker)) for index, text, speaker in texts]
        for number, (call, result) in answered:
            text = f"{call.name} {one_line(call.arguments)} → {one_line(result.text, width)}"
            lines.append((sections.RESULTS, SummaryLine(text, (number, 0))))
        return lines

    for section, line in excerpts(_width(excerpts, page.free, count)):
        if not page.is_full:
            page.add(section, line)


def _width(excerpts: Callable[[int], list[tuple[str, SummaryLine]]], free: int, count: Callable[[str], int]) -> int:
    """Return the width in characters at which all excerpts take about `free` tokens.

    It is found by trial, since code and prose differ.
    """
    width = MIN_EXCERPT
    for _ in range(TRIES):
        taken = count("\n".join(f"- {line.speaker}: {line.text}" for _, line in excerpts(width)))
        wider = min(max(round(width * SURELY * free / max(taken, 1)), MIN_EXCERPT), MAX_EXCERPT)
        if wider == width or taken <= free < taken / CLOSE:
            break
        width = wider
    return width


def _speaker(message: Message) -> str:
    return (Voice.USER if message.role is Role.USER else Voice.MODEL).value


def _is_pasted(message: Message, reading: Reading) -> bool:
    """Return whether most of a message is code or otherwise pasted."""
    if message.role not in (Role.USER, Role.ASSISTANT) or len(message.text) < MIN_EXCERPT:
        return False
    return sum(map(len, reading.of(message).sentences)) < MAX_OWN_WORDS * len(message.text)


SHARE_OF_INTENT = 0.15
SHARE_OF_STRONG_RULES, SHARE_OF_RULES = 0.35, 0.40
SHARE_OF_SUPERSEDED = 0.05
SHARE_OF_QUESTIONS = 0.10
SHARE_OF_WORK = 0.15
OPEN_REQUESTS = 2
"""Newest requests in progress that are listed, behind the first one: those between them only go on with it."""
SHARE_OF_STATE = 0.15
SHARE_OF_FILES = 0.40
SHARE_OF_USER = 0.40
SHARE_OF_LABELLED, SHARE_OF_LASTING = 0.9, 0.3
"""Shares of the tokens left after rules, intent, state and files."""
SHARE_OF_NAMES = 0.75
"""Share of the tokens left after rules, intent, state and files: a name costs a fifth of a sentence with it."""
SHARE_OF_ERRORS = 0.15
INTRODUCTION = 80
"""Characters; a longer first message states the topic, even if it asks for nothing."""
DECIDED_WITHIN = 3
"""Sentences; a longer passage is not about a decision alone."""
MAX_MISSES = 50
"""Successive passages that do not fit, after which the page counts as full."""
PLENTY = 4
"""Characters that are read for each token of the page."""
ALL = 1.0
COMMANDS = 5
MANY_NAMES = 1_000

_DIGITS = re.compile(r"\d+")


def extract(
    head: Sequence[Message],
    earlier_page: str,
    ledger: Ledger,
    budget: int,
    count: Callable[[str], int],
    reading: Reading | None = None,
) -> str:
    """Return a page of at most `budget` tokens that summarises `head` and the earlier page."""
    reading = reading or Reading()
    page = SummaryBuilder(budget, count, _language_of(head, earlier_page, reading))
    earlier = _still_valid(lines_of(earlier_page), ledger)
    passages = passages_of(head, earlier, reading, budget * PLENTY)
    ranked, among_people = rank_passages(passages), is_among_people(head)
    if not among_people:
        _add_rules(page, ledger)
        _add_labelled(page, ledger, ranked)
        _add_intent(page, [p for p in passages if p.voice is Voice.USER], earlier, is_work(head))
        _add_work(page, ledger, are_finished=False)
        _add_state(page, passages, ledger, head, reading)
    _add_questions(page, ledger, {} if among_people else {message.id: _speaker(message) for message in head})
    _add_files(page, ledger, SHARE_OF_FILES)
    _add_errors(page, ledger, SHARE_OF_ERRORS)
    names = _missing(page, _names_of(head, ledger, reading))
    if among_people:
        _add_passages(page, ranked, [Voice.PERSON])
    else:
        _add_lasting(page, ledger, ranked)
        reserved = min(count(", ".join(names)), round(SHARE_OF_NAMES * page.free))
        _add_passages(page, ranked, [Voice.USER], page.free - SHARE_OF_USER * budget, reserved)
        names = _add_names(page, names, reserved)
    _add_files(page, ledger, ALL)
    _add_passages(page, [p for p in ranked if p.voice is Voice.USER], [Voice.USER])
    _add_work(page, ledger, are_finished=True)
    _add_passages(page, ranked, list(Voice))
    _add_errors(page, ledger, ALL)
    _add_commands(page, ledger, len(ledger.commands), 0)
    _add_names(page, names, page.free)
    if not among_people:
        _add_texts(page, sections.RULES, _urgent_first(ledger.rules), 0)
    page.settle()
    add_excerpts(page, head, reading, count)
    return page.text()


def _language_of(head: Sequence[Message], earlier_page: str, reading: Reading) -> str:
    """Return the language of the page: the earlier page's if it is not English, otherwise the user's."""
    headings = (line.lstrip("# ") for line in earlier_page.splitlines() if line.startswith("#"))
    sentences = (text for message in head if message.role is Role.USER for text in reading.of(message).sentences)
    known = language_of_headings(headings)
    return language_of(sentences) if known == ENGLISH else known


def _still_valid(earlier: Sequence[tuple[str, SummaryLine]], ledger: Ledger) -> list[tuple[str, SummaryLine]]:
    """Return the lines of an earlier page without superseded rules, and without the work: the ledger has its state."""
    earlier = [(section, line) for section, line in earlier if section != sections.WORK]
    if not ledger.superseded:
        return earlier
    lines: list[tuple[str, SummaryLine]] = []
    for section, line in earlier:
        text = line.text
        for old in ledger.superseded:
            text = text.replace(old.text, "").strip() if old.text in text else text
        if text:
            lines.append((section, replace(line, text=text)))
    return lines


def _add_intent(
    page: SummaryBuilder, asked: Sequence[Passage], earlier: Sequence[tuple[str, SummaryLine]], works: bool
) -> None:
    """Add the user's first and last requests. works: whether every user message is one, as at work."""
    floor = page.free - SHARE_OF_INTENT * page.budget
    asked = [p for p in asked if p.order[0] >= 0 and p.share == 1.0 and not any(map(is_labelled, p.sentences))]
    requests = [p for p in asked if works or p.length > INTRODUCTION or any(map(is_request, p.sentences))]
    requests = requests or (asked[:1] if page.is_empty else [])
    known = [line.text for section, line in earlier if section == sections.INTENT and line.speaker != sections.LATEST]
    opening = [text for p in requests if p.order[0] == requests[0].order[0] for text in p.sentences]
    before_rules = list(takewhile(lambda text: not (text.endswith(":") or is_rule(text)), opening)) or opening[:1]
    for number, text in enumerate(known or before_rules[:3]):
        if page.free > floor:
            page.add(sections.INTENT, SummaryLine(text, (-1, number)))
    if requests and (known or requests[-1].order[0] != requests[0].order[0]):
        newest = [text for p in requests if p.order[0] == requests[-1].order[0] for text in p.sentences]
        request = next(filter(is_request, newest), newest[0])
        page.add(sections.INTENT, SummaryLine(request, requests[-1].order, sections.LATEST))


def _add_rules(page: SummaryBuilder, ledger: Ledger) -> None:
    """Add the rules, strong ones first and up to a larger share of the page, then the superseded ones."""
    before = page.free
    for strong, share in ((True, SHARE_OF_STRONG_RULES), (False, SHARE_OF_RULES)):
        rules = [rule for rule in _urgent_first(ledger.rules) if is_strong_rule(rule[1]) is strong]
        _add_texts(page, sections.RULES, rules, before - share * page.budget)
    floor = before - (SHARE_OF_RULES + SHARE_OF_SUPERSEDED) * page.budget
    ended = [(len(ledger.rules) + n, sections.superseded_line(old)) for n, old in enumerate(ledger.superseded)]
    _add_texts(page, sections.RULES, ended[::-1], floor)
    page.cover(text for old in ledger.superseded for text in (old.text, *sentences(old.text)))
    _cover_rules(page, ledger)


def _urgent_first(rules: Sequence[Fact]) -> list[tuple[int, str]]:
    """Return the rules with their order, the most urgent first; a rule is as urgent as its message.

    "Never exceed it." means nothing without the sentence before it.
    """
    urgency: dict[str, float] = {}
    for rule in rules:
        urgency[rule.message_id] = max(urgency.get(rule.message_id, 0.0), round(urgency_of(rule.text), 1))
    earlier = find_outdated(rule.text for rule in rules)
    return sorted(_numbered(rules), key=lambda pair: (pair[1] in earlier, -urgency[rules[pair[0]].message_id]))


def _cover_rules(page: SummaryBuilder, ledger: Ledger) -> None:
    page.cover(text for rule in ledger.rules if rule.text in page for text in sentences(rule.text))


def _add_lasting(page: SummaryBuilder, ledger: Ledger, ranked: Sequence[Passage]) -> None:
    """Add the other rules, goals and preferences of the user, which hold until they are met or taken back."""
    _add_user_words(page, ledger, _lasting_of(ranked), _urgent_first(ledger.rules), SHARE_OF_LASTING)


def _add_labelled(page: SummaryBuilder, ledger: Ledger, ranked: Sequence[Passage]) -> None:
    """Add what the user has labelled ("NOTE: …"), and the other lasting sentences of the same messages."""
    lasting = _lasting_of(ranked)
    marked = {passage.order[0] for passage in lasting if any(map(is_labelled, passage.sentences))}
    labelled = [passage for passage in lasting if passage.order[0] in marked]
    rules = [rule for rule in _urgent_first(ledger.rules) if is_labelled(rule[1])]
    if labelled or rules:
        _add_user_words(page, ledger, labelled, rules, SHARE_OF_LABELLED)


def _lasting_of(ranked: Sequence[Passage]) -> list[Passage]:
    """Return the lasting passages as ranked, but those last that a later one repeats with other values."""
    lasting = [passage for passage in ranked if passage.is_lasting]
    earlier = find_outdated(text for passage in sorted(lasting, key=_order_of) for text in passage.sentences)
    return sorted(lasting, key=lambda passage: not earlier.isdisjoint(passage.sentences))


def _add_user_words(
    page: SummaryBuilder, ledger: Ledger, passages: Sequence[Passage], rules: Sequence[tuple[int, str]], share: float
) -> None:
    """Add passages and rules by turns, until they take that share of what is free."""
    floor = (1 - share) * page.free
    for end in ((page.free + floor) / 2, floor):
        _add_passages(page, passages, [Voice.USER], end)
        _add_texts(page, sections.RULES, rules, floor)
        _cover_rules(page, ledger)


def _order_of(passage: Passage) -> sections.Order:
    return passage.order


def _add_texts(page: SummaryBuilder, section: str, texts: Iterable[tuple[int, str]], floor: float) -> None:
    """Add lines with their order until only `floor` tokens are free."""
    for order, text in texts:
        if page.free <= floor or page.is_full:
            break
        page.add(section, SummaryLine(text, (order, 0)))


def _add_questions(page: SummaryBuilder, ledger: Ledger, speakers: Mapping[str, str]) -> None:
    """Add the open questions. speakers: who asked, by the message's id."""
    floor = page.free - SHARE_OF_QUESTIONS * page.budget
    for number, fact in enumerate(ledger.questions):
        if page.free > floor and not page.is_full:
            page.add(sections.QUESTIONS, SummaryLine(fact.text, (number, 0), speakers.get(fact.message_id, "")))


def _add_work(page: SummaryBuilder, ledger: Ledger, are_finished: bool) -> None:
    """Add the state of requests, plans and claims, the newest first. are_finished: only what is finished."""
    floor = page.free - SHARE_OF_WORK * page.budget
    for rank, state in enumerate(sections.WORK_LABELS):
        if (state == "finished") is not are_finished:
            continue
        items = [(number, item) for number, item in enumerate(ledger.work) if item.state == state]
        if state == "in progress":
            asked = [number for number, item in items if not item.is_planned]
            left_out = set(asked[1:-OPEN_REQUESTS])
            items = [pair for pair in items if pair[0] not in left_out]
        for number, item in reversed(items):
            if page.free <= floor or page.is_full:
                return
            page.add(sections.WORK, SummaryLine(sections.work_line(item, page.language), (rank, number)))


def _formulas(head: Sequence[Message], reading: Reading) -> set[str]:
    """Return the sentences that the model says again and again, which tell nothing about the state of the work."""
    replies = (message for message in head[-MAX_READ:] if message.role is Role.ASSISTANT)
    times = Counter(text for message in replies for text in set(reading.of(message).sentences))
    return {text for text, number in times.items() if number > MAX_REPEATS}


def _add_state(
    page: SummaryBuilder, passages: Sequence[Passage], ledger: Ledger, head: Sequence[Message], reading: Reading
) -> None:
    """Add the model's last sentences, and the last commands that changed or proved something."""
    floor = page.free - SHARE_OF_STATE * page.budget
    newest = [p for p in passages if p.voice is Voice.MODEL and p.order[0] >= 0]
    statements = [text for p in newest for text in p.sentences if not is_announcing(text)]
    formulas = _formulas(head, reading)
    for number, text in enumerate([text for text in statements if text not in formulas][-2:]):
        page.add(sections.STATE, SummaryLine(text, (0, number), Voice.MODEL.value))
    _add_commands(page, ledger, COMMANDS, floor)


def _add_commands(page: SummaryBuilder, ledger: Ledger, most: int, floor: float) -> None:
    done = [(1 + n, f"Ran: {fact.text}") for n, fact in enumerate(ledger.commands) if not READING.match(fact.text)]
    for order, text in done[: -most - 1 : -1]:
        if page.is_full:
            break
        page.add_together([(sections.STATE, SummaryLine(text, (order, 0)))], max(floor, 0))


def _add_files(page: SummaryBuilder, ledger: Ledger, share: float) -> None:
    """Add the files, the newest first, which are still being edited."""
    _add_listed(page, sections.FILES, "Edited", 0, (fact.text for fact in reversed(ledger.files_edited)), share)
    if share == ALL:
        read = (_file_read(file) for file in reversed(ledger.files_read) if file.text not in page)
        _add_listed(page, sections.FILES, sections.READ, 1, read, share)


def _file_read(file: FileRead) -> str:
    return f"{file.text} ({', '.join(file.lines)})" if file.lines else file.text


def _add_listed(page: SummaryBuilder, section: str, label: str, index: int, names: Iterable[str], share: float) -> None:
    lines = (SummaryLine(name, (index, number), label) for number, name in enumerate(names))
    page.add_listed(section, lines, page.free - share * page.budget)


def _add_errors(page: SummaryBuilder, ledger: Ledger, share: float) -> None:
    _add_texts(page, sections.ERRORS, _newest_errors(ledger.errors, share < ALL), page.free - share * page.budget)


def _numbered(facts: Sequence[Fact]) -> list[tuple[int, str]]:
    return [(number, fact.text) for number, fact in enumerate(facts)]


def _newest_errors(errors: Sequence[Fact], is_distinct: bool) -> list[tuple[int, str]]:
    """Return the errors with their index, the newest first. is_distinct: skip errors that differ only in numbers."""
    newest = _numbered(errors)[::-1]
    if not is_distinct:
        return newest
    shapes: dict[str, tuple[int, str]] = {}
    for error in newest:
        shapes.setdefault(_DIGITS.sub("0", error[1]), error)
    return list(shapes.values())


def _add_passages(
    page: SummaryBuilder, ranked: Sequence[Passage], voices: Sequence[Voice], floor: float = 0, kept_free: int = 0
) -> None:
    """Add the highest-ranked passages until only `floor` tokens are free, without sentences that are on the page.

    kept_free: tokens that stay free in any case.
    """
    misses = 0
    for passage in ranked:
        if page.free <= floor or page.is_full or misses > MAX_MISSES:
            break
        if passage.voice in voices and not all(text in page for text in passage.sentences):
            (index, first), section = passage.order, _section(passage)
            if section == sections.DETAILS and any(page.has_label(sections.RULES, text) for text in passage.sentences):
                section = sections.RULES
            speaker = "" if section == sections.WISHES or any(map(is_labelled, passage.sentences)) else passage.speaker
            lines = [
                (section, SummaryLine(text, (index, first + number), speaker, passage.day))
                for number, text in enumerate(passage.sentences)
            ]
            misses = 0 if page.add_together(lines, kept_free) else misses + 1


def _section(passage: Passage) -> str:
    """Return the section of a passage: a chat among people has no decisions in the sense of a work log."""
    if passage.voice is Voice.PERSON or len(passage.sentences) > DECIDED_WITHIN:
        return sections.DETAILS
    if any(map(is_labelled, passage.sentences)):
        return sections.DETAILS
    if passage.is_lasting and all(map(is_wish, passage.sentences)):
        return sections.WISHES
    return sections.DECISIONS if any(map(is_decision, passage.sentences)) else sections.DETAILS


def _names_of(head: Sequence[Message], ledger: Ledger, reading: Reading) -> list[str]:
    """Return paths, links, names and numbers in user messages: from prose and earlier pages, then pasted ones."""
    ranks: dict[str, int] = {}
    for message in head:
        if message.role is Role.USER:
            read = reading.of(message)
            for rank, names in enumerate((read.own, read.pasted)):
                for name in names:
                    ranks[name] = min(rank, ranks.get(name, rank))
    for fact in (*ledger.urls, *reversed(ledger.identifiers)):
        ranks.setdefault(fact.text, 0)
    return sorted(ranks, key=ranks.__getitem__)


def _missing(page: SummaryBuilder, names: Iterable[str]) -> list[str]:
    """Return the names that the page does not contain, without names that are part of a longer one."""
    return _longest(FactIndex(page.settle()).lacks(names))


def _add_names(page: SummaryBuilder, mentioned: Sequence[str], room: float) -> Sequence[str]:
    """Add names that the page does not contain, in about `room` tokens, numbers last. Return all of these names."""
    if page.is_full or not mentioned:
        return mentioned
    missing = _missing(page, mentioned)
    floor = page.free - room
    for index, (label, is_number) in enumerate((("Names", False), (sections.NUMBERS, True))):
        lines = [
            SummaryLine(name, (index, n), label) for n, name in enumerate(missing) if _is_number(name) is is_number
        ]
        page.add_listed(sections.NAMED, lines, floor)
    return missing


def _is_number(name: str) -> bool:
    return NUMBER.fullmatch(name) is not None


def _longest(names: Sequence[str]) -> list[str]:
    """Return the names without those that are part of a longer one."""
    if len(names) > MANY_NAMES:
        return list(names)
    everything = "\n".join(names)
    return [name for name in names if everything.count(name) < 2]
