"""Adapt requests to each kind of server, beyond OpenAI's format. Pure except for litellm's tables.

The messages are already valid for every provider (`context/view`); the changes that are made here would be wrong or
useless for other providers.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import msgspec

from desktop_app.context.view.dialect import (
    NOT_AVAILABLE,
    part_without_control_tokens,
    reasoning_of,
    without_control_tokens,
)
from desktop_app.context.view.reshaping import reshape
from desktop_app.conversation import quirks
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, with_parts
from desktop_app.conversation.openai_chat import Json, chat_of, function_of
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.settings import ServerKind

from .cache_lives import HOUR
from .dialect_fields import FILLS_TEMPLATES, REQUIRES_REASONING
from .endpoint import PREFIX
from .provider_summaries import OWN, with_content
from .tagged_thoughts import ALONE, OPENING
from .tokens.estimate import family_of
from .tokens.templates import overhead_of

REPORTS_USAGE_UNASKED: frozenset[ServerKind] = frozenset({"anthropic", "gemini", "ollama", "bedrock", "vertex"})

MISTRAL_CALL_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""The call ids that Mistral accepts (mistral-common's validator since version 3)."""
ID_CHARACTERS = string.ascii_letters + string.digits


class ProviderMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """Data that a provider requires back with a call: additional fields of it and of its message, in OpenAI's format.

    Gemini adds a signature of its reasoning to a call; OpenRouter and OpenAI's Responses API return the reasoning
    itself, encrypted or not. Without it the model continues as if it had not reasoned. Another model may refuse it.
    """

    writer: str
    """The model that sent the data, as named in the record."""
    call: Json = {}
    message: Json = {}
    places: tuple[int, ...] = ()
    """For each of the message's signed thoughts, the characters of its text before it; () if all are before it."""


def encode_metadata(metadata: ProviderMetadata) -> str:
    """Return the JSON that is stored with a call; "" for empty metadata."""
    return msgspec.json.encode(metadata).decode() if metadata.call or metadata.message else ""


def decode_metadata(stored: str, writer: str) -> ProviderMetadata | None:
    """Return the metadata, or None if there is none, another model wrote it, or it cannot be read."""
    try:
        metadata = msgspec.json.decode(stored, type=ProviderMetadata) if stored else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return metadata if metadata is not None and metadata.writer == writer else None


def request_of(
    kind: ServerKind,
    name: str,
    info: ModelInfo,
    messages: Sequence[Message],
    max_tokens: int,
    tools: Sequence[ToolSpec] = (),
) -> Json:
    """Return the fields of a streaming request as litellm expects them, without the model.

    name: the server's name of the model. The messages and the tools are already in the model's dialect (see
    `context/view/dialect.py`) and counted as they are sent here.
    """
    family = family_of(name)
    if info.breaks_control_tokens:  # again, since requests outside the conversation are not assembled from a view
        messages = [with_parts(message, [*map(part_without_control_tokens, message.parts)]) for message in messages]
        tools = [without_control_tokens(tool) for tool in tools]
    dialect = info.dialect
    messages = reshape(messages, dialect)  # again, as above
    chat = [_with_metadata(sent, m, info.record_name) for sent, m in zip(chat_of(messages), messages, strict=True)]
    chat = [*map(with_content, chat, messages)]
    functions = [function_of(tool) for tool in tools] if dialect.supports_tools else []
    request: Json = {"max_tokens": max_tokens, "stream": True}
    if kind not in REPORTS_USAGE_UNASKED:
        request["stream_options"] = {"include_usage": True}
    if kind == "ollama":
        request["num_ctx"] = info.window  # otherwise it uses its default window and truncates silently
    if functions and all(tool.description == NOT_AVAILABLE for tool in tools):
        request["tool_choice"] = "none"
    if quirks.SIGNATURES in info.quirks:
        chat = [_with_signature(message) for message in chat]
    if dialect.returned_reasoning:
        pairs = zip(chat, map(reasoning_of, messages), strict=True)
        add = _with_tagged if dialect.returned_reasoning == "tagged" else _with_reasoning
        chat = [add(sent, text) if text else sent for sent, text in pairs]
    if family.startswith("mistral") or quirks.SHORT_IDS in info.quirks:
        chat = [_with_mistral_ids(message) for message in chat]
    if kind == "anthropic" or (kind == "openrouter" and family == "claude"):
        chat, functions = with_cache_markers(chat, functions, HOUR_MARKER if info.cache_seconds == HOUR else MARKER)
    return request | {"messages": chat} | ({"tools": functions} if functions else {})


def _with_reasoning(sent: Json, reasoning: str) -> Json:
    return sent | {"reasoning_content": reasoning}


def _with_tagged(sent: Json, reasoning: str) -> Json:
    """Return the message with its reasoning in the text, as it was read from there (see `tagged_thoughts`)."""
    return sent | {"content": f"{OPENING}{reasoning}{ALONE}\n\n{sent['content'] or ''}"}


def _with_metadata(sent: Json, message: Message, writer: str) -> Json:
    """Add the metadata that this model sent with its calls; another model's may be refused."""
    metadata = [decode_metadata(call.provider_metadata, writer) for call in message.tool_calls]
    if not any(metadata):
        return sent
    of_message = next((each.message for each in metadata if each and each.message), {})
    places = next((each.places for each in metadata if each and each.places), ())
    if places and BLOCKS in of_message:
        of_message = of_message | {PLACES: places}
    calls = [call | (each.call if each else {}) for call, each in zip(sent["tool_calls"], metadata, strict=True)]
    return sent | of_message | {"tool_calls": calls}


NO_SIGNATURE = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""Google's placeholder for calls that Gemini did not write (https://ai.google.dev/gemini-api/docs/thought-signatures).
"""


def _with_signature(message: Json) -> Json:
    """Return the message with a signature on its first call, as Gemini has them, if none of its calls has one."""
    calls = message.get("tool_calls")
    if not calls or any("extra_content" in call or "provider_specific_fields" in call for call in calls):
        return message
    return message | {"tool_calls": [calls[0] | {"extra_content": NO_SIGNATURE}, *calls[1:]]}


def with_quirks(body: Json, quirks_of_model: Sequence[str]) -> Json:
    """Return the body of a request, as litellm wrote it, with the fields that its server accepts."""
    if quirks.MAX_COMPLETION_TOKENS in quirks_of_model and quirks.MAX_TOKENS in body:
        body = _renamed(body, quirks.MAX_TOKENS, quirks.MAX_COMPLETION_TOKENS)
    if quirks.MAX_TOKENS in quirks_of_model and quirks.MAX_COMPLETION_TOKENS in body:
        body = _renamed(body, quirks.MAX_COMPLETION_TOKENS, quirks.MAX_TOKENS)
    refused = quirks.refused_fields(quirks_of_model)
    return {field: value for field, value in body.items() if field not in refused}


def _renamed(body: Json, field: str, name: str) -> Json:
    return {name if each == field else each: value for each, value in body.items()}


RETURNS_ALL_REASONING = re.compile(r"deepseek-v([4-9]|\d\d)|\bmimo-|kimi-for-coding")
"""Models that refuse a conversation with calls from which their reasoning is missing, also of earlier turns: DeepSeek
from version 4 (https://api-docs.deepseek.com/guides/thinking_mode), MiMo and Kimi for Coding."""
DROPS_TEXT = re.compile(r"nemo\b|hermes")
"""Models, besides the ones whose template is known, whose template drops the text of a reply with calls."""


def quirks_of_name(kind: ServerKind, name: str) -> tuple[str, ...]:
    """Return the quirks that follow from the kind of server and its name of the model."""
    family, lower = family_of(name), name.lower()
    drops_text = kind in FILLS_TEMPLATES and (overhead_of(name).drops_text or bool(DROPS_TEXT.search(lower)))
    follows = {
        quirks.ALL_REASONING: bool(RETURNS_ALL_REASONING.search(lower)),
        quirks.TEXT_WITH_RESULT: drops_text,
        quirks.NO_USER_AFTER_TOOL: family.startswith("mistral"),
    }
    return tuple(quirk for quirk, does in follows.items() if does)


def speaks_as_claude(kind: ServerKind, name: str) -> bool:
    """Return whether the model's signed thoughts come, and go back, as Claude's do."""
    return kind in ("anthropic", "bedrock") or (kind == "vertex" and family_of(name) == "claude")


def _with_mistral_ids(message: Json) -> Json:
    if message.get("tool_calls"):
        return message | {"tool_calls": [call | {"id": mistral_id_of(call["id"])} for call in message["tool_calls"]]}
    return message | {"tool_call_id": mistral_id_of(message["tool_call_id"])} if message["role"] == "tool" else message


def mistral_id_of(call_id: str) -> str:
    """Map any call id to nine letters and digits, deterministically. Ids that Mistral accepts are not changed."""
    if MISTRAL_CALL_ID.fullmatch(call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode()).digest()[:8], "big")
    return "".join(ID_CHARACTERS[number // len(ID_CHARACTERS) ** digit % len(ID_CHARACTERS)] for digit in range(9))


MARKER: Json = {"type": "ephemeral"}
HOUR_MARKER: Json = MARKER | {"ttl": "1h"}
"""Keeps the prefix for an hour instead of five minutes. All markers of a request are of one kind, since longer ones
would have to come first."""


def with_cache_markers(chat: list[Json], tools: list[Json], marker: Json = MARKER) -> tuple[list[Json], list[Json]]:
    """Return copies of the messages and tools, in OpenAI's format, with cache markers on some of them.

    A prompt is read in the order tools, system, messages; a marker caches everything up to it, and four are allowed.
    One is on the last tool and one on the system prompt, which survive every compaction; one is at the end of this
    request; and one is where the previous request ended, since Anthropic looks back only 20 blocks from a marker, and a
    round of many parallel calls is longer than that. One-off requests such as summaries, which have neither tools nor a
    reply yet, get no markers: writing to the cache costs a quarter more.
    (https://docs.claude.com/en/docs/build-with-claude/prompt-caching)
    """
    if not tools and not any(message["role"] == "assistant" for message in chat):
        return chat, tools
    indexes = {_end_of_previous(chat), len(chat) - 1}
    if chat and chat[0]["role"] == "system":
        indexes.add(0)
    marked = [_with_marker(message, marker) if index in indexes else message for index, message in enumerate(chat)]
    return marked, [*tools[:-1], tools[-1] | {"cache_control": marker}] if tools else []


def _end_of_previous(chat: list[Json]) -> int:
    """Return the index before the newest reply, where the previous request ended; -1 if there was none."""
    newest = next((index for index in range(len(chat) - 1, -1, -1) if chat[index]["role"] == "assistant"), 0)
    return newest - 1


def _with_marker(message: Json, marker: Json) -> Json:
    content = message["content"]
    if isinstance(content, list) and content:
        return message | {"content": [*content[:-1], content[-1] | {"cache_control": marker}]}
    if message["role"] == "tool":
        return message | {"cache_control": marker}  # on the result itself, not on its text
    return message | {"content": [{"type": "text", "text": content, "cache_control": marker}]}


FIXED_SAMPLING = re.compile(r"(.*/)?(gpt-5|o\d)")
"""OpenAI's reasoning models, which refuse any temperature except the default."""
OPTIONS: tuple[OptionName, ...] = get_args(OptionName)


def supported_options(litellm: Any, kind: ServerKind, name: str) -> tuple[OptionName, ...]:
    """Return the parameters that such a server accepts for that model. litellm: the library itself."""
    known = litellm.get_supported_openai_params(model=name, custom_llm_provider=PREFIX[kind]) or ()
    refused: set[OptionName] = {"reasoning_effort"} if kind == "bedrock" else set()
    if kind == "anthropic" and not _accepts_temperature(litellm, name):
        refused |= {"temperature", "top_p"}
    return tuple(option for option in without_refused(OPTIONS, name) if option in known and option not in refused)


def without_refused(options: tuple[OptionName, ...], name: str) -> tuple[OptionName, ...]:
    """Return the parameters without those that models of that name refuse on every server."""
    refused: set[OptionName] = {"temperature", "top_p"} if FIXED_SAMPLING.match(name.lower()) else set()
    if REQUIRES_REASONING.search(name.lower()):
        refused |= {"temperature"}  # litellm would leave it out
    return tuple(option for option in options if option not in refused)


def _accepts_temperature(litellm: Any, name: str) -> bool:
    """Return whether that Claude model accepts a temperature: those that only think adaptively refuse any."""
    published = _published(litellm, name)
    return not published.get("supports_adaptive_thinking") or bool(published.get("supports_legacy_thinking"))


def _published(litellm: Any, name: str) -> Json:
    """Return what is published about a Claude model, or follows from the names of others; {} if nothing does."""
    try:
        return litellm.get_model_info(name, "anthropic")
    except Exception:  # noqa: BLE001 - it has no narrower documented class
        return {}


def with_options(litellm: Any, kind: ServerKind, name: str, request: Json, options: ReplyOptions) -> Json:
    """Return the fields of a request with the parameters that the model accepts. litellm: the library itself."""
    if options.names():
        request = request | option_fields(options, supported_options(litellm, kind, name), kind)
    is_claude = kind != "bedrock" and speaks_as_claude(kind, name)
    return with_thinking(litellm, name, request) if is_claude else request


def option_fields(options: ReplyOptions, supported: tuple[OptionName, ...], kind: ServerKind) -> Json:
    """Return the fields for the parameters that are set and supported; others are not sent."""
    names = [name for name in options.names() if name in supported]
    if kind == "anthropic" and "temperature" in names and "top_p" in names:
        names.remove("top_p")  # newer models refuse both together
    return {name: getattr(options, name) for name in names}


BLOCKS = "thinking_blocks"
"""litellm's field for the signed thoughts of a message."""
PLACES = "thought_places"
"""Our field for the places of the thoughts in a message's text, which litellm does not send."""
MIN_BUDGET = 1_024
"""Tokens; the API refuses less."""
BUDGETS = {"low": 1_024, "medium": 2_048, "high": 4_096}
"""Tokens of thoughts for an effort, as litellm converts it."""
NOT_WITH_THINKING = ("temperature", "top_p", "reasoning_effort")
"""Fields that are refused while Claude thinks, and the one that a budget replaces."""


def with_thinking(litellm: Any, name: str, request: Json) -> Json:
    """Return the request in the form that Claude accepts. litellm: the library itself.

    Newer models decide themselves how much they think, given an effort. Earlier ones get a budget, which is part of the
    reply's tokens; while they think, they refuse a running turn whose calls do not begin with thoughts, and otherwise
    one with thoughts (https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting).

    For a model that needs a budget, `reasoning_effort`, if set, is converted to one. It is left out if it would be
    refused, because the reply is too short, or the turn began without thoughts (the effort was set later).
    """
    effort = request.get("reasoning_effort", "")
    if _published(litellm, name).get("supports_adaptive_thinking"):
        unwanted = NOT_WITH_THINKING[:2] if effort else ()
        return {field: value for field, value in request.items() if field not in unwanted}
    budget = min(BUDGETS.get(effort, 0), request["max_tokens"] // 2)  # at least half is left for the answer
    running = list(_running_replies(request["messages"]))
    if budget >= MIN_BUDGET and (not running or running[0].get(BLOCKS)):
        kept = {field: value for field, value in request.items() if field not in NOT_WITH_THINKING}
        return kept | {"thinking": {"type": "enabled", "budget_tokens": budget}}
    return _without_thinking(request, running)


def _running_replies(messages: list[Json]) -> Iterator[Json]:
    """Return the replies of the running turn."""
    last = max((index for index, message in enumerate(messages) if message["role"] == "user"), default=-1)
    return (message for message in messages[last + 1 :] if message["role"] == "assistant")


def _without_thinking(request: Json, running: list[Json]) -> Json:
    """Return the request without an effort, and without the thoughts of the running turn."""
    messages = [
        {field: value for field, value in message.items() if field != BLOCKS}
        if any(message is reply for reply in running)
        else message
        for message in request["messages"]
    ]
    return {field: value for field, value in request.items() if field != "reasoning_effort"} | {"messages": messages}


def with_thoughts_in_place(body: Json, request: Json) -> Json:
    """Return the body of a request to Claude with its thoughts between its texts, as they were in the reply.

    litellm writes all thoughts of a message first, which the API refuses. request: the fields that it was given.
    """
    places = {m["tool_calls"][0]["id"]: m[PLACES] for m in request["messages"] if PLACES in m}
    if not places:
        return body
    return body | {"messages": [_interleaved(message, places) for message in body["messages"]]}


def _interleaved(message: Json, places: dict[str, tuple[int, ...]]) -> Json:
    content = message["content"]
    blocks: list[Json] = content if isinstance(content, list) else []
    calls = [call_id for block in blocks if (call_id := _call_id_of(block))]
    thoughts, texts = [*filter(_is_thought, blocks)], [*filter(_is_text, blocks)]
    own = places.get(calls[0]) if calls else None
    if own is None or len(thoughts) != len(own) or len(texts) != 1:
        return message
    ordered, start = list[Json](), 0
    for place, thought in zip(own, thoughts, strict=True):
        ordered += [*_text_block(texts[0], start, place), thought]
        start = max(start, place)
    rest = [block for block in blocks if not _is_thought(block) and not _is_text(block)]
    return message | {"content": [*ordered, *_text_block(texts[0], start, None), *rest]}


# Anthropic's blocks have a type; the ones of Bedrock's Converse have a field of that name only.


def _is_thought(block: Json) -> bool:
    return str(block.get("type")).endswith("thinking") or "reasoningContent" in block


def _is_text(block: Json) -> bool:
    return block.get("type", "text") == "text" and "text" in block


def _call_id_of(block: Json) -> str:
    return block["id"] if block.get("type") == "tool_use" else block.get("toolUse", {}).get("toolUseId", "")


def _text_block(block: Json, start: int, end: int | None) -> list[Json]:
    text = block["text"][start:end]
    return [block | {"text": text}] if text.strip() else []


def responses_request_of(request: Json) -> Json:
    """Translate a request to OpenAI's Responses API, which the Codex models have only.

    litellm can also translate it, but then opens its own connections. Nothing is stored at OpenAI, so reasoning is
    received and returned encrypted.
    """
    chat: list[Json] = request["messages"]
    instructions = "\n\n".join(m["content"] for m in chat if m["role"] == "system")
    body: Json = {
        "input": [item for message in chat if message["role"] != "system" for item in _response_items(message)],
        "max_output_tokens": max(request["max_tokens"], 16),  # the API refuses less
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if instructions:
        body["instructions"] = instructions
    if request.get("reasoning_effort"):
        body["reasoning"] = {"effort": request["reasoning_effort"]}
    if request.get("tools"):
        body["tools"] = [{"type": "function", "strict": False} | tool["function"] for tool in request["tools"]]
    return body


def _response_items(message: Json) -> Iterator[Json]:
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    yield from message.get(OWN, ())
    yield from message.get("reasoning_details", ())
    if message["content"]:
        yield {"role": message["role"], "content": _response_content(message)}
    for call in message.get("tool_calls", ()):
        yield {"type": "function_call", "call_id": call["id"]} | call["function"]


def _response_content(message: Json) -> str | list[Json]:
    content = message["content"]
    if isinstance(content, str):
        return content
    return [
        {"type": "input_image", "image_url": part["image_url"]["url"]}
        if part["type"] == "image_url"
        else {"type": "input_text", "text": part["text"]}
        for part in content
    ]
