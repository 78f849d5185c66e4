"""Versions and licences of the program, and what its data folder contains, how large it is, and what can be removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

import msgspec

from .words import translatable

PartKind = Literal["archive", "spills", "backups", "kept", "logs", "other"]
"""What a part of the data folder is: "spills" are the long outputs of tools, "kept" copies that were put aside."""
ItemKind = Literal["conversation", "room", "spills", "backup", "update", "kept", "log"]
"""What can be removed: a deleted conversation for good, room in the archive that nothing uses, long outputs that
nothing refers to, a backup, a copy from before an update or from before a repair or a restore, an older log."""
DataWork = Literal["data", "opening", "model"]
"""What is told how far it is: a backup, a restore, an export or a clean-up; the opening of the archive; the fetching of
the built-in model."""
ITEM_KINDS: tuple[ItemKind, ...] = get_args(ItemKind)


class Backup(msgspec.Struct, frozen=True):
    """A backup, and what it holds."""

    file: str
    at: float
    """When it was made, in seconds since 1970."""
    size: int
    """In bytes."""
    conversations: int = 0
    entries: int = 0
    is_damaged: bool = False
    kept_before: Literal["", "restore", "update"] = ""
    """Before what a copy was kept beside the archive; "" for a backup."""


class StoredPart(msgspec.Struct, frozen=True):
    """A part of the data folder."""

    kind: PartKind
    path: str
    """Of the folder or of the first of its files."""
    size: int
    """In bytes."""
    files: int


class RemovableItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that takes space, and that nothing needs which is on the list of conversations."""

    key: str
    """Its kind, a colon, and the conversation's id or the name of the file; the kind alone where there is only one."""
    kind: ItemKind
    name: str
    """The title of a conversation, or the file's path in the data folder; "" for the others."""
    size: int
    """In bytes; of a conversation what its texts take, without their search index."""
    at: float = 0.0
    """When it was made or changed last, in seconds since 1970; 0 if that says nothing."""
    messages: int = 0
    copies: tuple[str, ...] = ()
    """Keys of the items that still hold the conversation: backups and copies."""


class StoredData(msgspec.Struct, frozen=True):
    """What the data folder holds, and what of it could be removed, the largest of each kind first."""

    folder: str
    log: str
    free: int
    """Bytes that the disk has left."""
    attachments: int
    """Bytes of the archive that messages with attachments take."""
    parts: tuple[StoredPart, ...]
    removable: tuple[RemovableItem, ...]

    @property
    def size(self) -> int:
        """All that is stored, in bytes."""
        return sum(part.size for part in self.parts)


ITEM_NAMES: dict[ItemKind, str] = {
    "conversation": translatable("Deleted conversations"),
    "room": translatable("Unused room in the archive"),
    "spills": translatable("Long outputs that nothing refers to"),
    "backup": translatable("Backups"),
    "update": translatable("Copies from before an update"),
    "kept": translatable("Copies from before a repair or a restore"),
    "log": translatable("Older logs"),
}


def copies_left(items: Iterable[RemovableItem], chosen: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return in which copies each of the chosen conversations is still, once all that is chosen is removed.

    chosen: keys of items. The result has the conversations that are in a copy, by their keys, each with its copies.
    """
    left = {item.key: tuple(key for key in item.copies if key not in chosen) for item in items if item.key in chosen}
    return {key: copies for key, copies in left.items() if copies}


class ProgramPart(msgspec.Struct, frozen=True):
    """A library, or something else that the program is made of."""

    name: str
    version: str
    licence: str
    """As its makers name it, such as "MIT"; "" where they say nothing."""
    family: str
    """Which licences it belongs with, such as "BSD"."""


class ProgramInfo(msgspec.Struct, frozen=True):
    """What is told of the program."""

    version: str
    versions: tuple[tuple[str, str], ...]
    """Of what matters for a report of a bug, each with its name."""
    data: str
    log: str
    parts: tuple[ProgramPart, ...]
    """By family and name."""


def report_of(info: ProgramInfo) -> str:
    """Return the versions and folders as lines for a report of a bug, in English."""
    lines = [("Palimpsest", info.version), *info.versions, ("Data", info.data), ("Log", info.log)]
    return "\n".join(f"{name}: {value}" for name, value in lines)
