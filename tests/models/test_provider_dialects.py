"""What each kind of server gets in a request beyond OpenAI's shape, as it arrives there."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import system, user
from desktop_app.chat.ports import ReplyEnd
from desktop_app.conversation import quirks
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Attachment, Message, Role, Text, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.dialect_fields import dialect_fields
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.provider_dialects import (
    MISTRAL_CALL_ID,
    mistral_id_of,
    quirks_of_name,
    request_of,
)
from desktop_app.settings import ServerKind
from kinds_of_server import OF_KIND, in_dialect
from provider import Reply, ScriptedProvider, Windowed
from tool_rounds import READ, answered, called

SYSTEM = system("Be brief. " * 400)
IMAGE = Attachment(
    "a.png",
    "image/png",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
)


def said(text: str) -> Message:
    return Message(role=Role.ASSISTANT, parts=(Text(text),))


def request(kind: ServerKind, name: str, *messages: Message, tools: tuple[ToolSpec, ...] = (), **info: Any) -> Any:
    """The request as it is sent, in the dialect of that model."""
    about = ModelInfo(f"x/{name}", name, 8192, 1024, Provenance.MEASURED, **dialect_fields(kind, name) | info)
    return request_of(kind, name, about, *in_dialect(about, messages, 100, tools))


async def bodies(
    kind: ServerKind, litellm: LiteLLM, *conversations: tuple[Message, ...], eyes: bool = False
) -> list[Any]:
    """What arrives at such a server for each of these conversations."""
    with OF_KIND[kind].provider(Reply("Done."), repeat_last=True) as provider:
        model = OF_KIND[kind].model_at(provider, litellm, supports_vision=eyes)
        for messages in conversations:
            _ = [piece async for piece in model.stream(*in_dialect(model.info, messages, 100, (READ,)))]
        return [request.body for request in provider.requests]


def markers_in(value: Any) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(markers_in, value.values()))
    return sum(map(markers_in, value)) if isinstance(value, list) else 0


# --- Anthropic's prompt cache


def many_rounds() -> list[tuple[Message, ...]]:
    """The requests of a long tool loop with ever more parallel calls, up to more than the 20 blocks of a look-back."""
    messages: tuple[Message, ...] = (SYSTEM, user_message("Read them all. " * 200))
    requests: list[tuple[Message, ...]] = [messages]
    for number in range(12):
        ids = [f"call_{number}_{place}" for place in range(1 + 2 * number)]
        messages = (*messages, called(*ids), *(answered(one, f"{one}: " + "much " * 40) for one in ids))
        requests.append(messages)
    return [*requests, (*messages, said("All read."), user_message("Thank you, and now? " * 50))]


@pytest.mark.parametrize("kind", ["anthropic", "openrouter"])
async def test_at_most_four_markers_are_set_and_the_conversation_s_messages_stay_as_they_are(
    kind: ServerKind, litellm: LiteLLM
) -> None:
    requests = many_rounds()
    for body in await bodies(kind, litellm, *requests[:3], requests[-1], (user_message("Hi"),)):
        assert 2 <= markers_in(body) <= 4


async def test_every_request_reads_what_the_one_before_it_wrote(litellm: LiteLLM) -> None:
    kind = OF_KIND["anthropic"]
    script = Windowed(200_000, lambda _: Reply("Done."), count=lambda text: len(text) // 4)
    with ScriptedProvider(script, flavour="anthropic", models=(kind.model,)) as provider:
        model = kind.model_at(provider, litellm)
        ends = [[piece async for piece in model.stream(messages, 100, (READ,))][-1] for messages in many_rounds()]
    usages = [end.usage for end in ends if isinstance(end, ReplyEnd) and end.usage]
    assert usages[0].cache_written_tokens > 1_000
    for before, after in pairwise(usages):
        assert after.cached_tokens >= before.prompt_tokens - 20, "all of the request before"
        assert after.cached_tokens + after.cache_written_tokens >= after.prompt_tokens - 20, (
            "and all is kept for the next"
        )


def test_other_providers_get_no_markers() -> None:
    for kind, name in (("openai", "claude-like"), ("gemini", "claude-like"), ("openrouter", "openai/gpt-5.1")):
        assert markers_in(request(kind, name, *many_rounds()[2], tools=(READ,))) == 0  # type: ignore[arg-type]


# --- calls without tools on offer


@pytest.mark.parametrize("kind", ["anthropic", "openrouter", "openai_compatible"])
def test_calls_of_tools_that_are_not_on_offer_are_declared_for_claude_but_may_not_be_called(kind: ServerKind) -> None:
    sent = request(
        kind, "anthropic/claude-sonnet-4.5", SYSTEM, user_message("Hi"), called("call_1"), answered("call_1")
    )
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["read"]
    assert sent["tool_choice"] == "none"


def test_nothing_is_declared_without_need() -> None:
    assert "tools" not in request("anthropic", "claude-sonnet-4-5", user_message("Hi"))
    assert "tools" not in request("ollama", "gemma3", user_message("Hi"), tools=(READ,), supports_tools=False)
    assert "tools" not in request("openai", "gpt-5.1", user_message("Hi"), called("call_1"), answered("call_1"))
    offered = request("anthropic", "claude-sonnet-4-5", called("call_1"), answered("call_1"), tools=(READ,))
    assert "tool_choice" not in offered


# --- identical calls


async def test_of_identical_calls_gemini_gets_one_with_all_results(litellm: LiteLLM) -> None:
    messages = (
        user_message("Read"),
        called("call_1", "call_2", "call_3"),
        answered("call_1", "first"),
        answered("call_2", "second"),
        answered("call_3", "third"),
        said("Done."),
        user_message("Again"),
    )
    (body,) = await bodies("gemini", litellm, messages)
    _, calls, results, *_ = body["contents"]
    assert len(calls["parts"]) == len(results["parts"]) == 1
    assert results["parts"][0]["function_response"]["response"]["content"] == "first\n\nsecond\n\nthird"
    assert [part.call_id for part in messages[1].tool_calls] == ["call_1", "call_2", "call_3"], "the record stays"


# --- thoughts


def test_kimi_gets_its_thoughts_of_this_turn_back_and_a_blank_for_those_of_turns_that_are_over() -> None:
    sent = request(
        "moonshot",
        "kimi-k2.5",
        user_message("Read"),
        called("call_1", reasoning="Old thoughts."),
        answered("call_1"),
        said("Done."),
        user_message("Again"),
        called("call_2", reasoning="New thoughts."),
        answered("call_2"),
    )["messages"]
    assert [m.get("reasoning_content") for m in sent if m.get("tool_calls")] == [" ", "New thoughts."]
    assert "reasoning_content" not in sent[3]


def test_a_model_that_does_not_always_think_gets_thoughts_only_where_it_had_some() -> None:
    for name in ("gpt-5.1", "claude-sonnet-4-5", "qwen3"):
        sent = request("vllm", name, user_message("Read"), called("call_1", reasoning="Secret."), answered("call_1"))
        assert "Secret" not in repr(sent)
    for name in ("deepseek-chat", "kimi-k2-0905-preview"):
        sent = request("openai_compatible", name, user_message("Read"), called("call_1"), answered("call_1"))
        assert "reasoning_content" not in repr(sent)
        thought = called("call_1", reasoning="Hm.")
        sent = request("openai_compatible", name, user_message("Read"), thought, answered("call_1"))
        assert sent["messages"][1]["reasoning_content"] == "Hm."


def test_usage_is_asked_for_where_it_is_not_reported_unasked() -> None:
    sent = request("openai_compatible", "scripted", user_message("Hi"))
    assert (sent["max_tokens"], sent["stream_options"]) == (100, {"include_usage": True})
    assert "stream_options" not in request("ollama", "scripted", user_message("Hi"))


# --- Mistral's ids


@given(st.lists(st.text(min_size=1, max_size=50), unique=True, max_size=50))
def test_mistral_s_ids_have_nine_characters_and_stay_different(ids: list[str]) -> None:
    short = [mistral_id_of(one) for one in ids]
    assert all(MISTRAL_CALL_ID.fullmatch(one) for one in short)
    assert len(set(short)) == len(ids)
    assert short == [mistral_id_of(one) for one in ids]


def test_mistral_s_own_ids_stay_and_calls_meet_their_results() -> None:
    assert mistral_id_of("a1B2c3D4e") == "a1B2c3D4e"
    sent = request(
        "openai_compatible", "mistral-large-latest", user_message("Read"), called("call_1"), answered("call_1")
    )
    _, call, result = sent["messages"]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert MISTRAL_CALL_ID.fullmatch(result["tool_call_id"])


# --- images, windows, limits


@pytest.mark.parametrize("kind", ["anthropic", "gemini", "openai", "ollama", "openrouter", "vllm"])
async def test_an_image_reaches_a_model_with_eyes_and_is_named_to_one_without(
    kind: ServerKind, litellm: LiteLLM
) -> None:
    look = user("Look", IMAGE)
    (seen,) = await bodies(kind, litellm, (look,), eyes=True)
    (named,) = await bodies(kind, litellm, (look,))
    assert IMAGE.content.partition(",")[2] in repr(seen)
    assert IMAGE.content.partition(",")[2] not in repr(named)
    assert "a.png" in repr(named)


async def test_the_window_and_the_longest_reply_are_told_as_each_wants_them(litellm: LiteLLM) -> None:
    (ollama,) = await bodies("ollama", litellm, (user_message("Hi"),))
    (openai,) = await bodies("openai", litellm, (user_message("Hi"),))
    assert ollama["options"]["num_ctx"] == 8192
    assert (openai["max_completion_tokens"], openai.get("max_tokens")) == (100, None)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("openai_compatible", "deepseek-v4-flash", (quirks.ALL_REASONING,)),
        ("openrouter", "deepseek/deepseek-v4-pro", (quirks.ALL_REASONING,)),
        ("openai_compatible", "kimi-for-coding", (quirks.ALL_REASONING,)),
        ("openai_compatible", "XiaomiMiMo/MiMo-V2-Flash", (quirks.ALL_REASONING,)),
        ("openai_compatible", "deepseek-v3.2", ()),
        ("vllm", "meta-llama/Llama-3.1-8B-Instruct", (quirks.TEXT_WITH_RESULT,)),
        ("openrouter", "meta-llama/llama-3.1-8b-instruct", ()),
        ("lm_studio", "NousResearch/Hermes-3-Llama-3.1-8B", (quirks.TEXT_WITH_RESULT,)),
        ("ollama", "mistral-nemo:12b", (quirks.TEXT_WITH_RESULT, quirks.NO_USER_AFTER_TOOL)),
        ("openai_compatible", "mistral-large-latest", (quirks.NO_USER_AFTER_TOOL,)),
        ("openrouter", "mistralai/devstral-2512", (quirks.NO_USER_AFTER_TOOL,)),
        ("openai_compatible", "labs-leanstral-2603", (quirks.NO_USER_AFTER_TOOL,)),
        ("openai", "gpt-5.1", ()),
    ],
)
def test_some_quirks_follow_from_the_name(kind: ServerKind, name: str, expected: tuple[str, ...]) -> None:
    assert quirks_of_name(kind, name) == expected
