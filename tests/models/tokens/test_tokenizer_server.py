"""Counting as a local server does: with servers whose tokenizers are known, and with the real llama.cpp."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models import builtin
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.discovery import client_for
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.llama_server import LlamaServer
from desktop_app.models.tokens.server import SAMPLES, ServerCounts, fitted_tokenizer
from desktop_app.models.tokens.tokenizers import tokenizer_for, tokenizer_of
from desktop_app.settings import Server, ServerKind, Settings
from provider import ScriptedProvider

pytestmark = pytest.mark.wire

OTHER_TEXTS = (
    "It was agreed that the roof would wait until spring, although the tenants on the upper floor were not pleased. "
    * 3,
    'for name, value in sorted(fields.items()):\n    print(f"{name}={value!r}", file=out)\n' * 5,
    '[{"a": 1, "b": [true, null]}, {"a": 2.5, "b": []}]' * 8,
    "Поезд опоздал на два часа, и мы решили идти пешком. " * 5,
)


Tokenizing = Callable[[str, str, Callable[[str], Any]], tuple[str, list[str]]]


@pytest.fixture
def server_of(raw_server: Callable[..., str]) -> Tokenizing:
    """A server that counts in its way, and the texts that it was asked for."""

    def start(path: str, field: str, count: Callable[[str], Any]) -> tuple[str, list[str]]:
        asked: list[str] = []

        def answer(where: str, body: dict[str, str]) -> tuple[int, bytes]:
            if where != path or field not in body:
                return 404, b"{}"
            asked.append(body[field])
            return 200, json.dumps(count(body[field])).encode()

        return raw_server(answer), asked

    return start


def discovered(address: str, name: str, kind: ServerKind = "openai_compatible", key: str = "") -> Catalogue:
    return Catalogue(Settings(servers=(Server("s", address, (name,), 8192, kind=kind),)), lambda _: key)


def error_of_all(tokenizer: Tokenizer, truth: Callable[[str], int]) -> float:
    """The relative error over OTHER_TEXTS: text by text, so that errors do not cancel each other out."""
    wrong = sum(abs(tokenizer.count(text) - truth(text)) for text in OTHER_TEXTS)
    return wrong / sum(map(truth, OTHER_TEXTS))


def tokens_of(text: str) -> dict[str, Any]:
    return {"tokens": [1] * tokenizer_of("mistral-v1").count(text)}


WAYS: list[tuple[ServerKind, str, str, Callable[[str], Any]]] = [
    ("llama_cpp", "/tokenize", "content", tokens_of),
    ("openai_compatible", "/tokenize", "content", tokens_of),
    ("vllm", "/tokenize", "prompt", lambda text: {"count": len(tokens_of(text)["tokens"])}),
    ("openai_compatible", "/api/extra/tokencount", "prompt", lambda text: {"value": len(tokens_of(text)["tokens"])}),
]


@pytest.mark.parametrize(("kind", "path", "field", "answer"), WAYS)
async def test_a_model_whose_name_says_nothing_is_counted_as_its_server_counts(
    kind: ServerKind, path: str, field: str, answer: Callable[[str], Any], server_of: Tokenizing
) -> None:
    address, asked = server_of(path, field, answer)
    catalogue = discovered(address, "mystery", kind)
    before = catalogue.model("s/mystery").tokenizer
    await catalogue.discover()
    tokenizer = catalogue.model("s/mystery").tokenizer
    assert set(asked) == set(SAMPLES)
    truth = tokenizer_of("mistral-v1")
    assert error_of_all(tokenizer, truth.count) < 0.05
    assert error_of_all(before, truth.count) > 0.15
    assert "fitted" in tokenizer.name


async def test_a_server_that_counts_slowly_is_not_waited_for(server_of: Tokenizing) -> None:
    def slowly(text: str) -> Any:
        time.sleep(0.5)
        return tokens_of(text)

    catalogue = discovered(server_of("/tokenize", "content", slowly)[0], "qwen3", "llama_cpp")
    started = time.monotonic()
    await catalogue.discover()
    assert time.monotonic() - started < 3, "nine samples would take 4.5 s"
    assert catalogue.model("s/qwen3").tokenizer is tokenizer_for("qwen3")


def test_a_name_that_says_the_truth_is_taken_at_its_word() -> None:
    truth = tokenizer_of("qwen")
    fitted = fitted_tokenizer("Qwen3-8B-Q4_K_M.gguf", [truth.count(sample) for sample in SAMPLES])
    for text in (*OTHER_TEXTS, "", "a", " "):
        assert fitted.count(text) == truth.count(text)
    assert fitted.overhead == tokenizer_for("qwen3").overhead


def test_a_wrong_name_is_not() -> None:
    truth = tokenizer_of("llama-2")
    fitted = fitted_tokenizer("my-gpt-4o-killer", [truth.count(sample) for sample in SAMPLES])
    for text in OTHER_TEXTS:
        assert fitted.count(text) == pytest.approx(truth.count(text), rel=0.03)


async def test_the_same_text_is_asked_once_for_each_server_and_model(server_of: Tokenizing) -> None:
    address, asked = server_of("/tokenize", "content", tokens_of)
    counts, endpoint = ServerCounts(), Endpoint("s", address, "", "llama_cpp")
    async with client_for(endpoint) as client:
        first = await counts.count(client, endpoint, "a", ["one", "two words"])
        assert await counts.count(client, endpoint, "a", ["two words", "one"]) == tuple(reversed(first or ()))
        assert sorted(asked) == ["one", "two words"]
        await counts.count(client, endpoint, "b", ["one"])
    assert len(asked) == 3


@pytest.mark.parametrize("answer", [{}, {"tokens": "x"}, {"count": True}, {"count": -1}, [], "x", {"value": 0}])
async def test_an_answer_that_makes_no_sense_changes_nothing(answer: Any, server_of: Tokenizing) -> None:
    catalogue = discovered(server_of("/tokenize", "content", lambda _: answer)[0], "qwen3")
    await catalogue.discover()
    assert catalogue.model("s/qwen3").tokenizer is tokenizer_for("qwen3")


async def test_texts_are_not_sent_to_servers_in_the_cloud_or_to_those_that_cannot_count() -> None:
    with ScriptedProvider(flavour="lmstudio") as provider:
        catalogue = discovered(provider.base_url, "scripted", "lm_studio")
        await catalogue.discover()
        assert catalogue.model("s/scripted").tokenizer is tokenizer_for("scripted")
    cloud = Endpoint("c", "https://example.invalid/v1", "", "openai_compatible")
    assert await ServerCounts().count(None, cloud, "m", ["text"]) is None


READ = ToolSpec("read", "Reads a file.", '{"type": "object", "properties": {"path": {"type": "string"}}}')


def renders(kind: ServerKind, asked: list[str]) -> Callable[[str, Any], tuple[int, bytes]]:
    """A server whose template has ten tokens for each message, and a hundred for each tool."""

    def answer(where: str, body: dict[str, Any]) -> tuple[int, bytes]:
        asked.append(where)
        size = 10 * len(body.get("messages", ())) + 100 * len(body.get("tools", ()))
        if where == "/apply-template" and kind == "llama_cpp":
            return 200, json.dumps({"prompt": "<mark>" * size}).encode()
        if where == "/tokenize" and kind == "llama_cpp" and body.get("parse_special"):
            return 200, json.dumps({"tokens": [1] * body["content"].count("<mark>")}).encode()
        if where == "/tokenize" and kind == "vllm" and body.get("add_generation_prompt"):
            return 200, json.dumps({"count": size}).encode()
        return 404, b"{}"

    return answer


@pytest.mark.parametrize("kind", ["llama_cpp", "vllm"])
async def test_a_server_that_renders_templates_is_asked_once_for_each_set_of_tools(
    kind: ServerKind, raw_server: Callable[..., str]
) -> None:
    asked: list[str] = []
    catalogue = discovered(raw_server(renders(kind, asked)), "mystery", kind)
    assert await catalogue.count_tools("s/mystery", (READ,)) == 100
    once = len(asked)
    assert await catalogue.count_tools("s/mystery", (READ,)) == 100
    assert len(asked) == once
    assert await catalogue.count_tools("s/mystery", (READ, replace(READ, name="write"))) == 200
    assert await catalogue.count_tools("s/gone", (READ,)) is None
    assert await catalogue.count_tools(builtin.MODEL_ID, (READ,)) is None


async def test_a_server_that_renders_none_is_not_asked_again(raw_server: Callable[..., str]) -> None:
    asked: list[str] = []

    def answer(where: str, body: dict[str, Any]) -> tuple[int, bytes]:
        asked.append(where)
        return 404, b"{}"

    catalogue = discovered(raw_server(answer), "mystery")
    assert await catalogue.count_tools("s/mystery", (READ,)) is None
    once = len(asked)
    assert await catalogue.count_tools("s/mystery", (READ,)) is None
    assert len(asked) == once


@pytest.mark.model
async def test_the_real_llama_cpp_is_counted_as_it_counts() -> None:
    path = builtin.model_path()
    if path is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    llama = LlamaServer(path, 2_048)
    try:
        await llama.start()
        endpoint = Endpoint("real", llama.base_url, llama.token, "llama_cpp")
        async with client_for(endpoint) as client:
            counts = await ServerCounts().count(client, endpoint, "m", SAMPLES)
            others = await ServerCounts().count(client, endpoint, "m", OTHER_TEXTS)
            of_tools = await ServerCounts().count_tools(client, endpoint, "m", (READ,))
        assert counts is not None
        assert others is not None
        assert of_tools is None or of_tools >= 0
        catalogue = Catalogue(Settings(servers=(Server("r", llama.base_url, ("m",)),)), lambda _: llama.token)
        await catalogue.discover()
        assert catalogue.infos()[1].window == 2_048
        own, unnamed = fitted_tokenizer("SmolLM2-135M", counts), fitted_tokenizer("some-model", counts)
        assert [own.count(text) for text in OTHER_TEXTS] == list(others)
        counted: dict[str, int] = dict(zip(OTHER_TEXTS, others, strict=True))
        before = error_of_all(tokenizer_for("some-model"), lambda text: counted[text])
        assert error_of_all(unnamed, lambda text: counted[text]) < 0.7 * before
    finally:
        await llama.stop()
