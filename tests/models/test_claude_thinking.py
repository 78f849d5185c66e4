"""Claude's thinking on the wire: the effort that is set, and the signed thoughts that go back with their calls.

The scripted server refuses what Claude's does (tests/support/provider_history.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.archive.tables import decode_message, encode
from desktop_app.chat.ports import ReasoningPiece, ReplyEnd, TextPiece
from desktop_app.conversation.message import Message, Reasoning, Role, Text, user_message
from desktop_app.conversation.setup import ReasoningEffort, ReplyOptions
from desktop_app.models.litellm_library import LiteLLM
from kinds_of_server import OF_KIND, Kind, in_dialect
from provider import AnyStep, Call, Events, Reply
from tool_rounds import READ, answered

pytestmark = pytest.mark.wire

BUDGETED = OF_KIND["anthropic"]
ADAPTIVE = replace(BUDGETED, model="claude-sonnet-4-6")
CALLS = (Call("read", '{"path": "a"}', "call_1"), Call("read", '{"path": "b"}', "call_2"))
THOUGHT = "I should look at a, then at b."
THINKING = {"type": "thinking", "thinking": THOUGHT, "signature": "c2lnbmF0dXJl"}
ROUND = Reply("I look.", reasoning=THOUGHT, calls=CALLS)


class Turn:
    """A conversation with one model on one server, sent as the app sends it."""

    def __init__(self, kind: Kind, litellm: LiteLLM, *script: AnyStep) -> None:
        self.kind, self.litellm = kind, litellm
        self.provider = kind.provider(*script)
        self.messages: list[Message] = [user_message("Read both.")]

    async def ask(self, effort: ReasoningEffort = "", max_tokens: int = 9_000) -> Any:
        """Ask for a reply, keep it as the archive would, answer its calls, and return what the server got."""
        options = ReplyOptions(temperature=0.3, reasoning_effort=effort)
        model = self.kind.model_at(self.provider, self.litellm)
        sent = in_dialect(model.info, self.messages, max_tokens, (READ,))
        pieces = [piece async for piece in model.stream(*sent, options)]
        thought = "".join(piece.text for piece in pieces if isinstance(piece, ReasoningPiece))
        text = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
        assert isinstance(pieces[-1], ReplyEnd)
        calls = pieces[-1].tool_calls
        said = Message(role=Role.ASSISTANT, parts=(Reasoning(thought), Text(text), *calls))
        self.messages += [decode_message(encode(said)), *(answered(call.call_id) for call in calls)]
        return self.provider.requests[-1].body


def thoughts_in(body: Any) -> list[Any]:
    messages: Sequence[Any] = body["messages"]
    parts = [part for message in messages for part in message["content"]]
    return [part for part in parts if part["type"].endswith("thinking")]


async def test_a_model_with_a_budget_gets_one_and_its_thoughts_back_first(litellm: LiteLLM) -> None:
    turn = Turn(BUDGETED, litellm, ROUND, Reply("Done."), Reply("Again."))
    with turn.provider:
        assert (await turn.ask("low"))["thinking"] == {"type": "enabled", "budget_tokens": 1_024}
        body = await turn.ask("high")
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 4_096}
        assert [part["type"] for part in body["messages"][1]["content"]] == ["thinking", "text", "tool_use", "tool_use"]
        assert thoughts_in(body) == [THINKING]
        assert "temperature" not in body
        turn.messages.append(user_message("And now?"))
        assert thoughts_in(await turn.ask("high")) == [THINKING], "what stands before is the same, for the cache"


async def test_a_model_that_decides_itself_gets_the_effort(litellm: LiteLLM) -> None:
    turn = Turn(ADAPTIVE, litellm, ROUND, Reply("Done."))
    with turn.provider:
        assert (await turn.ask("medium"))["output_config"] == {"effort": "medium"}
        body = await turn.ask("medium")
    assert body["thinking"]["type"] == "adaptive"
    assert thoughts_in(body) == [THINKING]
    assert "temperature" not in body


async def test_thoughts_that_are_told_to_nobody_go_back_as_they_came(litellm: LiteLLM) -> None:
    redacted = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
    blocks = [redacted, {"type": "thinking", "thinking": "", "signature": ""}, call]
    signed = {"type": "signature_delta", "signature": "c2ln"}
    deltas = [[], [signed], [{"type": "input_json_delta", "partial_json": '{"path": "a"}'}]]
    message = {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    message["usage"] = {"input_tokens": 9, "output_tokens": 1}
    events: list[Any] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas[index]]
        events.append({"type": "content_block_stop", "index": index})
    ending = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}
    turn = Turn(ADAPTIVE, litellm, Events((*events, ending, {"type": "message_stop"})), Reply("Done."))
    with turn.provider:
        await turn.ask("high")
        body = await turn.ask("high")
    assert thoughts_in(body) == [redacted, {"type": "thinking", "thinking": "", "signature": "c2ln"}]


async def test_an_effort_that_is_set_or_taken_back_in_the_middle_of_a_turn_holds_from_the_next_one(
    litellm: LiteLLM,
) -> None:
    turn = Turn(BUDGETED, litellm, replace(ROUND, reasoning=""), ROUND, Reply("Done."), ROUND, Reply("Done."))
    with turn.provider:
        await turn.ask()
        for _ in range(2):
            assert "thinking" not in await turn.ask("high"), "it began without"
        turn.messages.append(user_message("Once more."))
        assert "thinking" in await turn.ask("high")
        body = await turn.ask()
        assert "thinking" not in body
        assert THINKING not in body["messages"][-2]["content"]


async def test_a_reply_that_is_too_short_for_thoughts_is_asked_for_without(litellm: LiteLLM) -> None:
    turn = Turn(BUDGETED, litellm, Reply("Hi."), Reply("Hi."))
    with turn.provider:
        assert "thinking" not in await turn.ask("high", 2_000)
        turn.messages.append(user_message("At more length."))
        assert (await turn.ask("high", 3_000))["thinking"]["budget_tokens"] == 1_500


async def test_another_model_sees_nothing_of_them(litellm: LiteLLM) -> None:
    turn = Turn(BUDGETED, litellm, ROUND)
    with turn.provider:
        await turn.ask("high")
    other = Turn(OF_KIND["openrouter"], litellm, Reply("Done."))
    other.messages = turn.messages
    with other.provider:
        assert THINKING["signature"] not in repr(await other.ask("high"))
