"""The registry of the coroutine functions that carry out requests."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from desktop_app.engine.engine import Engine
from desktop_app.engine.protocol import Done, EngineRequest, EngineResponse

Q = TypeVar("Q", bound=EngineRequest[Any])
R = TypeVar("R", bound=EngineResponse)

Responder = Callable[[Engine, Q], Coroutine[Any, Any, R | None]]

RESPONDERS: dict[type[EngineRequest[Any]], Responder[Any, EngineResponse]] = {}


def responds(*kinds: type[EngineRequest[R]]) -> Callable[[Responder[Q, R]], Responder[Q, R]]:
    """Register the decorated function for requests of these types. If it returns None, the response is Done.

    A type checker reports a function that returns another type of response.
    """

    def register(responder: Responder[Q, R]) -> Responder[Q, R]:
        RESPONDERS.update(dict.fromkeys(kinds, responder))
        return responder

    return register


async def respond(engine: Engine, request: EngineRequest[Any]) -> EngineResponse:
    """Carry out a request and return the response. Raises WorldError for any error that is not a bug."""
    return await RESPONDERS[type(request)](engine, request) or Done()
