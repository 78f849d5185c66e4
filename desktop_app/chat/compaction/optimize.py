"""**Optimize conversation**: a plan is made and shown, then applied as it was shown, then undoable.

plan_optimization(counter, tail_tokens, strategy)          -> Optimization  what would happen; nothing is recorded
write_summary(optimization, request, report)               -> Optimization  with the summary that a model wrote
check_summary(optimization, page)                          -> Optimization  with an edited summary, checked again
apply_optimization(session, services, optimization, emit)  -> events        its steps are recorded

A plan for a fresh start (`chat/compaction/fresh_start.py`) has the same parts, and does nothing to this conversation.
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
    """A plan for the record as it was when the plan was made."""

    id: str
    snapshot: ContextSnapshot
    steps: tuple[Operation, ...]
    """What would be recorded, in order; complete but for ids and times."""
    views: tuple[View, ...]
    """The view before the steps and after each; last the one with an empty summary, if that is not written yet."""
    compaction_plan: CompactionPlan | None
    tail_tokens: int
    """The value of the tail slider, between `min_tail` and `max_tail`."""
    min_tail: int
    max_tail: int
    tail_kept: int
    """Tokens that the tail really takes, at most the slider's."""
    note: str = ""
    """Why there is nothing to gain, or why the summary is not the one that was asked for."""
    strategy: str = "extractive"
    is_written: bool = True
    """False while a model has not written the summary, which then is not among the steps."""
    is_fresh: bool = False
    """Whether another conversation begins with the summary, and nothing is done to this one."""

    @property
    def is_useful(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.steps) or not self.is_written or self.is_fresh

    @property
    def prune(self) -> Prune | None:
        """The step that costs nothing, if there is one."""
        return next((step for step in self.steps if isinstance(step, Prune)), None)

    @property
    def compaction(self) -> Compaction | None:
        """The step that archives, if there is one."""
        return next((step for step in self.steps if isinstance(step, Compaction)), None)

    @property
    def without_compaction(self) -> Optimization:
        """The same plan with only the steps that cost nothing."""
        free = tuple(step for step in self.steps if isinstance(step, Prune))
        views = self.views[: len(free) + 1]
        return replace(self, steps=free, views=views, compaction_plan=None, note="", is_written=True)

    @property
    def before_summary(self) -> ContextSnapshot:
        """What the summary is made from: the record after the free steps."""
        free = self.without_compaction
        transcript = with_entries(self.snapshot.transcript, *free.steps)
        return replace(self.snapshot, transcript=transcript, view=free.views[-1])

    @property
    def unwritten(self) -> tuple[ContextSnapshot, CompactionPlan] | None:
        """What a model would write the summary from; None if there is none to write."""
        plan = self.compaction_plan
        return None if plan is None or self.is_written else (self.before_summary, plan)


async def plan_optimization(
    counter: RequestCounter,
    tail_tokens: int | None,
    strategy: str = "extractive",
    is_fresh: bool = False,
    earlier: Iterable[Optimization] = (),
) -> Optimization:
    """Return the plan for the counter's record, made on a worker thread; other parameters as in `plan_optimize`.

    is_fresh: the plan for a fresh start instead, which leaves no tail. earlier: plans that may be of the same view.
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
    """Return what a fresh start would begin with; nothing is recorded. strategy: "llm", or without a model."""
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
    """Return what the user's "Optimize" would do; nothing is recorded.

    tail_tokens None: as the policy says; half of what is there, where that is less. strategy "llm": the summary is not
    written yet, everything else is final; "none": results are shortened, and no message is archived. before: an
    earlier plan for the same view, of which everything but the compaction is taken over.
    """
    free = replace(before.without_compaction, snapshot=snapshot) if before else _plan_free_steps(snapshot)
    view, least, most = free.views[-1], free.min_tail, free.max_tail
    plan = None if strategy == "none" else _plan_compaction(snapshot, view, tail_tokens, strategy)
    if plan is None and tail_tokens is None and strategy != "none":  # there is room as it is, but the user wants more
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
    """Return the plan of the steps that cost nothing, with the range of the tail slider."""
    total = request_tokens(snapshot.view, snapshot.counts)
    prune = plan_prune(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts, total, Trigger.USER)
    steps, views = _with_prune(snapshot, (), [snapshot.view], prune)
    steps, views = _with_prune(snapshot, steps, views, _shorten_what_stays(snapshot, views[-1]))
    least, most = _tail_range(snapshot, views[-1])
    return Optimization("", snapshot, steps, tuple(views), None, least, least, most, least)


def _with_prune(
    snapshot: ContextSnapshot, steps: tuple[Prune, ...], views: list[View], more: Prune | None
) -> tuple[tuple[Prune, ...], list[View]]:
    """Return the steps that cost nothing, as one, and the views before and after them."""
    if more is None:
        return steps, views
    step = replace(join_prunes(steps[0], more) if steps else more, id="draft-prune")
    return (step,), [snapshot.view, view_of(with_entries(snapshot.transcript, step))]


def _shorten_what_stays(snapshot: ContextSnapshot, view: View) -> Prune | None:
    """Return the prune of results that no reply has followed, if these would not fit whatever else leaves."""
    policy, budget, counts = snapshot.policy, snapshot.budget, snapshot.counts
    total, room = request_tokens(view, counts), measure_blocks(view, counts)
    return shorten_what_stays(view, room, policy, budget, counts, total, Trigger.USER, policy.blocked_at)


def _plan_compaction(
    snapshot: ContextSnapshot, view: View, tail_tokens: int | None, strategy: str
) -> CompactionPlan | None:
    policy, budget, counts = snapshot.policy, snapshot.budget, snapshot.counts
    total = request_tokens(view, counts)
    if strategy == "last_messages":
        return plan_last_messages(view, policy, budget, counts, total, Trigger.USER)
    return plan_compaction(view, policy, budget, counts, total, Trigger.USER, tail_tokens)


def _with_plan(optimization: Optimization, plan: CompactionPlan) -> Optimization:
    """Return the optimization with its summary, or with an empty one if a model is still to write it."""
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
    """Return a new optimization with that compaction after the free steps."""
    if optimization.is_fresh:
        return _with_fresh_summary(optimization, compaction)
    free = optimization.without_compaction
    steps = (*free.steps, replace(compaction, id="draft-compaction"))
    views = (*free.views, view_of(with_entries(optimization.snapshot.transcript, *steps)))
    return replace(optimization, id=uuid.uuid4().hex, steps=steps, views=views, is_written=True, note=compaction.note)


def _with_fresh_summary(optimization: Optimization, compaction: Compaction) -> Optimization:
    """Return a new optimization with that summary, which begins another conversation."""
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
    """Return the ends of the tail slider in tokens: beyond the second one nothing more would be kept."""
    least = round(snapshot.budget.usable * MIN_TAIL_SHARE)
    total = sum(measure_blocks(view, snapshot.counts).tokens)
    longest = _plan_compaction(snapshot, view, min(total, snapshot.budget.usable), "extractive")
    return least, max(longest.tail if longest else total, least + 1)


def planned_gauges(optimization: Optimization, counter: RequestCounter) -> tuple[Gauge, Gauge]:
    """Return the gauges before and after, measured on assembled requests; a summary that is not written yet counts as
    the room that is kept for it."""
    before, after = optimization.views[0], optimization.views[-1]
    gauge_before = counter.gauge() if before is counter.view else counter.gauge_of(before)
    gauge_after = counter.gauge_of(after) if after is not before else gauge_before
    if not optimization.is_written and optimization.compaction_plan:
        room = counter.provider_tokens(optimization.compaction_plan.summary_room)
        gauge_after = add_tokens(gauge_after, Segment.SUMMARY, room, counter.policy)
    return gauge_before, gauge_after


async def write_summary(
    optimization: Optimization,
    request: SummaryRequest,
    report: Report = lambda progress: None,
    record_usage: RecordUsage | None = None,
) -> Optimization:
    """Return the plan with the summary that the request's model wrote, or with what took its place.

    record_usage: as in `write_compaction`; what a summary took counts even if the plan is never applied.
    """
    plan = optimization.compaction_plan
    if plan is None:
        return optimization
    compaction = await write_compaction(optimization.before_summary, plan, request, report, record_usage)
    if compaction is not None:
        return _with_compaction(optimization, compaction)
    return replace(
        optimization, id=uuid.uuid4().hex, note=translatable("No summary would be shorter than what it replaces.")
    )


def with_summary(optimization: Optimization, page: str) -> Optimization | None:
    """Return the optimization with the summary that the user edited; None if it would no longer free anything."""
    plan, before = optimization.compaction_plan, optimization.compaction
    if plan is None or before is None or page.strip() == before.summary.strip():
        return optimization
    snapshot = optimization.before_summary
    plan = replace(plan, archived=before.archived)  # without what a model asked to keep
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
    """Return the plan with the edited summary, measured and checked again. Raises WorldError if it frees nothing."""
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
    """Save memories, which is published at once, then record the plan's steps in one transaction. What was planned is
    what is done; the figures are measured again, and a step that frees nothing is left out. Return what changed.

    Raises WorldError, and records nothing, when messages of the plan have left the view in the meantime.
    """
    if services.memory is not None and optimization.compaction is not None:
        for event in await services.memory.flush(session, Trigger.USER):  # it holds also if the plan does not
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
