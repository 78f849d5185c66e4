"""Tool calls paired with their results, the protection of some of them (P7), and placeholders for pruned ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import msgspec

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.changed_files import fields_of
from desktop_app.context.ledger.message_facts import error_lines
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.items import Item, ItemKind, Repair, is_of_user
from desktop_app.context.view.view import View, unanswered_ids
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult

PREFIX = "[Old result"
"""The beginning of each placeholder. A result that a prune replaced by one is never shortened again."""
LONG = 200
"""Characters of an argument; shorter ones stay, since they show what the call was about."""
MAX_ERROR_LINE = 200


def placeholder(reason: str, result: ToolResult) -> str:
    """Return the line that replaces a result; a failed result keeps its first error line."""
    line = f"{PREFIX}: {reason}]"
    return f"{line}\n{error_line(result)}" if result.is_error else line


def error_line(result: ToolResult) -> str:
    """Return the first line that reports an error, otherwise the first line of a failed result, or ""."""
    lines = error_lines(result.text, 1, MAX_ERROR_LINE)
    return lines[0] if lines else first_line(result.text, MAX_ERROR_LINE) if result.is_error else ""


def first_line(text: str, most: int) -> str:
    """Return the first line that is not blank, clipped."""
    return clip(text.lstrip()[: most + 1].partition("\n")[0].rstrip(), most)


def clip(text: str, most: int) -> str:
    """Return the text, its end replaced by an ellipsis if it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened_arguments(fields: dict[str, Any] | None, arguments: str, reason: str) -> str | None:
    """Return the arguments with a note for each long one, as JSON; None if there is no long one.

    Arguments that are not a JSON object become one: providers refuse anything else.
    """
    if fields is None:
        return _json({"left_out": _note(len(arguments), reason)}) if len(arguments) > LONG else None
    if len(arguments) <= LONG:
        return None
    sizes = {key: _size(value) for key, value in fields.items()}
    if max(sizes.values(), default=0) <= LONG:
        return None
    return _json({key: _note(sizes[key], reason) if sizes[key] > LONG else value for key, value in fields.items()})


def _note(size: int, reason: str) -> str:
    return f"[{size:,} characters left out: {reason}]"


def _size(value: object) -> int:
    """Return the characters of a text, or of a list or an object as JSON."""
    if isinstance(value, str):
        return len(value)
    return len(msgspec.json.encode(value)) if isinstance(value, list | dict) else 0


def _json(fields: dict[str, Any]) -> str:
    return msgspec.json.encode(fields).decode()


SERVER_SEPARATOR = "__"
"""Separates the name of an MCP server from its tool's name."""
MAX_TOOL_NAMES = 4_096
"""Tool names whose protection is cached: a decision checks it twice for each result."""
_JOINT = re.compile(r"[-./: ]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The boundary between two words of a name."""
_USER, _ASSISTANT, _TOOL = Role.USER, Role.ASSISTANT, Role.TOOL  # looked up once: see view/items.py
_MESSAGE, _ORPHAN = ItemKind.MESSAGE, Repair.ORPHAN_RESULT


class Exchange(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A tool result and the call that it answers, in their present form.

    A decision creates thousands, and none is part of a cycle: the garbage collector need not track them.
    """

    index: int
    """Index among the exchanges, oldest first."""
    message: Message
    result: ToolResult
    recorded: ToolResult
    """The full result in the record."""
    call: ToolCall | None
    asked: tuple[str, int] | None
    """The id of the call's message, and the call's number among that message's calls."""
    fields: dict[str, Any] | None
    """The call's arguments; None if they are not a JSON object."""
    tokens: int
    """Tokens of the result's message."""
    age: int
    """Number of later assistant messages."""
    turns: int
    """Number of later user messages."""
    is_unanswered: bool
    """Whether no reply of the model has followed the result yet: it is shortened only if it does not fit."""
    is_pinned: bool
    is_result_free: bool
    """Whether the result may still be shortened."""
    is_input_free: bool
    """Whether the arguments may still be shortened."""

    @property
    def name(self) -> str:
        """The tool's name: the call's, since imported results often have none."""
        return self.call.name if self.call else self.result.name


class Shortening(msgspec.Struct, frozen=True, gc=False):
    """A proposed change to an exchange: another text of its result, other arguments of its call, or both."""

    index: int
    text: str | None = None
    arguments: str | None = None


Change = tuple[Shortening, ...]
"""Proposals that belong together: all of them are accepted, or none."""


def exchanges_of(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> list[Exchange]:
    """Return all results of the view with their calls, oldest first; protected ones also supersede others."""
    items = view.items[:]
    end = first_protected(items, policy, budget, counts)
    calls, unanswered = calls_of_results(items), unanswered_ids(view)
    pruned = {item.message.id for item in items if item.pruned_by}
    recorded = {e.id: e for e in view.entries if isinstance(e, Message) and e.id in pruned} if pruned else {}
    found: list[Exchange] = []
    number = sum(item.message.role is _TOOL for item in items)
    age = turns = 0
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        role = item.message.role
        if role is _ASSISTANT:
            age += item.kind is _MESSAGE  # messages that are not in the record do not count
        elif role is _USER:
            turns += is_of_user(item)
        elif role is _TOOL:
            number -= 1
            asked, is_unanswered = calls.get(index), item.message.id in unanswered
            found.append(
                Exchange(
                    index=number,
                    message=item.message,
                    result=result_of(item.message),
                    recorded=result_of(recorded.get(item.message.id, item.message)),
                    call=asked.call if asked else None,
                    asked=(items[asked.index].message.id, asked.number) if asked else None,
                    fields=fields_of(asked.call) if asked else None,
                    tokens=counts.total(item.message),
                    age=age,
                    turns=turns,
                    is_unanswered=is_unanswered,
                    is_pinned=item.is_pinned,
                    is_result_free=index < end and not is_unanswered and is_prunable(item, policy),
                    is_input_free=asked is not None
                    and asked.index < end
                    and not is_unanswered
                    and is_input_prunable(items[asked.index], asked.call, policy),
                )
            )
    return found[::-1]


def result_of(message: Message) -> ToolResult:
    """Return the result of a tool message; in a view, each has one."""
    part = message.parts[0]
    return part if isinstance(part, ToolResult) else message.tool_result or ToolResult("", "", message.text)


class CallPosition(msgspec.Struct, frozen=True, gc=False):
    """A call, the index of its message, and its number among that message's calls."""

    index: int
    number: int
    call: ToolCall


def calls_of_results(items: Sequence[Item]) -> dict[int, CallPosition]:
    """Return the call of each result, by the result's index.

    Paired by position and id, since ids repeat: a result belongs to the first waiting call with its id, and no call
    waits across a user message.
    """
    paired: dict[int, CallPosition] = {}
    waiting: dict[str, list[CallPosition]] = {}
    for index, item in enumerate(items):
        message = item.message
        if message.role is _ASSISTANT:
            calls = [part for part in message.parts if isinstance(part, ToolCall)]
            for number, call in enumerate(calls):
                waiting.setdefault(call.call_id, []).append(CallPosition(index, number, call))
        elif message.role is _USER:
            waiting.clear()
        elif message.role is _TOOL:
            unanswered = waiting.get(result_of(message).call_id)
            if unanswered:
                paired[index] = unanswered.pop(0)
    return paired


def first_protected(items: Sequence[Item], policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> int:
    """Return the index from which everything is protected: by tokens or by user turns, whichever is earlier."""
    allowed = min(policy.protect_newest, round(budget.window * policy.protect_share_of_window))
    by_tokens = by_turns = len(items)
    tokens = turns = 0
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        tokens += counts.total(item.message)
        if tokens <= allowed:
            by_tokens = index
        if turns < policy.protect_user_turns and is_of_user(item):
            turns += 1
            by_turns = index
        if tokens > allowed and turns >= policy.protect_user_turns:
            break
    return min(by_tokens, by_turns)


def is_protected(tool: str, policy: ContextPolicy) -> bool:
    """Return whether the policy names the tool, with or without its server: "plan" covers "tracker__plan".

    Word separators do not matter: "update_plan" covers "updatePlan" and "update-plan".
    """
    return _is_named(tool, policy.protected_tools)


@lru_cache(MAX_TOOL_NAMES)
def _is_named(tool: str, patterns: tuple[str, ...]) -> bool:
    *servers, last = tool.split(SERVER_SEPARATOR)
    full = (SERVER_SEPARATOR.join([*servers[at:], last]) for at in range(len(servers) + 1))
    names = [_in_words(name) for name in full if name]
    return any(fnmatchcase(name, pattern) for pattern in map(_in_words, patterns) for name in names)


def _in_words(name: str) -> str:
    """Return the name, or a pattern of names, in lowercase with "_" between its words."""
    return _JOINT.sub("_", name).lower()


def is_prunable(item: Item, policy: ContextPolicy) -> bool:
    """Return whether the item is a tool result that may be shortened, and not already a placeholder.

    A result without a call is sent in a form that is not in the record, to which a prune cannot refer.
    """
    result = item.message.tool_result
    return (
        item.kind is _MESSAGE
        and item.message.role is _TOOL
        and result is not None
        and not item.is_pinned
        and item.repair is not _ORPHAN
        and not is_protected(result.name, policy)
        and not (item.pruned_by and result.text.startswith(PREFIX))
    )


def is_input_prunable(item: Item, call: ToolCall, policy: ContextPolicy) -> bool:
    """Return whether the arguments of the call, which is in the item's message, may be shortened."""
    return item.kind is _MESSAGE and not item.is_pinned and not is_protected(call.name, policy)


def max_freed(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> int:
    """Return an upper bound of the tokens that a prune can free, which is much faster than planning one."""
    items = view.items[:]
    end = first_protected(items, policy, budget, counts)
    return sum(counts.total(i.message) for i in items[:end] if i.message.role is _TOOL or i.message.tool_calls)
