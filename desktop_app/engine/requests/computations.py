"""Requests to end what is computed for a dialog that is closed."""

from __future__ import annotations

from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine


async def respond(engine: Engine, request: p.ComputationRequest) -> p.EngineResponse:
    """Carry out a request; nothing happens if there is nothing to end."""
    await engine.cancel(request.computation, request.conversation)
    return request.respond_with(p.Done())
