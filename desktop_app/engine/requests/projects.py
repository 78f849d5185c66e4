"""Requests about projects, and which conversations are in them."""

from __future__ import annotations

import asyncio
from typing import assert_never

from desktop_app.chat.conversation_setups import delete_project, move_conversations, restore_project, save_project
from desktop_app.chat.session_model import model_or_stand_in
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.transcript import RequestContext, Transcript
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

from .conversations import list_conversations


async def respond(engine: Engine, request: p.ProjectRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats = engine.conversations
    match request:
        case p.ListProjects():
            return request.respond_with(await _list(engine))
        case p.SaveProject(project):
            return request.respond_with(await _list(engine, (await save_project(chats, project)).id))
        case p.DeleteProject(project_id):
            await delete_project(chats, project_id)
            return request.respond_with(await _list(engine, project_id))
        case p.RestoreProject(project_id):
            await restore_project(chats, project_id)
            return request.respond_with(await _list(engine, project_id))
        case p.MoveConversations(conversations, project_id):
            await move_conversations(chats, conversations, project_id)
            return request.respond_with(await list_conversations(engine))
        case p.CountInstructions(text, model):
            counted = model_or_stand_in(chats.models, model or chats.settings.chat_model)
            tokens = await asyncio.to_thread(_count, text, TokenCounts(counted.tokenizer, counted.info.dialect))
            return request.respond_with(p.InstructionsCounted(tokens))
        case _:
            assert_never(request)


def _count(text: str, counts: TokenCounts) -> int:
    """Return the tokens by which a request with a system prompt grows."""
    contexts = (RequestContext(system_prompt=".", instructions=each) for each in ("", text.strip()))
    without, whole = (request_tokens(view_of(Transcript().append(context)), counts) for context in contexts)
    return whole - without


async def _list(engine: Engine, changed: str = "") -> p.ProjectsListed:
    return p.ProjectsListed(await engine.conversations.archive.projects(), changed)
