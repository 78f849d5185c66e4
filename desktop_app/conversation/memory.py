"""Memories of the user, kept from conversation to conversation, and the facts that code keeps of archived messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

MemoryScope = Literal["user", "project", "folder", "conversation"]
"""The conversations in which a memory is sent: all, those with its project, those with its working folder, or only its
own."""


class Memory(msgspec.Struct, frozen=True):
    """A fact for later conversations, in the words in which it is sent. Times are seconds since 1970, UTC."""

    id: str
    text: str
    at: float
    changed_at: float
    conversation: str = ""
    """The id of the conversation it comes from; "" if the user wrote it."""
    author: str = "user"
    """"model", "rule" or "user"."""
    is_on: bool = True
    """Whether it is sent."""
    is_deleted: bool = False
    """Whether it is also hidden; it can be restored."""
    scope: MemoryScope = "user"
    folder: str = ""
    """The working folder of its conversation; "" for none."""
    project: str = ""
    """The id of its conversation's project at that time; "" for none."""


def is_valid_in(memory: Memory, conversation: str, folder: str, project: str) -> bool:
    """Return whether a memory may be sent in a conversation. folder, project: the conversation's; "" for none."""
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
    """Return the memories that may be sent in a conversation."""
    return tuple(memory for memory in memories if is_valid_in(memory, conversation, folder, project))


def default_scope(folder: str, project: str) -> MemoryScope:
    """Return the scope of a new memory, which belongs to its project or folder until the user widens it."""
    if project:
        return "project"
    return "folder" if folder else "conversation"


class Fact(msgspec.Struct, frozen=True, gc=False):
    """A fact in its original words, and the id of the first message with it."""

    text: str
    message_id: str


class FileRead(Fact, frozen=True, gc=False):
    """A file that was read, by its path, and the id of the newest message that read it."""

    lines: tuple[str, ...] = ()
    """The parts that were read, such as "40-120"; none if all of it was."""


WorkState = Literal["finished", "in progress", "pending", "not allowed", "wrong"]
"""The state of a piece of work; "wrong": a claim of the model that was contradicted."""


class WorkItem(msgspec.Struct, frozen=True, gc=False):
    """A request, an item of a plan, a call that was not allowed, or a claim, and the message that says so."""

    text: str
    state: WorkState
    message_id: str
    note: str = ""
    """What contradicted a claim."""
    is_planned: bool = False
    """Whether it belongs to a plan that the model keeps, and changes with it."""
    key: str = ""
    """Its number in that plan, if the plan is changed by numbers."""


class Superseded(msgspec.Struct, frozen=True, gc=False):
    """A superseded rule, and the user's later sentence that replaced it or took it back."""

    text: str
    by: str
    message_id: str


class Ledger(msgspec.Struct, frozen=True):
    """Facts kept verbatim and merged from compaction to compaction, oldest first, without repeats."""

    rules: tuple[Fact, ...] = ()
    files_edited: tuple[Fact, ...] = ()
    files_read: tuple[FileRead, ...] = ()
    commands: tuple[Fact, ...] = ()
    urls: tuple[Fact, ...] = ()
    errors: tuple[Fact, ...] = ()
    identifiers: tuple[Fact, ...] = ()
    questions: tuple[Fact, ...] = ()
    dropped: int = 0
    """Number of less important facts that were left out."""
    superseded: tuple[Superseded, ...] = ()
    """Rules that were superseded, and are no longer among `rules`."""
    work: tuple[WorkItem, ...] = ()


class Fidelity(msgspec.Struct, frozen=True):
    """What became of the facts of the archived messages. The counts add up to all facts found."""

    verbatim: int = 0
    """Facts that are still in the request, outside the summary."""
    in_summary: int = 0
    recallable: int = 0
    """Facts that are only in the archive, where search finds them."""
    lost: int = 0
    """Facts that cannot be found; `lost_facts` contains some of them."""
    lost_facts: tuple[str, ...] = ()
    recallable_rules: tuple[str, ...] = ()
    """Some of the recallable facts: current rules."""
    recallable_facts: tuple[str, ...] = ()
    """Some of the recallable facts: all others."""
    rules: int = 0
    """Current rules, including rules from earlier compactions."""
    rules_kept: int = 0
    """Current rules that the request contains verbatim."""
    verbatim_facts: tuple[str, ...] = ()
    """Some of the verbatim facts; none in older records, as below."""
    summary_facts: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.verbatim + self.in_summary + self.recallable + self.lost
