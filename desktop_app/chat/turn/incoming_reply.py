"""Receive a reply: collect its pieces, notice pauses so that a stalled one is saved, and limit its size."""

from __future__ import annotations

import asyncio
import math
import re
import time
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Callable

from desktop_app.chat.ports import (
    MESSAGE_STORED,
    ErrorKind,
    ModelError,
    Piece,
    ReasoningPiece,
    ReplyEnd,
    TextPiece,
    TextWasReasoning,
    WorldError,
)
from desktop_app.chat.request_counter import RequestCounter
from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Gauge, Provenance
from desktop_app.conversation.message import Message, Part, Reasoning, ReplyEnding, Role, Text, Usage
from desktop_app.conversation.words import translatable

MAX_CHARACTERS = 8_000_000
"""Of text, reasoning and arguments: twice the prose that fits into a window of a million tokens, at four characters a
token. Repetitive text has few tokens for its length, so that the window alone does not bound it."""

ENDINGS: dict[str, ReplyEnding] = {
    "length": "length",
    "content_filter": "content_filter",
    "malformed_call": "malformed_call",
}
"""The endings for those reasons of `ReplyEnd` that leave an answer incomplete."""
MAX_AHEAD = 64
"""Pieces that are read before the ones before them are taken."""
KEEP_EVERY = 0.4
"""Seconds between two saves of a partial reply; the design promises half a second."""


class ReplyInFlight:
    """A reply that is still arriving; `message()` returns it so far, in the form that the record stores.

    model: the model's name in the record. continues: the id of the stored message that it continues, or "". before: the
    text of that message and of those that it continued.
    """

    def __init__(self, model: str, continues: str = "", before: str = "") -> None:
        self.id = uuid.uuid4().hex
        self.started_at = time.time()
        self.continues = continues
        self.before = before
        # Whether ReplyStarted was published.
        self.is_announced = False
        # Usage of a request whose end is not part of the reply.
        self.usage: Usage | None = None
        # Id of the newest entry that its newest request was assembled from.
        self.as_of = ""
        # Name of the tool whose call was cut, or "".
        self.lost_call = ""
        # Characters of text and reasoning so far.
        self.length = 0
        self._model = model
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._end: ReplyEnd | None = None

    def add(self, piece: Piece) -> None:
        """Add a piece. Pieces of tool calls are ignored: `ReplyEnd` has the complete calls."""
        match piece:
            case TextPiece(text):
                self._text.append(text)
                self.length += len(text)
            case ReasoningPiece(text):
                self._reasoning.append(text)
                self.length += len(text)
            case TextWasReasoning():
                self._reasoning += self._text
                self._text = []
            case ReplyEnd():
                self._end = piece
            case _:
                pass

    @property
    def text(self) -> str:
        """The text that has arrived."""
        return "".join(self._text)

    @property
    def has_reasoning(self) -> bool:
        """Whether any reasoning has arrived."""
        return bool(self._reasoning)

    @property
    def is_whole(self) -> bool:
        """Whether the provider has ended the reply."""
        return self._end is not None

    @property
    def is_empty(self) -> bool:
        """Whether neither text, reasoning nor a call has arrived."""
        return not (self._text or self._reasoning or (self._end and self._end.tool_calls))

    def message(self) -> Message:
        """Return the message so far, marked as interrupted unless the provider has ended the reply."""
        parts: list[Part] = []
        if self._reasoning:
            parts.append(Reasoning("".join(self._reasoning)))
        if self._text:
            parts.append(Text("".join(self._text)))
        if self._end is not None:
            parts.extend(self._end.tool_calls)
        return Message(
            id=self.id,
            at=self.started_at,
            role=Role.ASSISTANT,
            parts=tuple(parts),
            model=self._model,
            is_interrupted=self._end is None,
            usage=self._end.usage if self._end else self.usage,
            seconds=time.time() - self.started_at,
            continues=self.continues,
            as_of=self.as_of,
            ending=self._ending(),
            lost_call=self.lost_call,
        )

    def _ending(self) -> ReplyEnding:
        """Return why the reply is incomplete, or "". A continuation is complete even if it adds no text."""
        if self._end is None:
            return ""
        if self._end.reason in ENDINGS:
            return ENDINGS[self._end.reason]
        has_answer = self.text.strip() or self._end.tool_calls or self.continues
        return "" if has_answer else "empty"


async def with_pauses(pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece | None, None]:
    """Yield the pieces, and None after each `KEEP_EVERY` seconds without one. Closing it closes `pieces`.

    One task reads them all, since a task for each piece would cost more than the piece: what arrives at once is passed
    on at once. It reads at most `MAX_AHEAD` pieces that were not taken yet.
    """
    arrived = deque[Piece]()
    changed, taken = asyncio.Event(), asyncio.Event()

    async def read() -> None:
        async for piece in pieces:
            arrived.append(piece)
            changed.set()
            if len(arrived) >= MAX_AHEAD:
                taken.clear()
                await taken.wait()

    reading = asyncio.ensure_future(read())
    reading.add_done_callback(lambda _: changed.set())
    try:
        while True:
            while arrived:
                yield arrived.popleft()
            taken.set()
            if reading.done():
                reading.result()  # raises what ended it
                return
            changed.clear()
            try:
                async with asyncio.timeout(KEEP_EVERY):
                    await changed.wait()
            except TimeoutError:
                yield None
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await pieces.aclose()


KEPT_CALLS = translatable("Your message is stored, and so is the text that had arrived. None of them was run.")
DOUBT = {Provenance.MEASURED: 0.01}
"""Share of the request that the provider may count in addition, for measured requests. Some providers refuse a request
whose longest reply would not fit."""
DOUBT_ELSE = 0.05
LENGTH_REFUSALS: tuple[ErrorKind, ...] = ("unsupported", "malformed", "provider")
ABOUT_LENGTH = re.compile(r"max_?(completion_|output_)?tokens|maximum tokens you requested", re.IGNORECASE)
MIN_ACCEPTED, COMMON_LENGTH = 256, 4_096  # tokens


class ReplyBounds:
    """Limits the calls, characters and silence of the reply to one request.

    model: its label. clock: in seconds. patience: see `ModelInfo`.
    """

    def __init__(
        self,
        policy: ContextPolicy,
        model: str,
        clock: Callable[[], float] = time.monotonic,
        patience: int | None = None,
    ) -> None:
        self._policy = policy
        self._model = model
        self._clock = clock
        self._characters = 0
        self._content_at = clock()
        self._limit: float = self._longest_silence(patience)

    def check(self, piece: Piece | None) -> None:
        """Raise ModelError if the reply exceeds a limit. piece: None for a pause."""
        if piece is None:
            return self._check_quiet()
        self._content_at, self._limit = self._clock(), self._longest_silence(None)
        calls, characters = _size(piece)
        self._characters += characters
        if calls > self._policy.stream_calls:
            raise self._error(
                translatable("more than {calls} tool calls").format(calls=f"{self._policy.stream_calls:,}"), KEPT_CALLS
            )
        if self._characters > MAX_CHARACTERS:
            raise self._error(
                translatable("more than {characters} characters").format(characters=f"{MAX_CHARACTERS:,}"),
                MESSAGE_STORED,
            )
        return None

    def _longest_silence(self, patience: int | None) -> float:
        """Return the seconds without content. patience: None after the first token."""
        return self._policy.stream_quiet_seconds if patience is None else patience or math.inf

    def _check_quiet(self) -> None:
        seconds = self._limit
        if self._clock() - self._content_at > seconds:
            raise self._error(
                translatable("nothing but keep-alive messages for {seconds} seconds").format(seconds=f"{seconds:,}"),
                MESSAGE_STORED,
            )

    def _error(self, what: str, kept: str) -> ModelError:
        title = translatable("The reply of {model} was stopped").format(model=self._model)
        detail = translatable("Its server sent {what} in one reply.").format(what=what)
        advice = translatable("Another model may answer better. The limit is a number of the policy.")
        return ModelError(Failure("garbage", title, detail, kept, advice), kind="garbage")


def _size(piece: Piece) -> tuple[int, int]:
    """Return the number of calls up to this piece, and the number of characters in it."""
    if isinstance(piece, ReplyEnd):
        return len(piece.tool_calls), 0
    return getattr(piece, "index", -1) + 1, len(getattr(piece, "text", ""))


def longest_reply(counter: RequestCounter, gauge: Gauge, is_modest: bool = False) -> tuple[int, bool]:
    """Return the maximum tokens of the reply, and whether it is the window that limits them.

    This is the rest of the window, less a margin for tokens that only the provider counts, but at least the reserve,
    which was kept free for the reply. It is at most what the model can write or, if that is unknown, the largest
    reserve. is_modest: at most the reserve.
    """
    doubt = DOUBT.get(gauge.provenance, DOUBT_ELSE) * gauge.total
    room = max(round(gauge.whole_window - gauge.total - doubt), counter.budget.reserve, 1)
    room = min(room, max(counter.budget.reserve, 1)) if is_modest else room
    own = counter.setup.longest_reply(counter.model.info.max_output)
    own = own or max(counter.policy.max_reserve, counter.budget.reserve)
    own = min(own, counter.learned.accepted_reply or own)
    return min(own, room), room < own


def accepted_length(error: ModelError, asked: int) -> int:
    """Return the reply length to ask for after a request for `asked` tokens was refused.

    This is the largest lower limit that the error names, otherwise `COMMON_LENGTH`, which hardly any model refuses. 0
    if the error is about something else, or if no more than `COMMON_LENGTH` was asked for.
    """
    if error.kind not in LENGTH_REFUSALS or not ABOUT_LENGTH.search(error.failure.detail):
        return 0
    named = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\d", error.failure.detail)]
    fitting = [number for number in named if MIN_ACCEPTED <= number < asked]
    return max(fitting, default=COMMON_LENGTH if asked > COMMON_LENGTH else 0)


def limit_exceeded(used: int, window: int) -> WorldError:
    """Return the error for a window that became full during the reply, when nothing more could be freed."""
    title = translatable("Context limit exceeded ({used}/{window} tokens)").format(
        used=f"{used:,}", window=f"{window:,}"
    )
    detail, kept = (
        translatable("The window was full before the reply had ended."),
        translatable("What had arrived of the reply is saved."),
    )
    advice = translatable(
        "Optimize the conversation and ask the model to go on, or choose a model with a larger window."
    )
    return WorldError(Failure("overflow", title, detail, kept, advice))


def silent_cut(model: str, sent: int, usage: Usage, limit: int, own: int) -> Failure:
    """Return the warning that the server seems to have read only a part of the `sent` tokens.

    limit: the window that is assumed from now on. own: the window that the model is stated to have.
    """
    return Failure(
        kind="silent_cut",
        title=translatable("The server may have read only a part of the conversation"),
        detail=translatable(
            "{model} reports {prompt_tokens} tokens for a request of about {sent}. Some servers drop what they have no "
            "room for without saying so, often the beginning: the system prompt, and your rules."
        ).format(model=model, prompt_tokens=f"{usage.prompt_tokens:,}", sent=f"{sent:,}"),
        kept=translatable("The reply is kept as it came."),
        advice=translatable(
            "From now on the window is assumed to be {limit} tokens instead of {own}. Make room and let the model "
            "answer again, or use the full window if you know that it is correct."
        ).format(limit=f"{limit:,}", own=f"{own:,}"),
    )
