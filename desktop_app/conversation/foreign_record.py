"""Convert a conversation of another program into a record: its tree becomes messages, rewinds and switches.

All ids are derived from the program's own, so that each import of a conversation gives the same entries, and a later
export only adds new ones to the record. A reply that was imported while it was being written is continued by what it
has more later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Sequence
from typing import Any, cast

from msgspec.structs import replace

from .branches import Branches
from .foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
from .message import Message, Role, Usage
from .transcript import AnyEntry, AuxiliaryUsage, BringBack, Compaction, Imported, Rewind, Switch, Trigger

CHAT = "chat"
"""The purpose of a request for a reply, as the figures of usage have it."""


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

    file: the path of its file. The record ends in the branch that was open in the other program, unless the user has
    written or gone to another branch here. Messages without times get the time of the one before.
    """
    writer = _RecordWriter(foreign, record)
    for entry in foreign.entries:
        writer.add(entry)
    writer.end()
    if not writer.added:
        return []
    first = writer.added[0]
    origin = Imported(
        id=_hashed(writer.conversation, "imported", first.id),
        at=first.at,
        program=foreign.program,
        source_id=foreign.id,
        file=file,
        rest=_new_rest(foreign.rest, record),
        entries=len(writer.added),
    )
    return [origin, *writer.added]


def _hashed(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _new_rest(rest: str, record: Iterable[AnyEntry]) -> str:
    """Return the fields of the rest that earlier imports did not have, as JSON."""
    earlier = [entry.rest for entry in record if isinstance(entry, Imported) and entry.rest]
    if not earlier or not rest:
        return rest
    left: Any = json.loads(rest)
    for known in earlier:
        left = _without(left, json.loads(known))
    return json.dumps(left, ensure_ascii=False, separators=(",", ":")) if left else ""


def _without(value: Any, known: Any) -> Any:
    """Return the fields of an object that the other one does not have, or has with another value."""
    if not isinstance(value, dict) or not isinstance(known, dict):
        return cast("Any", value)
    fields, others = cast("dict[str, Any]", value), cast("dict[str, Any]", known)
    left = {name: _without(each, others.get(name)) for name, each in fields.items() if each != others.get(name)}
    return {name: each for name, each in left.items() if each != {}}


def _usage_left(whole: Usage | None, known: Usage | None) -> Usage | None:
    """Return the usage that a message has more than was imported; None if that is nothing."""
    if whole is None or known is None or whole == known:
        return whole if known is None else None
    return replace(
        whole,
        prompt_tokens=max(0, whole.prompt_tokens - known.prompt_tokens),
        reply_tokens=max(0, whole.reply_tokens - known.reply_tokens),
        cached_tokens=max(0, whole.cached_tokens - known.cached_tokens),
        cache_written_tokens=max(0, whole.cache_written_tokens - known.cache_written_tokens),
        reasoning_tokens=max(0, whole.reasoning_tokens - known.reasoning_tokens),
        dollars=None,
    )


def _is_as_imported(record: Iterable[AnyEntry]) -> bool:
    """Return whether imports alone have written messages and opened branches last."""
    is_imported, left = True, 0
    for entry in record:
        if isinstance(entry, Imported):
            left = entry.entries
            continue
        if isinstance(entry, Message | Rewind | Switch):
            is_imported = left > 0
        left -= 1
    return is_imported


class _RecordWriter:
    """Appends the new messages of a tree to a record."""

    def __init__(self, foreign: ForeignConversation, record: Iterable[AnyEntry]) -> None:
        self.conversation = conversation_id(foreign)
        self.added: list[AnyEntry] = []
        record = list(record)
        self._branches = Branches(record)
        self._known = {entry.id for entry in record}
        self._messages = {entry.id: entry for entry in record if isinstance(entry, Message)}
        self._size = len(record)
        self._compactions: dict[str, str] = {}  # by id, the last message that each one archives
        compactions = {e.id for e in foreign.entries if isinstance(e, ForeignCompaction)}
        self._followers = {e.parent: self._id(e.id) for e in reversed(foreign.entries) if e.parent in compactions}
        self._continued: dict[str, str] = {}  # messages after which the rest of a reply was added: that rest
        self._rests: dict[str, list[str]] = {}  # by the first part of a reply, the rests that were added
        self._current = foreign.current
        self._before = None if _is_as_imported(record) else self._branches.current
        self._at = foreign.created_at
        self._newest = ""

    def add(self, entry: ForeignEntry) -> None:
        """Append the entry after its parent, unless the record contains it."""
        entry_id, parent = self._id(entry.id), self._message_at(entry.parent)
        if isinstance(entry, ForeignCompaction):
            self._compactions[entry_id] = parent
            if entry_id not in self._known:
                self._go_to_end(parent, self._followers.get(entry.id, ""), entry_id)
                self._append(self._compaction(entry, entry_id, parent))
        else:
            self._newest = entry_id
            if known := self._messages.get(entry_id):
                self._continue(entry.message, known)
            elif entry_id not in self._known:
                self._go_after(parent, entry_id)
                self._append(self._message(entry, entry_id))

    def _go_to_end(self, parent: str, follower: str, entry_id: str) -> None:
        """Switch to a branch that ends in the parent, or in what an earlier import added after it."""
        branch = self._branches.branch_with(follower) if follower in self._messages else None
        if branch is None:
            self._go_after(parent, entry_id)
        else:
            self._switch_to(branch, entry_id)

    def _continue(self, whole: Message, known: Message) -> None:
        """Append the parts that a reply has more than when it was imported, as its continuation."""
        if whole.role is not Role.ASSISTANT:
            return
        if whole.parts == known.parts:
            self._add_usage(whole, known)
            return
        parts, position = known.parts, known.id
        while more := self._messages.get(_hashed(known.id, "grown", str(len(parts)))):
            parts, position = (*parts, *more.parts), more.id
            self._continued[self._branches.followed_by(more.id)] = more.id
            self._rests.setdefault(known.id, []).append(more.id)
        if len(parts) >= len(whole.parts) or whole.parts[: len(parts)] != parts:
            return
        self._at = whole.at or self._at
        name = _hashed(known.id, "grown", str(len(parts)))
        after = self._end_of_results(position)
        self._go_after(after, name)
        self._continued[after] = name
        self._rests.setdefault(known.id, []).append(name)
        usage = _usage_left(whole.usage, known.usage)
        parts = whole.parts[len(parts) :]
        self._append(replace(whole, id=name, parts=parts, at=self._at, continues=position, usage=usage))

    def _add_usage(self, whole: Message, known: Message) -> None:
        """Append the usage of a reply that was imported before the program wrote it down."""
        name = _hashed(known.id, "usage")
        if known.usage is None and whole.usage is not None and name not in self._known:
            self._append(
                AuxiliaryUsage(id=name, at=whole.at or self._at, purpose=CHAT, model=whole.model, usage=whole.usage)
            )

    def _end_of_results(self, message_id: str) -> str:
        """Return the last of the results that follow a message; the message itself if none does."""
        while follower := self._branches.first_follower(message_id):
            if follower not in self._messages or self._messages[follower].role is not Role.TOOL:
                break
            message_id = follower
        return message_id

    def end(self) -> None:
        """Restore the current branch: the user's in an existing record, the program's in a new one."""
        current = self._message_at(self._current) or self._newest
        branch = self._before if self._before is not None else self._branches.branch_with(current)
        if branch is not None:
            cause = self.added[-1].id if self.added else _hashed(self.conversation, str(self._size))
            self._switch_to(branch, _hashed(cause, "end"))

    def _id(self, name: str) -> str:
        return _hashed(self.conversation, name)

    def _message_at(self, parent: str) -> str:
        """Return our id of the message that an entry with the parent follows; "" for none."""
        parent_id = self._id(parent) if parent else ""
        parent_id = self._compactions.get(parent_id, parent_id)
        while parent_id in self._continued:
            parent_id = self._continued[parent_id]
        return parent_id

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

    def _compaction(self, entry: ForeignCompaction, entry_id: str, parent: str) -> AnyEntry:
        """Return the compaction. What an earlier import added after its parent is kept."""
        self._at = entry.at or self._at
        kept = {self._id(name) for name in entry.kept} | self._after(parent)
        kept |= {rest for name in kept & self._rests.keys() for rest in self._rests[name]}
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

    def _after(self, message_id: str) -> set[str]:
        """Return the ids of the messages of the current branch after the given one; none if it is not in the branch."""
        path = [entry.id for entry in self._branches.path() if isinstance(entry, Message)]
        return set(path[path.index(message_id) + 1 :]) if message_id in path else set()

    def _messages_but(self, others: Container[str]) -> tuple[str, ...]:
        """Return the ids of the messages of the current branch except system messages and the other ones."""
        path = (entry for entry in self._branches.path() if isinstance(entry, Message))
        return tuple(e.id for e in path if e.role is not Role.SYSTEM and e.id not in others)
