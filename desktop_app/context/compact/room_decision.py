"""Decides on the next step towards a request that fits. Decisions are repeated after each step, until one is None."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import MIN_DUE_SHARE
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.prune.exchange import max_freed
from desktop_app.context.prune.strategies import plan_prune
from desktop_app.context.prune.unanswered import plan_shortening
from desktop_app.context.view.dialect import sent_tools
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View
from desktop_app.conversation.transcript import Compaction, Prune, Trigger, active_entries

from .compaction import CompactionPlan, MeasuredBlocks, measure_blocks, plan_compaction, room_for_summary

FUTILE_SHARE = 0.10
"""Share of a request; a compaction that frees less is futile (K8)."""
MAX_FUTILE = 2
"""Successive futile compactions that stop the automatic ones."""
ROOM_TO_GO_ON = 0.10
"""Share of the entire window that must be free for a stopped reply to continue (S3)."""

OVER = 1.000001
"""A share that only a request that does not fit exceeds."""
MIN_TOOLS = 0.05
"""Share of the usable window; smaller schemas are not mentioned as the reason why a request does not fit."""
FULL = 0.98
"""Maximum share that shortened results fill if a policy would fill the window, since calibration rounds."""


class WindowTooSmall(Exception):
    """Raised if the messages that must stay do not fit. Sizes are tokens; `advice` tells the user what would help."""

    def __init__(self, needed: int, usable: int, advice: str) -> None:
        super().__init__(f"{needed:,} tokens must stay, but only {usable:,} can be used. {advice}")
        self.needed = needed
        self.usable = usable
        self.advice = advice


class DueShares(NamedTuple):
    """The shares of the usable window from which pruning and compacting are due."""

    prune_at: float
    compact_at: float


def due_shares(trigger: Trigger, policy: ContextPolicy, budget: Budget) -> DueShares:
    """Return the shares for one phase.

    The earlier the moment, the cheaper it is to wait. In a phase that the policy does not name, room is due only
    if the request does not fit.
    """
    match trigger:
        case Trigger.USER | Trigger.IDLE:
            return DueShares(policy.prune_target, max(policy.prune_target, policy.target))
        case Trigger.OVERFLOW:
            return DueShares(0.0, 0.0)
        case Trigger.AFTER_TURN if trigger.value in policy.phases:
            return DueShares(min(policy.background_at, policy.prune_at), policy.background_at)
        case Trigger.STREAMING if trigger.value in policy.phases:
            due = max(budget.share(room_to_go_on(policy, budget)), MIN_DUE_SHARE)
            return DueShares(min(policy.prune_at, due), min(policy.compact_at, due))
        case _ if trigger.value in policy.phases:
            return DueShares(policy.prune_at, policy.compact_at)
        case _:
            return DueShares(OVER, OVER)


def room_to_go_on(policy: ContextPolicy, budget: Budget) -> int:
    """Return the maximum tokens of a request that continues a stopped reply.

    The rest of the reply, which may be as long as a full one, must end before it would be stopped again.
    """
    rest = max(budget.reserve, round(ROOM_TO_GO_ON * budget.window))
    return max(round(policy.stream_stop_at * budget.window) - rest, 0)


def is_due(view: View, total: int, policy: ContextPolicy, budget: Budget, trigger: Trigger) -> bool:
    """Return whether the view's request, of `total` tokens, has reached the lower share or the limit of messages."""
    is_full = budget.share(total) >= min(due_shares(trigger, policy, budget))
    return is_full or has_too_many_messages(view, policy, budget, trigger)


def has_too_many_messages(view: View, policy: ContextPolicy, budget: Budget, trigger: Trigger) -> bool:
    """Return whether a compaction is due for the number of messages, if the window is unknown (K14)."""
    if len(view.items) < budget.max_messages or trigger.value not in policy.phases:
        return False
    return sum(item.kind is ItemKind.MESSAGE for item in view.items) >= budget.max_messages


def next_step(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    trigger: Trigger,
    seconds_since_request: float | None = None,
    total: int | None = None,
) -> Prune | CompactionPlan | None:
    """Return the next step in the order of the policy's layers, or None if nothing is due or nothing would help.

    total: tokens of the request as shown by the gauge, which decide what is due and what fits; None for the tokens by
    `counts`. A step is planned in tokens by `counts`.

    seconds_since_request: seconds since the last request to the provider; None if unknown. While its cache may be warm,
    a prune below the tight status waits (P9): it would cost more than it frees.

    Raises WindowTooSmall, in tokens of the budget, if the request does not fit and nothing can leave.
    """
    now = _Decision(view, policy, budget, counts, trigger, total)
    if trigger is Trigger.IDLE:  # no prune: the summary is read from the cache, which a prune would lose
        return now.compaction_that_fits()
    if (shortened := now.shortening_that_is_needed()) is not None:
        return shortened
    for layer in policy.layers:
        step = now.prune_that_suffices() if layer == "prune" else now.compaction_that_fits()
        if isinstance(step, Prune) and trigger is Trigger.AFTER_TURN and now.share < policy.prune_at:
            is_cold = seconds_since_request is None or seconds_since_request >= policy.cache_seconds
            return step if is_cold else None  # any prune would invalidate the prefix that the provider may cache
        if step is not None:
            return step
    return now.last_resort()


class _Decision:
    """A decision: which layers are due, and the step that each of them offers."""

    def __init__(
        self,
        view: View,
        policy: ContextPolicy,
        budget: Budget,
        counts: TokenCounts,
        trigger: Trigger,
        total: int | None,
    ) -> None:
        self._trigger, self._budget = trigger, budget
        self._total = request_tokens(view, counts)
        self._size = self._total if total is None else total
        self._inputs = view, policy, budget.as_counted(self._size, self._total), counts
        self._prune_at, self._compact_at = due_shares(trigger, policy, budget)
        self.share = budget.share(self._size)
        self._fits = self._size <= budget.limit
        is_full = self.share >= self._compact_at or has_too_many_messages(view, policy, budget, trigger)
        may_pause = self._size < budget.blocked_tokens(policy) and self._fits  # otherwise the message would be refused
        self._is_compaction_due = is_full and not (may_pause and is_stalled(view) and self._is_futile())
        # Tokens that shortening the unanswered results as far as possible would free.
        self._shortened = 0

    def prune_that_suffices(self) -> Prune | None:
        """Return the prune that is due, if it makes a compaction unnecessary or none is due.

        Messages that a compaction archives are not pruned first: a summary preserves errors better than a prune.
        """
        view, policy, budget, counts = self._inputs
        if self.share < self._prune_at:
            return None
        too_many = round(self._compact_at * budget.usable)
        if self._is_compaction_due and self._total - max_freed(view, policy, budget, counts) >= too_many:
            return None
        prune = self._prune()
        if prune is None or self._is_soon_full(prune):
            return None
        return None if self._is_compaction_due and prune.tokens_after >= too_many else prune

    def _is_soon_full(self, prune: Prune) -> bool:
        """Return whether the background compaction would follow soon, so that a prune is not worth the cache."""
        _, policy, budget, _ = self._inputs
        if "after_turn" not in policy.phases:
            return False
        return prune.tokens_after > round((policy.background_at - policy.prune_runway) * budget.usable)

    def shortening_that_is_needed(self) -> Prune | None:
        """Return the prune of unanswered results, if they would not fit even after all older messages have left."""
        view, policy, budget, counts = self._inputs
        if self._size < (limit := self._limit_of(self._budget)) or (self._fits and limit >= self._budget.limit):
            return None
        room, own_limit = measure_blocks(view, counts), self._limit_of(budget)
        prune = shorten_what_stays(view, room, policy, budget, counts, self._total, self._trigger, own_limit)
        self._shortened = prune.tokens_before - prune.tokens_after if prune else 0
        return prune if room.fixed - self._shortened <= budget.limit else None

    def _limit_of(self, budget: Budget) -> int:
        """Return the tokens that the request must stay below, in tokens of the budget."""
        is_streaming = self._trigger is Trigger.STREAMING
        most = round(self._compact_at * budget.usable) if is_streaming else budget.limit
        return min(budget.blocked_tokens(self._inputs[1]), most)

    def compaction_that_fits(self) -> CompactionPlan | None:
        """Return the compaction that is due, if the request would fit after it."""
        plan = self._compaction() if self._is_compaction_due else None
        return plan if plan and plan.projected <= self._inputs[2].limit else None

    def _is_futile(self) -> bool:
        """Return whether another compaction would be futile (K8)."""
        plan = self._compaction()
        return plan is None or self._total - plan.projected < FUTILE_SHARE * self._total

    def last_resort(self) -> Prune | CompactionPlan | None:
        """Return a step that frees anything, if no layer alone was enough."""
        if not self._is_compaction_due and self._fits:
            return None
        step = self._prune() or (self._compaction() if self._fits else None)
        if step is None and not self._fits:
            raise window_too_small(self._inputs[0], self._budget, self._inputs[3], self._size, self._shortened)
        return step

    def _prune(self) -> Prune | None:
        return plan_prune(*self._inputs, self._total, self._trigger)

    def _compaction(self) -> CompactionPlan | None:
        return plan_compaction(*self._inputs, self._total, self._trigger)


def shorten_what_stays(
    view: View,
    room: MeasuredBlocks,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    total: int,
    trigger: Trigger,
    limit: int,
) -> Prune | None:
    """Return the prune of what no plan can archive, if it reaches the limit with the other fixed tokens, or None.

    Results are shortened first, then the reply that the model is asked to continue.

    limit: the tokens that a request must stay below. More tokens are left for a summary of the older messages, so that
    the compaction that follows fits.
    """
    fixed = room.fixed + room_for_summary(room, policy, budget)
    if fixed < limit:
        return None
    need = fixed - min(round(min(policy.compact_at, FULL) * budget.limit), limit)
    staying = {item.message.id for index in room.must_stay for item in room.blocks[index]}
    return plan_shortening(view, policy, budget, counts, total, need, trigger, staying)


def is_stalled(view: View) -> bool:
    """Return whether the last `MAX_FUTILE` compactions were futile, so that automatic ones pause (K8)."""
    compactions = [entry for entry in active_entries(view.path) if isinstance(entry, Compaction)]
    last = compactions[-MAX_FUTILE:]
    return len(last) == MAX_FUTILE and all(
        entry.tokens_before - entry.tokens_after < FUTILE_SHARE * entry.tokens_before for entry in last
    )


def window_too_small(view: View, budget: Budget, counts: TokenCounts, total: int, shortened: int = 0) -> WindowTooSmall:
    """Return the error with the tokens that must stay, and advice. total: in tokens of the budget.

    shortened: tokens by `counts` that shortening the unanswered results frees.
    """
    fixed, counted = measure_blocks(view, counts).fixed - shortened, request_tokens(view, counts)
    factor = total / max(counted, 1)
    remedies = ["choose a model with a larger window", "shorten the last message"]
    if pins := len(view.pins):
        remedies.insert(0, f"unpin some of the {pins} pinned messages")
    tools, taken = _largest_tools(view, counts, factor)
    if taken >= MIN_TOOLS * budget.usable:
        remedies.insert(0, f"switch off {tools}, which take {taken:,} tokens")
    advice = "It would help to " + ", or to ".join(remedies) + "."
    return WindowTooSmall(min(round(fixed * factor), total), budget.limit, advice)


def _largest_tools(view: View, counts: TokenCounts, factor: float) -> tuple[str, int]:
    """Return a description of the largest server's tools, and their tokens; 0 for none."""
    sizes = Counter[str]()
    for tool in sent_tools((), view.tools, counts.dialect):
        sizes[tool.source] += counts.tool(tool)
    source, tokens = max(sizes.items(), key=lambda size: size[1], default=("", 0))
    return f"the tools of {source}" if source else "some tools", round(tokens * factor)
