"""Listing a server's models and testing it: through the real litellm, against each kind of server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from desktop_app.conversation.model_servers import CheckResult, ModelPrice
from desktop_app.models import server_checks
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.server_checks import list_offers, run_check
from desktop_app.settings import ModelLimits, Server
from kinds_of_server import EACH, KEY, KINDS, OF_KIND, Kind
from provider import Call, Cut, Hang, Reply, ScriptedProvider, Status

ADDED = Reply(calls=(Call("add", '{"a":2,"b":3}', "call_1"),), usage=(40, 9, 0))
COUNTED = Reply("one two three four five", size=4, usage=(30, 12, 0))


def server_of(kind: Kind, provider: ScriptedProvider, **fields: Any) -> Server:
    return Server("mine", provider.root_url + kind.path, (), kind=kind.kind, **fields)


def states(results: tuple[CheckResult, ...]) -> dict[str, str]:
    return {result.kind: result.state for result in results}


@pytest.mark.parametrize("kind", **EACH)
async def test_each_kind_is_tested_line_by_line(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(COUNTED, ADDED) as provider:
        server = server_of(kind, provider)
        reply = await run_check(server, KEY, kind.model, "reply", litellm)
        tools = await run_check(server, KEY, kind.model, "tools", litellm)
        asked = provider.requests
    assert states(reply) == {"key": "good", "replied": "good", "streamed": "good"}
    assert reply[2].count > 1
    assert states(tools) == {"tools": "good"}
    assert len(asked) == 2, "a tiny request each"
    assert sum(len(json.dumps(request.body)) for request in asked) < 2_000


@pytest.mark.parametrize("kind", KINDS, ids=[kind.kind for kind in KINDS])
async def test_a_list_has_the_models_and_what_is_known_of_them(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(window=40_960) as provider:
        offers, results = await list_offers(server_of(kind, provider), KEY)
    assert [offer.name for offer in offers] == [kind.model]
    assert states(results) == {"reached": "good", "listed": "good"}
    if kind.kind in ("lm_studio", "vllm", "openrouter"):
        assert (offers[0].window, offers[0].window_source) == (40_960, "server")


@pytest.mark.parametrize("kind", KINDS, ids=[kind.kind for kind in KINDS])
async def test_a_wrong_key_is_told_from_all_else(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(COUNTED) as provider:
        server = server_of(kind, provider)
        _, results = await list_offers(server, "sk-wrong")
        reply = await run_check(server, "sk-wrong", kind.model, "reply", litellm)
        asked = provider.requests
    assert states(reply) == {"key": "bad"}
    assert "sk-wrong" not in repr((results, reply))
    assert states(results)["reached"] == "good"
    assert "listed" not in states(results) or kind.kind == "gemini"
    assert not asked


@pytest.mark.parametrize(
    ("server", "source", "window"),
    [
        ({"limits": {"qwen3-8b": ModelLimits(9_000)}, "window": 8_000}, "settings", 9_000),
        ({"limits": {"other": ModelLimits(9_000)}, "window": 8_000}, "settings", 8_000),
        ({}, "server", 40_960),
    ],
)
async def test_where_the_window_comes_from(litellm: LiteLLM, server: Any, source: str, window: int) -> None:
    kind = OF_KIND["lm_studio"]
    with kind.provider(window=40_960) as provider:
        (found,) = await run_check(server_of(kind, provider, **server), KEY, kind.model, "window", litellm)
    assert (found.state, found.source, found.count) == ("good", source, window)


async def test_a_published_window_comes_from_the_catalogue_and_an_unknown_one_is_said(litellm: LiteLLM) -> None:
    kind = OF_KIND["openai_compatible"]
    with ScriptedProvider([Reply("a b", size=1)], models=("mystery",)) as provider:
        server = server_of(kind, provider)
        (found,) = await run_check(server, "", "mystery", "window", litellm)
        assert (found.state, found.count, found.source) == ("unsure", 0, "")
        assert found.detail
        reply = await run_check(server, "", "mystery", "reply", litellm)
    assert states(reply)["replied"] == "good", "it is tested all the same"


async def test_a_price_is_told_before_and_the_cost_after(litellm: LiteLLM) -> None:
    pricing = {"prompt": "0.000003", "completion": "0.000015"}
    entry = {"id": "a/b", "context_length": 200_000, "pricing": pricing, "supported_parameters": ["tools"]}
    entry["architecture"] = {"input_modalities": ["text", "image"]}
    kind = OF_KIND["openrouter"]
    with ScriptedProvider(
        [COUNTED], flavour="openrouter", models=("a/b",), key=KEY, pages={"/v1/models": {"data": [entry]}}
    ) as provider:
        ((offer,), _) = await list_offers(server_of(kind, provider), KEY)
        reply = await run_check(server_of(kind, provider), KEY, "a/b", "reply", litellm)
    assert (offer.price, offer.window) == (ModelPrice(3.0, 15.0), 200_000)
    assert (offer.supports_tools, offer.supports_vision) == (True, True)
    assert reply[1].dollars == 0.0025, "as the provider says"


@pytest.mark.parametrize(
    "page",
    [{}, {"data": []}, {"data": "x"}, {"data": [1, None, {}, {"id": 3}, {"id": ""}]}, [], {"models": {"a": 1}}],
)
async def test_a_server_without_a_list_says_so(litellm: LiteLLM, page: Any) -> None:
    with ScriptedProvider(pages={"/v1/models": page}) as provider:
        offers, results = await list_offers(Server("mine", provider.base_url, ()), "")
    assert offers == ()
    assert states(results) == {"reached": "good", "listed": "unsure"}


async def test_no_server_at_all_is_not_reached(litellm: LiteLLM) -> None:
    for address in ("http://127.0.0.1:9/v1", "nonsense", ""):
        offers, results = await list_offers(Server("mine", address, ()), "")
        assert (offers, states(results)) == ((), {"reached": "bad"})


async def test_a_huge_list_is_read_at_once(litellm: LiteLLM) -> None:
    entries = [{"id": f"vendor/model-{n}", "context_length": 1_000 + n} for n in range(5_000)]
    with ScriptedProvider(pages={"/v1/models": {"data": entries}}) as provider:
        offers, (_, listed) = await list_offers(Server("mine", provider.base_url, ()), "")
    assert (len(offers), listed.count, offers[-1].window) == (5_000, 5_000, 5_999)


async def test_embedding_models_are_no_offers(litellm: LiteLLM) -> None:
    entries = [{"id": "text-embedding-3"}, {"id": "nomic", "type": "embeddings"}, {"id": "chat"}, {"id": "chat"}]
    with ScriptedProvider(pages={"/v1/models": {"data": entries}}) as provider:
        offers, _ = await list_offers(Server("mine", provider.base_url, ()), "")
    assert [offer.name for offer in offers] == ["chat"]


@pytest.mark.parametrize("step", [Status(500), Cut("one"), Hang()])
async def test_what_goes_wrong_is_a_line_and_no_exception(litellm: LiteLLM, step: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(server_checks, "REPLY_SECONDS", 0.5)
    with ScriptedProvider([step, step]) as provider:
        server = Server("mine", provider.base_url, (), window=8_000)
        (reply,) = await run_check(server, "", "scripted", "reply", litellm)
        (tools,) = await run_check(server, "", "scripted", "tools", litellm)
    assert [(reply.kind, reply.state), (tools.kind, tools.state)] == [("replied", "bad"), ("tools", "bad")]


async def test_a_reply_in_one_piece_and_a_model_that_only_talks_are_doubtful(litellm: LiteLLM) -> None:
    with ScriptedProvider([Reply("one", size=100), Reply("It is 5."), Reply(calls=(Call("add", "{}"),))]) as provider:
        server = Server("mine", provider.base_url, (), window=8_000)
        reply = await run_check(server, "", "scripted", "reply", litellm)
        talked = await run_check(server, "", "scripted", "tools", litellm)
        wrongly = await run_check(server, "", "scripted", "tools", litellm)
    assert states(reply)["streamed"] == "unsure"
    assert states(talked) == states(wrongly) == {"tools": "unsure"}


async def test_a_test_that_is_stopped_closes_its_connection(litellm: LiteLLM) -> None:
    with ScriptedProvider([Hang()]) as provider:
        server = Server("mine", provider.base_url, (), window=8_000)
        test = asyncio.ensure_future(run_check(server, "", "scripted", "reply", litellm))
        async with asyncio.timeout(30):
            while not provider.requests:
                await asyncio.sleep(0.01)
        test.cancel()
        with pytest.raises(asyncio.CancelledError):
            await test
        assert await asyncio.to_thread(provider.client_left.wait, 30)
