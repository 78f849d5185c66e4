"""Preview a conversation with another model: whether its request fits, or what would be left of it."""

from __future__ import annotations

import asyncio
from copy import copy

from desktop_app.context.compact.room_decision import due_shares
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import SwitchPreview
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.transcript import Trigger

from .compaction.optimize import plan_optimization, planned_gauges
from .ports import ModelCatalogue
from .sent_requests import draft_tokens
from .session import Session
from .session_model import model_or_stand_in
from .tasks import CheckPoint, run_while_wanted
from .turn.prepare import transcript_with_tools
from .turn_services import Services

NO_DRAFT = MessageDraft()


async def preview_model(
    session: Session, services: Services, models: ModelCatalogue, model_id: str, draft: MessageDraft = NO_DRAFT
) -> SwitchPreview:
    """Return what using that model from now on would mean, counted and planned as if it were in use.

    The plan is the one that **Optimize conversation** would propose then. draft: what is being written, which the next
    request will have in it. Nothing is changed.
    """
    there = copy(session)  # for questions only: nothing is recorded with it
    there.use(model_or_stand_in(models, model_id))
    there.transcript = await transcript_with_tools(there, services)
    there.view = view_of(there.transcript) if there.transcript is not session.transcript else session.view

    def count(check: CheckPoint) -> Gauge:
        for item in there.view.items:
            check()
            there.counts.of(item.message)
        return there.gauge()

    gauge = await run_while_wanted(count)
    unsent = await asyncio.to_thread(draft_tokens, there, draft)
    total = gauge.total + unsent
    if not gauge.is_window_known:
        return SwitchPreview("unknown", total)
    due = due_shares(Trigger.BEFORE_REQUEST, there.policy, there.budget).compact_at
    if total <= gauge.usable and there.budget.share(total) < due:
        return SwitchPreview("fits", total, gauge.usable)
    strategy = (await services.summaries.request_for(there)).strategy
    optimization = await plan_optimization(there, None, strategy)
    _, after = await asyncio.to_thread(planned_gauges, optimization, there)
    left = after.total + unsent
    verdict = "compact" if left <= after.usable and left < total else "too_small"
    return SwitchPreview(verdict, total, gauge.usable, left)
