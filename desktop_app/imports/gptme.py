"""Conversations of gptme: `~/.local/share/gptme/logs/NAME/conversation.jsonl`, with `config.toml` next to it.

A line is a message. Calls are in the text of a reply, as `@tool(id): {arguments}`, and thoughts in `<think>`; a result
is a message of the system with the call's id. Files in `branches` have the other branches from the beginning. Times are
local. Based on version 0.35.1.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator

from desktop_app.conversation.message import (
    Attachment,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, lines_of, local_seconds_of, sibling, usage_of
from .format import Fields, Format, Found, json_of
from .sources import BadFile, Source
from .trees import NOT_IN_EXPORT

PROGRAM = "gptme"
MESSAGE = {"role", "content", "timestamp"}
OWN = {"pinned", "hide"}
"""Fields of which the first message has at least one: gptme's own instructions."""
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
MAIN = "conversation.jsonl"
THOUGHT = re.compile(r"<(think|thinking)>\n?(.*?)\n?</\1>\s*", re.DOTALL)
CALL = re.compile(r"^@(\w[\w.-]*)\(([^()\s]*)\): *(?=\{)", re.MULTILINE)
FAILED = re.compile(r"Error during execution:|.*^Return code: [1-9]", re.DOTALL | re.MULTILINE)


def recognizes(source: Source) -> bool:
    """Return whether the first line is a message of gptme's own instructions."""
    keys = source.first_keys
    return keys >= MESSAGE and not keys.isdisjoint(OWN)


def read(source: Source) -> Iterator[Found]:
    """Yield the conversation. Its branches are read with it."""
    folder, _, name = source.name.rpartition("/")
    above, _, kind = f"/{folder}".rpartition("/")
    if kind == "branches" and source.folder.named(f"{above}/{MAIN}".lstrip("/")):
        return
    session = AgentSession(PROGRAM, source)
    session.id = folder.rpartition("/")[2] if name == MAIN else ""
    _describe(session, source)
    conversation = _Conversation(session)
    branches = source.folder.directly_in(f"{folder}/branches" if folder else "branches") if name == MAIN else []
    for each in (*(branch for branch in branches if recognizes(branch)), source):
        conversation.add_branch(each)
    yield session.found()


def _describe(session: AgentSession, source: Source) -> None:
    config = sibling(source, "config.toml")
    try:
        about = Fields(tomllib.loads(config.read().decode()) if config is not None else {})
    except (BadFile, ValueError):  # ValueError: invalid UTF-8 or TOML, which the conversation can do without
        return
    chat = about.object("chat")
    session.title, session.folder = chat.text("name"), chat.text("workspace")
    session.keep("config", about)


class _Conversation:
    """Adds the branches of a conversation to its tree."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._names: dict[str, str] = {}
        self._known: set[str] = set()

    def add_branch(self, source: Source) -> None:
        """Add the messages of a file that are not in the tree."""
        before = ""
        for _, line in lines_of(source, self._session.unread):
            content = json_of([line.peek("role"), line.peek("content"), line.peek("timestamp")])
            name = hashlib.sha256(f"{before}{content}".encode(errors="backslashreplace")).hexdigest()
            if name not in self._known:
                self._known.add(name)
                self._session.follow(name, before)
                self._session.add(name, self._messages(line))
                self._session.keep(name, line)
            self._session.current = before = name

    def _messages(self, line: Fields) -> Iterator[Message]:
        text, at = line.peek("content"), local_seconds_of(line.text("timestamp"))
        role = ROLES.get(line.text("role"))
        if role is None or not isinstance(text, str) or line.flag("hide"):
            line.keep("role", "timestamp")
            return
        line.skip("content")
        files = [Attachment(path.rpartition("/")[2], "", "", about=NOT_IN_EXPORT) for path in line.strings("files")]
        line.keep("files")
        if role is Role.ASSISTANT:
            if parts := tuple(self._reply(text)):
                metadata = line.object("metadata")
                model, usage = metadata.text("model").partition("/")[2], _usage(metadata.object("usage"))
                metadata.keep("model")
                yield Message(role=role, parts=parts, at=at, model=model, usage=usage)
        elif call_id := line.text("call_id"):
            result = ToolResult(call_id, self._names.get(call_id, "tool"), text, FAILED.match(text) is not None)
            yield Message(role=Role.TOOL, parts=(result, *files), at=at)
        elif parts := (*([Text(text)] if text.strip() else []), *files):
            yield Message(role=role, parts=parts, at=at)

    def _reply(self, text: str) -> Iterator[Part]:
        """Yield the parts of a reply in their order."""
        position = 0
        for found in sorted([*THOUGHT.finditer(text), *CALL.finditer(text)], key=lambda found: found.start()):
            if found.start() < position:
                continue
            call, end = _call(found, text) if found.re is CALL else (Reasoning(found[2]), found.end())
            if call is None:
                continue
            if before := text[position : found.start()].strip("\n"):
                yield Text(before)
            if isinstance(call, ToolCall):
                self._names[call.call_id] = call.name
            yield call
            position = end
        if after := text[position:].strip("\n"):
            yield Text(after)


def _call(found: re.Match[str], text: str) -> tuple[Part | None, int]:
    """Return the call that begins there, and where it ends; None if its arguments are not whole."""
    try:
        arguments, end = json.JSONDecoder().raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return None, found.end()
    return ToolCall(found[2], found[1], json_of(arguments)), end


def _usage(fields: Fields) -> Usage | None:
    """Return the measured tokens. gptme counts the prompt's tokens without the tokens of the cache."""
    read, written = fields.count("cache_read_tokens"), fields.count("cache_creation_tokens")
    prompt = fields.count("input_tokens") + read + written
    return usage_of(prompt, fields.count("output_tokens"), read, written, fields.count("reasoning_tokens"))


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.local/share/gptme/logs, or the folder of a conversation in it"),
    recognizes,
    read,
    homes=(".local/share/gptme/logs",),
)
