"""The branches of a record: a `Rewind` begins one, a `Switch` goes back to another. An entry is of the current branch.

A branch shares with the one that it left all that came before the message that was replaced. Messages form a tree: the
versions of a message are those that follow the same message.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .message import Message
from .transcript import (
    AnyEntry,
    BringBack,
    Compaction,
    Continuation,
    Pin,
    Prune,
    Recalled,
    Rewind,
    Switch,
    Undo,
    Unpin,
)

FIRST = ""
"""The branch in which a conversation begins."""


class Branch(msgspec.Struct):
    """One branch while a record is read."""

    left: str = FIRST
    """The branch that it left, which had `shared` entries of its own then."""
    shared: int = 0
    replaced: str = ""
    """The message before which it left."""
    limit: int = 0
    """The index of that message: what the other branch says from there on is not shared."""
    own: list[AnyEntry] = msgspec.field(default_factory=list[AnyEntry])
    newest: str = ""
    """The id of its newest message, which the next one follows."""


class Branches:
    """The branches of a record, as its entries are added: each costs O(1), whatever the length of the record."""

    def __init__(self, entries: Iterable[AnyEntry] = ()) -> None:
        self.current = FIRST
        self._branches = {FIRST: Branch()}
        self.homes: dict[str, str] = {}  # the branch of each message, by their ids
        self._indexes: dict[str, int] = {}  # among all messages
        self._followed: dict[str, str] = {}  # the message before it
        self._followers: dict[str, list[str]] = {}  # the messages behind it, one in each branch that leaves there
        self._used = [FIRST]  # branches in the order in which they became the current one; the newest use counts
        for entry in entries:
            self.add(entry)

    def add(self, entry: AnyEntry) -> None:
        """Take in the next entry of the record."""
        if isinstance(entry, Switch):
            if entry.branch in self._branches:
                self._make_current(entry.branch)
        elif isinstance(entry, Rewind):
            self._begin(entry)
        else:
            branch = self._branches[self.current]
            branch.own.append(entry)
            if isinstance(entry, Message):
                self._follow(branch, entry.id)

    def path(self) -> list[AnyEntry]:
        """Return the entries of the current branch in their order, with what it shares with those that it left."""
        left: list[Branch] = []
        name, stop = self.current, len(self._branches[self.current].own)
        stops: list[int] = []
        while name != FIRST:
            branch = self._branches[name]
            left.append(branch)
            stops.append(stop)
            name, stop = branch.left, branch.shared
        path = self._branches[FIRST].own[:stop]
        for branch, stop in zip(reversed(left), reversed(stops), strict=True):
            path = entries_before(path, branch.replaced) + branch.own[:stop]
        return path

    def versions(self, message_id: str) -> tuple[str, ...]:
        """Return the ids of the messages that follow the same message as that one, itself among them, oldest first."""
        return self.followers(self._followed[message_id])

    def followers(self, message_id: str) -> tuple[str, ...]:
        """Return the ids of the messages that follow that one in any branch, oldest first."""
        return tuple(self._followers.get(message_id, ()))

    @property
    def are_several(self) -> bool:
        """Whether there was any other branch than the first."""
        return len(self._branches) > 1

    @property
    def newest(self) -> str:
        """The id of the newest message of the current branch; "" without any."""
        return self._branches[self.current].newest

    def is_current(self, message_id: str) -> bool:
        """Return whether the current branch has that message."""
        return self._has(self.current, message_id)

    def branch_with(self, message_id: str) -> str | None:
        """Return the branch with that message that was the current one last; None for an unknown message."""
        return next((name for name in reversed(self._used) if self._has(name, message_id)), None)

    def _begin(self, rewind: Rewind) -> None:
        left, replaced = self._branches[self.current], rewind.first_message_id
        branch = Branch(self.current, len(left.own), replaced, len(self._indexes), newest=left.newest)
        if self.is_current(replaced):
            branch.limit, branch.newest = self._indexes[replaced], self._followed[replaced]
        self._branches[rewind.id] = branch
        self._make_current(rewind.id)

    def _make_current(self, name: str) -> None:
        self.current = name
        if name in self._used:
            self._used.remove(name)
        self._used.append(name)

    def _follow(self, branch: Branch, message_id: str) -> None:
        self.homes[message_id] = self.current
        self._indexes[message_id] = len(self._indexes)
        self._followed[message_id] = branch.newest
        self._followers.setdefault(branch.newest, []).append(message_id)
        branch.newest = message_id

    def _has(self, name: str, message_id: str) -> bool:
        if (home := self.homes.get(message_id)) is None:
            return False
        index = self._indexes[message_id]
        while name != home:
            branch = self._branches[name]
            if name == FIRST or index >= branch.limit:
                return False
            name = branch.left
        return True


def entries_before(path: list[AnyEntry], message_id: str) -> list[AnyEntry]:
    """Return the path as it is without that message and all messages after it.

    What was done meanwhile stays if it is about the messages that stay: a compaction only if it archived no other, and
    continues the summary of none that did.
    """
    cut = next((n for n in reversed(range(len(path))) if path[n].id == message_id), len(path))
    gone = {entry.id for entry in path[cut:] if isinstance(entry, Message)}
    kept = path[:cut]
    is_summary_gone = False
    for entry in path[cut:]:
        is_compaction = isinstance(entry, Compaction)
        if entry.id in gone or not gone.isdisjoint(subjects_of(entry)) or (is_compaction and is_summary_gone):
            gone.add(entry.id)
            is_summary_gone = is_summary_gone or is_compaction
        else:
            kept.append(entry)
    return kept


def subjects_of(entry: AnyEntry) -> tuple[str, ...]:
    """Return the ids of the entries that this one is about."""
    match entry:
        case Compaction():
            return entry.archived
        case Prune() | BringBack():
            return entry.message_ids
        case Pin() | Unpin():
            return (entry.message_id,)
        case Recalled():
            return (entry.for_message_id,)
        case Continuation():
            return (entry.reply_id,)
        case Undo():
            return (entry.entry_id,)
        case _:
            return ()
