"""150 turns with a small window: each compaction has its flush, and what was said is looked at once."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from remembering import Home, said

from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Compaction, Flush, Trigger
from provider import Call, Reply

TURNS = 150


def step(number: int) -> Reply:
    note = {"text": f"The user has been to town number {number}."}
    return Reply(calls=(Call("save_memory", json.dumps(note)),), usage=(6_000, 20, 5_500))


@pytest.mark.slow
async def test_each_compaction_has_its_flush_and_each_flush_its_own_stretch(house) -> None:
    house_ = await house([step(number) for number in range(TURNS)], window=16_000)
    home = Home(house_, await house_.chats.create("Long", [said("first", "Never restart the server on Fridays.")]))
    session = home.session
    for number in range(TURNS):
        text = f"We went to town {number} today, and saw {' '.join(f'thing{number}x{n}' for n in range(60))}."
        await session.record(said(f"u{number}", text))
        await passed(home, Trigger.BEFORE_REQUEST)
        reply = Message(id=f"r{number}", role=Role.ASSISTANT, parts=(Text(f"Tell me more of town {number}. " * 6),))
        await session.record(replace(reply, model=session.model_info.record_name))
        await passed(home, Trigger.AFTER_TURN)

    order = [type(entry) for entry in session.transcript.entries if isinstance(entry, Flush | Compaction)]
    compactions = order.count(Compaction)
    assert compactions >= 4
    assert order == [Flush, Compaction] * compactions + [Flush] * (len(order) - 2 * compactions)
    assert len(home.requests) == len(home.flushes) == len(await home.texts())
    places = [session.message(flush.before) for flush in home.flushes]
    assert all(places)
    indexes = [session._index[flush.before] for flush in home.flushes]
    assert indexes == sorted(set(indexes)), "each one goes on where the one before ended"
    appended = [request for request in home.requests if len(request.turns) > 2]
    assert len(appended) == len(home.requests), "each was the chat's own request with the question behind it"
    assert session.gauge().total <= session.budget.usable


async def passed(home: Home, trigger: Trigger) -> None:
    """One of the moments at which room is made, as a turn has them."""
    await home.flush(trigger)
    await home.house.make_room(home.session, trigger)
