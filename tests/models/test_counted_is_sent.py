"""What is counted is what is sent: for each kind of provider, what arrives has the tokens that the gauge had."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from builders import system, user
from desktop_app.chat.session import Session
from desktop_app.context.counting.breakdown import request_tokens, sent_request
from desktop_app.context.counting.tokens import Overhead, TokenCounts, Tokenizer
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import (
    Attachment,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    user_message,
)
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, RequestContext
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.provider_dialects import ProviderMetadata, encode_metadata
from kinds_of_server import CODEX, KINDS, Kind
from provider import Reply
from tool_rounds import READ

pytestmark = pytest.mark.wire

DIALECTS = (
    *KINDS,
    CODEX,
    Kind("moonshot", "moonshot", "kimi-k2-turbo-preview"),
    Kind("openai_compatible", "deepseek", "kimi-k2-thinking"),
    Kind("openrouter", "openrouter", "moonshotai/kimi-k2-thinking"),
)
SECRET = Attachment(
    "a.png",
    "image/png",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
)
THOUGHT = "First I look at the ledger, then at each of its rows. " * 20


DETAILS: dict[str, Any] = {
    "openrouter": {"reasoning_details": [{"type": "reasoning.text", "text": THOUGHT, "index": 0}]},
    "anthropic": {"thinking_blocks": [{"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"}]},
}
"""What came with the first call, by the kind of server."""


def calling(number: int, model: str, details: Any, *paths: str) -> list[Message]:
    """A reply with a call for each path, and their results. The reasoning came as details of the first call."""
    metadata = encode_metadata(ProviderMetadata(model, message=details)) if details else ""
    calls = [
        ToolCall(f"call_{number}_{index}", "read", json.dumps({"path": path}), metadata if not index else "")
        for index, path in enumerate(paths)
    ]
    reply = Message(role=Role.ASSISTANT, parts=(Reasoning(THOUGHT), Text("I look."), *calls), model=model)
    said = [ToolResult(call.call_id, "read", f"Row {n} is empty.") for n, call in enumerate(calls)]
    return [reply, *(Message(role=Role.TOOL, parts=(result,)) for result in said)]


def record(model: str, details: Any, tools: tuple[ToolSpec, ...]) -> tuple[AnyEntry, ...]:
    """A system prompt of four parts, images that nobody sees, equal calls, calls of tools that are not on offer any
    more, and reasoning of a turn that is over and of one that runs. No text of the others ends where a tokenizer would
    join what follows."""
    messages = [
        system("Be brief."),
        system("Say it plainly"),
        user("Look at it", SECRET),
        *calling(1, model, details, "a.md", "b.md", "a.md"),
        Message(role=Role.ASSISTANT, parts=(Reasoning(THOUGHT), Text("It is empty."))),
        user("Once more."),
        *calling(2, model, details, "c.md"),
    ]
    context = RequestContext(tools=tools, instructions="Mind the ledger.", memory="The user is called Ada!")
    entries: list[AnyEntry] = [context, *messages]
    return tuple(replace(entry, id=f"e{number}") for number, entry in enumerate(entries))


TEXTS = ("text", "thinking", "content", "output", "instructions", "reasoning_content")
PROMPTS = ("system", "messages", "system_instruction", "contents", "input", "instructions")


def texts_in(value: Any, key: str = "") -> Iterator[str]:
    """What is said, called, answered and thought in a request's messages, in whichever shape."""
    if isinstance(value, str) and key in TEXTS:
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one, key)
    elif isinstance(value, dict):
        arguments = next((value[field] for field in ("arguments", "input", "args") if field in value), None)
        if arguments is not None and "name" in value:
            yield value["name"]
            yield arguments if isinstance(arguments, str) else json.dumps(arguments)
            return
        for name, one in value.items():
            yield from texts_in(one, name)


def tools_in(body: dict[str, Any]) -> dict[str, str]:
    """The description of each tool that is declared, by its name."""
    tools = body.get("tools", [])
    declared = [one for tool in tools for one in tool.get("function_declarations", [tool.get("function", tool)])]
    return {tool["name"]: tool["description"] for tool in declared}


@pytest.mark.parametrize("kind", DIALECTS, ids=lambda kind: f"{kind.kind} {kind.model}")
def test_a_system_prompt_of_several_parts_has_the_tokens_of_the_one_text_that_is_sent(
    kind: Kind, litellm: LiteLLM
) -> None:
    with kind.provider() as provider:
        model = kind.model_at(provider, litellm)
    said = [system(text) for text in ("Be brief.", "Say it plainly")]
    context = RequestContext(instructions="Mind the ledger.", memory="The user is called Ada!")
    begun: tuple[AnyEntry, ...] = (context, *said, user_message("Hi"))
    entries = tuple(replace(entry, id=f"e{number}") for number, entry in enumerate(begun))
    session = Session(ConversationInfo("c", "C", 0.0, 0.0), entries, model, BALANCED, Nowhere())
    request, count, overhead = session.counter.request(), model.tokenizer.count, model.tokenizer.overhead
    texts = [str(sent["content"]) for sent in chat_of(request.messages)]
    frames = sum(overhead.around(message.role) for message in request.messages) + overhead.priming
    assert len(texts) == 2
    assert request.counted == sum(map(count, texts)) + frames
    assert all(part.tokens >= 0 for part in sent_request(session.view, request.gauge, session.counter.counts).parts)


@pytest.mark.parametrize("tools", [(), (READ,)], ids=["none on offer", "tools"])
@pytest.mark.parametrize("kind", DIALECTS, ids=lambda kind: f"{kind.kind} {kind.model}")
async def test_what_arrives_has_the_tokens_that_the_gauge_had(
    kind: Kind, tools: tuple[ToolSpec, ...], litellm: LiteLLM
) -> None:
    with kind.provider(Reply("Nothing in it.")) as provider:
        model = kind.model_at(provider, litellm)
        info = ConversationInfo("c", "C", 0.0, 0.0)
        entries = record(model.info.record_name, DETAILS.get(kind.kind), tools)
        session = Session(info, entries, model, BALANCED, Nowhere())
        session.counter.counts = TokenCounts(Plain(model.tokenizer), model.info.dialect)
        request = session.counter.request()
        options = ReplyOptions(reasoning_effort="low")
        _ = [piece async for piece in model.stream(request.messages, 4_000, request.tools, options)]
        body = provider.requests[-1].body
    count, overhead = model.tokenizer.count, Overhead()
    arrived = sum(map(count, texts_in({name: body[name] for name in PROMPTS if name in body})))
    declared = tools_in(body)
    assert declared.keys() == {tool.name for tool in request.tools}
    parameters = {tool.name: tool.parameters for tool in request.tools}
    arrived += sum(overhead.tool + count(n) + count(text) + count(parameters[n]) for n, text in declared.items())
    frames = sum(overhead.around(message.role) for message in request.messages) + overhead.priming
    # An estimate rounds each of the two texts of the user's message, which is one on the wire.
    rounding = 1 if "estimate" in model.tokenizer.name else 0
    assert abs(arrived + frames - request.counted) <= rounding
    assert request.counted == request_tokens(session.view, session.counter.counts)
    assert sum(request.gauge.segments.values()) == request.gauge.total


class Plain:
    """A tokenizer that counts texts as they are sent: what a template makes of them is for test_templates.py."""

    overhead = Overhead()

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.name, self.count = tokenizer.name, tokenizer.count


class Nowhere:
    """The `EntryStore` port of a session in which nothing is recorded."""

    async def append(self, conversation: str, *entries: AnyEntry, **changes: Any) -> None:
        raise AssertionError

    async def store_partial(self, conversation: str, partial: Message) -> None:
        raise AssertionError
