"""How a conversation is held: its system prompt, its parameters, and what it has of its own besides."""

from __future__ import annotations

from contextlib import suppress
from typing import assert_never

from desktop_app.chat.conversation_setups import change_setup, system_prompt_of
from desktop_app.chat.ports import ModelError, WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.events import ModelChanged
from desktop_app.conversation.setup import OptionName
from desktop_app.conversation.transcript import Imported
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

from .conversations import describe_changed


async def respond(engine: Engine, request: p.SetupRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats = engine.conversations
    match request:
        case p.ReadSetup(conversation):
            return request.respond_with(await _read(engine, await chats.open(conversation)))
        case p.ChangeSetup(conversation):
            session = await chats.open(conversation)
            try:
                session = await _change(engine, request, session)
            except WorldError:  # what was changed before that holds
                await engine.publish(session, [ModelChanged(session.id, session.model_info), session.gauge_changed()])
                raise
            return request.respond_with(await describe_changed(engine, session))
        case _:
            assert_never(request)


async def _change(engine: Engine, request: p.ChangeSetup, session: Session) -> Session:
    chats, conversation = engine.conversations, request.conversation
    if request.folder is not None:
        session = await chats.choose_folder(conversation, request.folder)
    if request.policy is not None:
        session = await chats.choose_policy(conversation, request.policy)
    if request.model is not None and request.model != session.info.model:
        session = await chats.choose_model(conversation, request.model)
    return await change_setup(chats, conversation, request.setup)


async def _read(engine: Engine, session: Session) -> p.SetupRead:
    supported: tuple[OptionName, ...] = ()
    with suppress(ModelError):  # its server may not be set up any more
        supported = await engine.services.catalogue.supported_options(session.info.model)
    off = engine.services.settings.tools_off
    specs = await engine.services.tools.all_specs(engine.services.tool_runtime.context_of(session))
    tools = tuple(spec.name for spec in specs if spec.name not in off)
    imported = next((each for each in reversed(session.transcript.entries) if isinstance(each, Imported)), None)
    return p.SetupRead(session.setup, system_prompt_of(session), supported, tools, imported)
