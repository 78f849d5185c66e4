"""A message that steers reaches the model with the next request of the running turn, and is sent once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from test_message_queue import said, waiting
from test_run_tools import bash, calling, equipped

from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import QueueChanged, TurnFinished
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import chat_of
from provider import Reply
from request_rules import legal_for_all

pytestmark = pytest.mark.skipif(not Path("/bin/bash").exists(), reason="no shell")


async def in_a_tool(house: Any, folder: Path, *script: Any) -> Any:
    """A conversation whose turn runs a command until the file `work/go` is there."""
    home = await house([calling(bash("until [ -e go ]; do sleep 0.02; done")), *script], window=32_000)
    session = await equipped(home, folder)
    await home.chats.turns.send(session, "Begin")
    while not home.chats.turns.is_running(session.id) or not home.provider.requests:
        await asyncio.sleep(0.01)
    return home, session


def let_go(folder: Path) -> None:
    (folder / "work" / "go").touch()


def roles(session: Any) -> list[Role]:
    return [e.role for e in session.transcript.entries if isinstance(e, Message) and e.role is not Role.SYSTEM]


@pytest.mark.parametrize("is_later", [True, False])
async def test_it_enters_the_running_turn_after_the_tool(house, tmp_path: Path, is_later: bool) -> None:
    home, session = await in_a_tool(house, tmp_path, Reply("Done."))
    turns = home.chats.turns
    await turns.send(session, "Use the other file", is_steering=not is_later)
    if is_later:
        (message,) = turns.queue.state(session.id).queue
        turns.queue.steer(session.id, message.id)
    assert (said(session), waiting(home, session)) == (["Begin"], ["Use the other file"])
    let_go(tmp_path)
    await turns.wait_until_idle(session.id)
    assert roles(session) == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT]
    assert (said(session), waiting(home, session)) == (["Begin", "Use the other file"], [])
    assert len(home.of(TurnFinished)) == 1, "one turn"
    sent = home.provider.requests[-1].body["messages"]
    assert [one["role"] for one in sent[-3:]] == ["tool", "assistant", "user"], "no provider refuses it"
    assert sent[-1]["content"] == "Use the other file"
    assert not legal_for_all(chat_of(assemble(session.view)))


async def test_what_is_only_queued_waits_for_the_end(house, tmp_path: Path) -> None:
    home, session = await in_a_tool(house, tmp_path, Reply("Done."), Reply("And that."))
    turns = home.chats.turns
    await turns.send(session, "Later")
    await turns.send(session, "Now", is_steering=True)
    let_go(tmp_path)
    while len(home.of(TurnFinished)) < 2:
        await asyncio.sleep(0.01)
    assert said(session) == ["Begin", "Now", "Later"]
    assert [len(request.body["messages"]) for request in home.provider.requests[1:]] == [6, 8]


async def test_without_another_request_it_is_the_next_turn(house) -> None:
    home = await house([Reply("one " * 200, pause=0.01), Reply("Yes.")])
    session = await home.chats.create()
    await home.chats.turns.send(session, "Begin")
    while not home.provider.requests:
        await asyncio.sleep(0.01)
    await home.chats.turns.send(session, "And?", is_steering=True)
    while len(home.of(TurnFinished)) < 2:
        await asyncio.sleep(0.01)
    assert roles(session) == [Role.USER, Role.ASSISTANT] * 2


async def test_after_a_stop_it_waits_for_the_user(house, tmp_path: Path) -> None:
    home, session = await in_a_tool(house, tmp_path, Reply("Hello."))
    turns = home.chats.turns
    await turns.send(session, "Use the other file", is_steering=True)
    await turns.stop(session.id)
    assert waiting(home, session) == ["Use the other file"]
    assert not home.of(QueueChanged)[-1].queue[0].is_steering
    await turns.send(session, "Hello?")
    await turns.wait_until_idle(session.id)
    first = home.provider.requests[1].body["messages"][-1]
    assert first["content"] == "Hello?", "it is not added to a turn that it was not meant for"
