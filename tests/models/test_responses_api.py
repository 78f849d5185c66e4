"""What is OpenAI's Responses API's own; the Codex models are among the kinds of test_kinds.py."""

from __future__ import annotations

from typing import Any

import pytest

from builders import system, user
from desktop_app.chat.ports import ModelError
from desktop_app.conversation.message import Attachment, Message, user_message
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.reply_formats import is_answered_by_responses
from kinds_of_server import CODEX, KEY
from provider import Events, Reply, Status
from tool_rounds import READ

SYSTEM = system("Be brief.")


async def asked(litellm: LiteLLM, *messages: Message) -> Any:
    """The body of the request with which these messages are sent."""
    with CODEX.provider(Reply("Done.")) as provider:
        model = CODEX.model_at(provider, litellm, supports_vision=True)
        _ = [piece async for piece in model.stream(messages, 100, (READ,))]
        (request,) = provider.requests
    assert request.path == "/v1/responses"
    return request.body


async def test_a_request_is_in_this_api_s_words_and_nothing_is_stored(litellm: LiteLLM) -> None:
    body = await asked(litellm, SYSTEM, user_message("Hello"))
    assert body["instructions"] == "Be brief."
    assert body["input"] == [{"role": "user", "content": "Hello"}]
    assert (body["store"], body["stream"], body["max_output_tokens"]) == (False, True, 100)
    assert body["tools"][0]["name"] == "read"


async def test_an_image_is_sent_as_this_api_wants_it(litellm: LiteLLM) -> None:
    image = Attachment("a.png", "image/png", "data:image/png;base64,xx")
    body = await asked(litellm, user("Look", image))
    assert body["input"][0]["content"] == [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "image_url": "data:image/png;base64,xx"},
    ]


FAILED = {"id": "resp_1", "object": "response", "created_at": 1, "model": CODEX.model, "output": [], "tools": []}
FAILED |= {"parallel_tool_calls": True, "tool_choice": "auto", "temperature": 1.0, "top_p": 1.0, "metadata": {}}
FAILED |= {"status": "failed", "incomplete_details": None, "usage": None}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "server_error", "message": "The server had an error"}, "server"),
        ({"code": "rate_limit_exceeded", "message": "Slow down"}, "rate_limit"),
        ({"code": "insufficient_quota", "message": "No"}, "quota"),
    ],
)
async def test_a_reply_that_failed_says_why_by_its_code(litellm: LiteLLM, error: dict[str, str], kind: str) -> None:
    failed = {"type": "response.failed", "sequence_number": 1, "response": FAILED | {"error": error}}
    with CODEX.provider(Events((failed,))) as provider, pytest.raises(ModelError) as caught:
        _ = [piece async for piece in CODEX.model_at(provider, litellm).stream((user_message("Hi"),), 100)]
    assert (caught.value.kind, caught.value.failure.detail) == (kind, error["message"])


async def test_a_stream_without_a_word_is_not_a_reply(litellm: LiteLLM) -> None:
    for step in (Events(()), Status(500, f"No, {KEY}")):
        with CODEX.provider(step) as provider, pytest.raises(ModelError) as caught:
            _ = [piece async for piece in CODEX.model_at(provider, litellm).stream((user_message("Hi"),), 100)]
        assert KEY not in repr(caught.value.failure)


def test_models_that_are_offered_there_only() -> None:
    catalogue = {
        "gpt-x-codex": {"mode": "responses"},
        "openai/gpt-y": {"mode": "responses"},
        "gpt-4o": {"mode": "chat"},
    }
    asked = ("gpt-x-codex", "gpt-y", "gpt-4o", "gpt-5.1", "gpt-5.4-mini", "gpt-6", "unknown")
    assert [name for name in asked if is_answered_by_responses(catalogue, name)] == [
        "gpt-x-codex",
        "gpt-y",
        "gpt-5.4-mini",
        "gpt-6",
    ]
