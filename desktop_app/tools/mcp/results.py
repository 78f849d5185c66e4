"""The answers of a server as the text that the model gets."""

from __future__ import annotations

import json
from typing import Any

from mcp import types

from desktop_app.conversation.surrogates import replace_surrogates_in_text
from desktop_app.conversation.tools import ToolOutcome

MAX_LINE_SHOWN = 2_000
"""Characters of one line that a tool shows while it runs."""


def outcome_of(result: types.CallToolResult) -> ToolOutcome:
    """Return the texts, and images, sounds and files in words; structured content if there is nothing else."""
    parts = [_text_of(block) for block in result.content]
    if not any(part.strip() for part in parts) and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False, indent=1)]
    text = "\n\n".join(part for part in parts if part) or "(The tool returned nothing.)"
    return ToolOutcome(replace_surrogates_in_text(text), is_error=bool(result.is_error))


def progress_line(progress: float, total: float | None, message: str | None) -> str:
    """Return progress as a line of output: "3 of 10: indexing"."""
    count = f"{progress:g} of {total:g}" if total else f"{progress:g}"
    return _line_of(f"{count}: {message}" if message else count)


def log_line(level: str, data: Any) -> str:
    """Return a log message as a line of output."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    return _line_of(text if level in ("debug", "info", "notice") else f"{level}: {text}")


def _line_of(text: str) -> str:
    return replace_surrogates_in_text(" ".join(text[: MAX_LINE_SHOWN + 1].splitlines())[:MAX_LINE_SHOWN]) + "\n"


def _text_of(block: types.ContentBlock) -> str:
    match block:
        case types.TextContent(text=text):
            return text
        case types.ImageContent(data=data, mime_type=kind):
            return f"[An image, {kind}, {_size(data)}. Only text can be shown here.]"
        case types.AudioContent(data=data, mime_type=kind):
            return f"[A sound, {kind}, {_size(data)}. Only text can be shown here.]"
        case types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, text=text)):
            return f"[{uri}]\n{text}"
        case types.EmbeddedResource(resource=resource):
            data = getattr(resource, "blob", "")
            return f"[{resource.uri}: a file, {resource.mime_type or 'of unknown type'}, {_size(data)}, not shown.]"
        case types.ResourceLink(uri=uri, name=name, description=description):
            return f"[A link: {name}, {uri}{f', {description}' if description else ''}]"
    return "[Something that is not text.]"


def _size(base64_text: str) -> str:
    """Return the size of a base64 text when it is decoded."""
    count = len(base64_text) * 3 // 4 - base64_text[-2:].count("=")
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"
