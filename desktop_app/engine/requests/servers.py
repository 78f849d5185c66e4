"""Servers of models while they are being set up: their lists of models, and tests of them."""

from __future__ import annotations

from typing import assert_never

from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.models.keys import environment_key
from desktop_app.models.server_checks import list_offers, run_check

TEST = "server test"


async def respond(engine: Engine, request: p.ServerRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError if a test was stopped."""
    litellm = engine.services.catalogue.litellm
    match request:
        case p.ListServerModels(server):
            offers, results = await list_offers(server, _key_of(engine, request), litellm)
            return request.respond_with(p.ServerModelsListed(offers, results))
        case p.CheckServer(server, model, step):
            test = run_check(server, _key_of(engine, request), model, step, litellm)
            return request.respond_with(p.ServerChecked(await engine.run_newest(TEST, test)))
        case p.StopCheck():
            await engine.newest.cancel(TEST)
            return request.respond_with(p.Done())
        case _:
            assert_never(request)


def _key_of(engine: Engine, request: p.ListServerModels | p.CheckServer) -> str:
    """Return the key that was entered, else the stored one, else the environment's for that server and address."""
    stored = engine.services.keys.stored(request.stored_key) if request.stored_key else ""
    return request.key.strip() or stored or environment_key(request.server)
