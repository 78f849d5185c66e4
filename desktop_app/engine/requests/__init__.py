"""Respond to requests: `context_responses` handles the requests in `engine/protocol/context_requests`, and so on."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, get_args

from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

from . import context_responses, conversation_responses, settings_responses, turn_responses

Respond = Callable[[Engine, Any], Coroutine[Any, Any, p.EngineResponse]]

AREAS: dict[object, Respond] = {
    p.ConversationsRequest: conversation_responses.respond_conversation,
    p.TurnRequest: turn_responses.respond_turn,
    p.UnsentRequest: turn_responses.respond_unsent,
    p.ContextRequest: context_responses.respond_context,
    p.ComputationRequest: context_responses.respond_computation,
    p.PolicyRequest: context_responses.respond_policy,
    p.ProjectRequest: conversation_responses.respond_project,
    p.ToolRequest: turn_responses.respond_tool,
    p.AttachmentRequest: turn_responses.respond_attachment,
    p.SettingsRequest: settings_responses.respond_settings,
    p.ServerRequest: settings_responses.respond_server,
    p.SetupRequest: conversation_responses.respond_setup,
    p.InsightsRequest: context_responses.respond_insights,
    p.ImportingRequest: settings_responses.respond_import,
    p.DataRequest: settings_responses.respond_data,
    p.ProgramRequest: settings_responses.respond_program,
}
RESPONDERS = {request: respond for area, respond in AREAS.items() for request in get_args(area) or (area,)}


async def respond(engine: Engine, request: p.AnyRequest) -> p.EngineResponse:
    """Carry out a request and return the response. Raises WorldError for errors of the world."""
    return await RESPONDERS[type(request)](engine, request)
