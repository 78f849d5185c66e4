"""Write the summary of the next compaction ahead, in the background, while the provider has the conversation cached."""

from __future__ import annotations

import asyncio
import logging
import time

from msgspec.structs import replace

from desktop_app.chat.ports import Emit
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.turn_services import Services
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.summary.summary_ahead import AheadPlan, entry_of, is_ahead_due, plan_ahead
from desktop_app.conversation.transcript import AuxiliaryUsage, Trigger

from .snapshot import ContextSnapshot, snapshot_of
from .summarize import NoSummary, SummaryWriter

log = logging.getLogger(__name__)


async def summarize_ahead(session: Session, services: Services, publish: Emit) -> None:
    """Record a standing summary if the conversation is about to be compacted, and its cache is warm.

    Another compaction of the conversation waits for it, instead of asking the same. Cancelling records nothing.
    """
    counter, lock = session.counter, services.summaries.lock(session.id)
    is_wanted = services.settings().is_summarizing_ahead and counter.cached_prefix() is not None
    if not is_wanted or lock.locked() or not is_ahead_due(counter.policy, counter.budget, counter.gauge().total):
        return
    async with lock:
        snapshot = snapshot_of(counter)
        if not services.summaries.rides(counter):
            return
        ahead = await asyncio.to_thread(_plan, snapshot, await services.summaries.can_fold())
        if ahead is None:
            return
        request = replace(await services.summary_request(session, Trigger.AFTER_TURN), standing=ahead.standing)
        if request.strategy != "llm":
            return

        async def record_usage(usage: AuxiliaryUsage) -> None:
            publish(await session.record_operation(stamp(usage)))

        began = time.monotonic()
        writer = SummaryWriter(snapshot, ahead.plan, request, lambda progress: None, record_usage)
        try:
            page = await writer.write_page()
        except NoSummary as reason:
            log.info("no summary was written ahead in conversation %s, because %s", session.id, reason)
            return
        async with session.changes:
            summary = session.view.summary
            if (summary.id if summary else "") != (snapshot.view.summary.id if snapshot.view.summary else ""):
                return  # another compaction was made by hand
            entry = replace(
                entry_of(ahead, page, session.view),
                seconds=time.monotonic() - began,
                model=session.model.info.record_name,
                usage=writer.usage,
            )
            publish(await session.record_operation(stamp(entry), cause=Trigger.AFTER_TURN))


def _plan(snapshot: ContextSnapshot, may_fold: bool) -> AheadPlan | None:
    view, counts = snapshot.view, snapshot.counts
    return plan_ahead(view, snapshot.policy, snapshot.budget, counts, request_tokens(view, counts), may_fold)
