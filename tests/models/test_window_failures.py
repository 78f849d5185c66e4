"""What is said when nobody tells a model's window: what the server answered, and the very setting to mend."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from desktop_app.chat.ports import ModelError, WindowUnknown
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import user_message
from desktop_app.models.catalogue import Catalogue
from desktop_app.settings import Server, ServerKind, Settings
from provider import Json, Reply, ScriptedProvider

KEY = "sk-SECRET-0123456789abcdef"


def catalogue(server: Server, key: str = "") -> Catalogue:
    return Catalogue(Settings(servers=(server,)), lambda _: key)


async def failure_at(base_url: str, *, kind: ServerKind = "vllm", model: str = "big", key: str = "") -> Failure:
    models = catalogue(Server("home", base_url, (model,), kind=kind), key)
    with pytest.raises(ModelError) as caught:
        await models.resolve_model(f"home/{model}")
    assert KEY not in repr(caught.value.failure)
    await models.close()
    return caught.value.failure


def serving(flavour: str = "vllm", **options: Any) -> ScriptedProvider:
    return ScriptedProvider([Reply("Hello")], flavour=flavour, models=("big", "small"), repeat_last=True, **options)


@pytest.mark.parametrize("kind", ["vllm", "openai_compatible", "lm_studio", "llama_cpp"])
async def test_a_missing_key_is_asked_for(kind: ServerKind) -> None:
    with serving(key=KEY) as provider:
        failure = await failure_at(provider.base_url, kind=kind)
    assert (failure.kind, failure.setting) == ("auth", "servers/home/key")
    assert "needs a key" in failure.title
    assert "401" in failure.detail
    assert provider.root_url in failure.detail


async def test_a_wrong_key_is_said_to_be_refused() -> None:
    with serving(key=KEY) as provider:
        failure = await failure_at(provider.base_url, key="sk-another-0123456789")
    assert (failure.kind, failure.setting) == ("auth", "servers/home/key")
    assert "refused the key" in failure.title


@pytest.mark.parametrize("kind", ["vllm", "openai_compatible", "lm_studio"])
async def test_an_address_without_its_version_is_named_with_the_one_that_would_work(kind: ServerKind) -> None:
    with serving(has_version=True) as provider:
        failure = await failure_at(provider.root_url, kind=kind)
    assert (failure.kind, failure.setting) == ("address", "servers/home/address")
    assert "/v1" in failure.title
    assert "404" in failure.detail
    assert f"{provider.root_url}/v1 " in failure.advice


async def test_a_model_that_the_server_does_not_have_is_named_with_those_that_it_has() -> None:
    with serving() as provider:
        failure = await failure_at(provider.base_url, model="large")
    assert (failure.kind, failure.setting) == ("not_found", "servers/home/models")
    assert "big, small" in failure.advice


async def test_a_server_that_does_not_tell_the_window_is_asked_no_more_and_the_user_is() -> None:
    with serving("openai") as provider:
        failure = await failure_at(provider.base_url)
    assert (failure.kind, failure.setting) == ("window_unknown", "servers/home/window/big")


async def test_a_server_that_is_not_there_is_named_with_its_address() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        failure = await failure_at(address)
    assert (failure.kind, failure.setting) == ("connection", "servers/home/address")
    assert address in failure.detail


@pytest.mark.wire  # it imports litellm, for what is published
async def test_what_is_no_address_is_quoted() -> None:
    failure = await failure_at("nonsense")
    assert (failure.kind, failure.setting) == ("address", "servers/home/address")
    assert "nonsense" in failure.detail


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (503, b"no", "server", "503"),
        (301, b"no", "address", "301"),
        (200, b"<html>Welcome to the router</html>", "address", "JSON"),
    ],
)
async def test_what_was_answered_is_told(
    status: int, body: bytes, kind: str, words: str, raw_server: Callable[..., str]
) -> None:
    failure = await failure_at(raw_server(lambda path, asked: (status, body)))
    assert (failure.kind, failure.setting) == (kind, "servers/home/address")
    assert words in failure.detail


@pytest.mark.parametrize("status", [400, 404, 405, 501])
async def test_a_list_of_models_that_does_not_exist_does_not_make_the_address_wrong(
    status: int, raw_server: Callable[..., str]
) -> None:
    failure = await failure_at(raw_server(lambda path, asked: (status, b"no such page")))
    assert (failure.kind, failure.setting) == ("window_unknown", "servers/home/window/big")
    assert str(status) in failure.detail
    assert "/v1" in failure.advice


LOADING_BODY = b'{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}'


async def test_a_server_that_loads_its_model_is_said_to(raw_server: Callable[..., str]) -> None:
    failure = await failure_at(raw_server(lambda path, asked: (503, LOADING_BODY)), kind="llama_cpp")
    assert failure.kind == "loading"
    assert "loading" in failure.title


def router(states: list[Json], asked: list[str]) -> Callable[[str, Any], tuple[int, bytes]]:
    """llama-server without a model (b7400 and later): its list has states, and only loaded models have properties."""

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        asked.append(path)
        state = states[0]
        if path == "/models/load":
            states.pop(0)
            return 200, b'{"success": true}'
        if path.startswith("/props"):
            is_loaded = path == "/props?model=qwen%2Fbig&autoload=false" and state["value"] == "loaded"
            properties = {"default_generation_settings": {"n_ctx": 16_384 if is_loaded else 0}}
            return (200, json.dumps(properties).encode()) if is_loaded or "model=" not in path else (400, b"not loaded")
        if path.endswith("/models"):
            if len(states) > 1 and state["value"] == "loading":
                states.pop(0)
            entries = [{"id": "other", "status": {"value": "loaded"}, "meta": {"n_ctx": 1}}]
            return 200, json.dumps({"data": [*entries, {"id": "qwen/big", "status": state}]}).encode()
        return 404, b"{}"

    return answer


async def test_a_router_s_model_is_asked_about_by_its_name(raw_server: Callable[..., str]) -> None:
    asked: list[str] = []
    address = raw_server(router([{"value": "loaded"}], asked))
    models = catalogue(Server("home", address, ("qwen/big",), kind="llama_cpp"))
    assert (await models.resolve_model("home/qwen/big")).info.window == 16_384
    await models.close()
    assert "/models/load" not in asked


async def test_the_window_with_which_a_router_will_load_a_model_is_in_its_arguments(
    raw_server: Callable[..., str],
) -> None:
    asked: list[str] = []
    state = {"value": "unloaded", "args": ["llama-server", "--ctx-size", "8192", "--port", "1"]}
    models = catalogue(Server("home", raw_server(router([state], asked)), ("qwen/big",), kind="llama_cpp"))
    assert (await models.resolve_model("home/qwen/big")).info.window == 8_192
    await models.close()
    assert "/models/load" not in asked


async def test_a_router_loads_the_model_that_a_message_needs(raw_server: Callable[..., str]) -> None:
    asked: list[str] = []
    states = [{"value": "unloaded", "args": ["llama-server"]}, {"value": "loading"}, {"value": "loaded"}]
    models = catalogue(Server("home", raw_server(router(states, asked)), ("qwen/big",), kind="llama_cpp"))
    kinds: list[str] = []
    for _ in range(2):
        with pytest.raises(WindowUnknown) as caught:
            await models.resolve_model("home/qwen/big")
        kinds.append(caught.value.kind)
    assert kinds == ["loading", "loading"]
    assert (await models.resolve_model("home/qwen/big")).info.window == 16_384
    assert asked.count("/models/load") == 1
    await models.close()


async def test_a_model_that_a_router_could_not_load_is_not_waited_for(raw_server: Callable[..., str]) -> None:
    asked: list[str] = []
    state = {"value": "unloaded", "failed": True, "exit_code": 1, "args": ["llama-server"]}
    address = raw_server(router([state], asked))
    assert (await failure_at(address, kind="llama_cpp", model="qwen/big")).kind == "window_unknown"
    assert "/models/load" not in asked


async def test_the_window_that_litellm_s_proxy_knows_is_its_smallest_deployment_s(
    raw_server: Callable[..., str],
) -> None:
    """As the proxy of litellm 1.106.2 answers: an entry for each deployment, with nulls for what it does not know."""
    numbers = ((128_000, 4_096), (None, None), (12_000, 2_000))
    entries = [
        {
            "model_name": "big",
            "model_info": {"max_input_tokens": window, "max_output_tokens": reply, "max_tokens": None},
        }
        for window, reply in numbers
    ]
    pages = {"/model/info": {"data": [{"model_name": "other", "model_info": {"max_input_tokens": 5}}, *entries]}}

    def answer(path: str, body: Any) -> tuple[int, bytes]:
        known = pages | {"/v1/models": {"data": [{"id": "big", "object": "model", "owned_by": "openai"}]}}
        return (200, json.dumps(known[path]).encode()) if path in known else (404, b"{}")

    models = catalogue(Server("home", raw_server(answer), ("big",)))
    info = (await models.resolve_model("home/big")).info
    assert (info.window, info.max_output) == (12_000, 2_000)
    await models.close()


async def test_what_is_known_of_a_model_without_its_window_goes_along() -> None:
    models = catalogue(Server("home", "http://127.0.0.1:9/v1", ("big",)))
    with pytest.raises(WindowUnknown) as caught:
        models.model("home/big")
    assert (caught.value.info.id, caught.value.info.window) == ("home/big", 0)
    assert caught.value.tokenizer.count("one two three") > 0


async def reply_failure(provider: ScriptedProvider, path: str, kind: ServerKind) -> Failure:
    models = catalogue(Server("home", provider.root_url + path, ("big",), window=9_000, kind=kind))
    with pytest.raises(ModelError) as caught:
        [piece async for piece in models.model("home/big").stream((user_message("Hi"),), 5)]
    await models.close()
    return caught.value.failure


@pytest.mark.wire
async def test_a_reply_that_is_asked_for_without_the_version_says_so() -> None:
    with ScriptedProvider([Reply("Hello")], models=("big",), has_version=True) as provider:
        failure = await reply_failure(provider, "", "openai_compatible")
    assert failure.setting == "servers/home/address"
    assert f"{provider.root_url}/v1 " in failure.advice


@pytest.mark.parametrize("kind", ["vllm", "openai_compatible", "openai", "anthropic", "openrouter", "ollama"])
@pytest.mark.wire
async def test_a_reply_that_is_asked_for_without_a_key_leads_to_the_key(kind: ServerKind) -> None:
    with ScriptedProvider([Reply("Hello")], models=("big",), key=KEY) as provider:
        failure = await reply_failure(provider, "" if kind in ("anthropic", "ollama") else "/v1", kind)
    assert (failure.kind, failure.setting) == ("auth", "servers/home/key")
    assert "needs a key" in failure.title
