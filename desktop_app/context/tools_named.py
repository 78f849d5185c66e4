"""What a tool call does, told from its name and its arguments: tools of many makers, which agree on few names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from posixpath import normpath
from typing import Any, Literal, cast

import msgspec

from desktop_app.conversation.message import ToolCall, ToolResult

READING = re.compile(
    r"^(?:cd \S+ (?:&&|;) )?(?:get|list|search|find|read|view|open|cat|fetch|look|grep|rg|glob|ls|think|calculate|show"
    r"|goto|scroll|head|tail|sed -n|wc|pwd|which|echo)",
    re.IGNORECASE,
)
"""Names of tools, and beginnings of commands, that only look."""
EDITING = re.compile(r"edit|write|create|patch|replace|insert|save|delete|move|rename", re.IGNORECASE)
RUNNING = re.compile(r"bash|shell|exec|run|command|terminal", re.IGNORECASE)
PATH_KEYS = ("path", "file_path", "filePath", "filename", "file", "notebook_path", "target_file")
COMMAND_KEYS = ("command", "cmd", "script")
TEXT_EDIT = re.compile(
    r"^`{0,3}([\w./@+-]{1,200})`{0,3}[ \t]*\n(?:```[^\n]*\n)?<{5,} SEARCH"
    r"|^\*\*\* (?:Update|Add|Delete) File: ([^\n]{1,200})|^\+\+\+ b/([^\s]{1,200})",
    re.MULTILINE,
)
"""Edits written as text: aider's blocks, the patch format of Codex, unified diffs."""

_READING_FILE = re.compile(r"read|view|cat|open|(?:get|show|load)\w*(?:file|content)", re.IGNORECASE)
_NOT_A_FILE = re.compile(r"dir|folder|tree|list|info|meta|size|outline|search|find|grep|url|web|page", re.IGNORECASE)
_SUBCOMMANDS = frozenset({"view", "create", "str_replace", "insert", "undo_edit"})
"""Of Anthropic's text editor tool: there the argument `command` says what the call does, not the tool's name."""
_PART_KEYS = frozenset({
    "offset", "limit", "view_range", "range", "lines", "line", "start", "end", "start_line", "end_line", "line_start",
    "line_end", "startLine", "endLine", "from_line", "to_line", "first_line", "last_line", "max_lines", "num_lines",
    "start_line_one_indexed", "end_line_one_indexed_inclusive", "head", "tail", "page",
})  # fmt: skip
_BEGINNINGS = frozenset({"offset", "line", "start", "start_line", "line_start", "startLine", "from_line", "first_line"})
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
    """The arguments of a call, or None: a model may write anything, also what is no JSON object."""
    try:
        arguments: object = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None


def first_of(fields: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The first of those fields that is text."""
    for key in keys:
        value = fields.get(key)
        if value and isinstance(value, str):
            return value
    return ""


def touches(name: str, fields: Mapping[str, Any]) -> list[tuple[str, Manner]]:
    """The files that a call of that tool reads or changes, and how. A directory that is listed is no file."""
    path, command = first_of(fields, PATH_KEYS), first_of(fields, COMMAND_KEYS)
    manner = _manner(command if command in _SUBCOMMANDS else name)
    if path and manner is not None:
        is_part = manner == "read" and any(_narrows(key, value) for key, value in fields.items())
        return [(_normal(path), "read part" if is_part else manner)]
    if command and RUNNING.search(name):
        read = _CAT.fullmatch(command)
        return [(_normal(read.group(1)), "read")] if read else []
    return [(_normal(edited), "change") for edited in _patched(fields)] if manner == "change" else []


@lru_cache(1_024)
def _manner(name: str) -> Manner | None:
    """Of a tool's name; a conversation has few of them."""
    if name == "undo_edit" or EDITING.search(name):
        return "change"
    return "read" if _READING_FILE.search(name) and not _NOT_A_FILE.search(name) else None


def _narrows(key: str, value: object) -> bool:
    """Whether that argument asks for a part of the file; to begin at the first line does not."""
    return key in _PART_KEYS and bool(value) and not (key in _BEGINNINGS and value == 1)


def _patched(fields: Mapping[str, Any]) -> list[str]:
    texts = (value for value in fields.values() if isinstance(value, str))
    return [next(filter(None, match.groups())) for text in texts for match in TEXT_EDIT.finditer(text)]


def _normal(path: str) -> str:
    return normpath(path.strip().replace("\\", "/"))


def has_failed(result: ToolResult) -> bool:
    """Whether a call failed: as the tool said, or as its result begins, since imported results carry no sign of it."""
    return result.is_error or _FAILED.match(result.text) is not None
