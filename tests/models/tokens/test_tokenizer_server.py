"""Counting as a local server does: with servers whose tokenizers are known, and with the real llama.cpp."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import user_message
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


@contextmanager
def server_of(path: str, field: str, answer: Callable[[str], Any]) -> Iterator[tuple[str, list[str]]]:
    """A server that counts in its way, and the texts that it was asked for."""
    asked: list[str] = []

    class Connection(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

        def do_GET(self) -> None:
            self._send(404, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == path and field in body:
                asked.append(body[field])
                self._send(200, answer(body[field]))
            else:
                self._send(404, {})

        def _send(self, status: int, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            with suppress(OSError):  # who asked may have gone
                self.end_headers()
                self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    server.shutdown()
    server.server_close()


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
    kind: ServerKind, path: str, field: str, answer: Callable[[str], Any]
) -> None:
    with server_of(path, field, answer) as (address, asked):
        catalogue = Catalogue(Settings(servers=(Server("s", address, ("mystery",), 8192, kind=kind),)), lambda _: "")
        before = catalogue.model("s/mystery").tokenizer
        await catalogue.discover()
        tokenizer = catalogue.model("s/mystery").tokenizer
        assert set(asked) == set(SAMPLES)
        truth = tokenizer_of("mistral-v1")
        assert error_of_all(tokenizer, truth.count) < 0.05
        assert error_of_all(before, truth.count) > 0.15
        assert "fitted" in tokenizer.name
        await catalogue.close()


async def test_a_server_that_counts_slowly_is_not_waited_for() -> None:
    def slowly(text: str) -> Any:
        time.sleep(0.5)
        return tokens_of(text)

    with server_of("/tokenize", "content", slowly) as (address, _):
        catalogue = Catalogue(
            Settings(servers=(Server("s", address, ("qwen3",), 8192, kind="llama_cpp"),)), lambda _: ""
        )
        started = time.monotonic()
        await catalogue.discover()
        assert time.monotonic() - started < 3, "nine samples would take 4.5 s"
        assert catalogue.model("s/qwen3").tokenizer is tokenizer_for("qwen3")
        await catalogue.close()


def test_a_name_that_says_the_truth_is_taken_at_its_word() -> None:
    truth = tokenizer_of("qwen")
    fitted = fitted_tokenizer("Qwen3-8B-Q4_K_M.gguf", [truth.count(sample) for sample in SAMPLES])
    for text in (*OTHER_TEXTS, "", "a", " "):
        assert fitted.count(text) == truth.count(text)
    assert fitted.overhead == truth.overhead


def test_a_wrong_name_is_not() -> None:
    truth = tokenizer_of("llama-2")
    fitted = fitted_tokenizer("my-gpt-4o-killer", [truth.count(sample) for sample in SAMPLES])
    for text in OTHER_TEXTS:
        assert fitted.count(text) == pytest.approx(truth.count(text), rel=0.03)


async def test_the_same_text_is_asked_once_for_each_server_and_model() -> None:
    with server_of("/tokenize", "content", tokens_of) as (address, asked):
        counts, endpoint = ServerCounts(), Endpoint("s", address, "", "llama_cpp")
        async with client_for(endpoint) as client:
            first = await counts.count(client, endpoint, "a", ["one", "two words"])
            assert await counts.count(client, endpoint, "a", ["two words", "one"]) == tuple(reversed(first or ()))
            assert sorted(asked) == ["one", "two words"]
            await counts.count(client, endpoint, "b", ["one"])
        assert len(asked) == 3


@pytest.mark.parametrize("answer", [{}, {"tokens": "x"}, {"count": True}, {"count": -1}, [], "x", {"value": 0}])
async def test_an_answer_that_makes_no_sense_changes_nothing(answer: Any) -> None:
    with server_of("/tokenize", "content", lambda _: answer) as (address, _):
        catalogue = Catalogue(Settings(servers=(Server("s", address, ("qwen3",), 8192),)), lambda _: "")
        await catalogue.discover()
        assert catalogue.model("s/qwen3").tokenizer is tokenizer_for("qwen3")
        await catalogue.close()


async def test_texts_are_not_sent_to_servers_in_the_cloud_or_to_those_that_cannot_count() -> None:
    with ScriptedProvider(flavour="lmstudio") as provider:
        server = Server("s", provider.base_url, ("scripted",), 8192, kind="lm_studio")
        catalogue = Catalogue(Settings(servers=(server,)), lambda _: "")
        await catalogue.discover()
        assert catalogue.model("s/scripted").tokenizer is tokenizer_for("scripted")
        await catalogue.close()
    cloud = Endpoint("c", "https://example.invalid/v1", "", "openai_compatible")
    assert await ServerCounts().count(None, cloud, "m", ["text"]) is None


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
        assert counts is not None
        assert others is not None
        server = Server("real", llama.base_url, ("builtin",), kind="llama_cpp")
        catalogue = Catalogue(Settings(servers=(server,)), lambda _: llama.token)
        await catalogue.discover()
        assert (catalogue.infos()[1].window, catalogue.infos()[1].window_provenance) == (2_048, Provenance.MEASURED)
        assert [piece async for piece in catalogue.model("real/builtin").stream((user_message("Hi"),), 4)]
        await catalogue.close()
        own, unnamed = fitted_tokenizer("SmolLM2-135M", counts), fitted_tokenizer("some-model", counts)
        assert [own.count(text) for text in OTHER_TEXTS] == list(others)
        counted: dict[str, int] = dict(zip(OTHER_TEXTS, others, strict=True))
        before = error_of_all(tokenizer_for("some-model"), lambda text: counted[text])
        assert error_of_all(unnamed, lambda text: counted[text]) < 0.7 * before
    finally:
        await llama.stop()
