"""Convert a request to an equivalent `curl` command line, with the key in a shell variable."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from desktop_app.addresses import without_secrets
from desktop_app.chat.ports import NO_OPTIONS
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec

from .endpoint import key_variable
from .litellm_model import LiteLLMModel

STAND_IN = "palimpsest-stands-in-for-the-key"
"""Placeholder for the key, so that the copied text never contained it; it is sent nowhere."""
CURL_HEADERS = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "user-agent"})
"""Headers that curl writes itself."""
END = "JSON"
_IN_DOUBLE_QUOTES = re.compile(r'([\\"`$])')


async def curl_of(
    model: LiteLLMModel,
    messages: Sequence[Message],
    max_tokens: int,
    tools: Sequence[ToolSpec] = (),
    options: ReplyOptions = NO_OPTIONS,
) -> str:
    """Return the command of that request, as litellm writes it."""
    client = await model.litellm.load()
    address = without_secrets(model.endpoint.base_url, STAND_IN)
    endpoint = replace(model.endpoint, key=STAND_IN if model.endpoint.key else "", base_url=address)
    fields = model.request(client.litellm, messages, max_tokens, tools, options)
    return curl_command(await client.write_request(endpoint, model.name, fields), key_variable(endpoint.name))


def curl_command(request: Any, variable: str) -> str:
    """Return the command line of an httpx request. variable: the shell variable that contains the key."""
    headers = {name: value for name, value in request.headers.items() if name not in CURL_HEADERS}
    if headers.get("authorization", "").startswith("Basic "):  # curl creates it from the address
        del headers["authorization"]
    lines = [f"curl -sN {_quoted(str(request.url), variable)}"]
    lines += [f"  -H {_quoted(f'{name}: {value}', variable)}" for name, value in headers.items()]
    body = json.dumps(json.loads(request.content), ensure_ascii=False, indent=2)
    # A here-document has no size limit, as an argument would; no line of JSON equals its end marker.
    return " \\\n".join([*lines, f"  --data-binary @- <<'{END}'"]) + f"\n{body}\n{END}\n"


def _quoted(text: str, variable: str) -> str:
    if STAND_IN not in text:
        return shlex.quote(text)
    return '"' + _IN_DOUBLE_QUOTES.sub(r"\\\1", text).replace(STAND_IN, f"${{{variable}}}") + '"'
