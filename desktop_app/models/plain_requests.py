"""Write requests in OpenAI's chat format, in which our fields already are, as litellm would write them.

They need no litellm: most people who run models themselves never load it. A property compares each with litellm's.
"""

from __future__ import annotations

import json
import re

import httpx

from desktop_app.connections import sendable_headers
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.settings import ServerKind

from .endpoint import Endpoint
from .provider_dialects import PLACES, option_fields, with_quirks, without_refused
from .published import published_models

OPTIONS: dict[ServerKind, tuple[OptionName, ...]] = {
    "openai_compatible": ("temperature", "top_p", "reasoning_effort"),
    "llama_cpp": ("temperature", "top_p", "reasoning_effort"),
    "lm_studio": ("temperature", "top_p"),
}
"""The kinds of these servers, with the parameters that they accept."""
OWN_RULES = re.compile(r"gpt-?\d|\bo\d|codex|audio|responses/|ft:", re.IGNORECASE)
"""Names for which litellm has rules of its own, as for the models of OpenAI in its catalogue."""


def is_plain(kind: ServerKind, name: str) -> bool:
    """Return whether requests to that model are written here."""
    if kind not in OPTIONS or OWN_RULES.search(name):
        return False
    catalogue = published_models()
    published = catalogue.get(name) or catalogue.get(f"openai/{name}") or {}
    return published.get("litellm_provider") != "openai"


def plain_options(kind: ServerKind, name: str) -> tuple[OptionName, ...]:
    """Return the parameters that such a server accepts for that model."""
    return without_refused(OPTIONS[kind], name)


def plain_request(
    endpoint: Endpoint, name: str, request: Json, options: ReplyOptions, quirks: tuple[str, ...]
) -> httpx.Request:
    """Return the HTTP request. Raises httpx.InvalidURL."""
    fields = request | option_fields(options, plain_options(endpoint.kind, name), endpoint.kind)
    extra = fields.pop("extra_body", {})
    messages = [_sent(message) for message in fields.pop("messages")]
    body = with_quirks({"messages": messages, "model": name, **fields, **extra}, quirks)
    headers = httpx.Headers({"accept": "application/json", "content-type": "application/json"})
    headers["authorization"] = f"Bearer {endpoint.key or 'none'}"
    headers.update(dict(sendable_headers(endpoint.headers)))
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    return httpx.Request("POST", f"{endpoint.api_base}/chat/completions", headers=headers, content=content)


def _sent(message: Json) -> Json:
    return {field: value for field, value in message.items() if value is not None and field != PLACES}
