"""Decides on one prune: strategies from the mildest to the hardest, oldest results first, all or nothing."""

from __future__ import annotations

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View
from desktop_app.conversation.transcript import Prune, Trigger

from .draft import PruneDraft
from .exchange import exchanges_of
from .strategies import STRATEGIES

BY_FORCE = (Trigger.USER, Trigger.OVERFLOW)
"""What somebody or something asked for does not wait for a cache."""


def plan_prune(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    total: int,
    trigger: Trigger,
    seconds_since_request: float | None = None,
) -> Prune | None:
    """Return the prune that brings `total` tokens to the target or near it, or None if it would free too little (P8).

    Each saving is counted on the message as it will be sent, so `tokens_after` is that of the assembled request.
    seconds_since_request: since the provider was last asked; None: not known, so that no cache is spared (P9).
    Raises ValueError if the policy's order names a strategy that does not exist.
    """
    if unknown := [name for name in policy.prune_order if name not in STRATEGIES]:
        raise ValueError(f"No prune strategy is called {unknown[0]!r}. There are: {', '.join(STRATEGIES)}.")
    is_due = trigger in BY_FORCE or budget.share(total) >= policy.prune_at
    if not is_due and is_cache_warm(policy, seconds_since_request):
        return None
    need = min(total - round(budget.usable * policy.prune_target), policy.prune_enough)
    if need <= 0:
        return None
    draft = PruneDraft(exchanges_of(view, policy, budget, counts), counts)
    for name in policy.prune_order:
        for change in STRATEGIES[name](draft.exchanges[:], policy, need - draft.freed):
            if draft.has_freed(need):
                break
            draft.take(name, change)
    freed = draft.settle()
    least = min(policy.prune_least, round(budget.window * policy.prune_least_share_of_window))
    if freed <= 0 or freed < least:
        return None
    results, inputs = draft.recorded_changes(view)
    return Prune(trigger=trigger, results=results, inputs=inputs, tokens_before=total, tokens_after=total - freed)


def is_cache_warm(policy: ContextPolicy, seconds_since_request: float | None) -> bool:
    """Return whether the provider may still cache the request's prefix, which any prune would invalidate."""
    return seconds_since_request is not None and seconds_since_request < policy.cache_seconds
