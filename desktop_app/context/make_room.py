"""The one decision: what to do next so that the request fits. Asked again after each step, until it says None."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.transcript import Compaction, Prune, Trigger

from .breakdown import request_tokens
from .compact import CompactionPlan, plan_compaction
from .counting import Counts
from .policy import Budget, ContextPolicy
from .prune import is_cache_warm, plan_prune
from .tail import room_of
from .view import View, active_entries

OVER = 1.000001
"""A share that only a request that does not fit has."""


class WindowTooSmall(Exception):
    """What must stay does not fit, whatever is archived. needed and usable in tokens; advice: what would help."""

    def __init__(self, needed: int, usable: int, advice: str) -> None:
        super().__init__(f"{needed:,} tokens must stay, but only {usable:,} can be used. {advice}")
        self.needed = needed
        self.usable = usable
        self.advice = advice


class Ladder(msgspec.Struct, frozen=True):
    """From which share of the usable window on pruning and compacting are due."""

    prune_at: float
    compact_at: float


def ladder_of(trigger: Trigger, policy: ContextPolicy) -> Ladder:
    """The design's table of phases: the earlier the moment, the cheaper it is to wait.

    In a phase that the policy does not name, only what would not fit is a reason.
    """
    match trigger:
        case Trigger.USER:
            return Ladder(policy.prune_target, policy.target)
        case Trigger.OVERFLOW:
            return Ladder(0.0, 0.0)
        case Trigger.AFTER_TURN if trigger.value in policy.phases:
            return Ladder(min(policy.background_at, policy.prune_at), policy.background_at)
        case _ if trigger.value in policy.phases:
            return Ladder(policy.prune_at, policy.compact_at)
        case _:
            return Ladder(OVER, OVER)


def is_due(total: int, policy: ContextPolicy, budget: Budget, trigger: Trigger) -> bool:
    """Whether a request of `total` tokens has reached the first step of the ladder."""
    ladder = ladder_of(trigger, policy)
    return budget.share(total) >= min(ladder.prune_at, ladder.compact_at)


def make_room(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: Counts,
    trigger: Trigger,
    seconds_since_request: float | None = None,
) -> Prune | CompactionPlan | None:
    """The next step in the policy's order, or None when nothing is due or nothing would help any more.

    seconds_since_request: since the provider was last asked; None: not known. While its cache may be warm, a prune
    below the tight status waits (P9): it would cost more than it frees.

    Raises WindowTooSmall when the request does not fit and nothing can leave.
    """
    total = request_tokens(view, counts)
    share, ladder = budget.share(total), ladder_of(trigger, policy)
    is_compaction_due = share >= ladder.compact_at and not (total <= budget.usable and is_stalled(view, policy))
    plan: CompactionPlan | None = None
    for layer in policy.layers:
        if layer == "prune" and share >= ladder.prune_at:
            prune = plan_prune(view, policy, budget, counts, total, trigger)
            is_waiting = share < policy.prune_at and is_cache_warm(policy, seconds_since_request)
            if prune and not (is_waiting and trigger is Trigger.AFTER_TURN):
                return prune
            if prune and budget.share(prune.tokens_after) <= policy.target:
                return None
        elif layer == "compact" and is_compaction_due:
            plan = plan_compaction(view, policy, budget, counts, total, trigger)
            if plan is not None:
                break
    if total > budget.usable and (plan is None or plan.projected > budget.usable):
        raise too_small(view, budget, counts, total)
    return plan


def is_stalled(view: View, policy: ContextPolicy) -> bool:
    """Whether the last compactions freed so little that another automatic one would be work for nothing (K8)."""
    compactions = [entry for entry in active_entries(view.entries) if isinstance(entry, Compaction)]
    last = compactions[-policy.futile_in_a_row :]
    return len(last) == policy.futile_in_a_row and all(
        entry.tokens_before - entry.tokens_after < policy.futile_below * entry.tokens_before for entry in last
    )


def too_small(view: View, budget: Budget, counts: Counts, total: int) -> WindowTooSmall:
    """The error that says what must stay, and what would help."""
    room = room_of(view, counts)
    pins = len(view.pins)
    helps = ["choose a model with a larger window", "shorten the last message"]
    if pins:
        helps.insert(0, f"unpin some of the {pins} pinned messages")
    return WindowTooSmall(min(room.fixed, total), budget.usable, "It would help to " + ", or to ".join(helps) + ".")
