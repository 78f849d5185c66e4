"""Decides on one prune: strategies from the mildest to the hardest, oldest results first, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from desktop_app.context.counting import Counts, count_message
from desktop_app.context.items import Item
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view import View
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.transcript import Prune, PrunedResult, Trigger

from . import hard_clear, soft_trim
from .protect import first_protected, is_prunable

Shortened = Callable[[ToolResult, ToolCall | None, int, int, ContextPolicy], str | None]
STRATEGIES: tuple[tuple[str, Shortened], ...] = (
    (soft_trim.NAME, soft_trim.shortened),
    (hard_clear.NAME, hard_clear.shortened),
)


class Candidate(msgspec.Struct, frozen=True):
    """An old result: its message and call, its tokens as sent now, and how many assistant messages came later."""

    message: Message
    call: ToolCall | None
    tokens: int
    age: int


def plan_prune(
    view: View, policy: ContextPolicy, budget: Budget, counts: Counts, total: int, trigger: Trigger
) -> Prune | None:
    """The prune that brings `total` tokens to the target or near it, or None if it would free too little (P8).

    Each saving is counted on the message as it will be sent, so `tokens_after` is that of the assembled request.
    """
    target = round(budget.usable * policy.target)
    candidates = candidates_of(view, policy, budget, counts)
    pruned: dict[str, tuple[PrunedResult, int]] = {}
    freed = 0
    for strategy, shortened in STRATEGIES:
        for candidate in candidates:
            if total - freed <= target:
                break
            better = _pruned(candidate, strategy, shortened, policy, counts)
            earlier = pruned[candidate.message.id][1] if candidate.message.id in pruned else 0
            if better is not None and better[1] > earlier:
                freed += better[1] - earlier
                pruned[candidate.message.id] = better
    least = min(policy.prune_least, round(budget.window * policy.prune_least_share_of_window))
    if not pruned or freed < least:
        return None
    results = tuple(pruned[c.message.id][0] for c in candidates if c.message.id in pruned)
    return Prune(trigger=trigger, results=results, tokens_before=total, tokens_after=total - freed)


def candidates_of(view: View, policy: ContextPolicy, budget: Budget, counts: Counts) -> list[Candidate]:
    """Results that may be shortened, oldest first."""
    items = list(view.items)
    end = first_protected(items, policy, budget, counts)
    calls = calls_of_results(items)
    later = sum(item.message.role is Role.ASSISTANT for item in items)
    found: list[Candidate] = []
    for index, item in enumerate(items[:end]):
        later -= item.message.role is Role.ASSISTANT
        if is_prunable(item, policy):
            found.append(Candidate(item.message, calls.get(index), counts.total(item.message), later))
    return found


def calls_of_results(items: Sequence[Item]) -> dict[int, ToolCall]:
    """The call of each tool message, by the message's index; paired within a block, since ids repeat."""
    paired: dict[int, ToolCall] = {}
    starts = [index for index, item in enumerate(items) if item.message.role is not Role.TOOL]
    for start, end in pairwise([*starts, len(items)]):
        waiting = list(items[start].message.tool_calls)
        for index in range(start + 1, end):
            result = items[index].message.tool_result
            call = next((c for c in waiting if result and c.call_id == result.call_id), None)
            if call is not None:
                waiting.remove(call)
                paired[index] = call
    return paired


def _pruned(
    candidate: Candidate, strategy: str, shortened: Shortened, policy: ContextPolicy, counts: Counts
) -> tuple[PrunedResult, int] | None:
    """The result under that strategy and the tokens that it frees."""
    result = candidate.message.tool_result
    if result is None:
        return None
    text = shortened(result, candidate.call, candidate.tokens, candidate.age, policy)
    if text is None or len(text) >= len(result.text):
        return None
    as_sent = replace(candidate.message, parts=(replace(result, text=text),))
    freed = candidate.tokens - count_message(as_sent, counts.tokenizer).total
    return (PrunedResult(candidate.message.id, strategy, text), freed) if freed > 0 else None
