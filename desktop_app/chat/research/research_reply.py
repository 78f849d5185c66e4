"""What a research has come to: the answer as it grows, what was read for it, and the message that is stored in the end.

The message names a model of its own ("server/name (research)"): what a provider reported for many requests beside the
record says nothing of the size of the conversation's own.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing

from desktop_app.chat.ports import (
    ChatModel,
    Piece,
    Price,
    ReasoningPiece,
    ReplyEnd,
    Spills,
    TextPiece,
    WorldError,
    with_price,
)
from desktop_app.chat.session import Session
from desktop_app.chat.turn.reply_bounds import ReplyBounds
from desktop_app.chat.turn.reply_in_flight import KEEP_EVERY
from desktop_app.context.citations import CitedSource, check_citations
from desktop_app.context.text_cuts import head_of
from desktop_app.conversation.events import Failure, ReasoningDelta, ReplyStarted, TextDelta, TurnEvent
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall, Usage
from desktop_app.conversation.totals import add_usage

from .research_tool_calls import Found, ResearchToolCalls, seen_in

ANSWER_SHARE = 0.25
"""Of the chat's usable window, for an answer: what is longer is cut there, and kept whole with what was read."""
TOO_LONG = Failure(
    "timeout",
    "The research took too long",
    kept="Your question is saved, and so is what was read.",
    advice="Ask for less at once, or choose a faster model for research.",
)


class ResearchReply:
    """text, calls: of the newest reply. is_whole: the newest reply is the answer. usage: of all requests together."""

    def __init__(self, session: Session, model: ChatModel, price: Price | None, note: str) -> None:
        self._session, self._model, self._price, self._note = session, model, price, note
        self.id = uuid.uuid4().hex
        self.text, self.calls = "", tuple[ToolCall, ...]()
        self.has_arrived = self.is_whole = False
        self.usage: Usage | None = None
        self._said: list[str] = []
        self._found: list[Found] = []
        self._started_at, self._kept_at = time.time(), time.monotonic()

    def started(self) -> TurnEvent:
        """The reply that the window shows; its text is what the model says, round after round."""
        return ReplyStarted(self._session.id, self.id, f"{self._model.info.label} (research)")

    async def grown(self, pieces: AsyncGenerator[Piece, None], ends_at: float) -> AsyncGenerator[TurnEvent, None]:
        """One reply as it streams. ends_at: by the loop's clock. Raises ModelError; WorldError after that time."""
        self.text, self.calls, self.has_arrived = "", (), False
        bounds = ReplyBounds(self._session.policy, self._model.info.label)
        async with aclosing(pieces):
            while True:
                try:
                    async with asyncio.timeout_at(ends_at):  # nothing is yielded within
                        piece = await anext(pieces)
                except TimeoutError:
                    raise WorldError(TOO_LONG) from None
                except StopAsyncIteration:
                    return
                bounds.check(piece)
                if event := self._taken(piece):
                    yield event
                if time.monotonic() - self._kept_at >= KEEP_EVERY:
                    await self.keep()

    def _taken(self, piece: Piece) -> TurnEvent | None:
        match piece:
            case TextPiece(text):
                self.text, self.has_arrived = self.text + text, True
                return TextDelta(self._session.id, self.id, text)
            case ReasoningPiece(text):
                self.has_arrived = True
                return ReasoningDelta(self._session.id, self.id, text)
            case ReplyEnd():
                self.calls = piece.tool_calls
                self.usage = add_usage(self.usage, with_price(piece.usage, self._price))
                return None
            case _:
                return None

    def reply(self) -> Message:
        """The newest reply with its calls, which are to be run."""
        parts: tuple[Part, ...] = (Text(self.text),) if self.text.strip() else ()
        return Message(id=self.id, role=Role.ASSISTANT, parts=(*parts, *self.calls))

    def add(self, lookups: ResearchToolCalls) -> list[TurnEvent]:
        """What the calls of the newest reply have brought. What the model said beside them is no part of the answer."""
        self._found += (lookups.found[place] for place in sorted(lookups.found))
        if not self.text.strip():
            return []
        self._said.append(self.text.strip())
        self.text = ""
        return [TextDelta(self._session.id, self.id, "\n\n")]

    async def keep(self) -> None:
        """Keeps what is there, in case that the engine ends now. Raises ArchiveError."""
        self._kept_at = time.monotonic()
        if self.text or self._said:
            await self._session.archive.store_partial(self._session.id, self._message(self.text))

    async def message(self, spills: Spills) -> Message | None:
        """The message that is stored: the answer with its sources, or what was there when it ended early. None if
        there is nothing."""
        if not (self.text.strip() or self._said or self._found):
            return None
        text = self.text.strip() or "[The research ended before it came to an answer.]"
        cited = await asyncio.to_thread(check_citations, text, seen_in(self._found))
        short = await asyncio.to_thread(self._cut, cited.text)
        tail = [self._note, sources_told(cited.sources)] if self.is_whole else [self._note]
        if self._found or short != cited.text:
            tail.append(await self._kept(spills, text))
        return self._message("\n\n".join(filter(None, (short, *tail))))

    def _cut(self, text: str) -> str:
        most = round(self._session.budget.usable * ANSWER_SHARE)
        tokens = self._session.counts.text(text)
        return text if tokens <= most else head_of(text, len(text) * most // tokens) + "…"

    async def _kept(self, spills: Spills, answer: str) -> str:
        """Stores all that was said and read, and says where."""
        told = [f"{one.call.name} {one.call.arguments}\n\n{one.text}" for one in self._found]
        try:
            name = await spills.keep("\n\n---\n\n".join([*told, *self._said, answer]))
        except WorldError as error:
            return f"[What was read could not be kept: {error.failure.title}]"
        count = f"{len(self._found)} result" + ("" if len(self._found) == 1 else "s")
        return f'[What was searched and read ({count}) is kept as {name}; to look: read {{"path": "{name}"}}.]'

    def _message(self, text: str) -> Message:
        said = "\n\n".join(self._said)
        return Message(
            id=self.id,
            at=self._started_at,
            role=Role.ASSISTANT,
            parts=(*((Reasoning(said),) if said else ()), Text(text)),
            model=f"{self._model.info.record_name} (research)",
            is_interrupted=not self.is_whole,
            usage=self.usage,
            seconds=time.time() - self._started_at,
        )


def sources_told(sources: tuple[CitedSource, ...]) -> str:
    """The list below an answer; "" for none."""
    lines = [f"- {source.url}" + ("" if source.is_read else " (found, not read)") for source in sources]
    return "\n".join(["Sources:", *lines]) if lines else ""
