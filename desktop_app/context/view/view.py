"""The view: the fold of a record into the messages for the model. Nothing else decides what is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import (
    GROWING,
    AnyEntry,
    BringBack,
    Chain,
    Compaction,
    Continuation,
    GrowingSet,
    Pin,
    Prune,
    Recalled,
    RequestContext,
    Transcript,
    Unpin,
    active_entries,
)

from .items import (
    Item,
    ItemKind,
    MessageStatus,
    OpenCall,
    Pruned,
    Repair,
    blocks,
    continuation_item,
    ends_in_text,
    instructions_item,
    is_of_user,
    memory_item,
    messages_of,
    prompt_item,
    recalled_item,
    summary_message,
)
from .normalize import NormalizedSequence, is_thought_alone, missing_result
from .pairing import PairedMessages, arrange_results

_SYSTEM, _ASSISTANT, _TOOL = Role.SYSTEM, Role.ASSISTANT, Role.TOOL  # looked up once: see items.py
_MESSAGE, _ORPHAN = ItemKind.MESSAGE, Repair.ORPHAN_RESULT


class View(msgspec.Struct, frozen=True):
    """The fold of one transcript. Treat it as read-only: its parts are shared with later views."""

    items: Chain[Item]
    """The sent items in order, the system prompt first, then the summary unless it follows a message."""
    open_calls: tuple[OpenCall, ...] = ()
    """Calls of the last assistant message that have no result yet."""
    call_ids: GrowingSet = msgspec.field(default_factory=GrowingSet)
    """Call ids that are in use."""
    stray_ids: frozenset[str] = frozenset()
    """The call ids of results whose call is missing, or has not followed yet."""
    statuses: dict[str, MessageStatus] = {}
    """The status of each message that is not in the view, by id."""
    pins: frozenset[str] = frozenset()
    summary: Compaction | None = None
    request_context: RequestContext = RequestContext()
    """The available tools, the project's instructions, and the memories of the user."""
    recalled: dict[str, Recalled] = {}
    """Recalled messages, by the id of the message for which they were recalled."""
    continuation: Continuation | None = None
    """The request to continue a stopped reply, as long as the reply is the newest message."""
    entries: Chain[AnyEntry] = msgspec.field(default_factory=lambda: Chain[AnyEntry]())
    path: Chain[AnyEntry] = msgspec.field(default_factory=lambda: Chain[AnyEntry]())
    """The entries of the current branch; the same object as `entries` if there is only one."""

    @property
    def messages(self) -> Iterator[Message]:
        """All messages that its items contain."""
        return (message for item in self.items for message in (item.message, *(item.grown or ())))

    @property
    def ledger(self) -> Ledger:
        """The facts kept from all archived messages."""
        return self.summary.ledger if self.summary else Ledger()

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self.request_context.tools

    @property
    def unfinished(self) -> Item | None:
        """The end of the reply that the model is asked to continue."""
        last = self.items[-1] if self.items else None
        wanted = self.continuation is not None and last is not None and last.message.id == self.continuation.reply_id
        return last if wanted and not self.open_calls else None

    @property
    def last_user_id(self) -> str:
        """The id of the newest user message in the view, or ""."""
        newest = (i.message.id for i in reversed(self.items) if is_of_user(i))
        return next(newest, "")


def view_of(transcript: Transcript) -> View:
    """Fold the transcript."""
    fold, branches = _Fold(), Branches(transcript.entries)
    path = Chain(branches.path()) if branches.are_several else transcript.entries
    for entry in active_entries(path):
        fold.add(entry)
    if branches.are_several:
        left = branches.left_messages(path)
        fold.statuses |= {i: MessageStatus(MessageState.ABANDONED, home) for i, home in left.items()}
    return fold.view(transcript.entries, path)


def archived_of(entries: Sequence[AnyEntry]) -> tuple[str, ...]:
    """Return the ids of the messages that are archived at the end of a record."""
    has_archived = any(isinstance(entry, Compaction) for entry in entries)
    return archived_ids(view_of(Transcript(Chain(entries)))) if has_archived else ()


def archived_ids(view: View) -> tuple[str, ...]:
    """Return the ids of the messages that compactions have taken out of the view."""
    return tuple(i for i, status in view.statuses.items() if status.state is MessageState.ARCHIVED)


def newly_archived(before: View, after: View) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Compare two views of a record: return the ids of the messages newly archived, and of those no longer archived."""
    return differences(archived_ids(before), archived_ids(after))


def differences(before: Sequence[str], after: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what only the second one has, and what only the first one has."""
    earlier, later = frozenset(before), frozenset(after)
    return tuple(i for i in after if i not in earlier), tuple(i for i in before if i not in later)


def view_after(view: View, transcript: Transcript) -> View:
    """Return the view of a transcript that grew from the view's own, without a new fold if only messages were added."""
    entries = transcript.entries
    new = entries[len(view.entries) :]
    messages = [entry for entry in new if isinstance(entry, Message)]
    recalled = {entry.for_message_id: entry for entry in new if isinstance(entry, Recalled)}
    late = recalled.keys() - {message.id for message in messages}
    is_growth = (
        entries.extends(view.entries)
        and all(isinstance(entry, GROWING) for entry in new)
        and all(message.role is not Role.SYSTEM for message in messages)
        and not late.intersection(item.message.id for item in (view.items if late else ()))
        and not any(call.call_id in view.stray_ids for message in messages for call in message.tool_calls)
        and not (messages and view.items and messages[0].role is _ASSISTANT and is_thought_alone(view.items[-1]))
    )
    if not is_growth:
        return view_of(transcript)
    last = view.items[-1] if view.items else None
    sequence = NormalizedSequence(last, ends_in_text(view.items), view.open_calls, view.call_ids)
    recalled = {**view.recalled, **recalled} if recalled else view.recalled
    for message in messages:
        if message.role is _TOOL and not sequence.answers(message):
            return view_of(transcript)  # its place is elsewhere
        if message.id in recalled:
            sequence.add(recalled_item(recalled[message.id]))
        sequence.add(Item(message))
    items = view.items
    for item in sequence.items:
        items = items.append(item)
    path = entries
    if view.path is not view.entries:
        path = view.path
        for entry in new:
            path = path.append(entry)
    continuation = next((e for e in reversed(new) if isinstance(e, Continuation)), view.continuation)
    return replace(
        view,
        items=items,
        open_calls=sequence.open_calls,
        call_ids=sequence.call_ids,
        recalled=recalled,
        continuation=continuation,
        entries=entries,
        path=path,
    )


def with_entries(transcript: Transcript, *entries: AnyEntry) -> Transcript:
    """Return a copy of the transcript with the entries added. Other threads may append to the original."""
    return Transcript(Chain([*transcript.entries, *entries]))


def assemble(view: View) -> list[Message]:
    """Return the messages of the request. Open calls are closed, since no provider accepts them."""
    return messages_of((*view.items, *closing_items(view)))


def closing_items(view: View) -> list[Item]:
    """Return results for the calls that have none yet, or the request to continue an unfinished reply."""
    last = view.unfinished
    if last is None or view.continuation is None:
        return [missing_result(call.call, "open") for call in view.open_calls]
    return [continuation_item(last.message, last.text_so_far, view.continuation.lost_call)]


def recorded_reply(view: View) -> list[Message]:
    """Return the messages of the unfinished reply as recorded, in order; in the view it may be shortened."""
    ids = set[str]()
    for item in reversed(view.items if view.unfinished else ()):
        ids.add(item.message.id)
        if item.grown is None:
            break
    found: list[Message] = []
    for entry in reversed(view.path if ids else ()):
        if len(found) == len(ids):
            break
        if isinstance(entry, Message) and entry.id in ids:
            found.append(entry)
    return found[::-1]


def text_to_continue(view: View) -> str:
    """Return the whole text of the unfinished reply, as recorded; "" if the reply is empty or there is none."""
    if view.unfinished is None or view.unfinished.repair is Repair.EMPTY:
        return ""
    return "".join(message.text for message in recorded_reply(view))


def unanswered_ids(view: View) -> frozenset[str]:
    """Return the ids of the results in the view that no reply of the model has followed yet.

    These are the results that were recorded since the newest reply, and the results of its own calls, which follow it
    in the view. A reply that was cut, and may be continued, answers nothing until it is complete.
    """
    newest, since = _since_reply(view)
    is_after, found = newest not in view.statuses, set[str]()
    for item in reversed(view.items):
        message_id = item.message.id
        is_after = is_after and message_id != newest
        if not is_after and not since:
            break
        if message_id in since or is_after:
            since.discard(message_id)
            if item.message.role is _TOOL and item.kind is _MESSAGE and item.repair is not _ORPHAN:
                found.add(message_id)
    return frozenset(found)


def _since_reply(view: View) -> tuple[str, set[str]]:
    """Return the id of the newest complete reply, or "" if there is none, and the ids of the results after it."""
    messages = (entry for entry in reversed(view.path) if isinstance(entry, Message))
    continued_id = view.continuation.reply_id if view.continuation and view.unfinished else ""
    results = set[str]()
    for index, message in enumerate(messages):
        if message.role is _TOOL:
            results.add(message.id)
        elif message.role is _ASSISTANT:
            if message.id != continued_id and not (index == 0 and message.is_interrupted):
                return message.id, results
            continued_id = message.continues
    return "", results


def inseparable_ids(messages: Iterable[Message], wanted: Collection[str]) -> list[str]:
    """Return the ids of the wanted messages and of messages inseparable from them: calls and results, a full reply."""
    sequence = NormalizedSequence()
    _add_arranged(sequence, arrange_results(tuple(messages)), Item)
    runs = ([sequence.items[i] for i in run] for run in blocks(sequence.items))
    together = (run for run in runs if any(item.message.id in wanted for item in run))
    return [item.message.id for run in together for item in run if item.kind is ItemKind.MESSAGE]


def _add_arranged(
    sequence: NormalizedSequence,
    arranged: PairedMessages,
    item_of: Callable[[Message], Item],
    recalled: Mapping[str, Recalled] = MappingProxyType({}),
) -> None:
    """Append the messages in order, each after the messages recalled for it."""
    if not (recalled or arranged.again or arranged.moved):
        for message in arranged.messages:
            sequence.add(item_of(message))
        return
    for message in arranged.messages:
        if message.id in recalled:
            sequence.add(recalled_item(recalled[message.id]))
        if message.id in arranged.again:
            sequence.add_again(item_of(message))
        elif message.id in arranged.moved:
            sequence.add(replace(item_of(message), repair=Repair.MOVED_RESULT))
        else:
            sequence.add(item_of(message))


def _end_of(message_id: str, messages: Sequence[Message]) -> int:
    """Return the index after a message and the results of its calls; 0 if it is not among the messages."""
    found = next((n for n, message in enumerate(messages) if message.id == message_id), -1) if message_id else -1
    end = found + 1
    while 0 < end < len(messages) and messages[end].role is _TOOL:
        end += 1
    return end


def count_repairs(view: View) -> Counter[Repair]:
    """Count the faults of the history that are repaired in the view."""
    return Counter(item.repair for item in view.items if item.repair is not None)


class _Fold:
    """The state of one fold."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.statuses: dict[str, MessageStatus] = {}
        self.shortened: dict[str, Pruned] = {}
        self.pins: set[str] = set()
        self.summary: Compaction | None = None
        self.request_context = RequestContext()
        self.recalled: dict[str, Recalled] = {}
        self.continuation: Continuation | None = None

    def add(self, entry: AnyEntry) -> None:
        match entry:
            case Message():
                self.messages.append(entry)
            case Prune():
                self._shorten(entry)
            case Compaction():
                self.statuses.update(dict.fromkeys(entry.archived, MessageStatus(MessageState.ARCHIVED, entry.id)))
                self.summary = entry
            case Pin():
                self.pins.add(entry.message_id)
            case Unpin():
                self.pins.discard(entry.message_id)
            case BringBack():
                for message_id in entry.message_ids:
                    self.statuses.pop(message_id, None)
            case RequestContext():
                self.request_context = entry
            case Recalled():
                self.recalled[entry.for_message_id] = entry
            case Continuation():
                self.continuation = entry
            case _:
                pass

    def _shorten(self, prune: Prune) -> None:
        for result in prune.results:
            known = self.shortened.get(result.message_id)
            self.shortened[result.message_id] = Pruned(prune.id, result.text, known.arguments if known else ())
        for call in prune.inputs:
            known = self.shortened.get(call.message_id)
            arguments = {**dict(known.arguments if known else ()), call.index: call.arguments}
            text = known.text if known else None
            self.shortened[call.message_id] = Pruned(prune.id, text, tuple(sorted(arguments.items())))

    def view(self, entries: Chain[AnyEntry], path: Chain[AnyEntry]) -> View:
        # A pin is valid even if a compaction from before it is redone.
        lost = {i for i in self.pins if i in self.statuses and self.statuses[i].state is MessageState.ARCHIVED}
        for message_id in inseparable_ids(self.messages, lost) if lost else ():
            self.statuses.pop(message_id, None)
        present = [m for m in self.messages if m.id not in self.statuses] if self.statuses else self.messages
        sequence = NormalizedSequence()
        if self.request_context.system_prompt:
            sequence.add(prompt_item(self.request_context))
        for message in present if self.request_context.system_prompt is None else ():
            if message.role is _SYSTEM:
                sequence.add(self._item(message))
        if self.request_context.instructions:
            sequence.add(instructions_item(self.request_context))
        if self.request_context.memory:
            sequence.add(memory_item(self.request_context))
        arranged = arrange_results([message for message in present if message.role is not _SYSTEM])
        item_of = self._item if self.pins or self.shortened else Item
        if self.summary:
            before = _end_of(self.summary.follows, arranged.messages)
            _add_arranged(sequence, replace(arranged, messages=arranged.messages[:before]), item_of, self.recalled)
            sequence.add(Item(summary_message(self.summary), ItemKind.SUMMARY))
            arranged = replace(arranged, messages=arranged.messages[before:])
        _add_arranged(sequence, arranged, item_of, self.recalled)
        return View(
            Chain(sequence.items),
            sequence.open_calls,
            sequence.call_ids,
            arranged.stray_ids,
            self.statuses,
            frozenset(self.pins),
            self.summary,
            self.request_context,
            self.recalled,
            self.continuation,
            entries,
            path,
        )

    def _item(self, message: Message) -> Item:
        is_pinned, shortened = message.id in self.pins, self.shortened.get(message.id)
        if shortened is None or is_pinned:  # pinned messages are sent verbatim
            return Item(message, is_pinned=is_pinned)
        return Item(shortened.apply_to(message), pruned_by=shortened.operation_id)
