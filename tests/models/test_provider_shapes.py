"""What litellm makes of our requests for Anthropic and Gemini: nothing may be put in, left out or joined on the way,
since each of these means that the view was not legal for that provider."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from msgspec.structs import replace

from conversations_made_up import Letters, histories
from desktop_app.context.compact.room_decision import WindowTooSmall
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.message import Message, user_message
from desktop_app.conversation.openai_chat import chat_of, messages_of, read_jsonl
from desktop_app.conversation.transcript import Chain, Transcript
from real_conversations import real_conversations
from room_made import brought_to

pytestmark = pytest.mark.slow  # importing litellm takes seconds

Json = dict[str, Any]
Turn = tuple[str, tuple[tuple[str, ...], ...]]
"""Who speaks ("user" or "model"), and the blocks: ("text", text), ("image",), ("call", name, arguments),
("result", text)."""


def expected(chat: Sequence[Json]) -> list[Turn]:
    """The request as turns: a run of results is one turn of the user, everything else is a turn of its own."""
    turns: list[Turn] = []
    for before, message in zip([{"role": ""}, *chat], chat, strict=False):
        content = message.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = tuple(("text", p["text"].rstrip()) if p["type"] == "text" else ("image",) for p in parts)
        calls = tuple(
            called(c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls") or ()
        )
        match message["role"]:
            case "tool" if before["role"] == "tool":
                turns[-1] = ("user", (*turns[-1][1], ("result", content)))
            case "tool":
                turns.append(("user", (("result", content),)))
            case role:
                shown = tuple(block for block in blocks if block != ("text", ""))
                turns.append(("model" if role == "assistant" else role, (*shown, *calls)))
    return turns


def called(name: str, arguments: Any) -> tuple[str, ...]:
    value = json.loads(arguments) if isinstance(arguments, str) else arguments
    return ("call", name, json.dumps(value, sort_keys=True))


def of_anthropic(chat: list[Json]) -> list[Turn]:
    from litellm.llms.anthropic.chat.transformation import AnthropicConfig

    request = AnthropicConfig().transform_request("claude-sonnet-4-5", chat, {"max_tokens": 9}, {}, {})
    return [*systems(request.get("system", [])), *(_anthropic(m) for m in request["messages"])]


def systems(blocks: Sequence[Json]) -> list[Turn]:
    return [("system", (("text", block["text"].rstrip()),)) for block in blocks]


def _anthropic(message: Json) -> Turn:
    blocks: list[tuple[str, ...]] = []
    for block in message["content"]:
        match block["type"]:
            case "text":
                blocks.append(("text", block["text"].rstrip()))
            case "image":
                blocks.append(("image",))
            case "tool_use":
                blocks.append(called(block["name"], block["input"]))
            case "tool_result":
                content = block["content"]
                blocks.append(("result", content if isinstance(content, str) else content[0]["text"]))
    return ("model" if message["role"] == "assistant" else "user", tuple(blocks))


def of_gemini(chat: list[Json]) -> list[Turn]:
    from litellm.llms.vertex_ai.gemini.transformation import (
        gemini_convert_messages_with_history,
        transform_system_message,
    )

    system, rest = transform_system_message(True, chat)
    contents = gemini_convert_messages_with_history(rest, model="gemini-2.5-pro")
    return [*systems(system["parts"] if system else []), *(_gemini(content) for content in contents)]


def _gemini(content: Json) -> Turn:
    blocks: list[tuple[str, ...]] = []
    for part in content["parts"]:
        if "function_call" in part:
            blocks.append(called(part["function_call"]["name"], part["function_call"]["args"]))
        elif "function_response" in part:
            response = part["function_response"]["response"]
            blocks.append(("result", response["content"] if "content" in response else json.dumps(response)))
        else:
            blocks.append(("text", part["text"].rstrip()) if "text" in part else ("image",))
    return (content["role"], tuple(blocks))


PROVIDERS: dict[str, Callable[[list[Json]], list[Turn]]] = {"anthropic": of_anthropic, "gemini": of_gemini}


def check(messages: Sequence[Message], provider: str) -> None:
    chat = chat_of(messages)
    sent = PROVIDERS[provider](copy.deepcopy(chat))
    for index, (ours, theirs) in enumerate(zip(expected(chat), sent, strict=False)):
        assert readable(theirs) == readable(ours), f"turn {index}"
    assert len(sent) == len(expected(chat))


def readable(turn: Turn) -> Turn:
    """JSON results are parsed and written again by some: spaces differ then."""
    return turn[0], tuple((b[0], re.sub(r"\s+", "", b[1]), *b[2:]) if b[0] == "result" else b for b in turn[1])


def request_after(messages: Sequence[Message], share: float) -> list[Message]:
    """The request when the conversation was brought to that share of its tokens."""
    return assemble(brought_to(share, messages, TokenCounts(Letters())))


@pytest.mark.wire
@pytest.mark.parametrize("provider", PROVIDERS)
def test_real_conversations_arrive_as_they_are(provider: str) -> None:
    for path in real_conversations():
        messages = messages_of(read_jsonl(path.read_bytes()), str)
        for share in (1.0, 0.5):
            try:
                check(request_after(messages, share), provider)
            except WindowTooSmall:
                continue  # a short one whose last message is more than half of it


def has_identical_calls(message: Message) -> bool:
    """Whether it calls one tool twice with the same arguments: litellm leaves the second one out for Gemini."""
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return len(set(calls)) < len(calls)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(messages=histories())
def test_broken_histories_arrive_as_they_are(provider: str, messages: list[Message]) -> None:
    said = [replace(m, id=f"m{n}") for n, m in enumerate([*messages, user_message("Go on.")])]
    request = assemble(view_of(Transcript(Chain(said))))
    assume(provider != "gemini" or not any(has_identical_calls(message) for message in request))
    check(request, provider)
