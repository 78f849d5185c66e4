"""The ledger: facts that code keeps verbatim, merges at each compaction (K6) and looks for in the view (K7).

A fact of an archived message is in the view verbatim, in the summary, recallable, or lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from desktop_app.conversation.memory import Fact, Fidelity, FileRead, Ledger, Superseded
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult

from .changed_files import (
    EDIT_BLOCK,
    EDITING,
    OPEN_FILE,
    READING,
    RUNNING,
    command_of,
    fields_of,
    files_edited_in,
    files_of_call,
    has_failed,
    part_read,
)
from .facts import QUESTION
from .message_facts import MessageFacts, Reading
from .user_rules import is_strong_rule, may_supersede, superseded_by
from .work import CallMade, WorkLog, is_planning, is_refused

MAX_FACTS = {
    "rules": 60,
    "files_edited": 300,
    "files_read": 100,
    "commands": 40,
    "urls": 100,
    "errors": 300,
    "identifiers": 400,
    "questions": 12,
}
"""Maximum facts of each kind: enough for a day's work, and a bound for any number of compactions."""

NEWEST_LAST = ("files_edited", "files_read", "commands", "errors")
"""Kinds ordered by a fact's last occurrence, of which the newest are kept."""
MAX_SUPERSEDED = 20
"""Superseded rules that are kept, the newest."""
MAX_PARTS = 4
"""Parts of one file that are kept, the newest."""
QUESTIONS_WITHIN = 3
"""Messages from the end; an earlier question counts as answered or dropped."""

RULES_FIRST, RULES_LAST = 60, 140
"""First and last rules that a later sentence is compared with, if there are more: a bound for the work."""
OUTCOME = " (exit "
"""Separates a command from its exit code: only the last one is known to be true."""
MAX_OUTCOME = 240
"""Characters of a call's result, up to which it is listed with the call."""
EXIT_CODE = re.compile(r"\bexit(?:ed with)?(?: code| status)?[: ]+(\d{1,3})\b", re.IGNORECASE)
URL = re.compile(r"^https?://")
QUOTED_END = re.compile(r"[?？][\"”’»」』]+\s*$")
"""The end of a sentence that quotes a question."""
NUMBER = re.compile(r"[\d.,:/%#$€£-]+")


def ledger_of(head: Iterable[Message], earlier: Ledger, reading: Reading | None = None, turn_at: int = 0) -> Ledger:
    """Return the facts of the messages merged into the earlier ledger, at most `MAX_FACTS` of each kind.

    turn_at: index of the first message of a turn whose request is not among the messages; 0 if there is none.
    """
    found: dict[str, dict[str, Fact]] = {
        kind: {fact.text: fact for fact in cast("tuple[Fact, ...]", getattr(earlier, kind))} for kind in MAX_FACTS
    }
    found["commands"] = {fact.text.rpartition(OUTCOME)[0] or fact.text: fact for fact in earlier.commands}
    messages = list(head)
    found["questions"].clear()  # earlier questions have been answered or dropped since
    reading = reading or Reading()
    work = WorkLog(earlier.work, reading)
    calls = _Calls(reading, work)
    superseded = {fact.text: fact for fact in earlier.superseded}
    for number, message in enumerate(messages):
        if number == turn_at:
            work.end_turn()
        for kind, text in calls.facts_of(message):
            key = text.rpartition(OUTCOME)[0] or text if kind == "commands" else text
            known = found[kind].pop(key, None) if kind in NEWEST_LAST else found[kind].get(key)
            found[kind][key] = known if known and known.text == text else Fact(text, message.id)
            if kind == "rules":
                superseded.pop(text, None)  # a repeated rule applies again
        if message.role is Role.USER and reading.of(message).may_change:
            for old in _superseded(message, reading.of(message), _first_and_last(found["rules"])):
                del found["rules"][old.text]
                superseded[old.text] = old
    for question, message_id in open_questions(messages, reading):
        found["questions"].setdefault(question, Fact(question, message_id))
    dropped = earlier.dropped
    kept: dict[str, tuple[Fact, ...]] = {}
    for kind, facts in found.items():
        kept[kind] = _most_important(kind, tuple(facts.values()))
        dropped += len(facts) - len(kept[kind])
    newest = tuple(superseded.values())[-MAX_SUPERSEDED:]
    reads = calls.reads(kept.pop("files_read"), earlier.files_read)
    left_out = dropped + len(superseded) - len(newest)
    return Ledger(**kept, files_read=reads, dropped=left_out, superseded=newest, work=work.items())


def _first_and_last(rules: dict[str, Fact]) -> list[str]:
    """Return the rules that a later sentence may replace, oldest first: the first and the last ones."""
    if len(rules) <= RULES_FIRST + RULES_LAST:
        return list(rules)
    return [*islice(rules, RULES_FIRST), *reversed(list(islice(reversed(rules), RULES_LAST)))]


def _superseded(message: Message, read: MessageFacts, rules: list[str]) -> Iterator[Superseded]:
    """Yield the rules that the message ends. rules: all current rules, including the message's own."""
    numbers = {text: number for number, text in enumerate(read.instructions)}
    ended: set[str] = set()
    for number, sentence in enumerate(read.instructions):
        if may_supersede(sentence):
            earlier = [rule for rule in rules if numbers.get(rule, -1) < number and rule not in ended]
            for rule in superseded_by(sentence, earlier):
                ended.add(rule)
                yield Superseded(rule, sentence, message.id)


def open_questions(head: Sequence[Message], reading: Reading) -> list[tuple[str, str]]:
    """Return the questions in the last messages with text, each with its message's id.

    A user's question is answered if the model replied without asking back. Questions that the model quotes are ignored.
    """
    spoken: list[Message] = []
    for message in reversed(head):
        if message.role in (Role.USER, Role.ASSISTANT) and message.text:
            spoken.append(message)
        if len(spoken) == QUESTIONS_WITHIN:
            break
    found: list[tuple[str, str]] = []
    is_answered = False
    for message in spoken:  # the newest first
        asked = [(text, message.id) for text in reading.of(message).sentences if QUESTION.search(text)]
        if message.role is Role.USER:
            found = [*([] if is_answered else asked), *found]
            continue
        own = [pair for pair in asked if not QUOTED_END.search(pair[0])]
        is_answered = not own
        found = own + found
    return found


def calls_with_results(head: Iterable[Message]) -> list[tuple[ToolCall, ToolResult]]:
    """Return the calls that have results, in the order of the results. Paired by position, since ids repeat."""
    waiting: dict[str, ToolCall] = {}
    answered: list[tuple[ToolCall, ToolResult]] = []
    for message in head:
        waiting.update((call.call_id, call) for call in message.tool_calls)
        result = message.tool_result
        call = waiting.pop(result.call_id, None) if result is not None else None
        if call is not None and result is not None:
            answered.append((call, result))
    return answered


_Waiting = tuple[ToolCall, dict[str, Any], bool]
"""A call, its arguments, and whether it changes files."""


class _Calls:
    """Yields facts of messages in order; remembers the calls without a result and the open file."""

    def __init__(self, reading: Reading, work: WorkLog) -> None:
        self._reading, self._work = reading, work
        self._parts: dict[str, dict[str, None]] = {}
        """The parts of each file that were read since it was last changed."""
        self._changed = set[str]()
        self._waiting: dict[str, _Waiting] = {}
        self._open_file = ""

    def facts_of(self, message: Message) -> Iterable[tuple[str, str]]:
        if message.role is Role.USER:
            read = self._reading.of(message)
            if "(Open file: " in read.text and (opened := OPEN_FILE.search(read.text)):
                self._open_file = opened.group(1)
            self._work.hear(message)
            yield from _user_facts(read)
        elif message.role is Role.ASSISTANT:
            text = message.text
            for path in files_edited_in(text):
                yield "files_edited", path
            if self._open_file and "```" in text and EDIT_BLOCK.search(text):
                yield "files_edited", self._open_file
            done = list[CallMade]()
            for call in message.tool_calls:
                fields = fields_of(call) or {}
                facts = list(self._call_facts(call, fields))
                changes = any(kind == "files_edited" for kind, _ in facts)
                self._waiting[call.call_id] = call, fields, changes
                done.append(CallMade(call, fields, changes))
                yield from facts
            self._work.reply(message, done)
        else:
            result = message.tool_result
            if result is not None:
                waiting = self._waiting.pop(result.call_id, None)
                errors = self._reading.errors_of(message, result)
                self._work.result(message, result, errors)
                yield from _result_facts(result, errors, waiting)

    def reads(self, facts: Sequence[Fact], earlier: Iterable[FileRead]) -> tuple[FileRead, ...]:
        """Return the files that were read with the parts of them; "" is all of a file."""
        before = {file.text: file.lines or ("",) for file in earlier if file.text not in self._changed}
        found: list[FileRead] = []
        for fact in facts:
            parts = dict.fromkeys((*before.get(fact.text, ()), *self._parts.get(fact.text, ())))
            found.append(FileRead(fact.text, fact.message_id, () if "" in parts else tuple(parts)[-MAX_PARTS:]))
        return tuple(found)

    def _call_facts(self, call: ToolCall, fields: dict[str, Any]) -> Iterable[tuple[str, str]]:
        edited, read = files_of_call(call, fields)
        if not (edited or read) and self._open_file and _edits_open_file(call, fields):
            edited = [self._open_file]
        for path in read:
            self._open_file = path
            self._parts.setdefault(path, {})[part_read(fields)] = None
            yield "files_read", path
        for path in edited:
            self._open_file = path
            self._parts.pop(path, None)
            self._changed.add(path)
            yield "files_edited", path
        url = fields.get("url")
        if url and isinstance(url, str):
            yield "urls", url


def _edits_open_file(call: ToolCall, fields: dict[str, Any]) -> bool:
    """Return whether a call without a path changes the file that was opened last. A call that keeps a plan does not."""
    return bool(EDITING.search(call.name)) and not RUNNING.search(call.name) and not is_planning(fields)


def _user_facts(read: MessageFacts) -> Iterable[tuple[str, str]]:
    for sentence in read.rules:
        yield "rules", sentence
    for fact in read.facts:
        yield ("urls" if URL.match(fact) else "identifiers"), fact


def _result_facts(result: ToolResult, errors: tuple[str, ...], waiting: _Waiting | None) -> Iterable[tuple[str, str]]:
    """Yield errors, and the commands and calls that did more than read, with their outcome."""
    if result.is_error and not errors:
        errors = (one_line(result.text),) if result.text.strip() else ()
    yield from (("errors", line) for line in errors)
    if waiting is None or is_refused(result):
        return
    call, fields, changes_files = waiting
    command = command_of(fields)
    if command and RUNNING.search(call.name):
        code = EXIT_CODE.search(result.text) if "exit" in result.text.lower() else None
        yield "commands", f"{one_line(command)}{OUTCOME}{code.group(1)})" if code else one_line(command)
    elif not READING.match(call.name) and not changes_files and not is_planning(fields):
        deed = f"{call.name} {one_line(call.arguments)}"
        if 0 < len(result.text) < MAX_OUTCOME:
            yield "commands", f"{deed} → {one_line(result.text)}"
        elif EDITING.search(call.name) and not has_failed(result):  # it changed something that is no file
            yield "commands", deed


def one_line(text: str, most: int = 160) -> str:
    """Return the beginning of a text without its line ends."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _most_important(kind: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return at most `MAX_FACTS[kind]` facts in order.

    Strong rules are kept before weak ones, old rules before new ones, and names before bare numbers; of files, errors
    and commands, the newest.
    """
    most = MAX_FACTS[kind]
    if len(facts) <= most:
        return facts
    if kind == "rules":
        strong = [fact for fact in facts if is_strong_rule(fact.text)]
        return _first_of((*strong, *facts), facts, most)
    if kind == "identifiers":
        named = [fact for fact in facts if not NUMBER.fullmatch(fact.text)]
        return _first_of((*named, *facts[::-1]), facts, most)
    return facts[len(facts) - most :] if kind in NEWEST_LAST else facts[:most]


def _first_of(preferred: Iterable[Fact], facts: Sequence[Fact], most: int) -> tuple[Fact, ...]:
    """Return the first of the preferred facts, in the order of `facts`."""
    kept = set(list(dict.fromkeys(fact.text for fact in preferred))[:most])
    return tuple(fact for fact in facts if fact.text in kept)


MAX_LOST = 20
"""Lost facts that a report names."""
MAX_KEPT = 40
"""Facts that a report names as verbatim, and as many in the summary."""
MAX_RECALLABLE = 200
"""Rules that a report names as recallable only, and as many other facts."""

_WORD = re.compile(r"\w+")
_TO_WORDS = bytes(sign if chr(sign).isalnum() or sign == ord("_") else ord(" ") for sign in range(256))
"""Maps ASCII separators to spaces."""
_SIGNS = ".,;:!?…\"'”’“‘`()[]{}*<>"
"""Punctuation around a name in a text."""


def _words_in(text: str) -> list[str]:
    return text.encode().translate(_TO_WORDS).decode().split() if text.isascii() else _WORD.findall(text)


def _contains_fact(fact: str, text: str) -> bool:
    """Return whether the text contains the fact between word boundaries: `a.py` is not in `a.pyc`."""
    start = text.find(fact)
    while start >= 0:
        end = start + len(fact)
        if not (_joins(text[start - 1 : start], fact[0]) or _joins(fact[-1], text[end : end + 1])):
            return True
        start = text.find(fact, start + 1)
    return False


def _joins(before: str, after: str) -> bool:
    """Return whether two neighbouring characters, or "" at an end of the text, belong to one word."""
    return _WORD.match(before) is not None and _WORD.match(after) is not None


class FactIndex:
    """Index of a text for looking up many facts.

    Words and chunks, which are separated by whitespace, are looked up in sets. Other facts are searched in the
    distinct chunks, a small part of a long text; only facts with whitespace are searched in the text itself.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._chunks = frozenset(text.split())
        self._sorted = sorted(self._chunks)
        distinct = "\n".join(self._sorted)
        self._words = frozenset(_words_in(distinct))
        self._compound = "\n".join(chunk for chunk in self._chunks if not chunk.isalnum())
        self._names = frozenset(chunk.strip(_SIGNS) for chunk in self._compound.split("\n"))

    def __contains__(self, fact: str) -> bool:
        """Return whether the text contains the fact verbatim. A number within a longer one is not that number."""
        if fact in self._words or fact in self._names or fact in self._chunks:
            return True
        parts = fact.split()
        if len(parts) > 1 and not (
            all(map(self._chunks.__contains__, parts[1:-1])) and self._has_chunk_beginning_with(parts[-1])
        ):
            return False
        if not all(map(self._words.__contains__, _words_in(fact))):
            return False
        return _contains_fact(fact, self._compound if parts == [fact] else self._text)

    def _has_chunk_beginning_with(self, part: str) -> bool:
        """Return whether a chunk begins with the part."""
        index = bisect_left(self._sorted, part)
        return index < len(self._sorted) and self._sorted[index].startswith(part)

    def lacks(self, facts: Iterable[str]) -> list[str]:
        """Return the facts that the text does not contain."""
        return [fact for fact in facts if fact not in self]


def facts_to_keep(head: Sequence[Message], reading: Reading) -> dict[str, str]:
    """Return the facts that a reader who continues would miss, with the ids of their messages.

    These are paths, URLs, identifiers, numbers, names and rules in user messages, and the questions open at the end.
    """
    facts: dict[str, str] = {}
    for message in head:
        if message.role is Role.USER:
            read = reading.of(message)
            for fact in (*read.facts, *read.rules):
                facts.setdefault(fact, message.id)
    for question, message_id in open_questions(head, reading):
        facts.setdefault(question, message_id)
    return facts


def holding_rules(head: Sequence[Message], ledger: Ledger, reading: Reading) -> list[Fact]:
    """Return the current rules: the ledger's, and the rules of `head` that did not fit into it."""
    ended = {old.text for old in ledger.superseded}
    found = (Fact(rule, m.id) for m in head if m.role is Role.USER for rule in reading.of(m).rules if rule not in ended)
    return list({rule.text: rule for rule in (*found, *ledger.rules)}.values())


def fidelity(
    head: Sequence[Message],
    summary: str,
    tail: Sequence[Message],
    archive: Collection[str],
    reading: Reading | None = None,
    rules: Sequence[Fact] = (),
) -> Fidelity:
    """Return where each fact of `head`, and each current rule, is found now.

    tail: everything that is sent besides the summary. archive: ids of messages that can be recalled.
    """
    facts = {rule.text: rule.message_id for rule in rules}
    holding = set(facts)
    for fact, message_id in facts_to_keep(head, reading or Reading()).items():
        facts.setdefault(fact, message_id)
    not_kept = FactIndex("\n".join(message.text for message in tail)).lacks(facts)
    missing = FactIndex(summary).lacks(not_kept)
    lost = [fact for fact in missing if facts[fact] not in archive]
    recallable = [fact for fact in missing if facts[fact] in archive]
    return Fidelity(
        verbatim=len(facts) - len(not_kept),
        in_summary=len(not_kept) - len(missing),
        recallable=len(recallable),
        lost=len(lost),
        lost_facts=tuple(lost[:MAX_LOST]),
        recallable_rules=tuple([fact for fact in recallable if fact in holding][:MAX_RECALLABLE]),
        recallable_facts=tuple([fact for fact in recallable if fact not in holding][:MAX_RECALLABLE]),
        rules=len(holding),
        rules_kept=len(holding.difference(missing)),
        verbatim_facts=_some(facts, without=not_kept),
        summary_facts=_some(not_kept, without=missing),
    )


def _some(facts: Iterable[str], without: Collection[str]) -> tuple[str, ...]:
    left_out = set(without)
    return tuple(islice((fact for fact in facts if fact not in left_out), MAX_KEPT))
