"""What can be done to an engine: each action begins something and does not wait for it, unless it says so."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

import msgspec
from simulated_engine import SETTINGS, SimulatedEngine
from simulated_parts import foreign_conversation

from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.message import Attachment, Message, MessageDraft, Role
from desktop_app.conversation.setup import Project
from desktop_app.engine import protocol as p
from desktop_app.paths import database_file, settings_file
from desktop_app.settings import Settings, update_settings
from stores import Store, at_once

Picks = tuple[int, int, int]
IMPORTED = conversation_id(foreign_conversation(1))
MODELS = ("scripted/small", "scripted/large", "scripted/none")
MAX_ROUNDS = 1, 2, 30
FAR = 6 * 3600.0


class Said(msgspec.Struct):
    """A message that was sent. is_acknowledged: None while no response has come."""

    conversation: str
    marker: str
    words: tuple[str, tuple[Attachment, ...]]
    future: asyncio.Future[Any]
    is_withdrawn: bool = False

    @property
    def is_acknowledged(self) -> bool:
        """Whether the engine has said that it is stored."""
        return self.future.done() and not self.future.cancelled() and isinstance(self.future.result(), p.Done)


class Actor:
    """Does it, and keeps account of what was said."""

    def __init__(self, engine: SimulatedEngine) -> None:
        self.engine = engine
        self.said: list[Said] = []
        self.deleted: set[str] = set()
        self.shortened: Counter[str] = Counter()
        self.projects: list[str] = []
        self.imports = 11
        self._newest = ""

    async def begin(self) -> None:
        """Make a conversation, import a long one, and say something in one of them."""
        await self.engine.ask(p.CreateConversation())
        await self.engine.ask(p.ImportConversations((f"/elsewhere/{self.imports}",), frozenset((IMPORTED,))))
        await self.engine.ask(p.OpenConversation(IMPORTED))
        self.say(self.engine.conversations[0], lambda c, text: p.Send(c, text))

    async def restart(self) -> None:
        """End the engine, start it on the same folder, and open what there is."""
        await self.engine.close()
        self.engine.note("== restart")
        await self.engine.start()
        self.engine.mirror = type(self.engine.mirror)()
        for conversation in list(self.engine.conversations):
            await self.engine.ask(p.OpenConversation(conversation))

    def conversation(self, pick: int) -> str:
        """One of them; half of the time that of the action before, so that things meet."""
        if not self._newest or pick % 2:
            known = self.engine.conversations
            self._newest = known[pick // 2 % len(known)]
        return self._newest

    def stay_with(self, conversation: str) -> None:
        """Let the next action with an even pick be of that conversation."""
        self._newest = conversation

    def post(self, request: p.EngineRequest[Any]) -> asyncio.Future[Any]:
        return self.engine.post(request)

    def say(self, conversation: str, request: Callable[[str, str], p.EditMessage | p.Send]) -> None:
        """Send words that nobody else says."""
        marker = f"m{len(self.said)}."
        text = f"{marker} as we said of the river" + " and the long evening" * (len(self.said) % 5 * 25)
        made = request(conversation, text)
        self.said.append(Said(conversation, marker, (made.text, made.attachments), self.post(made)))

    def session(self, conversation: str) -> Any:
        """The open session, if there is one."""
        return self.engine.chats.sessions.cache.get(conversation)

    def messages(self, conversation: str, role: Role | None = None) -> list[str]:
        """The ids of the messages of its current branch."""
        session = self.session(conversation)
        said = session.recorded.branch if session is not None else ()
        return [message.id for message in said if role is None or message.role is role]

    def lost(self) -> Iterator[str]:
        """Yield each message that was acknowledged and is not there, or is there twice: it waits, or is recorded."""
        records = {c: self.engine.read_again(c) for c in {said.conversation for said in self.said}}
        for said in self.said:
            there = list(self._there(said, records[said.conversation]))
            count, short = there.count(said.words), sum(words != said.words for words in there)
            is_due = said.is_acknowledged and not said.is_withdrawn and said.conversation not in self.deleted
            if count > 1 or (is_due and not count) or short > self.shortened[said.conversation]:
                yield f"{said.marker} is there {count} times, {short} times shorter, in {said.conversation}"

    def _there(self, said: Said, record: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Attachment, ...]]]:
        """Yield all that begins with its marker, as it is recorded or waits: its own words, and what is shorter."""
        for message in record:
            if isinstance(message, Message) and message.role is Role.USER and message.text.startswith(said.marker):
                yield message.text, tuple(part for part in message.parts if isinstance(part, Attachment))
        for queued in at_once(self.engine.store.unsent(said.conversation)).queue:
            if queued.draft.text.startswith(said.marker):
                yield queued.draft.text, queued.draft.attachments

    def queued(self, conversation: str) -> list[Any]:
        return list(self.engine.chats.turns.queue.state(conversation).queue)

    def withdraw(self, text: str) -> None:
        for said in self.said:
            said.is_withdrawn |= text.startswith(said.marker)


class Action(NamedTuple):
    """weight: how often it is chosen, beside the others."""

    weight: int
    run: Callable[[Actor, Picks], Awaitable[None]]


ACTIONS: dict[str, Action] = {}


def action(weight: int) -> Callable[[Callable[[Actor, Picks], Awaitable[None]]], None]:
    """Add a function to the actions, by its name."""

    def add(run: Callable[[Actor, Picks], Awaitable[None]]) -> None:
        ACTIONS[run.__name__] = Action(weight, run)

    return add


@action(14)
async def send(actor: Actor, picks: Picks) -> None:
    actor.say(actor.conversation(picks[0]), lambda c, text: p.Send(c, text, is_now=picks[1] % 6 == 0))


@action(5)
async def edit(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    if said := actor.messages(conversation, Role.USER):
        actor.say(conversation, lambda c, text: p.EditMessage(c, said[picks[1] % len(said)], text))


@action(4)
async def regenerate(actor: Actor, picks: Picks) -> None:
    actor.post(p.Regenerate(actor.conversation(picks[0])))


@action(3)
async def go_on(actor: Actor, picks: Picks) -> None:
    actor.post(p.GoOn(actor.conversation(picks[0]), makes_room=picks[1] % 3 == 0, is_forced=picks[1] % 5 == 0))


@action(3)
async def continue_reply(actor: Actor, picks: Picks) -> None:
    actor.post(p.ContinueReply(actor.conversation(picks[0])))


@action(6)
async def stop(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    actor.post(p.Stop(conversation) if picks[1] % 4 else p.StopRoom(conversation))


@action(3)
async def answer(actor: Actor, picks: Picks) -> None:
    from desktop_app.conversation.tools import PermissionAnswer

    for asked in actor.engine._questions(actor.conversation(picks[0])):
        scope = ("once", "conversation", "always")[picks[2] % 3]
        said = PermissionAnswer(picks[1] % 3 > 0, scope, "a/*")  # type: ignore[arg-type]
        actor.post(p.AnswerQuestion(asked.conversation, asked.question, said))


@action(6)
async def plan_and_apply(actor: Actor, picks: Picks) -> None:
    """Waits for the plan; whether it is still valid then is for the engine to say."""
    conversation = actor.conversation(picks[0])
    planned = await actor.post(
        p.PlanOptimize(
            conversation, tail_tokens=100 * (picks[1] % 5), strategy=("extractive", "last_messages")[picks[2] % 2]
        )
    )
    if isinstance(planned, p.Plan) and planned.is_useful:
        await asyncio.sleep((0.0, 0.01, 0.5)[picks[2] % 3])
        actor.post(p.ApplyPlan(conversation, planned.id, planned.summary))


@action(3)
async def start_fresh(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    planned = await actor.post(p.PlanOptimize(conversation, is_fresh=True, strategy="extractive"))
    if isinstance(planned, p.Plan):
        actor.post(p.StartFresh(conversation, planned.id, planned.summary))


@action(6)
async def undo(actor: Actor, picks: Picks) -> None:
    await _on_operation(actor, picks, p.UndoOperation)


@action(4)
async def redo(actor: Actor, picks: Picks) -> None:
    await _on_operation(actor, picks, p.RedoOperation)


async def _on_operation(actor: Actor, picks: Picks, kind: Callable[[str, str], p.EngineRequest[Any]]) -> None:
    conversation = actor.conversation(picks[0])
    session = actor.session(conversation)
    rows = [r for r in session.operations() if r.kind in ("prune", "compaction", "flush")] if session else []
    if rows:
        actor.post(kind(conversation, rows[picks[1] % len(rows)].id))


@action(4)
async def pin(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    if said := actor.messages(conversation):
        actor.post((p.PinMessage, p.UnpinMessage)[picks[2] % 3 == 0](conversation, said[picks[1] % len(said)]))


@action(3)
async def bring_back(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    if said := actor.messages(conversation):
        actor.post(p.BringBackMessages(conversation, tuple(said[picks[1] % len(said) :][:2])))


@action(5)
async def show_version(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    session = actor.session(conversation)
    if session is not None and (every := list(session.recorded.by_id)):
        elsewhere = [message for message in every if not session.branches.is_current(message)]
        chosen = elsewhere if elsewhere and picks[2] % 2 else every
        actor.post(p.ShowVersion(conversation, chosen[picks[1] % len(chosen)]))


@action(3)
async def choose_model(actor: Actor, picks: Picks) -> None:
    actor.post(p.ChooseModel(actor.conversation(picks[0]), MODELS[picks[1] % len(MODELS)]))


@action(3)
async def fork(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    said = actor.messages(conversation)
    actor.post(p.Fork(conversation, said[picks[1] % len(said)] if said and picks[2] % 2 else ""))


@action(3)
async def delete(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    actor.deleted.add(conversation)  # what waits is dropped with it
    actor.post(p.Delete((conversation,)))


@action(4)
async def restore(actor: Actor, picks: Picks) -> None:
    actor.post(p.Restore(tuple(sorted(actor.deleted)) or (actor.conversation(picks[0]),)))


@action(2)
async def rename(actor: Actor, picks: Picks) -> None:
    actor.post(p.Rename(actor.conversation(picks[0]), f"Title {picks[1]}"))


@action(4)
async def open_again(actor: Actor, picks: Picks) -> None:
    actor.post(p.OpenConversation(actor.conversation(picks[0])))


@action(2)
async def write_settings(actor: Actor, picks: Picks) -> None:
    actor.post(p.WriteSettings(_settings(picks)))


def _settings(picks: Picks) -> Settings:
    return msgspec.structs.replace(
        SETTINGS,
        policy=("balanced", "aggressive", "relaxed")[picks[0] % 3],
        is_automatic=picks[1] % 3 > 0,
        is_memory_on=picks[2] % 2 == 0,
        summaries=("auto", "extractive")[picks[1] % 2],
        max_rounds=MAX_ROUNDS[picks[0] % len(MAX_ROUNDS)],
        chat_model=MODELS[picks[2] % 2],
    )


@action(5)
async def another_process_writes_settings(actor: Actor, picks: Picks) -> None:
    update_settings(settings_file(actor.engine.folder), lambda _: _settings(picks), SETTINGS)
    actor.post(p.ReloadSettings())


@action(2)
async def another_process_opens_the_archive(actor: Actor, picks: Picks) -> None:
    """Another engine is refused; a command may read."""
    file = database_file(actor.engine.folder)
    try:
        Store(file).close()
    except ArchiveError:
        pass
    else:
        actor.engine.faults.append("a second process could open the archive for writing")
    with_list = Store(file, read_only=True)
    with_list.conversations()
    with_list.close()


@action(3)
async def project(actor: Actor, picks: Picks) -> None:
    """Make or change one."""
    known = actor.projects[picks[0] % len(actor.projects)] if actor.projects and picks[1] % 2 else ""
    saved = await actor.post(
        p.SaveProject(Project(known, f"Project {picks[0]}", instructions=f"Answer in {picks[2]}."))
    )
    if isinstance(saved, p.ProjectsListed) and saved.changed not in actor.projects:
        actor.projects.append(saved.changed)


@action(4)
async def move(actor: Actor, picks: Picks) -> None:
    where = actor.projects[picks[1] % len(actor.projects)] if actor.projects and picks[2] % 3 else ""
    actor.post(p.MoveConversations((actor.conversation(picks[0]),), where))


@action(2)
async def delete_project(actor: Actor, picks: Picks) -> None:
    if actor.projects:
        actor.post((p.DeleteProject, p.RestoreProject)[picks[1] % 2](actor.projects[picks[0] % len(actor.projects)]))


@action(5)
async def import_more(actor: Actor, picks: Picks) -> None:
    """Import a conversation of another program, which has grown by some messages each time."""
    actor.imports += 1 + picks[0] % 3
    done = actor.post(p.ImportConversations((f"/elsewhere/{actor.imports}",), frozenset((IMPORTED,))))
    done.add_done_callback(lambda it: it.cancelled() or actor.post(p.OpenConversation(IMPORTED)))  # else it was ended


@action(3)
async def search(actor: Actor, picks: Picks) -> None:
    actor.post(p.SearchMessages(("river", "evening", "m1")[picks[0] % 3]))


@action(2)
async def draft(actor: Actor, picks: Picks) -> None:
    actor.post(p.KeepDraft(actor.conversation(picks[0]), f"draft {picks[1]}"))


@action(4)
async def change_queue(actor: Actor, picks: Picks) -> None:
    conversation = actor.conversation(picks[0])
    if waiting := actor.queued(conversation):
        message = waiting[picks[1] % len(waiting)]
        match picks[2] % 3:
            case 0:
                actor.post(p.SendQueued(conversation, message.id))
            case 1:
                actor.withdraw(message.draft.text)
                actor.post(p.RemoveQueued(conversation, message.id))
            case _:
                actor.withdraw(message.draft.text)
                actor.post(p.TakeBackQueued(conversation, message.id, MessageDraft()))


@action(2)
async def list_conversations(actor: Actor, picks: Picks) -> None:
    """Begins what the engine does once the window has its list, too."""
    actor.post(p.ListConversations())


@action(2)
async def sleep(actor: Actor, picks: Picks) -> None:
    """The computer sleeps for hours: all that was to end meanwhile ends at once."""
    actor.engine.loop.now += FAR
    actor.engine.slept += FAR


@action(2)
async def clock_back(actor: Actor, picks: Picks) -> None:
    actor.engine.clocks.skew -= 3_600.0 * (1 + picks[0] % 3)
