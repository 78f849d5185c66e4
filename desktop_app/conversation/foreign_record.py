"""Convert a conversation of another program into a record: its tree becomes messages, rewinds and switches.

All ids are derived from the program's own, so that each import of a conversation gives the same entries, and a later
export only adds new ones to the record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Sequence

from msgspec.structs import replace

from .branches import Branches
from .foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
from .message import Message, Role
from .transcript import AnyEntry, BringBack, Compaction, Imported, Rewind, Switch, Trigger


def conversation_id(foreign: ForeignConversation) -> str:
    """Return the conversation's id after the import, which is the same for each of its exports."""
    return _hashed(foreign.program, foreign.id)


def message_ids(foreign: ForeignConversation) -> tuple[str, ...]:
    """Return the ids after the import of the messages that a person counts."""
    conversation = conversation_id(foreign)
    counted = (e for e in foreign.entries if isinstance(e, ForeignMessage) and e.message.is_counted)
    return tuple(_hashed(conversation, e.id) for e in counted)


def new_entries(foreign: ForeignConversation, file: str, record: Sequence[AnyEntry] = ()) -> list[AnyEntry]:
    """Return the conversation's entries that the record does not yet contain; [] if nothing is new.

    file: the path of its file. The current branch of a record stays the current one; a new record ends in the branch
    that was open in the other program. Messages without times get the time of the one before.
    """
    writer = _RecordWriter(foreign, record)
    for entry in foreign.entries:
        writer.add(entry)
    if not writer.added:
        return []
    writer.end()
    first = writer.added[0]
    origin = Imported(
        id=_hashed(writer.conversation, "imported", first.id),
        at=first.at,
        program=foreign.program,
        source_id=foreign.id,
        file=file,
        rest=foreign.rest,
        entries=len(writer.added),
    )
    return [origin, *writer.added]


def _hashed(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class _RecordWriter:
    """Appends the new messages of a tree to a record."""

    def __init__(self, foreign: ForeignConversation, record: Iterable[AnyEntry]) -> None:
        self.conversation = conversation_id(foreign)
        self.added: list[AnyEntry] = []
        record = list(record)
        self._branches = Branches(record)
        self._known = {entry.id for entry in record}
        self._compactions: dict[str, str] = {}  # by id, the last message that each one archives
        self._current = foreign.current
        self._before = self._branches.current if record else None
        self._at = foreign.created_at
        self._newest = ""

    def add(self, entry: ForeignEntry) -> None:
        """Append the entry after its parent, unless the record contains it."""
        entry_id, parent = self._id(entry.id), self._message_at(entry.parent)
        if isinstance(entry, ForeignCompaction):
            self._compactions[entry_id] = parent
            if entry_id not in self._known:
                self._go_after(parent, entry_id)
                self._append(self._compaction(entry, entry_id))
        else:
            self._newest = entry_id
            if entry_id not in self._known:
                self._go_after(parent, entry_id)
                self._append(self._message(entry, entry_id))

    def end(self) -> None:
        """Restore the current branch: the user's in an existing record, the program's in a new one."""
        current = self._message_at(self._current) or self._newest
        branch = self._before if self._before is not None else self._branches.branch_with(current)
        if branch is not None:
            self._switch_to(branch, _hashed(self.added[-1].id, "end"))

    def _id(self, name: str) -> str:
        return _hashed(self.conversation, name)

    def _message_at(self, parent: str) -> str:
        """Return our id of the message that an entry with the parent follows; "" for none."""
        parent_id = self._id(parent) if parent else ""
        return self._compactions.get(parent_id, parent_id)

    def _go_after(self, parent: str, entry_id: str) -> None:
        """Switch to a branch in which the parent is the newest message: an existing or a new one."""
        if self._branches.newest == parent:
            return
        follower = self._branches.first_follower(parent)
        branch = self._branches.ending_with(parent)
        if branch is None and follower:
            branch = self._branches.branch_with(follower)
        if branch is not None:
            self._switch_to(branch, entry_id)
        if self._branches.newest != parent and follower:
            self._append(Rewind(id=_hashed(entry_id, "rewind"), at=self._at, first_message_id=follower))

    def _switch_to(self, branch: str, cause: str) -> None:
        if branch != self._branches.current:
            self._append(Switch(id=_hashed(cause, "switch"), at=self._at, branch=branch))

    def _append(self, entry: AnyEntry) -> None:
        self.added.append(entry)
        self._known.add(entry.id)
        self._branches.add(entry)

    def _message(self, entry: ForeignMessage, entry_id: str) -> AnyEntry:
        self._at = entry.message.at or self._at
        return replace(entry.message, id=entry_id, at=self._at)

    def _compaction(self, entry: ForeignCompaction, entry_id: str) -> AnyEntry:
        self._at = entry.at or self._at
        kept = {self._id(name) for name in entry.kept}
        earlier, archived_before = "", set[str]()
        for other in self._branches.path():
            if isinstance(other, Compaction):
                archived_before.update(other.archived)
                earlier = f"{other.summary}\n\n" if other.id in kept else ""
            elif isinstance(other, BringBack):
                archived_before.difference_update(other.message_ids)
        if back := [name for name in archived_before if name in kept]:
            self._append(BringBack(id=_hashed(entry_id, "kept"), at=self._at, message_ids=tuple(sorted(back))))
        return Compaction(
            id=entry_id,
            at=self._at,
            trigger=Trigger.BEFORE_REQUEST if entry.is_automatic else Trigger.USER,
            strategy="llm",
            archived=self._messages_but(kept | archived_before),
            summary=earlier + entry.summary,
            tokens_before=entry.tokens_before,
            tokens_after=entry.tokens_after,
            model=entry.model,
            follows=self._id(entry.follows) if entry.follows else "",
        )

    def _messages_but(self, others: Container[str]) -> tuple[str, ...]:
        """Return the ids of the messages of the current branch except system messages and the other ones."""
        path = (entry for entry in self._branches.path() if isinstance(entry, Message))
        return tuple(e.id for e in path if e.role is not Role.SYSTEM and e.id not in others)
