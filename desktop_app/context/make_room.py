"""The one decision: what to do next so that the request fits. Asked again after each step, until it says None."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.transcript import Compaction, Prune, Trigger

from .breakdown import request_tokens
from .compact import CompactionPlan, plan_compaction
from .counting import Counts
from .policy import Budget, ContextPolicy
from .prune import plan_prune
from .tail import room_of
from .view import View, active_entries


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
    """The design's table of phases: the earlier the moment, the cheaper it is to wait."""
    match trigger:
        case Trigger.USER:
            return Ladder(policy.target, policy.target)
        case Trigger.OVERFLOW:
            return Ladder(0.0, 0.0)
        case Trigger.AFTER_TURN:
            return Ladder(policy.background_at, policy.background_at)
        case _:
            return Ladder(policy.prune_at, policy.compact_at)


def is_due(total: int, policy: ContextPolicy, budget: Budget, trigger: Trigger) -> bool:
    """Whether a request of `total` tokens has reached the first step of the ladder."""
    ladder = ladder_of(trigger, policy)
    return budget.share(total) >= min(ladder.prune_at, ladder.compact_at)


def make_room(
    view: View, policy: ContextPolicy, budget: Budget, counts: Counts, trigger: Trigger
) -> Prune | CompactionPlan | None:
    """The next step, free layers first, or None when nothing is due or nothing would help any more.

    Raises WindowTooSmall when the request does not fit and nothing can leave.
    """
    total = request_tokens(view, counts)
    share, ladder = budget.share(total), ladder_of(trigger, policy)
    if share >= ladder.prune_at and (prune := plan_prune(view, policy, budget, counts, total, trigger)):
        return prune
    if share < ladder.compact_at or (total <= budget.usable and is_stalled(view, policy)):
        return None
    plan = plan_compaction(view, policy, budget, counts, total, trigger)
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
