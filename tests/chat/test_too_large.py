"""What does not fit is told by what can help, and a message that alone is too large is cut, or sent as a file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from agents import RUN, CountedTools, equipped_with, output, schemas_of_servers
from msgspec.structs import replace
from test_run_tools import equipped

from builders import exchange
from desktop_app.chat.sent_requests import shorten_message
from desktop_app.chat.turn.take_turn import TurnOptions
from desktop_app.conversation.events import RetryScheduled, TurnFailed, TurnFinished
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Attachment, Message, Text
from desktop_app.conversation.transcript import Pin
from provider import Reply, Status
from texts import MESSAGE_TOO_LARGE, PINS_TOO_LARGE, TOOLS_TOO_LARGE

LINES = "".join(f"{n} a line of the pasted log\n" for n in range(4_000))


def kinds(home) -> list[str]:
    return [event.failure.kind for event in home.of(TurnFailed)]


async def shorten(home, session, as_file: bool) -> None:
    ended = len(home.of(TurnFinished))
    await shorten_message(home.chats.turns, home.services, session, as_file)
    await home.until(lambda: len(home.of(TurnFinished)) > ended)


async def test_a_message_larger_than_the_window_is_cut_at_both_ends_and_answered(house) -> None:
    home = await house([Reply("Read.")], window=8_192, max_output=0)
    session = await home.chats.create("Long")
    await home.turn(session, LINES)
    assert kinds(home) == ["message_too_large_to_cut"], "no tool could read a file here"
    assert home.provider.requests == []
    await shorten(home, session, as_file=False)
    sent = home.provider.requests[0].messages[-1]["content"]
    assert sent.startswith("0 a line")
    assert sent.endswith("3999 a line of the pasted log\n")
    assert "characters left out" in sent
    assert session.counter.gauge().total <= session.counter.gauge().usable
    whole = [entry for entry in session.transcript.entries if isinstance(entry, Message) and entry.text == LINES]
    assert len(whole) == 1, "the whole one stays, in the other version"
    assert len(session.branches.versions(session.view.last_user_id)) == 2


async def test_as_a_file_it_can_be_read_on(house, tmp_path: Path) -> None:
    home = await house([Reply("Read.")], window=12_000, max_output=0)
    session = await equipped(home, tmp_path)
    await home.turn(session, LINES)
    assert kinds(home) == ["message_too_large"]
    await shorten(home, session, as_file=True)
    sent = home.provider.requests[-1].messages[-1]["content"]
    assert sent.startswith("0 a line")
    spill = sent.partition("kept as ")[2].partition(";")[0]
    assert await home.bench.spills.read(spill) == LINES
    assert spill in await home.archive.spills_in_use(), "it is not cleaned away"


async def test_a_single_line_as_a_file_can_be_read_on_within_it(house, tmp_path: Path) -> None:
    home = await house([Reply("Read.")], window=12_000, max_output=0)
    session = await equipped(home, tmp_path)
    await home.turn(session, "word " * 20_000)
    await shorten(home, session, as_file=True)
    sent = home.provider.requests[-1].messages[-1]["content"]
    shown = sent.partition("...")[0]
    assert f'"offset": 1, "character": {len(shown) + 1}}}' in sent


async def test_a_text_that_is_attached_is_shortened_and_an_image_stays(house) -> None:
    home = await house([Reply("Read.")], window=8_192, max_output=0)
    home.models.info = replace(home.models.info, supports_vision=True)
    session = await home.chats.create("Long")
    image = Attachment("a.png", "image/png", "data:image/png;base64,iVBORw0KGgo=")
    await home.chats.turns.send(session, "Look.", (Attachment("a.log", "text/plain", LINES), image))
    await home.until(lambda: bool(home.of(TurnFinished)))
    await shorten(home, session, as_file=False)
    message = session.message(session.view.last_user_id)
    assert message is not None
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    log, picture = (part for part in message.parts if isinstance(part, Attachment))
    assert texts == ["Look."]
    assert "left out" in log.content
    assert picture == image


async def test_where_pins_fill_the_window_nothing_can_leave(house) -> None:
    home = await house([], window=8_192, max_output=0)
    said = exchange(["word " * 900] * 8)
    session = await home.chats.create("Pins", said)
    for item in list(session.view.items):
        await session.record_operation(Pin(id=f"pin {item.message.id}", message_id=item.message.id))
    await home.turn(session, "And now?")
    assert kinds(home) == ["nothing_can_leave"]
    (failure,) = (event.failure for event in home.of(TurnFailed))
    pinned = session.counter.gauge().segments[Segment.PINNED]
    assert failure.filled_by == "pins"
    assert failure.advice == PINS_TOO_LARGE.format(tokens=pinned, window=8_192)


@pytest.mark.parametrize(("servers", "words", "by"), [(80, 20, "tools"), (20, 9_000, "message"), (0, 9_000, "message")])
async def test_the_card_names_what_takes_most(house, tmp_path, servers, words, by) -> None:
    home = await house([], window=8_192, max_output=0)
    session = await equipped_with(home, tmp_path, CountedTools(output(10), schemas_of_servers(servers)))
    await home.turn(session, "word " * words)
    (failure,) = (event.failure for event in home.of(TurnFailed))
    schemas = session.counter.gauge().segments[Segment.SCHEMAS]
    if by == "tools":
        own = session.counter.gauge().total * session.counter.counts.tools((RUN,)) // session.counter.count()
        named = int(failure.advice.split("take ")[1].split(" of")[0].replace(",", ""))
        assert failure.advice == TOOLS_TOO_LARGE.format(name="playwright", tokens=named, window=8_192)
        assert schemas - own - 60 <= named < schemas, "ours are not the server's"
        assert (failure.kind, failure.filled_by) == ("nothing_can_leave", "tools")
    else:
        assert failure.kind == "message_too_large_to_cut"


async def test_a_long_system_prompt_is_named(house) -> None:
    home = await house([], window=8_192, max_output=0)
    home.furnish(replace(home.settings(), system_prompt="Be brief. " * 4_000))
    session = await home.chats.create("Prompt")
    await home.turn(session, "Hello?")
    (failure,) = (event.failure for event in home.of(TurnFailed))
    assert (failure.kind, failure.filled_by) == ("nothing_can_leave", "instructions")
    assert failure.advice.endswith(MESSAGE_TOO_LARGE.format(window=8_192))


async def test_what_optimizing_would_help_is_still_told_so(house) -> None:
    home = await house([], window=8_192, max_output=0)
    home.furnish(replace(home.settings(), is_automatic=False))
    said = exchange(["word " * 900] * 10)
    session = await home.chats.create("Full", said)
    await home.turn(session, "And now?")
    assert kinds(home) == ["window_too_small"]


@pytest.mark.wire
async def test_a_provider_that_wants_to_be_left_alone_is_asked_again_when_it_said(house) -> None:
    home = await house([Status(429, "slow down", retry_after=90), Reply("Here.")])
    session = await home.chats.create("Busy")
    before = time.time()
    await home.turn(session, "Hello?")
    (failed,) = home.of(TurnFailed)
    assert failed.failure.kind == "rate_limit"
    assert before + 80 < failed.failure.retry_at < time.time() + 91
    await home.chats.turns.go_on(session, TurnOptions(not_before=time.time() + 0.3))
    await home.until(lambda: len(home.of(TurnFinished)) > 1)
    assert [event.attempt for event in home.of(RetryScheduled)] == [1]
    assert len(home.provider.requests) == 2
    assert session.view.items[-1].message.text == "Here."
