"""Versions and licences of the program; contents and sizes of its data folder, and its removable items."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

import msgspec

from .words import translatable

PartKind = Literal["archive", "spills", "backups", "kept", "logs", "other"]
"""Parts of the data folder: "spills" are long outputs of tools, "kept" copies that were put aside."""
ItemKind = Literal["conversation", "room", "spills", "backup", "update", "kept", "log"]
"""Removable items: a deleted conversation, unused space in the archive, long outputs that nothing refers to, a backup,
a copy from before an update or from before a repair or a restore, an older log."""
DataWork = Literal["data", "opening", "model"]
"""Work with reported progress: a backup, a restore, an export or a clean-up; opening the archive; downloading the
built-in model."""
ITEM_KINDS: tuple[ItemKind, ...] = get_args(ItemKind)


class Backup(msgspec.Struct, frozen=True):
    """A backup, with figures of its contents."""

    file: str
    at: float
    """Creation time in seconds since 1970."""
    size: int
    """Bytes."""
    conversations: int = 0
    entries: int = 0
    is_damaged: bool = False
    kept_before: Literal["", "restore", "update"] = ""
    """The event before which a copy was put next to the archive; "" for a backup."""


class StoredPart(msgspec.Struct, frozen=True):
    """A part of the data folder."""

    kind: PartKind
    path: str
    """Path of the folder, or of the first of its files."""
    size: int
    """Bytes."""
    files: int


class RemovableItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item that takes space and is not needed by any listed conversation."""

    key: str
    """Its kind, a colon, and the conversation's id or the file's name; only the kind if it has a single item."""
    kind: ItemKind
    name: str
    """The title of a conversation, or the file's path in the data folder; "" for the others."""
    size: int
    """Bytes; for a conversation, of its texts without their search index."""
    at: float = 0.0
    """Time of creation or of the last change, in seconds since 1970; 0 if it is not meaningful."""
    messages: int = 0
    copies: tuple[str, ...] = ()
    """Keys of other items that still contain the conversation: backups and copies."""


class StoredData(msgspec.Struct, frozen=True):
    """The parts of the data folder, and its removable items, the largest of each kind first."""

    folder: str
    log: str
    free: int
    """Free bytes on the disk."""
    attachments: int
    """Bytes of messages with attachments in the archive."""
    parts: tuple[StoredPart, ...]
    removable: tuple[RemovableItem, ...]

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return sum(part.size for part in self.parts)


ITEM_NAMES: dict[ItemKind, str] = {
    "conversation": translatable("Deleted conversations"),
    "room": translatable("Unused space in the archive"),
    "spills": translatable("Long outputs that nothing refers to"),
    "backup": translatable("Backups"),
    "update": translatable("Copies from before an update"),
    "kept": translatable("Copies from before a repair or a restore"),
    "log": translatable("Older logs"),
}


def copies_left(items: Iterable[RemovableItem], chosen: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the copies that still contain each chosen conversation after the chosen items are removed.

    chosen: keys of items. The result contains only conversations that are in a copy: their keys, with those copies.
    """
    left = {item.key: tuple(key for key in item.copies if key not in chosen) for item in items if item.key in chosen}
    return {key: copies for key, copies in left.items() if copies}


class ProgramPart(msgspec.Struct, frozen=True):
    """A library or another component of the program."""

    name: str
    version: str
    licence: str
    """The licence as named by its authors, such as "MIT"; "" if they name none."""
    family: str
    """The group of licences to which it belongs, such as "BSD"."""


class ProgramInfo(msgspec.Struct, frozen=True):
    """Versions, folders and components of the program."""

    version: str
    versions: tuple[tuple[str, str], ...]
    """Names and versions of components that matter for a bug report."""
    data: str
    log: str
    parts: tuple[ProgramPart, ...]
    """Components, sorted by family and name."""


def report_of(info: ProgramInfo) -> str:
    """Return the versions and folders as lines of a bug report, in English."""
    lines = [("Palimpsest", info.version), *info.versions, ("Data", info.data), ("Log", info.log)]
    return "\n".join(f"{name}: {value}" for name, value in lines)


class WholeArchive(msgspec.Struct, frozen=True):
    """A summary of an export or an import."""

    file: str
    conversations: int
    entries: int
    memories: int
    spills: int
    projects: int = 0
    """0 in files of versions without projects."""
    known: int = 0
    """Conversations that the archive had already, which were not changed."""
    unreadable: int = 0
    """Entries that cannot be read in the archive, and were not exported."""
