"""All that can be done with conversations, over the ports. The engine's server and the commands call nothing else."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from msgspec.structs import replace

from desktop_app.context.make_room import WindowTooSmall
from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.presets import PRESETS
from desktop_app.context.summary_prompt import Prompts
from desktop_app.context.view import assemble
from desktop_app.conversation.events import Failure, TurnEvent, TurnFailed, TurnFinished
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SearchResult
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.transcript import AnyEntry, Rewind, Trigger
from desktop_app.settings import Settings

from .missing_model import MissingModel
from .ports import Archive, ArchiveError, ChatModel, ModelError, Models, WorldError
from .room import room_told
from .scribe import Scribe
from .session import Session, stamped
from .take_turn import take_turn
from .tasks import Tasks
from .titles import UNTITLED, title_of
from .uninterrupted import uninterrupted


class Conversations:
    """Opens conversations, runs their turns, one at a time each, and publishes what happens.

    publish: called with each event, in order. list_changed: called when the sidebar's list is no longer true.
    on_bug: called with an exception that nobody expected. prompts: reads the words in which a model is asked for a
    summary; None: no model is asked.
    """

    def __init__(
        self,
        archive: Archive,
        models: Models,
        settings: Settings,
        publish: Callable[[TurnEvent], None],
        list_changed: Callable[[], None],
        on_bug: Callable[[BaseException], None],
        prompts: Callable[[], Prompts] | None = None,
    ) -> None:
        self.archive = archive
        self.models = models
        self.settings = settings
        self._publish = publish
        self._list_changed = list_changed
        self._on_bug = on_bug
        self.scribe = Scribe(models, lambda: self.settings, prompts)
        self._tasks = Tasks(on_bug)
        self._sessions: dict[str, Session] = {}
        self._opening = asyncio.Lock()

    @property
    def policy(self) -> ContextPolicy:
        """The policy that the settings name."""
        return PRESETS.get(self.settings.policy, BALANCED)

    def in_background(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        """Runs work that nobody waits for; it is cancelled at the end, and a bug in it is told."""
        self._tasks.start(key, work)

    # The list

    async def infos(self) -> tuple[ConversationInfo, ...]:
        """All conversations, newest first."""
        return await self.archive.conversations()

    async def create(self, title: str = "", messages: Sequence[Message] = (), model: str = "") -> Session:
        """A new conversation: empty but for the system prompt, or with imported messages as they are."""
        now = time.time()
        info = ConversationInfo(
            id=uuid.uuid4().hex,
            title=title or UNTITLED,
            created_at=now,
            updated_at=now,
            messages=len(messages),
            model=model or self.settings.chat_model,
        )
        entries: list[AnyEntry] = [stamped(message) for message in messages]
        if not messages and self.settings.system_prompt.strip():
            entries.append(stamped(Message(role=Role.SYSTEM, parts=(Text(self.settings.system_prompt.strip()),))))
        await self.archive.create(info, entries)
        session = await self.open(info.id)
        await self.note(session)
        return session

    async def open(self, conversation: str) -> Session:
        """That conversation, read from the archive the first time. Raises WorldError."""
        async with self._opening:
            session = self._sessions.get(conversation)
            if session is None:
                info = await self.archive.conversation(conversation)
                entries = await self.archive.entries(conversation)
                session = Session(info, entries, self._model(info.model), self.policy, self.archive)
                session.scribe = self.scribe
                await asyncio.to_thread(session.gauge)
                self._sessions[conversation] = session
            return session

    def _model(self, model_id: str) -> ChatModel:
        """That model, or one that says why it is missing: a conversation can always be opened."""
        try:
            return self.models.model(model_id)
        except ModelError as error:
            return MissingModel(model_id, error, self.models.model(self.models.infos()[0].id))

    async def rename(self, conversation: str, title: str) -> None:
        """Gives it a title; an empty one is not taken."""
        title = " ".join(title.split())
        if title:
            await self.archive.change(conversation, title=title)
            await self._refresh_info(conversation)

    async def delete(self, conversation: str) -> None:
        """Takes it off the list; nothing is erased, and `restore` brings it back."""
        await self.stop(conversation)
        await self.archive.change(conversation, is_deleted=True)
        self._sessions.pop(conversation, None)
        self._list_changed()

    async def restore(self, conversation: str) -> None:
        """Puts a deleted conversation back on the list."""
        await self.archive.change(conversation, is_deleted=False)
        self._list_changed()

    async def choose_model(self, conversation: str, model: str) -> Session:
        """Talks to another model from the next turn on. Raises ModelError if it is unknown."""
        session = await self.open(conversation)
        self._refuse_while_running(conversation)
        chosen = self.models.model(model)
        await self.archive.change(conversation, model=model)
        session.use(chosen)
        await asyncio.to_thread(session.gauge)
        await self._refresh_info(conversation)
        return session

    # Turns

    async def send(self, conversation: str, text: str) -> None:
        """Starts a turn with the user's message. It is stored before its event is published."""
        session = await self.open(conversation)
        self._refuse_while_running(conversation)
        if session.info.title == UNTITLED:
            await self.archive.change(conversation, title=title_of(text))
            session.info = replace(session.info, title=title_of(text))
        await self._tasks.cancel(f"reading of {conversation}")
        self._tasks.start(conversation, self._turn(session, user_message(text)))

    def expect_turn(self, session: Session) -> None:
        """The user has begun to type: a local model gets ready, and reads what was said, meanwhile."""
        key = f"reading of {session.id}"
        if session.items_read is not session.view.items and not self._tasks.is_running(key):
            session.items_read = session.view.items
            self._tasks.start(key, self._get_ready(session))

    async def _get_ready(self, session: Session) -> None:
        await uninterrupted(session.model.prepare())  # a message sent meanwhile needs the server just as well
        if session.gauge().total <= session.budget.usable:
            await session.model.read_ahead(assemble(session.view))

    async def regenerate(self, conversation: str) -> None:
        """Answers the newest user message again; the earlier answer stays in the archive."""
        session = await self.open(conversation)
        self._refuse_while_running(conversation)
        later = answers_of(session)
        if later:
            rewind = stamped(Rewind(first_message_id=later[0].id))
            self._publish(await session.record_operation(rewind))
        self._tasks.start(conversation, self._turn(session, None))

    async def stop(self, conversation: str) -> None:
        """Ends the running turn; what had arrived of the reply is kept."""
        await self._tasks.cancel(conversation)

    async def stop_room(self, conversation: str) -> None:
        """Ends the making of room in the background, or the turn that waits for it; nothing is left of it."""
        if self._tasks.is_running(f"room of {conversation}"):
            await self._tasks.cancel(f"room of {conversation}")
        else:
            await self.stop(conversation)

    def is_running(self, conversation: str) -> bool:
        """Whether a turn of that conversation is under way."""
        return self._tasks.is_running(conversation)

    def is_automatic(self, session: Session) -> bool:
        """Whether room is made there without the user's word: off is off, in the settings or in the policy."""
        return self.settings.is_automatic and session.policy.is_automatic

    async def close(self) -> None:
        """Stops all turns and stores what is in flight."""
        await self._tasks.cancel_all()

    async def _turn(self, session: Session, prompt: Message | None) -> None:
        was_stopped = False
        try:
            async for event in take_turn(session, prompt, self.is_automatic(session)):
                self._publish(event)
                was_stopped = isinstance(event, TurnFinished) and event.reason == "stopped"
        except Exception as error:
            self._publish(TurnFailed(session.id, bug_failure(error)))
            self._publish(TurnFinished(session.id, "failed"))
            raise
        await self.note(session)
        if self.is_automatic(session) and not was_stopped:  # whoever stopped it may have stopped the making of room
            self._start_background_room(session)

    def _start_background_room(self, session: Session) -> None:
        key = f"room of {session.id}"
        if not self._tasks.is_running(key):
            self._tasks.start(key, self._make_room(session))

    async def _make_room(self, session: Session) -> None:
        """After a turn, from 75 % on: room is made now, and the new prefix is read, so that nobody waits later."""
        try:
            is_changed = await room_told(session, Trigger.AFTER_TURN, self._publish)
            if is_changed:
                await self.note(session)
            if is_changed and not self.is_running(session.id):
                self.expect_turn(session)
        except WindowTooSmall:
            return  # the gauge says so already, and the next turn will say what would help
        except WorldError as error:
            self._publish(TurnFailed(session.id, error.failure))

    async def note(self, session: Session) -> None:
        """Keeps how full the window is, for the sidebar; not worth failing a turn that is stored."""
        gauge = session.gauge()
        try:
            await self.archive.note_gauge(session.id, gauge.share, gauge.status)
        except ArchiveError as error:
            self._publish(TurnFailed(session.id, error.failure))
        self._list_changed()

    def _refuse_while_running(self, conversation: str) -> None:
        if self.is_running(conversation):
            raise WorldError(
                Failure(
                    kind="busy",
                    title="A reply is still being written",
                    advice="Wait for its end, or stop it first.",
                )
            )

    async def _refresh_info(self, conversation: str) -> None:
        session = self._sessions.get(conversation)
        if session is not None:
            session.info = await self.archive.conversation(conversation)
        self._list_changed()

    # What the window asks beside turns

    async def search(self, query: str, conversation: str | None, limit: int) -> tuple[SearchResult, ...]:
        """Messages by their words, archived ones too."""
        return await self.archive.search(query, conversation, limit)

    def model_infos(self) -> tuple[ModelInfo, ...]:
        """All models that can be chosen."""
        return self.models.infos()

    def change_settings(self, settings: Settings) -> None:
        """Applies new settings to open conversations too; a running turn ends with the model that it began with."""
        self.settings = settings
        for conversation, session in list(self._sessions.items()):
            session.policy = self.policy
            if not self.is_running(conversation) and not self._tasks.is_running(f"room of {conversation}"):
                del self._sessions[conversation]


def answers_of(session: Session) -> list[Message]:
    """The messages of the view that came after the newest user message."""
    messages = [item.message for item in session.view.items]
    newest = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].id == session.view.last_user_id), None)
    return [] if newest is None else [m for m in messages[newest + 1 :] if session.message(m.id) is not None]


def bug_failure(error: BaseException) -> Failure:
    """What the user is told of our own mistake."""
    return Failure(
        kind="bug",
        title="Something went wrong inside Palimpsest",
        detail=f"{type(error).__name__}: {error}",
        kept="Everything that was shown as saved is saved.",
        advice="Try again; the log file has the details.",
    )
