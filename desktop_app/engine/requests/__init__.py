"""What the engine does about each request: a module for each of those in `engine/protocol`."""

from __future__ import annotations

from typing import assert_never

from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

from . import attachments, context, conversations, insights, policies, servers, settings, setups, tools, turns, unsent


async def respond(engine: Engine, request: p.AnyRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    if isinstance(request, p.ConversationsRequest):
        return await conversations.respond(engine, request)
    if isinstance(request, p.TurnRequest):
        return await turns.respond(engine, request)
    if isinstance(request, p.ContextRequest):
        return await context.respond(engine, request)
    if isinstance(request, p.PolicyRequest):
        return await policies.respond(engine, request)
    if isinstance(request, p.ToolRequest):
        return await tools.respond(engine, request)
    if isinstance(request, p.AttachmentRequest):
        return await attachments.respond(engine, request)
    if isinstance(request, p.SettingsRequest):
        return await settings.respond(engine, request)
    if isinstance(request, p.ServerRequest):
        return await servers.respond(engine, request)
    if isinstance(request, p.SetupRequest):
        return await setups.respond(engine, request)
    if isinstance(request, p.InsightsRequest):
        return await insights.respond(engine, request)
    if isinstance(request, p.UnsentRequest):
        return await unsent.respond(engine, request)
    assert_never(request)
