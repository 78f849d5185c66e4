"""What a provider reports is learned by the session, known again after a restart, and obeyed by its decisions."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from test_take_turn import long_chat

from desktop_app.chat.compaction.optimize import apply_optimization, plan_optimization
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.chat.ports import ModelError
from desktop_app.chat.sent_requests import read_request
from desktop_app.chat.session import Session, stamp
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.calibration import Calibration
from desktop_app.context.presets import GOAGENT, SELINE
from desktop_app.conversation.events import Failure, ViewChanged
from desktop_app.conversation.gauge import Provenance, Segment
from desktop_app.conversation.listing import Writer
from desktop_app.conversation.message import Message, Role, Text, Usage, user_message
from desktop_app.conversation.transcript import Pin, Trigger
from desktop_app.engine.requests.context_responses import plan_of

TRUE = 1.28
MODEL = "scripted/scripted"


async def session_of(home, turns: int) -> Session:
    """A conversation whose provider counts 1.28 tokens where we count one, from its first turn on."""
    session = await home.chats.create("Measured")
    for turn in range(turns):
        await said(session, turn)
    return session


async def said(session: Session, turn: int) -> None:
    """One more turn, as a provider of that kind would report it."""
    await session.record(stamp(user_message(f"Question {turn}: " + "how is the ledger migrated " * 300)))
    counted = request_tokens(session.view, session.counter.counts)
    parts = (Text(f"Answer {turn}: " + "in small steps " * 60),)
    usage = Usage(round(counted * TRUE), 200)
    await session.record(stamp(Message(role=Role.ASSISTANT, parts=parts, model=MODEL, usage=usage)))


async def test_after_ten_turns_an_estimate_is_right_and_a_restart_knows_it(house) -> None:
    home = await house([], window=100_000)
    session = await session_of(home, 1)
    session.counter.gauge()  # from here on it learns as it goes
    for turn in range(1, 11):
        await said(session, turn)
    assert session.counter.gauge().provenance is Provenance.MEASURED
    await session.record_operation(stamp(Pin(message_id=session.view.last_user_id)))
    gauge, counted = session.counter.gauge(), request_tokens(session.view, session.counter.counts)
    assert gauge.provenance is Provenance.ESTIMATED, "an operation came after the report"
    assert gauge.total == pytest.approx(counted * TRUE, rel=0.02)
    assert session.counter.provider_tokens(1_000) == pytest.approx(1_280, rel=0.02), "as a draft is counted"
    fresh = await home.chats.create("Fresh")
    assert fresh.counter.calibration == Calibration(), "gpt-4o's tokenizer is exact"
    assert sum(gauge.segments.values()) == gauge.total
    again = await home.reopen(session)
    assert again.counter.calibration == session.counter.calibration
    assert again.counter.gauge() == gauge


async def test_a_message_is_as_large_in_its_row_as_in_the_request(house) -> None:
    home = await house([], window=100_000)
    session = await session_of(home, 8)
    (largest,) = (await read_request(session, largest=1)).parts
    (row,) = session.rows([largest.message_id])
    assert largest.tokens == pytest.approx(session.counter.counts.total(row.message) * TRUE, rel=0.03)
    await session.record_operation(stamp(Pin(message_id=row.message.id)))
    gauge = session.counter.gauge()
    assert gauge.tokens_of(session.pins()[0].tokens) == pytest.approx(gauge.segments[Segment.PINNED], rel=0.001)


@pytest.mark.parametrize("is_measured", [True, False], ids=["measured", "estimated"])
async def test_each_message_has_one_figure(house, is_measured: bool) -> None:
    """What the chat tells of a message by the gauge is what the X-ray tells, before a restart and after. Where messages
    are sent as one, the request saves the frame of the second, which the chat cannot know of a page alone."""
    home = await house([], window=100_000)
    session = await session_of(home, 8)
    if not is_measured:
        await session.record_operation(stamp(Pin(message_id=session.view.last_user_id)))
    for text in ("One that nobody answered.", "And one that is sent with it."):
        await session.record(stamp(user_message(text)))
    for seen in (session, await home.reopen(session)):
        gauge, request = seen.counter.gauge(), await read_request(seen)
        assert (gauge.provenance is Provenance.MEASURED) == is_measured
        assert gauge.scale > 1.1
        sent = {part.message_id: part.tokens for part in request.parts if part.message_id}
        told = {row.message.id: gauge.tokens_of(row.tokens) for row in seen.rows(sent)}
        joined = seen.view.items[-1].message.id
        saved = told.pop(joined) - sent.pop(joined)
        assert 0 < saved < 10
        assert told == sent
        assert sum(part.tokens for part in request.parts) == gauge.total


@pytest.mark.parametrize("is_measured", [True, False], ids=["measured", "estimated"])
async def test_decisions_are_as_strict_as_the_gauge(house, is_measured: bool) -> None:
    home = await house([], window=24_000)
    session = await session_of(home, 10)
    if not is_measured:
        await session.record_operation(stamp(Pin(message_id=session.view.last_user_id)))
    gauge, counted = session.counter.gauge(), request_tokens(session.view, session.counter.counts)
    assert counted < 0.9 * session.counter.budget.usable, "by our own count nothing would be due"
    assert gauge.share > 0.9
    basis = snapshot_of(session.counter)
    assert basis.budget.share(counted) == pytest.approx(gauge.share, rel=0.001)
    assert basis.total == gauge.total
    assert await home.make_room(session, Trigger.BEFORE_REQUEST)
    assert home.of(ViewChanged)
    after = session.counter.gauge()
    assert after.share <= session.counter.policy.target + 0.01, "the target is one of the provider's tokens"
    assert request_tokens(session.view, session.counter.counts) * TRUE < 0.55 * session.counter.budget.usable


async def test_a_policy_is_fitted_to_the_models_window(talk) -> None:
    _, session = await talk([], window=200_000, messages=long_chat(2))
    session.counter.chosen_policy = SELINE  # shares of the window, of which 199,000 tokens can be used
    assert session.counter.budget.usable == 199_000
    assert session.counter.policy.compact_at == pytest.approx(180_000 / 199_000)
    assert session.counter.gauge().thresholds == session.counter.policy.thresholds


async def test_a_window_that_nobody_could_tell_is_no_larger_than_the_policy_says(house) -> None:
    home = await house([], window=128_000)
    session = await home.chats.create("Assumed")
    session.counter.chosen_policy = GOAGENT
    assert session.counter.budget.usable > 100_000
    home.models.info = replace(home.models.info, window_provenance=Provenance.ASSUMED)
    session.use(home.models.model(home.models.info.id))
    assert session.counter.budget.usable == 8_000
    session.counter.learned.learn(ModelError(Failure("overflow", "Too long"), is_overflow=True, limit=64_000))
    assert session.counter.budget.window == 64_000, "now its provider has told"


async def test_an_operation_tells_the_figures_that_the_gauge_shows(house) -> None:
    home = await house([], window=100_000)
    session = await session_of(home, 10)
    before = session.counter.gauge()
    assert before.provenance is Provenance.MEASURED
    assert before.total > 1.2 * request_tokens(session.view, session.counter.counts), "it is not what is counted here"
    plan = await plan_optimization(session.counter, None)
    shown = plan_of(plan, session, Writer())
    (changed,) = [
        e for e in await apply_optimization(session, home.services, plan, home.publish) if isinstance(e, ViewChanged)
    ]
    (operation,) = changed.operations
    after = session.counter.gauge().total
    assert (shown.before.total, shown.after.total) == (before.total, after)
    assert (operation.tokens_before, operation.tokens_after) == (before.total, after)
