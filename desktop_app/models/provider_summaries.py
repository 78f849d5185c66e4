"""Summaries that a provider writes itself: how they are asked for, received and returned. Pure.

Anthropic (beta `compact-2026-09-04`): a request with `compaction` is answered with one signed block, whose text can be
read; later requests send it first, in place of the messages that it summarizes. OpenAI (`/responses/compact`): the
answer is a list of items, the user's messages and an encrypted item, which later requests begin with.

The fields are as in anthropic 2.14.0 and openai 3.57.0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import httpx

from desktop_app.chat.ports import ReceivedSummary
from desktop_app.conversation.message import Message, ProviderSummary
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import ReplyOptions, SummaryOptions

OWN = "provider_summary"
"""Our field of a message, and of a delta, for the content of a provider's summary. litellm does not send it."""
INSTRUCTIONS = "compaction_instructions"
"""Our field of a request that asks for a summary."""
BETA = "compact-2026-09-04"
BETA_HEADER = "anthropic-beta"
COMPACT_FIELDS = frozenset({"model", "input", "instructions", "prompt_cache_key", "service_tier"})
"""The fields of a request to `/responses/compact` that a request for a reply may have as well."""


def asking(options: ReplyOptions) -> Json:
    """Return the field that asks for a summary, if the options do."""
    return {INSTRUCTIONS: options.instructions} if isinstance(options, SummaryOptions) else {}


def with_content(sent: Json, message: Message) -> Json:
    """Return a message in OpenAI's format with the content of the provider's summary in it, if it has one."""
    own = next((part for part in message.parts if isinstance(part, ProviderSummary)), None)
    return sent if own is None else sent | {OWN: json.loads(own.content)}


def contents_in(request: Json) -> list[Any]:
    """Return the blocks or items of the provider's summary in a request; [] if it has none."""
    return next((message[OWN] for message in request["messages"] if OWN in message), [])


def is_affected(request: Json) -> bool:
    """Return whether a request asks for a summary, or returns one."""
    return INSTRUCTIONS in request or bool(contents_in(request))


def as_asked(written: httpx.Request, headers: httpx.Headers, body: Json, request: Json) -> tuple[httpx.URL, Json]:
    """Return the address and the body of a request that asks for a summary or returns one, and complete its headers.

    written: the request as litellm wrote it. body: its body so far. request: our fields.
    """
    if "input" in body:  # of the Responses API, in which the items are already
        if INSTRUCTIONS not in request:
            return written.url, body
        kept = {field: value for field, value in body.items() if field in COMPACT_FIELDS}
        return written.url.copy_with(path=f"{written.url.path}/compact"), kept
    headers[BETA_HEADER] = ",".join(filter(None, (headers.get(BETA_HEADER), BETA)))
    if blocks := contents_in(request):
        body = body | {"messages": [{"role": "assistant", "content": blocks}, *body["messages"]]}
    if INSTRUCTIONS in request:
        wanted = {"type": "summarize"} | ({"instructions": text} if (text := request[INSTRUCTIONS].strip()) else {})
        body = body | {"stream": False, "compaction": wanted}
    return written.url, body


def received_summary(content: Sequence[Any]) -> ReceivedSummary | None:
    """Return the summary in a reply's blocks or items; None if it is not complete. content: as `reply_formats` has it.

    A block without a text means that the provider could not write one, and one without a signature cannot be returned.
    """
    blocks = [cast("Json", block) for block in content if isinstance(block, dict)]
    last, stored = blocks[-1] if blocks else {}, json.dumps(content, ensure_ascii=False)
    if last.get("type") != "compaction":
        return None
    text = last.get("content")
    if isinstance(text, str) and text.strip() and isinstance(last.get("signature"), str) and len(content) == 1:
        return ReceivedSummary(stored, text)
    if isinstance(last.get("encrypted_content"), str) and "content" not in last:
        return ReceivedSummary(stored, "\n\n".join(map(_text_in, blocks[:-1])), is_encrypted=True)
    return None


def _text_in(item: Json) -> str:
    content = item.get("content")
    parts: list[Any] = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
