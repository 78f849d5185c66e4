"""What a policy would do in an open conversation, now and over its past; nothing is changed."""

from __future__ import annotations

import asyncio
import time

import msgspec
from msgspec.structs import replace

from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.counting.breakdown import status_of
from desktop_app.context.fitting import acting_policy, fit_policy
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.replay import replay
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.insights import Replayed
from desktop_app.conversation.message import Usage
from desktop_app.conversation.transcript import Prune, Trigger

from .compaction.making_room import decide
from .compaction.snapshot import ContextSnapshot, snapshot_of, snapshot_under
from .session import Session
from .tasks import CheckPoint, run_while_wanted


class PolicyTrial(msgspec.Struct, frozen=True):
    """What a policy would do now."""

    gauge: Gauge
    """Of the request as it is, under that policy."""
    acting: ContextPolicy
    """Its numbers as they act in the window."""
    archived: int = 0
    pruned: int = 0
    """Messages."""
    tokens_after: int = 0
    note: str = ""
    """Why nothing would help."""


async def try_policy(session: Session, policy: ContextPolicy, is_automatic: bool) -> PolicyTrial:
    """Return what the policy would do once the turn is over. is_automatic: whether the settings let it."""
    budget = session.budget_under(policy)
    trial = PolicyTrial(_gauge_under(session.gauge(), policy, budget), acting_policy(policy, budget))
    if not budget.window or not (is_automatic and policy.is_automatic):
        return trial
    snapshot = _snapshot_under(session, policy)
    try:
        step = await asyncio.to_thread(_next_step, snapshot)
    except WindowTooSmall as error:
        return replace(trial, note=str(error))
    match step:
        case CompactionPlan():
            after = snapshot.in_model_tokens(step.projected)
            return replace(trial, archived=len(step.archived), tokens_after=after)
        case Prune():
            after = snapshot.in_model_tokens(step.tokens_after)
            return replace(trial, pruned=len(step.message_ids), tokens_after=after)
        case None:
            return trial


async def policies_replayed(
    session: Session, before: ContextPolicy, after: ContextPolicy
) -> tuple[Replayed, Replayed, float]:
    """Return what came of the past under each policy, and the seconds that this took. It can be cancelled."""
    began = time.monotonic()
    first = await _replay(session, before)
    second = first if after == before else await _replay(session, after)
    return first, second, time.monotonic() - began


def usage_of(replayed: Replayed) -> Usage:
    """Return what would have been reported for all requests together."""
    return Usage(replayed.tokens_sent, replayed.tokens_replied, cached_tokens=replayed.tokens_cached)


async def _replay(session: Session, policy: ContextPolicy) -> Replayed:
    snapshot, calibration = _snapshot_under(session, policy), session.calibration
    budget = snapshot.model_budget or snapshot.budget

    def play(check: CheckPoint) -> Replayed:
        newest = Replayed()
        past, counts = snapshot.view.path, snapshot.counts
        for replayed in replay(past, policy, budget, counts, time.perf_counter, calibration):
            newest = replayed
            check()
        return newest

    return await run_while_wanted(play)


def _next_step(snapshot: ContextSnapshot) -> Prune | CompactionPlan | None:
    """Return what would be done in the background, after the turn, or else before the next request."""
    return decide(snapshot, Trigger.AFTER_TURN) or decide(snapshot, Trigger.BEFORE_REQUEST)


def _snapshot_under(session: Session, policy: ContextPolicy) -> ContextSnapshot:
    budget = session.budget_under(policy)
    if not budget.window:  # not known: as large as it takes
        return replace(snapshot_of(session), policy=policy)
    return snapshot_under(session, fit_policy(policy, budget), budget)


def _gauge_under(gauge: Gauge, policy: ContextPolicy, budget: Budget) -> Gauge:
    if not gauge.is_window_known:
        return gauge
    fitted = fit_policy(policy, budget)
    status = status_of(budget.share(gauge.total), fitted)
    return replace(gauge, window=budget.window, reserve=budget.reserve, thresholds=fitted.thresholds, status=status)
