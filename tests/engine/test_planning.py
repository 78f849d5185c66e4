"""Optimize conversation with a summary by a model, through the engine as the window asks it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import RoomProgressed
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.prompts import read_prompts
from desktop_app.engine.requests import respond
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from provider import AnyStep, Hang, Reply, ScriptedProvider, Status
from slowness import slowness

RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nTalk about topics.\n\n## Rules and constraints\n- {RULE}"
WRITTEN = Reply(json.dumps({"summary": PAGE, "turn": "", "keep": []}), size=12, usage=(4_000, 80, 0))


class Desk:
    """An engine on a folder of its own, its only model the scripted one, and what it told the window."""

    def __init__(self, engine: Engine, lines: list[bytes], provider: ScriptedProvider) -> None:
        self.engine, self.lines, self.provider = engine, lines, provider
        self.conversation = ""

    async def ask(self, wish: p.AnyRequest) -> p.EngineResponse:
        return await respond(self.engine, wish)

    async def plan(self, strategy: str = "") -> p.Plan:
        plan = await self.ask(p.PlanOptimize(self.conversation, strategy=strategy))
        assert isinstance(plan, p.Plan)
        return plan

    def progress(self) -> list[RoomProgressed]:
        self.engine.outbox.flush()
        told = [msgspec.json.decode(line, type=p.EngineLine) for line in self.lines]
        return [line.event for line in told if isinstance(line, p.EventLine) and isinstance(line.event, RoomProgressed)]


async def desk_with(data: Path, steps: list[AnyStep]) -> Desk:
    provider = ScriptedProvider(steps).start()
    server = Server("scripted", provider.base_url, ("scripted",), window=12_000, max_output=1_000)
    settings = Settings(chat_model="scripted/scripted", servers=(server,), is_memory_on=False)
    write_settings(settings_file(data), settings)
    lines: list[bytes] = []
    bugs: list[BaseException] = []
    engine = await compose(data, EventCoalescer(lines.append), lambda: None, bugs.append)
    made = Desk(engine, lines, provider)
    said = [user_message(f"{RULE} Let us begin.")]
    for n in range(50):
        said.append(Message(role=Role.ASSISTANT, parts=(Text(f"Answer {n}. " + f"detail{n} said " * 15),)))
        said.append(user_message(f"Go on with {n}, " + f"about topic{n} " * 15))
    made.conversation = (await engine.conversations.create("Long", said)).id
    return made


@pytest_asyncio.fixture
async def desk(data_folder: Path) -> AsyncIterator[object]:
    """`await desk(steps)`: a desk that is cleared in order."""
    made: list[Desk] = []

    async def make(steps: list[AnyStep]) -> Desk:
        made.append(await desk_with(data_folder, steps))
        return made[-1]

    yield make
    for one in made:
        await one.engine.close()
        one.provider.stop()


async def test_the_plan_is_shown_before_anything_is_sent_with_what_it_will_take(desk) -> None:
    at = await desk([WRITTEN])
    plan = await at.plan()
    assert (plan.strategy, plan.is_written, plan.is_useful) == ("llm", False, True)
    assert at.provider.requests == []
    assert plan.archived
    assert plan.summary == ""
    assert plan.writer.label == "scripted"
    assert plan.writer.calls == 1
    assert plan.writer.prompt_tokens > sum(item.tokens_before for item in plan.archived)
    assert 0 < plan.writer.reply_tokens <= 2_000
    assert plan.writer.dollars is None
    assert sum(plan.after.segments.values()) == plan.after.total < plan.before.total
    assert plan.after.segments["summary"] >= plan.summary_tokens


async def test_the_summary_is_written_on_wish_then_edited_and_applied(desk) -> None:
    at = await desk([WRITTEN])
    first = await at.plan()
    plan = await at.ask(p.WriteSummary(at.conversation, first.id, "Name every ticket."))
    assert plan.is_written
    assert plan.summary == PAGE
    assert (plan.usage.prompt_tokens, plan.usage.reply_tokens) == (4_000, 80)
    assert plan.after.total <= first.after.total, "what was shown before was the most that it could be"
    assert len(plan.archived) == len(first.archived)
    assert "Name every ticket." in at.provider.requests[0].messages[0]["content"]
    told = at.progress()
    assert {event.plan for event in told} == {first.id}
    checked = await at.ask(p.CheckSummary(at.conversation, plan.id, f"{PAGE}\n- And mine."))
    await at.ask(p.ApplyPlan(at.conversation, checked.id, checked.summary))
    opened = await at.ask(p.OpenConversation(at.conversation))
    (row,) = opened.operations
    assert row.strategies == {"edited": len(plan.archived)}
    assert row.summary.endswith("And mine.")
    assert row.model == "scripted/scripted"
    assert row.usage.prompt_tokens == 4_000, "it was paid for, whoever edited it then"


async def test_an_unwritten_plan_cannot_be_applied(desk) -> None:
    at = await desk([])
    plan = await at.plan()
    with pytest.raises(WorldError, match="not written"):
        await at.ask(p.ApplyPlan(at.conversation, plan.id, "mine"))
    assert (await at.ask(p.OpenConversation(at.conversation))).operations == ()


async def test_what_cannot_be_written_is_made_without_a_model_and_says_why(desk) -> None:
    at = await desk([Status(500)])
    plan = await at.ask(p.WriteSummary(at.conversation, (await at.plan()).id))
    assert plan.is_written
    assert "Assembled by rules" in plan.note
    assert RULE in plan.summary
    await at.ask(p.ApplyPlan(at.conversation, plan.id, plan.summary))
    (row,) = (await at.ask(p.OpenConversation(at.conversation))).operations
    assert row.strategies.keys() == {"extractive"}
    assert row.note == plan.note


async def test_writing_can_be_cancelled_and_begun_again(desk) -> None:
    at = await desk([Hang('{"summary": "It'), WRITTEN])
    plan = await at.plan()
    writing = asyncio.ensure_future(at.ask(p.WriteSummary(at.conversation, plan.id)))
    while not at.provider.requests:
        await asyncio.sleep(0.01)
    started = asyncio.get_running_loop().time()
    await at.ask(p.CancelSummary(at.conversation))
    assert asyncio.get_running_loop().time() - started < 0.25 * slowness()
    with pytest.raises(WorldError) as caught:
        await writing
    assert caught.value.failure.kind == "cancelled"
    assert (await at.ask(p.WriteSummary(at.conversation, plan.id))).summary == PAGE


async def test_the_other_strategies_need_no_model(desk) -> None:
    at = await desk([])
    without = await at.plan("extractive")
    last = await at.plan("last_messages")
    assert without.is_written
    assert last.is_written
    assert RULE in without.summary
    assert last.kept <= 6 < without.kept
    assert len(last.archived) > len(without.archived)
    await at.ask(p.ApplyPlan(at.conversation, last.id, last.summary))
    (row,) = (await at.ask(p.OpenConversation(at.conversation))).operations
    assert row.strategies.keys() == {"last_messages"}


async def test_the_built_in_model_does_not_offer_itself(desk) -> None:
    at = await desk([])
    builtin = (await at.ask(p.ListModels())).models[0]
    await at.ask(p.ChooseModel(at.conversation, builtin.id))
    plan = await at.plan()
    assert plan.strategy == "extractive"
    assert "too small" in plan.writer.refusal
    settings = msgspec.structs.replace(at.engine.conversations.settings, utility_model="scripted/scripted")
    await at.ask(p.WriteSettings(settings))
    plan = await at.plan()
    assert (plan.strategy, plan.writer.refusal) == ("llm", ""), "another model writes for it"


def test_the_users_own_words_take_the_place_of_ours(tmp_path: Path) -> None:
    ours = read_prompts(tmp_path)
    assert "{tokens}" in ours.summary
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "summary.md").write_text("Be terse: {tokens}.\n", encoding="utf-8")
    (tmp_path / "prompts" / "merge.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "prompts" / "turn.md").write_text("  \n")
    mine = read_prompts(tmp_path)
    assert mine.summary == "Be terse: {tokens}."
    assert (mine.merge, mine.turn, mine.form) == (ours.merge, ours.turn, ours.form)
