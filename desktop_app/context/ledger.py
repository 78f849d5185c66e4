"""The ledger: facts that code keeps, word for word, and merges from compaction to compaction (K6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgspec

from desktop_app.conversation.facts import Fact, Ledger
from desktop_app.conversation.message import Message, Role, ToolCall

from .wording import RULE, STRONG_RULE, error_lines, facts_in, sentences

MOST = {
    "intents": 12,
    "rules": 60,
    "files_edited": 150,
    "files_read": 100,
    "commands": 40,
    "urls": 60,
    "errors": 60,
    "identifiers": 400,
    "questions": 12,
}
"""How many facts of each kind are kept: enough for a day's work, and a bound for the hundredth compaction."""

EDITING = re.compile(r"edit|write|create|patch|replace|insert|save|delete|move|rename", re.IGNORECASE)
RUNNING = re.compile(r"bash|shell|exec|run|command|terminal", re.IGNORECASE)
PATH_KEYS = ("path", "file_path", "filePath", "filename", "file", "notebook_path", "target_file")
COMMAND_KEYS = ("command", "cmd", "script")
EXIT_CODE = re.compile(r"\bexit(?:ed with)?(?: code| status)?[: ]+(\d{1,3})\b", re.IGNORECASE)
URL = re.compile(r"^https?://")


def ledger_of(head: Iterable[Message], earlier: Ledger) -> Ledger:
    """The facts of those messages, merged into the earlier ones; the oldest and strongest stay when it is full."""
    found: dict[str, dict[str, Fact]] = {
        kind: {fact.text: fact for fact in cast("tuple[Fact, ...]", getattr(earlier, kind))} for kind in MOST
    }
    calls: dict[str, ToolCall] = {}
    for message in head:
        for kind, text in _facts_of(message, calls):
            found[kind].setdefault(text, Fact(text, message.id))
    dropped = earlier.dropped
    kept: dict[str, tuple[Fact, ...]] = {}
    for kind, facts in found.items():
        kept[kind] = _most_important(kind, tuple(facts.values()))
        dropped += len(facts) - len(kept[kind])
    return Ledger(**kept, dropped=dropped)


def _facts_of(message: Message, calls: dict[str, ToolCall]) -> Iterable[tuple[str, str]]:
    if message.role is Role.USER:
        yield from _user_facts(message.text)
    elif message.role is Role.ASSISTANT:
        for call in message.tool_calls:
            calls[call.call_id] = call
            yield from _call_facts(call)
    result = message.tool_result
    if result is not None:
        call = calls.pop(result.call_id, None)
        yield from (("errors", line) for line in error_lines(result.text))
        command = _argument(call, COMMAND_KEYS) if call and RUNNING.search(call.name) else ""
        if command:
            code = EXIT_CODE.search(result.text)
            yield "commands", f"{_one_line(command)} (exit {code.group(1)})" if code else _one_line(command)


def _user_facts(text: str) -> Iterable[tuple[str, str]]:
    for sentence in sentences(text):
        if RULE.search(sentence):
            yield "rules", sentence
    for fact in facts_in(text):
        yield ("urls" if URL.match(fact) else "identifiers"), fact


def _call_facts(call: ToolCall) -> Iterable[tuple[str, str]]:
    path = _argument(call, PATH_KEYS)
    if path:
        yield ("files_edited" if EDITING.search(call.name) else "files_read"), path
    url = _argument(call, ("url",))
    if url:
        yield "urls", url


def _argument(call: ToolCall, keys: Sequence[str]) -> str:
    """The first of those arguments that is text. A model's arguments may be anything but JSON."""
    try:
        arguments: object = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    fields = cast("dict[str, Any]", arguments)
    return next((value for key in keys if isinstance(value := fields.get(key), str) and value), "")


def _one_line(command: str, most: int = 160) -> str:
    line = " ".join(command.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _most_important(kind: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """At most `MOST[kind]` facts in their order. Strong rules outlive weak ones; of errors the newest stay."""
    most = MOST[kind]
    if len(facts) <= most:
        return facts
    if kind == "rules":
        strong = [fact for fact in facts if STRONG_RULE.search(fact.text)][:most]
        weak = [fact for fact in facts if not STRONG_RULE.search(fact.text)]
        kept = (
            {fact.text for fact in [*strong, *weak[len(weak) - (most - len(strong)) :]]}
            if weak
            else {f.text for f in strong}
        )
        return tuple(fact for fact in facts if fact.text in kept)[:most]
    return facts[len(facts) - most :] if kind in ("errors", "commands", "files_read") else facts[:most]


def as_json(ledger: Ledger) -> dict[str, Any]:
    """The ledger as plain JSON values, for commands."""
    return json.loads(msgspec.json.encode(ledger))
