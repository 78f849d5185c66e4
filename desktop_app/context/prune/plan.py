"""Decides on one prune: by strategies from the mildest to the hardest, or, after an overflow, by shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View
from desktop_app.conversation.transcript import Prune, Trigger

from .draft import PruneDraft
from .exchange import Exchange, Shortening, exchanges_of
from .strategies import STRATEGIES, cleared_line

SHED = "shed"
"""How a prune that drops results is recorded."""
ALL = 1.0
"""The share that spares nothing but pins and protected tools."""
NOBODY_IS_PROTECTED = Budget(0, 0)
"""For the pruning's own rule of what is too new, which does not hold here."""


def plan_prune(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    total: int,
    trigger: Trigger,
) -> Prune | None:
    """Return the prune that brings `total` tokens to the target or near it, or None if it would free too little (P8).

    Each saving is counted on the message as it will be sent, so `tokens_after` is that of the assembled request.
    Raises ValueError if the policy's order names a strategy that does not exist.
    """
    if unknown := [name for name in policy.prune_order if name not in STRATEGIES]:
        raise ValueError(f"No prune strategy is called {unknown[0]!r}. There are: {', '.join(STRATEGIES)}.")
    need = min(total - round(budget.usable * policy.prune_target), policy.prune_enough)
    if need <= 0:
        return None
    draft = PruneDraft(exchanges_of(view, policy, budget, counts), counts)
    for name in policy.prune_order:
        for change in STRATEGIES[name](draft.exchanges[:], policy, need - draft.freed):
            if draft.freed >= need and draft.settle() >= need:  # an estimate is made exact first
                break
            draft.take(name, change)
    freed = draft.settle()
    least = min(policy.prune_least, round(budget.window * policy.prune_least_share_of_window))
    if freed <= 0 or freed < least:
        return None
    results, inputs = draft.recorded_changes(view)
    return Prune(trigger=trigger, results=results, inputs=inputs, tokens_before=total, tokens_after=total - freed)


def drop_results(view: View, policy: ContextPolicy, counts: TokenCounts, share: float) -> Prune | None:
    """Return the prune that drops a share (0 to 1) of the tokens of all tool results, or None if nothing can go.

    Large and old results go first. What the model has not read yet, the results behind its newest reply, goes only with
    everything else, at a share of 1. Pins and protected tools stay at any share, and so does each call. A line is left
    of each result, with its first error.
    """
    spared = replace(policy, protect_newest=0, protect_user_turns=0)
    draft = PruneDraft(exchanges_of(view, spared, NOBODY_IS_PROTECTED, counts), counts)
    left = share * sum(exchange.tokens for exchange in draft.exchanges)
    for exchange in _in_order(draft.exchanges, is_all=share >= ALL):
        if left <= 0 and share < ALL:
            break
        freed = draft.freed
        draft.take(SHED, (Shortening(exchange.index, text=cleared_line(exchange)),))
        left -= exchange.tokens if draft.freed > freed else 0
    freed = draft.settle()
    if freed <= 0:
        return None
    total = request_tokens(view, counts)
    results, _ = draft.recorded_changes(view)
    return Prune(trigger=Trigger.OVERFLOW, results=results, tokens_before=total, tokens_after=total - freed)


def _in_order(exchanges: Sequence[Exchange], is_all: bool) -> Iterable[Exchange]:
    """Return those that may go, the first to go first. Unread results have an age of 0."""
    free = [exchange for exchange in exchanges if exchange.is_result_free and (is_all or exchange.age > 0)]
    return sorted(free, key=lambda exchange: (-exchange.tokens * (exchange.age + 1), exchange.index))
