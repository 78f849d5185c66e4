"""The errors of real providers, as the real litellm hands them on: what they are does not get lost on the way."""

from __future__ import annotations

import pytest

from desktop_app.chat.ports import ModelError, ReplyEnd
from desktop_app.conversation.message import user_message
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.settings import ServerKind
from kinds_of_server import CODEX, OF_KIND, Kind
from provider import AnyStep, Events, Garbage, Status
from provider_vectors import Vector, vectors

OWN: dict[str, ServerKind] = {
    "anthropic": "anthropic",
    "gemini": "gemini",
    "openrouter": "openrouter",
    "moonshot": "moonshot",
    "ollama": "ollama",
    "lmstudio": "lm_studio",
    "llama.cpp": "llama_cpp",
    "vllm": "vllm",
}
"""The kind of server that a vector's provider is set up as; all others are OpenAI-compatible servers."""

BLOCKED = [vector for vector in vectors() if vector.kind == "content_filter" and vector.status == 200]
VECTORS = [vector for vector in vectors() if vector not in BLOCKED]


def step_of(vector: Vector) -> AnyStep:
    """The answer as it came over the wire: a status with its body, or an event of a stream that began well."""
    if vector.in_stream:
        return Events((vector.body,))
    if vector.status < 400:
        kind = "text/html" if isinstance(vector.body, str) else "application/json"
        return Garbage(vector.text, kind)
    return Status(vector.status, body=vector.text, headers=vector.headers)


ONE_OF_EACH = {(v.provider, v.kind, v.in_stream): v for v in VECTORS if v.provider in OWN}
ROUTES: dict[str, tuple[Kind, list[Vector]]] = {
    kind: (OF_KIND[kind], [v for v in VECTORS if OWN.get(v.provider, "openai_compatible") == kind])
    for kind in (*OWN.values(), "openai_compatible")
}
ROUTES["gateway"] = (OF_KIND["openai_compatible"], list(ONE_OF_EACH.values()))
ROUTES["responses"] = (
    CODEX,
    [v for v in VECTORS if v.provider == "openai" and not (v.in_stream and "type" not in v.body)],
)
"""The vectors by the way on which they arrive: the provider's own kind of server, a gateway, the Responses API."""


@pytest.mark.parametrize("route", ROUTES)
async def test_an_error_is_what_it_was_when_it_was_sent(litellm: LiteLLM, route: str) -> None:
    kind, known = ROUTES[route]
    with kind.provider(*map(step_of, known)) as provider:
        model = kind.model_at(provider, litellm)
        for vector in known:
            with pytest.raises(ModelError) as caught:
                _ = [piece async for piece in model.stream((user_message("Hello"),), 100)]
            error = caught.value
            assert error.kind == error.failure.kind == vector.kind, (vector, error.failure)
            assert (error.limit, error.observed) == (vector.limit, vector.observed), vector
            assert vector.in_stream or error.retry_after == vector.retry_after, vector
            assert not error.failure.detail.startswith(("litellm", "{", "b'")), vector


@pytest.mark.parametrize("vector", BLOCKED, ids=str)
async def test_a_blocked_prompt_of_gemini_is_a_reply_that_ends_for_that_reason(
    litellm: LiteLLM, vector: Vector
) -> None:
    with OF_KIND["gemini"].provider(Events((vector.body,))) as provider:
        stream = OF_KIND["gemini"].model_at(provider, litellm).stream((user_message("Hello"),), 100)
        (end,) = [piece async for piece in stream]
    assert isinstance(end, ReplyEnd)
    assert end.reason == "content_filter"
