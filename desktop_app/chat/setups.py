"""How a conversation is held: what the user has chosen for it, and when that holds."""

from __future__ import annotations

import asyncio

from desktop_app.context.view.items import ItemKind
from desktop_app.conversation.message import Role
from desktop_app.conversation.setup import ConversationSetup

from .conversations import Conversations
from .session import Session
from .turn.prepare import record_request_context


async def change_setup(chats: Conversations, conversation: str, setup: ConversationSetup) -> Session:
    """Hold the conversation so from the next request on. A turn that runs keeps what it began with. Raises WorldError.

    The system prompt becomes part of the record at once, so that it is counted before it is sent.
    """
    await chats.archive.change(conversation, setup=setup)
    session = await chats.open(conversation)
    session.setup = setup
    if not chats.turns.is_busy(conversation):
        async with chats.turns.resting(conversation):  # and no import adds to it
            await record_request_context(session, chats.services)
    await asyncio.to_thread(session.gauge)
    return session


def system_prompt_of(session: Session) -> str:
    """Return the system prompt as it will be sent; "" for none."""
    if session.setup.system_prompt is not None:
        return session.setup.system_prompt
    items = session.view.items
    prompts = (i.message for i in items if i.kind is ItemKind.MESSAGE and i.message.role is Role.SYSTEM)
    is_own = session.view.request_context.system_prompt is None
    if not is_own:  # it is replaced for the moment, and holds again from the next turn on
        own = session.recorded.by_id.values()
        prompts = (message for message in own if message.role is Role.SYSTEM)
    return "\n\n".join(message.text for message in prompts)
