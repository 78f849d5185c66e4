"""Find the files that a call, a command or a reply changes or reads, and whether a call failed.

Tools differ in names and arguments, so the search looks for what they have in common: a field with a path, a verb
in the tool's name or in a field, and content to write. Edits may also be text: patches, blocks, commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from posixpath import normpath
from typing import Any, Literal, cast

import msgspec

from desktop_app.conversation.message import ToolCall, ToolResult
from desktop_app.conversation.words import lexicon

READING = re.compile(
    r"^(?:cd \S+ (?:&&|;) )?(?:get|list|search|find|read|view|open|cat|fetch|look|grep|rg|glob|ls|think|calculate|show"
    r"|goto|scroll|head|tail|sed -n|wc|pwd|which|echo)",
    re.IGNORECASE,
)
"""Names of tools, and beginnings of commands, that only read."""
EDITING = re.compile(
    r"edit|write|create|patch|replace|insert|save|delete|move|rename|append|update|apply|upsert|remove", re.IGNORECASE
)
RUNNING = re.compile(r"bash|shell|exec|run|command|terminal", re.IGNORECASE)
_PATHS = lexicon(
    "path filepath filename file notebookpath targetfile absolutepath relativepath relativeworkspacepath targetpath uri"
    " filetoedit outputpath destination newpath fullpath paths files filepaths"
)
_VERBS = lexicon("command action operation op mode method verb")
_COMMANDS = lexicon("command cmd script commandline shellcommand commands code")
_WRITTEN = lexicon(
    "content contents newstr newstring newtext newsource replacement filetext codeedit codecontent diff patch"
    " inserttext body replace newcontent text newcode edits"
)
"""Names of fields, in lowercase without separators, for paths, verbs, commands and new content."""
MAX_DEPTH = 4
"""Levels of nested objects that are searched."""
MAX_LISTED = 1_000
"""Elements of a list that are searched."""
MAX_PATH = 260
"""Characters; no path is longer on most systems."""

_PATH = re.compile(r"(?:file://)?[\w.@+~/\\:\[\]()-]*[\w)\]]")
_TEXT_EDIT = re.compile(
    r"^`{0,3}([\w./@+-]{1,200})`{0,3}[ \t]*\n(?:```[^\n]*\n)?<{5,} SEARCH"
    r"|^\*\*\* (?:Update File|Add File|Delete File|Move to): ([^\n]{1,200})|^\+\+\+ b/([^\s]{1,200})",
    re.MULTILINE,
)
"""Edits written as text: aider's blocks, the patch format of Codex, unified diffs."""
OPEN_FILE = re.compile(r"^\(Open file: ([^\s)]{2,200})[^\n)]*\)", re.MULTILINE)
"""The line that the editors of text-only agents add below each output."""
EDIT_BLOCK = re.compile(r"^[ \t]*```[a-z]*[ \t]*\n[ \t]*(?:edit|insert|append)\b", re.MULTILINE)
"""A command to such an editor, which applies to the open file."""
_TAGGED = re.compile(r"<(?:path|file_path|parameter=path|parameter=file_path)>\s*([^<\n]{1,200}?)\s*<")
_EDITING_TAG = re.compile(r"<(?:write|replace|edit|apply|insert|search_and_replace)|>(?:create|str_replace|insert)<")
_BLOCK = re.compile(r"^[ \t]*```(?:bash|sh|shell|console|zsh)?[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_HEREDOC = re.compile(r"<<-?\s*[\"']?(\w+)")
_REDIRECT = re.compile(r"(?<![<>=\d&-])>{1,2}\s*[\"']?([\w./@+~-]{1,200})")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_SEGMENTS = re.compile(r"&&|\|\||[;|\n]")
_OPENED = re.compile(r"open\(\s*[rf]?[\"']([^\"'\n]{1,200})[\"']\s*,\s*[\"'][wax]")
_CHANGES_LAST = lexicon("sed perl mv cp install patch")
_CHANGES_ALL = lexicon("tee touch rm create unlink")
_NOWHERE = ("/dev/", "&")


def files_of_call(call: ToolCall, fields: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the files that a call changes, and the files that it only reads. fields: the arguments, or {}."""
    if not fields:
        return list(files_edited_in(call.arguments)), []
    arguments = _Seen()
    arguments.look(fields)
    is_reading, is_editing, does_run = _does(call.name)
    edited = [path for command in arguments.commands for path in edited_by_command(command)]
    edited += [path for text in arguments.texts for path in _patched(text)]
    is_reading = is_reading or bool(arguments.verb and READING.match(arguments.verb))
    is_editing = not is_reading and (
        is_editing or arguments.has_written or bool(arguments.verb and EDITING.match(arguments.verb))
    )
    if arguments.paths and is_editing and not does_run:
        edited += arguments.paths
    return list(dict.fromkeys(edited)), [] if is_editing else [path for path in arguments.paths if path not in edited]


@lru_cache(4_096)
def _does(name: str) -> tuple[bool, bool, bool]:
    """Return whether a tool with that name only reads, whether it edits, and whether it runs commands."""
    return bool(READING.match(name)), bool(EDITING.search(name)), bool(RUNNING.search(name))


def command_of(fields: Mapping[str, Any]) -> str:
    """Return the command among a call's arguments, or ""."""
    return next((_command_text(value) for key, value in fields.items() if plain_key(key) in _COMMANDS and value), "")


class _Seen:
    """Collects the paths, texts, commands and the verb in a call's arguments."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.texts: list[str] = []
        self.commands: list[str] = []
        self.verb = ""
        self.has_written = False

    def look(self, fields: Mapping[str, Any], depth: int = 0) -> None:
        for key, value in fields.items():
            name = plain_key(key)
            self.has_written = self.has_written or (name in _WRITTEN and bool(value))
            if depth and not isinstance(value, list | dict) and "." in key and _is_path(key):
                self.paths.append(key)  # an object of contents by path
                self.has_written = True
            listed: list[Any] = cast("list[Any]", value)[:MAX_LISTED] if isinstance(value, list) else [value]
            for element in listed:
                self._take(name, element, depth)
            if name in _COMMANDS and value:
                self.commands.append(_command_text(cast("object", value)))

    def _take(self, name: str, value: object, depth: int) -> None:
        if isinstance(value, dict) and depth < MAX_DEPTH:
            self.look(cast("dict[str, Any]", value), depth + 1)
        elif isinstance(value, str):
            if name in _PATHS and _is_path(value) and (name != "destination" or "." in value or "/" in value):
                self.paths.append(value)  # an airport is also a destination
            elif name in _VERBS and not self.verb:
                self.verb = value[:MAX_PATH]
            self.texts.append(value)


@lru_cache(4_096)
def plain_key(key: str) -> str:
    """Return an argument's name in lowercase without separators."""
    return key.replace("_", "").replace("-", "").lower()


def _command_text(value: object) -> str:
    """Return a command as one text; some tools take a list of words."""
    if isinstance(value, list):
        words = [word for word in cast("list[Any]", value) if isinstance(word, str)]
        return words[-1] if len(words) == 3 and words[1].startswith("-") else " ".join(words)
    return value if isinstance(value, str) else ""


def _is_path(text: str) -> bool:
    return 1 < len(text) <= MAX_PATH and "://" not in text.removeprefix("file://") and "\n" not in text


def edited_by_command(command: str) -> Iterator[str]:
    """Yield the files that a shell command writes, moves, removes or edits in place, as far as its words show."""
    yield from _patched(command)
    for match in _OPENED.finditer(command):
        yield match.group(1)
    for part in _SEGMENTS.split(_QUOTED.sub(_without_signs, _without_heredocs(command))):
        yield from (path for path in _REDIRECT.findall(part) if not path.startswith(_NOWHERE))
        words = part.split(">", 1)[0].split("<<", 1)[0].split()
        while words and (words[0] in ("sudo", "git", "then", "do", "{", "(") or "=" in words[0]):
            words.pop(0)
        names = [word.strip("\"'") for word in words[1:] if not word.startswith("-")]
        if not names or (words[0] in ("sed", "perl") and not any(word.startswith(("-i", "-pi")) for word in words)):
            continue
        if words[0] in _CHANGES_LAST:
            yield from names[-1:] if _PATH.fullmatch(names[-1]) else ()
        elif words[0] in _CHANGES_ALL:
            yield from (name for name in names if _PATH.fullmatch(name))


def _without_signs(quoted: re.Match[str]) -> str:
    """Return a quoted text, or an empty one if it contains characters with a meaning outside quotes."""
    return "''" if any(map(quoted.group().__contains__, ">|;&")) else quoted.group()


def _without_heredocs(command: str) -> str:
    """Return the command without its here-documents, in which a > is not a redirection."""
    kept: list[str] = []
    end = ""
    for line in command.splitlines():
        if end:
            end = "" if line.strip() == end else end
            continue
        kept.append(line)
        heredoc = _HEREDOC.search(line) if "<<" in line else None
        end = heredoc.group(1) if heredoc else ""
    return "\n".join(kept)


def files_edited_in(text: str) -> Iterator[str]:
    """Yield the files that a text edits, by patches or by the commands in its code blocks."""
    yield from _patched(text)
    if "<" in text and _EDITING_TAG.search(text):
        yield from (match.group(1) for match in _TAGGED.finditer(text))
    if "```" in text:
        for block in _BLOCK.findall(text):
            yield from edited_by_command(block)


def _patched(text: str) -> Iterable[str]:
    if "<<<<< SEARCH" in text or "*** " in text or "+++ b/" in text:
        for match in _TEXT_EDIT.finditer(text):
            yield next(filter(None, match.groups())).strip()


_SHOWING = re.compile(r"read|view|cat|open|(?:get|show|load)\w*(?:file|content)", re.IGNORECASE)
_NOT_A_FILE = re.compile(r"dir|folder|tree|list|info|meta|size|outline|search|find|grep|url|web|page", re.IGNORECASE)
_VERB_KEYS = ("command", "action", "operation", "mode")
_READING_VERBS = ("view", "read", "open", "cat")
"""Values of arguments that select what a tool with several commands does, such as Anthropic's text editor."""
_PART_KEYS = lexicon(
    "offset limit viewrange range lines line start end startline endline linestart lineend fromline toline firstline"
    " lastline maxlines numlines character startlineoneindexed endlineoneindexedinclusive head tail page"
)
_BEGINNINGS = lexicon("offset line start startline linestart fromline firstline")
"""Arguments that select a part of a file, and the first line of it: in lowercase without separators."""
_CAT = re.compile(r"cat\s+(?:--\s+)?([^\s|><;&$*?'\"-][^\s|><;&$*?'\"]*)\s*")
_FAILED = re.compile(
    r"\s{0,20}(?:<\w*error>|\[?(?:[\w.]{0,40}(?:error|exception)|fatal|traceback|failed|failure|enoent|eacces)\b"
    r"|(?:permission|access) denied|(?:file|command|path)(?: is)? not found|no such file"
    r"|(?:unsupported|unknown|no such|invalid) (?:tool|call|function)|(?:cannot|could not|unable to) )",
    re.IGNORECASE,
)
"""The beginning of a failed call's result."""

Manner = Literal["read", "read part", "change"]
"""The way in which a call uses a file."""


def fields_of(call: ToolCall) -> dict[str, Any] | None:
    """Return the arguments of a call, or None if they are not a JSON object."""
    try:
        arguments: object = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else None


def touches(call: ToolCall, fields: Mapping[str, Any]) -> list[tuple[str, Manner]]:
    """Return the files that a call changes or shows, and in which way. Calls that only list or search show no file."""
    path = fields.get("path") or fields.get("file_path")
    if isinstance(path, str) and _is_reader(call.name):  # most calls, without the closer search
        return [(_normal(path), _manner_of_reading(fields))]
    changed, looked_at = files_of_call(call, fields)
    if changed:
        return [(_normal(path), "change") for path in changed]
    if RUNNING.search(call.name):
        printed = _CAT.fullmatch(command_of(fields))
        return [(_normal(printed.group(1)), "read")] if printed else []
    if not looked_at or not (_is_showing(call.name) or any(fields.get(key) in _READING_VERBS for key in _VERB_KEYS)):
        return []
    manner = _manner_of_reading(fields)
    return [(_normal(path), manner) for path in looked_at]


@lru_cache(1_024)
def _is_showing(name: str) -> bool:
    """Return whether tools with that name show a file's content; a conversation has few names."""
    return _SHOWING.search(name) is not None and _NOT_A_FILE.search(name) is None


@lru_cache(1_024)
def _is_reader(name: str) -> bool:
    """Return whether tools with that name only show files."""
    return _is_showing(name) and READING.match(name) is not None and EDITING.search(name) is None


def _manner_of_reading(fields: Mapping[str, Any]) -> Manner:
    return "read part" if any(_narrows(key, value) for key, value in fields.items()) else "read"


def _narrows(key: str, value: object) -> bool:
    """Return whether the argument asks for a part of the file; a beginning at the first line does not."""
    name = plain_key(key)
    return name in _PART_KEYS and bool(value) and not (name in _BEGINNINGS and value == 1)


_ENDS = lexicon("endline lineend toline lastline end endlineoneindexedinclusive")
_LENGTHS = lexicon("limit lines maxlines numlines head")


def part_read(fields: Mapping[str, Any]) -> str:
    """Return the lines that a reading call asks for, such as "40-120"; "" for all of the file."""
    numbers = {plain_key(key): value for key, value in fields.items() if isinstance(value, int)}
    span = next((value for key, value in fields.items() if plain_key(key) in ("viewrange", "range", "lines")), None)
    if (
        isinstance(span, list)
        and len(listed := cast("list[Any]", span)) == 2
        and all(isinstance(n, int) for n in listed)
    ):
        first, last = listed
    else:
        first = max(next((numbers[key] for key in _BEGINNINGS if key in numbers), 1), 1)
        length = next((numbers[key] for key in _LENGTHS if key in numbers), 0)
        last = next((numbers[key] for key in _ENDS if key in numbers), first + length - 1 if length else -1)
    if first <= 1 and last < 1:
        return ""
    return f"{first}-{last}" if last > 0 else f"{first}-"


def _normal(path: str) -> str:
    return normpath(path.strip().replace("\\", "/"))


def has_failed(result: ToolResult) -> bool:
    """Return whether a call failed, by its flag or by the result's beginning, since imported results have no flag."""
    return result.is_error or _FAILED.match(result.text) is not None
