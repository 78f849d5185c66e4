"""What a refused request teaches: its two numbers are measured, and each further attempt is a smaller one."""

from __future__ import annotations

import base64
import io
import json

import pytest
from agents import output
from msgspec.structs import replace
from PIL import Image

from builders import message, model, result
from desktop_app.chat.compaction.fresh_start import start_fresh
from desktop_app.chat.compaction.optimize import plan_optimization
from desktop_app.conversation.events import Noticed, TurnFailed, TurnFinished
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Attachment, Role, ToolCall, user_message
from desktop_app.models.errors.body import reply_tokens_in
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import Overflow, Reply, Request, Status, Windowed
from provider_script import AnyStep
from provider_shapes import Shape

UNTOLD = Status(400, "Input is too long for requested model.", kind="invalid_request_error")
LONG = [message(role, f"{n} " + "word " * 600) for n, role in enumerate((Role.USER, Role.ASSISTANT) * 10)]


def failure_in(home):
    (failure,) = [event.failure for event in home.of(TurnFailed)]
    return failure


def sizes(home) -> list[int]:
    return [sum(len(text) for _, text in request.turns) for request in home.provider.requests]


@pytest.mark.parametrize("step", [UNTOLD, Overflow(window=8_192, tokens=9_000)])
async def test_one_message_that_is_refused_is_not_sent_again_unchanged(house, step) -> None:
    home = await house([step], window=60_000, repeat_last=True)
    session = await home.chats.create("One")
    await home.turn(session, "word " * 7_000)
    assert len(home.provider.requests) == 1
    assert [row for row in session.operations() if row.kind != "failed"] == []


@pytest.mark.parametrize("window", [8_192, 0])
async def test_a_chat_of_a_few_words_is_not_told_to_optimize(house, window: int) -> None:
    home = await house([UNTOLD], window=window, repeat_last=True)
    session = await home.chats.create("Small")
    await home.turn(session, "Hello there, how are you today?")
    failure = failure_in(home)
    assert failure.kind == "nothing_can_leave"
    assert "ptimiz" not in failure.advice
    assert failure.advice.startswith(f"The request takes only {session.counter.gauge().total} tokens")
    assert len(home.provider.requests) == 1


async def test_after_an_overflow_without_numbers_the_server_is_asked_for_its_window_again(talk) -> None:
    home, session = await talk([UNTOLD, Reply("Fine.")], window=60_000, messages=LONG)
    home.models.window_when_asked_again = 8_192  # it was started again with another one
    await home.turn(session, "Go on.")
    assert session.counter.budget.window == 8_192
    assert [event.reason for event in home.of(TurnFinished)] == ["finished"]
    assert len(home.provider.requests) == 2
    assert sizes(home)[1] < sizes(home)[0] / 2


async def test_a_told_size_that_cannot_be_is_no_measurement(house) -> None:
    home = await house([Overflow(window=64_000, tokens=70_000)], window=60_000, repeat_last=True)
    session = await home.chats.create("Small")
    await home.turn(session, "Hello there, how are you today?")
    assert session.counter.gauge().total < 100
    assert failure_in(home).advice.startswith("The request takes only")


@pytest.mark.parametrize("ratio", [0.8, 1.25, 1.6])
async def test_the_told_size_is_what_the_gauge_shows_and_what_is_decided_by(talk, ratio: float) -> None:
    home, session = await talk([], window=60_000, messages=LONG[:11])
    counted = session.counter.gauge().total
    told = round(counted * ratio)
    home.chats.settings = replace(home.chats.settings, is_automatic=False)
    home.provider.script = [Overflow(window=told - 200, tokens=told)]
    await home.chats.turns.go_on(session)
    await home.until(lambda: bool(home.of(TurnFinished)))
    gauge = session.counter.gauge()
    assert (gauge.total, gauge.window, gauge.provenance) == (told, told - 200, Provenance.MEASURED)
    assert sum(gauge.segments.values()) == told
    assert abs(session.counter.calibration.factor - ratio) < 0.02
    await session.record(user_message("And more: " + "word " * 300))
    assert abs(session.counter.gauge().total - ratio * session.counter.count()) < 40, (
        "what comes later is counted likewise"
    )


@pytest.mark.parametrize("is_wire", [False, pytest.param(True, marks=pytest.mark.wire)])
@pytest.mark.parametrize(("factor", "window"), [(1.0, 4_096), (1.4, 8_192), (1.8, 12_000)])
async def test_a_smaller_window_and_other_tokens_cost_one_refusal(house, is_wire, factor: float, window: int) -> None:
    """The provider counts more than is counted here, and its window is smaller than it says."""
    home = await house([], window=60_000, max_output=500)
    script = Windowed(window, lambda _: Reply("Here."), count=tokenizer_for("gpt-4o").count, factor=factor)
    home.provider.script = script
    session = await home.chats.create("Long", LONG)
    await home.turn(session, "And now?")
    assert not home.of(TurnFailed)
    assert [request.is_refused for request in script.requests] == [True, False]
    assert session.counter.budget.window == window


async def test_each_attempt_is_smaller_than_the_one_before(talk) -> None:
    said = [user_message("Read them.")]
    for n in range(12):
        said += [
            model(ToolCall(f"c{n}", "read", f'{{"path": "{n}"}}')),
            result(output(600)(f"{n}", 1), f"c{n}", "read"),
        ]
    home, session = await talk([UNTOLD], window=60_000, repeat_last=True, messages=[*said, model("Read.")])
    await home.turn(session, "And now?")
    made = sizes(home)
    assert made == sorted(set(made), reverse=True), "the same was sent twice"
    assert len(made) > 1


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease", 64_000),
        ("However, you requested 9000 tokens (8000 in the messages, 1,000 in the completion).", 1_000),
        ("you requested 512 output tokens and your prompt contains at least 8000 input tokens", 512),
        ("maximum context length is 4096 tokens and your request has 4000 input tokens (500 > 4096 - 4000)", 500),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`",
            500,
        ),
        ("prompt is too long: 213462 tokens > 200000 maximum", 0),
    ],
)
def test_what_was_asked_for_the_reply_is_no_part_of_the_prompt(said: str, reply: int) -> None:
    assert reply_tokens_in(said) == reply


async def test_a_window_that_nobody_knew_is_learned_from_the_first_refusal(house) -> None:
    home = await house([], window=0, max_output=500)
    home.provider.script = Windowed(8_192, lambda _: Reply("Here."), count=tokenizer_for("gpt-4o").count)
    session = await home.chats.create("Long", LONG)
    await home.turn(session, "And now?")
    assert session.counter.budget.window == 8_192
    assert not home.of(TurnFailed)
    assert [request.is_refused for request in home.provider.script.requests] == [True, False]


async def test_a_window_that_a_refusal_names_counts_in_every_conversation(house) -> None:
    home = await house([Overflow(window=9_000, tokens=9_500), *[Reply("Fine.")] * 9], window=60_000)
    session, open_one = await home.chats.create("One", LONG[:12]), await home.chats.create("Open")
    await home.turn(session, "Go on.")
    assert session.counter.budget.window == 9_000
    fresh = await home.chats.create("Fresh")
    assert fresh.counter.budget.window == 9_000
    await home.turn(open_one, "Hello.")
    assert open_one.counter.budget.window == 9_000
    await home.models.learn(home.models.info.id, window=0)  # forgotten on the user's request
    await home.turn(open_one, "And now?")
    assert open_one.counter.budget.window == 60_000


async def test_a_window_that_an_accepted_request_exceeds_is_forgotten(house) -> None:
    accepted = Reply("Fine.", usage=(5_700, 3, 0))
    home = await house([Overflow(window=600, tokens=700), accepted, accepted], window=60_000)
    session = await home.chats.create("One", LONG[:6])
    await home.turn(session, "Go on.")
    assert session.counter.budget.window == 600
    await home.turn(session, "word " * 2_000)  # does not fit into what the refusal has named
    assert [event.reason for event in home.of(TurnFinished)][-1] == "finished"
    assert session.counter.budget.window == 60_000
    assert (await home.chats.create("Fresh")).counter.budget.window == 60_000


async def test_what_exceeds_even_the_stated_window_is_not_sent_to_a_model_with_a_smaller_named_one(house) -> None:
    made = await house([Reply("Yes.", usage=None)], window=8_192)
    session = await made.chats.create()
    session.counter.learned.adopt(4_000)
    await made.turn(session, "The" + " ledger" * 9_000)
    assert [event.failure.kind for event in made.of(TurnFailed)] == ["message_too_large_to_cut"]
    assert not made.provider.requests


class Refusing:
    """A provider that refuses each request that contains some text."""

    window = 60_000

    def __init__(self, text: str, refusal: str) -> None:
        self._text, self._refusal = text, refusal

    def take(self, request: Request, shape: Shape) -> AnyStep:
        del shape
        return Status(400, self._refusal) if self._text in json.dumps(request.body) else Reply("Fine.")


def photo(color: int) -> Attachment:
    content = io.BytesIO()
    Image.new("RGB", (16, 16), (color, color, color)).save(content, "PNG")
    data = base64.b64encode(content.getvalue()).decode()
    return Attachment(f"{color}.png", "image/png", f"data:image/png;base64,{data}")


@pytest.mark.parametrize("place", [0, 3, 5])
async def test_only_the_picture_that_the_server_cannot_read_is_left_out(house, place: int) -> None:
    photos = tuple(photo(10 * n) for n in range(6))
    home = await house(Refusing(photos[place].content, "Could not process image"), window=60_000)
    home.models.info = replace(home.models.info, supports_vision=True)
    session = await home.chats.create("One")
    await home.chats.turns.send(session, "What are they?", photos)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    await home.turn(session, "And now?")
    assert [event.reason for event in home.of(TurnFinished)] == ["finished"] * 2
    sent = [[each.content in json.dumps(r.body) for each in photos] for r in home.provider.requests[-2:]]
    assert sent == [[n != place for n in range(6)]] * 2, "the next request leaves it out at once"
    (notice,) = [event.notice for event in home.of(Noticed)]
    assert notice.title == "Pictures that the server cannot read were left out (1)"


async def test_a_conversation_that_is_refused_without_a_reason_goes_on_without_what_is_refused(talk) -> None:
    """Whatever earlier message a server refuses, all later requests have it: the card says how to go on."""
    poison = "the words that a filter of the server knows"
    begun = [*LONG[:3], message(Role.ASSISTANT, f"{'word ' * 600}{poison}"), *LONG[4:10]]
    home, session = await talk([], window=60_000, messages=begun)
    home.provider.script = Refusing(poison, "Bad Request")
    for words in ("Go on.", "Once more."):
        await home.turn(session, words)
    assert {event.failure.kind for event in home.of(TurnFailed)} == {"provider"}
    assert "start fresh" in home.of(TurnFailed)[-1].failure.advice
    plan = await plan_optimization(session.counter, None, "extractive", is_fresh=True)
    fresh = await start_fresh(home.chats, session, plan)
    await home.turn(fresh, "Go on.")
    assert home.of(TurnFinished)[-1].reason == "finished"


async def test_a_damaged_picture_is_said_to_the_user_once(house) -> None:
    content = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 40).decode()
    damaged = Attachment("photo.png", "image/png", f"data:image/png;base64,{content}")
    home = await house([Reply("I cannot see it.")] * 2, window=60_000)
    home.models.info = replace(home.models.info, supports_vision=True)
    session = await home.chats.create("One")
    await home.chats.turns.send(session, "What is it?", (damaged,))
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    await home.turn(session, "And now?")
    (notice,) = [event.notice for event in home.of(Noticed)]
    assert (notice.kind, notice.title) == ("pictures_damaged", "Damaged pictures were not sent (1)")
    assert "photo.png" in notice.detail
    assert all("base64" not in str(request.body) for request in home.provider.requests)
