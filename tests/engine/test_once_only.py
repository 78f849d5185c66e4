"""What can be done once only is done once, however often it is asked for at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from desk import Desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import stamp
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import BringBack, Compaction, ConversationLink, Flush, Pin, Undo, Unpin
from desktop_app.engine import protocol as p
from provider import Reply

TIMES = 4


async def ask_at_once(desk: Desk, *requests: p.EngineRequest[Any]) -> tuple[list[p.EngineResponse], set[str]]:
    """Return the responses to these requests, or to the same one four times, and the kinds of the failures."""
    wanted = requests * TIMES if len(requests) == 1 else requests
    ended = await asyncio.gather(*map(desk.ask, wanted), return_exceptions=True)
    failed = [one for one in ended if isinstance(one, BaseException)]
    assert all(isinstance(one, WorldError) for one in failed), failed
    return [one for one in ended if not isinstance(one, BaseException)], {one.failure.kind for one in failed}


async def recorded(desk: Desk, kind: type) -> list[Any]:
    """Return those entries as the archive has them, which a restart would read."""
    return [e for e in await desk.engine.services.archive.entries(desk.conversation) if isinstance(e, kind)]


async def optimize(desk: Desk) -> Compaction:
    plan = await desk.plan("extractive")
    await desk.ask(p.ApplyPlan(desk.conversation, plan.id, plan.summary))
    return (await recorded(desk, Compaction))[-1]


@pytest.mark.parametrize("strategy", ["extractive", "last_messages"])
@pytest.mark.long
async def test_a_plan_is_applied_once(long_desk, strategy: str) -> None:
    desk = await long_desk()
    plan, other = await desk.plan(strategy), await desk.plan(strategy)
    done, kinds = await ask_at_once(desk, p.ApplyPlan(desk.conversation, plan.id, plan.summary))
    assert (len(done), kinds) == (1, {"stale"})
    done, kinds = await ask_at_once(desk, p.ApplyPlan(desk.conversation, other.id, other.summary))
    assert done == [], "it was made of the view before"
    assert len(await recorded(desk, Compaction)) == 1
    (operation,) = await recorded(desk, Compaction)
    await desk.ask(p.UndoOperation(desk.conversation, operation.id))
    done, kinds = await ask_at_once(desk, p.ApplyPlan(desk.conversation, plan.id, plan.summary))
    assert (done, kinds) == ([], {"stale"}), "the view is as it was, but this plan has had its time"


async def test_a_plan_that_could_not_be_applied_can_be_tried_again(long_desk) -> None:
    desk = await long_desk()
    plan = await desk.plan("extractive")
    with pytest.raises(WorldError):
        await desk.ask(p.ApplyPlan(desk.conversation, plan.id, "too long " * 20_000))
    await desk.ask(p.ApplyPlan(desk.conversation, plan.id, plan.summary))


@pytest.mark.long
async def test_undo_and_redo_are_done_once(long_desk) -> None:
    desk = await long_desk()
    flush = stamp(Flush(memories=(), texts=("The user likes tea.",)))
    await (await desk.engine.conversations.open(desk.conversation)).record_operation(flush)
    undos = 0
    for operation in ((await optimize(desk)).id, flush.id):
        for kind in (p.UndoOperation, p.RedoOperation, p.UndoOperation):
            done, kinds = await ask_at_once(desk, kind(desk.conversation, operation))
            assert (len(done), kinds) == (TIMES, set()), "what is done already is no failure"
            undos += 1
            assert len(await recorded(desk, Undo)) == undos


@pytest.mark.long
async def test_messages_are_brought_back_pinned_and_unpinned_once(long_desk) -> None:
    desk = await long_desk()
    archived = (await optimize(desk)).archived
    for request, kind in (
        (p.BringBackMessages(desk.conversation, archived[:2]), BringBack),
        (p.PinMessage(desk.conversation, archived[0]), Pin),
        (p.UnpinMessage(desk.conversation, archived[0]), Unpin),
    ):
        await ask_at_once(desk, request)
        assert len(await recorded(desk, kind)) == 1


async def test_a_fresh_start_is_made_once(long_desk) -> None:
    desk = await long_desk()
    plan = await desk.plan("extractive", is_fresh=True)
    done, kinds = await ask_at_once(desk, p.StartFresh(desk.conversation, plan.id, plan.summary))
    assert (len(done), kinds) == (1, {"stale"})
    assert len(await recorded(desk, ConversationLink)) == 1
    assert len((await desk.ask(p.ListConversations())).conversations) == 2


async def test_a_plan_does_only_what_it_is_for(long_desk) -> None:
    desk = await long_desk()
    plan, fresh = await desk.plan("extractive"), await desk.plan("extractive", is_fresh=True)
    for request in (
        p.StartFresh(desk.conversation, plan.id, plan.summary),
        p.ApplyPlan(desk.conversation, fresh.id, fresh.summary),
    ):
        assert await ask_at_once(desk, request) == ([], {"stale"})
    assert len((await desk.ask(p.ListConversations())).conversations) == 1
    assert (await desk.opened()).operations == ()


@pytest.mark.wire
@pytest.mark.parametrize("request_sent", [p.Regenerate(""), p.GoOn(""), p.GoOn("", True), p.GoOn("", False, True)])
async def test_an_answer_is_asked_for_once(long_desk, request_sent: p.BeginTurn) -> None:
    desk = await long_desk([Reply("Yes.")] * 2 * TIMES)  # a second answer would be there
    done, kinds = await ask_at_once(desk, replace(request_sent, conversation=desk.conversation))
    assert (len(done), kinds) == (1, {"busy"})
    await desk.engine.conversations.turns.wait_until_idle(desk.conversation, with_room=True)
    assert len([m for m in await recorded(desk, Message) if m.usage is not None]) <= 1
