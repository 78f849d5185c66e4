"""Reasoning that goes back to a model is counted: what the server gets has the tokens that the gauge says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from desktop_app.chat.ports import ReplyEnd
from desktop_app.context.counting.breakdown import gauge_of, request_tokens, tally
from desktop_app.context.counting.tokens import TokenCounts, Tokenizer
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Message, Reasoning, Role, Text, ToolCall, ToolResult, user_message
from desktop_app.conversation.transcript import Transcript
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.provider_metadata import ProviderMetadata, encode_metadata
from kinds_of_server import Kind
from provider import Reply

THOUGHT = "First I look at the ledger, then at each of its rows, and only then do I say anything about it. " * 40
SENDERS = (
    Kind("moonshot", "moonshot", "kimi-k2.5"),
    Kind("moonshot", "moonshot", "kimi-k2-turbo-preview"),
    Kind("openai_compatible", "deepseek", "deepseek-chat"),
    Kind("openai_compatible", "deepseek", "kimi-k2-thinking"),
    Kind("vllm", "vllm", "deepseek-ai/DeepSeek-V3.1"),
    Kind("openrouter", "openrouter", "anthropic/claude-sonnet-4.5"),
    Kind("openrouter", "openrouter", "moonshotai/kimi-k2-thinking"),
)
OTHERS = (Kind("openai", "openai", "gpt-5.1"), Kind("lm_studio", "lmstudio", "qwen3-8b"))


@pytest.fixture(scope="module")
def litellm() -> LiteLLM:
    library = LiteLLM()
    asyncio.run(library.load())
    return library


def called(number: int, writer: str, thought: str, has_details: bool) -> list[Message]:
    details = {"reasoning_details": [{"type": "reasoning.text", "text": thought, "index": 0}]}
    provider_metadata = encode_metadata(ProviderMetadata(writer, message=details)) if has_details else ""
    call = ToolCall(f"call_{number}", "read", f'{{"path": "{number}.md"}}', provider_metadata)
    reply = Message(role=Role.ASSISTANT, parts=(Reasoning(thought), Text("I look."), call), model=writer)
    return [reply, Message(role=Role.TOOL, parts=(ToolResult(f"call_{number}", "read", "It is empty."),))]


def conversation(writer: str, is_running: bool, has_details: bool) -> View:
    """A turn with a call that is over, and one that runs, or has only just begun."""
    said = [user_message("Look at it"), *called(1, writer, THOUGHT, has_details)]
    said += [Message(role=Role.ASSISTANT, parts=(Text("It is empty."),), model=writer), user_message("Once more")]
    said += called(2, writer, THOUGHT[:900], has_details) if is_running else []
    return view_of(Transcript(Chain(said)))


def tokens_of(body: dict[str, Any], tokenizer: Tokenizer) -> int:
    """As OpenAI's published rule counts the messages, with all that goes back of thoughts."""
    total = tokenizer.overhead.priming
    for message in body["messages"]:
        role = Role(message["role"])
        content = message.get("content") or ""
        texts = [content] if isinstance(content, str) else [part["text"] for part in content]
        texts += [one["function"][field] for one in message.get("tool_calls", ()) for field in ("name", "arguments")]
        texts += [message.get("reasoning_content", "")]
        texts += [detail["text"] for detail in message.get("reasoning_details", ())]
        total += tokenizer.overhead.around(role) + sum(map(tokenizer.count, texts))
    return total


async def sent(kind: Kind, litellm: LiteLLM, is_running: bool) -> tuple[int, int, View, TokenCounts]:
    """Tokens as they are counted here, and on the wire."""
    with kind.provider(Reply("Nothing in it.")) as provider:
        model = kind.model_at(provider, litellm)
        shown = conversation(model.info.record_name, is_running, kind.kind == "openrouter")
        counts = TokenCounts(model.tokenizer, model.info.returned_reasoning, model.info.record_name)
        pieces = [piece async for piece in model.stream(assemble(shown), 200)]
        assert isinstance(pieces[-1], ReplyEnd)
        body = provider.requests[-1].body
    await litellm.close()
    sums, budget = tally(shown, counts), budget_for(BALANCED, 8192)
    gauge = gauge_of(shown, sums, counts, BALANCED, budget, model.info)
    assert gauge.total == request_tokens(shown, counts)
    assert sum(gauge.segments.values()) == gauge.total
    assert (gauge.segments.get(Segment.REASONING, 0) > 0) == (THOUGHT[:40] in json.dumps(body) or " " in backs(body))
    return gauge.total, tokens_of(body, model.tokenizer), shown, counts


def backs(body: dict[str, Any]) -> list[str]:
    return [message["reasoning_content"] for message in body["messages"] if "reasoning_content" in message]


@pytest.mark.parametrize("is_running", [True, False])
@pytest.mark.parametrize("kind", [*SENDERS, *OTHERS], ids=lambda kind: f"{kind.kind} {kind.model}")
async def test_what_is_counted_is_what_is_sent(kind: Kind, litellm: LiteLLM, is_running: bool) -> None:
    counted, on_the_wire, shown, counts = await sent(kind, litellm, is_running)
    assert counted == on_the_wire
    plain = request_tokens(shown, TokenCounts(counts.tokenizer))
    if is_running and kind in SENDERS:
        assert counted > plain + 150, "what was thought is a part of it"
    if kind in OTHERS:
        assert counted == plain
