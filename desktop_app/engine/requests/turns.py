"""Requests about turns: what begins one, what stops one, and the draft of the next."""

from __future__ import annotations

import asyncio
from typing import assert_never

from desktop_app.chat.session import Session
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine


async def respond(engine: Engine, request: p.TurnRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    turns, tools = engine.conversations.turns, engine.services.tool_runtime
    match request:
        case p.Send() | p.StartResearch() | p.Regenerate() | p.GoOn() | p.OptimizeAndRetry() | p.SendAnyway():
            await _begin(engine, request)
        case p.Stop():
            await turns.stop(request.conversation)
        case p.StopTool():
            tools.stop(request.conversation, request.reply_id, request.call_index)
        case p.StopRoom():
            await turns.stop_room(request.conversation)
        case p.AnswerQuestion():
            tools.questions.answer(request.question, request.answer)
        case p.UseOwnWindow():
            session = await engine.conversations.open(request.conversation)
            session.use_own_window()
            await engine.publish(session, [session.gauge_changed()])
        case p.CountDraft():
            session = await engine.conversations.open(request.conversation)
            return request.respond_with(p.DraftCounted(await _count_draft(engine, session, request.text)))
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


async def _begin(
    engine: Engine,
    request: p.Send | p.StartResearch | p.Regenerate | p.GoOn | p.OptimizeAndRetry | p.SendAnyway,
) -> None:
    turns, session = engine.conversations.turns, await engine.conversations.open(request.conversation)
    match request:
        case p.Send():
            await turns.send(session, request.text, request.attachments)
        case p.StartResearch():
            await turns.research(session, request.question)
        case p.Regenerate():
            await turns.regenerate(session)
        case p.GoOn():
            await turns.go_on(session)
        case p.OptimizeAndRetry():
            await turns.go_on(session, makes_room=True)
        case p.SendAnyway():
            await turns.go_on(session, is_forced=True)


async def _count_draft(engine: Engine, session: Session, text: str) -> int:
    if not text:
        return 0
    engine.conversations.turns.expect(session)
    tokens = await asyncio.to_thread(session.counts.text, text)  # it may be a pasted book
    return session.provider_tokens(tokens + session.counts.tokenizer.overhead.message)
