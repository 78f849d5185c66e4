"""Ask a model what must be remembered before a compaction (S7): one request beside the record.

Its reply is shown to nobody, and none of its calls is run: what it wants to be kept is returned as notes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from desktop_app.chat.complete import Unfinished, complete
from desktop_app.chat.ports import ChatModel, ModelError, Price
from desktop_app.chat.session import Session
from desktop_app.context.memory.flush import SAVE_MEMORY, FlushPrompts, append_question, parse_notes, request_for_flush
from desktop_app.context.memory.memories import Note
from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.tools import ToolSpec


class FlushQuestion(msgspec.Struct, frozen=True):
    """What a model is asked."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    reply_tokens: int
    seconds: int


async def question_for_flush(
    session: Session,
    messages: Sequence[Message],
    prompts: FlushPrompts,
    known: Sequence[Memory],
    is_too_long: bool = False,
) -> FlushQuestion | None:
    """Return the question for the chat's own model: the current request with the question appended, so that the
    provider's cache holds; or about those unflushed messages alone, where that does not fit or much has left the view.
    None if there is no room.

    is_too_long: whether the provider has just refused the current request as too long.
    """
    model, counts, policy = session.model, session.counts, session.policy
    reply_tokens = _reply_tokens(model, policy)
    if not is_too_long and (question := _append_question(session, messages, prompts, known, reply_tokens)) is not None:
        return question
    share = policy.aside_share_again if is_too_long else policy.aside_share
    room = round((model.info.window - reply_tokens - counts.tool(SAVE_MEMORY)) * share)
    asked = await asyncio.to_thread(request_for_flush, messages, prompts, known, room, counts.text)
    return FlushQuestion(asked, (SAVE_MEMORY,), reply_tokens, policy.flush_seconds) if asked else None


def _append_question(
    session: Session, unflushed: Sequence[Message], prompts: FlushPrompts, known: Sequence[Memory], reply_tokens: int
) -> FlushQuestion | None:
    """Return the current request with the question appended; None if that does not fit, or much has left the view."""
    view, counts, policy = session.view, session.counts, session.policy
    in_view = {item.message.id for item in view.items}
    gone = [message for message in unflushed if message.id not in in_view and message.role is not Role.TOOL]
    if sum(map(counts.total, gone)) > policy.flush_gone_most:
        return None  # it is asked about the unflushed messages alone
    assembled, tools = session.assemble()
    messages = append_question(assembled, prompts, known, gone, 2 * policy.flush_gone_most, counts.text)
    if session.gauge().total + counts.text(messages[-1].text) + reply_tokens > session.model.info.window:
        return None
    has_it = any(tool.name == SAVE_MEMORY.name for tool in tools)
    return FlushQuestion(messages, tools if has_it else (*tools, SAVE_MEMORY), reply_tokens, policy.flush_seconds)


def _reply_tokens(model: ChatModel, policy: ContextPolicy) -> int:
    info = model.info
    most = policy.flush_reply
    return min(most, round(info.window * policy.flush_reply_share), info.max_output or most)


async def ask_for_notes(
    model: ChatModel, question: FlushQuestion, price: Price | None
) -> tuple[tuple[Note, ...] | None, str, Usage | None]:
    """Return the notes that the model wants to be kept, or None and why it gave none ("because …"); and the usage.

    One request: telling the model that its notes were saved, so that it may add more, would cost as much again.
    """
    label = model.info.label
    try:
        reply = await complete(
            model,
            question.messages,
            max_tokens=question.reply_tokens,
            seconds=question.seconds,
            price=price,
            tools=question.tools,
        )
    except Unfinished as error:
        return None, error.failure.title, None
    except ModelError as error:
        return None, f"{label} failed ({error.failure.title})", None
    if reply.end.reason == "content_filter":
        return None, f"a filter stopped {label}", reply.end.usage
    notes = parse_notes(reply.text, reply.end.tool_calls)
    return notes, "" if notes is not None else f"{label} answered something else", reply.end.usage
