"""Memories of the user, kept from conversation to conversation, and the facts that code keeps of archived messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

MemoryScope = Literal["user", "project", "folder", "conversation"]
"""Where a memory is sent: in every conversation of the user, in those of one project, of one working folder, or in one
alone."""


class Memory(msgspec.Struct, frozen=True):
    """Something worth knowing later, in the words in which it is sent. Times are seconds since 1970, UTC."""

    id: str
    text: str
    at: float
    changed_at: float
    conversation: str = ""
    """Where it was said; "" if the user wrote it."""
    author: str = "user"
    """"model", "rule" or "user"."""
    is_on: bool = True
    """Whether it is sent."""
    is_deleted: bool = False
    """Whether it is hidden, too; it can be restored."""
    scope: MemoryScope = "user"
    folder: str = ""
    """The working folder of the conversation where it was said; "" if it had none."""
    project: str = ""
    """The id of the project of that conversation, as it was then; "" if it was in none."""


def is_valid_in(memory: Memory, conversation: str, folder: str, project: str) -> bool:
    """Return whether a memory may be sent in that conversation, which has that folder and project; "" for none."""
    match memory.scope:
        case "user":
            return True
        case "project":
            return bool(project) and memory.project == project
        case "folder":
            return bool(folder) and memory.folder == folder
        case "conversation":
            return bool(conversation) and memory.conversation == conversation


def memories_in(memories: Iterable[Memory], conversation: str, folder: str, project: str) -> tuple[Memory, ...]:
    """Return the memories that may be sent in that conversation."""
    return tuple(memory for memory in memories if is_valid_in(memory, conversation, folder, project))


def default_scope(folder: str, project: str) -> MemoryScope:
    """Return the scope of a new memory: it stays with the work in which it was said, until the user widens it."""
    if project:
        return "project"
    return "folder" if folder else "conversation"


class Fact(msgspec.Struct, frozen=True, gc=False):
    """Something worth keeping, in its own words, and the message that it was first said in."""

    text: str
    message_id: str


class Superseded(msgspec.Struct, frozen=True, gc=False):
    """A rule that does not hold any more, and the user's later words that replaced it or took it back."""

    text: str
    by: str
    message_id: str


class Ledger(msgspec.Struct, frozen=True):
    """Facts kept verbatim and merged from compaction to compaction, oldest first, without repeats."""

    intents: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    files_edited: tuple[Fact, ...] = ()
    files_read: tuple[Fact, ...] = ()
    commands: tuple[Fact, ...] = ()
    urls: tuple[Fact, ...] = ()
    errors: tuple[Fact, ...] = ()
    identifiers: tuple[Fact, ...] = ()
    questions: tuple[Fact, ...] = ()
    dropped: int = 0
    """How many of the least important facts were left out for want of room."""
    superseded: tuple[Superseded, ...] = ()
    """Rules that later ones replaced; they are not among `rules` any more."""


class Fidelity(msgspec.Struct, frozen=True):
    """What became of the facts of the archived messages. The counts add up to all facts found."""

    verbatim: int = 0
    """Still in the request, outside of the summary."""
    in_summary: int = 0
    recallable: int = 0
    """Only in the archive, found there by search."""
    lost: int = 0
    """Nowhere; `lost_facts` names some of them."""
    lost_facts: tuple[str, ...] = ()
    recallable_rules: tuple[str, ...] = ()
    """Some of the recallable: rules that hold."""
    recallable_facts: tuple[str, ...] = ()
    """Some of the recallable: all else."""
    rules: int = 0
    """Rules that hold, those of earlier compactions too."""
    rules_kept: int = 0
    """Those that the request has word for word."""
    verbatim_facts: tuple[str, ...] = ()
    """Some of them; none in older records, as below."""
    summary_facts: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.verbatim + self.in_summary + self.recallable + self.lost
