"""Memory through the whole engine: kept before a compaction, sent elsewhere once the user says so, and taken back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator

import pytest_asyncio
from msgspec.structs import replace

from desktop_app.context.memory.memories import HEADING, MODELS_NOTE
from desktop_app.conversation.events import TurnEvent, ViewChanged
from desktop_app.engine import protocol as p
from desktop_app.models.tokens.tokenizers import tokenizer_for
from engine_client import EngineClient
from provider import Call, Reply, Request, ScriptedProvider, Windowed

TEA = "The user drinks tea in the morning."
WINDOW = 12_000


TOWNS = ("Lyon", "Turin", "Graz", "Porto", "Cork", "Basel")


def answers() -> Callable[[Request], Reply]:
    """A flush is told by its words; a summary by JSON; everything else is the chat."""
    notes = iter([TEA, *(f"The user has friends in {town}." for town in TOWNS)])
    return lambda request: answer(request, notes)


def answer(request: Request, notes: Iterator[str]) -> Reply:
    if "Call save_memory once for each note" in request.text:
        return Reply(calls=(Call("save_memory", json.dumps({"text": next(notes)})),))
    if "Answer with one JSON object" in request.text:
        return Reply(json.dumps({"summary": "## Primary intent\nThe user tells of towns and of tea.", "keep": []}))
    return Reply("Tell me more of that town. " * 6)


@pytest_asyncio.fixture
async def engine(engines, use_provider) -> AsyncIterator[tuple[EngineClient, ScriptedProvider, Windowed]]:
    script = Windowed(WINDOW, answers(), count=tokenizer_for("gpt-4o").count)
    with ScriptedProvider(script) as provider:
        use_provider(provider, WINDOW)
        yield await engines(), provider, script


def kinds_in(events: list[TurnEvent]) -> list[str]:
    changed = [event for event in events if isinstance(event, ViewChanged)]
    return [row.kind for event in changed for row in event.operations if row.kind in ("flush", "compaction")]


def flushes_of(provider: ScriptedProvider) -> list[Request]:
    return [request for request in provider.requests if "Call save_memory once for each note" in request.text]


async def test_what_was_kept_before_a_compaction_is_known_elsewhere_once_the_user_says_so(engine) -> None:
    client, provider, script = engine
    await client.ask(p.Hello(p.VERSION))
    opened = await client.ask(p.CreateConversation())
    first = opened.conversation.id
    for number in range(40):
        things = " ".join(f"thing{number}x{n}" for n in range(60))
        await client.turn(first, f"I drink tea in the morning. We went to town {number}, and saw {things}.")
    await asyncio.sleep(1.0)  # the last one may begin behind its turn, and still be under way
    await client.until(lambda events: kinds_in(events).count("flush") == len(flushes_of(provider)))
    kinds = kinds_in(client.events)
    assert "compaction" in kinds
    assert kinds == (["flush", "compaction"] * len(kinds))[: len(kinds)], "each compaction comes after its flush"
    flushes = flushes_of(provider)
    assert not any(measured.is_refused for measured in script.requests)
    asked = [measured for measured, r in zip(script.requests, provider.requests, strict=True) if r in flushes]
    assert all(measured.cached_tokens >= 0.9 * measured.prompt_tokens for measured in asked), "read before, and cached"

    memories = await client.ask(p.ListMemories(first))
    texts = [memory.text for memory in memories.memories]
    assert texts[0] == TEA
    assert len(texts) == len(flushes)
    assert 0 < memories.tokens < memories.most == 1_000
    assert {memory.scope for memory in memories.memories} == {"conversation"}
    second = (await client.ask(p.CreateConversation())).conversation.id
    await client.turn(second, "What do I drink?")
    assert not any(text in str(provider.requests[-1].turns) for text in (HEADING, *texts))
    for memory in memories.memories:
        await client.ask(p.WriteMemory(replace(memory, scope="user"), second))
    third = (await client.ask(p.CreateConversation())).conversation.id
    await client.turn(third, "What do I drink?")
    system = next(text for role, text in provider.requests[-1].turns if role == "system")
    assert "\n- ".join([HEADING, *(f"{text} {MODELS_NOTE}" for text in texts)]) in system

    changed = [event for event in client.events if isinstance(event, ViewChanged)]
    flush = next(row for event in changed for row in event.operations if row.kind == "flush")
    await client.ask(p.UndoOperation(first, flush.id))
    assert TEA not in [m.text for m in (await client.ask(p.ListMemories())).memories]
    await client.ask(p.RedoOperation(first, flush.id))
    assert [m.text for m in (await client.ask(p.ListMemories())).memories] == texts
    assert await client.close() == 0
