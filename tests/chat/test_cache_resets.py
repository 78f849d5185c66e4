"""The gauge says what is cached and until when; a change that loses it shows its price before it is made."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace
from test_take_turn import long_chat

from desktop_app.chat.model_preview import preview_model
from desktop_app.chat.ports import Price
from desktop_app.chat.prefix_reset import reset_of
from desktop_app.chat.session import stamp
from desktop_app.conversation.transcript import RequestContext
from provider import Reply

PRICE = Price(3e-6, 15e-6, 3e-7, 3.75e-6)
DEAR = Price(5e-6, 25e-6, 5e-7)


async def warm(talk, cached: int = 3_000, life: int | None = 300, **policy) -> tuple:
    home, session = await talk([Reply("Here.", usage=(cached, 10, 0))], messages=long_chat(40), window=60_000)
    home.models.info = replace(home.models.info, cache_seconds=life)
    home.models.cost = PRICE
    session = await home.reopen(session)
    await home.turn(session, "Where are we?")
    chosen = replace(session.counter.chosen_policy, **{"warn_cached": 1_000, **policy})
    session.counter.chosen_policy = chosen
    return home, session


async def test_the_gauge_says_what_is_cached_and_until_when(talk) -> None:
    _, session = await warm(talk)
    gauge = session.counter.gauge()
    reply = session.view.items[-1].message
    assert gauge.cached == min(reply.usage.prompt_tokens, gauge.total) > 0
    assert abs(gauge.cached_until - reply.at - 300) < 2
    await session.record(stamp(RequestContext(system_prompt="Another.")))
    assert session.counter.gauge().cached == 0


@pytest.mark.parametrize("life", [0, 1, 3_600, None])
async def test_the_life_is_the_provider_s(talk, life: int | None) -> None:
    home, session = await warm(talk, life=life)
    reply = session.view.items[-1].message
    moved = replace(reply, at=time.time() - 1_800)
    entries = [moved if entry.id == reply.id else entry for entry in session.transcript.entries]
    session.counter.view = replace(session.view, path=entries)
    assert (session.counter.cached_prefix() is not None) == (life in (3_600, None))
    assert session.counter.policy.cache_seconds == (life if life is not None else 1_000_000_000)
    del home


async def test_a_policy_that_minds_no_cache_has_the_last_word(talk) -> None:
    _, session = await warm(talk, life=None, cache_seconds=0)
    assert session.counter.cached_prefix() is None


async def test_another_conversation_takes_the_place_on_a_local_server(talk) -> None:
    home, session = await warm(talk, life=None)
    assert session.counter.cached_prefix() is not None
    other = await home.chats.create("Other")
    home.provider.script = [Reply("Yes."), Reply("And here.", usage=(3_000, 10, 0))]
    await home.turn(other, "Hello")
    assert session.counter.cached_prefix() is None
    await home.turn(session, "Go on")
    assert session.counter.cached_prefix() is not None


async def test_a_change_is_priced_by_what_the_next_prompt_costs_with_and_without_the_cache(talk) -> None:
    _, session = await warm(talk)
    reset = reset_of(session.counter, PRICE, PRICE)
    assert reset is not None
    total = session.counter.gauge().total
    assert reset.dollars == pytest.approx((reset.tokens * 0.3 + (total - reset.tokens) * 3.75) / 1e6)
    assert reset.dollars_after == pytest.approx(total * 3.75 / 1e6)
    assert reset_of(session.counter, None, None) is not None, "without a price the tokens are shown"
    session.counter.chosen_policy = replace(session.counter.chosen_policy, warn_cached=reset.tokens + 2_000)
    assert reset_of(session.counter, PRICE, PRICE) is None, "little is lost"
    session.counter.chosen_policy = replace(session.counter.chosen_policy, warn_cached=0)
    assert reset_of(session.counter, PRICE, PRICE) is None, "switched off in the policy"


async def test_the_preview_of_another_model_has_the_price_unless_nobody_wants_to_know(talk) -> None:
    home, session = await warm(talk)
    home.models.others["scripted/two"] = replace(home.models.info, id="scripted/two")
    preview = await preview_model(session, home.services, home.models, "scripted/two")
    assert preview.reset is not None
    assert preview.reset.dollars_after == pytest.approx(preview.total * 3.75 / 1e6)
    own = await preview_model(session, home.services, home.models, session.model.info.id)
    assert own.reset is None
    home.chats.change_settings(replace(home.chats.settings, is_warning_of_resets=False))
    assert (await preview_model(session, home.services, home.models, "scripted/two")).reset is None
