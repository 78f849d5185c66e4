"""Undo, redo, bring back, pin and unpin, each recorded as an entry; and the messages to edit, answer or continue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from desktop_app.context.view.view import archived_ids, inseparable_ids
from desktop_app.conversation.events import Failure, MessageRow, TurnEvent
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import (
    AnyEntry,
    BringBack,
    Compaction,
    Operation,
    Pin,
    StandingSummary,
    Undo,
    Unpin,
    active_entries,
)
from desktop_app.conversation.words import translatable

from .ports import WorldError
from .session import Session, stamp

Step = Operation | BringBack | StandingSummary


async def undo(session: Session, operation_id: str) -> list[TurnEvent]:
    """Record an `Undo` for each active step of the operation, the newest first. Idempotent.

    For a flush, see `memory_flusher.undo_flush`.
    """
    async with session.changes:
        active = {entry.id for entry in active_entries(session.view.path)}
        steps = [step for step in _steps(session, operation_id) if step.id in active]
        return await _record_undos(session, reversed(steps), steps)


async def redo(session: Session, operation_id: str) -> list[TurnEvent]:
    """Undo the undo of an operation. Idempotent."""
    async with session.changes:
        steps = _steps(session, operation_id)
        undos = [undo for step in steps if (undo := active_undo(session, step.id)) is not None]
        return await _record_undos(session, undos, steps)


async def _record_undos(session: Session, undone: Iterable[AnyEntry], steps: Sequence[Step]) -> list[TurnEvent]:
    """Record undos of these entries, if there are any. steps: the steps of the operation that is undone or redone."""
    undos = [Undo(entry_id=entry.id) for entry in undone]
    brought_back = next((step.id for step in steps if isinstance(step, BringBack)), "")
    return await _record(session, *undos, brought_back=brought_back) if undos else []


def _steps(session: Session, operation_id: str) -> Sequence[Step]:
    """Return the steps of an operation in the current branch; a `BringBack` or `StandingSummary` is its only step."""
    if isinstance(alone := session.transcript.entry(operation_id), BringBack | StandingSummary):
        return [alone]
    return steps_of(session.view.path, _operation(session, operation_id))


def active_undo(session: Session, entry_id: str) -> Undo | None:
    """Return the newest undo of that entry that was not itself undone; None if the entry is active."""
    dead: set[str] = set()
    for entry in reversed(session.view.path):
        if isinstance(entry, Undo) and entry.id not in dead:
            if entry.entry_id == entry_id:
                return entry
            dead.add(entry.entry_id)
    return None


async def bring_back(session: Session, message_ids: tuple[str, ...]) -> list[TurnEvent]:
    """Return archived messages to the view, tool calls together with their results."""
    async with session.changes:
        back = _back(session, message_ids)
        return await _record(session, *back, brought_back=back[0].id) if back else []


def _back(session: Session, message_ids: tuple[str, ...]) -> list[BringBack]:
    """Return the entry that brings these messages back; none if none of them is archived in this branch."""
    archived = set(archived_ids(session.view))
    recorded = (entry for entry in session.view.path if isinstance(entry, Message))
    wanted = [i for i in inseparable_ids(recorded, archived.intersection(message_ids)) if i in archived]
    return [stamp(BringBack(message_ids=tuple(wanted)))] if wanted else []


async def pin(session: Session, message_id: str) -> list[TurnEvent]:
    """Pin a message, after bringing it back if it is archived: pinned messages are in every view.

    Does nothing for a system message, which is in every view anyway, unless the user has replaced it.
    """
    async with session.changes:
        message = session.message(message_id)
        if message is None or not session.branches.is_current(message_id):  # the user may just have switched branches
            raise not_found(translatable("This message"))
        if message.role is Role.SYSTEM:
            return []
        pins = [] if message_id in session.view.pins else [Pin(message_id=message_id)]
        entries = [*_back(session, (message_id,)), *pins]
        return await _record(session, *entries) if entries else []


async def unpin(session: Session, message_id: str) -> list[TurnEvent]:
    """Unpin a message."""
    async with session.changes:
        is_pinned = message_id in session.view.pins
        return await _record(session, Unpin(message_id=message_id)) if is_pinned else []


def messages_touched_by(session: Session, operation_id: str, query: str) -> tuple[MessageRow, ...]:
    """Return the messages that an operation archived or pruned and that contain all words of the query.

    For a plan that did both, only the archived ones: the others are still in the chat.
    """
    operation = steps_of(session.transcript.entries, _operation(session, operation_id))[-1]
    if isinstance(operation, Compaction):
        rows = session.rows(operation.archived)
    else:
        rows = session.rows(operation.message_ids)
    words = query.casefold().split()
    return tuple(row for row in rows if all(word in row.message.text.casefold() for word in words))


async def _record(
    session: Session, *entries: Undo | BringBack | Pin | Unpin, brought_back: str = ""
) -> list[TurnEvent]:
    changed = await session.record_operation(*map(stamp, entries))
    return [replace(changed, brought_back=brought_back), session.gauge_changed()]


def steps_of(entries: Iterable[AnyEntry], operation: Operation) -> list[Operation]:
    """Return the steps that the user sees as one operation: all steps of its plan, in order, or only this one."""
    if not operation.plan_id:
        return [operation]
    return [e for e in entries if isinstance(e, Operation) and e.plan_id == operation.plan_id]


def _operation(session: Session, operation_id: str) -> Operation:
    operation = session.transcript.entry(operation_id)
    if not isinstance(operation, Operation):
        raise not_found(translatable("This operation"))
    return operation


def not_found(what: str) -> WorldError:
    """Return the error for an id that is not in the record."""
    return WorldError(
        Failure(
            kind="not_found",
            title=translatable("{what} is not in this conversation").format(what=what),
            advice=translatable("Open the conversation again."),
        )
    )


NOTHING_ASKED = Failure(
    "bad_input",
    translatable("There is no message to answer"),
    kept=translatable("Nothing was changed."),
    advice=translatable("Write a message first."),
)


NOTHING_CUT = Failure(
    "bad_input",
    translatable("There is no reply to continue"),
    kept=translatable("Nothing was changed."),
    advice=translatable("Only the newest reply can be continued."),
)


def message_to_edit(session: Session, message_id: str) -> Message:
    """Return the user message with that id. Raises WorldError if it is not in the current branch."""
    message = session.message(message_id)
    if message is None or message.role is not Role.USER or not session.branches.is_current(message_id):
        raise not_found(translatable("This message"))
    return message


def broken_reply(session: Session) -> Message | None:
    """Return the first part of the newest reply, if it broke off and nothing came after it.

    Raises WorldError if there is no user message to answer.
    """
    if not session.view.last_user_id:
        raise WorldError(NOTHING_ASKED)
    newest = session.view.items[-1].message if session.view.items else None
    while newest is not None and newest.continues and (before := session.message(newest.continues)) is not None:
        newest = before
    is_broken = newest is not None and newest.role is Role.ASSISTANT and session.message(newest.id) is not None
    return newest if is_broken else None


def cut_reply(session: Session) -> Message:
    """Return the newest message of the current branch. Raises WorldError unless it is a reply that can be continued."""
    newest = session.recorded.branch[-1] if session.recorded.branch else None
    if newest is None or not newest.can_continue or newest.id in session.view.statuses:
        raise WorldError(NOTHING_CUT)
    return newest


def first_answer(session: Session, reply_id: str = "") -> Message | None:
    """Return the message after the user message that this reply answers; None if there is none yet.

    reply_id: "" for the newest user message. Raises WorldError if there is no user message, or the reply is in another
    branch.
    """
    if reply_id and not session.branches.is_current(reply_id):
        raise not_found(translatable("This message"))
    recorded = [entry for entry in session.view.path if isinstance(entry, Message)]
    ids = [message.id for message in recorded]
    newest = reply_id or session.view.last_user_id
    until = ids.index(newest) if newest in ids else -1
    asked = next((n for n in range(until, -1, -1) if recorded[n].role is Role.USER), None)
    if asked is None:
        raise WorldError(NOTHING_ASKED)
    return recorded[asked + 1] if asked + 1 < len(recorded) else None
