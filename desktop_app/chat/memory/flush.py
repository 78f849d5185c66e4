"""A model is asked what must last before a compaction: a short turn of its own that is not recorded (S7).

Its words are shown to nobody, and no call of its is run: what it wants to be kept comes back as notes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import msgspec

from desktop_app.chat.ports import ChatModel, ModelError, Price, ReplyEnd, TextPiece, with_price
from desktop_app.chat.session import Session
from desktop_app.context.memory.flush import SAVE_MEMORY, FlushPrompts, append_question, parse_notes, request_for_flush
from desktop_app.context.memory.memories import Note
from desktop_app.context.view.view import assemble
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.tools import ToolSpec

FLUSH_SECONDS = 60.0
"""For all of it."""
REPLY_TOKENS = 2_000
"""Of one reply: eight notes take 500, and some models think before."""
REPLY_SHARE = 0.25
"""Of the window, at most."""
SAFE_SHARE, SAFER_SHARE = 0.9, 0.6
"""Of the room for a record: tokens are estimated. The second one is for a provider that has just refused a request as
too long: it counts more than we do, or has a smaller window than it says."""
GONE_MOST = 4_000
"""Tokens of what has left the view since the last flush that are told beside the request: about as much as is said
between a flush and its compaction. More of it is asked about alone, without the rest."""
CHARACTERS_MOST = 40_000
"""Of one reply: who writes more does not mind the limit."""


class NoNotes(Exception):
    """The model's answer cannot be used; the text says why, and goes on "because …"."""


class Question(msgspec.Struct, frozen=True):
    """What a model is asked."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    reply_tokens: int = REPLY_TOKENS


async def question_by_calls(
    session: Session,
    stretch: Sequence[Message],
    prompts: FlushPrompts,
    known: Sequence[Memory],
    is_too_long: bool = False,
) -> Question | None:
    """The question for the chat's own model: the request as it stands with the question behind it, which its provider
    has read before; or the stretch alone, where that does not fit or much has left the view. None if there is no room.

    is_too_long: the provider has just said so of the request as it stands.
    """
    model, counts = session.model, session.counts
    reply_tokens = _reply_tokens(model)
    if not is_too_long and (question := _ridden(session, stretch, prompts, known, reply_tokens)) is not None:
        return question
    share = SAFER_SHARE if is_too_long else SAFE_SHARE
    room = round((model.info.window - reply_tokens - counts.tool(SAVE_MEMORY)) * share)
    asked = await asyncio.to_thread(request_for_flush, stretch, prompts, known, room, counts.text, True)
    return Question(asked, (SAVE_MEMORY,), reply_tokens) if asked else None


def _ridden(
    session: Session, stretch: Sequence[Message], prompts: FlushPrompts, known: Sequence[Memory], reply_tokens: int
) -> Question | None:
    """The request as it stands with the question behind it; None if that does not fit, or much has left the view."""
    view, counts = session.view, session.counts
    in_view = {item.message.id for item in view.items}
    gone = [message for message in stretch if message.id not in in_view and message.role is not Role.TOOL]
    if sum(map(counts.total, gone)) > GONE_MOST:
        return None
    messages = append_question(assemble(view), prompts, known, gone, 2 * GONE_MOST, counts.text)
    if session.gauge().total + counts.text(messages[-1].text) + reply_tokens > session.model.info.window:
        return None
    has_it = any(tool.name == SAVE_MEMORY.name for tool in view.tools)
    return Question(messages, view.tools if has_it else (*view.tools, SAVE_MEMORY), reply_tokens)


def question_by_json(
    model: ChatModel, stretch: Sequence[Message], prompts: FlushPrompts, known: Sequence[Memory]
) -> Question | None:
    """The question for another model, which needs no tools for it. None if there is no room in its window."""
    reply_tokens = _reply_tokens(model)
    room = round((model.info.window - reply_tokens) * SAFE_SHARE)
    asked = request_for_flush(stretch, prompts, known, room, model.tokenizer.count)
    return Question(asked, (), reply_tokens) if asked else None


def _reply_tokens(model: ChatModel) -> int:
    info = model.info
    return min(REPLY_TOKENS, round(info.window * REPLY_SHARE), info.max_output or REPLY_TOKENS)


class Asking:
    """One question while a model answers it. usage: what its provider reported, None if it reported nothing."""

    def __init__(self, model: ChatModel, question: Question, price: Price | None) -> None:
        self._model, self._question, self._price = model, question, price
        self.usage: Usage | None = None

    async def notes(self) -> tuple[Note, ...]:
        """What the model wants to be kept. Raises NoNotes; cancelling closes the connection."""
        label = self._model.info.label
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                text, end = await self._reply()
        except TimeoutError:
            raise NoNotes(f"{label} took longer than {FLUSH_SECONDS:.0f} s") from None
        # One request: to tell a model that its notes were saved, so that it may make more, would cost as much again.
        found = parse_notes(text, end.tool_calls)
        if found is None:
            raise NoNotes(f"{label} answered something else")
        return found

    async def _reply(self) -> tuple[str, ReplyEnd]:
        """One request: the text and the end of its reply. Raises NoNotes if there is none to speak of."""
        label, arrived, length = self._model.info.label, list[str](), 0
        question = self._question
        try:
            stream = self._model.stream(question.messages, question.reply_tokens, question.tools)
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    if isinstance(piece, TextPiece):
                        arrived.append(piece.text)
                        length += len(piece.text)
                    if length > CHARACTERS_MOST:
                        raise NoNotes(f"the reply of {label} was longer than it may be")
                    if isinstance(piece, ReplyEnd):
                        self.usage = with_price(piece.usage, self._price)
                        if piece.reason == "content_filter":
                            raise NoNotes(f"a filter stopped {label}")
                        return "".join(arrived), piece
        except ModelError as error:
            raise NoNotes(f"{label} failed ({error.failure.title})") from error
        raise NoNotes(f"the reply of {label} was cut off")
