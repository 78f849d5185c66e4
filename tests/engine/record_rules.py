"""What must hold of a record alone: each entry is about what was there when it was appended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.view.view import View, view_after, view_of
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import (
    AnyEntry,
    BringBack,
    Chain,
    Compaction,
    Flush,
    Pin,
    Prune,
    Rewind,
    Transcript,
    Undo,
    Unpin,
    active_entries,
)


class RecordReader:
    """Reads one record as it grows, and tells what is wrong with each entry that is new."""

    def __init__(self) -> None:
        self._transcript = Transcript(Chain[AnyEntry]())
        self._view = view_of(self._transcript)
        self._plans: set[tuple[str, type]] = set()

    def read(self, entries: Sequence[AnyEntry]) -> Iterator[str]:
        """Yield what is wrong with those behind what was read before."""
        for entry in entries[len(self._transcript.entries) :]:
            yield from (f"{type(entry).__name__} {entry.id}: {fault}" for fault in wrong_with(entry, self._view))
            yield from self._plan_used_twice(entry)
            self._transcript = self._transcript.append(entry)
            self._view = view_after(self._view, self._transcript)

    def _plan_used_twice(self, entry: AnyEntry) -> Iterator[str]:
        if isinstance(entry, Prune | Compaction) and entry.plan_id:
            step = entry.plan_id, type(entry)
            if step in self._plans:
                yield f"a {type(entry).__name__} of the plan {entry.plan_id} is there twice"
            self._plans.add(step)


def wrong_with(entry: AnyEntry, view: View) -> Iterator[str]:
    """Yield what such an entry, appended behind that view, is about that is not there."""
    match entry:
        case Message():
            yield from _wrong_with_message(entry, view)
        case Compaction(archived=touched) | Prune(message_ids=touched):
            yield from _unless_in(touched, {item.message.id for item in view.items}, "is not in the view")
        case Pin(message_id=message_id) | Rewind(first_message_id=message_id):
            yield from _unless_in((message_id,), _said(view), "is not in this branch")
        case Unpin(message_id=message_id):
            yield from _unless_in((message_id,), view.pins, "is not pinned")
        case BringBack(message_ids=touched):
            archived = {i for i, status in view.statuses.items() if status.state is MessageState.ARCHIVED}
            yield from _unless_in(touched, archived, "is not archived")
            if not touched:
                yield "it brings nothing back"
        case Undo(entry_id=undone):
            # What was saved to memory is so in every branch.
            every = [*active_entries(view.path), *(e for e in active_entries(view.entries) if isinstance(e, Flush))]
            undos = [e for e in view.entries if isinstance(e, Undo)]
            yield from _unless_in((undone,), {e.id for e in (*every, *undos)}, "does not hold")
        case Flush(before=before):
            flushed = [e.before for e in active_entries(view.path) if isinstance(e, Flush)]
            if before in flushed:
                yield f"what is up to {before} was saved already"
        case _:
            pass


def _wrong_with_message(message: Message, view: View) -> Iterator[str]:
    open_ids = [call.recorded_id for call in view.open_calls]
    if message.tool_result is not None:
        yield from _unless_in((message.tool_result.call_id,), open_ids, "is no call that waits for its result")
    elif open_ids:
        yield f"it stands between the calls {open_ids} and their results"
    if message.role is Role.ASSISTANT and message.as_of in {e.id for e in view.entries}:  # else it is a copy
        yield from _unless_in((message.as_of,), {e.id for e in view.path}, "is not in the branch of its answer")


def _said(view: View) -> set[str]:
    return {entry.id for entry in view.path if isinstance(entry, Message)}


def _unless_in(touched: Sequence[str], there: object, what: str) -> Iterator[str]:
    yield from (f"{one} {what}" for one in touched if one not in there)  # type: ignore[operator]
