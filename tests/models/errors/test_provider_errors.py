"""Each error that a provider was seen to give is what it is, and is told so that it helps."""

from __future__ import annotations

import json
import time
from typing import get_args

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.chat.ports import ErrorKind
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.errors.body import parse_body, retry_after_of, tokens_in
from desktop_app.models.errors.classify import classify
from desktop_app.models.errors.model_failures import (
    ADVICE,
    TITLES,
    ErrorResponse,
    RequestTarget,
    displayable,
    error_of,
    error_of_response,
)
from provider_vectors import vectors

WHERE = RequestTarget(Endpoint("Server", "https://api.anthropic.com", "verysecret"), "model")
VECTORS = vectors()


OF_PROVIDER = {name: [v for v in VECTORS if v.provider == name] for name in sorted({v.provider for v in VECTORS})}


@pytest.mark.parametrize("provider", OF_PROVIDER)
def test_a_provider_s_errors_are_of_their_kinds_and_told_with_their_words(provider: str) -> None:
    found = {v.name: classify(v.status, v.headers, v.text) for v in OF_PROVIDER[provider]}
    read = {name: (of.kind, of.retry_after, of.limit, of.observed) for name, of in found.items()}
    assert read == {v.name: (v.kind, v.retry_after, v.limit, v.observed) for v in OF_PROVIDER[provider]}
    for vector in OF_PROVIDER[provider]:
        failure = error_of_response(WHERE, ErrorResponse(vector.status, vector.headers, vector.text)).failure
        assert failure.kind == vector.kind, vector
        assert failure.advice, vector
        assert 0 < len(failure.detail) <= 401, vector
        assert not failure.detail.lstrip().startswith("{"), vector


def test_the_words_alone_never_make_an_overflow_of_what_is_none() -> None:
    """As inside a stream, where there is no status: what must not be compacted for is not."""
    others = [vector for vector in VECTORS if vector.kind != "overflow"]
    assert [str(vector) for vector in others if classify(0, {}, vector.text).kind == "overflow"] == []


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "Rate limit reached: too many tokens in one request per minute; prompt is too long", "rate_limit"),
        (400, "You exceeded your current quota, please check your plan and billing details; context length", "quota"),
        (402, "insufficient credit for the context length", "quota"),
        (401, "This model's maximum context length is 8192 tokens.", "auth"),
        (403, "This model's maximum context length is 8192 tokens.", "auth"),
        (429, "This model's maximum context length is 8192 tokens.", "rate_limit"),
        (400, "temperature is too large", "provider"),
        (500, "internal error", "server"),
        (413, "file too big for this plan", "provider"),
        (413, "", "overflow"),
        (413, "litellm.BadRequestError: OpenAIException - . Received Model Group=m", "overflow"),
        (404, "", "not_found"),
        (418, "I'm a teapot", "provider"),
        (200, "", "provider"),
    ],
)
def test_words_and_statuses_without_a_shape(status: int, text: str, kind: str) -> None:
    assert classify(status, {}, text).kind == kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ConnectError("refused"), "connection"),
        (httpx.ConnectTimeout("slow"), "connection"),
        (httpx.InvalidURL("none"), "connection"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.RemoteProtocolError("peer closed connection"), "cut"),
        (httpx.ReadError("reset"), "cut"),
        (json.JSONDecodeError("no", "x", 0), "garbage"),
    ],
)
def test_exceptions_of_the_connection(error: Exception, kind: str) -> None:
    assert error_of(error, WHERE, 30).kind == kind


def test_an_answer_counts_more_than_what_went_wrong_after_it() -> None:
    response = httpx.Response(429, headers={"Retry-After": "7"}, text='{"error": {"message": "Rate limit reached"}}')
    error = httpx.HTTPStatusError("429", request=httpx.Request("POST", "http://x"), response=response)
    error.__context__ = httpx.ReadError("the connection was closed behind it")
    told = error_of(error, WHERE, 30)
    assert (told.kind, told.retry_after) == ("rate_limit", 7)
    error = type("ErrorOfLitellm", (Exception,), {"status_code": 429})("Rate limit reached")
    error.__cause__ = json.JSONDecodeError("no", "x", 0)
    assert error_of(error, WHERE, 30).kind == "rate_limit"


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "20"}, "Please try again in 3s", 20),
        ({"Retry-After-Ms": "250", "Retry-After": "1"}, "", 0.25),
        ({"Retry-After": "Sun, 22 Nov 2026 05:01:00 GMT", "Date": "Sun, 22 Nov 2026 05:00:00 GMT"}, "", 60),
        ({"Retry-After": "Sun, 22 Nov 2026 05:01:00 GMT"}, "", None),
        ({"Retry-After": "soon"}, "", None),
        ({"Retry-After": "-5"}, "", None),
        ({}, "Please try again in 6m0s.", 360),
        ({}, "Please try again in 1h2m3s", 3723),
        ({}, "Please try again in 644ms.", 0.644),
        ({}, "Please retry after 26 seconds.", 26),
        ({}, "Please retry in 47.1s.", 47.1),
        ({}, "Wait 2 minutes and try again.", 120),
        ({}, "Try again later.", None),
        ({}, "Try again in a moment", None),
    ],
)
def test_when_to_come_again(headers: dict[str, str], text: str, seconds: float | None) -> None:
    assert retry_after_of(headers, text) == seconds


@pytest.mark.parametrize(
    ("said", "limit", "observed"),
    [
        ("The prompt is too long: 1,213,462 tokens > 1_000_000 maximum", 1_000_000, 1_213_462),
        ("input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease", 200_000, 242_959),
    ],
)
def test_numbers_may_have_separators_and_a_reply_beside_the_prompt(said: str, limit: int, observed: int) -> None:
    assert tokens_in(said, {}) == (limit, observed)


def test_the_innermost_words_are_displayable() -> None:
    raw = json.dumps({"error": {"message": "prompt is too long: 3 tokens > 2 maximum"}})
    body = {"error": {"message": "Provider returned error", "metadata": {"raw": raw}}}
    assert parse_body(json.dumps(body)).message == "prompt is too long: 3 tokens > 2 maximum"
    assert parse_body("<html><body><h1>502 Bad</h1>Gateway</body></html>").message == "502 Bad Gateway"


def test_every_kind_has_words_for_people() -> None:
    kinds = set(get_args(ErrorKind))
    assert set(TITLES) == kinds
    assert set(ADVICE) | {"overflow", "rate_limit", "quota", "not_found", "unsupported"} == kinds


@pytest.mark.parametrize(
    ("status", "said", "advice"),
    [
        (400, "Your credit balance is too low to access the Anthropic API.", "platform.claude.com/settings/billing"),
        (400, "prompt is too long: 203284 tokens > 200000 maximum", "by 3,284 tokens"),
        (429, "Rate limit reached. Please try again in 18.6s.", "in 19 seconds"),
        (429, "Rate limit reached. Please try again in 6m0s.", "in 6 minutes"),
        (400, "registry.ollama.ai/library/gemma3:4b does not support tools", "tools off"),
        (404, "No endpoints found that support image input", "without that image"),
        (400, "max_tokens is too large: 100000. This model supports at most 16384.", "longest reply"),
        (400, "User location is not supported for the API use.", "another provider"),
    ],
)
def test_advice_is_for_that_error(status: int, said: str, advice: str) -> None:
    error = error_of_response(WHERE, ErrorResponse(status, {}, json.dumps({"error": {"message": said}})))
    assert advice in error.failure.advice


def test_keys_are_cut_out_of_what_is_displayable() -> None:
    said = "Bad key verysecret, sk-abcdef******3456., AIzaSyD0123456789, Bearer eyJhbGciOiJI, the key zyxwvu123456 is"
    text = displayable(said, WHERE) + repr(WHERE)
    assert not [secret for secret in ("verysecret", "abcdef", "SyD0123", "eyJhbGci", "zyxwvu") if secret in text]


@pytest.mark.parametrize("said", ["Your API key expired yesterday", "Missing Bearer authentication in header"])
def test_plain_words_behind_key_are_displayable(said: str) -> None:
    assert displayable(said, WHERE) == said


def test_many_models_on_offer_are_not_all_listed() -> None:
    offered = tuple(f"m{n}" for n in range(20))
    advice = error_of_response(WHERE, ErrorResponse(404, {}, "no such model"), offered).failure.advice
    assert "m7 and 12 more" in advice


@pytest.mark.parametrize("field", ["input", "failed_generation", "flagged_input"])
@pytest.mark.parametrize(
    "said", ["prompt is too long: 9 tokens > 8 maximum", '{"error": {"code": "insufficient_quota"}}']
)
def test_what_a_server_quotes_of_the_request_says_nothing(field: str, said: str) -> None:
    quoted = {"messages": [{"role": "user", "content": said}], "message": said}
    body = {"detail": [{"type": "missing", "loc": ["body", "model"], "msg": "Field required", field: quoted}]}
    assert classify(422, {}, json.dumps(body)).kind == "provider"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)


@given(st.integers(0, 599), st.text() | JSON.map(json.dumps), st.dictionaries(st.text(max_size=9), st.text()))
def test_nothing_that_a_server_may_say_raises(status: int, text: str, headers: dict[str, str]) -> None:
    error = error_of_response(WHERE, ErrorResponse(status, headers, text))
    assert error.failure.title
    assert error.failure.detail


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        '{"' * 40_000,
        '{"a":' * 5_000,
        "[" * 50_000,
        "{'a': " + "x" * 100_000 + "}",
        "model max tokens input " * 9_999,
    ],
)
def test_a_body_that_is_made_to_hurt_does_not(text: str) -> None:
    began = time.process_time()
    assert classify(400, {}, text).kind == "provider"
    assert time.process_time() - began < 1  # 0.05 s where nobody else is at work


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (503, '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}'),  # llama-server
        (500, '{"error":"unexpected server status: llm server loading model"}'),  # Ollama
        (503, '{"error":{"message":"The model `qwen` is still loading, try again later","type":"ServiceUnavailable"}}'),
        (503, '{"error":"Model qwen/big is currently loading","estimated_time":20.0}'),  # text-generation-inference
        (503, '{"detail":"Engine is not ready"}'),
        (503, "upstream is starting"),
        (
            503,  # the proxy of litellm 1.106.2, in front of llama-server
            '{"error":{"message":"litellm.ServiceUnavailableError: ServiceUnavailableError: OpenAIException - Loading '
            "model\\n\\nLiteLLM: model group 'm1' failed with the error above. No fallback was attempted.\","
            '"type":"internal_server_error","param":null,"code":"503"}}',
        ),
        (0, '{"error":{"code":1,"message":"Error code: 503 - {\'error\': {\'message\': \'Loading model\'}}"}}'),
    ],
)
def test_a_server_that_loads_a_model_is_known(status: int, body: str) -> None:
    assert classify(status, {}, body).kind == "loading"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, '{"error":"llama-server process has terminated: error loading model: failed to load model"}'),  # Ollama
        (500, '{"error":"timed out waiting for llama runner to start"}'),
        (503, '{"error":{"message":"The server is overloaded or not ready yet.. Failed to load model"}}'),
        (400, '{"error":{"message":"loading model is not possible"}}'),
        (503, "no server is available to handle this request"),
    ],
)
def test_a_model_that_could_not_be_loaded_is_not_waited_for(status: int, body: str) -> None:
    assert classify(status, {}, body).kind != "loading"
