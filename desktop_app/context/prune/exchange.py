"""A tool call and its result, as pruning sees them: what was said, how old it is, and what of it may be shortened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.tool_names import fields_of
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.items import Item, ItemKind, is_of_user
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult

from .placeholder import PREFIX
from .protect import first_protected, is_input_prunable, is_prunable


class Exchange(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A result and the call that it answers, as they are sent now.

    index: its place among the exchanges, oldest first. whole: the result as it is recorded. asked: the call's message
    and the call's number among that message's calls. fields: its arguments, or None if they are no JSON object.
    tokens: of the result's message. age, turns: assistant and user messages that came later.
    is_result_free, is_input_free: whether the result and the arguments may still be shortened.
    Thousands live for one decision, and none is part of a cycle: the garbage collector need not look at them.
    """

    index: int
    message: Message
    result: ToolResult
    whole: ToolResult
    call: ToolCall | None
    asked: tuple[Message, int] | None
    fields: dict[str, Any] | None
    tokens: int
    age: int
    turns: int
    is_result_free: bool
    is_input_free: bool

    @property
    def name(self) -> str:
        """The tool's name: the call's, since imported results often have none."""
        return self.call.name if self.call else self.result.name


class Shortening(msgspec.Struct, frozen=True, gc=False):
    """What a strategy proposes for one exchange: another text of its result, other arguments of its call, or both."""

    index: int
    text: str | None = None
    arguments: str | None = None


_USER, _ASSISTANT, _TOOL = Role.USER, Role.ASSISTANT, Role.TOOL  # looked up once: see cut_points.py
_MESSAGE = ItemKind.MESSAGE

Change = tuple[Shortening, ...]
"""Proposals that only make sense together: all of them are taken, or none."""


def exchanges_of(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> list[Exchange]:
    """All results of the view with their calls, oldest first; also the protected ones, since those supersede others."""
    items = view.items[:]
    end = first_protected(items, policy, budget, counts)
    calls = calls_of_results(items)
    recorded = {e.id: e for e in view.entries if isinstance(e, Message) and e.id in view.pruned} if view.pruned else {}
    found: list[Exchange] = []
    index = sum(item.message.role is _TOOL for item in items)
    age = turns = 0
    for place in range(len(items) - 1, -1, -1):
        item = items[place]
        role = item.message.role
        if role is _ASSISTANT:
            age += item.kind is _MESSAGE  # what stands in no record makes nothing older
        elif role is _USER:
            turns += is_of_user(item)
        elif role is _TOOL:
            index -= 1
            asked = calls.get(place)
            found.append(
                Exchange(
                    index=index,
                    message=item.message,
                    result=result_of(item.message),
                    whole=result_of(recorded.get(item.message.id, item.message)),
                    call=asked.call if asked else None,
                    asked=(items[asked.index].message, asked.number) if asked else None,
                    fields=fields_of(asked.call) if asked else None,
                    tokens=counts.total(item.message),
                    age=age,
                    turns=turns,
                    is_result_free=place < end and is_prunable(item, policy) and not _is_placeholder(item),
                    is_input_free=asked is not None
                    and asked.index < end
                    and is_input_prunable(items[asked.index], asked.call, policy),
                )
            )
    return found[::-1]


def result_of(message: Message) -> ToolResult:
    """The result of a tool's message, of which a view has one each."""
    part = message.parts[0]
    return part if isinstance(part, ToolResult) else message.tool_result or ToolResult("", "", message.text)


def _is_placeholder(item: Item) -> bool:
    """Whether a prune left no more than a line of that result, or a digest."""
    return bool(item.pruned_by) and result_of(item.message).text.startswith(PREFIX)


class CallPosition(msgspec.Struct, frozen=True, gc=False):
    """Where a call stands: the index of its message, and its number among that message's calls."""

    index: int
    number: int
    call: ToolCall


def calls_of_results(items: Sequence[Item]) -> dict[int, CallPosition]:
    """The call of each result, by the result's index.

    Paired by position and id, since ids repeat: a result belongs to the first call of its id that waits for one, and
    none waits any more once the user spoke.
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
