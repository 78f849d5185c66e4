"""Requests about settings, servers, stored data, imports and the program itself."""

from __future__ import annotations

from msgspec import field

from desktop_app.conversation.events import Failure
from desktop_app.conversation.foreign import FoundConversation, FoundHistory, KnownKind, UnreadFile
from desktop_app.conversation.installation import Backup, ProgramInfo, StoredData
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.model_servers import CheckResult, CheckStep, KeyPlace, ModelOffer, ModelPrice
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


class ProgramDescribed(EngineResponse, frozen=True):
    """The versions, the folders and the parts."""

    info: ProgramInfo


class LicenceRead(EngineResponse, frozen=True):
    """The whole text of a part's licences; "" where there is none."""

    text: str


class DescribeProgram(EngineRequest[ProgramDescribed], frozen=True):
    """Tell what the program is made of."""


class ReadLicence(EngineRequest[LicenceRead], frozen=True):
    """Read the licences of a part, by its name."""

    part: str


ProgramRequest = DescribeProgram | ReadLicence


class DataDescribed(EngineResponse, frozen=True):
    """What the data folder holds."""

    stored: StoredData


class BackupsListed(EngineResponse, frozen=True):
    """The backups, newest first, and then the copies that were kept before a restore or an update."""

    backups: tuple[Backup, ...]
    # Of the backups, also while there is none.
    folder: str


class BackedUp(EngineResponse, frozen=True):
    """A backup was made, and opened to check it."""

    backup: Backup


class BackupRestored(EngineResponse, frozen=True):
    """The engine has let go of what it had read, and must be started anew, also after a failure."""

    # The copy of what was there before.
    kept: str = ""
    failure: Failure | None = None


class WholeExported(EngineResponse, frozen=True):
    """Everything was written to a file."""

    file: str
    bytes: int
    conversations: int
    entries: int
    # Entries that the archive itself cannot read.
    unreadable: int = 0


class CleanedUp(EngineResponse, frozen=True):
    """What was chosen is removed."""

    # Bytes that the data folder takes less.
    freed: int
    # Items.
    removed: int
    # What could not be done.
    problems: tuple[Failure, ...] = ()


class DescribeData(EngineRequest[DataDescribed], frozen=True):
    """Measure what the data folder holds."""


class ListBackups(EngineRequest[BackupsListed], frozen=True):
    """List the backups, each opened to see what it holds."""


class BackUpNow(EngineRequest[BackedUp], frozen=True):
    """Make a backup where the daily ones are. `DataProgressed` tells how far it is, here and below."""


class RestoreBackup(EngineRequest[BackupRestored], frozen=True):
    """Put a backup in the archive's place, which is kept. Refused while a reply is being written."""

    file: str


class BeginEmpty(EngineRequest[BackupRestored], frozen=True):
    """Put an archive that cannot be opened aside, as it is, so that the next start begins with an empty one."""


class ExportWhole(EngineRequest[WholeExported], frozen=True):
    """Write everything to a file; one that is there already is replaced at the user's word only."""

    path: str
    is_replacing: bool = False


class CleanUp(EngineRequest[CleanedUp], frozen=True):
    """Remove items by their keys; refused if one of them is there no more."""

    chosen: tuple[str, ...]


DataRequest = DescribeData | ListBackups | BackUpNow | RestoreBackup | BeginEmpty | ExportWhole | CleanUp
MENDING = (ListBackups, RestoreBackup, BeginEmpty)
"""What an engine does whose archive cannot be opened."""
DAMAGED = "damaged"
"""The kind of the failure with which such an engine refuses everything else."""


class LookedThrough(EngineResponse, frozen=True):
    """What can be imported, newest first, without the ids of its messages; and what could not be read."""

    found: tuple[FoundConversation, ...]
    unread: tuple[UnreadFile, ...]


class HistoriesFound(EngineResponse, frozen=True):
    """The folders of this machine in which other programs keep their conversations, newest first."""

    histories: tuple[FoundHistory, ...]
    known_kinds: tuple[KnownKind, ...] = ()
    """What can be imported at all, by the names of the programs."""


class FindHistories(EngineRequest[HistoriesFound], frozen=True):
    """Find what could be looked through on this machine; no file is read."""


class LookThrough(EngineRequest[LookedThrough], frozen=True):
    """Look through files, folders and zips; nothing is stored. `ImportProgressed` tells how far it is."""

    paths: tuple[str, ...]


class ImportFinished(EngineResponse, frozen=True):
    """What came of it."""

    # New ones, and those that have become longer.
    conversations: int
    messages: int
    unread: tuple[UnreadFile, ...]
    # The id of the one that was said last; "" if nothing was imported.
    newest: str


class ImportConversations(EngineRequest[ImportFinished], frozen=True):
    """Import conversations that were found in these paths, by the ids that they have here."""

    paths: tuple[str, ...]
    chosen: frozenset[str]


ImportingRequest = FindHistories | LookThrough | ImportConversations
