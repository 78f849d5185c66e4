"""The branches of a record: a `Rewind` begins one, a `Switch` returns to another. Entries belong to the current branch.

A branch shares with its parent everything before the replaced message. Messages form a tree: the versions of a message
are the messages that follow the same one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

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
    StandingSummary,
    Switch,
    Undo,
    Unpin,
)

FIRST = ""
"""The name of the branch in which a conversation begins."""


class Branch(msgspec.Struct):
    """A branch, as far as the record has been read."""

    left: str = FIRST
    """The parent branch, which had `shared` entries of its own then."""
    shared: int = 0
    replaced: str = ""
    """The id of the message before which it begins."""
    limit: int = 0
    """The index of that message, from which the parent's messages are not shared."""
    own: list[AnyEntry] = msgspec.field(default_factory=list[AnyEntry])
    newest: str = ""
    """The id of its newest message, which the next one follows."""


class MessageRun(msgspec.Struct, frozen=True):
    """Successive messages of one branch, recorded without another branch in between."""

    start: int
    """The index of the first message, among all messages."""
    branch: str
    follows: str
    """The id of the message that the first one follows."""


class Branches:
    """The branches of a record, to which entries are added in O(1), independent of the record's length."""

    def __init__(self, entries: Iterable[AnyEntry] = ()) -> None:
        self.current = FIRST
        self._branches = {FIRST: Branch()}
        self._here = self._branches[FIRST]
        self._ids: list[str] = []  # of all messages
        self._indexes: dict[str, int] = {}
        self._runs = [MessageRun(0, FIRST, "")]
        self._following = {"": [0]}  # the indexes of the runs that follow a message
        self._used = [FIRST]  # branches by their latest use as the current one
        for entry in entries:
            self.add(entry)

    def add(self, entry: AnyEntry) -> None:
        """Add the next entry of the record."""
        if isinstance(entry, Message):
            self._here.own.append(entry)
            self._here.newest = entry.id
            self._indexes[entry.id] = len(self._ids)
            self._ids.append(entry.id)
        elif isinstance(entry, Rewind):
            self._begin(entry)
        elif not isinstance(entry, Switch):
            self._here.own.append(entry)
        elif entry.branch in self._branches:
            self._make_current(entry.branch)

    def path(self) -> list[AnyEntry]:
        """Return the entries of the current branch in order, including those shared with its ancestors."""
        left: list[tuple[Branch, int]] = []
        name, stop = self.current, len(self._here.own)
        while name != FIRST:
            branch = self._branches[name]
            left.append((branch, stop))
            name, stop = branch.left, branch.shared
        path = self._branches[FIRST].own[:stop]
        for branch, stop in reversed(left):
            leave_before(path, branch.replaced)
            path += branch.own[:stop]
        return path

    def versions(self, message_id: str) -> tuple[str, ...]:
        """Return the ids of the messages that follow the same message as the given one, including it, oldest first."""
        return self.followers(self.followed_by(message_id)) if self.are_several else (message_id,)

    def followers(self, message_id: str) -> tuple[str, ...]:
        """Return the ids of the messages that follow the given one in any branch, oldest first."""
        return tuple(self._ids[index] for index in self._follower_indexes(message_id))

    def first_follower(self, message_id: str) -> str:
        """Return the id of the oldest message that follows the given one; "" for none."""
        return next((self._ids[index] for index in self._follower_indexes(message_id)), "")

    def _follower_indexes(self, message_id: str) -> Iterator[int]:
        """Yield the indexes of the messages that follow the given one, oldest first.

        A follower in the message's own run is older than followers that begin other runs.
        """
        index = self._indexes.get(message_id)
        if index is not None and index + 1 < self._end(self._run(index)):
            yield index + 1
        yield from (
            self._runs[n].start for n in self._following.get(message_id, ()) if self._runs[n].start < self._end(n)
        )

    @property
    def are_several(self) -> bool:
        """Whether there is any branch but the first."""
        return len(self._branches) > 1

    @property
    def newest(self) -> str:
        """The id of the newest message of the current branch; "" if there is none."""
        return self._here.newest

    def is_current(self, message_id: str) -> bool:
        """Return whether the current branch contains the message."""
        return self._has(self.current, message_id)

    def branch_with(self, message_id: str) -> str | None:
        """Return the most recently used branch with the message; None for an unknown message."""
        return next((name for name in reversed(self._used) if self._has(name, message_id)), None)

    def ending_with(self, message_id: str) -> str | None:
        """Return the most recently used branch whose newest message is the given one; None if there is none."""
        return next((name for name in reversed(self._used) if self._branches[name].newest == message_id), None)

    def left_messages(self, path: Iterable[AnyEntry]) -> dict[str, str]:
        """Return the ids of the messages that are not in the path, with the branch of each."""
        left = self._indexes.keys() - {entry.id for entry in path}
        return {message_id: self._runs[self._run(self._indexes[message_id])].branch for message_id in left}

    def _begin(self, rewind: Rewind) -> None:
        if rewind.id in self._branches:  # in a damaged archive: a branch cannot be its own ancestor
            return
        left, replaced = self._here, rewind.first_message_id
        branch = Branch(self.current, len(left.own), replaced, len(self._ids), newest=left.newest)
        if self.is_current(replaced):
            branch.limit, branch.newest = self._indexes[replaced], self.followed_by(replaced)
        self._branches[rewind.id] = branch
        self._make_current(rewind.id)

    def _make_current(self, name: str) -> None:
        self.current, self._here = name, self._branches[name]
        self._following.setdefault(self._here.newest, []).append(len(self._runs))
        self._runs.append(MessageRun(len(self._ids), name, self._here.newest))
        if name in self._used:
            self._used.remove(name)
        self._used.append(name)

    def _run(self, index: int) -> int:
        """Return the run with the message at the index. Of runs that begin there, all but the last are empty."""
        return bisect_right(self._runs, index, key=lambda run: run.start) - 1

    def _end(self, run: int) -> int:
        """Return the index after the last message of a run."""
        return self._runs[run + 1].start if run + 1 < len(self._runs) else len(self._ids)

    def followed_by(self, message_id: str) -> str:
        """Return the id of the message before the given one; "" for a first one."""
        index = self._indexes[message_id]
        run = self._runs[self._run(index)]
        return run.follows if index == run.start else self._ids[index - 1]

    def _has(self, name: str, message_id: str) -> bool:
        index = self._indexes.get(message_id)
        if index is None:
            return False
        home = self._runs[self._run(index)].branch
        while name != home:
            branch = self._branches[name]
            if name == FIRST or index >= branch.limit:
                return False
            name = branch.left
        return True


def entries_before(path: Iterable[AnyEntry], message_id: str) -> list[AnyEntry]:
    """Return the path without the message and all messages after it; see `leave_before`."""
    kept = list(path)
    leave_before(kept, message_id)
    return kept


def leave_before(path: list[AnyEntry], message_id: str) -> None:
    """Remove the message and all messages after it from the path.

    Later operations stay if they concern only messages that stay: a compaction only if it archived no other messages,
    and does not continue the summary of a removed one. A `BringBack` stays for messages that the path archives.
    """
    cut = next((n for n in reversed(range(len(path))) if path[n].id == message_id), len(path))
    after = path[cut:]
    del path[cut:]
    archived = _archived_by(path) if any(isinstance(entry, BringBack) for entry in after) else set[str]()
    removed = {entry.id for entry in after if isinstance(entry, Message)}
    is_summary_removed = False
    for entry in after:
        is_removed = entry.id in removed or not removed.isdisjoint(subjects_of(entry))
        if isinstance(entry, BringBack):
            entry = replace(entry, message_ids=tuple(i for i in entry.message_ids if i in archived))
            is_removed = not entry.message_ids
        elif isinstance(entry, Compaction):
            is_summary_removed = is_removed = is_removed or is_summary_removed
            archived.update(() if is_removed else entry.archived)
        if is_removed:
            removed.add(entry.id)
        else:
            path.append(entry)


def _archived_by(path: Iterable[AnyEntry]) -> set[str]:
    """Return the ids of all messages that compactions of the path archive."""
    return {i for entry in path if isinstance(entry, Compaction) for i in entry.archived}


def subjects_of(entry: AnyEntry) -> tuple[str, ...]:
    """Return the ids of the entries that the entry concerns."""
    match entry:
        case Compaction():
            return entry.archived
        case StandingSummary():
            return entry.message_ids
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
