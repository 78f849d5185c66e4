"""A reply while it streams: how full the window gets, when the stream is stopped to make room, and how it goes on (S3).

Written as a state machine without a clock, a network or a task, so that any order of events can be tried on it. The
driver (`reply.py`) tells it what happens, and does what its state says.

=============  ==============================================  ===========  ===============================
state          event                                           next         what it means
=============  ==============================================  ===========  ===============================
READY          begun(request)                                  STREAMING    a request has gone out
STREAMING      arrived(piece) below the stop                   STREAMING    it is shown, and will be stored
STREAMING      arrived(piece) at the stop, 90 % of the window  DECIDING     (1) nothing is read then
STREAMING      arrived(piece) at 100 %                         ABORTED      Context limit exceeded (X/Y)
DECIDING       decided(it would not help)                      STREAMING    up to 100 %, which is more room
DECIDING       decided(it would help)                          FINDING_END  (2) a boundary may come
FINDING_END    arrived(text) with the end of a line, or word   STOPPING     what is behind it is not shown
FINDING_END    arrived(reasoning, or arguments of a call)      STOPPING     no text to end well
STOPPING       stored()                                        MAKING_ROOM  the connection is closed
MAKING_ROOM    room_made(yes)                                  READY        one restart more
MAKING_ROOM    room_made(no)                                   ABORTED      what there is is kept
any streaming  arrived(end: stop, tool_calls)                  DONE         calls are whole, and may be run
any streaming  arrived(end: window; length, for its end)       STOPPING     (3) else ABORTED
any streaming  arrived(end: length, the model's own)           DONE         less than half of the window is used
any streaming  arrived(end: content_filter or another)         DONE         its calls are dropped
any streaming  failed(overflow), something was shown           STOPPING     (3) else ABORTED
any streaming  failed(another), something was shown            ABORTED      it is kept
any streaming  failed(any), nothing was shown                  READY        the caller may ask again
any            abandoned() by its caller                       ABORTED      what has arrived is kept
=============  ==============================================  ===========  ===============================

"Any streaming" are STREAMING, DECIDING and FINDING_END.
(1) Only where room may be made without the user's word and restarts are left; else the reply streams on, up to 100 %.
(2) Directly to STOPPING while the model thinks or writes a call. (3) On the conditions of (1).

So a tool call runs only if the reply that makes it ended by itself, and then once: what was written of a call before a
stop is neither stored nor run, and the continued reply makes it again. Reasoning is stored as it was shown, but not
gone on with: the model thinks again.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.context.counting.tokens import RECOUNT_EVERY, GrowingCount
from desktop_app.context.fitting import stream_grace
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.text_cuts import OverlapTrimmer
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.transcript import Trigger

Shown = TextPiece | ReasoningPiece


class State(StrEnum):
    """Where a reply is: see the table."""

    READY = "ready"
    STREAMING = "streaming"
    DECIDING = "deciding"
    FINDING_END = "finding_end"
    STOPPING = "stopping"
    MAKING_ROOM = "making_room"
    DONE = "done"
    ABORTED = "aborted"


STREAMS = (State.STREAMING, State.DECIDING, State.FINDING_END)
ENDS = (State.DONE, State.ABORTED)
OWN_ENDS = ("stop", "tool_calls")
"""Reasons for which a reply ends by itself, so that its calls are whole."""


class WrongMoment(Exception):
    """An event that cannot happen in that state: a mistake of the driver's."""


class Limits(msgspec.Struct, frozen=True):
    """The limits of one request, in the provider's tokens."""

    window: int
    stop_at: int
    abort_at: int
    restarts: int
    """How often the stream may be stopped to make room."""
    grace: int = 1
    """Tokens that may still come until the end of a line, and once more until the end of a word."""
    factor: float = 1.0
    """The provider's tokens for one counted here."""


def limits_of(policy: ContextPolicy, window: int, is_automatic: bool, factor: float = 1.0) -> Limits:
    """Return the limits under that policy. is_automatic: whether room may be made without the user's word."""
    may_stop = is_automatic and Trigger.STREAMING.value in policy.phases
    return Limits(
        window,
        round(policy.stream_stop_at * window),
        round(policy.stream_abort_at * window),
        policy.stream_restarts if may_stop else 0,
        stream_grace(window),
        factor,
    )


class StreamGuard:
    """The state of one reply, over all its requests. count: tokens of a text, as they are counted here.

    restarts: how often it was stopped and went on. end: how it ended by itself, with the calls that may be run.
    lost_call: the tool that it was about to call when it was stopped or cut, or "". is_exceeded: the window ended it.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self.state = State.READY
        self.restarts = 0
        self.end: ReplyEnd | None = None
        self.lost_call = ""
        self.is_exceeded = False
        self._begin(Limits(0, 0, 0, 0), 0, "", False)

    def _begin(self, limits: Limits, request: int, before: str, is_capped: bool) -> None:
        self._limits, self._request, self._is_capped = limits, request, is_capped
        every = min(RECOUNT_EVERY, max(limits.window // 64, 1))
        self._counts = {
            s: GrowingCount(self._count, every) for s in (Segment.ASSISTANT, Segment.REASONING, Segment.CALLS)
        }
        self._trimmer = OverlapTrimmer(before)
        self._last_shown = before[-1:]
        self._call = ""
        # Whether something that came since the request was given out, so that to ask again would say it twice.
        self.has_shown = False
        self._is_settled, self._end_wanted_at = False, 0

    def begun(self, limits: Limits, request: int, before: str = "", is_capped: bool = False) -> None:
        """Begin a request of that many tokens.

        before: the text that it continues. is_capped: the reply may be as long as the window has room for, which may be
        less than the model would write.
        """
        self._expect(State.READY)
        self._begin(limits, request, before, is_capped)
        self.state = State.STREAMING

    @property
    def used(self) -> int:
        """The request, and what was generated since, in the provider's tokens."""
        return self._request + sum(self.generated.values())

    @property
    def generated(self) -> dict[Segment, int]:
        """What was generated since the request, in the provider's tokens."""
        return {segment: round(count.tokens * self._limits.factor) for segment, count in self._counts.items()}

    @property
    def may_stop(self) -> bool:
        """Whether the reply may be stopped to make room, as far as the limits say."""
        return self.restarts < self._limits.restarts

    def arrived(self, piece: Piece) -> tuple[Shown, ...]:
        """Count a piece, and return what of it is to be shown and stored."""
        self._expect(*STREAMS)
        if isinstance(piece, ReplyEnd):
            return self._end_reply(piece)
        visible = self._count_piece(piece)
        if self.state is State.FINDING_END:
            visible = self._stop_at_boundary(piece, visible)
        if self.state in STREAMS and self._has_reached(self._limits.abort_at):
            return (*visible, *self._abort(is_exceeded=True))
        if self.state is State.STREAMING and not self._is_settled and self._has_reached(self._limits.stop_at):
            self._is_settled = not self.may_stop
            self.state = State.DECIDING if self.may_stop else State.STREAMING
        return visible

    def decided(self, is_worth_it: bool) -> None:
        """Stop the stream at the next boundary if making room would help (`is_worth_it`), else let it go on."""
        self._expect(State.DECIDING)
        self._is_settled = True
        if not is_worth_it:
            self.state = State.STREAMING
            return
        self.state, self._end_wanted_at = State.FINDING_END, self.used
        text = self._counts[Segment.ASSISTANT].tokens
        if self._call or not text or self._last_shown == "\n":
            self._stop()

    def stored(self) -> None:
        """Go on to making room: the stream is closed, and what was shown is stored."""
        self._expect(State.STOPPING)
        self.state = State.MAKING_ROOM

    def room_made(self, is_made: bool) -> None:
        """Let the reply go on if room was made, else abort it."""
        self._expect(State.MAKING_ROOM)
        if is_made:
            self.restarts += 1
        else:
            self.is_exceeded = True
        self.state = State.READY if is_made else State.ABORTED

    def failed(self, is_overflow: bool) -> tuple[Shown, ...]:
        """Go on after an error: continue the reply, ask again, or abort. An overflow means that the window is full."""
        self._expect(*STREAMS)
        if not self.has_shown:
            self.state = State.READY
            return ()
        if is_overflow and self.may_stop:
            self._stop()
            return ()
        return self._abort(is_exceeded=False)

    def abandoned(self) -> tuple[Shown, ...]:
        """Abort the reply, since nobody wants the rest. Return what was held back."""
        return () if self.state in ENDS else self._abort(is_exceeded=False)

    def _expect(self, *states: State) -> None:
        if self.state not in states:
            raise WrongMoment(f"not while {self.state.value}")

    def _count_piece(self, piece: TextPiece | ReasoningPiece | ToolCallPiece) -> tuple[Shown, ...]:
        """Count a piece, and return what of it may be shown."""
        match piece:
            case TextPiece(text):
                self._counts[Segment.ASSISTANT].add(text)
                return self._as_text(self._trimmer.push(text))
            case ReasoningPiece(text):
                self._counts[Segment.REASONING].add(text)
                self.has_shown = self.has_shown or bool(text)
                return (piece,) if text else ()
            case ToolCallPiece(_, name, text):
                self._counts[Segment.CALLS].add(text)
                self._call = self._call or name or "a tool"
                return ()

    def _as_text(self, text: str) -> tuple[Shown, ...]:
        self._last_shown = text[-1:] or self._last_shown
        self.has_shown = self.has_shown or bool(text)
        return (TextPiece(text),) if text else ()

    def _has_reached(self, limit: int) -> bool:
        """Return whether that much of the window is used; near the limit it is counted exactly."""
        if self.used < limit:
            return False
        for count in self._counts.values():
            count.recount()
        return self.used >= limit

    def _stop_at_boundary(self, piece: Piece, visible: tuple[Shown, ...]) -> tuple[Shown, ...]:
        """Stop as soon as the text reaches a line or word boundary; what comes after that is not shown."""
        if not isinstance(piece, TextPiece):
            self._stop()
            return visible
        text = "".join(part.text for part in visible)
        index = find_stop_boundary(text, self.used - self._end_wanted_at, self._limits.grace)
        if index is None:
            return visible
        self._stop()
        return (TextPiece(text[:index]),) if index else ()

    def _stop(self) -> None:
        self.state, self.lost_call = State.STOPPING, self._call

    def _abort(self, is_exceeded: bool) -> tuple[Shown, ...]:
        self.state, self.is_exceeded = State.ABORTED, is_exceeded
        return self._as_text(self._trimmer.cut())

    def _end_reply(self, end: ReplyEnd) -> tuple[Shown, ...]:
        # A short reply in a window that is hardly used was cut at another limit, whatever was asked for.
        is_full = end.reason == "length" and self._is_capped and 2 * self.used >= self._limits.window
        if end.reason == "window" or is_full:
            if not self.may_stop:
                return self._abort(is_exceeded=True)
            self._stop()
            return ()
        self.state = State.DONE
        if end.reason in OWN_ENDS:
            self.end, self.lost_call = end, ""
            return self._as_text(self._trimmer.end())
        self.end, self.lost_call = replace(end, tool_calls=()), self._call
        return self._as_text(self._trimmer.cut())


def find_stop_boundary(text: str, tokens: int, grace: int) -> int | None:
    """Return where the newest text is best cut, as an index behind the last character that stays; None: not yet.

    That is the end of a line, else of a word: a model that goes on after half a word begins the word again as often as
    not. tokens: how many came since the stop was decided, of which `grace` may come until the end of a line.
    """
    if (index := text.find("\n")) >= 0:
        return len(text) - len(text[index:].lstrip("\n"))
    if tokens <= grace:
        return None
    if (index := text.find(" ")) >= 0:
        return index + 1
    return len(text) if tokens > 2 * grace else None
