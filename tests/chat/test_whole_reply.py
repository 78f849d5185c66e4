"""A reply that is stopped to make room and goes on, or is cut: what had arrived is kept as it was."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from builders import model
from desktop_app.chat.ports import ModelError, WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.turn.reply import StreamedReply
from desktop_app.context.policy import BALANCED
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.events import (
    GaugeChanged,
    MessageRecorded,
    ReasoningDelta,
    ReplyStarted,
    RetryScheduled,
    RoomEnded,
    RoomStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    ViewChanged,
)
from desktop_app.conversation.message import Message, Reasoning, Text, user_message
from desktop_app.conversation.transcript import Trigger
from provider import Call, Cut, Reply, Status

WINDOW = 4_096
STORY = "".join(f"Sentence {n} tells of the {n}th day on the wide river.\n" for n in range(400))


def chat_of(tokens: int) -> list[Message]:
    """An earlier conversation of about so many tokens, in short turns."""
    return [
        message
        for n in range(tokens // 87)
        for message in (
            user_message(f"Question {n}: " + f"about topic{n} " * 12),
            model(f"Answer {n}: " + f"detail{n} said " * 12),
        )
    ]


async def begun(home, tokens: int = 2_600) -> Session:
    """A conversation whose newest message is a wish for a long reply."""
    session = await home.chats.create("Long", chat_of(tokens))
    await session.record_message(stamp(user_message("Tell me a very long story.")))
    assert tokens == 0 or abs(session.counter.gauge().total - tokens) < 150
    return session


async def told(home, reply: StreamedReply) -> list[TurnEvent]:
    """What is told of the reply, until it is stored."""
    await reply.receive()
    return home.events


def shown(events: list[TurnEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def stored(session: Session) -> list[Message]:
    """The messages behind the user's wish."""
    messages = [e for e in session.transcript.entries if isinstance(e, Message)]
    wish = next(n for n, m in enumerate(messages) if m.text == "Tell me a very long story.")
    return messages[wish + 1 :]


@pytest.mark.parametrize("back", [0, 90], ids=["going on", "saying the end once more"])
@pytest.mark.long
async def test_a_long_reply_is_stopped_room_is_made_and_it_goes_on(house, back: int) -> None:
    cut = 6_500
    home = await house([], window=WINDOW)
    session = await begun(home)
    before = session.counter.gauge().total
    home.provider.script = Storyteller(STORY[:cut], back, pause=0.001)
    whole = home.reply(session)
    events = await told(home, whole)
    first, second = stored(session)
    assert (first.is_interrupted, second.is_interrupted, second.continues) == (True, False, first.id)
    assert first.text + second.text == shown(events) == STORY[:cut]
    assert (whole.restarts, whole.stored) == (1, [first, second])
    assert whole.estimated > 0
    assert first.text.endswith("\n"), "it was cut at the end of a line"
    used = before + session.counter.provider_tokens(session.counter.counts.text(first.text))
    assert 0.90 <= used / WINDOW < 0.92
    assert assemble(session.view)[-1].text == STORY[:cut]
    assert session.view.unfinished is None
    assert home.provider.client_left.wait(5), "the provider's stream was closed"
    kinds = [type(event) for event in events if not isinstance(event, TextDelta | GaugeChanged)]
    assert kinds == [
        ReplyStarted, MessageRecorded, RoomStarted, ViewChanged, RoomEnded, ReplyStarted, MessageRecorded
    ]  # fmt: skip
    assert [row.trigger for row in session.operations()] == [Trigger.STREAMING]
    assert [event.continues for event in home.of(ReplyStarted)] == ["", first.id]

    asked, again = home.provider.requests
    assert [m["role"] for m in again.messages[-3:]] == ["user", "assistant", "user"]
    assert again.messages[-2]["content"] == first.text
    assert "interrupted" in again.messages[-1]["content"]
    assert session.counter.budget.reserve // 2 <= asked.body["max_tokens"] <= WINDOW


async def test_at_most_two_restarts_then_the_window_is_used_to_its_end(house) -> None:
    home = await house([], window=WINDOW)
    home.provider.script = Storyteller(STORY)
    session = await begun(home)
    whole = home.reply(session)
    with pytest.raises(WorldError, match=r"Context limit exceeded \([\d,]+/4,096 tokens\)"):
        await whole.receive()
    await whole.keep()
    events = home.events
    assert whole.restarts <= 2
    text = "".join(m.text for m in stored(session))
    assert shown(events) == text
    assert STORY.startswith(text)
    assert [m.continues for m in stored(session)] == ["", *[m.id for m in stored(session)[:-1]]]


@pytest.mark.parametrize(("tokens", "is_automatic"), [(0, True), (2_600, False)], ids=["nothing to free", "off"])
async def test_where_nothing_may_be_freed_it_streams_on_to_the_end_of_the_window(
    house, tokens: int, is_automatic: bool
) -> None:
    home = await house([], window=WINDOW)
    home.provider.script = Storyteller(STORY)
    session = await begun(home, tokens)
    whole = home.reply(session, is_automatic)
    with pytest.raises(WorldError, match="Context limit exceeded"):
        await told(home, whole)
    await whole.keep()
    assert (len(home.provider.requests), whole.restarts, session.operations()) == (1, 0, ())
    (reply,) = stored(session)
    assert reply.is_interrupted
    assert session.counter.gauge().total > 0.94 * WINDOW


async def test_a_call_that_was_being_written_is_made_again_and_once(house) -> None:
    big = Call("write", '{"text": "' + "word " * 3_000 + '"}')
    small = Call("write", '{"text": "short"}')
    home = await house([Reply("I write it.\n", calls=(big,)), Reply("", calls=(small,))], window=WINDOW)
    session = await begun(home, tokens=2_720)
    whole = home.reply(session)
    events = await told(home, whole)
    first, second = stored(session)
    assert not first.tool_calls
    assert [call.arguments for call in second.tool_calls] == ['{"text": "short"}']
    assert "`write`" in home.provider.requests[1].messages[-1]["content"]
    assert shown(events) == "I write it.\n"


async def test_thoughts_alone_are_kept_and_thought_again(house) -> None:
    thinking = "so and so " * 3_000
    home = await house([Reply("", reasoning=thinking), Reply("Done.", reasoning="Well.")], window=WINDOW)
    session = await begun(home, tokens=2_720)
    whole = home.reply(session)
    events = await told(home, whole)
    (reply,) = stored(session)
    thoughts = "".join(e.text for e in events if isinstance(e, ReasoningDelta))
    assert reply.parts == (Reasoning(thoughts), Text("Done."))
    assert thoughts.endswith("so and so \n\nWell.") or "\n\nWell." in thoughts
    assert home.provider.requests[1].messages[-1]["content"] == "Tell me a very long story."
    assert (whole.restarts, reply.is_interrupted) == (1, False)


async def test_the_models_own_limit_is_no_pressure_of_the_window(house) -> None:
    home = await house([Reply("Half a ta", finish="length", usage=None)], window=60_000)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    await told(home, whole)
    assert len(home.provider.requests) == 1
    assert not session.operations()


async def test_a_reply_without_a_word_has_ended_all_the_same(house) -> None:
    home = await house([Reply("", usage=None)], window=WINDOW)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    await told(home, whole)
    assert [(m.parts, m.is_interrupted) for m in stored(session)] == [((), False)], "so that nobody asks again"
    assert whole.stored == stored(session)


@pytest.mark.wire
async def test_when_it_fails_while_it_should_go_on_it_is_asked_to_go_on_again(house) -> None:
    home = await house([], window=WINDOW)
    home.provider.script = Storyteller(STORY[:6_500], failing=1)
    session = await begun(home)
    whole = home.reply(session)
    await told(home, whole)
    assert len(home.of(RetryScheduled)) == 1
    assert "".join(m.text for m in stored(session)) == STORY[:6_500]
    assert [m["role"] for m in home.provider.requests[2].messages[-2:]] == ["assistant", "user"]


async def test_a_reply_that_nobody_wants_to_be_continued_is_not_asked_for_again(house) -> None:
    home = await house([], window=WINDOW)
    home.provider.script = Storyteller(STORY, failing=1)
    session = await begun(home)
    whole = home.reply(session)
    receiving = asyncio.ensure_future(whole.receive())
    await home.until(lambda: bool(home.of(RetryScheduled)))  # it was stopped, and the request to continue it failed
    assert session.view.unfinished is not None
    receiving.cancel()
    await asyncio.wait({receiving})
    await whole.keep()
    assert session.view.unfinished is None
    assert view_of(session.transcript).unfinished is None, "the view is a fold of the record"


ODD = "naïve 世界 👩‍👩‍👧‍👦 я🇫🇷́ fin"
"""Characters of two to four bytes, and some that are several characters joined."""
CALL = Call("write", '{"path": "a", "text": "世界 and more of it"}')

CUTS = {
    "inside a fence": Cut("Look:\n\n```python\nfor n in range(3):\n    print(n"),
    "inside a character, in a fence": Cut(f"```\n{ODD}", inside="utf8"),
    "at a well-formed end without a reason": Cut(ODD, is_abrupt=False),
    "inside the arguments of a call": Cut("I write it.\n", calls=(CALL,)),
    "inside a second call": Cut("Both.\n", calls=(Call("read", '{"path": "b"}', "c1"), CALL)),
    "inside a call, without a reason": Cut("I write it.\n", calls=(CALL,), is_abrupt=False),
    "inside of reasoning": Cut("", reasoning="世界, I should look at the fi"),
    "inside of text behind reasoning": Cut("It is extraordin", reasoning="Well, 世界."),
}


@pytest.mark.parametrize("where", CUTS)
async def test_a_cut_reply_is_kept_as_it_came(house, where: str) -> None:
    cut = CUTS[where]
    home = await house([cut], window=WINDOW)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    with pytest.raises(ModelError):
        await told(home, whole)
    assert whole.has_arrived
    await whole.keep()
    await whole.keep()
    (reply,) = stored(session)
    thoughts = "".join(part.text for part in reply.parts if isinstance(part, Reasoning))
    assert (reply.text, thoughts) == (cut.after, cut.reasoning)
    assert reply.is_interrupted
    assert not reply.tool_calls
    assert not session.view.open_calls, "so that nothing is there to be run"
    assert (await home.archive.entries(session.id))[-1] == reply


@pytest.mark.wire
async def test_a_call_that_was_cut_before_anything_was_shown_leaves_nothing(house) -> None:
    """The request can simply be made again."""
    home = await house([Cut(calls=(CALL,)), Reply("Now.", calls=(CALL,))], window=WINDOW)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    await told(home, whole)
    (reply,) = stored(session)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("write", CALL.arguments)]


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_half_a_call_at_another_end_is_not_run(house, finish: str) -> None:
    half = Call("write", CALL.arguments[:20])
    home = await house([Reply("I write it.\n", calls=(half,), finish=finish, usage=None)], window=60_000)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    await told(home, whole)
    (reply,) = stored(session)
    assert not reply.tool_calls
    assert reply.text == "I write it.\n"


@pytest.mark.wire
@pytest.mark.parametrize("odd", ["halves", "crlf"])
async def test_characters_that_come_in_two_halves_are_whole_where_it_is_stopped_and_where_it_goes_on(
    house, odd: str
) -> None:
    """Events are cut at any byte, also inside a character, and the text at any character."""
    story = "".join(f"{n}: {ODD}\n```\n{n} · 世{n}界\n```\n" for n in range(150))
    home = await house([], window=WINDOW)
    session = await begun(home)
    home.provider.script = Storyteller(story[:4_200], odd=(odd,))
    whole = home.reply(session)
    events = await told(home, whole)
    assert whole.restarts >= 1
    text = "".join(message.text for message in stored(session))
    assert text == shown(events) == story[:4_200]
    assert "\ufffd" not in text
    asked = home.provider.requests[1].messages[-2]["content"]
    assert asked == stored(session)[0].text


class Storyteller:
    """A provider that tells the same story in each request, from where the reply in the request ends, or `back`
    characters earlier. failing: the number of the request that fails. odd: how its bytes come."""

    def __init__(
        self, story: str, back: int = 0, failing: int = -1, pause: float = 0.0, odd: tuple[str, ...] = ()
    ) -> None:
        self.story, self.back, self.failing, self.pause, self.odd, self.asked = story, back, failing, pause, odd, 0

    def take(self, request, shape) -> Reply | Status:
        self.asked += 1
        if self.asked - 1 == self.failing:
            return Status(500, "out of order")
        said = next((m["content"] for m in reversed(request.messages) if m["role"] == "assistant"), "") or ""
        begin = max(len(said) - self.back, 0) if said and self.story.startswith(said) else 0
        return Reply(self.story[begin:], size=9, usage=None, pause=self.pause, odd=self.odd)


@pytest.mark.parametrize("word", ["Go on.", ""])
async def test_what_had_arrived_when_the_window_was_full_is_what_the_model_goes_on_from(house, word: str) -> None:
    """Neither the background nor the next message archives the reply that the user is told to continue."""
    home = await house([], window=WINDOW)
    home.provider.script = Storyteller(STORY)
    session = await home.chats.create("Long", chat_of(2_000))
    session.counter.chosen_policy = replace(
        BALANCED, phases=tuple(phase for phase in BALANCED.phases if phase != "streaming")
    )
    events = await home.turn(session, "Tell me a very long story.")
    assert [event.failure.title[:22] for event in events if isinstance(event, TurnFailed)] == ["Context limit exceeded"]
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    parts = stored(session)
    assert parts[-1].is_interrupted
    assert parts[-1].id in {item.message.id for item in session.view.items}
    if word:
        home.provider.script = [Reply("It ended well.")]
        await home.turn(session, word)
        sent = "\n".join(text for _, text in home.provider.requests[-1].turns)
        assert parts[-1].text[-200:] in sent
