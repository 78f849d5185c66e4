"""Parameters of a reply: those that the model takes are sent, through the real litellm; the others are not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from test_kinds import HELLO

from desktop_app.chat.ports import TextPiece
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.provider_dialects import option_fields
from kinds_of_server import CODEX, EACH, OF_KIND, Kind
from provider import Reply

ALL = ReplyOptions(temperature=0.3, top_p=0.8, reasoning_effort="high")


@pytest.mark.parametrize("kind", **EACH)
async def test_what_is_supported_is_sent_and_nothing_else(kind: Kind, litellm: LiteLLM) -> None:
    supported = await litellm.supported_options(kind.kind, kind.model)
    options = replace(ALL, reasoning_effort="") if kind.kind == "anthropic" else ALL  # Claude thinks without the others
    sent = option_fields(options, supported, kind.kind)
    with kind.provider(Reply("Hello")) as provider:
        _ = [piece async for piece in kind.model_at(provider, litellm).stream(HELLO, 5_000, (), options)]
        (request,) = provider.requests
    said = repr(request.body)
    assert ("'temperature': 0.3" in said) is ("temperature" in sent)
    assert ("0.8" in said) is ("top_p" in sent)
    assert set(supported) <= {"temperature", "top_p", "reasoning_effort"}


@pytest.mark.parametrize("name", ["claude-opus-4-8", "claude-sonnet-4-6", "claude-3-haiku-20240307"])
async def test_whatever_is_set_claude_takes_the_request(name: str, litellm: LiteLLM) -> None:
    kind = replace(OF_KIND["anthropic"], model=name)
    with kind.provider(Reply("Hello")) as provider:
        said = [piece async for piece in kind.model_at(provider, litellm).stream(HELLO, 5_000, (), ALL)]
    assert "".join(piece.text for piece in said if isinstance(piece, TextPiece)) == "Hello"


@pytest.mark.parametrize("kind", **EACH)
async def test_without_options_a_request_is_as_it_was(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Hello"), Reply("Hello")) as provider:
        model = kind.model_at(provider, litellm)
        _ = [piece async for piece in model.stream(HELLO, 5_000)]
        _ = [piece async for piece in model.stream(HELLO, 5_000, (), ReplyOptions())]
        one, other = provider.requests
    assert one.body == other.body


async def test_models_that_reason_have_no_temperature_and_the_effort_reaches_them(litellm: LiteLLM) -> None:
    assert await litellm.supported_options("openai", "gpt-5.1") == ("reasoning_effort",)
    assert "temperature" in await litellm.supported_options("openai", "gpt-4o")
    assert "reasoning_effort" not in await litellm.supported_options("openai", "gpt-4o")
    assert "reasoning_effort" in await litellm.supported_options("anthropic", "claude-sonnet-4-5")
    assert "reasoning_effort" not in await litellm.supported_options("anthropic", "claude-3-haiku-20240307")
    assert await litellm.supported_options("anthropic", "claude-opus-4-8") == ("reasoning_effort",)
    with CODEX.provider(Reply("Hello")) as provider:
        _ = [piece async for piece in CODEX.model_at(provider, litellm).stream(HELLO, 5_000, (), ALL)]
        (request,) = provider.requests
    assert request.body["reasoning"] == {"effort": "high"}


def test_one_of_two_that_exclude_each_other_is_sent() -> None:
    assert option_fields(ALL, ("temperature", "top_p"), "anthropic") == {"temperature": 0.3}
    assert option_fields(ReplyOptions(top_p=0.8), ("temperature", "top_p"), "anthropic") == {"top_p": 0.8}
    assert option_fields(ReplyOptions(temperature=0.0), ("temperature",), "openai") == {"temperature": 0.0}
