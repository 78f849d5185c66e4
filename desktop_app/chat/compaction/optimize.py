"""**Optimize conversation**: make a plan, show it, and apply exactly what was shown; the user can undo it.

plan_optimization(counter, tail_tokens, strategy)          -> Optimization  a plan; nothing is recorded
write_summary(optimization, request, report)               -> Optimization  with a summary by a model
check_summary(optimization, page)                          -> Optimization  with the edited summary, measured again
apply_optimization(session, services, optimization, emit)  -> events        records the steps

A plan for a fresh start (`chat/compaction/fresh_start.py`) has the same parts, but leaves this conversation unchanged.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import Emit, WorldError
from desktop_app.chat.request_counter import RequestCounter
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.tasks import CheckPoint, run_while_wanted
from desktop_app.chat.turn_services import Services
from desktop_app.context.compact.compaction import (
    MIN_TAIL_SHARE,
    CompactionPlan,
    compaction_of,
    measure_blocks,
    plan_compaction,
)
from desktop_app.context.compact.room_decision import shorten_what_stays
from desktop_app.context.counting.breakdown import add_tokens, request_tokens
from desktop_app.context.prune.strategies import plan_prune
from desktop_app.context.prune.unanswered import join_prunes
from desktop_app.context.summary.model_summary import compact_to_last_messages, plan_last_messages
from desktop_app.context.view.view import View, view_of, with_entries
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.transcript import Compaction, Operation, Prune, Trigger
from desktop_app.conversation.words import translatable

from .fresh_plan import fresh_view, plan_everything, without_tail
from .making_room import with_spills
from .snapshot import ContextSnapshot, is_there, snapshot_of, with_measured_tokens
from .summarize import RecordUsage, Report, SummaryRequest, write_compaction

NO_RESULTS = translatable("There are no old tool results to shorten.")
NOTHING = translatable("There is nothing to optimize right now: all messages are recent enough to stay unchanged.")


class Optimization(msgspec.Struct, frozen=True):
    """A plan for the record at the time of its snapshot."""

    id: str
    snapshot: ContextSnapshot
    steps: tuple[Operation, ...]
    """The operations to record, in order; complete except for ids and times."""
    views: tuple[View, ...]
    """The view before the steps and after each; if the summary is not written yet, the last view has an empty one."""
    compaction_plan: CompactionPlan | None
    tail_tokens: int
    """The value of the tail slider, between `min_tail` and `max_tail`."""
    min_tail: int
    max_tail: int
    tail_kept: int
    """Tokens that the tail actually takes, at most `tail_tokens`."""
    note: str = ""
    """Why the plan frees nothing, or why the summary was written differently than requested; "" if neither."""
    strategy: str = "extractive"
    is_written: bool = True
    """False until the model has written the summary; `steps` lacks it until then."""
    is_fresh: bool = False
    """Whether the summary begins a new conversation, and this one stays unchanged."""

    @property
    def is_useful(self) -> bool:
        """Whether the plan does anything."""
        return bool(self.steps) or not self.is_written or self.is_fresh

    @property
    def prune(self) -> Prune | None:
        """The step that needs no summary, if there is one."""
        return next((step for step in self.steps if isinstance(step, Prune)), None)

    @property
    def compaction(self) -> Compaction | None:
        """The step that archives messages, if there is one."""
        return next((step for step in self.steps if isinstance(step, Compaction)), None)

    @property
    def without_compaction(self) -> Optimization:
        """The same plan with only its prune."""
        free = tuple(step for step in self.steps if isinstance(step, Prune))
        views = self.views[: len(free) + 1]
        return replace(self, steps=free, views=views, compaction_plan=None, note="", is_written=True)

    @property
    def before_summary(self) -> ContextSnapshot:
        """The snapshot that the summary is written from: the record after the prune."""
        free = self.without_compaction
        transcript = with_entries(self.snapshot.transcript, *free.steps)
        return replace(self.snapshot, transcript=transcript, view=free.views[-1])

    @property
    def unwritten(self) -> tuple[ContextSnapshot, CompactionPlan] | None:
        """The snapshot and plan for a summary that a model has yet to write; None if there is none to write."""
        plan = self.compaction_plan
        return None if plan is None or self.is_written else (self.before_summary, plan)


async def plan_optimization(
    counter: RequestCounter,
    tail_tokens: int | None,
    strategy: str = "extractive",
    is_fresh: bool = False,
    earlier: Iterable[Optimization] = (),
) -> Optimization:
    """Plan on a worker thread for the counter's current record. The other parameters are those for `plan_optimize`.

    is_fresh: plan a fresh start instead, which keeps no tail. earlier: plans to reuse if their view is the same.
    """
    snapshot = snapshot_of(counter)
    before = next((plan for plan in earlier if not plan.is_fresh and plan.snapshot.has_same_view(snapshot)), None)

    def plan(check: CheckPoint) -> Optimization:
        checked = replace(snapshot, reading=counter.reading.checked(check))
        if is_fresh:
            return plan_fresh_start(checked, strategy)
        return plan_optimize(checked, tail_tokens, strategy, before)

    planned = await run_while_wanted(plan)
    return replace(planned, snapshot=replace(planned.snapshot, reading=snapshot.reading))


def plan_fresh_start(snapshot: ContextSnapshot, strategy: str = "extractive") -> Optimization:
    """Return the plan for a fresh start; nothing is recorded. strategy: "llm", or any other for no model."""
    snapshot = without_tail(snapshot)
    plan, strategy = plan_everything(snapshot), "llm" if strategy == "llm" else "extractive"
    views = (snapshot.view, fresh_view(snapshot, None))
    optimization = Optimization(
        uuid.uuid4().hex, snapshot, (), views, plan, 0, 0, 0, 0, strategy=strategy, is_fresh=True
    )
    return optimization if plan is None else _with_plan(optimization, plan)


def plan_optimize(
    snapshot: ContextSnapshot,
    tail_tokens: int | None = None,
    strategy: str = "extractive",
    before: Optimization | None = None,
) -> Optimization:
    """Return the plan for the user's "Optimize"; nothing is recorded.

    tail_tokens: None for the policy's tail or, if that archives nothing, half of the longest tail. strategy: with
    "llm", the summary is not written yet, and everything else is final; with "none", results are shortened, and no
    message is archived. before: an earlier plan for the same view, whose prune and slider range are reused.
    """
    free = replace(before.without_compaction, snapshot=snapshot) if before else _plan_free_steps(snapshot)
    view, least, most = free.views[-1], free.min_tail, free.max_tail
    plan = None if strategy == "none" else _plan_compaction(snapshot, view, tail_tokens, strategy)
    if plan is None and tail_tokens is None and strategy != "none":  # nothing is due, but the user asked for it
        plan = _plan_compaction(snapshot, view, max(most // 2, least), strategy)
    kept = plan.tail if plan else most
    tail = min(max(kept if tail_tokens is None else tail_tokens, least), most)
    optimization = replace(
        free, id=uuid.uuid4().hex, compaction_plan=plan, tail_tokens=tail, tail_kept=kept, strategy=strategy
    )
    if plan is not None:
        optimization = _with_plan(optimization, plan)
    if optimization.is_useful:
        return optimization
    return replace(optimization, note=NO_RESULTS if strategy == "none" else NOTHING)


def _plan_free_steps(snapshot: ContextSnapshot) -> Optimization:
    """Return a plan with only the prune, and with the range of the tail slider."""
    total = request_tokens(snapshot.view, snapshot.counts)
    prune = plan_prune(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts, total, Trigger.USER)
    steps, views = _with_prune(snapshot, (), [snapshot.view], prune)
    steps, views = _with_prune(snapshot, steps, views, _shorten_what_stays(snapshot, views[-1]))
    least, most = _tail_range(snapshot, views[-1])
    return Optimization("", snapshot, steps, tuple(views), None, least, least, most, least)


def _with_prune(
    snapshot: ContextSnapshot, steps: tuple[Prune, ...], views: list[View], more: Prune | None
) -> tuple[tuple[Prune, ...], list[View]]:
    """Return the prunes joined into one step, and the views before and after it."""
    if more is None:
        return steps, views
    step = replace(join_prunes(steps[0], more) if steps else more, id="draft-prune")
    return (step,), [snapshot.view, view_of(with_entries(snapshot.transcript, step))]


def _shorten_what_stays(snapshot: ContextSnapshot, view: View) -> Prune | None:
    """Return a prune of unanswered results if they would not fit even after everything else is archived."""
    policy, budget, counts = snapshot.policy, snapshot.budget, snapshot.counts
    total, room = request_tokens(view, counts), measure_blocks(view, counts)
    return shorten_what_stays(view, room, policy, budget, counts, total, Trigger.USER, budget.blocked_tokens(policy))


def _plan_compaction(
    snapshot: ContextSnapshot, view: View, tail_tokens: int | None, strategy: str
) -> CompactionPlan | None:
    policy, budget, counts = snapshot.policy, snapshot.budget, snapshot.counts
    total = request_tokens(view, counts)
    if strategy == "last_messages":
        return plan_last_messages(view, policy, budget, counts, total, Trigger.USER)
    return plan_compaction(view, policy, budget, counts, total, Trigger.USER, tail_tokens)


def _with_plan(optimization: Optimization, plan: CompactionPlan) -> Optimization:
    """Return the optimization with its summary; if a model has yet to write it, with a view that has an empty one."""
    snapshot = optimization.before_summary
    if optimization.strategy == "llm":
        blank = Compaction(id="blank", trigger=Trigger.USER, strategy="llm", archived=plan.archived, summary="")
        if optimization.is_fresh:
            views = (snapshot.view, fresh_view(snapshot, blank))
        else:
            views = (*optimization.views, view_of(with_entries(snapshot.transcript, blank)))
        return replace(optimization, views=views, is_written=False)
    make = compact_to_last_messages if optimization.strategy == "last_messages" else compaction_of
    compaction = make(plan, snapshot.transcript, snapshot.view, snapshot.counts, reading=snapshot.reading)
    return optimization if compaction is None else _with_compaction(optimization, compaction)


def _with_compaction(optimization: Optimization, compaction: Compaction) -> Optimization:
    """Return a new optimization with the compaction after the prune."""
    if optimization.is_fresh:
        return _with_fresh_summary(optimization, compaction)
    free = optimization.without_compaction
    steps = (*free.steps, replace(compaction, id="draft-compaction"))
    views = (*free.views, view_of(with_entries(optimization.snapshot.transcript, *steps)))
    return replace(optimization, id=uuid.uuid4().hex, steps=steps, views=views, is_written=True, note=compaction.note)


def _with_fresh_summary(optimization: Optimization, compaction: Compaction) -> Optimization:
    """Return a new optimization whose summary begins another conversation."""
    snapshot = optimization.snapshot
    after = fresh_view(snapshot, compaction)
    before, left = request_tokens(snapshot.view, snapshot.counts), request_tokens(after, snapshot.counts)
    step = replace(compaction, id="draft-compaction", tokens_before=before, tokens_after=left)
    return replace(
        optimization,
        id=uuid.uuid4().hex,
        steps=(step,),
        views=(snapshot.view, after),
        is_written=True,
        note=compaction.note,
    )


def _tail_range(snapshot: ContextSnapshot, view: View) -> tuple[int, int]:
    """Return the ends of the tail slider in tokens; a longer tail than the maximum would keep no more messages."""
    least = round(snapshot.budget.usable * MIN_TAIL_SHARE)
    total = sum(measure_blocks(view, snapshot.counts).tokens)
    longest = _plan_compaction(snapshot, view, min(total, snapshot.budget.usable), "extractive")
    return least, max(longest.tail if longest else total, least + 1)


def planned_gauges(optimization: Optimization, counter: RequestCounter) -> tuple[Gauge, Gauge]:
    """Return the gauges before and after the plan, measured on assembled requests.

    A summary that is not written yet counts as the tokens reserved for it.
    """
    before, after = optimization.views[0], optimization.views[-1]
    gauge_before = counter.gauge() if before is counter.view else counter.gauge_of(before)
    gauge_after = counter.gauge_of(after) if after is not before else gauge_before
    if not optimization.is_written and optimization.compaction_plan:
        room = counter.provider_tokens(optimization.compaction_plan.summary_room)
        gauge_after = add_tokens(gauge_after, Segment.SUMMARY, room)
    return gauge_before, gauge_after


async def write_summary(
    optimization: Optimization,
    request: SummaryRequest,
    report: Report = lambda progress: None,
    record_usage: RecordUsage | None = None,
) -> Optimization:
    """Return the plan with a summary by the request's model, or by rules if the model's cannot be used.

    record_usage: as for `write_compaction`; the usage is recorded even if the plan is never applied.
    """
    plan = optimization.compaction_plan
    if plan is None:
        return optimization
    if optimization.is_fresh:  # a provider may refuse another conversation's
        request = replace(request, provider_form="")
    compaction = await write_compaction(optimization.before_summary, plan, request, report, record_usage)
    if compaction is not None:
        return _with_compaction(optimization, compaction)
    return replace(
        optimization, id=uuid.uuid4().hex, note=translatable("No summary would be shorter than what it replaces.")
    )


def with_summary(optimization: Optimization, page: str) -> Optimization | None:
    """Return the optimization with the summary that the user edited; None if that would free nothing."""
    plan, before = optimization.compaction_plan, optimization.compaction
    if plan is None or before is None or page.strip() == before.summary.strip():
        return optimization
    snapshot = optimization.before_summary
    plan = replace(plan, archived=before.archived)  # the messages that the model asked to keep are not in there
    reading = snapshot.reading
    compaction = compaction_of(
        plan, snapshot.transcript, snapshot.view, snapshot.counts, page, model=before.model, reading=reading
    )
    if compaction is None:
        return None
    paid = replace(
        compaction,
        usage=before.usage,
        is_usage_recorded=before.is_usage_recorded,
        seconds=before.seconds,
        note=before.note,
    )
    return _with_compaction(optimization, paid)


async def check_summary(optimization: Optimization, page: str) -> Optimization:
    """Return the plan with the edited summary, measured again. Raises WorldError if it would free nothing."""
    changed = await asyncio.to_thread(with_summary, optimization, page)
    if changed is None:
        kept = translatable("Your text is still in the editor, and nothing was changed.")
        advice = translatable("Shorten it, or take the summary that was proposed.")
        raise WorldError(
            Failure("bad_input", translatable("This summary is longer than what it replaces"), "", kept, advice)
        )
    return changed


async def apply_optimization(
    session: Session, services: Services, optimization: Optimization, emit: Emit
) -> list[TurnEvent]:
    """Save memories and emit their events, then record the plan's steps in one transaction. Return the other events.

    The steps are applied as planned; their figures are measured again, and a step that frees nothing is left out.
    Raises WorldError, and records no step, if messages of the plan have left the view in the meantime.
    """
    if services.memory is not None and optimization.compaction is not None:
        for event in await services.memory.flush(session, Trigger.USER):  # saved even if the plan turns out to be stale
            emit(event)
    planned = [await with_spills(s, session, services) if isinstance(s, Prune) else s for s in optimization.steps]
    optimization = replace(optimization, steps=tuple(planned))
    async with session.changes:
        steps = _measured_steps(session, optimization)
        if not steps:
            return []
        noted = (services.summaries.note_replaced_model(session, step) for step in steps)
        return [await session.record_operation(*noted, cause=Trigger.USER), session.gauge_changed()]


def _measured_steps(session: Session, optimization: Optimization) -> list[Operation]:
    transcript, view, steps = session.transcript, session.view, list[Operation]()
    plan_id = optimization.id if len(optimization.steps) > 1 else ""
    for step in optimization.steps:
        current = with_measured_tokens(session.counter, replace(step, id=""), transcript, view)
        if not is_there(step, view):
            raise stale_plan()
        if current is None:
            continue
        steps.append(stamp(replace(current, plan_id=plan_id)))
        transcript = with_entries(transcript, steps[-1])
        view = view_of(transcript)
    return steps


def stale_plan() -> WorldError:
    """Return the error for a plan that was made on another view."""
    advice = translatable("Open Optimize conversation again for a new plan.")
    title = translatable("The conversation has changed since this plan was made")
    return WorldError(Failure("stale", title, kept=translatable("Nothing was changed."), advice=advice))
