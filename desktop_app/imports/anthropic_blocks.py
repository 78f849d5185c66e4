"""Message contents in Anthropic's format: a string, or blocks of text, thinking, tool calls, results and images.

A message in this format can contain calls together with their results; in a transcript, each result is its own message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from desktop_app.conversation.message import Attachment, Part, Reasoning, Role, Text, ToolCall, ToolResult

from .format import Fields, json_of
from .trees import NOT_IN_EXPORT, attachment_at

Turn = tuple[Role, tuple[Part, ...]]
CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


def turns_of(role: Role, blocks: Iterable[Fields], names: Mapping[str, str]) -> list[Turn]:
    """Return the turns that the blocks contain: runs of parts with that role, separated by the tool results.

    names: the called tools, by the ids of the calls.
    """
    turns: list[Turn] = []
    for block in blocks:
        if block.text("type").endswith("tool_result"):
            turns.append((Role.TOOL, _result(block, names)))
        elif parts := _parts(block):
            before = turns.pop()[1] if turns and turns[-1][0] is role else ()
            turns.append((role, (*before, *parts)))
    return turns


def called_tools(blocks: Iterable[Fields]) -> dict[str, str]:
    """Return the names of the called tools, by the ids of the calls."""
    return {block.text("id"): block.text("name") for block in blocks if block.text("type") in CALLS}


def _parts(block: Fields) -> tuple[Part, ...]:
    """Return the parts of a block; () for an unsupported kind, whose fields remain in the rest."""
    kind = block.text("type")
    if kind == "thinking":
        thought = block.text("thinking")
        return (Reasoning(thought),) if thought else ()
    if kind in CALLS:
        arguments = json_of(block.value("input") or {})
        return (ToolCall(block.text("id"), block.text("name") or "tool", arguments),)
    if kind in ("image", "document"):
        return (_attachment(block, kind),)
    text = block.text("text")
    return (Text(text),) if text else ()


def _attachment(block: Fields, kind: str) -> Attachment:
    source = block.object("source")
    media_type, name = source.text("media_type"), block.text("title") or kind
    data = source.text("data")
    if media_type.startswith("image/") and data:
        source.skip("type")
        return attachment_at(f"data:{media_type};base64,{data}", name)
    if source.text("type") == "text" and data:
        return Attachment(name, "text/plain", data)
    return Attachment(name, "application/octet-stream", "", about="not readable as text" if data else NOT_IN_EXPORT)


def _result(block: Fields, names: Mapping[str, str]) -> tuple[Part, ...]:
    """Return the tool result in a block, followed by its images."""
    call_id = block.text("tool_use_id")
    name = block.text("name") or names.get(call_id) or "tool"
    content = block.value("content")
    elements = content if isinstance(content, list) else [content]
    images = [_attachment(Fields(e), "image") for e in elements if isinstance(e, dict) and e.get("type") == "image"]
    texts = [text for element in elements if (text := _text_of(element))]
    return (ToolResult(call_id, name, "\n\n".join(texts), block.flag("is_error")), *images)


def _text_of(element: object) -> str:
    """Return the text of an element of a result, preceded by its title and URL; its JSON if it has no text."""
    if not isinstance(element, dict):
        return element if isinstance(element, str) else "" if element is None else json_of(element)
    fields = Fields(element)
    if fields.text("type") == "image":
        return ""
    if text := fields.text("text"):
        return "\n".join(filter(None, (fields.text("title"), fields.text("url"), text)))
    return json_of(element)
