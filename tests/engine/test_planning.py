"""Optimize conversation over the protocol: a plan, its summary by a model, and what is applied."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from desk import RULE
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.context.summary.prompt import Prompts
from desktop_app.conversation.events import RoomProgressed, ViewChanged
from desktop_app.conversation.message import Usage
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import read_prompts
from provider import Hang, Reply, Status

PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"
WRITTEN = Reply(json.dumps({"summary": PAGE, "turn": "", "keep": []}), size=12, usage=(4_000, 80, 0))


async def test_the_plan_is_shown_before_anything_is_sent(long_desk) -> None:
    at = await long_desk([])
    plan = await at.plan()
    assert (plan.strategy, plan.is_written, plan.is_useful, plan.summary) == ("llm", False, True, "")
    assert at.provider.requests == []
    assert plan.archived
    assert (plan.writer.label, plan.writer.calls, plan.writer.dollars) == ("scripted", 1, None)
    assert plan.writer.prompt_tokens > sum(item.tokens_before for item in plan.archived)
    assert 0 < plan.writer.reply_tokens <= 2_000
    assert sum(plan.after.segments.values()) == plan.after.total < plan.before.total
    assert plan.after.segments["summary"] >= plan.summary_tokens
    with pytest.raises(WorldError) as caught:
        await at.ask(p.ApplyPlan(at.conversation, plan.id, "mine"))
    assert caught.value.failure.kind == "bad_input", "it is not written"
    assert (await at.opened()).operations == ()


@pytest.mark.wire
async def test_a_summary_is_written_then_edited_and_applied(long_desk) -> None:
    at = await long_desk([WRITTEN])
    first = await at.plan()
    plan = await at.ask(p.WriteSummary(at.conversation, first.id, "Name every ticket."))
    assert plan.summary.startswith(PAGE)
    assert (plan.is_written, len(plan.archived)) == (True, len(first.archived))
    assert (plan.usage.prompt_tokens, plan.usage.reply_tokens) == (4_000, 80)
    assert plan.after.total <= first.after.total, "what was shown before was the most that it could be"
    assert "Name every ticket." in at.provider.requests[0].messages[0]["content"]
    assert {event.plan for event in at.events() if isinstance(event, RoomProgressed)} == {first.id}
    checked = await at.ask(p.CheckSummary(at.conversation, plan.id, f"{PAGE}\n- And mine."))
    await at.ask(p.ApplyPlan(at.conversation, checked.id, checked.summary))
    (row,) = (await at.opened()).operations
    assert row.strategies == {"edited": len(plan.archived)}
    assert row.summary.endswith("And mine.")
    assert (row.model, row.usage.prompt_tokens) == ("scripted/scripted", 4_000), "paid for, whoever edited it then"


@pytest.mark.wire
async def test_a_summary_that_is_thrown_away_was_paid_all_the_same(long_desk) -> None:
    at = await long_desk([WRITTEN, WRITTEN])
    thrown_away = await at.ask(p.WriteSummary(at.conversation, (await at.plan()).id))
    assert (await at.opened()).totals.auxiliary == Usage(4_000, 80)
    assert [event.totals.auxiliary.prompt_tokens for event in at.events() if isinstance(event, ViewChanged)] == [4_000]
    await at.plan("extractive")
    plan = await at.ask(p.WriteSummary(at.conversation, (await at.plan()).id))
    await at.ask(p.ApplyPlan(at.conversation, plan.id, plan.summary))
    opened = await at.opened()
    assert opened.totals.auxiliary == Usage(8_000, 160, requests=2), "each once"
    assert thrown_away.usage == opened.operations[-1].usage == Usage(4_000, 80)


@pytest.mark.wire
async def test_the_plan_names_the_tokens_that_the_summary_takes_in_the_request(long_desk) -> None:
    at = await long_desk([WRITTEN])
    for plan in (first := await at.plan(), await at.ask(p.WriteSummary(at.conversation, first.id))):
        assert plan.summary_tokens == plan.after.segments["summary"]
    await at.ask(p.ApplyPlan(at.conversation, plan.id, plan.summary))
    assert (await at.opened()).gauge.segments["summary"] == plan.summary_tokens


@pytest.mark.wire
async def test_what_cannot_be_written_is_made_without_a_model_and_says_why(long_desk) -> None:
    at = await long_desk([Status(500)])
    plan = await at.ask(p.WriteSummary(at.conversation, (await at.plan()).id))
    assert plan.is_written
    assert plan.is_by_rules
    assert plan.note
    assert RULE in plan.summary
    await at.ask(p.ApplyPlan(at.conversation, plan.id, plan.summary))
    (row,) = (await at.opened()).operations
    assert (row.strategies.keys(), row.note) == ({"extractive"}, plan.note)


@pytest.mark.wire
async def test_writing_can_be_cancelled_and_begun_again(long_desk) -> None:
    at = await long_desk([Hang('{"summary": "It'), WRITTEN])
    plan = await at.plan()
    writing = asyncio.ensure_future(at.ask(p.WriteSummary(at.conversation, plan.id)))
    while not at.provider.requests:
        await asyncio.sleep(0.01)
    await at.ask(p.CancelComputation(p.Computation.PLAN, at.conversation))
    assert await asyncio.to_thread(at.provider.client_left.wait, 10), "the connection is closed"
    with pytest.raises(WorldError) as caught:
        await writing
    assert caught.value.failure.kind == "cancelled"
    assert (await at.ask(p.WriteSummary(at.conversation, plan.id))).summary.startswith(PAGE)


async def test_the_built_in_model_does_not_offer_itself(long_desk) -> None:
    at = await long_desk([])
    builtin = (await at.ask(p.ListModels())).models[0]
    await at.ask(p.ChooseModel(at.conversation, builtin.id))
    plan = await at.plan()
    assert plan.strategy == "extractive"
    assert plan.writer.refusal
    await at.ask(p.WriteSettings(replace(at.engine.services.settings, utility_model="scripted/scripted")))
    plan = await at.plan()
    assert (plan.strategy, plan.writer.refusal) == ("llm", ""), "another model writes for it"


def test_the_users_own_words_take_the_place_of_ours(tmp_path: Path) -> None:
    ours = read_prompts(Prompts, tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "summary.md").write_text("Be terse: {tokens}.\n", encoding="utf-8")
    (tmp_path / "prompts" / "merge.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "prompts" / "turn.md").write_text("  \n")
    mine = read_prompts(Prompts, tmp_path)
    assert mine.summary == "Be terse: {tokens}."
    assert (mine.merge, mine.turn, mine.form) == (ours.merge, ours.turn, ours.form)
