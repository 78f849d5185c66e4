"""For how long each provider and server keeps a prefix: by kind and model, on the wire, and in the price."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from desktop_app.chat.ports import ReplyEnd
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.models.cache_lives import cache_life, may_keep_an_hour
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.settings import ModelLimits, Server, ServerKind, Settings, with_cache_of_an_hour
from kinds_of_server import OF_KIND
from provider import Reply, ScriptedProvider, Windowed

LIVES: list[tuple[ServerKind, str, bool, int | None]] = [
    ("anthropic", "claude-sonnet-5", False, 300),
    ("openrouter", "anthropic/claude-opus-4.6", False, 300),
    ("openai", "gpt-4o", False, 300),
    ("openai", "o3", False, 300),
    ("openai", "gpt-4.1-mini", False, 86_400),
    ("openai", "gpt-5", False, 86_400),
    ("openai", "gpt-5.3-codex", False, 86_400),
    ("openai", "gpt-5.5", False, 86_400),
    ("openai", "gpt-5.6", False, 1_800),
    ("openai", "gpt-6-sol", False, 1_800),
    ("azure", "gpt-5.1", False, 300),
    ("azure", "gpt-5.5", False, 86_400),
    ("gemini", "gemini-3-pro-preview", False, 300),
    ("vertex", "gemini-3.5-flash", False, 300),
    ("vertex", "claude-sonnet-4-5", False, 0),
    ("bedrock", "anthropic.claude-sonnet-4-5-v1:0", False, 0),
    ("openai_compatible", "deepseek-chat", False, 3_600),
    ("openai_compatible", "mistral-large", False, 300),
    ("openai_compatible", "qwen3-8b", True, None),
    ("moonshot", "kimi-k2.5", False, 300),
    ("llama_cpp", "qwen3-8b", True, None),
    ("vllm", "Qwen/Qwen3-8B", True, None),
    ("ollama", "qwen3:8b", True, 300),
    ("lm_studio", "qwen3-8b", True, 3_600),
]


@pytest.mark.parametrize(("kind", "name", "is_local", "seconds"), LIVES)
def test_each_provider_keeps_a_prefix_as_long_as_it_says(
    kind: ServerKind, name: str, is_local: bool, seconds: int | None
) -> None:
    assert cache_life(kind, name, is_local) == seconds
    an_hour = cache_life(kind, name, is_local, keeps_an_hour=True)
    assert an_hour == (3_600 if may_keep_an_hour(kind, name) else seconds)


def catalogue(kind: ServerKind, name: str, **limits) -> Catalogue:
    known = {name: ModelLimits(window=200_000, **limits)}
    server = Server("s", "https://example.org" if kind == "openai_compatible" else "", (name,), kind=kind, limits=known)
    return Catalogue(Settings(servers=(server,)), lambda _: "key")


def test_the_catalogue_knows_the_life_and_the_choice() -> None:
    (info,) = catalogue("anthropic", "claude-sonnet-4-5").infos()[1:]
    assert (info.cache_seconds, info.may_cache_an_hour) == (300, True)
    (info,) = catalogue("anthropic", "claude-sonnet-4-5", caches_an_hour=True).infos()[1:]
    assert (info.cache_seconds, info.may_cache_an_hour) == (3_600, True)
    (info,) = catalogue("openai", "gpt-5.1", caches_an_hour=True).infos()[1:]
    assert (info.cache_seconds, info.may_cache_an_hour) == (86_400, False)


def test_the_choice_is_stored_with_the_model_and_leaves_nothing_behind() -> None:
    settings = Settings(servers=(Server("s", "", ("a", "b"), kind="anthropic"),))
    chosen = with_cache_of_an_hour(settings, "s/a", is_on=True)
    assert chosen.servers[0].limits == {"a": ModelLimits(caches_an_hour=True)}
    assert with_cache_of_an_hour(chosen, "s/a", is_on=False) == settings


SYSTEM = Message(role=Role.SYSTEM, parts=(Text("Be brief. " * 400),))


@pytest.mark.wire
@pytest.mark.parametrize(("seconds", "ttl", "is_read"), [(300, None, False), (3_600, "1h", True)])
async def test_an_hour_is_asked_for_on_the_wire_and_outlives_half_of_it(
    litellm: LiteLLM, seconds: int, ttl: str | None, is_read: bool
) -> None:
    kind, now = OF_KIND["anthropic"], [0.0]
    script = Windowed(200_000, lambda _: Reply("Done."), count=lambda text: len(text) // 4, clock=lambda: now[0])
    said = (SYSTEM, user_message("Hello. " * 500), Message(role=Role.ASSISTANT, parts=(Text("Hi."),)))
    with ScriptedProvider(script, flavour="anthropic", models=(kind.model,)) as provider:
        model = kind.model_at(provider, litellm, key="")
        model = replace(model, info=replace(model.info, cache_seconds=seconds))
        for text in ("One", "Two"):
            ends = [piece async for piece in model.stream((*said, user_message(text)), 100)]
            now[0] += 1_800
    end = ends[-1]
    assert isinstance(end, ReplyEnd)
    assert end.usage is not None
    assert (end.usage.cached_tokens > 1_000) == is_read
    markers = [marker for request in provider.requests for marker in _markers(request.body)]
    assert markers
    assert {marker.get("ttl") for marker in markers} == {ttl}


def _markers(value) -> list[dict]:
    if isinstance(value, dict):
        own = [value["cache_control"]] if "cache_control" in value else []
        return [*own, *(marker for each in value.values() for marker in _markers(each))]
    return [marker for each in value for marker in _markers(each)] if isinstance(value, list) else []


@pytest.mark.wire
def test_what_is_kept_for_an_hour_costs_twice_the_prompt(litellm: LiteLLM) -> None:
    for an_hour, factor in ((False, 1.25), (True, 2.0)):
        models = catalogue("anthropic", "claude-sonnet-4-5", caches_an_hour=an_hour)
        models.litellm = litellm
        price = models.price("s/claude-sonnet-4-5")
        assert price is not None
        assert price.cache_written == pytest.approx(factor * price.prompt), json.dumps(an_hour)
        assert price.cached == pytest.approx(0.1 * price.prompt)
