"""Compute statistics of conversations, export them as CSV, and replay the record under another policy."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import time
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import WindowTooSmall
from desktop_app.context.counting.breakdown import status_of
from desktop_app.context.fitting import acting_policy, fit_policy
from desktop_app.context.policy import Budget, ContextPolicy, PolicyTrial
from desktop_app.context.record_figures import combine, insights_of
from desktop_app.context.replay import replay
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.insights import REACHED, Insights, Replayed
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.transcript import Chain, Prune, Transcript, Trigger

from .compaction.making_room import decide_step
from .compaction.snapshot import ContextSnapshot, snapshot_of, snapshot_under
from .export_files import write_export
from .ports import Price
from .session import Session
from .tasks import CheckPoint, run_while_wanted

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive

BYTE_ORDER_MARK = "\ufeff"  # some spreadsheets do not recognize UTF-8 without it
_FORMULA = re.compile(r"[\s\x00-\x1f\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]")
"""Beginnings that a spreadsheet may take for a formula: some trim blanks, some accept full-width signs."""
HEADINGS: tuple[str, ...] = (
    "kind", "at", "name", "detail", "tokens_before", "tokens_after", "tokens_freed", "messages", "seconds", "requests",
    "tokens_in", "tokens_cached", "tokens_out", "dollars", "bytes_left_out", "conversations", "files", "bytes",
)  # fmt: skip


def local_day(at: float) -> str:
    """Return the local date of a timestamp, such as 2026-11-22."""
    return date.fromtimestamp(at).isoformat()


async def insights_of_one(session: Session) -> Insights:
    """Return the statistics of an open conversation, with the tokens of all its messages."""
    transcript, counts, share = session.transcript, session.counter.counts, session.counter.gauge().share

    def read(check: CheckPoint) -> Insights:
        for entry in transcript.entries:
            if isinstance(entry, Message):
                check()
                counts.of(entry)  # the slowest part; cached for `insights_of`
        return insights_of(transcript, counts, local_day, share)

    return await run_while_wanted(read)


async def insights_of_all(archive: Archive, project: str = "") -> Insights:
    """Return the combined statistics of all conversations, or of that project's.

    They are read one by one, so that other requests do not wait long.
    """
    insights: list[Insights] = []
    for info in [info for info in await archive.conversations() if project in ("", info.project)]:
        transcript = Transcript(Chain(await archive.entries(info.id)))
        insights.append(await asyncio.to_thread(insights_of, transcript, None, local_day, info.share))
    return combine(insights)


def dollars_saved(insights: Insights, price_of: Callable[[str], Price | None]) -> float | None:
    """Return the dollars that prompt caches have saved, less the cost of writing to them; None if no price is known."""
    priced = [(part.usage, price) for part in insights.usage if (price := price_of(part.model))]
    return sum(_saved(usage, price) for usage, price in priced) if priced else None


def _saved(usage: Usage, price: Price) -> float:
    return price.of(Usage(usage.prompt_tokens, usage.reply_tokens)) - price.of(usage)


async def export_insights(insights: Insights, path: str) -> None:
    """Write the statistics as CSV, a row for each, atomically. Raises WorldError."""
    text = BYTE_ORDER_MARK + csv_of(insights)
    await asyncio.to_thread(write_export, Path(path), text, is_replacing=True)  # the file dialog has asked about that


def csv_of(insights: Insights) -> str:
    """Return one table of replies, operations, days, models and sizes; the first column says which a row is."""
    text = io.StringIO()
    table = csv.DictWriter(text, HEADINGS, lineterminator="\r\n")
    table.writeheader()
    table.writerows({name: _cell(value) for name, value in row.items()} for row in _rows(insights))
    return text.getvalue()


def _rows(insights: Insights) -> Iterable[dict[str, object]]:
    for moment in insights.moments:
        how = "measured" if moment.is_measured else "estimated"
        yield {"kind": "reply", "at": moment.at, "detail": how, "tokens_after": moment.tokens}
    for one in insights.operations:
        state = "undone" if one.is_undone else one.note
        yield {
            "kind": one.kind, "at": one.at, "name": one.trigger.value, "detail": state, "messages": one.messages,
            "tokens_before": one.tokens_before, "tokens_after": one.tokens_after, "tokens_freed": one.freed,
            "seconds": one.seconds,
        }  # fmt: skip
    for day in insights.days:
        figures = {"tokens_freed": day.freed, "messages": day.truncated, "bytes_left_out": day.bytes_left_out}
        yield {"kind": "day", "at": day.day} | figures | _usage_cells(day.usage)
    for part in insights.usage:
        yield {"kind": "model", "name": part.model, "detail": part.purpose} | _usage_cells(part.usage)
    yield {"kind": "size", "name": "average", "tokens_after": insights.average_size or ""}
    for share in REACHED:
        yield {"kind": "reached", "name": f"{share:.0%}", "conversations": insights.reached(share)}
    yield {"kind": "spills", "files": len(insights.spills), "bytes": sum(insights.spills.values())}
    unit = "tokens" if insights.is_counted else "characters"
    for segment, size in insights.recorded.items():
        yield {"kind": "said", "name": segment.value, "detail": unit, "tokens_in": size}


def _usage_cells(usage: Usage) -> dict[str, object]:
    return {
        "requests": usage.requests, "tokens_in": usage.prompt_tokens, "tokens_cached": usage.cached_tokens,
        "tokens_out": usage.reply_tokens, "dollars": "" if usage.dollars is None else usage.dollars,
    }  # fmt: skip


def _cell(value: object) -> object:
    """Return the value of a cell. A text that a spreadsheet may take for a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


async def try_policy(session: Session, policy: ContextPolicy, is_automatic: bool) -> PolicyTrial:
    """Return what the policy would do after the turn. is_automatic: whether the settings allow automatic operations."""
    budget = session.counter.budget_under(policy)
    gauge = session.counter.gauge()
    trial = PolicyTrial(gauge, _gauge_under(gauge, policy, budget), acting_policy(policy, budget))
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
    """Replay the record under both policies. Return the results, and the seconds that this took. Can be cancelled."""
    began = time.monotonic()
    first = await _replay(session, before)
    second = first if after == before else await _replay(session, after)
    return first, second, time.monotonic() - began


def usage_of(replayed: Replayed) -> Usage:
    """Return the usage that would have been reported for all requests together."""
    return Usage(replayed.tokens_sent, replayed.tokens_replied, cached_tokens=replayed.tokens_cached)


async def _replay(session: Session, policy: ContextPolicy) -> Replayed:
    snapshot, calibration = _snapshot_under(session, policy), session.counter.calibration
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
    """Return the step that would be taken after the turn, otherwise the one before the next request."""
    return decide_step(snapshot, Trigger.AFTER_TURN) or decide_step(snapshot, Trigger.BEFORE_REQUEST)


def _snapshot_under(session: Session, policy: ContextPolicy) -> ContextSnapshot:
    budget = session.counter.budget_under(policy)
    if not budget.window:  # unknown: assume one that is large enough
        return replace(snapshot_of(session.counter), policy=policy)
    return snapshot_under(session.counter, fit_policy(policy, budget), budget)


def _gauge_under(gauge: Gauge, policy: ContextPolicy, budget: Budget) -> Gauge:
    if not gauge.is_window_known:
        return gauge
    thresholds = budget.thresholds(fit_policy(policy, budget))
    status = status_of(budget.share(gauge.total), thresholds)
    sizes = {"window": budget.window, "reserve": budget.reserve, "spare": budget.spare}
    return replace(gauge, **sizes, thresholds=thresholds, status=status)
