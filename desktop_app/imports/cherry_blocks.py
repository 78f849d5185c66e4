"""What a message of Cherry Studio says: its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Part, Reasoning, Text, ToolCall, ToolResult

from .fields import Fields, json_of
from .images import attachment_at, image_of
from .sources import Sources

Json = dict[str, Any]


def parts_of(block: Fields, folder: Sources) -> tuple[Part, ...]:
    """Return what a block says; nothing of one for which there is no place, which is kept as it came."""
    kind = block.value("type")
    if kind in ("main_text", "compact"):
        text = block.text("content")
        return (Text(text),) if text else ()
    if kind == "thinking":
        text = block.text("content")
        return (Reasoning(text),) if text else ()
    if kind == "code":
        return (Text(f"```{block.text('language')}\n{block.text('content')}\n```"),)
    if kind == "tool":
        return _call_and_result(block)
    if kind in ("image", "file"):
        return _files(block, folder)
    return ()


def _files(block: Fields, folder: Sources) -> tuple[Part, ...]:
    made = block.object("metadata").object("generateImageResponse")
    images = [_image(url) for url in [block.text("url"), *made.strings("images")] if url]
    made.skip("type")
    file = block.object("file")
    if not file:
        return tuple(images)
    return (*images, _file(file, folder))


def _image(url: str) -> Attachment:
    """Return an image that stands in the backup itself, or elsewhere; some are Base64 alone."""
    return attachment_at(url if url.startswith(("data:", "http")) else f"data:image/png;base64,{url}")


def _file(file: Fields, folder: Sources) -> Attachment:
    stored = file.text("id", "name")
    found = image_of(folder, stored) if stored else Attachment("file", "application/octet-stream", "")
    name = file.text("origin_name", "name") or found.name
    file.skip("id", "name", "path", "size", "ext", "type", "created_at", "count")
    return replace(found, name=name)


def blocks_before(fields: Fields) -> Iterator[Json]:
    """Return what a message says of a version without blocks, as blocks, in the order in which later versions do."""
    yield {"type": "thinking", "content": fields.text("reasoning_content")}
    about = fields.object("metadata")
    for tool in about.values("mcpTools"):
        yield {"type": "tool", "content": Fields(tool).value("response"), "metadata": {"rawMcpToolResponse": tool}}
    yield {"type": "main_text", "content": fields.text("content")}
    for file in fields.values("files"):
        yield {"type": "file", "file": file}
    yield {"type": "image", "metadata": {"generateImageResponse": about.value("generateImage")}}


def rest_of(block: Fields) -> Json:
    """Return what of a block nobody read, with its type; nothing if that is nothing of its own."""
    rest = block.rest()
    for name in ("id", "messageId", "status", "createdAt", "updatedAt", "model"):
        rest.pop(name, None)
    return {"type": block.value("type"), **rest} if rest else {}


def _call_and_result(block: Fields) -> tuple[Part, ...]:
    """Return a call and, where the tool was run, its result."""
    given = block.object("metadata").value("rawMcpToolResponse")
    raw = Fields(given)
    name = block.text("toolName") or raw.object("tool").text("name") or block.text("toolId") or "tool"
    call_id = raw.text("toolCallId", "toolUseId", "id") or block.text("toolId")
    block.skip("toolId")
    arguments = block.value("arguments") or raw.value("arguments") or {}
    call = ToolCall(call_id, name, _as_text(arguments))
    result = block.value("content")
    result = raw.value("response") if result is None else result
    status = raw.text("status")
    if result is None and status not in ("done", "error"):
        return (call,)
    fields = Fields(result)
    texts, images = _content(fields)
    if not texts and not images:
        texts = [_as_text(result) if result else ""]
    is_error = status == "error" or fields.flag("isError")
    return (call, ToolResult(call_id, name, "\n\n".join(texts), is_error=is_error), *images)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json_of(value)


def _content(result: Fields) -> tuple[list[str], list[Attachment]]:
    """Return the texts and images of what a tool answered in MCP's shape."""
    texts: list[str] = []
    images: list[Attachment] = []
    for value in result.values("content"):
        part = Fields(value)
        if part.text("type") == "image" and part.text("data"):
            images.append(_image(f"data:{part.text('mimeType') or 'image/png'};base64,{part.text('data')}"))
        else:
            texts.append(part.text("text") or _as_text(value))
    return texts, images
