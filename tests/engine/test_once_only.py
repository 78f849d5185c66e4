"""What can be done once only is done once, however often it is asked for at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from test_planning import Desk, desk_with

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamped
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import BringBack, Compaction, ConversationLink, Flush, Pin, Undo, Unpin
from desktop_app.engine import protocol as p
from provider import Reply

TIMES = 4


@pytest_asyncio.fixture
async def desk(data_folder: Path) -> AsyncIterator[Desk]:
    made = await desk_with(data_folder, [Reply("Yes.")])
    yield made
    await made.engine.close()
    made.provider.stop()


async def at_once(desk: Desk, wish: p.AnyRequest) -> list[p.EngineResponse | BaseException]:
    """What the same wish is answered with, sent four times at once. What fails, fails with words for the user."""
    answers = await asyncio.gather(*(desk.ask(wish) for _ in range(TIMES)), return_exceptions=True)
    assert all(not isinstance(one, BaseException) or isinstance(one, WorldError) for one in answers), answers
    return answers


async def session_of(desk: Desk) -> Session:
    return await desk.engine.conversations.open(desk.conversation)


async def recorded(desk: Desk, kind: type) -> list:
    """As the archive has them, which a restart would read."""
    await session_of(desk)
    entries = await desk.engine.conversations.archive.entries(desk.conversation)
    return [entry for entry in entries if isinstance(entry, kind)]


async def optimized(desk: Desk) -> str:
    """The id of a compaction."""
    plan = await desk.plan("extractive")
    await desk.ask(p.ApplyPlan(desk.conversation, plan.id, plan.summary))
    return (await recorded(desk, Compaction))[-1].id


@pytest.mark.parametrize("strategy", ["extractive", "last_messages"])
async def test_a_plan_is_applied_once(desk: Desk, strategy: str) -> None:
    plan = await desk.plan(strategy)
    answers = await at_once(desk, p.ApplyPlan(desk.conversation, plan.id, plan.summary))
    assert [isinstance(one, p.Done) for one in answers].count(True) == 1
    assert {one.failure.kind for one in answers if isinstance(one, WorldError)} == {"stale"}
    assert len(await recorded(desk, Compaction)) == 1


async def test_two_plans_of_the_same_view_archive_no_message_twice(desk: Desk) -> None:
    plans = [await desk.plan("extractive") for _ in range(TIMES)]
    wishes = (desk.ask(p.ApplyPlan(desk.conversation, plan.id, plan.summary)) for plan in plans)
    answers = await asyncio.gather(*wishes, return_exceptions=True)
    assert [isinstance(one, p.Done) for one in answers].count(True) == 1
    assert len(await recorded(desk, Compaction)) == 1


async def test_a_plan_that_could_not_be_applied_can_be_tried_again(desk: Desk) -> None:
    plan = await desk.plan("extractive")
    with pytest.raises(WorldError, match="longer"):
        await desk.ask(p.ApplyPlan(desk.conversation, plan.id, "too long " * 20_000))
    assert isinstance(await desk.ask(p.ApplyPlan(desk.conversation, plan.id, plan.summary)), p.Done)


async def test_undo_and_redo_are_done_once(desk: Desk) -> None:
    operation = await optimized(desk)
    for wish, undos in ((p.UndoOperation, 1), (p.RedoOperation, 2), (p.UndoOperation, 3)):
        answers = await at_once(desk, wish(desk.conversation, operation))
        assert all(isinstance(one, p.Done) for one in answers), "what is done already is no failure"
        assert len(await recorded(desk, Undo)) == undos


async def test_what_a_flush_saved_is_taken_back_once(desk: Desk) -> None:
    flush = stamped(Flush(memories=(), texts=("The user likes tea.",)))
    await (await session_of(desk)).record_operation(flush)
    for wish, undos in ((p.UndoOperation, 1), (p.RedoOperation, 2)):
        answers = await at_once(desk, wish(desk.conversation, flush.id))
        assert all(isinstance(one, p.Done) for one in answers)
        assert len(await recorded(desk, Undo)) == undos


async def test_messages_are_brought_back_pinned_and_unpinned_once(desk: Desk) -> None:
    await optimized(desk)
    archived = (await recorded(desk, Compaction))[-1].archived
    await at_once(desk, p.BringBackMessages(desk.conversation, archived[:2]))
    assert len(await recorded(desk, BringBack)) == 1
    await at_once(desk, p.PinMessage(desk.conversation, archived[0]))
    assert len(await recorded(desk, Pin)) == 1
    await at_once(desk, p.UnpinMessage(desk.conversation, archived[0]))
    assert len(await recorded(desk, Unpin)) == 1


async def test_a_fresh_start_is_made_once(desk: Desk) -> None:
    answers = await at_once(desk, p.StartFresh(desk.conversation))
    opened = {one.conversation.id for one in answers if isinstance(one, p.ConversationOpened)}
    assert len(opened) == 1
    assert len(await recorded(desk, ConversationLink)) == 1
    assert len(await desk.engine.conversations.infos()) == 2
    await desk.ask(p.Delete(opened.pop()))
    anew = await desk.ask(p.StartFresh(desk.conversation))
    assert isinstance(anew, p.ConversationOpened)
    assert len(await recorded(desk, ConversationLink)) == 2, "the first one is not there any more"


@pytest.mark.parametrize("wish", [p.Regenerate, p.GoOn, p.OptimizeAndRetry, p.SendAnyway])
async def test_an_answer_is_asked_for_once(desk: Desk, wish: type) -> None:
    answers = await at_once(desk, wish(desk.conversation))
    assert [isinstance(one, p.Done) for one in answers].count(True) == 1
    assert {one.failure.kind for one in answers if isinstance(one, WorldError)} == {"busy"}
    await desk.engine.conversations.turns.settled(desk.conversation, with_room=True)
    replies = [m for m in await recorded(desk, Message) if m.usage is not None]
    assert len(replies) <= 1
