"""The real litellm, over loopback, against a scripted provider: what test_kinds.py does not try for every kind."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import subprocess
import sys
import weakref

import httpx
import pytest
from msgspec.structs import replace

from builders import system
from desktop_app.chat.ports import ModelError, Piece, ReplyEnd, TextPiece
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import user_message
from desktop_app.models import server_stream
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel, curl_of
from desktop_app.models.server_checks import list_offers
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import Server, Settings
from kinds_of_server import CODEX, EACH, Kind
from provider import AnyStep, Cut, Garbage, Hang, Reply, ScriptedProvider, Status
from texts import NOT_OPENAI

KEY = "sk-SECRET-0123456789abcdef"
HELLO = (system("Be brief."), user_message("Hello"))


def model_at(base_url: str, litellm: LiteLLM, name: str = "scripted") -> LiteLLMModel:
    info = ModelInfo(f"test/{name}", name, 8192, 1024, Provenance.MEASURED)
    return LiteLLMModel(info, tokenizer_for(name), litellm, Endpoint("Test server", base_url, KEY), name)


async def pieces_of(step: AnyStep, litellm: LiteLLM) -> list[Piece]:
    with ScriptedProvider([step], key=KEY) as provider:
        return [piece async for piece in model_at(provider.base_url, litellm).stream(HELLO, 100)]


async def error_of(step: AnyStep, litellm: LiteLLM) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await pieces_of(step, litellm)
    failure = caught.value.failure
    assert failure.kind == caught.value.kind
    assert failure.title
    assert failure.kept
    assert failure.advice
    assert KEY not in repr(failure)
    return caught.value


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


async def test_usage_is_not_invented_when_none_was_reported(litellm: LiteLLM) -> None:
    pieces = await pieces_of(Reply("Hello", usage=None), litellm)
    assert pieces[-1] == ReplyEnd("stop", None)


async def test_usage_is_not_invented_for_a_model_of_the_responses_api_either(litellm: LiteLLM) -> None:
    """litellm would count it itself, for which it first loads a vocabulary and lets everything else wait."""
    with CODEX.provider(Reply("Hello", usage=None)) as provider:
        pieces = [piece async for piece in CODEX.model_at(provider, litellm).stream(HELLO, 100)]
    assert pieces[-1] == ReplyEnd("stop", None)


async def test_a_reply_that_repeats_itself_is_not_stopped(litellm: LiteLLM) -> None:
    text = "ha! " * 300
    assert text_of(await pieces_of(Reply(text, size=4), litellm)) == text


@pytest.mark.parametrize(
    "garbage",
    [
        Garbage(),
        Garbage("data: {this is not JSON\n\n", "text/event-stream"),
        Garbage('{"hello": "world"}', "application/json"),
        Garbage('data: {"hello": "world"}\n\ndata: [DONE]\n\n', "text/event-stream"),
        Garbage("", "text/event-stream"),
        Garbage("data: \xff\xfe\n\n", "text/event-stream"),
    ],
)
async def test_something_that_is_not_the_protocol_is_called_so(litellm: LiteLLM, garbage: Garbage) -> None:
    error = await error_of(garbage, litellm)
    assert NOT_OPENAI in error.failure.title


async def test_nobody_listening_is_said_at_once(litellm: LiteLLM) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match="cannot be reached") as caught:
            _ = [piece async for piece in model_at(base_url, litellm).stream(HELLO, 10)]
    assert base_url in caught.value.failure.detail


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks://127.0.0.1:9", "http://127.0.0.1:9"])
async def test_a_proxy_that_cannot_be_used_is_an_error_of_the_world(
    proxy: str, litellm: LiteLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", proxy)
    catalogue = Catalogue(Settings(servers=(Server("cloud", "http://models.invalid/v1", ("a",), 8_000),)), str, litellm)
    await catalogue.discover()
    assert "does not answer" in catalogue.infos()[1].note
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        _ = [piece async for piece in catalogue.model("cloud/a").stream(HELLO, 10)]
    assert ("proxy" in caught.value.failure.detail) == proxy.startswith("socks")


@pytest.mark.parametrize(
    "base_url", ["", "http://", "nonsense", "ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1", "http://["]
)
async def test_an_address_that_is_none_is_an_error_of_the_world(litellm: LiteLLM, base_url: str) -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        _ = [piece async for piece in model_at(base_url, litellm).stream(HELLO, 10)]


async def test_a_reply_goes_on_when_the_server_gets_another_key_meanwhile(litellm: LiteLLM) -> None:
    with ScriptedProvider([Reply("one two three", size=2, pause=0.02), Reply("later")]) as provider:
        pieces = model_at(provider.base_url, litellm).stream(HELLO, 10)
        first = await anext(pieces)
        info = ModelInfo("test/scripted", "scripted", 8192, 1024, Provenance.MEASURED)
        endpoint = Endpoint("Test server", provider.base_url, "another key")
        other = LiteLLMModel(info, tokenizer_for("scripted"), litellm, endpoint, "scripted")
        assert text_of([piece async for piece in other.stream(HELLO, 10)]) == "later"
        assert text_of([first, *[piece async for piece in pieces]]) == "one two three"


async def test_nothing_is_left_running_after_a_reply_or_an_error(litellm: LiteLLM) -> None:
    before = asyncio.all_tasks()
    await pieces_of(Reply("Hello"), litellm)
    await error_of(Status(500), litellm)
    await error_of(Cut("Hel"), litellm)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


async def test_of_the_requests_that_were_answered_at_most_the_last_one_is_kept(litellm: LiteLLM) -> None:
    """asyncio keeps cancelled timers, with the context that they were set in, behind one that is still to come."""
    alive = set[weakref.ref[httpx.Request]]()
    litellm.patience = 60
    sooner = asyncio.get_running_loop().call_later(30, int)
    with ScriptedProvider([Reply("Hello")], key=KEY, repeat_last=True) as provider:
        model = model_at(provider.base_url, litellm)
        for _ in range(5):
            async for _ in model.stream(HELLO, 100):
                alive |= {weakref.ref(one) for one in gc.get_objects() if isinstance(one, httpx.Request)}
    gc.collect()
    sooner.cancel()
    assert len(alive) >= 5
    assert len([ref for ref in alive if ref() is not None]) <= 1


@pytest.mark.parametrize("kind", **EACH)
async def test_the_next_request_uses_the_same_connection(
    kind: Kind, litellm: LiteLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = list[int]()
    send = server_stream.send

    async def note_port(connection: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
        response = await send(connection, request)
        ports.append(response.extensions["network_stream"].get_extra_info("client_addr")[1])
        return response

    monkeypatch.setattr(server_stream, "send", note_port)
    with kind.provider(Reply("Hello"), Reply("again")) as provider:
        for text in ("Hello", "again"):
            assert text_of([piece async for piece in kind.model_at(provider, litellm).stream(HELLO, 10)]) == text
    assert ports[0] == ports[1]


async def test_a_server_nearby_may_take_as_long_as_it_wants_before_its_first_token(litellm: LiteLLM) -> None:
    litellm.patience, litellm.nearby_patience = 0.2, None
    with ScriptedProvider([Reply("Hello", delay=0.8)], key=KEY) as provider:
        pieces = [piece async for piece in model_at(provider.base_url, litellm).stream(HELLO, 100)]
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == "Hello"


async def test_after_its_first_token_it_may_not(litellm: LiteLLM) -> None:
    litellm.patience, litellm.nearby_patience = 0.2, None
    with ScriptedProvider([Hang("Hel")], key=KEY) as provider, pytest.raises(ModelError) as caught:
        [piece async for piece in model_at(provider.base_url, litellm).stream(HELLO, 100)]
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(("patience", "seconds"), [(1, "1"), (0, "0")])
async def test_the_wait_for_the_first_token_can_be_limited_for_each_server(
    litellm: LiteLLM, patience: int, seconds: str
) -> None:
    litellm.patience, litellm.nearby_patience = 9.0, 0.3
    with ScriptedProvider([Hang("")], key=KEY) as provider:
        model = model_at(provider.base_url, litellm)
        model = replace(model, endpoint=replace(model.endpoint, patience=patience))
        with pytest.raises(ModelError) as caught:
            [piece async for piece in model.stream(HELLO, 100)]
    assert caught.value.kind == "timeout"
    assert f"for {seconds} seconds" in caught.value.failure.detail


HEADERS = {"X-Team": "blue", "X-Api-Token": "tok-SECRET-99887766", "Host": "elsewhere", "Bad name": "x"}


@pytest.mark.parametrize("kind", **EACH)
async def test_a_server_s_own_headers_go_with_every_request(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Hello")) as provider:
        model = kind.model_at(provider, litellm)
        model = replace(model, endpoint=replace(model.endpoint, headers=HEADERS))
        [piece async for piece in model.stream(HELLO, 100)]
        (request,) = provider.requests
    assert (request.headers["x-team"], request.headers["x-api-token"]) == ("blue", "tok-SECRET-99887766")
    assert "elsewhere" not in request.headers["host"]
    command = await curl_of(model, HELLO, 100)
    assert "X-Team: blue".lower() in command.lower()
    assert "SECRET" not in command
    assert "${PALIMPSEST_KEY_HEADER_TEST_SERVER_X_API_TOKEN}" in command


async def test_they_go_with_the_questions_for_models_and_windows() -> None:
    settings = Settings(servers=(Server("home", "", ("m",), headers={"X-Team": "blue", "X-Api-Token": ""}),))
    with ScriptedProvider([Reply("Hello")], models=("m",)) as provider:
        server = replace(settings.servers[0], base_url=provider.base_url)
        stored = {"header/home/x-api-token": "tok-SECRET-99887766"}
        catalogue = Catalogue(Settings(servers=(server,)), lambda name: stored.get(name, ""))
        await catalogue.discover()
        await list_offers(replace(server, headers={"X-Api-Token": "tok"}), "")
    assert {headers["x-api-token"] for headers in provider.asked_pages} == {"tok-SECRET-99887766", "tok"}
    assert provider.asked_pages[0]["x-team"] == "blue"


async def test_a_secret_header_is_in_no_error(litellm: LiteLLM) -> None:
    with ScriptedProvider([Status(400, "bad token tok-SECRET-99887766 for blue")], key=KEY) as provider:
        model = model_at(provider.base_url, litellm)
        model = replace(model, endpoint=replace(model.endpoint, headers=HEADERS | {"Auth": "Bearer abcdefgh1234"}))
        with pytest.raises(ModelError) as caught:
            [piece async for piece in model.stream(HELLO, 100)]
    assert "SECRET" not in repr(caught.value.failure)
    assert "blue" in caught.value.failure.detail
    assert "abcdefgh1234" in model.endpoint.secrets


@pytest.mark.parametrize("key", ["x", "none", "sk-1", "lm-studio"])
async def test_a_dummy_key_is_not_cut_out_of_what_a_server_says(key: str, litellm: LiteLLM) -> None:
    words = "none of the experts of lm-studio is sk-1"
    with ScriptedProvider([Status(400, words)], key=key) as provider:
        model = model_at(provider.base_url, litellm)
        model = replace(model, endpoint=replace(model.endpoint, key=key))
        with pytest.raises(ModelError) as caught:
            [piece async for piece in model.stream(HELLO, 100)]
    assert caught.value.failure.detail == words


async def test_a_key_that_no_request_can_contain_is_said_to_be_odd_and_the_next_one_works(litellm: LiteLLM) -> None:
    with ScriptedProvider([Reply("Hello")], key=KEY) as provider:
        odd = replace(
            model_at(provider.base_url, litellm), endpoint=Endpoint("Test server", provider.base_url, "sk-é…1")
        )
        with pytest.raises(ModelError) as caught:
            [piece async for piece in odd.stream(HELLO, 100)]
        assert (caught.value.kind, caught.value.failure.setting) == ("auth", "servers/Test server/key")
        assert "é…" in caught.value.failure.detail
        server = Server("Test server", provider.base_url, ("scripted",), window=8_192)
        models = Catalogue(Settings(servers=(server,)), lambda _: f"\u200b{KEY}\ufeff", litellm)
        pieces = [piece async for piece in models.model("Test server/scripted").stream(HELLO, 100)]
    assert isinstance(pieces[-1], ReplyEnd)


@pytest.mark.slow
@pytest.mark.parametrize(
    "variable",
    ["SSL_CERT_FILE=/nowhere.pem", f"SSL_CERT_FILE={__file__}", "SSL_CERT_DIR=/nowhere", "REQUESTS_CA_BUNDLE=/no"],
)
def test_certificates_that_are_not_there_break_only_what_needs_them(variable: str) -> None:
    name, _, value = variable.partition("=")
    known = {key: text for key, text in os.environ.items() if key not in ("SSL_CERT_FILE", "SSL_CERT_DIR")}
    environment = known | {name: value, "NO_PROXY": "[::1]", "ALL_PROXY": "socks://127.0.0.1:1"}
    with ScriptedProvider([Reply("Hello")], key=KEY) as provider:
        program = [sys.executable, "-c", ASKS, provider.base_url, KEY]
        outcome = subprocess.run(program, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert outcome.stdout.splitlines()[0] == "Hello", outcome.stderr
    assert ("cannot be read" in outcome.stdout.splitlines()[1]) == (name != "REQUESTS_CA_BUNDLE")


ASKS = """
import asyncio, sys, os
from desktop_app.chat.ports import ModelError, TextPiece
from desktop_app.conversation.message import user_message
from desktop_app.models.catalogue import Catalogue
from desktop_app.settings import Server, Settings
here = Server("here", sys.argv[1], ("scripted",), window=8_192)
far = Server("far", "https://127.0.0.2.nip.invalid/v1", ("m",), window=8_192)
async def main():
    models = Catalogue(Settings(servers=(here, far)), lambda _: sys.argv[2])
    pieces = [piece async for piece in models.model("here/scripted").stream((user_message("Hi"),), 9)]
    print("".join(piece.text for piece in pieces if isinstance(piece, TextPiece)))
    del os.environ["ALL_PROXY"]
    try:
        [piece async for piece in models.model("far/m").stream((user_message("Hi"),), 9)]
    except ModelError as error:
        print(error.failure.title, error.failure.detail)
    await models.close()
asyncio.run(main())
"""
