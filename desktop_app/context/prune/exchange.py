"""A tool call and its result, as pruning sees them: what was said, how old it is, and what of it may be shortened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from desktop_app.context.counting import Counts
from desktop_app.context.items import Item, Kind, is_of_user
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.tools_named import fields_of
from desktop_app.context.view import View
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult

from .placeholder import PREFIX
from .protect import first_protected, is_input_prunable, is_prunable


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A result and the call that it answers, as they are sent now.

    index: its place among the exchanges, oldest first. whole: the result as it is recorded. asked: the call's message
    and the call's number among that message's calls. fields: its arguments, or None if they are no JSON object.
    tokens: of the result's message. age, turns: assistant and user messages that came later.
    is_result_free, is_input_free: whether the result and the arguments may still be shortened.
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


class Shorter(msgspec.Struct, frozen=True):
    """What a strategy proposes for one exchange: another text of its result, other arguments of its call, or both."""

    index: int
    text: str | None = None
    arguments: str | None = None


Change = tuple[Shorter, ...]
"""Proposals that only make sense together: all of them are taken, or none."""


def exchanges_of(view: View, policy: ContextPolicy, budget: Budget, counts: Counts) -> list[Exchange]:
    """All results of the view with their calls, oldest first; also the protected ones, since those supersede others."""
    items = view.items[:]
    end = first_protected(items, policy, budget, counts)
    calls = calls_of_results(items)
    recorded = {e.id: e for e in view.entries if isinstance(e, Message) and e.id in view.pruned}
    age = sum(is_of_model(item) for item in items)
    turns = sum(is_of_user(item) for item in items)
    found: list[Exchange] = []
    for index, item in enumerate(items):
        if item.message.role is Role.TOOL and (result := item.message.tool_result) is not None:
            whole = recorded.get(item.message.id, item.message).tool_result or result
            is_placeholder = bool(item.pruned_by) and result.text.startswith(PREFIX)
            asking, number = calls.get(index, (len(items), 0))
            asked = items[asking] if asking < len(items) else None
            call = asked.message.tool_calls[number] if asked else None
            found.append(
                Exchange(
                    index=len(found),
                    message=item.message,
                    result=result,
                    whole=whole,
                    call=call,
                    asked=(asked.message, number) if asked else None,
                    fields=fields_of(call) if call else None,
                    tokens=counts.total(item.message),
                    age=age,
                    turns=turns,
                    is_result_free=index < end and not is_placeholder and is_prunable(item, policy),
                    is_input_free=asking < end and asked is not None and is_input_prunable(asked, call, policy),
                )
            )
        else:
            age -= is_of_model(item)
            turns -= is_of_user(item)
    return found


def is_of_model(item: Item) -> bool:
    """Whether the model said that: what stands in no record makes nothing older."""
    return item.kind is Kind.MESSAGE and item.message.role is Role.ASSISTANT


def calls_of_results(items: Sequence[Item]) -> dict[int, tuple[int, int]]:
    """Where the call of each result stands, by the result's index: its message's index, and its number among the calls.

    Paired by position and id, since ids repeat: a result belongs to the first call of its id that waits for one, and
    none waits any more once the user spoke.
    """
    paired: dict[int, tuple[int, int]] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for index, item in enumerate(items):
        message = item.message
        if message.role is Role.ASSISTANT:
            for number, call in enumerate(message.tool_calls):
                waiting.setdefault(call.call_id, []).append((index, number))
        elif message.role is Role.USER:
            waiting.clear()
        elif (result := message.tool_result) is not None and waiting.get(result.call_id):
            paired[index] = waiting[result.call_id].pop(0)
    return paired
