"""Receive and store one reply: stop it to make room, continue it, and retry after errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import aclosing, suppress

from msgspec.structs import replace

from desktop_app.chat.compaction.making_room import (
    MAX_STEPS,
    RoomTries,
    decide_step,
    drop_results,
    make_room,
    refuse_what_does_not_fit,
)
from desktop_app.chat.compaction.snapshot import ContextSnapshot, snapshot_of
from desktop_app.chat.operation_log import log_limit, log_retry
from desktop_app.chat.ports import (
    Emit,
    ModelError,
    Piece,
    ReasoningPiece,
    ReplyEnd,
    TextPiece,
    TextWasReasoning,
    with_price,
)
from desktop_app.chat.request_counter import Request, refused_report
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.session_model import ask_for_window, use_model
from desktop_app.chat.side_requests import MAX_CURES
from desktop_app.chat.turn_services import Services
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import ROOM_TO_GO_ON, WindowTooSmall
from desktop_app.context.counting.breakdown import add_tokens
from desktop_app.context.counting.calibration import is_silently_cut, nearest_reading
from desktop_app.context.view.unsent_pictures import (
    PictureSearch,
    damaged_in_turn,
    is_about_one,
    key_of,
    most_pictures,
    pictures_in,
    search_among,
    to_leave_out,
)
from desktop_app.context.view.view import text_to_continue, with_entries
from desktop_app.conversation.events import (
    GaugeChanged,
    Noticed,
    ReasoningDelta,
    ReasoningRecognized,
    ReplyStarted,
    RetryScheduled,
    TextDelta,
)
from desktop_app.conversation.message import Attachment, Message
from desktop_app.conversation.quirks import NO_TOOLS, PICTURES, pictures_accepted
from desktop_app.conversation.transcript import AnyEntry, Continuation, Trigger

from .incoming_reply import (
    KEEP_EVERY,
    ReplyBounds,
    ReplyInFlight,
    accepted_length,
    limit_exceeded,
    longest_reply,
    silent_cut,
    with_pauses,
)
from .recovery import (
    ACCEPTS_PICTURES,
    MAX_WAITS_TO_SHARE,
    METADATA_REFUSALS,
    NOT_OF_PICTURES,
    WAIT_TO_SHARE,
    DropResults,
    GiveUp,
    MakeRoom,
    Tried,
    Wait,
    pictures_damaged,
    pictures_left_out,
    reaction_to,
    shares_window,
    tools_refused,
)
from .stream_guard import STREAMS, Shown, State, StreamGuard, limits_of

GAUGE_EVERY = 0.5
"""Seconds between two updates of the gauge while a reply streams: nobody reads numbers that change more often."""


class StreamedReply:
    """The state of one reply over all its requests.

    It is stored as one message or, if it was stopped to make room, as several, each of which continues the previous
    one. Only the last of them can have calls. No tool runs in between, so no call runs twice.

    tries: the turn's tries to make room; once they are used up, the stream is no longer stopped for that.
    """

    def __init__(
        self,
        session: Session,
        services: Services,
        emit: Emit,
        is_automatic: bool = True,
        tries: RoomTries | None = None,
    ) -> None:
        self._session = session
        self._services = services
        self._emit = emit
        self._is_automatic = is_automatic
        self._tries = tries or RoomTries()
        self._guard = StreamGuard(session.counter.counts.text)
        self._partial = self._first_part()
        self._tried = Tried()
        self._refusal: ModelError | None = None
        self._why_left_out = ""
        self._search: PictureSearch | None = None
        # Whether the server was asked for its window again, after an overflow.
        self._has_asked = False
        # Whether the window was assumed to end where the server stopped the reply, and what was learned before.
        self._is_window_assumed, self._window_before = False, 0
        # Whether to ask for at most the reply reserve.
        self._is_modest = False
        self._kept_at, self._kept_length, self._gauge_at = time.monotonic(), 0, 0.0
        self.stored: list[Message] = []
        # Tokens of all its requests, as the gauge counted them.
        self.estimated = 0

    def _first_part(self) -> ReplyInFlight:
        """Return the reply's first message, which continues an unfinished reply if the record asks for that."""
        name, view = self._session.model.info.record_name, self._session.view
        cut = view.unfinished
        return ReplyInFlight(name) if cut is None else ReplyInFlight(name, cut.message.id, text_to_continue(view))

    @property
    def restarts(self) -> int:
        """How often it was stopped to make room, and continued."""
        return self._guard.restarts

    @property
    def has_arrived(self) -> bool:
        """Whether a part of the reply to the newest request was shown: a retry would repeat it."""
        return self._guard.has_shown or self._guard.state is State.DONE

    @property
    def is_partial(self) -> bool:
        """Whether only a part of the reply is stored."""
        return bool(self.stored) and self.stored[-1].is_interrupted

    async def receive(self) -> Message:
        """Send requests until the reply has ended; store it, and return its last message.

        Raises ModelError (the first one, if making room did not help), ArchiveError, and WorldError when the window is
        full. The caller then calls `keep` to store what had arrived.
        """
        while True:
            request = self._request()
            self.estimated += request.gauge.total
            try:
                await self._stream(request)
            except ModelError as error:
                await self._recover(error, request)
            if self._guard.state is State.STOPPING:
                await self._make_room()
            if self._guard.state is State.DONE:
                break
        await self.keep()
        await self._share_learned()
        self._notice_left_out()
        self._notice_silent_cut(request)
        self._tries.note_reply()
        return self.stored[-1]

    def _request(self) -> Request:
        """Return the next request, without the oldest of more pictures than the model is known to accept."""
        counter = self._session.counter
        self._notice_damaged()
        request, most = counter.request(), pictures_accepted(counter.model.info.quirks)
        pictures = [] if most is None else pictures_in(request.messages)
        if most is None or len(pictures) <= most:
            return request
        counter.leave_out_pictures(pictures[: len(pictures) - most])
        self._tried.left_out += len(pictures) - most
        self._why_left_out = ACCEPTS_PICTURES.format(model=counter.model.info.label, most=most)
        return counter.request()

    async def keep(self) -> None:
        """Store what has arrived and is not stored yet, however `receive` ended. Calling it again changes nothing."""
        self._show(self._guard.abandoned())
        if self._partial.is_whole or not self._partial.is_empty:  # an empty reply that has ended is stored too
            await self._store()
        if self._session.view.unfinished is not None:  # it will not be continued
            await self._session.record(stamp(Continuation(reply_id="")))

    async def _stream(self, request: Request) -> None:
        """Send the request, and publish its pieces until the guard is STOPPING or DONE.

        Raises ModelError, unless the reply so far will be continued, and WorldError when the window is full.
        """
        session, guard, partial = self._session, self._guard, self._partial
        counter = session.counter
        max_tokens, is_capped = longest_reply(counter, request.gauge, self._is_modest)
        may_stop = self._is_automatic and self._tries.may_try(counter.policy)
        window = counter.window_of_reply(request.gauge.total)
        limits = limits_of(counter.policy, window, may_stop, counter.calibration.factor)
        bounds = ReplyBounds(counter.policy, session.model.info.label, patience=session.model.info.patience)
        guard.begun(limits, request.gauge.total, partial.before, is_capped)
        partial.as_of = request.as_of
        self._emit(GaugeChanged(session.id, request.gauge))
        self._announce()
        try:
            async with aclosing(
                with_pauses(session.model.stream(request.messages, max_tokens, request.tools, request.options))
            ) as pieces:
                async for piece in pieces:
                    bounds.check(piece)
                    if piece is not None:
                        await self._take(piece, request)
                    if guard.state not in STREAMS:
                        break
                    await self._keep_partial()
        except ModelError as error:
            self._show(guard.failed(error.is_overflow))
            if guard.state is not State.STOPPING:
                raise
            self._assume_window(error, guard.used)
        self._emit_gauge(request)
        if guard.is_exceeded:
            raise limit_exceeded(guard.used, limits.window)

    def _assume_window(self, error: ModelError, used: int) -> None:
        """Assume that the window ends where the server stopped the reply, although it stated a larger one.

        llama.cpp states its whole window for each request, but all requests that run share it.
        """
        session, counter = self._session, self._session.counter
        window, self._window_before = counter.budget.whole_window, counter.learned.window
        self._is_window_assumed = not error.limit and used < window and counter.learned.suspect(used)
        if self._is_window_assumed:
            reason = "the server stopped a reply there"
            log_limit(session.id, counter.model.info.id, window, counter.budget.whole_window, reason)

    async def _take(self, piece: Piece, request: Request) -> None:
        guard, partial = self._guard, self._partial
        if isinstance(piece, ReplyEnd) and piece.usage is not None:
            usage = nearest_reading(piece.usage, request.gauge.total, request.gauge.provenance)
            piece = replace(piece, usage=usage)
        self._show(guard.arrived(piece))
        if isinstance(piece, ReplyEnd):
            partial.usage = piece.usage
            if guard.end is not None:
                partial.add(guard.end)
                partial.lost_call = guard.lost_call
        if guard.state is State.DECIDING:
            message = partial.message() if partial.text.strip() else None
            snapshot = snapshot_of(self._session.counter)
            guard.decided(await asyncio.to_thread(finds_room, snapshot, message, guard.lost_call))
        if time.monotonic() - self._gauge_at >= GAUGE_EVERY:
            self._emit_gauge(request)

    def _show(self, pieces: Iterable[Shown]) -> None:
        """Add the pieces to the message and publish them, so that exactly what is stored is shown."""
        for piece in pieces:
            self._partial.add(piece)
            if isinstance(piece, TextWasReasoning):
                self._emit(ReasoningRecognized(self._session.id, self._partial.id))
                continue
            delta = TextDelta if isinstance(piece, TextPiece) else ReasoningDelta
            self._emit(delta(self._session.id, self._partial.id, piece.text))

    def _announce(self) -> None:
        if not self._partial.is_announced:
            self._partial.is_announced = True
            label = self._session.model.info.label
            self._emit(ReplyStarted(self._session.id, self._partial.id, label, self._partial.continues))

    def _emit_gauge(self, request: Request) -> None:
        """Publish the gauge of the request with the tokens generated so far."""
        self._gauge_at, gauge = time.monotonic(), request.gauge
        self._guard.recount()
        for segment, tokens in self._guard.generated.items():
            if tokens:
                gauge = add_tokens(gauge, segment, tokens)
        self._emit(GaugeChanged(self._session.id, gauge))

    async def _keep_partial(self) -> None:
        """Save the partial reply every `KEEP_EVERY` seconds, in case the engine is killed."""
        if self._partial.length > self._kept_length and time.monotonic() - self._kept_at >= KEEP_EVERY:
            await self._session.archive.store_partial(self._session.id, self._partial.message())
            self._kept_at, self._kept_length = time.monotonic(), self._partial.length

    async def _store(self, *after: AnyEntry) -> None:
        """Store the message so far with its cost, and begin the message that would continue it."""
        session, partial = self._session, self._partial
        message = partial.message()
        message = replace(message, usage=with_price(message.usage, self._services.models.price(session.model.info.id)))
        self.stored.append(message)
        self._emit(await session.record_message(message, *after))
        self._partial = ReplyInFlight(session.model.info.record_name, partial.id, partial.before + partial.text)
        self._kept_length = 0

    async def _make_room(self) -> None:
        """Store the text so far, and make room, so that the next request can ask the model to continue.

        The provider's stream is closed by now. Without any text, the same request is sent again, for the same message.
        """
        session, guard = self._session, self._guard
        if self._partial.text.strip():
            await self._store(stamp(Continuation(reply_id=self._partial.id, lost_call=guard.lost_call)))
        elif self._partial.has_reasoning:
            self._show((ReasoningPiece("\n\n"),))
        guard.stored()
        is_assumed, self._is_window_assumed = self._is_window_assumed, False
        try:
            await make_room(session, self._services, Trigger.STREAMING, self._emit, self._tries)
        except WindowTooSmall:
            if is_assumed:  # nothing can be freed, but the requests that shared the window may be over
                session.counter.learned.window = self._window_before
            guard.room_made(is_made=is_assumed)
        else:
            guard.room_made(is_made=True)
        if guard.is_exceeded:
            raise limit_exceeded(guard.used, session.counter.budget.whole_window)

    async def _recover(self, error: ModelError, request: Request) -> None:
        """Apply the remedy for the error before the next request. Raises the error if there is none."""
        if not self.has_arrived and await self._leaves_out_pictures(error, request):
            return
        if error.is_overflow and not self._has_asked:
            self._has_asked = True
            await ask_for_window(self._session, self._services.models, self._emit)
        session, counter = self._session, self._session.counter
        window = counter.budget.whole_window
        if error.cured is not None and not self.has_arrived and self._tried.cures < MAX_CURES:
            self._tried.cures += 1
            await use_model(session, error.cured, self._emit)
            if NO_TOOLS in error.cured.info.quirks[-1:]:
                self._emit(Noticed(session.id, tools_refused(error)))
            return
        most, is_capped = longest_reply(counter, request.gauge)
        refused = refused_report(error, request)
        can_ask_for_less = is_capped and not self._is_modest and self._can_ask_for_less(error, most)
        counter.learn_from_refusal(error, refused)
        reason = "the refused request's error names it"
        log_limit(session.id, counter.model.info.id, window, counter.budget.whole_window, reason)
        await self._share_learned()
        if can_ask_for_less:
            self._is_modest = True
            return
        asked, _ = longest_reply(counter, request.gauge, self._is_modest)
        if not self.has_arrived and (accepted := accepted_length(error, asked)):
            counter.learned.accepted_reply = accepted
            return
        if error.kind in METADATA_REFUSALS and not self.has_arrived and request.has_metadata:
            counter.leave_out_metadata()  # such as reasoning that was encrypted for another account
            return
        if shares_window(error, request.gauge) and self._tried.waits < MAX_WAITS_TO_SHARE and not self.has_arrived:
            await self._wait(error, WAIT_TO_SHARE)
            return
        if error.is_overflow:
            self._refusal = self._refusal or error  # the first one names the size that the user knows
        await self._react(error)
        while error.is_overflow and not self._is_smaller_than(request):
            await self._react(error)

    async def _share_learned(self) -> None:
        """Let all conversations of the model know its window, if a refusal has named it or was contradicted."""
        session, window = self._session, self._session.counter.learned.window_for_all
        if window is not None and window != session.model.info.learned.window:
            await self._learn(window=window)

    async def _learn(self, quirk: str = "", window: int | None = None) -> None:
        session = self._session
        with suppress(ModelError):  # the model was removed from the settings
            model = await self._services.models.learn(session.model.info.id, quirk, window)
            await use_model(session, model, self._emit)

    async def _leaves_out_pictures(self, error: ModelError, request: Request) -> bool:
        """Leave out the pictures because of which the request was refused. Return False if there are none."""
        sent = pictures_in(request.messages)
        if error.kind not in NOT_OF_PICTURES and self._tries_without_one(sent, error.failure.detail):
            return True
        pictures = to_leave_out(sent, error.failure.detail)
        if not pictures or error.kind in NOT_OF_PICTURES:
            return False
        if (most := most_pictures(error.failure.detail)) is not None and most < len(sent):
            await self._learn(f"{PICTURES}{most}")
        self._session.counter.leave_out_pictures(pictures)
        self._tried.left_out += len(pictures)
        self._why_left_out = error.failure.detail
        return True

    def _tries_without_one(self, sent: Sequence[Attachment], error: str) -> bool:
        """Leave out another picture that the server may be unable to read. Return False if there is none."""
        if not is_about_one(sent, error):
            return False
        before = self._search or search_among(sent)
        search = before.next(error)
        self._search = search or PictureSearch()
        self._session.counter.leave_out_pictures(self._search.left_out, instead_of=before.left_out)
        self._tried.left_out += len(self._search.left_out) - len(before.left_out)
        self._why_left_out = error if self._tried.left_out else ""
        return search is not None

    def _notice_left_out(self) -> None:
        if self._why_left_out:
            is_found = self._search is not None and bool(self._search.left_out)
            notice = pictures_left_out(self._why_left_out, self._tried.left_out, is_found=is_found)
            self._emit(Noticed(self._session.id, notice))

    def _notice_damaged(self) -> None:
        """Notify the user once of the pictures of the running turn that cannot be decoded, if the model sees any."""
        session = self._session
        if not session.counter.counts.dialect.supports_vision:
            return
        damaged = damaged_in_turn(session.recorded.branch)
        new = [picture for picture in damaged if key_of(picture) not in session.noticed_pictures]
        if new:
            session.noticed_pictures.update(map(key_of, new))
            self._emit(Noticed(session.id, pictures_damaged([picture.name for picture in new])))

    async def _react(self, error: ModelError) -> None:
        """Apply the next remedy of the retry policy. Raises an error when none is left."""
        session, tried = self._session, self._tried
        patience, policy = session.model.info.patience, session.counter.policy
        match reaction_to(error, tried, policy, self._is_automatic, self.has_arrived, patience):
            case Wait(seconds):
                await self._wait(error, seconds)
            case MakeRoom():
                tried.rooms += 1
                with suppress(WindowTooSmall):  # results can still be dropped
                    await make_room(session, self._services, Trigger.OVERFLOW, self._emit, self._tries)
            case DropResults(share):
                tried.drops += 1
                await drop_results(session, self._services, share, self._emit)
            case GiveUp():
                raise self._refusal or error if error.is_overflow else error

    async def _wait(self, error: ModelError, seconds: float) -> None:
        """Wait before the next request. Raises WindowTooSmall if it does not fit any more, and ArchiveError."""
        session, tried = self._session, self._tried
        if error.kind == "loading":
            tried.loading = tried.loading.waited(seconds)
        else:
            tried.waits += 1
        waits = tried.waits + tried.loading.count
        log_retry(session.id, error, waits, seconds)
        self._emit(RetryScheduled(session.id, error.failure.title, seconds, waits))
        await asyncio.sleep(seconds)
        await self._fit()

    def _is_smaller_than(self, refused: Request) -> bool:
        """Return whether the request is shorter than the refused one and fits, if the provider has stated a limit."""
        counter = self._session.counter
        must_fit = counter.learned.refused is not None
        return counter.count() < refused.counted and not (must_fit and counter.gauge().total > counter.budget.limit)

    async def _fit(self) -> None:
        """Make room again before a retry: the user may have undone an operation during the wait.

        Raises WindowTooSmall if the request does not fit, and ArchiveError.
        """
        if self._is_automatic:
            await make_room(self._session, self._services, Trigger.BEFORE_REQUEST, self._emit, self._tries)
        refuse_what_does_not_fit(self._session)

    def _can_ask_for_less(self, error: ModelError, most: int) -> bool:
        """Return whether a refused request may fit if a shorter reply than `most` is asked for.

        Some servers refuse a request if its prompt and longest reply together exceed the window, and count more than
        the app does: their chat template can add 300 tokens. The reply reserve leaves enough for that.
        """
        reserve = max(self._session.counter.budget.reserve, 1)
        has_room = not error.limit or error.observed - error.reply + reserve <= error.limit
        return self._guard.state is State.READY and error.is_overflow and most > reserve and has_room

    def _notice_silent_cut(self, request: Request) -> None:
        """Warn if the server seems to have cut the request silently. The reply is kept: the suspicion may be wrong."""
        usage, gauge, counter = self.stored[-1].usage, request.gauge, self._session.counter
        sent = gauge.total - request.pictures
        if usage is None or not is_silently_cut(sent, gauge.provenance, usage, request.reported_before):
            return
        model, before = counter.model.info, counter.budget.whole_window
        if counter.learned.suspect(usage.prompt_tokens + usage.reply_tokens):
            conversation, window = self._session.id, counter.budget.whole_window
            log_limit(conversation, model.id, before, window, "a request was cut without a word")
            self._emit(Noticed(conversation, silent_cut(model.label, gauge.total, usage, window, model.window)))


def finds_room(basis: ContextSnapshot, partial: Message | None, lost_call: str = "") -> bool:
    """Return whether stopping the reply to make room is worth it.

    With the partial reply stored, the request after the planned steps must leave a tenth of the window for the
    continuation before the next stop. Otherwise letting the reply stream on gains more.
    """
    if partial is not None:
        continuation = Continuation(id="draft", reply_id=partial.id, lost_call=lost_call)
        basis = basis.with_record(with_entries(basis.transcript, partial, continuation))
    most = (basis.policy.stream_stop_at - ROOM_TO_GO_ON) * basis.budget.whole_window
    for _ in range(MAX_STEPS):
        try:
            step = decide_step(basis, Trigger.STREAMING)
        except WindowTooSmall:
            return False
        if step is None:
            return False
        if (step.projected if isinstance(step, CompactionPlan) else step.tokens_after) <= most:
            return True
        if isinstance(step, CompactionPlan):
            return False
        basis = basis.with_record(with_entries(basis.transcript, replace(step, id=f"draft-{step.tokens_after}")))
    return False
