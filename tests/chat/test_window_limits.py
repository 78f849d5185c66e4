"""A conversation with a model of which only a part of the window is to be used."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from desktop_app.conversation.events import TurnFailed
from desktop_app.conversation.transcript import Compaction, active_entries
from provider import Reply

WORD = " ledger"
"""One token."""


async def limited(house, most: int, window: int = 64_000):
    made = await house([Reply("Yes.", usage=None)], window=window, repeat_last=True)
    made.models.info = replace(made.models.info, max_window=most)
    return made, await made.chats.create()


def compactions(session) -> list[Compaction]:
    return [entry for entry in active_entries(session.view.path) if isinstance(entry, Compaction)]


async def test_room_is_made_at_the_part_of_the_window(house) -> None:
    made, session = await limited(house, 8_192)
    for n in range(12):
        await made.turn(session, f"Question {n}:" + WORD * 900)
        gauge = session.counter.gauge()
        assert (gauge.window, gauge.whole_window) == (8_192, 64_000)
        assert gauge.total < gauge.usable, "it stays within the part"
    assert compactions(session)
    assert not made.of(TurnFailed)


async def test_a_message_that_is_larger_than_the_part_is_sent_whole(house) -> None:
    made, session = await limited(house, 8_192)
    text = "The" + WORD * 20_000
    await made.turn(session, text)
    assert not made.of(TurnFailed)
    (request,) = made.provider.requests
    assert request.messages[-1]["content"] == text
    assert session.counter.gauge().share > 2
    await made.turn(session, "And now?")
    assert not made.of(TurnFailed)
    assert session.counter.gauge().share < 1, "an answered message can leave"


@pytest.mark.parametrize("most", [8_192, 0])
async def test_the_whole_window_is_the_limit_of_what_is_sent(house, most: int) -> None:
    made, session = await limited(house, most, window=16_000)
    await made.turn(session, "The" + WORD * 17_000)
    assert [event.failure.kind for event in made.of(TurnFailed)] == ["message_too_large_to_cut"]
    assert not made.provider.requests
