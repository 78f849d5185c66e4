"""Requests about the engine itself: its start and end, settings, servers and models."""

from __future__ import annotations

from typing import assert_never

from desktop_app.chat.tasks import run_while_wanted
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.engine.progress import telling
from desktop_app.models.builtin_download import install_model
from desktop_app.models.server_checks import per_million


async def respond(engine: Engine, request: p.SettingsRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    services = engine.services
    match request:
        case p.Hello():
            return request.respond_with(p.Welcome(p.VERSION, services.warnings))
        case p.Shutdown():
            engine.shutdown_requested.set()
            return request.respond_with(p.Done())
        case p.WriteSettings():
            for server, key in request.keys.items():
                await services.keys.set(server, key)
            await services.change_settings(request.settings, request.base)
            return request.respond_with(await _settings_of(engine))
        case p.ReloadSettings():
            is_changed = await services.reload_settings()
            return request.respond_with(p.SettingsReloaded(services.settings, is_changed))
        case p.ReadSettings():
            return request.respond_with(await _settings_of(engine))
        case p.ListModels():
            engine.ask_silent_servers()
            return request.respond_with(_models_of(engine))
        case p.InstallBuiltinModel():
            tell = telling(engine.coalescer.publish, "model")
            wanted = run_while_wanted(lambda check: install_model(lambda done, whole: check() or tell(done, whole)))
            await engine.compute(p.Computation.MODEL, "", wanted)
            return request.respond_with(_models_of(engine))
        case p.ProposeModels():
            return request.respond_with(p.ModelsProposed(services.catalogue.proposals(request.kind)))
        case p.FindServers():
            return request.respond_with(p.ServersFound(await services.find_servers()))
        case _:
            assert_never(request)


async def _settings_of(engine: Engine) -> p.SettingsRead:
    services = engine.services
    keys, fault = services.keys, await services.sandbox.fault()
    return p.SettingsRead(services.settings, keys.servers_with_key(), keys.storage, fault, keys.unstored())


def _models_of(engine: Engine) -> p.ModelsListed:
    catalogue = engine.services.catalogue
    infos = catalogue.infos()
    prices = {info.id: price for info in infos if (price := per_million(catalogue.price(info.id)))}
    return p.ModelsListed(infos, prices, tuple(info.id for info in infos if catalogue.is_local(info.id)))
