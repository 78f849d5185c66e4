"""State machine of a streaming reply: watch the window fill, stop to make room, and continue (S3).

It has no clock, network or tasks, so that tests can try any order of events. The driver (`reply.py`) reports events to
it, and acts on its state.

=============  ==============================================  ===========  ===============================
state          event                                           next         meaning
=============  ==============================================  ===========  ===============================
READY          begun(request)                                  STREAMING    a request was sent
STREAMING      arrived(piece) below the stop                   STREAMING    the piece is shown, and will be stored
STREAMING      arrived(the text so far was reasoning)          STREAMING    what was shown becomes reasoning
STREAMING      arrived(piece) at the stop, 90 % of the window  DECIDING     (1) reading pauses
STREAMING      arrived(piece) at 100 %                         ABORTED      Context limit exceeded (X/Y)
DECIDING       decided(it would not help)                      STREAMING    up to 100 %, which leaves more
DECIDING       decided(it would help)                          FINDING_END  (2) wait for a boundary
FINDING_END    arrived(text) with the end of a line, or word   STOPPING     text after it is not shown
FINDING_END    arrived(reasoning, or arguments of a call)      STOPPING     no text that needs a boundary
STOPPING       stored()                                        MAKING_ROOM  the connection is closed
MAKING_ROOM    room_made(yes)                                  READY        one more restart
MAKING_ROOM    room_made(no)                                   ABORTED      what has arrived is kept
any streaming  arrived(end: stop, tool_calls)                  DONE         calls are complete, and may run
any streaming  arrived(end: window; length, if is_capped)      STOPPING     (3) else ABORTED
any streaming  arrived(end: length, the model's own)           DONE         less than half of the window is used
any streaming  arrived(end: content_filter or another)         DONE         its calls are dropped
any streaming  failed(overflow), something was shown           STOPPING     (3) else ABORTED
any streaming  failed(another), something was shown            ABORTED      what was shown is kept
any streaming  failed(any), nothing was shown                  READY        the caller may retry
any            abandoned() by its caller                       ABORTED      what has arrived is kept
=============  ==============================================  ===========  ===============================

"Any streaming" are STREAMING, DECIDING and FINDING_END.
(1) Only if room may be made without asking the user and restarts are left; else the reply streams on, up to 100 %.
(2) Directly to STOPPING while the model reasons or writes a call. (3) Under the conditions of (1).

So a tool call runs only if its reply ended by itself, and only once: a call that was cut by a stop is neither stored
nor run, and the continued reply makes it again. Reasoning is stored as shown, but not continued: the model reasons
again.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, TextWasReasoning, ToolCallPiece
from desktop_app.context.counting.tokens import RECOUNT_EVERY, GrowingCount
from desktop_app.context.fitting import stream_grace
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.text_cuts import OverlapTrimmer
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.transcript import Trigger

Shown = TextPiece | ReasoningPiece | TextWasReasoning


class State(StrEnum):
    """The states of a reply; see the table."""

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
"""Reasons with which a reply ends by itself, so that its calls are complete."""


class WrongMoment(Exception):
    """An event that cannot happen in the current state: a bug in the driver."""


class Limits(msgspec.Struct, frozen=True):
    """The limits of one request, in the provider's tokens."""

    window: int
    stop_at: int
    abort_at: int
    restarts: int
    """How often the stream may be stopped to make room."""
    grace: int = 1
    """Tokens to wait for the end of a line, and as many again for the end of a word."""
    factor: float = 1.0
    """The provider's tokens for one token as the app counts it."""


def limits_of(policy: ContextPolicy, window: int, is_automatic: bool, factor: float = 1.0) -> Limits:
    """Return the limits under the policy. is_automatic: whether room may be made without asking the user."""
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
    """The state of one reply over all its requests. count: returns the tokens of a text, as the app counts them.

    restarts: how often it was stopped and continued. end: the provider's end of the reply, with the calls that may run.
    lost_call: the tool that it was calling when it was stopped or cut, or "". is_exceeded: whether it ended because the
    window was full.
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
        self._before, self._trimmer = before, OverlapTrimmer(before)
        self._last_shown = before[-1:]
        self._call = ""
        # Whether a piece since the request was shown, so that a retry would repeat it.
        self.has_shown = False
        self._is_settled, self._end_wanted_at = False, 0

    def begun(self, limits: Limits, request: int, before: str = "", is_capped: bool = False) -> None:
        """Begin a request of `request` tokens.

        before: the text that the reply continues. is_capped: whether the window limits the reply, which may be shorter
        than the model would write.
        """
        self._expect(State.READY)
        self._begin(limits, request, before, is_capped)
        self.state = State.STREAMING

    @property
    def used(self) -> int:
        """The request and what was generated for it, in the provider's tokens."""
        return self._request + sum(self.generated.values())

    @property
    def generated(self) -> dict[Segment, int]:
        """What was generated for the request, in the provider's tokens."""
        return {segment: round(count.tokens * self._limits.factor) for segment, count in self._counts.items()}

    def recount(self) -> None:
        """Count what was generated exactly; pieces that are counted one by one have more tokens than their text."""
        for count in self._counts.values():
            count.recount()

    @property
    def may_stop(self) -> bool:
        """Whether the limits allow the reply to be stopped to make room."""
        return self.restarts < self._limits.restarts

    def arrived(self, piece: Piece) -> tuple[Shown, ...]:
        """Count a piece, and return its part to show and store."""
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
        """Stop the stream at the next boundary if making room would help (`is_worth_it`), otherwise let it continue."""
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
        """Note that the stream is closed and what was shown is stored; making room is next."""
        self._expect(State.STOPPING)
        self.state = State.MAKING_ROOM

    def room_made(self, is_made: bool) -> None:
        """Let the reply continue if room was made, otherwise abort it."""
        self._expect(State.MAKING_ROOM)
        if is_made:
            self.restarts += 1
        else:
            self.is_exceeded = True
        self.state = State.READY if is_made else State.ABORTED

    def failed(self, is_overflow: bool) -> tuple[Shown, ...]:
        """Handle an error: continue the reply, allow a retry, or abort. An overflow means that the window is full."""
        self._expect(*STREAMS)
        if not self.has_shown:
            self.state = State.READY
            return ()
        if is_overflow and self.may_stop:
            self._stop()
            return ()
        return self._abort(is_exceeded=False)

    def abandoned(self) -> tuple[Shown, ...]:
        """Abort the reply, as the caller wants no more of it. Return the text that was held back."""
        return () if self.state in ENDS else self._abort(is_exceeded=False)

    def _expect(self, *states: State) -> None:
        if self.state not in states:
            raise WrongMoment(f"not while {self.state.value}")

    def _count_piece(self, piece: TextPiece | ReasoningPiece | TextWasReasoning | ToolCallPiece) -> tuple[Shown, ...]:
        """Count a piece, and return its part that may be shown."""
        match piece:
            case TextPiece(text):
                self._counts[Segment.ASSISTANT].add(text)
                return self._as_text(self._trimmer.push(text))
            case ReasoningPiece(text):
                self._counts[Segment.REASONING].add(text)
                self.has_shown = self.has_shown or bool(text)
                return (piece,) if text else ()
            case TextWasReasoning():
                return self._as_reasoning()
            case ToolCallPiece(_, name, text):
                self._counts[Segment.CALLS].add(text)
                self._call = self._call or name or "a tool"
                return ()

    def _as_text(self, text: str) -> tuple[Shown, ...]:
        self._last_shown = text[-1:] or self._last_shown
        self.has_shown = self.has_shown or bool(text)
        return (TextPiece(text),) if text else ()

    def _as_reasoning(self) -> tuple[Shown, ...]:
        """Count the text so far as reasoning, and return what makes the shown text that."""
        counts, held = self._counts, self._as_text(self._trimmer.end())
        if not counts[Segment.REASONING].tokens:
            counts[Segment.REASONING], counts[Segment.ASSISTANT] = counts[Segment.ASSISTANT], counts[Segment.REASONING]
        self._trimmer = OverlapTrimmer(self._before)
        return (*held, TextWasReasoning())

    def _has_reached(self, limit: int) -> bool:
        """Return whether the used tokens reach the limit; near it they are counted exactly."""
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
        text = "".join(part.text for part in visible if isinstance(part, TextPiece))
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
        # A reply that is cut while less than half of the window is used has hit another limit than the window.
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
    """Return the index at which to cut the newest text, or None to wait for more.

    It follows the end of a line, or else of a word: a model that continues after half a word often begins the word
    again. tokens: those that have arrived since the stop was decided. grace: how many of them to wait for the end of a
    line, and as many again for the end of a word.
    """
    if (index := text.find("\n")) >= 0:
        return len(text) - len(text[index:].lstrip("\n"))
    if tokens <= grace:
        return None
    if (index := text.find(" ")) >= 0:
        return index + 1
    return len(text) if tokens > 2 * grace else None
