"""Requests about settings, servers, stored data, imports and the program itself."""

from __future__ import annotations

from msgspec import field

from desktop_app.conversation.events import Failure
from desktop_app.conversation.foreign import FoundConversation, FoundHistory, ImportOutcome, KnownKind, UnreadFile
from desktop_app.conversation.installation import Backup, ProgramInfo, StoredData, WholeArchive
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.model_servers import CheckResult, CheckStep, KeyPlace, ModelOffer, ModelPrice
from desktop_app.conversation.tool_servers import ToolServerState
from desktop_app.settings import McpServer, Server, ServerKind, Settings

from .base import Done, EngineRequest, EngineResponse


class Welcome(EngineResponse, frozen=True):
    """The engine is ready."""

    version: int
    # Problems during the start that the window reports, such as damaged settings.
    warnings: tuple[Failure, ...] = ()


class SettingsRead(EngineResponse, frozen=True):
    """The settings, and the names of servers that have a key (never a key itself)."""

    settings: Settings
    servers_with_key: tuple[str, ...]
    # Where keys are stored, or why they last for this session only, as text for the user.
    key_storage: str
    # Why commands cannot run in the sandbox on this machine, as text for the user; "" if they can.
    sandbox_fault: str = ""
    # The places of keys that are not stored, by the names of their servers.
    unstored_keys: dict[str, KeyPlace] = field(default_factory=dict)

    def key_place(self, server: str) -> KeyPlace:
        """Return where that server's key is; "" if it has none."""
        return self.unstored_keys.get(server, "stored") if server in self.servers_with_key else ""


class SettingsReloaded(EngineResponse, frozen=True):
    """The settings, and whether another process or the user's editor had changed them."""

    settings: Settings
    is_changed: bool


class ModelsListed(EngineResponse, frozen=True):
    """Models that can be chosen."""

    models: tuple[ModelInfo, ...]
    # By model id; only models whose price is known.
    prices: dict[str, ModelPrice] = field(default_factory=dict)
    # Ids of the models that run on this machine.
    local: tuple[str, ...] = ()


class ModelsProposed(EngineResponse, frozen=True):
    """Names of models, the best-known first."""

    models: tuple[str, ...]


class ServersFound(EngineResponse, frozen=True):
    """Servers on this machine, and providers with a key in the environment, except those that are set up already."""

    servers: tuple[Server, ...]


class Hello(EngineRequest[Welcome], frozen=True):
    version: int


class Shutdown(EngineRequest[Done], frozen=True):
    """End the engine, after the response."""


class ReadSettings(EngineRequest[SettingsRead], frozen=True): ...


class WriteSettings(EngineRequest[SettingsRead], frozen=True):
    """Store settings, and keys by the names of their servers; an empty key removes the stored one."""

    settings: Settings
    keys: dict[str, str] = field(default_factory=dict)
    # The settings before the user's changes, so that changes by another process since then are kept. None: all settings
    # are replaced.
    base: Settings | None = None


class ReloadSettings(EngineRequest[SettingsReloaded], frozen=True):
    """Apply the settings that another process or the user's editor has stored."""


class ListModels(EngineRequest[ModelsListed], frozen=True): ...


class InstallBuiltinModel(EngineRequest[ModelsListed], frozen=True):
    """Download the built-in model unless it is installed. `DataProgressed` reports the progress."""


class ProposeModels(EngineRequest[ModelsProposed], frozen=True):
    """List names of models for a server of that kind."""

    kind: ServerKind


class FindServers(EngineRequest[ServersFound], frozen=True):
    """Look for servers that could be set up; takes at most 1.5 s."""


class ServerModelsListed(EngineResponse, frozen=True):
    """The models that a server offers, and the results of asking it; no models if it has no list."""

    offers: tuple[ModelOffer, ...]
    results: tuple[CheckResult, ...]


class ServerChecked(EngineResponse, frozen=True):
    """The results of one step of a test."""

    results: tuple[CheckResult, ...]


class ListServerModels(EngineRequest[ServerModelsListed], frozen=True):
    """Ask a server for its models, with the details currently entered in the settings; takes 8 s at most."""

    server: Server
    # A key that was entered but not stored yet; "" for the key stored under `stored_key`, if any.
    key: str = ""
    stored_key: str = ""


class CheckServer(EngineRequest[ServerChecked], frozen=True):
    """Run one step of a server test with that model; takes 60 s at most. A newer step replaces it."""

    server: Server
    model: str
    step: CheckStep
    key: str = ""
    stored_key: str = ""


class ForgetLearned(EngineRequest[ModelsListed], frozen=True):
    """Forget what refusals have taught about a model that is set up. server: its name in the settings."""

    server: str
    model: str


class StopCheck(EngineRequest[Done], frozen=True):
    """Stop the running step of a server test."""


class ToolServersRead(EngineResponse, frozen=True):
    """The states of tool servers."""

    states: tuple[ToolServerState, ...]


class ReadToolServers(EngineRequest[ToolServersRead], frozen=True):
    """Return the states of all tool servers of the settings."""


class TryToolServer(EngineRequest[ToolServersRead], frozen=True):
    """Start a tool server as it is written, again if it runs; takes minutes if it has to be installed."""

    server: McpServer
    # None for the stored key.
    key: str | None = None
    conversation: str = ""


class ProgramDescribed(EngineResponse, frozen=True):
    """The versions, folders and parts of the program."""

    info: ProgramInfo


class LicenceRead(EngineResponse, frozen=True):
    """The full text of a part's licences; "" if there is none."""

    text: str


class DescribeProgram(EngineRequest[ProgramDescribed], frozen=True):
    """List the versions, folders and parts of the program."""


class ReadLicence(EngineRequest[LicenceRead], frozen=True):
    """Read the licences of a part, by its name."""

    part: str


class DataDescribed(EngineResponse, frozen=True):
    """The contents of the data folder, with sizes."""

    stored: StoredData


class BackupsListed(EngineResponse, frozen=True):
    """The backups, newest first, followed by the copies that were made before a restore or an update."""

    backups: tuple[Backup, ...]
    # The backups' folder, even if there are no backups.
    folder: str


class BackedUp(EngineResponse, frozen=True):
    """A backup was made, and checked by opening it."""

    backup: Backup


class BackupRestored(EngineResponse, frozen=True):
    """The engine has discarded what it had read, and must be restarted, even after a failure."""

    # The path of the copy of the previous archive; "" if there is none.
    kept: str = ""
    failure: Failure | None = None


class WholeExported(EngineResponse, frozen=True):
    """Everything was written to a file."""

    archive: WholeArchive
    # Size of the file.
    bytes: int


class CleanedUp(EngineResponse, frozen=True):
    """The chosen items were removed."""

    # Bytes by which the data folder has shrunk.
    freed: int
    # Number of items.
    removed: int
    # Why items could not be removed.
    problems: tuple[Failure, ...] = ()


class DescribeData(EngineRequest[DataDescribed], frozen=True):
    """Measure the contents of the data folder."""


class ListBackups(EngineRequest[BackupsListed], frozen=True):
    """List the backups; each is opened to see its contents."""


class BackUpNow(EngineRequest[BackedUp], frozen=True):
    """Make a backup in the daily backups' folder. `DataProgressed` reports the progress, here and below."""


class RestoreBackup(EngineRequest[BackupRestored], frozen=True):
    """Replace the archive by a backup, and keep a copy of the archive. Refused while a reply is being written."""

    file: str


class BeginEmpty(EngineRequest[BackupRestored], frozen=True):
    """Move an archive that cannot be opened out of the way, unchanged, so that the next start creates an empty one."""


class ExportWhole(EngineRequest[WholeExported], frozen=True):
    """Write everything to a file; an existing one is replaced only with `is_replacing`."""

    path: str
    is_replacing: bool = False


class CleanUp(EngineRequest[CleanedUp], frozen=True):
    """Remove items by their keys; refused if one of them no longer exists."""

    chosen: tuple[str, ...]


DataRequest = DescribeData | ListBackups | BackUpNow | RestoreBackup | BeginEmpty | ExportWhole | CleanUp
MENDING = (ListBackups, RestoreBackup, BeginEmpty)
"""Requests that an engine accepts even if its archive cannot be opened."""
DAMAGED = "damaged"
"""The kind of the failure with which such an engine refuses all other requests."""


class LookedThrough(EngineResponse, frozen=True):
    """The conversations that can be imported, newest first, without their messages' ids; and the unreadable files."""

    found: tuple[FoundConversation, ...]
    unread: tuple[UnreadFile, ...]


class HistoriesFound(EngineResponse, frozen=True):
    """The folders of this machine in which other programs keep their conversations, newest first."""

    histories: tuple[FoundHistory, ...]
    known_kinds: tuple[KnownKind, ...] = ()
    """All formats that can be imported, by the names of their programs."""


class FindHistories(EngineRequest[HistoriesFound], frozen=True):
    """Find folders on this machine that could be looked through; no file is read."""


class LookThrough(EngineRequest[LookedThrough], frozen=True):
    """Look through files, folders and zips; nothing is stored. `ImportProgressed` reports the progress."""

    paths: tuple[str, ...]


class ImportFinished(EngineResponse, frozen=True):
    outcome: ImportOutcome


class ImportConversations(EngineRequest[ImportFinished], frozen=True):
    """Import the conversations in these paths whose ids, from LookThrough, are chosen."""

    paths: tuple[str, ...]
    chosen: frozenset[str]
