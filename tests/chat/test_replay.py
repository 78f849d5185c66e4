"""A policy tried on the past: with the policy that was in force, it does again what was done."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import PRESETS
from desktop_app.context.replay import replay
from desktop_app.conversation.insights import Replayed
from desktop_app.conversation.transcript import Compaction, Prune
from provider import Reply

WORDS = "The parser reads tokens one by one and keeps a stack of open brackets for errors. "


async def long_conversation(talk, turns: int = 24):
    """A conversation in a window of 4,000 tokens that had to make room a few times."""
    home, session = await talk([Reply(WORDS * 12, usage=None, size=400) for _ in range(turns)], window=4_000)
    for number in range(turns):
        await home.turn(session, f"Turn {number}: never touch vendor/part_{number}.py. {WORDS * 6}")
        await home.chats.turns.wait_until_idle(session.id, with_room=True)
    return home, session


def replayed(session, policy=BALANCED) -> Replayed:
    ticks = itertools.count()
    return list(
        replay(session.view.path, policy, session.counter.budget, session.counter.counts, lambda: float(next(ticks)))
    )[-1]


@pytest.mark.long
async def test_the_same_policy_does_the_same_again(talk) -> None:
    home, session = await long_conversation(talk)
    done = [entry for entry in session.transcript.entries if isinstance(entry, Compaction | Prune)]
    assert any(isinstance(entry, Compaction) for entry in done)
    again = replayed(session)
    assert again.compactions == sum(isinstance(entry, Compaction) for entry in done)
    assert again.pruned == sum(len(entry.results) for entry in done if isinstance(entry, Prune))
    assert again.requests == len(home.provider.requests) == 24
    sent = [message["content"] for request in home.provider.requests for message in request.messages]
    frames = sum(len(request.messages) * 4 + 3 for request in home.provider.requests)
    assert again.tokens_sent == sum(map(session.counter.counts.text, sent)) + frames
    facts = [entry.fidelity for entry in done if isinstance(entry, Compaction)]
    assert (again.facts, again.facts_kept) == (
        sum(one.total for one in facts),
        sum(one.verbatim + one.in_summary for one in facts),
    )
    assert again.longest_seconds == 1.0, "one tick of the clock for each making of room"


@pytest.mark.long
async def test_another_policy_does_otherwise(talk) -> None:
    _, session = await long_conversation(talk)
    eager = replace(BALANCED, background_at=0.5, prune_at=0.5, compact_at=0.55)
    never = replace(BALANCED, phases=())
    few, many = replayed(session, never), replayed(session, eager)
    usual = replayed(session)
    assert few.compactions <= usual.compactions < many.compactions
    assert many.tokens_sent < usual.tokens_sent
    assert usual.tokens_cached < usual.tokens_sent


async def test_a_request_shares_what_it_has_in_common_with_the_one_before(talk) -> None:
    home, session = await talk([Reply("Fine.", usage=None) for _ in range(3)])
    for text in ("One?", "Two?", "Three?"):
        await home.turn(session, text)
    states = list(replay(session.view.path, BALANCED, session.counter.budget, session.counter.counts, lambda: 0.0))
    sent = [0, *(state.tokens_sent for state in states[:3])]
    sizes = [later - earlier for earlier, later in itertools.pairwise(sent)]
    assert states[-1].tokens_cached == sizes[0] + sizes[1]
    assert states[-1].compactions == 0


@pytest.mark.parametrize("name", sorted(PRESETS))
@pytest.mark.long
async def test_every_preset_can_be_tried(talk, name: str) -> None:
    _, session = await long_conversation(talk, turns=6)
    assert replayed(session, PRESETS[name]).requests == 6
