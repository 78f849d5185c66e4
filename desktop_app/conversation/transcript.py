"""The record: an append-only sequence of entries. What the model sees of it is folded in `context/view/`.

The collections are persistent: appending costs the work of one element, and every earlier version stays as it was. The
outline of a record, its operations without its messages, is read in milliseconds. Lone surrogates are replaced by
U+FFFD: no UTF-8 can carry them, to the archive or to a provider.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Generic, Literal, TypeGuard, TypeVar, cast, overload

import msgspec

from .memory import Fidelity, Ledger
from .message import Entry, Message, Role, Usage
from .tools import Rule, ToolSpec

T = TypeVar("T")


class Chain(Sequence[T], Generic[T]):
    """An immutable sequence whose versions share one list.

    `append` on the newest version pushes onto the shared list: O(1), nothing copied. On an older version it copies
    first, as a branch. A version sees only its own first elements, so sharing is never visible. Like every value here
    it belongs to one thread at a time while it grows; reading is safe from any.
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
        """Return whether this version grew from `earlier` by appending alone. False may also mean "not known"."""
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
    """A set that only grows, and whose versions share one dictionary, as those of a `Chain` share one list."""

    __slots__ = ("_length", "_shared")

    def __init__(self) -> None:
        self._shared: dict[str, int] = {}
        self._length = 0

    def add(self, name: str) -> GrowingSet:
        """Return this set with that name, which must not be in it."""
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
    """Why room was made."""

    BEFORE_REQUEST = "before_request"
    AFTER_TURN = "after_turn"
    TOOL_RESULT = "tool_result"
    STREAMING = "streaming"
    OVERFLOW = "overflow"
    USER = "user"


class PrunedResult(msgspec.Struct, frozen=True):
    """One tool result as the model sees it from now on. The message itself stays whole in the record."""

    message_id: str
    strategy: str
    text: str


class PrunedInput(msgspec.Struct, frozen=True):
    """The arguments of one tool call as the model sees them from now on: JSON still."""

    message_id: str
    index: int = msgspec.field(name="place")
    """Of the call, among the parts of its message."""
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
        """The messages that it touches, each once."""
        return tuple(dict.fromkeys((*(r.message_id for r in self.results), *(i.message_id for i in self.inputs))))


class Compaction(Entry, frozen=True, kw_only=True, tag="compaction"):
    """Messages archived behind a summary. Tokens are of the assembled request."""

    trigger: Trigger
    strategy: str
    """"extractive", "llm", "last_messages" or "edited"."""
    archived: tuple[str, ...]
    """Ids of the messages that leave the view, in their order."""
    summary: str
    """What stands for them, as Markdown."""
    ledger: Ledger = Ledger()
    fidelity: Fidelity = Fidelity()
    tokens_before: int = 0
    tokens_after: int = 0
    usable: int = 0
    """Tokens that a request could take then; 0 if that was not known, and in older records."""
    seconds: float = 0.0
    model: str = ""
    usage: Usage | None = None
    """What its provider reported for all calls that this took."""
    is_usage_recorded: bool = False
    """Whether `AuxiliaryUsage` entries have it already, so that it is not added twice; False in older records."""
    note: str = ""
    """Why it was not done as it was wanted, in words for the user."""
    plan_id: str = ""
    """Of the plan that it is a step of: its steps are one operation for the user. "" if it is one by itself."""


FailureCause = Literal["too_small", "frees_nothing", "stalled", "error"]


class FailedCompaction(Entry, frozen=True, kw_only=True, tag="failed_compaction"):
    """Room was due, and none could be made; nothing was changed. Tokens are of the assembled request."""

    trigger: Trigger
    cause: FailureCause
    """too_small: what must stay does not fit. frees_nothing: no summary would be shorter than what it replaces.
    stalled: the last compactions freed so little that no other is made unasked. error: what `detail` says."""
    detail: str = ""
    tokens: int = 0
    needed: int = 0
    """Tokens that must stay whatever is archived; 0 if that is not the cause."""
    usable: int = 0
    seconds: float = 0.0


class Flush(Entry, frozen=True, kw_only=True, tag="flush"):
    """Memory that was saved before a compaction; undoing it takes the memories back."""

    memories: tuple[str, ...]
    """Their ids; empty when nothing was worth keeping."""
    texts: tuple[str, ...] = ()
    """What was saved, as it was then."""
    before: str = ""
    """The id of the newest message that was looked at, so that it is not looked at twice."""
    model: str = ""
    usage: Usage | None = None
    trigger: Trigger | None = None
    """None in older records."""


class AuxiliaryUsage(Entry, frozen=True, kw_only=True, tag="upkeep"):
    """A request that Palimpsest made of its own accord, and whose usage no other entry has."""

    purpose: str
    """"title", "digest", "image" or "summary": each request for a summary, whether a compaction came of it or not."""
    model: str
    usage: Usage | None = None
    """None if the provider reported nothing."""


class RequestContext(Entry, frozen=True, kw_only=True, tag="equipment"):
    """What a request carries beside its messages, from here on. The newest one holds.

    It is recorded when it changes, so that the beginning of a request stays the same between.
    """

    tools: tuple[ToolSpec, ...] = ()
    memory: str = ""
    """What is remembered of the user, as it stands behind the system prompt and the instructions; "" for none."""
    system_prompt: str | None = None
    """In place of the system messages of the record; None if those hold."""
    instructions: str = ""
    """Those of its project, which stand behind the system prompt; "" for none."""
    project: str = ""
    """The id of the project whose instructions and memory these are; "" for none."""


class Recalled(Entry, frozen=True, kw_only=True, tag="recalled"):
    """What the archive was found to hold about a user's message. It is sent before that message's own text."""

    for_message_id: str
    """The user's message."""
    text: str
    message_ids: tuple[str, ...] = ()
    """Where the text comes from."""


class Permit(Entry, frozen=True, kw_only=True, tag="permit"):
    """What the user allowed or forbade for this conversation."""

    rule: Rule


class ConversationLink(Entry, frozen=True, kw_only=True, tag="link"):
    """Another conversation in which this one goes on."""

    conversation: str
    title: str
    """As it was then."""
    is_back: bool = False
    """Whether it is the one from which this one came."""


class Imported(Entry, frozen=True, kw_only=True, tag="imported"):
    """The entries behind this one came from another program's file, where the conversation is called `source_id`."""

    program: str
    source_id: str
    file: str
    rest: str = ""  # what has no place here, as it came, in JSON
    entries: int = 0  # how many; 0 in records of versions that did not count them


class Pin(Entry, frozen=True, kw_only=True, tag="pin"):
    """A message that stays in every view, word for word."""

    message_id: str


class Unpin(Entry, frozen=True, kw_only=True, tag="unpin"):
    """The end of a pin."""

    message_id: str


class BringBack(Entry, frozen=True, kw_only=True, tag="bring_back"):
    """Archived messages that the user wants in the view again."""

    message_ids: tuple[str, ...]


class Rewind(Entry, frozen=True, kw_only=True, tag="rewind"):
    """Edit and resend, or regenerate: a branch begins before that message. See `branches.py`."""

    first_message_id: str


class Switch(Entry, frozen=True, kw_only=True, tag="switch"):
    """Another branch is the current one from here on."""

    branch: str
    """The id of the `Rewind` that began it; "" for the first."""


class Continuation(Entry, frozen=True, kw_only=True, tag="continuation"):
    """A reply that was stopped to make room is to be continued, as long as it is the newest message."""

    reply_id: str
    """The message that is to be continued; "" if none is any more."""
    lost_call: str = ""
    """The tool that it was about to call when it was stopped, or ""."""


class Undo(Entry, frozen=True, kw_only=True, tag="undo"):
    """Takes an operation back. Undoing an `Undo` is redo."""

    entry_id: str


AnyEntry = (
    Message
    | Prune
    | Compaction
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
    """Return whether it is an operation that freed tokens here: the summary that a conversation begins with did not."""
    return isinstance(entry, Prune) or (isinstance(entry, Compaction) and bool(entry.archived))


def done_as(operation: Operation) -> str:
    """Return what the operation is counted by: the steps of one plan are one operation to the user."""
    return operation.plan_id or operation.id


def active_entries(entries: Iterable[AnyEntry]) -> list[AnyEntry]:
    """Return the entries that hold: without undone operations and the undoing. An undone `Undo` undoes nothing."""
    entries = list(entries)
    if not any(isinstance(entry, Undo) for entry in entries):
        return entries  # nearly always, of records that may be long
    undone: set[str] = set()
    holding: list[AnyEntry] = []
    for entry in reversed(entries):
        if entry.id in undone:
            continue
        if isinstance(entry, Undo):
            undone.add(entry.entry_id)
        else:
            holding.append(entry)
    return holding[::-1]


GROWING = (Message, Recalled, Permit, Flush, FailedCompaction, AuxiliaryUsage, ConversationLink, Imported, Continuation)
"""Entries that leave what was sent before as it was: they add to the view, or are none of its business."""


class Transcript(msgspec.Struct, frozen=True):
    """All entries of one conversation, in the order in which they happened."""

    entries: Chain[AnyEntry] = msgspec.field(default_factory=lambda: Chain[AnyEntry]())

    def append(self, entry: AnyEntry) -> Transcript:
        return Transcript(self.entries.append(entry))

    def extend(self, entries: tuple[AnyEntry, ...]) -> Transcript:
        chain = self.entries
        for entry in entries:
            chain = chain.append(entry)
        return Transcript(chain)

    def entry(self, entry_id: str) -> AnyEntry | None:
        """Return the entry of that id; searched from the end, where the user looks."""
        return next((e for e in reversed(self.entries) if e.id == entry_id), None)


class RecordOutline(msgspec.Struct, frozen=True):
    """Operations and branches in their order, with messages of which only the id is true."""

    entries: tuple[AnyEntry, ...]
    """Operations, pins, branches and links; of the messages those that not every branch has, and those before a link, a
    flush, or a compaction that archives nothing."""
    numbers: dict[str, int]
    """Of the messages among the entries: their places among all messages of the record."""
    shared: int
    """So many of the first messages are at the same places in every branch."""


def known_by_id(message_id: str) -> Message:
    """Return a message of which nothing else is known."""
    return Message(id=message_id, role=Role.USER)


_encoder = msgspec.json.Encoder()


def replace_surrogates(entry: AnyEntry) -> AnyEntry:
    """Return the entry as it can be stored and sent; itself if it holds no lone surrogate.

    The pair of a character becomes the character.
    """
    try:
        _encoder.encode(entry)
    except UnicodeEncodeError:
        return msgspec.convert(replace_surrogates_in_builtins(entry), type=AnyEntry)
    return entry


def replace_surrogates_in_builtins(value: object) -> Any:
    """Return any value in the same way, as the objects that its JSON is made of."""
    return json.loads(replace_surrogates_in_text(json.dumps(msgspec.to_builtins(value), ensure_ascii=False)))


def replace_surrogates_in_text(text: str) -> str:
    """Return the text without lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
