"""What is done about a provider's error before the user is troubled with it (S5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import msgspec
from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import measured_on, room_made
from desktop_app.chat.ports import ErrorKind, ModelError
from desktop_app.chat.session import Session, stamped
from desktop_app.context.compact.drop_results import drop_results
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import RetryScheduled, RoomEnded, RoomStarted, TurnEvent
from desktop_app.conversation.transcript import Trigger

WAITS: dict[ErrorKind, tuple[float, ...]] = {
    "rate_limit": (2.0, 4.0, 8.0, 16.0),
    "server": (1.0, 2.0, 4.0, 8.0),
    "connection": (0.5, 1.0),
    "timeout": (1.0,),
    "cut": (0.5,),
}
"""Seconds before each repetition. What is not named here would fail in the same way again: a key, a quota, a filter."""
WAIT_MOST = 60.0
"""Seconds: if a provider wants to be left alone for longer, the user is told instead."""


class Tried(msgspec.Struct, frozen=True):
    """What was done already about the errors of one request."""

    waits: int = 0
    rooms: int = 0
    sheds: int = 0


class Wait(msgspec.Struct, frozen=True):
    """Ask again after some seconds."""

    seconds: float


class MakeRoom(msgspec.Struct, frozen=True):
    """Prune and compact, then ask again."""


class Shed(msgspec.Struct, frozen=True):
    """Drop that share of the tool results, then ask again."""

    share: float


class GiveUp(msgspec.Struct, frozen=True):
    """Tell the user."""


Reaction = Wait | MakeRoom | Shed | GiveUp


def reaction_to(
    error: ModelError, tried: Tried, policy: ContextPolicy, is_automatic: bool, has_arrived: bool
) -> Reaction:
    """What to do next. is_automatic: off is off, nothing is shortened then. has_arrived: something of the reply was
    shown already: it is kept, and the user decides, since another attempt would say it twice."""
    if has_arrived:
        return GiveUp()
    if error.is_overflow:
        return _to_overflow(tried, policy) if is_automatic else GiveUp()
    waits = WAITS.get(error.kind, ())
    if tried.waits >= len(waits):
        return GiveUp()
    seconds = waits[tried.waits] if error.retry_after is None else max(error.retry_after, 0.0)
    return Wait(seconds) if seconds <= WAIT_MOST else GiveUp()


def _to_overflow(tried: Tried, policy: ContextPolicy) -> Reaction:
    if tried.rooms < policy.overflow_retries:
        return MakeRoom()
    return Shed(policy.overflow_shed[tried.sheds]) if tried.sheds < len(policy.overflow_shed) else GiveUp()


async def recovered(
    session: Session,
    attempt: Callable[[], AsyncGenerator[TurnEvent, None]],
    has_arrived: Callable[[], bool],
    is_automatic: bool,
) -> AsyncGenerator[TurnEvent, None]:
    """The events of an attempt, which is repeated as long as that helps. No tool runs within an attempt, so nothing
    is done twice. Raises ModelError, the first one where making room was no help; WindowTooSmall; ArchiveError."""
    tried, first = Tried(), None
    while True:
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    yield event
            return
        except ModelError as error:
            first, refused = first or error, error
        session.learn_limit(refused)
        reaction = reaction_to(refused, tried, session.policy, is_automatic, has_arrived())
        match reaction:
            case Wait(seconds):
                yield RetryScheduled(session.id, refused.failure.title, seconds, tried.waits + 1)
                await asyncio.sleep(seconds)
                tried = replace(tried, waits=tried.waits + 1)
            case MakeRoom():
                async with aclosing(_room(session)) as events:
                    async for event in events:
                        yield event
                tried = replace(tried, rooms=tried.rooms + 1)
            case Shed(share):
                async for event in _shed(session, share):
                    yield event
                tried = replace(tried, sheds=tried.sheds + 1)
            case GiveUp():
                raise first if refused.is_overflow else refused


async def _room(session: Session) -> AsyncGenerator[TurnEvent, None]:
    """Room, as much as can be made; that it is not enough is for the provider to say."""
    try:
        async with aclosing(room_made(session, Trigger.OVERFLOW)) as events:
            async for event in events:
                yield event
    except WindowTooSmall:
        return


async def _shed(session: Session, share: float) -> AsyncGenerator[TurnEvent, None]:
    yield RoomStarted(session.id, Trigger.OVERFLOW)
    step = await asyncio.to_thread(drop_results, session.view, session.policy, session.counts, share)
    current = measured_on(session, step, session.transcript, session.view) if step else None
    if current is not None:
        yield await session.record_operation(stamped(current), cause=Trigger.OVERFLOW)
        yield session.gauge_changed()
    yield RoomEnded(session.id)
