"""What is done about a provider's errors before the user is troubled with them."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import model, result
from desktop_app.chat import operations
from desktop_app.chat.ports import ChatModel, ModelCatalogue, ModelError, WindowUnknown
from desktop_app.chat.session_model import choose_model, find_model
from desktop_app.chat.turn.recovery import (
    DOES_NOT_FIT,
    WAITS,
    DropResults,
    GiveUp,
    MakeRoom,
    Tried,
    Wait,
    reaction_to,
)
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import Failure, RetryScheduled, TurnEvent, TurnFailed, TurnFinished, ViewChanged
from desktop_app.conversation.message import Message, Reasoning, Role, Text, ToolCall, user_message
from desktop_app.models.provider_dialects import ProviderMetadata, encode_metadata
from provider import Cut, Overflow, Reply, Status

LONG = [Message(role=role, parts=(Text("word " * 1_000),)) for role in (Role.USER, Role.ASSISTANT) * 10]
KINDS = ("provider", "rate_limit", "quota", "auth", "server", "timeout", "connection", "cut", "malformed")


def error(kind: str, retry_after: float | None = None) -> ModelError:
    return ModelError(Failure(kind, "It went wrong"), kind=kind, retry_after=retry_after)  # type: ignore[arg-type]


def test_an_overflow_makes_room_then_drops_then_gives_up() -> None:
    tried, seen = Tried(), []
    while not isinstance(reaction := reaction_to(error("overflow"), tried, BALANCED, True, False), GiveUp):
        seen.append(reaction)
        is_room = isinstance(reaction, MakeRoom)
        tried = Tried(rooms=tried.rooms + is_room, drops=tried.drops + (not is_room))
    assert seen == [MakeRoom(), DropResults(0.10), DropResults(0.20), DropResults(0.50), DropResults(1.00)]


@pytest.mark.parametrize("patience", [None, 0, 90])
def test_a_model_that_is_loaded_is_waited_for_as_long_as_its_server_may_take(patience: int | None) -> None:
    tried, seconds = Tried(waits=9), 0.0
    while isinstance(reaction := reaction_to(error("loading"), tried, BALANCED, True, False, patience), Wait) and (
        seconds < 5_000
    ):
        seconds += reaction.seconds
        tried = replace(tried, loading=tried.loading.waited(reaction.seconds))
    assert seconds >= 5_000 if patience == 0 else (patience or 600) <= seconds < (patience or 600) + 9
    assert reaction_to(error("loading", 400.0), Tried(), BALANCED, True, False) == Wait(30.0)


@pytest.mark.parametrize(
    ("kind", "after", "reaction"),
    [
        ("rate_limit", 7.0, Wait(7.0)),
        ("rate_limit", None, Wait(2.0)),
        ("rate_limit", BALANCED.max_retry_wait + 1, GiveUp()),
        *((kind, None, GiveUp()) for kind in ("auth", "quota", "malformed", "content_filter", "provider")),
    ],
)
def test_what_may_pass_is_waited_for_but_not_for_hours(kind: str, after: float | None, reaction: object) -> None:
    assert reaction_to(error(kind, after), Tried(), BALANCED, True, False) == reaction


@given(st.sampled_from(KINDS), st.booleans(), st.none() | st.floats(-5, 100))
def test_it_ends_and_what_was_shown_is_never_asked_for_twice(kind: str, off: bool, after: float | None) -> None:
    assert reaction_to(error(kind, after), Tried(), BALANCED, off, True) == GiveUp()
    most = len(WAITS.get(kind, ()))  # type: ignore[call-overload]
    assert reaction_to(error(kind, after), Tried(waits=most), BALANCED, off, False) == GiveUp()


@pytest.mark.wire
async def test_a_server_that_is_busy_is_asked_again_and_the_user_is_told(talk) -> None:
    home, session = await talk([Status(503, "overloaded"), Reply("Here I am.")])
    events = await home.turn(session, "Hello?")
    assert [(e.attempt, e.seconds) for e in events if isinstance(e, RetryScheduled)] == [(1, 1.0)]
    assert not home.of(TurnFailed)
    assert session.page(9, 1)[0].message.text == "Here I am."


LOADING = '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}'


@pytest.mark.wire
async def test_a_server_that_loads_its_model_is_asked_again_until_it_answers(talk) -> None:
    home, session = await talk([Status(503, body=LOADING), Status(503, body=LOADING), Reply("Here I am.")])
    events = await home.turn(session, "Hello?")
    waits = [event for event in events if isinstance(event, RetryScheduled)]
    assert [(event.attempt, event.seconds) for event in waits] == [(1, 1.0), (2, 2.0)]
    assert all("is loading the model" in event.reason for event in waits)
    assert not home.of(TurnFailed)
    assert session.page(9, 1)[0].message.text == "Here I am."


class LoadsItsModel:
    """A catalogue whose server says first that it loads the model, so that the window is not known."""

    def __init__(self, models: ModelCatalogue, times: int) -> None:
        self._models, self._times = models, times

    def __getattr__(self, name: str) -> object:
        return getattr(self._models, name)

    async def resolve_model(self, model_id: str) -> ChatModel:
        self._times -= 1
        if self._times < 0:
            return await self._models.resolve_model(model_id)
        known = self._models.model(model_id)
        info = replace(known.info, window=0, patience=0)
        raise WindowUnknown(Failure("loading", "It is loading the model"), info, known.tokenizer, "loading")


async def test_a_window_that_is_known_once_the_model_is_loaded_is_waited_for(talk) -> None:
    home, session = await talk([Reply("Here I am.")])
    events: list[TurnEvent] = []
    await find_model(session, cast("ModelCatalogue", LoadsItsModel(home.chats.models, 1)), events.append)
    assert [event.reason for event in events if isinstance(event, RetryScheduled)] == ["It is loading the model"]
    assert session.model.info == home.chats.models.model(session.info.model).info


async def test_a_model_can_be_chosen_while_its_server_loads_it(talk) -> None:
    home, session = await talk([])
    loads = cast("ModelCatalogue", LoadsItsModel(home.chats.models, 1))
    assert (await choose_model(loads, session.info.model)).info.id == session.info.model
    assert (await choose_model(loads, session.info.model)).info.window, "it is loaded"


@pytest.mark.long
@pytest.mark.parametrize("is_automatic", [True, False])
async def test_what_is_undone_while_a_request_waits_to_be_sent_again_makes_none_too_large(talk, is_automatic) -> None:
    home, session = await talk(
        [Reply("Yes."), Status(503, "overloaded"), Reply("Here I am.")], window=8_000, messages=LONG
    )
    await home.turn(session, "May I?")
    home.chats.settings = replace(home.chats.settings, is_automatic=is_automatic)
    turn = asyncio.ensure_future(home.turn(session, "And now?"))
    while not home.of(RetryScheduled):
        await asyncio.sleep(0.01)
    await operations.undo(session, session.operations()[-1].id)
    assert session.counter.gauge().total > session.counter.budget.usable
    await turn
    lengths = [len(request.messages) for request in home.provider.requests]
    assert max(lengths) < 20, "none is sent that is known to be too large"
    if is_automatic:
        assert len(lengths) == 3
        assert not home.of(TurnFailed)
    else:
        assert len(lengths) == 2
        assert [event.failure.title for event in home.of(TurnFailed)] == [DOES_NOT_FIT]


async def test_an_overflow_is_met_by_making_room_for_the_window_that_it_names(talk) -> None:
    home, session = await talk(
        [Overflow(window=4_096, tokens=30_000), Reply("It fits now.")], window=60_000, messages=LONG
    )
    events = await home.turn(session, "And now?")
    assert session.counter.budget.window == 4_096
    assert not home.of(TurnFailed), "the user sees no error"
    assert [e.cause for e in events if isinstance(e, ViewChanged)][:1] == ["overflow"]
    assert len(home.provider.requests[1].messages) < len(home.provider.requests[0].messages)
    assert [e.reason for e in events if isinstance(e, TurnFinished)] == ["finished"]


async def test_a_provider_that_refuses_whatever_is_sent_gets_nothing_twice(talk) -> None:
    home, session = await talk([Overflow()], window=60_000, repeat_last=True, messages=LONG)
    await home.turn(session, "And now?")
    assert len(home.of(TurnFailed)) == 1
    sizes = [len(str(request.body)) for request in home.provider.requests]
    assert len(sizes) == 1 + BALANCED.overflow_retries, "there are no results that could be dropped"
    assert sizes == sorted(set(sizes), reverse=True)


@pytest.mark.wire
async def test_an_overflow_after_a_wait_is_what_the_user_is_told(talk) -> None:
    home, session = await talk([Status(503, "overloaded"), Overflow()], window=60_000, repeat_last=True)
    await home.turn(session, "And now?")
    assert [failed.failure.kind for failed in home.of(TurnFailed)] == ["nothing_can_leave"], (
        "not that the server was busy"
    )


async def test_with_automatic_off_an_overflow_is_told_and_nothing_is_compacted(house) -> None:
    home = await house([Overflow(), Reply("never sent")], window=60_000)
    home.chats.settings = replace(home.chats.settings, is_automatic=False)
    session = await home.chats.create("Long", LONG)
    await home.turn(session, "And now?")
    assert home.of(TurnFailed)
    assert not session.operations()
    assert len(home.provider.requests) == 1


async def test_going_on_keeps_what_was_done_and_writes_only_the_broken_reply_anew(talk) -> None:
    home, session = await talk([Reply("First answer."), Cut("Half of"), Reply("All of it.")])
    await home.turn(session, "Hello?")
    await home.turn(session, "And now?")
    await home.chats.turns.go_on(session)
    await home.chats.turns.wait_until_idle(session.id)
    texts = [message["content"] for message in home.provider.requests[2].messages]
    assert texts[1:] == ["Hello?", "First answer.", "And now?"]
    assert [item.message.text for item in session.view.items][-1] == "All of it."


@pytest.mark.parametrize(("status", "requests"), [(400, 2), (401, 1)])
async def test_metadata_that_the_model_does_not_take_back_is_left_out(house, status: int, requests: int) -> None:
    """Such as reasoning that was encrypted for another account. What is counted changes with what is sent."""
    details = {"reasoning_details": [{"type": "reasoning.text", "text": "I look. " * 50, "index": 0}]}
    metadata = encode_metadata(ProviderMetadata("scripted/scripted", message=details))
    call = model(Reasoning("I look. " * 50), ToolCall("c", "read", "{}", metadata), model="scripted/scripted")
    home = await house([Status(status, "Thought signature could not be decrypted"), Reply("Done.", usage=None)])
    said = [user_message("Read"), call, result("Nothing.", name="read")]
    session = await home.chats.create("Signed", said)
    before = session.counter.gauge().total
    await home.turn(session, "And?")
    sent = [str(request.body) for request in home.provider.requests]
    assert ["I look." in body for body in sent] == [True, False][:requests]
    assert (session.counter.gauge().total < before - 40) == (requests == 2)
