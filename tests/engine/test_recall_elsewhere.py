"""The model wants to look in other conversations: the user is asked, whatever the server, and what is found is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.chat.recall_service import HEADING_ACROSS
from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.setup import ConversationSetup, Project, RecallScope
from desktop_app.conversation.tools import DENIED, PermissionAnswer, RequiredPermission
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from desktop_app.tools.recall_tool import RECORD
from kinds_of_server import CODEX, KEY, OF_KIND, Kind
from provider import AnyStep, Call, Reply, Request

pytestmark = pytest.mark.wire

KINDS = [*(OF_KIND[name] for name in ("anthropic", "openai", "gemini", "ollama", "lm_studio")), CODEX]
FERRY = "The ferry to Gotland leaves at nine, from the northern pier."
LOOK = Call("recall", json.dumps({"query": "ferry to Gotland", "where": "everything"}), "call_1")
ONCE, HERE, NO = PermissionAnswer(True), PermissionAnswer(True, "conversation"), PermissionAnswer(False)
Open = Callable[..., Awaitable[Desk]]


@pytest_asyncio.fixture
async def open_with(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Open]:
    """`await open_with(steps, kind)`: a desk whose conversation is empty, beside a trip and a deleted conversation."""
    monkeypatch.setenv("PALIMPSEST_KEY_TEST", KEY)
    made: list[Desk] = []

    async def make(steps: list[AnyStep], kind: Kind = OF_KIND["openai"]) -> Desk:
        provider = kind.provider(*steps, window=32_000).start()
        server = Server("test", provider.root_url + kind.path, (kind.model,), 32_000, 2_000, kind=kind.kind)
        settings = Settings(chat_model=f"test/{kind.model}", servers=(server,), is_memory_on=False)
        desk = await open_desk(data_folder, settings)
        made.append(desk)
        desk.provider = provider
        for title, text in (("The trip", FERRY), ("Gone", f"Nobody may read this: {FERRY}")):
            said = [user_message(text), Message(role=Role.ASSISTANT, parts=(Text("I see."),))]
            last = (await desk.engine.conversations.create(title, said)).id
        await desk.ask(p.Delete((last,)))
        await begin(desk)
        return desk

    yield make
    for desk in made:
        await desk.close()


async def begin(desk: Desk) -> None:
    """Begin a conversation with a title, since a model would be asked for one."""
    desk.conversation = (await desk.engine.conversations.create("Here")).id


async def say(desk: Desk, text: str, *answers: PermissionAnswer) -> list[QuestionAsked]:
    """Say it, and answer the questions that follow; return those."""
    questions, asked = desk.engine.services.tool_runtime.questions, list[QuestionAsked]()
    await desk.ask(p.Send(desk.conversation, text))
    idle = asyncio.ensure_future(desk.engine.conversations.turns.wait_until_idle(desk.conversation))
    for answer in answers:
        while not (waiting := questions.of(desk.conversation)):
            assert not idle.done(), "nothing was asked"
            await asyncio.sleep(0.01)
        asked += waiting
        await desk.ask(p.AnswerQuestion(desk.conversation, waiting[0].question, answer))
    await idle
    return asked


def sent(desk: Desk) -> Request:
    return desk.provider.requests[-1]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.flavour)
async def test_the_user_is_asked_and_what_is_found_is_sent(kind: Kind, open_with: Open) -> None:
    desk = await open_with([Reply("I look.", calls=(LOOK,)), Reply("At nine.")], kind)
    (asked,) = await say(desk, "When does it leave?", ONCE)
    assert asked.needs == (RequiredPermission("recall", "recall", "everything", "*", 2),)
    assert sent(desk).role == "tool"
    assert RECORD in sent(desk).text
    assert FERRY in sent(desk).text
    assert "“The trip”" in sent(desk).text
    assert "Nobody may read this" not in sent(desk).text
    assert '"where"' in json.dumps(sent(desk).body["tools"])


async def test_no_is_told_to_the_model_and_asked_again_the_next_time(open_with: Open) -> None:
    desk = await open_with([Reply(calls=(LOOK,)), Reply("Well."), Reply(calls=(LOOK,)), Reply("At nine.")])
    await say(desk, "When does it leave?", NO)
    assert DENIED in sent(desk).text
    assert FERRY not in json.dumps(sent(desk).body)
    assert len(await say(desk, "And now?", ONCE)) == 1
    assert FERRY in sent(desk).text


async def test_allowed_for_this_conversation_it_is_not_asked_again_there(open_with: Open) -> None:
    in_project = replace(LOOK, arguments=LOOK.arguments.replace("everything", "project"))
    desk = await open_with([Reply(calls=(LOOK,)), Reply("At nine."), Reply(calls=(LOOK,)), Reply("At nine.")])
    await say(desk, "When does it leave?", HERE)
    assert await say(desk, "When?") == []
    assert FERRY in sent(desk).text
    project = (await desk.ask(p.SaveProject(Project("", "Trips")))).projects[0].id
    await desk.ask(p.MoveConversations((desk.conversation,), project))
    desk.provider.script = [Reply(calls=(in_project,)), Reply("Nobody knows.")]
    assert await say(desk, "And in the project?") == [], "who allows everything allows the project"
    assert sent(desk).text.startswith("Nothing was found"), "it looked, and only other conversations tell of it"
    await begin(desk)
    desk.provider.script = [Reply(calls=(LOOK,)), Reply("At nine.")]
    assert len(await say(desk, "When?", NO)) == 1, "another conversation is asked about anew"


@pytest.mark.parametrize(("scope", "is_found"), [("everything", True), ("project", False), (None, False)])
async def test_unasked_it_looks_where_it_may_without_asking(
    open_with: Open, scope: RecallScope | None, is_found: bool
) -> None:
    desk = await open_with([Reply("Yes.")])
    filler = [f"Filler {n} has a word{n} of its own." for n in range(20)]
    await desk.engine.conversations.create("Filler", [user_message(text) for text in filler])
    setup = ConversationSetup(recall_in=scope)
    await desk.ask(p.ChangeSetup(desk.conversation, setup))
    await say(desk, "When does the ferry to Gotland leave from the northern pier?")
    body = json.dumps(sent(desk).body)
    assert (FERRY in body) == (HEADING_ACROSS in body) == is_found


async def test_what_may_be_looked_in_without_asking_is_not_asked_about(open_with: Open) -> None:
    desk = await open_with([Reply(calls=(LOOK,)), Reply("At nine.")])
    await desk.ask(p.ChangeSetup(desk.conversation, ConversationSetup(recall_in="everything")))
    assert await say(desk, "When?") == []
    assert FERRY in sent(desk).text
