"""What is known of models before anybody asked their servers, and what the servers say over that."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.chat.ports import Price
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Usage
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.published import PROPOSED, PublishedModels, published_models, sees_by_name
from desktop_app.settings import ModelLimits, Server, ServerKind, Settings
from provider import Json, ScriptedProvider

pytestmark = pytest.mark.wire


@pytest.fixture
def litellm(loaded: LiteLLM) -> LiteLLM:
    return loaded


def catalogue(litellm: LiteLLM, *servers: Server) -> Catalogue:
    return Catalogue(Settings(servers=servers), lambda _: "", litellm)


WINDOWS: dict[ServerKind, dict[str, int]] = {
    "anthropic": {"claude-sonnet-4-5": 200_000, "claude-sonnet-4-6": 1_000_000},
    "gemini": {"gemini-3-pro-preview": 1_048_576},
    "openai": {"gpt-5.1-codex": 272_000, "gpt-5.3-codex": 272_000},
    "moonshot": {"kimi-k2-0905-preview": 262_144, "kimi-k2-0711-preview": 131_072, "kimi-k2.5": 262_144},
    "openrouter": {
        "anthropic/claude-sonnet-4.5": 200_000,
        "google/gemini-3-pro-preview": 1_048_576,
        "moonshotai/kimi-k2-0905": 262_144,
        "openai/gpt-5.3-codex": 272_000,
    },
}


@pytest.mark.parametrize("kind", WINDOWS)
def test_well_known_models_have_their_windows_as_an_estimate(litellm: LiteLLM, kind: ServerKind) -> None:
    models = catalogue(litellm, Server("s", "", tuple(WINDOWS[kind]), kind=kind)).infos()[1:]
    assert {model.label: model.window for model in models} == WINDOWS[kind]
    for model in models:
        assert model.window_provenance is Provenance.ESTIMATED
        assert model.supports_tools
        assert model.max_output >= 32_768, "thoughts are a part of the reply"
        assert model.supports_vision == ("kimi-k2-" not in model.label)


def test_all_that_is_proposed_has_a_window_tools_and_a_price(litellm: LiteLLM) -> None:
    for kind, names in PROPOSED.items():
        models = catalogue(litellm, Server("s", "", names, kind=kind))
        for model in models.infos()[1:]:
            assert model.window_provenance is Provenance.ESTIMATED, model.id
            assert model.supports_tools, model.id
            assert models.price(model.id) is not None, model.id


def test_what_is_proposed_begins_with_well_known_models(litellm: LiteLLM) -> None:
    for kind in ("anthropic", "openai", "gemini", "moonshot"):
        few, many = PROPOSED[kind], catalogue(litellm).proposals(kind)
        assert many[: len(few)] == few
        assert len(many) > len(few)
        assert len(set(many)) == len(many)
        assert not [name for name in many if "embed" in name or "tts" in name or "image" in name.split("-")]
    assert catalogue(litellm).proposals("ollama") == ()


def test_prices_are_those_of_the_prompt_of_its_cache_and_of_the_reply(litellm: LiteLLM) -> None:
    models = catalogue(litellm, Server("a", "", ("claude-sonnet-4-5",), kind="anthropic"))
    price = models.price("a/claude-sonnet-4-5")
    assert price == Price(3e-6, 15e-6, 0.3e-6, 3.75e-6), "https://www.anthropic.com/pricing"
    assert price is not None
    spent = price.of(Usage(prompt_tokens=100_000, reply_tokens=1_000, cached_tokens=90_000, cache_written_tokens=8_000))
    assert spent == pytest.approx(0.027 + 0.030 + 0.006 + 0.015)


def test_other_vendors_are_known_by_their_hosts(litellm: LiteLLM) -> None:
    server = Server("d", "https://api.deepseek.com/v1", ("deepseek-chat",))
    assert catalogue(litellm, server).infos()[1].window_provenance is Provenance.ESTIMATED


async def test_openrouter_tells_windows_prices_and_abilities_itself(litellm: LiteLLM) -> None:
    entry: Json = {
        "id": "x/new",
        "context_length": 64_000,
        "top_provider": {"context_length": 64_000, "max_completion_tokens": 8_000},
        "pricing": {"prompt": "0.000001", "completion": "0.000002", "input_cache_read": "0.0000001"},
        "supported_parameters": ["max_tokens"],
        "architecture": {"input_modalities": ["text", "image"]},
    }
    with ScriptedProvider(pages={"/v1/models": {"data": [entry]}}) as provider:
        local = Server("r", provider.base_url, ("x/new",), kind="openrouter")
        models = catalogue(litellm, local)
        await models.discover()
        model = models.infos()[1]
        assert (model.window, model.max_output, model.window_provenance) == (64_000, 8_000, Provenance.MEASURED)
        assert (model.supports_tools, model.supports_vision) == (False, True)


async def test_gemini_tells_its_limits_itself(litellm: LiteLLM) -> None:
    page: Json = {"name": "models/gemini-9", "inputTokenLimit": 2_000_000, "outputTokenLimit": 100_000}
    with ScriptedProvider(flavour="gemini", pages={"/v1beta/models/gemini-9": page}) as provider:
        models = catalogue(litellm, Server("g", f"{provider.root_url}/v1beta", ("gemini-9",), kind="gemini"))
        await models.discover()
        model = models.infos()[1]
    assert (model.window, model.max_output) == (2_000_000, 100_000)


@pytest.mark.parametrize(
    "name",
    [
        "Qwen/Qwen2.5-VL-7B-Instruct",
        "qwen3-vl:8b",
        "google/gemma-3-27b-it",
        "gemma3:12b",
        "llava:13b",
        "mistralai/Pixtral-12B-2409",
        "meta-llama/Llama-3.2-11B-Vision-Instruct",
        "meta-llama/Llama-4-Scout-17B-16E-Instruct",
        "OpenGVLab/InternVL3-8B",
        "gpt-4o-mini",
        "claude-sonnet-4-5",
        "unsloth/Mistral-Small-3.2-24B-Instruct-2506",
    ],
)
def test_a_model_that_sees_is_known_by_its_name(name: str) -> None:
    assert sees_by_name(name)


@pytest.mark.parametrize(
    "name", ["Qwen/Qwen3-8B", "gemma-3-1b-it", "gemma3:1b", "llama-3.3-70b-instruct", "deepseek-v4", "vllm-model", "m1"]
)
def test_other_models_are_not_taken_to_see(name: str) -> None:
    assert not sees_by_name(name)


def test_pictures_are_switched_on_for_any_model_and_off_for_one_that_sees() -> None:
    server = Server("s", "http://127.0.0.1:9/v1", ("mine", "qwen3-vl"), kind="vllm")
    plain, named = Catalogue(Settings(servers=(server,)), lambda _: "").infos()[1:]
    assert (plain.supports_vision, named.supports_vision) == (False, True)
    limits = {"mine": ModelLimits(supports_vision=True), "qwen3-vl": ModelLimits(supports_vision=False)}
    plain, named = Catalogue(Settings(servers=(replace(server, limits=limits),)), lambda _: "").infos()[1:]
    assert (plain.supports_vision, named.supports_vision) == (True, False)


def test_the_catalogue_that_is_read_without_litellm_is_litellms(client: Any) -> None:
    assert dict(published_models()) == client.litellm.model_cost


def test_a_model_has_its_other_names_too() -> None:
    catalogue = PublishedModels(
        b'{"a": {"mode": "chat", "aliases": ["b", "c"]}, "c": {}, "fallback_generalizations": {}}'
    )
    assert dict(catalogue) == {"a": {"mode": "chat"}, "b": {"mode": "chat"}, "c": {}}
    assert len(catalogue) == 3
    assert "b" in catalogue
    assert "fallback_generalizations" not in catalogue
