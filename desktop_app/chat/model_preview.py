"""Preview a switch to another model: whether the request fits, or how much of it would be left."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.context.compact.room_decision import due_shares
from desktop_app.context.view.view import with_entries
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo, SwitchPreview
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.transcript import Transcript, Trigger

from .compaction.optimize import plan_optimization, planned_gauges
from .ports import ModelCatalogue
from .prefix_reset import reset_of
from .sent_requests import draft_tokens
from .session import Session, stamp
from .session_model import model_or_stand_in
from .tasks import CheckPoint, run_while_wanted
from .turn_services import Services

NO_DRAFT = MessageDraft()


async def preview_model(
    session: Session, services: Services, models: ModelCatalogue, model_id: str, draft: MessageDraft = NO_DRAFT
) -> SwitchPreview:
    """Return the effect of switching to that model, counted and planned as if it were in use. Changes nothing.

    The plan is the one that **Optimize conversation** would then propose. draft: the unsent message, which the next
    request will contain.
    """
    model = model_or_stand_in(models, model_id)
    counter = session.counter.for_model(model, await _transcript_with_tools(session, services, model.info))

    def count(check: CheckPoint) -> Gauge:
        for item in counter.view.items:
            check()
            counter.counts.of(item.message)
        return counter.gauge()

    gauge = await run_while_wanted(count)
    unsent = await asyncio.to_thread(draft_tokens, counter, draft)
    total = gauge.total + unsent
    own, reset = session.model.info, None
    if model.info.record_name != own.record_name and services.settings().is_warning_of_resets:
        reset = reset_of(session.counter, models.price(own.id), models.price(model.info.id), total)
    if not gauge.is_window_known:
        return SwitchPreview("unknown", total, reset=reset)
    due = due_shares(Trigger.BEFORE_REQUEST, counter.policy, counter.budget).compact_at
    if total <= gauge.limit and counter.budget.share(total) < due:
        return SwitchPreview("fits", total, gauge.usable, reset=reset)
    strategy = (await services.summaries.request_for(counter)).strategy
    optimization = await plan_optimization(counter, None, strategy)
    _, after = await asyncio.to_thread(planned_gauges, optimization, counter)
    left = after.total + unsent
    verdict = "compact" if left <= after.limit and left < total else "too_small"
    return SwitchPreview(verdict, total, gauge.usable, left, reset)


async def _transcript_with_tools(session: Session, services: Services, model: ModelInfo) -> Transcript:
    """Return the session's transcript with the tools that the model would be offered. Nothing is recorded."""
    now = session.view.request_context
    tools = now.tools if services.tools is None else await services.tools.specs(session, model)
    if tools == now.tools:
        return session.transcript
    return with_entries(session.transcript, stamp(replace(now, tools=tools, id="", at=0.0)))
