"""Create, change and delete the conversations of an engine."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.view.view import archived_of
from desktop_app.conversation.listing import Changes, ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.setup import NO_PROJECT, ConversationSetup, Persona, Project
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.settings import Settings

from .choices import check_policy, existing_folder, policy_named
from .open_sessions import OpenSessions
from .ports import Emit
from .session import Session, stamp
from .session_model import choose_model
from .tasks import Job, Tasks
from .titles import ListedConversations
from .turn.prepare import record_request_context
from .turn_services import Services
from .turns import Turns

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive

NO_SETUP = ConversationSetup()


class Conversations:
    """Creates, changes and deletes conversations; `sessions` opens them, and `turns` runs their turns."""

    def __init__(
        self, archive: Archive, settings: Settings, services: Services, publish: Emit, list_changed: Callable[[], None]
    ) -> None:
        self.archive = archive
        self.settings = settings
        self.services, self.models = services, services.models
        self._publish = publish
        self.list_changed = list_changed  # called when the sidebar's list is out of date
        self._tasks = Tasks(services.on_bug)
        listed = ListedConversations(archive, services, publish, list_changed)
        self.turns = Turns(self._tasks, archive, services, publish, listed, self.open)
        self.sessions = OpenSessions(archive, services, self.turns, self._tasks, publish)

    @property
    def policy(self) -> ContextPolicy:
        """The default policy from the settings."""
        return self.policy_named("")

    def policy_named(self, name: str) -> ContextPolicy:
        """Return the policy of that name, or the default from the settings if the name is "" or no longer exists."""
        return policy_named(name, self.settings)

    def in_background(self, job: Job, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a job of the engine, unless it is already running. `close` cancels it; a bug in it is reported."""
        self._tasks.start_once(job.of(), work)

    async def create(
        self,
        title: str = "",
        messages: Sequence[Message] = (),
        model: str = "",
        persona: str = "",
        project: str = "",
    ) -> Session:
        """Create a conversation with the system prompt only, or with imported messages as they are.

        persona: the name of its persona; "", or a name that no longer exists, for none. project: the id of its project;
        "" for none.
        """
        common = next((one for one in await self.archive.projects() if one.id == project), NO_PROJECT)
        chosen = next((one for one in self.settings.personas if persona and one.name == persona), Persona(""))
        entries: list[AnyEntry] = [stamp(message) for message in messages]
        if not messages and chosen.setup.system_prompt is None and self.settings.system_prompt.strip():
            entries.append(stamp(Message(role=Role.SYSTEM, parts=(Text(self.settings.system_prompt.strip()),))))
        model = model or chosen.model or common.model or self.settings.chat_model
        folder = chosen.folder or ("" if common.folder else self.settings.folder)
        setup = replace(chosen.setup, persona=chosen.name)
        return await self.create_with(title, entries, model, folder, setup, chosen.policy, common.id)

    async def create_with(
        self,
        title: str,
        entries: Sequence[AnyEntry],
        model: str,
        folder: str,
        setup: ConversationSetup = NO_SETUP,
        policy: str = "",
        project: str = "",
    ) -> Session:
        """Create a conversation from entries that are already stamped."""
        now, messages = time.time(), sum(isinstance(entry, Message) and entry.is_counted for entry in entries)
        info = ConversationInfo(
            uuid.uuid4().hex, title, now, now, messages, model, folder=folder, policy=policy, project=project
        )
        await self.archive.create(info, entries, archived_of(entries))
        if setup != NO_SETUP:
            await self.archive.change(info.id, setup=setup)
        session = await self.open(info.id)
        await self.turns.note(session)
        return session

    async def open(self, conversation: str) -> Session:
        """Return the session of a conversation. Raises WorldError."""
        return await self.sessions.open(conversation)

    async def use_what_is_known(self) -> None:
        """Update the models, tools and memories of all open conversations, except during a turn."""
        for session in self.sessions.cache.all():
            if self.turns.is_busy(session.id):
                continue
            await self.sessions.use_known_model(session)
            await self.turns.getting_ready.equip(session)

    def follow_context(self) -> None:
        """Count the current memories and tools in open conversations that have not sent a request yet."""
        for session in self.sessions.cache.all():
            self.turns.getting_ready.begin_to_equip(session)

    async def rename(self, conversation: str, title: str) -> None:
        """Change the title of a conversation. An empty title is ignored."""
        title = " ".join(title.split())
        if title:
            await self.archive.change(conversation, title=title)
            await self._refresh_info(conversation)

    async def arrange(self, conversations: Sequence[str], **changes: Unpack[Changes]) -> None:
        """Change the place of conversations in the list: pinned, in a project, put away."""
        for conversation in conversations if changes else ():
            await self.archive.change(conversation, **changes)
            await self._refresh_info(conversation)

    async def delete(self, conversation: str) -> None:
        """Delete a conversation: stop its turn and drop its queue. Nothing is erased; `restore` undoes the deletion."""
        with self._leaving(conversation):
            await self.turns.stop_all(conversation)
        async with self.sessions.locks.of(conversation):
            await self.sessions.give_up(conversation)
            with self._leaving(conversation) as session:  # may have been opened in the meantime
                await self.turns.stop_all(conversation)
                await self.archive.change(conversation, is_deleted=True)
            if session is not None:
                session.close()
                self.sessions.cache.remove(conversation)
            await self.turns.queue.drop(conversation)
        self.list_changed()

    @contextmanager
    def _leaving(self, conversation: str) -> Generator[Session | None]:
        """Let no turn begin during the block and, if it succeeds, after it. Provide the session, if it is in memory."""
        session = self.sessions.cache.get(conversation)
        try:
            if session is not None:
                session.is_leaving = True
            yield session
        except BaseException:
            if session is not None:
                session.is_leaving = False
            raise

    async def restore(self, conversation: str) -> None:
        """Restore a deleted conversation."""
        await self.archive.change(conversation, is_deleted=False)
        self.list_changed()

    async def choose_model(self, conversation: str, model: str) -> Session:
        """Use another model from the next turn on. Raises ModelError if there is no such model."""
        await self.open(conversation)
        self.turns.refuse_while_running(conversation)
        chosen = await choose_model(self.models, model)  # may take seconds
        async with self.turns.idle(conversation):
            session = await self.open(conversation)  # a new session if an import has closed the first
            await self.archive.change(conversation, model=model)
            await self._refresh_info(conversation)
            session.use(chosen)
        await asyncio.to_thread(session.counter.gauge)
        await self.turns.getting_ready.equip(session)
        return session

    def refuse_while_any_runs(self) -> None:
        """Raise WorldError while a reply is being written in any conversation."""
        for session in self.sessions.cache.all():
            self.turns.refuse_while_running(session.id)

    async def close(self) -> None:
        """Stop all turns, which store their partial replies, and all background work."""
        await self._tasks.cancel_all()

    async def choose_folder(self, conversation: str, folder: str) -> Session:
        """Change the working folder; NO_FOLDER for none, "" for the project's folder. Raises WorldError."""
        session = await self.open(conversation)
        await self.archive.change(conversation, folder=await existing_folder(folder))
        await self._refresh_info(conversation)
        await self.turns.getting_ready.equip(session)
        return session

    async def choose_policy(self, conversation: str, name: str) -> Session:
        """Change the policy of a conversation; "" for the policy of its project or the settings. Raises WorldError."""
        session = await self.open(conversation)
        check_policy(name, self.settings.policies)
        await self.archive.change(conversation, policy=name)
        await self._refresh_info(conversation)
        session.counter.chosen_policy = self.policy_named(session.policy_name)
        return session

    async def use_projects(self) -> None:
        """Update open conversations after projects were changed, or conversations were moved between them.

        The context of their next request is recorded at once, so that it is counted before it is sent. A running turn
        is not affected.
        """
        projects = {project.id: project for project in await self.archive.projects()}
        for session in self.sessions.cache.all():
            if not session.is_leaving:
                await self._use_project(session, projects)
        self.list_changed()

    async def _use_project(self, session: Session, projects: Mapping[str, Project]) -> None:
        session.info = await self.archive.conversation(session.id)
        project = projects.get(session.info.project, NO_PROJECT)
        if project == session.project:
            return
        session.project = project
        session.counter.chosen_policy = self.policy_named(session.policy_name)
        if not self.turns.is_busy(session.id):
            await record_request_context(session, self.services)
        await asyncio.to_thread(session.counter.gauge)
        self._publish(session.gauge_changed())

    async def _refresh_info(self, conversation: str) -> None:
        if (session := self.sessions.cache.get(conversation)) is not None:
            session.info = await self.archive.conversation(conversation)
        self.list_changed()

    def change_settings(self, settings: Settings) -> None:
        """Apply new settings, also to open conversations. A running turn keeps its model until it ends."""
        self.settings = settings
        self.sessions.note_settings()
        for session in self.sessions.cache.all():
            before, session.counter.chosen_policy = session.counter.policy, self.policy_named(session.policy_name)
            if session.counter.policy != before:
                self._publish(session.gauge_changed())
