"""A whole reply: one request, or several where it had to be stopped to make room and went on (S3).

whole = WholeReply(session, is_automatic)
async for event in whole.streamed(): ...      what happens, in order; the reply is stored at its end
async for event in whole.kept(): ...          however that ended: what had arrived is stored
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import room_made
from desktop_app.chat.ports import ModelError, ReasoningPiece, ReplyEnd
from desktop_app.chat.session import Session
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.counting.silent_cut import is_silently_cut
from desktop_app.context.view.view import continuing
from desktop_app.conversation.events import Failure, Noticed, RoomEnded, RoomStarted, TurnEvent
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger

from .reply_in_flight import ReplyInFlight
from .request import Request
from .stream_guard import State, StreamGuard
from .stream_reply import cut_in_silence, limit_exceeded, longest_reply, reply_streamed, shown_in


def as_it_is(message: Message) -> Message:
    """Nothing is noted."""
    return message


class WholeReply:
    """The state of one reply over all its requests.

    is_automatic: whether it may be stopped to make room. noted: called with each message that is about to be stored;
    what it returns is stored. stored: the messages so far, each but the first going on with the one before it; only the
    last one can have calls. estimated: tokens of all its requests, as the gauge had them.
    """

    def __init__(
        self, session: Session, is_automatic: bool = True, noted: Callable[[Message], Message] = as_it_is
    ) -> None:
        self._session = session
        self._is_automatic = is_automatic
        self._is_modest = False
        self._noted = noted
        self._guard = StreamGuard(session.counts.text)
        self._reply = ReplyInFlight(session.model_info.record_name)
        self.stored: list[Message] = []
        self.estimated = 0

    @property
    def restarts(self) -> int:
        """How often it was stopped to make room, and went on."""
        return self._guard.restarts

    @property
    def end(self) -> ReplyEnd | None:
        """How it ended by itself, with the calls that may be run; None while it has not."""
        return self._guard.end

    @property
    def has_arrived(self) -> bool:
        """Whether something of the newest request was shown: to send it again would say it twice."""
        return self._guard.has_shown or self._guard.state is State.DONE

    async def streamed(self) -> AsyncGenerator[TurnEvent, None]:
        """What happens, until the whole reply is stored.

        Raises ModelError; if nothing `has_arrived` then, this may be called again, and asks again. Raises WorldError
        when the window is full, and ArchiveError.
        """
        request: Request | None = None
        while self._guard.state is not State.DONE:
            request = self._session.request()
            self.estimated += request.gauge.total
            attempt = reply_streamed(
                self._session, self._reply, request, self._guard, self._is_automatic, self._is_modest
            )
            try:
                async with aclosing(attempt) as events:
                    async for event in events:
                        yield event
            except ModelError as error:
                if not self._can_ask_for_less(error):
                    raise
            if self._guard.state is State.STOPPING:
                async with aclosing(self._room_made()) as events:
                    async for event in events:
                        yield event
        async with aclosing(self.kept()) as events:
            async for event in events:
                yield event
        if request is not None and (notice := self._notice(request)) is not None:
            yield Noticed(self._session.id, notice)

    def _notice(self, request: Request) -> Failure | None:
        """Return what is suspected of the server, once the reply is stored. The reply stands: it may be wrong."""
        usage, gauge, session = self.stored[-1].usage, request.gauge, self._session
        if usage is None or not is_silently_cut(gauge.total, gauge.provenance, usage, request.reported_before):
            return None
        own = session.model_info.window
        if not session.suspect_limit(usage.prompt_tokens + usage.reply_tokens):
            return None
        return cut_in_silence(session.model_info.label, gauge.total, usage, session.budget.window, own)

    def _can_ask_for_less(self, error: ModelError) -> bool:
        """Whether a refused request may fit if a shorter reply is asked for; then it is, from now on.

        Some servers refuse a prompt and the longest reply together, and count more than is counted here: a template of
        their own can be 300 tokens. What is kept free for a reply always is enough for that.
        """
        reserve = self._session.budget.reserve
        most, is_capped = longest_reply(self._session, self._session.gauge(), self._is_modest)
        has_room = is_capped and most > reserve and (not error.limit or error.observed - error.limit < most - reserve)
        if self._guard.state is not State.READY or not error.is_overflow or not has_room:
            return False
        self._session.learn_limit(error)
        self._is_modest = True
        return True

    async def kept(self) -> AsyncGenerator[TurnEvent, None]:
        """Stores what has arrived and is not stored yet. To be called however `streamed` ended; twice does no harm."""
        shown_in(self._session, self._reply, self._guard.abandoned())
        self._session.view = replace(self._session.view, goes_on=None)
        if self._reply.is_whole or not self._reply.is_empty:  # one that ended without a word has ended, too
            yield await self._store()
            self._reply = self._next()

    async def _room_made(self) -> AsyncGenerator[TurnEvent, None]:
        """The provider's stream is closed. What it said is stored, room is made, and the request asks to go on.

        Where there is no text yet, nothing is stored: the same request goes out again, into the same reply.
        """
        session, guard = self._session, self._guard
        if self._reply.text.strip():
            yield await self._store()
            self._reply = self._next()
            session.view = continuing(session.view, guard.lost_call)
        elif self._reply.has_reasoning:
            for event in shown_in(session, self._reply, (ReasoningPiece("\n\n"),)):
                yield event
        guard.stored()
        yield RoomStarted(session.id, Trigger.STREAMING)
        try:
            async with aclosing(room_made(session, Trigger.STREAMING)) as events:
                async for event in events:
                    if not isinstance(event, RoomStarted):
                        yield event
        except WindowTooSmall:
            guard.room_made(is_made=False)
        else:
            guard.room_made(is_made=True)
        yield RoomEnded(session.id)
        if guard.is_exceeded:
            raise limit_exceeded(guard.used, session.budget.window)

    async def _store(self) -> TurnEvent:
        message = self._noted(self._reply.message())
        self.stored.append(message)
        return await self._session.record_message(message)

    def _next(self) -> ReplyInFlight:
        """A reply that goes on with the one that was just stored."""
        return ReplyInFlight(
            self._session.model_info.record_name, self._reply.id, self._reply.before + self._reply.text
        )
