"""Recognizes files of other programs by their contents, so that an import can say what they are."""

from __future__ import annotations

import json
from typing import Any, cast

from .words import pluralize, translatable

SUPPORTED = (
    'What can be imported is JSON Lines: one chat message a line, such as {"role": "user", "content": "Hello"}, '
    "as Palimpsest's own export writes it."
)

_BEGINNINGS = {
    b"PK\x03\x04": translatable("a ZIP archive"),
    b"SQLite format 3\x00": translatable("an SQLite database"),
    b"%PDF-": translatable("a PDF document"),
    b"\x1f\x8b": translatable("a gzip archive"),
    **dict.fromkeys((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF"), translatable("an image or a sound")),
}
_HTML = (b"<!doctype html", b"<html")


def kind_of_file(content: bytes) -> str:
    """Return what the file is, as a noun phrase; "" for what is not recognized, and for chat messages."""
    if kind := kind_by_beginning(content):
        return kind
    value = _json(content)
    return _kind_of_json(value) if value is not None else ""


def kind_by_beginning(content: bytes) -> str:
    """Return what a file is by its first bytes, as a noun phrase; "" for what is not recognized."""
    for beginning, kind in _BEGINNINGS.items():
        if content.startswith(beginning):
            return kind
    return translatable("a web page") if content[:200].lstrip().lower().startswith(_HTML) else ""


def _json(content: bytes) -> Any:
    """Return the whole file as JSON, or else its first line."""
    text = content.removeprefix(b"\xef\xbb\xbf")
    for candidate in (text, text.lstrip().partition(b"\n")[0]):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _kind_of_json(value: Any) -> str:
    entries = _entries(value)
    first = entries[0] if entries else {}
    if "mapping" in first:
        return f"a data export of ChatGPT, with {pluralize(len(entries), 'conversation')}"
    if "chat_messages" in first:
        return f"a data export of Claude, with {pluralize(len(entries), 'conversation')}"
    if "Gemini Apps" in str(first.get("header")):
        return "a data export of Gemini"
    if "sessionId" in first and "message" in first:
        return "a session of Claude Code"
    if isinstance(first.get("messages"), list):
        return "JSON with lists of messages inside"
    if isinstance(value, list) and "role" in first:
        return "one JSON list, not a message a line"
    return ""


def _entries(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, of a list named "conversations", or the one object itself."""
    if isinstance(value, dict):
        whole = cast("dict[str, Any]", value)
        inner: object = whole.get("conversations")
        found = cast("list[object]", inner) if isinstance(inner, list) else [whole]
    else:
        found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", entry) for entry in found if isinstance(entry, dict)]
