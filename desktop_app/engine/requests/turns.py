"""Requests about turns: what begins one, what stops one, and the draft of the next."""

from __future__ import annotations

import asyncio
from typing import assert_never

from desktop_app.chat.sent_requests import draft_tokens, shorten_message
from desktop_app.chat.session import Session
from desktop_app.conversation.message import MessageDraft
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine


async def respond(engine: Engine, request: p.TurnRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats, turns, tools = engine.conversations, engine.conversations.turns, engine.services.tool_runtime
    match request:
        case p.Send(conversation, text, attachments, is_now, is_draft):
            how = {"is_now": is_now, "is_draft": is_draft}
            await turns.send(await chats.open(conversation), text, attachments, **how)
        case p.EditMessage(conversation, message_id, text, attachments):
            await turns.edit(await chats.open(conversation), message_id, text, attachments)
        case p.StartResearch(conversation, question, is_now, is_draft):
            await turns.research(await chats.open(conversation), question, is_now, is_draft)
        case p.Regenerate(conversation, reply_id):
            await turns.regenerate(await chats.open(conversation), reply_id)
        case p.GoOn(conversation, makes_room, is_forced, not_before):
            how = {"makes_room": makes_room, "is_forced": is_forced, "not_before": not_before}
            await turns.go_on(await chats.open(conversation), **how)
        case p.ContinueReply(conversation):
            await turns.continue_reply(await chats.open(conversation))
        case p.ShortenMessage(conversation, as_file):
            await shorten_message(turns, chats.services, await chats.open(conversation), as_file)
        case p.Stop() | p.StopTool() | p.StopRoom():
            await _stop(engine, request)
        case p.AnswerQuestion(_, question, answer):
            tools.questions.answer(question, answer)
        case p.UseOwnWindow(conversation):
            session = await chats.open(conversation)
            session.learned_window.trust_stated()
            await engine.publish(session, [session.gauge_changed()])
        case p.CountDraft(conversation, text):
            tokens = await _count_draft(engine, await chats.open(conversation), text)
            return request.respond_with(p.DraftCounted(tokens))
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


async def _stop(engine: Engine, request: p.Stop | p.StopTool | p.StopRoom) -> None:
    turns, tools = engine.conversations.turns, engine.services.tool_runtime
    match request:
        case p.Stop(conversation):
            await turns.stop(conversation)
        case p.StopTool(conversation, reply_id, call_index):
            tools.stop(conversation, reply_id, call_index)
        case p.StopRoom(conversation):
            await turns.stop_room(conversation)


async def _count_draft(engine: Engine, session: Session, text: str) -> int:
    if not text:
        return 0
    engine.conversations.turns.getting_ready.expect(session)
    return await asyncio.to_thread(draft_tokens, session, MessageDraft(text))  # it may be a pasted book
