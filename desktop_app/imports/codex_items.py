"""The items of a session of the Codex CLI as messages: what the model was sent, and what it answered."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

from .fields import Fields, arguments_json, json_of
from .images import attachment_at, attachment_of

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "developer": Role.SYSTEM, "system": Role.SYSTEM}
REQUEST = "## My request for Codex:"
"""Stands before what the user wrote, where an editor put its own context before it."""
BOILERPLATE = re.compile(r"\s*(?:<([a-zA-Z_ ]+)>.*</\1>\s*\Z|# AGENTS\.md instructions)", re.DOTALL)
FOLDER = re.compile(r"<environment_context>.*?<cwd>(.+?)</cwd>", re.DOTALL)

Names = dict[str, str]
"""The tools of the calls so far, by the ids of the calls."""


def message_of(item: Fields, names: Names) -> Message | None:
    """Return an item as a message; None for what is none, such as reasoning that is encrypted."""
    reader = READERS.get(item.text("type"))
    return reader(item, names) if reader is not None else None


def written_by_user(message: Message) -> str:
    """Return what the user wrote themself in a message; "" for what Codex writes in their name."""
    text = message.text
    if message.role is not Role.USER or message.speaker or BOILERPLATE.match(text):
        return ""
    return text.rpartition(REQUEST)[2].strip() or "\n".join(p.name for p in message.parts if isinstance(p, Attachment))


def folder_in(message: Message) -> str:
    """Return the folder that Codex told the model it works in; "" in a message that does not say so."""
    found = FOLDER.search(message.text)
    return found[1].strip() if found else ""


def _said(item: Fields, names: Names) -> Message | None:
    del names
    role, parts = ROLES.get(item.text("role")), _parts(item)
    return Message(role=role, parts=parts) if role is not None and parts else None


def _said_by_agent(item: Fields, names: Names) -> Message | None:
    del names
    parts = _parts(item)
    return Message(role=Role.USER, parts=parts, speaker=item.text("author")) if parts else None


def _thought(item: Fields, names: Names) -> Message | None:
    del names
    thoughts = [each for name in ("summary", "content") for each in item.objects(name)]
    text = "\n\n".join(part.text for each in thoughts if isinstance(part := _part(each), Text))
    return Message(role=Role.ASSISTANT, parts=(Reasoning(text),)) if text else None


def _called(item: Fields, names: Names) -> Message:
    """Return a call; the tools that the provider itself runs have the name of their kind."""
    kind = item.text("type").removesuffix("_call")
    name = item.text("name") or kind
    call_id = item.text("call_id", "id")
    names[call_id] = name
    arguments = next((given for field in ("arguments", "input", "action") if (given := item.value(field))), None)
    return Message(role=Role.ASSISTANT, parts=(ToolCall(call_id, name, arguments_json(arguments)),))


def _answered(item: Fields, names: Names) -> Message:
    call_id, output = item.text("call_id"), item.object("output")
    texts = [item.text("output"), output.text("content"), output.text("text")]
    said = [part for each in item.objects("output") if (part := _part(each))] if not output else []
    texts += [part.text for part in said if isinstance(part, Text)]
    if tools := item.values("tools"):
        texts.append(json_of(tools))
    output.skip("type")
    is_error = output.value("success") is False
    result = ToolResult(call_id, names.get(call_id, "tool"), "\n".join(filter(None, texts)), is_error)
    return Message(role=Role.TOOL, parts=(result, *(part for part in said if isinstance(part, Attachment))))


def _drawn(item: Fields, names: Names) -> Message | None:
    del names
    try:
        content = base64.b64decode(item.text("result"), validate=True)
    except (ValueError, binascii.Error):
        return None
    return Message(role=Role.ASSISTANT, parts=(attachment_of("image", content),)) if content else None


def _parts(item: Fields) -> tuple[Part, ...]:
    if text := item.text("content"):
        return (Text(text),)
    return tuple(part for each in item.objects("content") if (part := _part(each)))


def _part(each: Fields) -> Text | Attachment | None:
    each.skip("type")
    if text := each.text("text"):
        return Text(text)
    url = each.text("image_url")
    return attachment_at(url) if url else None


READERS: dict[str, Callable[[Fields, Names], Message | None]] = {
    "message": _said,
    "agent_message": _said_by_agent,
    "reasoning": _thought,
    "function_call": _called,
    "custom_tool_call": _called,
    "local_shell_call": _called,
    "web_search_call": _called,
    "tool_search_call": _called,
    "function_call_output": _answered,
    "custom_tool_call_output": _answered,
    "local_shell_call_output": _answered,
    "tool_search_output": _answered,
    "image_generation_call": _drawn,
}
