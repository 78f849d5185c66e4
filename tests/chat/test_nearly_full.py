"""At 95 % of what can be used nothing is sent until there is room, or the user says so; above all of it, never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.chat.session import Session
from desktop_app.chat.turn.take_turn import TurnOptions
from desktop_app.conversation.events import Failure, TurnEvent, TurnFailed
from desktop_app.conversation.message import Role
from provider import Reply

WORD = " ledger"
"""One token."""


async def filled(house: Callable[..., Any], share: float, is_automatic: bool) -> tuple[Any, Session, list[TurnEvent]]:
    """A conversation that is asked one question, with which the request takes that share of what can be used: there is
    nothing that could be freed."""
    made = await house([Reply("Yes.", usage=None), Reply("And yes.", usage=None)])
    made.chats.settings = replace(made.chats.settings, is_automatic=is_automatic)
    session = await made.chats.create()
    await made.turn(session, "Hello")
    gauge = session.counter.gauge()
    events = await made.turn(session, "The" + WORD * round(share * gauge.usable - gauge.total - 5))
    return made, session, events


async def after(made: Any, session: Session, is_forced: bool = False) -> list[TurnEvent]:
    start = len(made.events)
    await made.chats.turns.go_on(session, TurnOptions(is_forced))
    await made.chats.turns.wait_until_idle(session.id)
    return made.events[start:]


def failed(events: list[TurnEvent]) -> list[Failure]:
    return [event.failure for event in events if isinstance(event, TurnFailed)]


@pytest.mark.parametrize(("share", "is_automatic"), [(0.951, True), (0.97, False), (0.995, True)])
async def test_nothing_is_sent_until_the_user_says_so(house, share: float, is_automatic: bool) -> None:
    made, session, events = await filled(house, share, is_automatic)
    assert session.counter.gauge().share == pytest.approx(share, abs=0.002)
    assert [failure.kind for failure in failed(events)] == ["nearly_full"]
    assert len(made.provider.requests) == 1, "the first question's alone"
    assert session.view.items[-1].message.role is Role.USER, "the message is kept"
    again = await after(made, session)
    assert [failure.kind for failure in failed(again)] == ["nearly_full"], "trying again is not the user's word"
    sent = await after(made, session, is_forced=True)
    assert not failed(sent)
    assert len(made.provider.requests) == 2
    assert session.view.items[-1].message.text == "And yes."
    if not is_automatic:  # else room was made after the turn
        assert [failure.kind for failure in failed(await made.turn(session, "And then?"))] == ["nearly_full"]


async def test_below_it_is_sent(house) -> None:
    made, _, events = await filled(house, 0.94, True)
    assert not failed(events)
    assert len(made.provider.requests) == 2


@pytest.mark.parametrize("is_automatic", [True, False])
async def test_above_all_that_can_be_used_the_user_cannot_say_so(house, is_automatic: bool) -> None:
    made, session, events = await filled(house, 1.01, is_automatic)
    kinds = ["message_too_large_to_cut"]  # it is one message that fills it
    assert [failure.kind for failure in failed(events)] == kinds
    assert [failure.kind for failure in failed(await after(made, session, is_forced=True))] == kinds
    assert len(made.provider.requests) == 1
