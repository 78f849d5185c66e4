"""Classify what a tool call does with a file, and whether it failed, for tools of many makers with differing names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from posixpath import normpath
from typing import Any, Literal, cast

import msgspec

from desktop_app.conversation.message import ToolCall, ToolResult
from desktop_app.conversation.words import lexicon

from .changed_files import EDITING, READING, RUNNING, command_of, files_of_call, plain_key

_SHOWING = re.compile(r"read|view|cat|open|(?:get|show|load)\w*(?:file|content)", re.IGNORECASE)
_NOT_A_FILE = re.compile(r"dir|folder|tree|list|info|meta|size|outline|search|find|grep|url|web|page", re.IGNORECASE)
_VERB_KEYS = ("command", "action", "operation", "mode")
_VERBS = ("view", "read", "open", "cat")
"""Values of arguments that select what a tool with several commands does, such as Anthropic's text editor."""
_PART_KEYS = lexicon(
    "offset limit viewrange range lines line start end startline endline linestart lineend fromline toline firstline"
    " lastline maxlines numlines character startlineoneindexed endlineoneindexedinclusive head tail page"
)
_BEGINNINGS = lexicon("offset line start startline linestart fromline firstline")
"""In lowercase without separators."""
_CAT = re.compile(r"cat\s+(?:--\s+)?([^\s|><;&$*?'\"-][^\s|><;&$*?'\"]*)\s*")
_FAILED = re.compile(
    r"\s{0,20}(?:<\w*error>|\[?(?:[\w.]{0,40}(?:error|exception)|fatal|traceback|failed|failure|enoent|eacces)\b"
    r"|(?:permission|access) denied|(?:file|command|path)(?: is)? not found|no such file"
    r"|(?:cannot|could not|unable to) )",
    re.IGNORECASE,
)
"""How the result of a failed call begins."""

Manner = Literal["read", "read part", "change"]
"""What a call does with a file."""


def fields_of(call: ToolCall) -> dict[str, Any] | None:
    """Return the arguments of a call, or None if they are no JSON object."""
    try:
        arguments: object = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None


def touches(call: ToolCall, fields: Mapping[str, Any]) -> list[tuple[str, Manner]]:
    """Return the files that a call changes or shows, and how. Calls that only list or search show no file."""
    path = fields.get("path") or fields.get("file_path")
    if isinstance(path, str) and _is_reader(call.name):  # most calls are such, and need no closer look
        return [(_normal(path), _how_shown(fields))]
    changed, looked_at = files_of_call(call, fields)
    if changed:
        return [(_normal(path), "change") for path in changed]
    if RUNNING.search(call.name):
        shown = _CAT.fullmatch(command_of(fields))
        return [(_normal(shown.group(1)), "read")] if shown else []
    if not looked_at or not (_is_showing(call.name) or any(fields.get(key) in _VERBS for key in _VERB_KEYS)):
        return []
    manner = _how_shown(fields)
    return [(_normal(path), manner) for path in looked_at]


@lru_cache(1_024)
def _is_showing(name: str) -> bool:
    """Whether tools of that name show what is in a file; a conversation has few names."""
    return _SHOWING.search(name) is not None and _NOT_A_FILE.search(name) is None


@lru_cache(1_024)
def _is_reader(name: str) -> bool:
    """Whether tools of that name do nothing but show files."""
    return _is_showing(name) and READING.match(name) is not None and EDITING.search(name) is None


def _how_shown(fields: Mapping[str, Any]) -> Manner:
    return "read part" if any(_narrows(key, value) for key, value in fields.items()) else "read"


def _narrows(key: str, value: object) -> bool:
    """Whether that argument asks for a part of the file; to begin at the first line does not."""
    name = plain_key(key)
    return name in _PART_KEYS and bool(value) and not (name in _BEGINNINGS and value == 1)


def _normal(path: str) -> str:
    return normpath(path.strip().replace("\\", "/"))


def has_failed(result: ToolResult) -> bool:
    """Whether a call failed: by its flag, or by how the result begins, since imported results have no flag."""
    return result.is_error or _FAILED.match(result.text) is not None
