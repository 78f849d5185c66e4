"""What the engine does about each request: a module for each of those in `engine/protocol`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, get_args

from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

from . import (
    attachments,
    computations,
    context,
    conversations,
    data,
    imports,
    insights,
    policies,
    program,
    projects,
    servers,
    settings,
    setups,
    tools,
    turns,
    unsent,
)

Respond = Callable[[Engine, Any], Coroutine[Any, Any, p.EngineResponse]]

AREAS: dict[object, Respond] = {
    p.ConversationsRequest: conversations.respond,
    p.TurnRequest: turns.respond,
    p.UnsentRequest: unsent.respond,
    p.ContextRequest: context.respond,
    p.ComputationRequest: computations.respond,
    p.PolicyRequest: policies.respond,
    p.ProjectRequest: projects.respond,
    p.ToolRequest: tools.respond,
    p.AttachmentRequest: attachments.respond,
    p.SettingsRequest: settings.respond,
    p.ServerRequest: servers.respond,
    p.SetupRequest: setups.respond,
    p.InsightsRequest: insights.respond,
    p.ImportingRequest: imports.respond,
    p.DataRequest: data.respond,
    p.ProgramRequest: program.respond,
}
RESPONDERS = {request: respond for area, respond in AREAS.items() for request in get_args(area) or (area,)}


async def respond(engine: Engine, request: p.AnyRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    return await RESPONDERS[type(request)](engine, request)
