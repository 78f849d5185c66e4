"""Make room in an open conversation: decide each step on a worker thread, and record it as an entry."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable

from desktop_app.chat.operation_log import log_compaction_begins
from desktop_app.chat.ports import Emit, WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.turn_services import Services
from desktop_app.context.compact.compaction import MIN_SUMMARY, CompactionPlan, measure_blocks
from desktop_app.context.compact.room_decision import WindowTooSmall, due_shares, is_stalled, next_step
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.prune.unanswered import drop_results as dropped_results
from desktop_app.context.prune.unanswered import texts_to_keep, without_spills
from desktop_app.conversation.events import Failure, RoomEnded, RoomProgressed, RoomRefused, RoomStarted, TurnFailed
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Compaction,
    FailedCompaction,
    FailureCause,
    Operation,
    Prune,
    Trigger,
    Undo,
)
from desktop_app.conversation.words import format_number, translatable

from .snapshot import ContextSnapshot, is_there, snapshot_of, with_measured_tokens
from .summarize import Progress, SummaryRequest, write_compaction

STALLED = translatable(
    "Automatic summaries are paused: the last two freed less than 10 %. Unpin messages, choose a model with a larger "
    "window, or optimize and keep fewer of the newest messages."
)
OPTIMIZE = translatable("Optimize the conversation, or choose a model with a larger window.")
OFTEN = translatable(
    "Room was made several times in this turn, and its results fill the window again. Optimize to go on, or ask for "
    "less at once."
)
MAX_STEPS = 8
"""A prune and a compaction should be enough; the limit guards against a bug in the decision."""


LASTING = 10
"""Replies that must succeed without another try before all tries are given back."""
BACKGROUND = (Trigger.AFTER_TURN, Trigger.IDLE)
UNLIMITED = (Trigger.USER, *BACKGROUND)
"""Triggers outside a turn, to which the limit on tries does not apply."""


class RoomTries:
    """Counts how often one turn has made room, for any trigger; the policy limits the count (S2).

    A prune and the compaction after it are one try. Ten replies without another try reset the count, so that a long
    turn that makes progress is not stopped.
    """

    def __init__(self) -> None:
        self.count = 0
        self._replies = 0

    def may_try(self, policy: ContextPolicy) -> bool:
        """Return whether the policy allows another try."""
        return self.count < policy.tool_result_tries

    def note_try(self) -> None:
        """Count a try."""
        self.count += 1
        self._replies = 0

    def note_reply(self) -> None:
        """Count a reply since the last try; enough of them reset the tries."""
        self._replies += 1
        if self._replies >= LASTING:
            self.reset()

    def reset(self) -> None:
        """Forget all tries."""
        self.count = self._replies = 0


def decide_step(snapshot: ContextSnapshot, trigger: Trigger) -> Prune | CompactionPlan | None:
    """Return the next step, or None. Fast. Raises WindowTooSmall, with its numbers in the model's own tokens."""
    budget, seconds = snapshot.model_budget or snapshot.budget, snapshot.seconds_since_request
    return next_step(snapshot.view, snapshot.policy, budget, snapshot.counts, trigger, seconds, snapshot.total)


async def make_room(
    session: Session, services: Services, trigger: Trigger, emit: Emit, tries: RoomTries | None = None
) -> bool:
    """Make room until no step is due. Return whether the view has changed.

    tries: the turn's tries so far. Once they are used up, no step is taken, and only a request that does not fit is
    refused. Messages that arrive in the meantime are kept: a step is recorded only if every message that it touches is
    still in the view (K10). Cancelling records no unfinished step. Without a known window, no room is made.
    Raises ArchiveError, and WindowTooSmall, unless the turn's first request should be sent all the same.
    """
    if not session.counter.budget.window:
        return False
    work = _RoomMaking(session, services, trigger, emit, tries or RoomTries())
    try:
        await work.run()
    except WindowTooSmall as error:
        work.has_failed = True
        await work.note_failure("too_small", needed=error.needed)
        if trigger is not Trigger.BEFORE_REQUEST or not session.counter.learned.is_named:
            raise
    except WorldError:
        raise  # a disk error: the failure could not be stored either
    except Exception as error:
        work.has_failed = True
        await work.note_failure("error", type(error).__name__)
        raise
    finally:
        work.end()
    return work.has_changed


class _RoomMaking:
    """One call of `make_room`."""

    def __init__(self, session: Session, services: Services, trigger: Trigger, emit: Emit, tries: RoomTries) -> None:
        self._session = session
        self._services = services
        self._trigger = trigger
        self._emit = emit
        self._tries = tries
        self._is_announced = self._is_for_memory = False
        self._began = time.monotonic()
        # Whether the newest step would free nothing, and whether messages that it shortens have left the view.
        self._frees_nothing = self._is_outdated = False
        self.has_changed = self.has_failed = False

    async def run(self) -> None:
        session, trigger, memory = self._session, self._trigger, self._services.memory
        if trigger is Trigger.STREAMING:
            self._announce()  # the reader has seen the reply stop
        if trigger not in UNLIMITED and not self._tries.may_try(session.counter.policy):
            refuse_what_does_not_fit(session, OFTEN)
            return
        if memory is not None and memory.is_due(session, trigger) and await self._is_worth_a_flush():
            self._announce(is_for_memory=True)  # it may ask a model, which can take long
            for event in await memory.flush(session, trigger):
                self._emit(event)
        is_counted = False
        for _ in range(MAX_STEPS):
            if not session.counter.is_room_due(trigger):
                return
            snapshot = snapshot_of(session.counter)
            step = await asyncio.to_thread(decide_step, snapshot, trigger)
            if isinstance(step, CompactionPlan) and await self._wait_for_another():
                continue  # the other compaction has changed what is due
            if step is not None and not is_counted:
                self._tries.note_try()
                is_counted = True
            self._is_outdated = False
            if not await self._carry_out(snapshot, step) and not self._is_outdated:
                self.has_failed = step is not None and self._is_missed()
                refuse_what_does_not_fit(session)
                if is_stalled(session.view):
                    await self.note_failure("stalled")
                    self._emit(RoomRefused(session.id, STALLED))
                elif self._frees_nothing:
                    await self.note_failure("frees_nothing")
                return
        refuse_what_does_not_fit(session)

    async def _is_worth_a_flush(self) -> bool:
        """Return whether the messages that can be archived take at least as many tokens as the shortest summary.

        On the user's request, room must also be due, since nothing is archived otherwise.
        """
        counter, trigger = self._session.counter, self._trigger
        if trigger is Trigger.USER and not counter.is_room_due(trigger):
            return False
        blocks = await asyncio.to_thread(measure_blocks, counter.view, counter.counts)
        return blocks.tail_tokens(0) >= MIN_SUMMARY

    def _is_missed(self) -> bool:
        """Return whether room is still due after a step was not recorded: something else may have made some.

        Room that is made in the background after a turn is only needed once it is due before a request.
        """
        is_early = self._trigger in BACKGROUND
        return self._session.counter.is_room_due(Trigger.BEFORE_REQUEST if is_early else self._trigger)

    async def note_failure(self, cause: FailureCause, detail: str = "", needed: int = 0) -> None:
        """Record and publish that no room was made, unless the record already reports this cause."""
        session, seconds = self._session, time.monotonic() - self._began
        if is_known_failure(session.transcript.entries, cause):
            return
        failed = FailedCompaction(
            trigger=self._trigger,
            cause=cause,
            detail=detail,
            tokens=session.counter.gauge().total,
            needed=needed,
            usable=session.counter.budget.usable,
            seconds=seconds,
        )
        with contextlib.suppress(WorldError):  # the caller reports the failure without it
            self._emit(await session.record_operation(stamp(failed), cause=self._trigger))

    def end(self) -> None:
        """Publish RoomEnded if RoomStarted was published."""
        if self._is_announced:
            self._emit(RoomEnded(self._session.id, self.has_failed and not self.has_changed))

    def _announce(self, is_for_memory: bool = False) -> None:
        """Publish RoomStarted, at most twice: before memories are saved, and before a summary is written."""
        if not self._is_announced or (self._is_for_memory and not is_for_memory):
            self._is_announced, self._is_for_memory = True, is_for_memory
            self._emit(RoomStarted(self._session.id, self._trigger, is_for_memory))

    async def _wait_for_another(self) -> bool:
        """Wait for another compaction of the conversation to end. Return whether one was running."""
        lock = self._services.summaries.lock(self._session.id)
        if not lock.locked():
            return False
        async with lock:
            return True

    async def _carry_out(self, snapshot: ContextSnapshot, step: Prune | CompactionPlan | None) -> bool:
        """Carry out the step, and record its result. Return whether the view has changed."""
        summaries = self._services.summaries
        if isinstance(step, Prune):
            prune, upkeep = await summaries.digest(self._session, snapshot, step)
            return await self._record(await with_spills(prune, self._session, self._services), upkeep)
        if step is None:
            return False
        async with summaries.lock(self._session.id):
            self._announce()
            request = await self._services.summary_request(self._session, self._trigger)
            if self._trigger is Trigger.IDLE and request.note:
                return False  # summaries by a model are paused
            self._log_begin(step, request)
            compaction = await write_compaction(snapshot, step, request, self._tell_progress, self._record_usage)
            if self._trigger is Trigger.IDLE and (compaction is None or _is_fallback(compaction, request)):
                return False  # no model wrote it, and there is room: the conversation may stay as it is
            self._frees_nothing = compaction is None
            return compaction is not None and await self._record(compaction)

    def _log_begin(self, plan: CompactionPlan, request: SummaryRequest) -> None:
        counter, trigger = self._session.counter, self._trigger
        due_at = 0.0 if trigger is Trigger.USER else due_shares(trigger, counter.policy, counter.budget).compact_at
        total, usable = counter.gauge().total, counter.budget.usable
        log_compaction_begins(self._session.id, trigger, total, usable, due_at, f"{request}")

    def _tell_progress(self, progress: Progress) -> None:
        self._emit(RoomProgressed(self._session.id, progress.tokens, progress.max_tokens))

    async def _record_usage(self, usage: AuxiliaryUsage) -> None:
        self._emit(await self._session.record_operation(stamp(usage)))

    async def _record(self, step: Operation, upkeep: AuxiliaryUsage | None = None) -> bool:
        """Record the step, unless a message that it touches has left the view or it frees nothing. Return whether.

        upkeep: the usage of its side request, which is recorded in either case.
        """
        session, paid = self._session, () if upkeep is None else (stamp(upkeep),)
        async with session.changes:
            current = with_measured_tokens(session.counter, step, session.transcript, session.view)
            if current is None:
                is_gone = not is_there(step, session.view)
                self._is_outdated = is_gone and isinstance(step, Prune)
                self._frees_nothing = not is_gone and isinstance(step, Compaction)
                if paid:
                    await session.record(*paid)
                return False
            noted = self._services.summaries.note_replaced_model(session, stamp(current))
            changed = await session.record_operation(*paid, noted, cause=self._trigger)
        self.has_changed = True
        self._emit(changed)
        self._emit(session.gauge_changed())
        return True


def _is_fallback(compaction: Compaction, request: SummaryRequest) -> bool:
    """Return whether code has written the summary in place of a model."""
    return request.strategy == "llm" and compaction.strategy in ("extractive", "last_messages")


def is_known_failure(entries: Iterable[AnyEntry], cause: FailureCause) -> bool:
    """Return whether the record already reports this cause since the last operation or undo.

    A user message begins another attempt, except for "stalled": paused compactions are reported once.
    """
    for entry in reversed(tuple(entries)):
        if isinstance(entry, Operation | Undo):
            return False
        if isinstance(entry, Message) and entry.role is Role.USER and cause != "stalled":
            return False
        if isinstance(entry, FailedCompaction):
            return entry.cause == cause
    return False


async def with_spills(prune: Prune, session: Session, services: Services) -> Prune:
    """Store the texts that the prune's notices refer to as spills. Return the prune.

    Where a text cannot be stored, the notice refers to the archive instead, which has the full text.
    """
    texts = texts_to_keep(prune, (entry for entry in session.view.path if isinstance(entry, Message)))
    if services.tools is None:
        return without_spills(prune, texts, session.counter.counts.text)
    lost = dict[str, str]()
    for message_id, text in texts.items():
        try:
            await services.tools.spills.keep(text)
        except WorldError:
            lost[message_id] = text
    return without_spills(prune, lost, session.counter.counts.text)


async def drop_results(session: Session, services: Services, share: float, emit: Emit) -> None:
    """Drop a share of the tool results in the view, if there are any. Raises ArchiveError. share: from 0 to 1."""
    emit(RoomStarted(session.id, Trigger.OVERFLOW))
    counter = session.counter
    inputs = counter.view, counter.policy, counter.own_budget, counter.counts
    step = await asyncio.to_thread(dropped_results, *inputs, share)
    step = await with_spills(step, session, services) if step else None
    async with session.changes:
        current = with_measured_tokens(session.counter, step, session.transcript, session.view) if step else None
        if current is not None:
            emit(await session.record_operation(stamp(current), cause=Trigger.OVERFLOW))
            emit(session.gauge_changed())
    emit(RoomEnded(session.id))


def refuse_without_room(session: Session, is_forced: bool = False) -> None:
    """Refuse a request that fills `blocked_at` of what the model takes, or more, unless the user forces it.

    Raises WorldError, or WindowTooSmall if the request does not fit at all, which cannot be forced.
    """
    counter, gauge = session.counter, session.counter.gauge()
    is_nearly_full = gauge.is_window_known and gauge.total >= counter.budget.blocked_tokens(counter.policy)
    if counter.learned.is_named and is_nearly_full:
        if 0 < (stated := counter.model.info.window) < gauge.total:
            raise WindowTooSmall(gauge.total, stated, OPTIMIZE)
        return  # only a refusal named this window
    refuse_what_does_not_fit(session)
    if is_forced or not is_nearly_full or counter.policy.blocked_at >= 1.0:
        return
    raise WorldError(
        Failure(
            kind="nearly_full",
            title=translatable("There is hardly any room left in the window"),
            detail=translatable("The request would take {tokens} of the {usable} tokens that can be used.").format(
                tokens=format_number(gauge.total), usable=format_number(gauge.limit)
            ),
            kept=translatable("Your message and the whole conversation are saved; nothing was sent."),
            advice=translatable(
                "Optimize the conversation, choose a model with a larger window, or send it anyway: the reply may "
                "be cut short then."
            ),
        )
    )


def refuse_what_does_not_fit(session: Session, advice: str = OPTIMIZE) -> None:
    """Raise WindowTooSmall with the advice if the request does not fit into the window."""
    gauge = session.counter.gauge()
    if gauge.is_window_known and gauge.total > gauge.limit:
        raise WindowTooSmall(gauge.total, gauge.limit, advice)


async def make_room_in_background(
    session: Session, services: Services, publish: Emit, trigger: Trigger = Trigger.AFTER_TURN
) -> bool:
    """Make room while nobody waits, so that the next turn need not. Return whether the view has changed."""
    try:
        return await make_room(session, services, trigger, publish)
    except WindowTooSmall:
        return False  # the gauge shows it, and the next turn gives advice
    except WorldError as error:
        publish(TurnFailed(session.id, error.failure))
        return False
