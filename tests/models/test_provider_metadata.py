"""What a provider gives with a call goes back to it, in another run too, and to nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.archive.tables import decode_message, encode
from desktop_app.chat.ports import ReplyEnd
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.message import Message, Role, user_message
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.provider_dialects import ProviderMetadata, decode_metadata, encode_metadata
from desktop_app.settings import ServerKind
from kinds_of_server import CODEX, OF_KIND, Kind, in_dialect
from provider import AnyStep, Call, Events, Reply
from tool_rounds import READ, answered

GEMINI = OF_KIND["gemini"]
SIGNATURE = "c2lnbmF0dXJlIG9mIGEgdGhvdWdodA=="
CALLS = (Call("read", '{"path": "a"}', "call_1"), Call("read", '{"path": "b"}', "call_2"))
SIGNED = Reply(calls=CALLS, signature=SIGNATURE)


async def round_of(kind: Kind, litellm: LiteLLM, step: AnyStep) -> tuple[Message, ...]:
    """A round of calls, as it is read from the archive in another run."""
    with kind.provider(step) as provider:
        model = kind.model_at(provider, litellm)
        end = [piece async for piece in model.stream((user_message("Read"),), 100, (READ,))][-1]
    assert isinstance(end, ReplyEnd)
    reply = decode_message(encode(Message(role=Role.ASSISTANT, parts=end.tool_calls)))
    return user_message("Read"), reply, *(answered(call.call_id) for call in end.tool_calls)


async def sent(kind: Kind, litellm: LiteLLM, messages: tuple[Message, ...], *script: AnyStep) -> list[Any]:
    """The bodies of the requests with which these messages are sent. Raises ModelError."""
    with kind.provider(*(script or (Reply("Done."),))) as provider:
        model = kind.model_at(provider, litellm)
        try:
            _ = [piece async for piece in model.stream(*in_dialect(model.info, messages, 100, (READ,)))]
        finally:
            bodies = [request.body for request in provider.requests]
    return bodies


def signatures(body: Any) -> list[str | None]:
    return [part.get("thoughtSignature") for part in body["contents"][1]["parts"]]


async def test_gemini_s_signature_goes_back_with_its_call(litellm: LiteLLM) -> None:
    messages = await round_of(GEMINI, litellm, SIGNED)
    (body,) = await sent(GEMINI, litellm, messages)
    assert signatures(body) == [SIGNATURE, None]
    ids = [call.call_id for call in messages[1].tool_calls]
    assert all(len(one) <= 40 and one.replace("_", "").isalnum() for one in ids)


async def test_it_goes_back_although_the_view_renames_the_call(litellm: LiteLLM) -> None:
    asked, reply, *_ = await round_of(GEMINI, litellm, SIGNED)
    reply = replace(reply, parts=(replace(reply.tool_calls[0], call_id="call_1"),))
    twice = [asked, reply, answered("call_1"), reply, answered("call_1"), user_message("And?")]
    view = view_of(Transcript(Chain([replace(message, id=f"m{n}") for n, message in enumerate(twice)])))
    messages = tuple(assemble(view))
    assert len({call.call_id for message in messages for call in message.tool_calls}) == 2
    (body,) = await sent(GEMINI, litellm, messages)
    signed = [part.get("thoughtSignature") for content in body["contents"] for part in content["parts"]]
    assert signed.count(SIGNATURE) == 2


@pytest.mark.parametrize("kind", ["anthropic", "openai", "openrouter", "openai_compatible", "ollama", "vllm"])
async def test_another_provider_sees_nothing_of_a_signature(kind: ServerKind, litellm: LiteLLM) -> None:
    (body,) = await sent(OF_KIND[kind], litellm, await round_of(GEMINI, litellm, SIGNED))
    assert SIGNATURE not in repr(body)
    assert "thought_signature" not in repr(body)


def test_what_cannot_be_read_as_extras_is_none() -> None:
    for kept in ("", "{", "[]", '{"writer": 1}', '{"call": {}}'):
        assert decode_metadata(kept, "x/gemini-3") is None
    extras = ProviderMetadata("x/gemini-3", {"a": 1})
    assert decode_metadata(encode_metadata(extras), "x/gemini-3") == extras
    assert decode_metadata(encode_metadata(extras), "y/gemini-3") is None
    assert encode_metadata(ProviderMetadata("x/gemini-3")) == ""


async def test_encrypted_thoughts_of_the_responses_api_go_back_before_their_calls(litellm: LiteLLM) -> None:
    messages = await round_of(CODEX, litellm, replace(SIGNED, reasoning="Hm."))
    (body,) = await sent(CODEX, litellm, messages)
    thought = {"type": "reasoning", "encrypted_content": SIGNATURE}
    summary = [{"type": "summary_text", "text": "Hm."}]
    assert body["input"][1:] == [
        thought | {"summary": summary},
        *({"type": "function_call", "call_id": c.call_id, "name": c.name, "arguments": c.arguments} for c in CALLS),
        *({"type": "function_call_output", "call_id": c.call_id, "output": "What a holds."} for c in CALLS),
    ]


async def test_openrouter_s_details_of_reasoning_go_back_with_the_message(litellm: LiteLLM) -> None:
    about = {"format": "anthropic-claude-v1", "index": 0}
    thoughts = [{"type": "reasoning.text", "text": text, "signature": None} | about for text in ("Let me ", "look")]
    signed = {"type": "reasoning.text", "signature": "sig"} | about
    encrypted = {"type": "reasoning.encrypted", "data": "x", "id": "r1", "format": "google-gemini-v1", "index": 1}
    function = {"name": "read", "arguments": "{}"}
    deltas: list[Any] = [
        *({"reasoning_details": [one], "content": ""} for one in (*thoughts, signed, encrypted)),
        {"tool_calls": [{"index": 0, "id": "call_78", "type": "function", "function": function}], "content": None},
        {},
    ]
    events = tuple(
        {"id": "g", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        | {"choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "tool_calls"}]}
        for delta in deltas
    )
    kind = OF_KIND["openrouter"]
    (body,) = await sent(kind, litellm, await round_of(kind, litellm, Events(events)))
    whole = thoughts[0] | {"text": "Let me look", "signature": "sig"}
    assert body["messages"][1]["reasoning_details"] == [whole, encrypted]
