"""Servers of models while they are being set up: their lists of models, and tests of them."""

from __future__ import annotations

from desktop_app.conversation.server_offers import CheckResult, CheckStep, ModelOffer
from desktop_app.settings import Server

from .base import Done, EngineRequest, EngineResponse


class ServerModelsListed(EngineResponse, frozen=True):
    """The models that a server has, and what was found on the way; none if it has no list."""

    offers: tuple[ModelOffer, ...]
    results: tuple[CheckResult, ...]


class ServerChecked(EngineResponse, frozen=True):
    """What one step of a test found."""

    results: tuple[CheckResult, ...]


class ListServerModels(EngineRequest[ServerModelsListed], frozen=True):
    """Ask a server, as it is written in the settings now, which models it has; takes 8 s at most."""

    server: Server
    # That was entered and is not stored yet; "" for the one that is stored under `stored_key`, or none.
    key: str = ""
    stored_key: str = ""


class CheckServer(EngineRequest[ServerChecked], frozen=True):
    """Take one step of a test of a server with that model; 60 s at most. A newer step takes its place."""

    server: Server
    model: str
    step: CheckStep
    key: str = ""
    stored_key: str = ""


class StopCheck(EngineRequest[Done], frozen=True):
    """Stop the step that is under way."""


ServerRequest = ListServerModels | CheckServer | StopCheck
