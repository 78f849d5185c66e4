"""The record: an append-only sequence of entries, which `context/view/` folds into the model's view.

The collections are persistent: appending costs the work of one element, and does not change earlier versions. The
outline of a record, its operations without its messages, is read in milliseconds. Lone surrogates are replaced by
U+FFFD, since UTF-8 cannot encode them for the archive or a provider.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Generic, Literal, TypeGuard, TypeVar, cast, overload

import msgspec
from msgspec.structs import replace

from .memory import Fact, Fidelity, FileRead, Ledger, Superseded, WorkItem
from .message import Entry, Message, ProviderSummary, Role, Usage
from .tools import Rule, ToolSpec

T = TypeVar("T")


class Chain(Sequence[T], Generic[T]):
    """An immutable sequence whose versions share one list.

    `append` on the newest version appends to the shared list in O(1), without copying. On an older version it copies
    first, as a branch. A version sees only its own first elements, so sharing is never visible. Like all values here,
    it may only grow in one thread at a time; reading is safe from any thread.
    """

    __slots__ = ("_length", "_shared")

    def __init__(self, elements: Iterable[T] = ()) -> None:
        self._shared: list[T] = list(elements)
        self._length = len(self._shared)

    def append(self, element: T) -> Chain[T]:
        grown = Chain[T]()
        grown._shared = self._shared if len(self._shared) == self._length else self._shared[: self._length]
        grown._shared.append(element)
        grown._length = self._length + 1
        return grown

    def extends(self, earlier: Chain[T]) -> bool:
        """Return whether this version grew from `earlier` only by appending. False may also mean "unknown"."""
        return self._shared is earlier._shared and self._length >= earlier._length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return list(self)[index] if index.step else self._shared[slice(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._shared[index if index >= 0 else self._length + index]

    def __iter__(self) -> Iterator[T]:
        return islice(self._shared, self._length)

    def __reversed__(self) -> Iterator[T]:
        shared = self._shared
        for position in range(self._length - 1, -1, -1):
            yield shared[position]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and list(self) == list(cast("Chain[T]", other))

    def __hash__(self) -> int:
        return hash((self._length, self._shared[self._length - 1] if self._length else None))

    def __repr__(self) -> str:
        return f"Chain({list(self)!r})"


class GrowingSet:
    """A set that only grows, and whose versions share one dictionary, as versions of a `Chain` share one list."""

    __slots__ = ("_length", "_shared")

    def __init__(self) -> None:
        self._shared: dict[str, int] = {}
        self._length = 0

    def add(self, name: str) -> GrowingSet:
        """Return the set with a name added, which must not be in it."""
        grown = GrowingSet()
        grown._shared = self._shared if len(self._shared) == self._length else self._copy()
        grown._shared[name] = self._length
        grown._length = self._length + 1
        return grown

    def _copy(self) -> dict[str, int]:
        return {name: index for name, index in self._shared.items() if index < self._length}

    def __contains__(self, name: str) -> bool:
        return self._shared.get(name, self._length) < self._length

    def __len__(self) -> int:
        return self._length


class Trigger(StrEnum):
    """The occasion on which room is made."""

    BEFORE_REQUEST = "before_request"
    AFTER_TURN = "after_turn"
    TOOL_RESULT = "tool_result"
    STREAMING = "streaming"
    OVERFLOW = "overflow"
    IDLE = "idle"
    USER = "user"


class PrunedResult(msgspec.Struct, frozen=True):
    """The new text of a tool result, or a cut reply, in the view. The message in the record is not changed."""

    message_id: str
    strategy: str
    text: str


class PrunedInput(msgspec.Struct, frozen=True):
    """The new arguments of a tool call in the view, also as JSON."""

    message_id: str
    index: int = msgspec.field(name="place")
    """Index of the call among the parts of its message."""
    strategy: str
    arguments: str


class Prune(Entry, frozen=True, kw_only=True, tag="prune"):
    """Old tool results and inputs shortened in the view. Tokens are of the assembled request."""

    trigger: Trigger
    results: tuple[PrunedResult, ...] = ()
    inputs: tuple[PrunedInput, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0
    usable: int = 0
    """As of a `Compaction`."""
    plan_id: str = ""
    """As of a `Compaction`."""

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The messages that it changes, each once."""
        return tuple(dict.fromkeys((*(r.message_id for r in self.results), *(i.message_id for i in self.inputs))))


class Compaction(Entry, frozen=True, kw_only=True, tag="compaction"):
    """Messages archived and replaced by a summary. Tokens are of the assembled request."""

    trigger: Trigger
    strategy: str
    """"extractive", "llm", "last_messages" or "edited"; "provider" or "encrypted" if the provider wrote its own."""
    archived: tuple[str, ...]
    """Ids of the messages that leave the view, in order."""
    summary: str
    """The summary that replaces them, as Markdown."""
    ledger: Ledger = Ledger()
    fidelity: Fidelity = Fidelity()
    tokens_before: int = 0
    tokens_after: int = 0
    usable: int = 0
    """The usable window in tokens at the time; 0 if it was unknown, and in older records."""
    seconds: float = 0.0
    model: str = ""
    usage: Usage | None = None
    """Usage that the provider reported for all calls for the summary."""
    is_usage_recorded: bool = False
    """Whether `AuxiliaryUsage` entries contain the usage, so that it is not added twice; False in older records."""
    note: str = ""
    """Why it was not done as requested, in words for the user; "" if it was."""
    plan_id: str = ""
    """The id of the plan of which it is a step, and whose steps are one operation for the user; "" for none."""
    follows: str = ""
    """The id of the message that the summary follows in the view; "" if it comes first, as all but imported ones do."""
    by_provider: ProviderSummary | None = None
    """The summary in the form of the provider that wrote it; None for others."""


class StandingSummary(Entry, frozen=True, kw_only=True, tag="standing"):
    """A summary written ahead, for the next compaction. It changes nothing in the view."""

    message_ids: tuple[str, ...]
    """Ids of the messages that it summarizes, in order."""
    summary: str
    follows: str = ""
    """The id of the compaction whose summary it includes; "" for none. It is of no use after another compaction."""
    extends: str = ""
    """The id of the standing summary into which newer messages were folded; "" if it was written as a whole."""
    added: int = 0
    """Messages that were folded in; 0 if it was written as a whole."""
    seconds: float = 0.0
    model: str = ""
    usage: Usage | None = None
    """Of all calls for it, which `AuxiliaryUsage` entries contain as well."""


FailureCause = Literal["too_small", "frees_nothing", "stalled", "error"]


class FailedCompaction(Entry, frozen=True, kw_only=True, tag="failed_compaction"):
    """Room was due, and none could be made; nothing was changed. Tokens are of the assembled request."""

    trigger: Trigger
    cause: FailureCause
    """too_small: the messages that must stay do not fit. frees_nothing: no summary would be shorter than the messages
    that it replaces. stalled: the last compactions freed too little for another automatic one. error: see `detail`."""
    detail: str = ""
    tokens: int = 0
    needed: int = 0
    """Tokens that must stay in any case; 0 if that is not the cause."""
    usable: int = 0
    seconds: float = 0.0


class Flush(Entry, frozen=True, kw_only=True, tag="flush"):
    """Memories that were saved before a compaction; undoing the flush removes them."""

    memories: tuple[str, ...]
    """Ids of the memories; empty if nothing was worth saving."""
    texts: tuple[str, ...] = ()
    """Texts of the memories at that time."""
    before: str = ""
    """The id of the newest message that was searched, so that it is not searched twice."""
    model: str = ""
    usage: Usage | None = None
    trigger: Trigger | None = None
    """None in older records."""


class AuxiliaryUsage(Entry, frozen=True, kw_only=True, tag="upkeep"):
    """A request by Palimpsest itself, whose usage is in no other entry."""

    purpose: str
    """"title", "digest", "image" or "summary": each request for a summary, with or without a compaction; "chat" for a
    reply that another program wrote down without its usage at first."""
    model: str
    usage: Usage | None = None
    """None if the provider reported nothing."""


class RequestContext(Entry, frozen=True, kw_only=True, tag="equipment"):
    """The content of requests besides messages, from here on. The newest one applies.

    It is recorded when it changes, so that the beginning of requests stays the same in between.
    """

    tools: tuple[ToolSpec, ...] = ()
    memory: str = ""
    """Memories of the user, which follow the system prompt and the instructions; "" for none."""
    system_prompt: str | None = None
    """Replacement of the record's system messages; None if they are used."""
    instructions: str = ""
    """The project's instructions, which follow the system prompt; "" for none."""
    project: str = ""
    """The id of the project of these instructions and memories; "" for none."""


class Recalled(Entry, frozen=True, kw_only=True, tag="recalled"):
    """Text from the archive about a user's message, which is sent before the message's own text."""

    for_message_id: str
    """The id of the user's message."""
    text: str
    message_ids: tuple[str, ...] = ()
    """Ids of the messages that the text quotes."""


class Permit(Entry, frozen=True, kw_only=True, tag="permit"):
    """A rule by which the user allowed or forbade calls in this conversation."""

    rule: Rule


class ConversationLink(Entry, frozen=True, kw_only=True, tag="link"):
    """Another conversation that continues this one."""

    conversation: str
    title: str
    """The title at that time."""
    is_back: bool = False
    """Whether the link leads back to the conversation that this one continues."""


class Imported(Entry, frozen=True, kw_only=True, tag="imported"):
    """Marks the entries after it as imported from another program's file, in which the conversation is `source_id`."""

    program: str
    source_id: str
    file: str
    rest: str = ""  # other data of the conversation, in JSON
    entries: int = 0  # number of imported entries; 0 in records of older versions


class Pin(Entry, frozen=True, kw_only=True, tag="pin"):
    """A message that stays in every view, verbatim."""

    message_id: str


class Unpin(Entry, frozen=True, kw_only=True, tag="unpin"):
    """The end of a pin."""

    message_id: str


class BringBack(Entry, frozen=True, kw_only=True, tag="bring_back"):
    """Archived messages that the user has returned to the view."""

    message_ids: tuple[str, ...]


class Rewind(Entry, frozen=True, kw_only=True, tag="rewind"):
    """The start of a branch before a message, to edit and resend or to regenerate it. See `branches.py`."""

    first_message_id: str


class Switch(Entry, frozen=True, kw_only=True, tag="switch"):
    """A change of the current branch."""

    branch: str
    """The id of the `Rewind` that began the branch; "" for the first one."""


class Continuation(Entry, frozen=True, kw_only=True, tag="continuation"):
    """A reply that was stopped to make room, to be continued as long as it is the newest message."""

    reply_id: str
    """The id of the reply to continue; "" to cancel the continuation."""
    lost_call: str = ""
    """The tool that it was about to call when it was stopped; "" for none."""


class Undo(Entry, frozen=True, kw_only=True, tag="undo"):
    """Reverts an operation. Undoing an `Undo` is redo."""

    entry_id: str


AnyEntry = (
    Message
    | Prune
    | Compaction
    | StandingSummary
    | FailedCompaction
    | Flush
    | AuxiliaryUsage
    | RequestContext
    | Recalled
    | Permit
    | ConversationLink
    | Imported
    | Pin
    | Unpin
    | BringBack
    | Rewind
    | Switch
    | Continuation
    | Undo
)
Operation = Prune | Compaction


def makes_room(entry: AnyEntry) -> TypeGuard[Operation]:
    """Return whether the entry is an operation that freed tokens; a summary at a conversation's beginning did not."""
    return isinstance(entry, Prune) or (isinstance(entry, Compaction) and bool(entry.archived))


def done_as(operation: Operation) -> str:
    """Return the id by which the operation is counted: the steps of a plan are one operation for the user."""
    return operation.plan_id or operation.id


def active_entries(entries: Iterable[AnyEntry]) -> list[AnyEntry]:
    """Return the active entries: without undone operations and their `Undo`. An undone `Undo` has no effect."""
    entries = list(entries)
    if not any(isinstance(entry, Undo) for entry in entries):
        return entries  # nearly always; records may be long
    undone: set[str] = set()
    active: list[AnyEntry] = []
    for entry in reversed(entries):
        if entry.id in undone:
            continue
        if isinstance(entry, Undo):
            undone.add(entry.entry_id)
        else:
            active.append(entry)
    return active[::-1]


GROWING = (
    *(Message, Recalled, Permit, Flush, FailedCompaction, AuxiliaryUsage),
    *(StandingSummary, ConversationLink, Imported, Continuation),
)
"""Entries that do not change the earlier part of the view: they add to it, or do not concern it."""


class Transcript(msgspec.Struct, frozen=True):
    """All entries of a conversation, in chronological order."""

    entries: Chain[AnyEntry] = msgspec.field(default_factory=lambda: Chain[AnyEntry]())

    def append(self, entry: AnyEntry) -> Transcript:
        return Transcript(self.entries.append(entry))

    def extend(self, entries: tuple[AnyEntry, ...]) -> Transcript:
        chain = self.entries
        for entry in entries:
            chain = chain.append(entry)
        return Transcript(chain)

    def entry(self, entry_id: str) -> AnyEntry | None:
        """Return the entry with the id; searched from the end, which users look at."""
        return next((e for e in reversed(self.entries) if e.id == entry_id), None)


FIELDS_WITH_IDS: dict[type[msgspec.Struct], tuple[str, ...]] = {
    Message: ("continues", "as_of"),
    Prune: ("results", "inputs"),
    PrunedResult: ("message_id",),
    PrunedInput: ("message_id",),
    Compaction: ("archived", "ledger", "follows"),
    Ledger: tuple(name for name in Ledger.__struct_fields__ if name != "dropped"),
    Fact: ("message_id",),
    FileRead: ("message_id",),
    WorkItem: ("message_id",),
    Superseded: ("message_id",),
    StandingSummary: ("message_ids", "follows", "extends"),
    Flush: ("before",),
    Recalled: ("for_message_id", "message_ids"),
    Pin: ("message_id",),
    Unpin: ("message_id",),
    BringBack: ("message_ids",),
    Rewind: ("first_message_id",),
    Switch: ("branch",),
    Continuation: ("reply_id",),
    Undo: ("entry_id",),
}
"""The fields that refer to other entries by id, directly or in the values that they consist of."""


def with_new_ids(entry: AnyEntry, ids: Mapping[str, str]) -> AnyEntry:
    """Return a copy of the entry in which it, and the entries that it refers to, have new ids.

    ids: new ids by the old ones. Other references stay, such as those to messages of another conversation.
    """
    return cast("AnyEntry", _with_new_ids(replace(entry, id=ids.get(entry.id, entry.id)), ids))


def _with_new_ids(value: object, ids: Mapping[str, str]) -> object:
    """Return an id, or a value with ids in it, after replacing them."""
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, tuple):
        return tuple(_with_new_ids(element, ids) for element in cast("tuple[object, ...]", value))
    assert isinstance(value, msgspec.Struct)
    names = FIELDS_WITH_IDS.get(type(value), ())
    return replace(value, **{name: _with_new_ids(getattr(value, name), ids) for name in names})


class RecordOutline(msgspec.Struct, frozen=True):
    """Operations and branches in order, with messages of which only the id is known."""

    entries: tuple[AnyEntry, ...]
    """Operations, pins, branches and links; and the messages that are not in every branch, or before a link, a flush,
    or a compaction that archives nothing."""
    numbers: dict[str, int]
    """Indexes of the entries' messages among all messages of the record, by id."""
    shared: int
    """Number of first messages that have the same index in every branch."""


def known_by_id(message_id: str) -> Message:
    """Return a message of which only the id is known."""
    return Message(id=message_id, role=Role.USER)


_encoder = msgspec.json.Encoder()


def replace_surrogates(entry: AnyEntry) -> AnyEntry:
    """Return the entry without lone surrogates, so that it can be stored and sent; the entry itself if it has none.

    A pair of surrogates becomes its character.
    """
    try:
        _encoder.encode(entry)
    except UnicodeEncodeError:
        return msgspec.convert(replace_surrogates_in_builtins(entry), type=AnyEntry)
    return entry


def replace_surrogates_in_builtins(value: object) -> Any:
    """Return any value without lone surrogates, converted to JSON's built-in types."""
    return json.loads(replace_surrogates_in_text(json.dumps(msgspec.to_builtins(value), ensure_ascii=False)))


def replace_surrogates_in_text(text: str) -> str:
    """Return the text without lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
