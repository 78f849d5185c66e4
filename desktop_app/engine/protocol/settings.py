"""The engine itself: its start and end, settings, servers and models."""

from __future__ import annotations

from msgspec import field

from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.server_offers import KeyPlace, ModelPrice
from desktop_app.settings import Server, ServerKind, Settings

from .base import Done, EngineRequest, EngineResponse


class Welcome(EngineResponse, frozen=True):
    """The engine is ready."""

    version: int
    # What the user should know of the start, such as damaged settings.
    warnings: tuple[Failure, ...] = ()


class SettingsRead(EngineResponse, frozen=True):
    """The settings, and the names of servers that have a key (never a key itself)."""

    settings: Settings
    servers_with_key: tuple[str, ...]
    # Where keys are kept, in words, or why they last for this session only.
    key_storage: str
    # Why commands cannot run in the sandbox on this machine, in words; "" if they can.
    sandbox_fault: str = ""
    # Where those keys are that are not stored, by the names of their servers.
    unstored_keys: dict[str, KeyPlace] = field(default_factory=dict)

    def key_place(self, server: str) -> KeyPlace:
        """Return where the key of that server is."""
        return self.unstored_keys.get(server, "stored") if server in self.servers_with_key else ""


class SettingsReloaded(EngineResponse, frozen=True):
    """The settings, and whether they had been changed by another process or by hand."""

    settings: Settings
    is_changed: bool


class ModelsListed(EngineResponse, frozen=True):
    """Models that can be chosen."""

    models: tuple[ModelInfo, ...]
    # By the ids of the models whose price is known.
    prices: dict[str, ModelPrice] = field(default_factory=dict)
    # Ids of the models that run on this machine.
    local: tuple[str, ...] = ()


class ModelsProposed(EngineResponse, frozen=True):
    """Names of models, the best known first."""

    models: tuple[str, ...]


class ServersFound(EngineResponse, frozen=True):
    """Servers on this machine, and providers whose keys the environment has, without those that are set up."""

    servers: tuple[Server, ...]


class Hello(EngineRequest[Welcome], frozen=True):
    version: int


class Shutdown(EngineRequest[Done], frozen=True):
    """End the engine, after the response."""


class ReadSettings(EngineRequest[SettingsRead], frozen=True): ...


class WriteSettings(EngineRequest[SettingsRead], frozen=True):
    """Store settings, and keys by the names of their servers; an empty key removes it."""

    settings: Settings
    keys: dict[str, str] = field(default_factory=dict)
    # What was read before the change: what another process has changed since stays. None: all are replaced.
    base: Settings | None = None


class ReloadSettings(EngineRequest[SettingsReloaded], frozen=True):
    """Use the settings that are stored now, by another process or by hand."""


class ListModels(EngineRequest[ModelsListed], frozen=True): ...


class InstallBuiltinModel(EngineRequest[ModelsListed], frozen=True):
    """Fetch the built-in model, unless it is there. `DataProgressed` tells how far that is."""


class ProposeModels(EngineRequest[ModelsProposed], frozen=True):
    """List names of models for a server of that kind."""

    kind: ServerKind


class FindServers(EngineRequest[ServersFound], frozen=True):
    """Look for servers that could be set up; takes at most 1.5 s."""


SettingsRequest = (
    Hello
    | Shutdown
    | ReadSettings
    | WriteSettings
    | ReloadSettings
    | ListModels
    | InstallBuiltinModel
    | ProposeModels
    | FindServers
)
