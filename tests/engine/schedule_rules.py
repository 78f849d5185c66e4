"""What always holds, whatever was done in whatever order: a line for each thing that does not (docs/design.md, 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace
from simulated_engine import SimulatedEngine
from what_must_hold import chat_in, misplaced, parted

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.gauge import Gauge, Status
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.engine import protocol as p
from request_rules import legal_for_all
from stores import at_once


def shape_of(view: View) -> tuple[Any, ...]:
    """All of a view that a request or the window is made of."""
    items = tuple((item.kind, item.message, item.pruned_by) for item in view.items)
    return items, view.statuses, view.pins, view.summary, view.request_context, view.recalled, view.open_calls


def always(engine: SimulatedEngine) -> Iterator[str]:
    """What holds at every moment, also in the middle of a turn."""
    for session in engine.sessions():
        if session.closed_by:
            continue
        entries, stored = tuple(session.transcript.entries), at_once(engine.store.entries(session.id))
        if entries != stored[: len(entries)]:
            yield f"{session.id}: the session has other entries than the archive, from {_parting(entries, stored)} on"
        if shape_of(session.view) != shape_of(view_of(Transcript(Chain(entries)))):
            yield f"{session.id}: the view is not the fold of its record"
        yield from (f"{session.id}: {fault}" for fault in engine.records[session.id].read(stored))


def _parting(one: tuple[Any, ...], other: tuple[Any, ...]) -> str:
    index = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"{index} of {len(one)}/{len(other)}: {one[index : index + 1]} {other[index : index + 1]}"[:300]


def at_rest(engine: SimulatedEngine) -> Iterator[str]:
    """What holds once nothing is under way."""
    for session in engine.sessions():
        if not session.closed_by:
            yield from _session_at_rest(engine, session)
    unrecorded = {reply for reply, text in engine.shown.items() if text.strip()}
    for conversation in engine.conversations:
        try:
            said = [entry for entry in engine.read_again(conversation) if isinstance(entry, Message)]
        except WorldError:
            continue
        twice = [i for i, count in Counter(message.id for message in said).items() if count > 1]
        yield from (f"message {i} is in the record twice" for i in twice)
        unrecorded -= {message.id for message in said}
        for message in said:
            shown = engine.shown.get(message.id)
            if shown is not None and message.text != shown and not message.tool_calls:
                yield f"reply {message.id} was shown as {shown!r} and recorded as {message.text!r}"
    yield from (f"reply {reply} was shown, and is in no record" for reply in unrecorded)
    yield from unrecorded_answers(engine)
    yield from (f"a bug: {bug!r}" for bug in engine.bugs)
    yield from (f"the loop reports: {context}" for context in engine.loop.errors)


def unrecorded_answers(engine: SimulatedEngine) -> Iterator[str]:
    """Yield what a tool has found and the record has not."""
    for answered in engine.answered:
        record = engine.read_again(answered.conversation)
        results = [e.tool_result for e in record if isinstance(e, Message) and e.tool_result is not None]
        if not any(result.text.startswith(answered.words) for result in results):
            yield f"{answered.words!r} of {answered.call} is not in the record of {answered.conversation}"


def _session_at_rest(engine: SimulatedEngine, session: Session) -> Iterator[str]:
    entries, stored = tuple(session.transcript.entries), engine.read_again(session.id)
    if entries != stored:
        yield f"{session.id}: another process reads other entries: {_parting(entries, stored)}"
    view = session.view
    said = [entry for entry in view.path if isinstance(entry, Message)]
    yield from parted(view, said)
    yield from misplaced(view, said)
    if view.open_calls:
        yield f"{session.id}: calls without a result at rest: {view.open_calls}"
    if view.unfinished is not None:
        yield f"{session.id}: a reply that is to be continued at rest"
    if any(message.role is Role.USER for message in said):
        yield from (f"{session.id}: the request is not legal: {problem}" for problem in legal_for_all(chat_in(view)))
    gauge = session.counter.gauge()
    if gauge.total != sum(gauge.segments.values()):
        yield f"{session.id}: the gauge's segments are not its total"
    if session.changes.locked():
        yield f"{session.id}: its lock is held at rest"
    yield from _otherwise_than_read_again(session)
    archived = {i for i, status in view.statuses.items() if status.state is MessageState.ARCHIVED}
    if archived != (marked := engine.marked_as_archived(session.id)):
        yield f"{session.id}: the archive's marks and the view differ in {archived ^ marked}"
    waiting = {queued.id for queued in engine.chats.turns.queue.state(session.id).queue}
    if both := waiting & {message.id for message in session.recorded.by_id.values()}:
        yield f"{session.id}: {both} wait, and are recorded"


def _otherwise_than_read_again(session: Session) -> Iterator[str]:
    """Yield what a session that reads the record now shows otherwise than this one, which followed it."""
    entries, model = tuple(session.transcript.entries), session.model
    fresh = Session(
        session.info, entries, model, session.counter.chosen_policy, session.archive, session.setup, session.project
    )
    fresh.counter.learned = session.counter.learned  # which no record has
    pairs = {
        "rows": [[replace(r, tokens=0) for r in one.page(one.total, one.total)] for one in (session, fresh)],
        "operations": [one.operations() for one in (session, fresh)],
        "totals": [one.totals() for one in (session, fresh)],
        "pins": [[row.message.id for row in one.pins()] for one in (session, fresh)],
        "other versions": [one.other_versions() for one in (session, fresh)],
        "counted": [one.recorded.counted for one in (session, fresh)],
    }
    if session.counter.is_as_recorded:
        pairs["gauge"] = [one.counter.gauge() for one in (session, fresh)]
    for name, (followed, read) in pairs.items():
        if followed != read:
            yield f"{session.id}: {name} as followed {followed!r}, as read again {read!r}"


async def opened_anew(engine: SimulatedEngine) -> list[str]:
    """What a window that opens each conversation now shows otherwise than one that followed the events."""
    found: list[str] = []
    for conversation in list(engine.conversations):
        is_followed = engine.is_followed(conversation)
        before = () if is_followed else engine.read_again(conversation)
        await engine.look_anew(conversation, partial(_compare, engine, found, is_followed, before))
    return found


def _compare(
    engine: SimulatedEngine, found: list[str], is_followed: bool, before: object, opened: p.ConversationOpened
) -> None:
    conversation = opened.conversation.id
    is_as_it_was = is_followed or before == engine.read_again(conversation)
    gauge_of = _whole if is_followed else _without_policy if is_as_it_was else _nothing
    found += engine.mirror.differences(opened, gauge_of)
    if not is_followed:  # from now on it is, from these figures on
        engine.mirror.open(opened)
        engine.note_told(conversation)


def _whole(gauge: Gauge | None) -> object:
    return gauge


def _without_policy(gauge: Gauge | None) -> object:
    """What the record decides: another policy may have been chosen while the conversation was not in memory."""
    return gauge and replace(gauge, thresholds=(), status=Status.SAFE)


def _nothing(_gauge: Gauge | None) -> object:
    """Nothing, where opening it has recorded what was changed while it was not in memory."""
    return None


async def undone_exactly(engine: SimulatedEngine, session: Session) -> list[str]:
    """Undo the newest operation: the view is as if it had never been recorded. Redo it: as it was."""
    rows = [
        r for r in session.operations() if r.kind in ("prune", "compaction") and not (r.is_undone or r.is_elsewhere)
    ]
    if not rows:
        return []
    before, operation, found = session.view, session.transcript.entry(rows[-1].id), list[str]()
    plan = getattr(operation, "plan_id", "")
    steps = {e.id for e in before.path if e is operation or (plan and getattr(e, "plan_id", "") == plan)}
    without = view_of(Transcript(Chain(entry for entry in before.path if entry.id not in steps)))
    await engine.ask(p.UndoOperation(session.id, rows[-1].id))
    if shape_of(session.view)[:4] != _shape_on_path(without, session.view):
        found.append(f"undoing {rows[-1].id} of {session.id} does not give back what was there")
    await engine.ask(p.RedoOperation(session.id, rows[-1].id))
    if shape_of(session.view) != shape_of(before):
        found.append(f"redoing {rows[-1].id} of {session.id} does not give back what was there")
    return found


def _shape_on_path(view: View, whole: View) -> tuple[Any, ...]:
    """The shape of a view that was folded from one branch alone: messages of others are abandoned."""
    elsewhere = {i: status for i, status in whole.statuses.items() if i not in {e.id for e in view.path}}
    items, statuses, pins, summary, *_ = shape_of(view)
    return items, elsewhere | statuses, pins, summary
