"""Decides on one prune: by strategies from the mildest to the hardest."""

from __future__ import annotations

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View
from desktop_app.conversation.transcript import Prune, Trigger

from .draft import PruneDraft
from .exchange import exchanges_of
from .strategies import STRATEGIES


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
