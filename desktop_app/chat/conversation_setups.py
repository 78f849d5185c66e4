"""Change the settings of conversations, and create, change and delete projects."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.context.view.items import ItemKind
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Role
from desktop_app.conversation.setup import ConversationSetup, Project, normal_name
from desktop_app.conversation.words import translatable

from .choices import check_policy, existing_folder
from .conversations import Conversations
from .ports import WorldError
from .session import Session
from .turn.prepare import record_request_context


async def change_setup(chats: Conversations, conversation: str, setup: ConversationSetup) -> Session:
    """Apply the setup from the next request on; a running turn keeps the old one. Raises WorldError.

    The system prompt is recorded at once, so that it is counted before it is sent.
    """
    await chats.archive.change(conversation, setup=setup)
    session = await chats.open(conversation)
    session.setup = session.counter.setup = setup
    if not chats.turns.is_busy(conversation):
        async with chats.turns.idle(conversation):  # which also keeps imports out
            await record_request_context(session, chats.services)
    await asyncio.to_thread(session.counter.gauge)
    return session


def system_prompt_of(session: Session) -> str:
    """Return the system prompt that the next request will carry; "" for none."""
    if session.setup.system_prompt is not None:
        return session.setup.system_prompt
    items = session.view.items
    prompts = (i.message for i in items if i.kind is ItemKind.MESSAGE and i.message.role is Role.SYSTEM)
    is_own = session.view.request_context.system_prompt is None
    if not is_own:  # the recorded prompt is replaced for now, and applies again from the next turn on
        own = session.recorded.by_id.values()
        prompts = (message for message in own if message.role is Role.SYSTEM)
    return "\n\n".join(message.text for message in prompts)


KEPT = translatable("Nothing was changed.")
NO_NAME = Failure("bad_input", translatable("A project needs a name"), kept=KEPT)
NOT_THERE = Failure(
    "not_found",
    translatable("This project no longer exists"),
    kept=KEPT,
    advice=translatable("Choose another one."),
)


async def save_project(chats: Conversations, project: Project) -> Project:
    """Create or update a project, and return it as stored. A project without an id ("") is new and gets one.

    Its open conversations change at once, except for turns that are running. Raises WorldError if the name is empty
    or taken, or if the folder or the policy does not exist.
    """
    name = normal_name(project.name)
    if not name:
        raise WorldError(NO_NAME)
    known = await _project(chats, project.id) if project.id else None
    folder = project.folder
    if known is None or folder != known.folder:
        folder = await existing_folder(folder)
    if known is None or project.policy != known.policy:
        check_policy(project.policy, chats.settings.policies)
    stored = replace(
        project,
        id=project.id or uuid.uuid4().hex,
        name=name,
        folder=folder,
        instructions=project.instructions.strip(),
        created_at=known.created_at if known else time.time(),
        is_deleted=known is not None and known.is_deleted,
    )
    await chats.archive.store_project(stored)
    await chats.use_projects()
    return stored


async def delete_project(chats: Conversations, project_id: str) -> None:
    """Delete a project, but not its conversations. `restore_project` undoes it. Raises WorldError."""
    await _mark(chats, project_id, is_deleted=True)


async def restore_project(chats: Conversations, project_id: str) -> None:
    """Restore a deleted project, with the conversations that have not been moved since.

    Raises WorldError, also if another project has taken its name.
    """
    await _mark(chats, project_id, is_deleted=False)


async def move_conversations(chats: Conversations, conversations: Sequence[str], project_id: str) -> None:
    """Move conversations into a project, or out of any (""). Raises WorldError if there is no such project.

    Their own settings stay; those that come from the project change from the next request on.
    """
    if project_id and ((known := await _project(chats, project_id)) is None or known.is_deleted):
        raise WorldError(NOT_THERE)
    await chats.arrange(conversations, project=project_id)
    await chats.use_projects()


async def _project(chats: Conversations, project_id: str) -> Project | None:
    projects = await chats.archive.projects(with_deleted=True)
    return next((project for project in projects if project.id == project_id), None)


async def _mark(chats: Conversations, project_id: str, is_deleted: bool) -> None:
    known = await _project(chats, project_id)
    if known is None:
        raise WorldError(NOT_THERE)
    await chats.archive.store_project(replace(known, is_deleted=is_deleted))
    await chats.use_projects()
