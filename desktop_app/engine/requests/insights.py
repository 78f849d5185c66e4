"""Requests about insights: figures of one conversation, of a project or of all, read from the record."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from desktop_app.chat.insights import dollars_saved, export_insights, insights_of_all, insights_of_one
from desktop_app.context.insights import thin_out
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine


async def respond(engine: Engine, request: p.InsightsRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    match request:
        case p.ReadInsights(conversation, project):
            return request.respond_with(_drawn(await _read(engine, p.Computation.INSIGHTS, conversation, project)))
        case p.ExportInsights(path, conversation, project):
            read = await _read(engine, p.Computation.EXPORT, conversation, project)
            await export_insights(read.insights, path)
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


async def _read(engine: Engine, what: p.Computation, conversation: str, project: str) -> p.InsightsRead:
    price_of = engine.services.catalogue.price
    if not conversation:
        insights = await engine.compute(what, "", insights_of_all(engine.services.archive, project))
        return p.InsightsRead(insights, None, dollars_saved(insights, price_of))
    session = await engine.conversations.open(conversation)
    insights = await engine.compute(what, session.id, insights_of_one(session))
    return p.InsightsRead(insights, session.gauge(), dollars_saved(insights, price_of))


def _drawn(read: p.InsightsRead) -> p.InsightsRead:
    """Return it with as many moments as a chart can show."""
    return replace(read, insights=replace(read.insights, moments=thin_out(read.insights.moments)))
