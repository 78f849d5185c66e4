"""One request and what streams back: what has arrived is told at once, kept every half second, and watched (S3)."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from desktop_app.chat.ports import ModelError, Piece, ReplyEnd, TextPiece, WorldError
from desktop_app.chat.session import Session
from desktop_app.context.counting.breakdown import add_tokens
from desktop_app.conversation.events import Failure, GaugeChanged, ReasoningDelta, ReplyStarted, TextDelta, TurnEvent
from desktop_app.conversation.gauge import Gauge, Provenance
from desktop_app.conversation.message import Usage

from .reply_bounds import ReplyBounds, bounded
from .reply_in_flight import KEEP_EVERY, ReplyInFlight, with_pauses
from .request import Request
from .should_interrupt import is_worth_stopping
from .stream_guard import STREAMS, Shown, State, StreamGuard, limits_of

GAUGE_EVERY = 0.1
"""Seconds between two figures of a reply that streams."""
DOUBT = {Provenance.MEASURED: 0.01}
"""Of the request: by how much the provider may count more. Some refuse a request whose longest reply would not fit."""
DOUBT_ELSE = 0.05


async def reply_streamed(
    session: Session,
    reply: ReplyInFlight,
    request: Request,
    guard: StreamGuard | None = None,
    is_automatic: bool = False,
    is_modest: bool = False,
) -> AsyncGenerator[TurnEvent, None]:
    """Sends the request and grows `reply`, event by event, until the guard is STOPPING or DONE.

    is_automatic: whether the reply may be stopped to make room. is_modest: see `longest_reply`.
    Raises ModelError, where the guard does not go on with what had arrived; WorldError when the window is full.
    What had arrived stays in `reply`.
    """
    guard = guard or StreamGuard(session.counts.text)
    gauge, told_at = request.gauge, 0.0
    reply.as_of = request.as_of
    most, is_capped = longest_reply(session, gauge, is_modest)
    limits = limits_of(session.policy, session.budget.window, is_automatic, session.calibration.factor)
    guard.begun(limits, gauge.total, reply.before, is_capped)
    yield GaugeChanged(session.id, gauge)  # of what is sent, also where something was recorded a moment ago
    if not reply.is_told:
        reply.is_told = True
        yield ReplyStarted(session.id, reply.id, session.model_info.label, reply.continues)
    try:
        async with aclosing(_arriving(session, reply, request, most)) as arriving:
            async for piece in arriving:
                for event in shown_in(session, reply, taken(guard, reply, piece)):
                    yield event
                if guard.state is State.WEIGHING:
                    guard.weighed(await is_worth_stopping(session, reply, guard))
                if time.monotonic() - told_at >= GAUGE_EVERY:
                    told_at = time.monotonic()
                    yield _grown(session, gauge, guard)
                if guard.state not in STREAMS:
                    break
    except ModelError as error:
        for event in shown_in(session, reply, guard.failed(error.is_overflow)):
            yield event
        if guard.state is not State.STOPPING:
            raise
    yield _grown(session, gauge, guard)
    if guard.is_exceeded:
        raise limit_exceeded(guard.used, limits.window)


def taken(guard: StreamGuard, reply: ReplyInFlight, piece: Piece) -> tuple[Shown, ...]:
    """What the guard lets through of that piece; how the reply ended, if it did, is noted."""
    shown = guard.arrived(piece)
    if isinstance(piece, ReplyEnd):
        reply.usage = piece.usage
        if guard.end is not None:
            reply.add(guard.end)
    return shown


def shown_in(session: Session, reply: ReplyInFlight, shown: Iterable[Shown]) -> list[TurnEvent]:
    """What is shown is what will be stored."""
    events: list[TurnEvent] = []
    for piece in shown:
        reply.add(piece)
        kind = TextDelta if isinstance(piece, TextPiece) else ReasoningDelta
        events.append(kind(session.id, reply.id, piece.text))
    return events


async def _arriving(session: Session, reply: ReplyInFlight, request: Request, most: int) -> AsyncGenerator[Piece, None]:
    """The pieces of the provider's stream. While they come, and when none comes, what is there is kept."""
    kept_at, kept = time.monotonic(), reply.length
    bounds = ReplyBounds(session.policy, session.model_info.label)
    stream = with_pauses(session.model.stream(request.messages, most, request.tools))
    async with aclosing(bounded(stream, bounds)) as pieces:
        async for piece in pieces:
            if piece is not None:
                yield piece
            if reply.length > kept and time.monotonic() - kept_at >= KEEP_EVERY:
                await session.archive.store_partial(session.id, reply.message())
                kept_at, kept = time.monotonic(), reply.length


def longest_reply(session: Session, gauge: Gauge, is_modest: bool = False) -> tuple[int, bool]:
    """How many tokens the reply may have, and whether it is the window that allows no more.

    All that the window still holds, up to what the model can write; if nobody knows that, up to the largest reserve.
    Never less than the reserve, which was kept free for it, and never more than the window less what the provider may
    count more than is counted here. is_modest: no more than the reserve.
    """
    doubt = DOUBT.get(gauge.provenance, DOUBT_ELSE) * gauge.total
    room = max(round(gauge.window - gauge.total - doubt), session.budget.reserve, 1)
    room = min(room, max(session.budget.reserve, 1)) if is_modest else room
    own = session.model_info.max_output or max(session.policy.reserve_most, session.budget.reserve)
    return min(own, room), room < own


def limit_exceeded(used: int, window: int) -> WorldError:
    """The window is full, and nothing more could be freed."""
    return WorldError(
        Failure(
            kind="overflow",
            title=f"Context limit exceeded ({used:,}/{window:,} tokens)",
            detail="The window was full before the reply had ended.",
            kept="What had arrived of the reply is saved.",
            advice="Optimize the conversation and ask the model to go on, or choose a model with a larger window.",
        )
    )


def cut_in_silence(model: str, sent: int, usage: Usage, limit: int, own: int) -> Failure:
    """Return what the user is told of a server that seems to have read only a part of that many tokens.

    limit: what its window is taken for from now on. own: what it is said to be.
    """
    return Failure(
        kind="silent_cut",
        title="The server may have read only a part of the conversation",
        detail=f"{model} reports {usage.prompt_tokens:,} tokens for a request of about {sent:,}. Some servers drop "
        "what they have no room for without saying so, often the beginning: the system prompt, and your rules.",
        kept="The reply is kept as it came.",
        advice=f"From now on the window is taken for {limit:,} tokens instead of {own:,}. Make room and let it answer "
        "again, or use the full window if you know that it is right.",
    )


def _grown(session: Session, gauge: Gauge, guard: StreamGuard) -> GaugeChanged:
    for segment, tokens in guard.generated.items():
        if tokens:
            gauge = add_tokens(gauge, segment, tokens, session.policy)
    return GaugeChanged(session.id, gauge)
