"""A server that drops the beginning of a long request without a word: the user is told, and can have room made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from builders import model
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.turn.take_turn import TurnOptions
from desktop_app.context.counting.calibration import is_silently_cut
from desktop_app.context.counting.tokens import Overhead, TokenCounts
from desktop_app.conversation.events import Noticed, TurnEvent, TurnFailed, TurnFinished, ViewChanged
from desktop_app.conversation.message import Attachment, Role, Usage, user_message
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import Reply, Request
from provider_shapes import Shape

WINDOW = 4_000
"""Tokens that the server keeps of a prompt; its list promises four times as many."""
LONG = "The parser reads a value and returns it. " * 100
"""About 900 tokens."""


class Cutting:
    """Answers whatever is left of a prompt, and reports that."""

    window = 16_000

    def take(self, request: Request, shape: Shape) -> Reply:
        count = tokenizer_for("gpt-4o").count
        size = sum(count(str(message.get("content"))) + 4 for message in request.messages)
        return Reply("I see.", usage=(min(size, WINDOW), 4, 0))


def notices(events: list[TurnEvent]) -> list[Noticed]:
    return [event for event in events if isinstance(event, Noticed)]


async def told(talk) -> tuple[Any, Session, list[TurnEvent]]:
    """A conversation that has outgrown the server's window, and the events of the turn in which it did."""
    made, session = await talk(Cutting(), window=16_000)
    for number in range(8):
        events = await made.turn(session, f"Part {number}. {LONG}")
        if notices(events):
            return made, session, events
    raise AssertionError("nobody noticed")


async def test_the_user_is_told_of_the_learned_window_and_can_take_it_back(talk: Callable[..., Any]) -> None:
    made, session, events = await told(talk)
    (noticed,) = notices(events)
    assert noticed.notice.kind == "silent_cut"
    assert f"{WINDOW:,}" in noticed.notice.detail
    assert session.view.items[-1].message.text == "I see.", "the reply stands"
    assert not made.of(TurnFailed)
    shown = session.counter.gauge()
    assert WINDOW <= shown.window <= WINDOW + 10
    assert shown.stated_window == 16_000
    session.counter.learned.trust_stated()
    assert (session.counter.gauge().window, session.counter.gauge().stated_window) == (16_000, 0)
    events = await made.turn(session, f"One more. {LONG}")
    assert not notices(events), "the user knows better"
    assert session.counter.gauge().window == 16_000


async def test_room_is_made_for_the_learned_window_if_the_user_asks_again(talk: Callable[..., Any]) -> None:
    made, session, _ = await told(talk)
    start = len(made.events)
    await made.chats.turns.go_on(session, TurnOptions(makes_room=True))
    await made.until(lambda: any(isinstance(event, TurnFinished) for event in made.events[start:]))
    events = made.events[start:]
    assert not made.of(TurnFailed)
    assert any(isinstance(event, ViewChanged) for event in events)
    newest = session.view.items[-1].message
    assert newest.role is Role.ASSISTANT
    assert newest.usage is not None
    assert newest.usage.prompt_tokens < WINDOW


class UnknownModel:
    """Counts words; of its pictures nobody knows anything."""

    name = "words"
    overhead = Overhead()

    def count(self, text: str) -> int:
        return len(text.split())


PICTURES = tuple(
    Attachment(
        f"{n}.png",
        "image/png",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
    )
    for n in range(3)
)


async def test_pictures_that_were_never_measured_are_no_reason_to_suspect_a_cut(talk) -> None:
    """A picture of 200 tokens, which is counted as 1,200 where nobody says, made a window of 128,000 into 2,907."""
    _, session = await talk([], window=16_000)
    session.counter.counts = TokenCounts(UnknownModel(), replace(session.counter.counts.dialect, supports_vision=True))
    await session.record(stamp(user_message(f"What is on these? {LONG * 2}", PICTURES)))
    sent = session.counter.request()
    assert sent.pictures >= 3_000
    real = sent.gauge.total - 3_000
    assert real > 1_000
    assert is_silently_cut(sent.gauge.total, sent.gauge.provenance, Usage(real, 4), sent.reported_before)
    assert not is_silently_cut(sent.gauge.total - sent.pictures, sent.gauge.provenance, Usage(real, 4))
    reply = model("Trees.", model=session.model.info.record_name)
    await session.record(stamp(replace(reply, usage=Usage(real, 4), as_of=sent.as_of)))
    again = session.counter.request()
    counted = again.gauge.total - again.pictures
    assert not is_silently_cut(counted, again.gauge.provenance, Usage(real + 9, 4), again.reported_before)
