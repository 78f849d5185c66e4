"""A fresh start over the protocol: its summary by the author that the user chooses, edited, cancelled, fallen back."""

from __future__ import annotations

import asyncio
import json

import pytest
from desk import RULE

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import RoomProgressed
from desktop_app.engine import protocol as p
from provider import Hang, Reply, Status

PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"
WRITTEN = Reply(json.dumps({"summary": PAGE, "turn": "", "keep": []}), size=12, usage=(4_000, 80, 0))
EDIT = "- And mine, by hand."


@pytest.mark.wire
async def test_the_first_request_has_the_summary_that_a_model_wrote_and_the_user_edited(long_desk) -> None:
    at = await long_desk([WRITTEN, Reply("Let us go on.")])
    first = await at.plan(is_fresh=True)
    assert (first.strategy, first.is_written, first.is_fresh) == ("llm", False, True)
    written = await at.ask(p.WriteSummary(at.conversation, first.id, "Name every ticket."))
    assert "Name every ticket." in at.provider.requests[0].messages[0]["content"]
    assert {event.plan for event in at.events() if isinstance(event, RoomProgressed)} == {first.id}
    assert written.summary.startswith(PAGE)
    assert written.after.total < written.before.total
    checked = await at.ask(p.CheckSummary(at.conversation, written.id, f"{written.summary}\n{EDIT}"))
    opened = await at.ask(p.StartFresh(at.conversation, checked.id, checked.summary))
    fresh = opened.conversation.id
    assert (opened.totals.operations, opened.totals.tokens_freed) == (0, 0), "that was the other one's"
    assert opened.gauge.total <= written.before.total / 2
    await at.ask(p.Send(fresh, "Where are we?"))
    await at.engine.conversations.turns.wait_until_idle(fresh)
    sent = "\n".join(str(message["content"]) for message in at.provider.requests[-1].messages)
    assert PAGE.splitlines()[1] in sent
    assert EDIT in sent
    assert "Where are we?" in sent
    (link, summary) = sorted(opened.operations, key=lambda row: row.kind != "link")
    assert link.linked == at.conversation
    assert (summary.model, summary.usage.prompt_tokens) == ("scripted/scripted", 4_000)
    assert [row.linked for row in (await at.opened()).operations] == [fresh]


@pytest.mark.wire
async def test_cancelled_while_it_is_written_there_is_no_new_conversation(long_desk) -> None:
    at = await long_desk([Hang('{"summary": "It')])
    plan = await at.plan("llm", is_fresh=True)
    writing = asyncio.ensure_future(at.ask(p.WriteSummary(at.conversation, plan.id)))
    while not at.provider.requests:
        await asyncio.sleep(0.01)
    await at.ask(p.CancelComputation(p.Computation.PLAN, at.conversation))
    with pytest.raises(WorldError) as caught:
        await writing
    assert caught.value.failure.kind == "cancelled"
    with pytest.raises(WorldError) as caught:
        await at.ask(p.StartFresh(at.conversation, plan.id, ""))
    assert caught.value.failure.kind == "bad_input", "it is not written"
    assert len((await at.ask(p.ListConversations())).conversations) == 1
    assert (await at.opened()).operations == ()


@pytest.mark.wire
async def test_a_model_that_fails_leaves_it_to_rules_and_that_is_said(long_desk) -> None:
    at = await long_desk([Status(500)])
    plan = await at.ask(p.WriteSummary(at.conversation, (await at.plan("llm", is_fresh=True)).id))
    assert (plan.is_written, plan.is_fresh) == (True, True)
    assert plan.note
    assert RULE in plan.summary
    opened = await at.ask(p.StartFresh(at.conversation, plan.id, plan.summary))
    (note,) = {row.note for row in opened.operations if row.kind == "compaction"}
    assert note == plan.note
