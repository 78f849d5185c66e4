"""What is stored: where it is, what it takes, backups, the whole archive as a file, and cleaning up."""

from __future__ import annotations

from desktop_app.conversation.events import Failure
from desktop_app.conversation.stored import Backup, StoredData

from .base import EngineRequest, EngineResponse


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
