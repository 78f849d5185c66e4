"""Replies that end before they are whole: why is recorded, and the model goes on where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from builders import model
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import TextDelta, TurnFinished
from desktop_app.conversation.message import Message, Role, Text, user_message
from provider import Call, Reply, Status

HALF = Reply("The tide comes in twice a da", finish="length", usage=None)
REST = Reply("y, and goes out.", usage=None)
CUT_CALL = Call("write", '{"path": "out.txt", "content": "first half of the fi')


def replies(session: Session) -> list[Message]:
    return [e for e in session.transcript.entries if isinstance(e, Message) and e.role is Role.ASSISTANT]


async def continued(home: Any, session: Session) -> None:
    """Continue the newest reply, and wait until the turn is over."""
    before = len(home.of(TurnFinished))
    await home.chats.turns.continue_reply(session)
    await home.until(lambda: len(home.of(TurnFinished)) > before)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)


@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        (HALF, "length"),
        (Reply("I cannot", finish="content_filter"), "content_filter"),
        (Reply("", finish="content_filter"), "content_filter"),
        (Reply("", finish="MALFORMED_FUNCTION_CALL"), "malformed_call"),
        (Reply(""), "empty"),
        (Reply(" \n"), "empty"),
        (Reply("", reasoning="I only think"), "empty"),
        (Reply("All of it."), ""),
    ],
)
@pytest.mark.wire
async def test_why_a_reply_ended_is_read_again_after_a_restart(
    talk: Callable[..., Any], reply: Reply, ending: str
) -> None:
    home, session = await talk([reply], repeat_last=True)
    await home.turn(session, "Tell me.")
    assert replies(session)[-1].ending == ending
    session = await home.reopen(session)
    assert replies(session)[-1].ending == ending
    assert not replies(session)[-1].is_interrupted


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_reply_that_was_cut_goes_on_where_it_stopped(talk: Callable[..., Any], is_restarted: bool) -> None:
    home, session = await talk([HALF, REST, Reply("Thanks.")])
    await home.turn(session, "Tell me of the tide.")
    if is_restarted:
        session = await home.reopen(session)
    await continued(home, session)
    asked = home.provider.requests[1].messages
    assert [m["role"] for m in asked[-3:]] == ["user", "assistant", "user"]
    assert asked[-2]["content"] == HALF.text
    assert "twice a da”" in asked[-1]["content"]
    assert "for lack of room" not in asked[-1]["content"]
    assert [m.continues for m in replies(session)] == ["", replies(session)[0].id]
    await home.turn(session, "And then?")
    assert [m["content"] for m in home.provider.requests[2].messages[1:]] == [
        "Tell me of the tide.",
        HALF.text + REST.text,
        "And then?",
    ]


async def test_a_continuation_that_is_cut_again_or_fails_can_be_continued(talk: Callable[..., Any]) -> None:
    home, session = await talk([HALF, Reply("y, and goe", finish="length"), Status(401), Reply("s out.")])
    await home.turn(session, "Tell me of the tide.")
    for _ in range(3):
        await continued(home, session)
    assert assemble(session.view)[-1].text == HALF.text + REST.text
    assert session.view.unfinished is None


async def test_a_call_that_was_cut_is_not_run_and_the_model_makes_it_in_pieces(talk: Callable[..., Any]) -> None:
    for before in ("", "I write it. "):
        cut = Reply(before, calls=(CUT_CALL,), finish="length")
        home, session = await talk([cut, Reply("In pieces.")])
        await home.turn(session, "Write the report.")
        (reply,) = replies(session)
        assert (reply.tool_calls, reply.lost_call, reply.ending) == ((), "write", "length")
        await continued(home, session)
        said = home.provider.requests[1].messages[-1]
        assert said["role"] == "user"
        assert "`write`" in said["content"]
        assert "pieces" in said["content"]


@pytest.mark.parametrize("before", ["", "I write it. "])
async def test_the_next_message_tells_the_model_of_a_call_that_was_cut(talk: Callable[..., Any], before: str) -> None:
    home, session = await talk([Reply(before, calls=(CUT_CALL,), finish="length"), Reply("In pieces.")])
    await home.turn(session, "Write the report.")
    await home.turn(session, "And?")
    said = home.provider.requests[1].messages[-1]["content"]
    assert "`write`" in said
    assert said.endswith("And?")


async def test_an_interrupted_reply_can_be_continued(talk: Callable[..., Any]) -> None:
    home, session = await talk([Reply(HALF.text + " of all" * 99, pause=0.01), REST])
    await home.chats.turns.send(session, "Tell me of the tide.")
    await home.until(lambda: len(home.of(TextDelta)) > 9)
    await home.chats.turns.stop(session.id)
    (reply,) = replies(session)
    assert reply.is_interrupted
    await continued(home, session)
    assert assemble(session.view)[-1].text == reply.text + REST.text


@pytest.mark.parametrize("cut", [{"is_interrupted": True}, {"ending": "length"}])
@pytest.mark.parametrize(("window", "share"), [(4_096, 0.9), (8_192, 1.3), (32_768, 0.9)])
async def test_of_a_cut_reply_that_does_not_fit_the_end_stays(
    talk: Callable[..., Any], window: int, share: float, cut: dict[str, Any]
) -> None:
    text = "".join(f"Point {number} of the report holds.\n" for number in range(round(window * share / 8)))
    report = Message(role=Role.ASSISTANT, parts=(Text(text + "And the tide comes in twice a da"),), **cut)
    said = [user_message("Write the report in points."), report]
    home, session = await talk([Reply("y.")], messages=said, window=window, max_output=0)
    assert session.counter.gauge().total > session.counter.budget.usable
    await home.turn(session, "go on")
    assert session.counter.gauge().total < session.counter.budget.usable
    sent = "\n".join(message["content"] for message in home.provider.requests[0].messages)
    assert f"{text[-500:]}And the tide comes in twice a da" in sent


@pytest.mark.parametrize("window", [4_096, 8_192])
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_cut_reply_larger_than_the_window_goes_on_from_its_end(
    talk: Callable[..., Any], window: int, is_restarted: bool
) -> None:
    text = "".join(f"Point {number} of the report holds.\n" for number in range(window // 5)) + HALF.text
    report = model(text, ending="length")
    said = [user_message("Write the report in points."), report]
    home, session = await talk([REST, Reply("Thanks.")], messages=said, window=window, max_output=0)
    if is_restarted:
        session = await home.reopen(session)
    assert session.counter.gauge().total > window
    await continued(home, session)
    *_, reply, line = home.provider.requests[0].messages
    assert reply["role"] == "assistant"
    assert reply["content"].endswith(text[-1_000:])
    assert len(reply["content"]) < len(text)
    assert "twice a da”" in line["content"]
    assert home.of(TurnFinished)[-1].reason == "finished"
    first, rest = replies(session)
    assert (first.text, rest.text, rest.continues) == (text, REST.text, first.id)
    assert session.counter.gauge().total < session.counter.budget.usable


@pytest.mark.long
async def test_a_shortened_reply_that_is_cut_again_is_shortened_again(talk: Callable[..., Any]) -> None:
    text = "".join(f"Point {number} of the report holds.\n" for number in range(900)) + HALF.text
    more = "y.\n" + "".join(f"Remark {number} on the report.\n" for number in range(200)) + HALF.text
    report = model(text, ending="length")
    said = [user_message("Write the report in points."), report]
    script = [Reply(more, finish="length", usage=None), REST, Reply("Thanks.")]
    home, session = await talk(script, messages=said, window=4_096, max_output=0)
    await continued(home, session)
    await continued(home, session)
    contents = [request.messages[-2]["content"] for request in home.provider.requests]
    assert contents[0].endswith(text[-1_000:])
    assert contents[1].endswith(more[-1_000:])
    assert contents[1].count("archived") == 1
    assert [m.text for m in replies(session)] == [text, more, REST.text]
    assert [m.continues for m in replies(session)] == ["", *(m.id for m in replies(session)[:2])]
    await home.turn(session, "And then?")
    assert home.of(TurnFinished)[-1].reason == "finished"


@pytest.mark.parametrize("reply", [Reply("Whole."), Reply(""), Reply("", finish="content_filter")])
async def test_what_has_nothing_to_go_on_with_is_not_continued(talk: Callable[..., Any], reply: Reply) -> None:
    home, session = await talk([reply])
    await home.turn(session, "Hello")
    entries = len(session.transcript.entries)
    with pytest.raises(WorldError):
        await home.chats.turns.continue_reply(session)
    assert len(session.transcript.entries) == entries


@pytest.mark.wire
async def test_a_window_that_the_provider_calls_full_is_made_room_in_and_the_reply_goes_on(
    talk: Callable[..., Any],
) -> None:
    home, session = await talk([Reply(HALF.text, finish="model_context_window_exceeded"), REST])
    await home.turn(session, "Tell me of the tide.")
    assert assemble(session.view)[-1].text == HALF.text + REST.text
    assert home.of(TurnFinished)[-1].reason == "finished"


async def test_a_continuation_that_is_stopped_before_it_is_sent_leaves_no_wish_to_go_on(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, session = await talk([HALF, REST])
    await home.turn(session, "Tell me of the tide.")

    async def hang(*_: object) -> None:
        await asyncio.sleep(100)

    monkeypatch.setattr("desktop_app.chat.turn.take_turn.prepare", hang)
    await home.chats.turns.continue_reply(session)
    await asyncio.sleep(0.05)
    await home.chats.turns.stop(session.id)
    assert session.view.unfinished is None
    assert replies(session)[-1].can_continue


# How long a reply may be


@pytest.mark.parametrize(
    ("refusal", "accepted"),
    [
        ("max_tokens is too large: 16384. This model supports at most 4096 completion tokens.", 4_096),
        ("max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for it", 8_192),
        ("max_tokens must be less than what this model can write", 4_096),
    ],
)
@pytest.mark.wire
async def test_a_server_that_refuses_so_long_a_reply_is_asked_for_what_it_accepts(
    talk: Callable[..., Any], refusal: str, accepted: int
) -> None:
    script = [Status(400, refusal), Reply("Yes.", usage=None), Reply("Yes.", usage=None)]
    home, session = await talk(script, window=128_000, max_output=0)
    await home.turn(session, "Hello")
    await home.turn(session, "Again")
    asked = [request.body["max_tokens"] for request in home.provider.requests]
    assert asked == [16_384, accepted, accepted]


@pytest.mark.wire
async def test_a_server_that_refuses_any_length_is_not_asked_for_ever(talk: Callable[..., Any]) -> None:
    home, session = await talk([Status(400, "max_tokens must be less than 0")], repeat_last=True, max_output=0)
    await home.turn(session, "Hello")
    assert home.of(TurnFinished)[-1].reason == "failed"
    assert len(home.provider.requests) <= 2
