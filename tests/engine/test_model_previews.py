"""What switching to another model is said to do is what it does: the same figures, from the same request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.conversation.events import GaugeChanged
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.engine import protocol as p
from desktop_app.settings import ModelLimits, Server, Settings

LIMITS = {
    "large": ModelLimits(200_000, 4_000),
    "qwen-small": ModelLimits(12_000, 1_000),
    "llama-tiny": ModelLimits(2_000, 500),
}
SERVER = Server("home", "http://127.0.0.1:9/v1", (*LIMITS, "unknown"), limits=LIMITS)
SETTINGS = Settings(chat_model="home/large", servers=(SERVER,), is_memory_on=False, summaries="extractive")


@pytest_asyncio.fixture
async def long(data_folder: Path) -> AsyncIterator[Desk]:
    """A desk with a conversation of some 20,000 tokens, and models for which that is little, and too much."""
    desk = await open_desk(data_folder, SETTINGS)
    messages = [user_message("Never restart the server on Fridays. Let us begin.")]
    for n in range(60):
        messages.append(Message(role=Role.ASSISTANT, parts=(Text(f"Answer {n}. " + f"detail{n} said " * 60),)))
        messages.append(user_message(f"Go on with {n}, " + f"about topic{n} " * 15))
    desk.conversation = (await desk.engine.conversations.create("Long", messages)).id
    yield desk
    await desk.close()


async def preview(desk: Desk, model: str):
    return (await desk.ask(p.PreviewModel(desk.conversation, model))).preview


async def test_what_fits_is_told_as_the_gauge_shows_it_afterwards(long: Desk) -> None:
    now = (await long.opened()).gauge
    told = await preview(long, "home/large")
    assert (told.verdict, told.total, told.usable) == ("fits", now.total, now.usable)


@pytest.mark.long
async def test_the_compaction_that_is_told_is_the_one_that_is_done(long: Desk) -> None:
    told = await preview(long, "home/qwen-small")
    assert told.verdict == "compact"
    assert told.after < told.usable < told.total
    opened = await long.ask(p.ChooseModel(long.conversation, "home/qwen-small"))
    assert (opened.gauge.total, opened.gauge.usable) == (told.total, told.usable)
    plan = await long.plan()
    assert plan.after.total == told.after
    await long.ask(p.ApplyPlan(long.conversation, plan.id, plan.summary))
    gauges = [event.gauge for event in long.events() if isinstance(event, GaugeChanged)]
    assert gauges[-1].total == told.after
    assert (await preview(long, "home/qwen-small")).verdict == "fits"


@pytest.mark.long
async def test_a_window_that_is_too_small_and_one_that_nobody_knows(long: Desk) -> None:
    assert (await preview(long, "home/llama-tiny")).verdict == "compact"
    single = [user_message("One message that is longer than the window. " * 400)]
    long.conversation = (await long.engine.conversations.create("Single", single)).id
    told = await preview(long, "home/llama-tiny")
    assert told.verdict == "too_small"
    assert told.total > told.usable > 0
    assert (await preview(long, "home/unknown")).verdict == "unknown"


@pytest.mark.long
async def test_asking_changes_nothing(long: Desk) -> None:
    before = await long.opened()
    entries = await long.engine.services.archive.entries(long.conversation)
    for model in ("home/qwen-small", "home/llama-tiny", "builtin", "home/unknown"):
        await preview(long, model)
    after = await long.opened()
    assert (after.model, after.gauge, after.conversation.model) == (before.model, before.gauge, "home/large")
    assert await long.engine.services.archive.entries(long.conversation) == entries


async def test_what_is_being_written_is_counted_with_it(long: Desk) -> None:
    told = await preview(long, "home/large")
    draft = "Now write all of this down again, with a table of the topics. " * 20
    await long.ask(p.KeepDraft(long.conversation, draft, ()))
    counted = (await long.ask(p.CountDraft(long.conversation, draft))).tokens
    with_draft = await preview(long, "home/large")
    assert counted > 200
    assert with_draft.total == told.total + counted


async def test_a_draft_may_be_what_makes_a_compaction_due(long: Desk) -> None:
    long.conversation = (await long.engine.conversations.create("Short", [user_message("Begin.")])).id
    assert (await preview(long, "home/llama-tiny")).verdict == "fits"
    await long.ask(p.KeepDraft(long.conversation, "One long message. " * 1_000, ()))
    assert (await preview(long, "home/llama-tiny")).verdict == "too_small"


async def test_the_tools_that_another_model_would_be_offered_are_counted(data_folder: Path) -> None:
    desk = await open_desk(data_folder, replace(SETTINGS, chat_model="builtin"))
    said = [user_message("Begin."), Message(role=Role.ASSISTANT, parts=(Text("Yes."),))]
    desk.conversation = (await desk.engine.conversations.create("Without tools", said)).id
    assert Segment.SCHEMAS not in (await desk.opened()).gauge.segments, "the built-in model calls none"
    told = await preview(desk, "home/large")
    await desk.ask(p.ChooseModel(desk.conversation, "home/large"))
    opened = await desk.opened()
    assert opened.gauge.segments[Segment.SCHEMAS] > 100
    assert told.total == opened.gauge.total
    await desk.close()
