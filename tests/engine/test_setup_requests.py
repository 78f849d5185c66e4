"""How a conversation is held, asked and changed through the engine: what the provider then gets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.events import GaugeChanged
from desktop_app.conversation.message import user_message
from desktop_app.conversation.setup import ConversationSetup, Persona, ReplyOptions
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from provider import Call, Reply, ScriptedProvider

pytestmark = pytest.mark.wire
PERSONA = Persona("Pirate", ConversationSetup(system_prompt="Arr.", tools_off=("bash",)), policy="relaxed")


@pytest_asyncio.fixture
async def home(data_folder: Path) -> AsyncIterator[Desk]:
    """A desk with a model behind a server, and one conversation."""
    provider = ScriptedProvider([Reply("Yes.")], repeat_last=True).start()
    server = Server("home", provider.base_url, ("scripted",), window=32_000, max_output=2_000)
    settings = Settings(chat_model="home/scripted", servers=(server,), is_memory_on=False, personas=(PERSONA,))
    desk = await open_desk(data_folder, settings)
    desk.provider = provider
    desk.conversation = (await desk.ask(p.CreateConversation())).conversation.id
    yield desk
    await desk.close()


async def say(desk: Desk, text: str, conversation: str = ""):
    """Send a message, and return the body of the request for its reply."""
    turns, conversation = desk.engine.conversations.turns, conversation or desk.conversation
    await desk.ask(p.Send(conversation, text))
    await turns.wait_until_idle(conversation, with_room=True)
    return next(r.body for r in reversed(desk.provider.requests) if r.body.get("tools"))


def tools_in(body) -> set[str]:
    return {tool["function"]["name"] for tool in body["tools"]}


async def test_what_there_is_to_set_is_told(home: Desk) -> None:
    read = await home.ask(p.ReadSetup(home.conversation))
    assert read.setup == ConversationSetup()
    assert read.system_prompt == Settings().system_prompt
    assert {"temperature", "top_p"} <= set(read.supported)
    assert "read" in read.tools


async def test_all_of_it_is_changed_at_once_and_sent(home: Desk, tmp_path: Path) -> None:
    setup = ConversationSetup(
        system_prompt="Be brief.", options=ReplyOptions(temperature=0.5), max_output=300, tools_off=("read",)
    )
    before = tools_in(await say(home, "Hello"))
    opened = await home.ask(p.ChangeSetup(home.conversation, setup, folder=str(tmp_path), policy="relaxed"))
    assert (opened.conversation.folder, opened.conversation.policy) == (str(tmp_path), "relaxed")
    assert (await home.ask(p.ReadSetup(home.conversation))).setup == setup
    body = await say(home, "Hello again")
    assert (body["temperature"], body["max_tokens"]) == (0.5, 300)
    assert "read" in before
    assert "read" not in tools_in(body)
    assert [m["content"] for m in body["messages"] if m["role"] == "system"] == ["Be brief."]


async def test_a_tool_that_is_off_here_does_not_run(home: Desk) -> None:
    await home.ask(p.ChangeSetup(home.conversation, ConversationSetup(tools_off=("bash",)), folder="/"))
    home.provider.script = [Reply(calls=(Call("bash", '{"command":"echo hi"}', "c1"),)), Reply("Well.")]
    body = await say(home, "run it")
    assert [m for m in body["messages"] if m["role"] == "tool"]
    assert not home.engine.services.tool_runtime.questions.of(home.conversation)


async def test_what_cannot_be_is_refused(home: Desk) -> None:
    for changes in ({"folder": "/nowhere/at/all"}, {"policy": "gone"}, {"model": "home/gone"}):
        with pytest.raises(WorldError):
            await home.ask(p.ChangeSetup(home.conversation, ConversationSetup(max_output=5), **changes))
    assert (await home.ask(p.ReadSetup(home.conversation))).setup == ConversationSetup()


async def test_what_was_changed_before_something_was_refused_is_shown(home: Desk) -> None:
    before = (await home.opened()).gauge
    with pytest.raises(WorldError):
        await home.ask(p.ChangeSetup(home.conversation, ConversationSetup(), policy="aggressive", model="home/gone"))
    (*_, told) = [event for event in home.events() if isinstance(event, GaugeChanged)]
    assert told.gauge == (await home.opened()).gauge != before


async def test_a_conversation_begins_with_a_persona_which_may_change_without_it(home: Desk) -> None:
    begun = await home.ask(p.CreateConversation(persona="Pirate"))
    assert begun.conversation.policy == "relaxed"
    changed = replace(home.engine.services.settings, personas=())
    await home.ask(p.WriteSettings(changed))
    body = await say(home, "Hello", begun.conversation.id)
    assert [m["content"] for m in body["messages"] if m["role"] == "system"] == ["Arr."]
    assert "bash" not in tools_in(body)
    assert (await home.ask(p.ReadSetup(begun.conversation.id))).setup.persona == "Pirate"


async def import_one(desk: Desk) -> None:
    """Add a message to the conversation, as an import does."""
    chats = desk.engine.conversations
    async with chats.sessions.unopened(desk.conversation):
        await chats.archive.append(desk.conversation, stamp(user_message("imported")))


async def test_a_setup_that_meets_an_import_is_not_refused_as_if_nothing_was_changed(home: Desk, monkeypatch) -> None:
    archive = home.engine.services.archive
    change = archive.change

    async def import_behind_it(conversation: str, **changes: Any) -> None:
        await change(conversation, **changes)
        await import_one(home)

    monkeypatch.setattr(archive, "change", import_behind_it)
    opened = await home.ask(p.ChangeSetup(home.conversation, ConversationSetup(system_prompt="Arr.")))
    assert opened.rows[-1].message.text == "imported"
    assert opened.gauge == (await home.opened()).gauge
    assert (await home.ask(p.ReadSetup(home.conversation))).system_prompt == "Arr."


async def test_a_model_whose_choice_meets_an_import_is_not_refused_as_if_nothing_was_changed(
    home: Desk, monkeypatch
) -> None:
    async def import_then(session: Session) -> None:
        monkeypatch.undo()
        await import_one(home)

    monkeypatch.setattr(home.engine.conversations.turns.getting_ready, "equip", import_then)
    opened = await home.ask(p.ChooseModel(home.conversation, "builtin"))
    assert opened.conversation.model == "builtin"
    assert opened.model.is_builtin
    assert opened.rows[-1].message.text == "imported"
