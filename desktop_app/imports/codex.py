"""Sessions of the Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, one per file.

Since September 2025, a line is {timestamp, type, payload}. A `response_item` is an item sent to or received from the
model; an `event_msg` repeats it as Codex displays it, and also reports measured tokens and rolled-back turns. In older
files, the lines are the items themselves, without times, after a first line {id, timestamp, instructions}. Based on the
source code of 2025 and on sessions of versions 0.50 to 0.146.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.chat.titles import title_of
from desktop_app.conversation.foreign import (
    ForeignCompaction,
    ForeignConversation,
    ForeignEntry,
    ForeignMessage,
    UnreadFile,
)
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
    add_usage,
)
from desktop_app.conversation.words import translatable

from .format import NOT_JSON, Fields, Format, Found, arguments_json, bad_line, json_of, rest_json, without_messages
from .sources import BYTE_ORDER_MARK, Source
from .trees import attachment_at, attachment_of

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "developer": Role.SYSTEM, "system": Role.SYSTEM}
REQUEST = "## My request for Codex:"
"""Precedes the user's text when an editor has put its own context before it."""
BOILERPLATE = re.compile(r"\s*(?:<([a-zA-Z_ ]+)>.*</\1>\s*\Z|# AGENTS\.md instructions)", re.DOTALL)
FOLDER = re.compile(r"<environment_context>.*?<cwd>(.+?)</cwd>", re.DOTALL)

Names = dict[str, str]
"""The tools of the calls so far, by the ids of the calls."""


def message_of(item: Fields, names: Names) -> Message | None:
    """Return an item as a message; None for items without a message, such as encrypted reasoning."""
    reader = READERS.get(item.text("type"))
    return reader(item, names) if reader is not None else None


def written_by_user(message: Message) -> str:
    """Return the part of a message that the user wrote; "" for messages that Codex writes in the user's role."""
    text = message.text
    if message.role is not Role.USER or message.speaker or BOILERPLATE.match(text):
        return ""
    return text.rpartition(REQUEST)[2].strip() or "\n".join(p.name for p in message.parts if isinstance(p, Attachment))


def folder_in(message: Message) -> str:
    """Return the working folder that a message of Codex names; "" if it names none."""
    found = FOLDER.search(message.text)
    return found[1].strip() if found else ""


def _message(item: Fields, names: Names) -> Message | None:
    del names
    role, parts = ROLES.get(item.text("role")), _parts(item)
    return Message(role=role, parts=parts) if role is not None and parts else None


def _agent_message(item: Fields, names: Names) -> Message | None:
    del names
    parts = _parts(item)
    return Message(role=Role.USER, parts=parts, speaker=item.text("author")) if parts else None


def _reasoning(item: Fields, names: Names) -> Message | None:
    del names
    thoughts = [each for name in ("summary", "content") for each in item.objects(name)]
    text = "\n\n".join(part.text for each in thoughts if isinstance(part := _part(each), Text))
    return Message(role=Role.ASSISTANT, parts=(Reasoning(text),)) if text else None


def _call(item: Fields, names: Names) -> Message:
    """Return a tool call; a tool that the provider itself runs is named after the item's type."""
    kind = item.text("type").removesuffix("_call")
    name = item.text("name") or kind
    call_id = item.text("call_id", "id")
    names[call_id] = name
    arguments = next((value for field in ("arguments", "input", "action") if (value := item.value(field))), None)
    return Message(role=Role.ASSISTANT, parts=(ToolCall(call_id, name, arguments_json(arguments)),))


def _result(item: Fields, names: Names) -> Message:
    call_id, output = item.text("call_id"), item.object("output")
    texts = [item.text("output"), output.text("content"), output.text("text")]
    parts = [part for each in item.objects("output") if (part := _part(each))] if not output else []
    texts += [part.text for part in parts if isinstance(part, Text)]
    if tools := item.values("tools"):
        texts.append(json_of(tools))
    output.skip("type")
    is_error = output.value("success") is False
    result = ToolResult(call_id, names.get(call_id, "tool"), "\n".join(filter(None, texts)), is_error)
    return Message(role=Role.TOOL, parts=(result, *(part for part in parts if isinstance(part, Attachment))))


def _image(item: Fields, names: Names) -> Message | None:
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
    "message": _message,
    "agent_message": _agent_message,
    "reasoning": _reasoning,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _call,
    "web_search_call": _call,
    "tool_search_call": _call,
    "function_call_output": _result,
    "custom_tool_call_output": _result,
    "local_shell_call_output": _result,
    "tool_search_output": _result,
    "image_generation_call": _image,
}


PROGRAM = "Codex CLI"
REPEATED = frozenset(
    {
        *("user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "context_compacted"),
        *("exec_command_end", "image_generation_end", "UserMessage", "AgentMessage", "Reasoning", "CommandExecution"),
    }
)
"""Events, and items of the event `item_completed`, that repeat response items."""


def recognizes(source: Source) -> bool:
    """Return whether the first line belongs to a session, in the current or the older form."""
    keys = source.first_keys
    is_older = "type" not in keys and {"id", "timestamp", "instructions"} <= keys
    return is_older or {"timestamp", "type", "payload"} <= keys


def read(source: Source) -> Iterator[Found]:
    """Yield the session. Damaged lines are reported, and the others are read."""
    session = _Session()
    for number, line in enumerate(source.lines(), start=1):
        try:
            value = json.loads(line.removeprefix(BYTE_ORDER_MARK))
        except (ValueError, RecursionError):
            session.unread.append(bad_line(number, NOT_JSON))
        else:
            session.add(number, Fields(value), line)
    yield session.conversation(source)


class _Session:
    """Converts the lines of a session, one after the other."""

    def __init__(self) -> None:
        self.unread: list[str] = []
        self._entries: list[ForeignEntry] = []
        self._rests: dict[str, Any] = {}
        self._names: Names = {}
        self._path: list[str] = []
        """The ids of the entries of the current branch so far."""
        self._turns: list[int] = []
        """The length of the path before each message of the user in it."""
        self._hash, self._written = hashlib.sha256(), b""
        self._id = self._title = self._first = self._folder = self._model = ""
        self._created_at = self._updated_at = 0.0
        self._usage: Usage | None = None
        """The measured tokens of a reply that follows: older versions report them before the reply."""
        self._tokens = 0
        self._settings: dict[str, Any] = {}

    def add(self, number: int, line: Fields, written: bytes) -> None:
        """Add a line. written: its bytes in the file."""
        self._written = written.strip()
        at = line.time("timestamp")
        self._updated_at = max(self._updated_at, at)
        payload = line.object("payload")
        kind = line.text("type")
        match kind if payload else "":
            case "response_item":
                self._add_item(payload, at)
            case "session_meta":
                self._add_session(payload, at)
            case "turn_context":
                self._add_settings(payload)
            case "compacted":
                self._add_compaction(payload, at)
            case "event_msg":
                self._add_event(payload)
            case _ if kind:  # a line of the older kind
                self._add_item(line, at)
            case _:
                self._add_session(line, at)
        if rest := (payload or line).rest():
            self._rests[str(number)] = {"type": payload.text("type") or kind, **rest}

    def _add_session(self, about: Fields, at: float) -> None:
        """Use the session's metadata; in a forked session, the metadata of the original one follows."""
        about.skip("session_id", "record_type")
        session, created_at, folder = about.text("id"), about.time("timestamp"), about.text("cwd")
        if self._id and session not in ("", self._id):
            about.skip("instructions", "base_instructions")
        self._id = self._id or session
        self._created_at = self._created_at or created_at or at
        self._folder = self._folder or folder
        if folder != self._folder:
            about.keep("cwd")

    def _add_settings(self, turn: Fields) -> None:
        """Use the model of a turn. The rest keeps the other settings where they change."""
        self._model = turn.text("model") or self._model
        self._folder = self._folder or turn.text("cwd")
        turn.skip("turn_id")
        turn.skip("cwd") if turn.peek("cwd") == self._folder else turn.keep("cwd")
        settings = turn.rest()
        if settings == self._settings:
            turn.skip(*settings)
        self._settings = settings

    def _add_item(self, item: Fields, at: float) -> None:
        message = message_of(item, self._names)
        if message is None:
            return
        is_reply = message.role is Role.ASSISTANT
        written = written_by_user(message)
        if written:
            self._turns.append(len(self._path))
            self._first = self._first or title_of(written)
        self._folder = self._folder or folder_in(message)
        message = replace(message, at=at)
        if is_reply:
            message = replace(message, model=self._model, usage=self._usage)
            self._usage = None
        self._add_entry(ForeignMessage(self._next_id(), self._end, message))

    def _add_compaction(self, about: Fields, at: float) -> None:
        """Add a summary. An encrypted one has no text, so the messages before it remain uncompacted."""
        for item in about.objects("replacement_history"):
            if item.text("type") == "message":  # repeats an earlier message
                item.skip("id", "role", "content", "phase")
        summary = about.text("message")
        if summary and self._end:
            self._add_entry(ForeignCompaction(self._next_id(), self._end, summary, at, model=self._model))

    def _add_event(self, event: Fields) -> None:
        kind = event.text("type")
        event.skip("last_agent_message")
        if kind == "token_count":
            self._add_usage(Fields(event.value("info")))
            event.skip("rate_limits")
        elif kind == "thread_rolled_back":
            self._take_back(event.count("num_turns"))
        elif kind == "thread_name_updated":
            self._title = event.text("thread_name") or self._title
        elif kind in REPEATED or (kind == "item_completed" and event.object("item").text("type") in REPEATED):
            event.skip(*event.rest())
            event.object("item").skip(*event.object("item").rest())

    def _add_usage(self, info: Fields) -> None:
        """Use the tokens of the newest request; repeated events have the same total."""
        tokens, usage = info.object("total_token_usage").count("total_tokens"), info.object("last_token_usage")
        if tokens == self._tokens:
            return
        self._tokens = tokens
        names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_output_tokens")
        prompt, reply, cached, thought = (usage.count(name) for name in names)
        measured = Usage(prompt, reply, cached, reasoning_tokens=thought)
        last = self._entries[-1] if self._entries else None
        if isinstance(last, ForeignMessage) and last.message.role is Role.ASSISTANT and last.message.usage is None:
            self._entries[-1] = replace(last, message=replace(last.message, usage=measured))
        else:
            self._usage = add_usage(self._usage, measured)

    def _take_back(self, turns: int) -> None:
        """Go back to before the user's last turns; what follows is another version of them."""
        for _ in range(min(turns, len(self._turns))):
            del self._path[self._turns.pop() :]

    @property
    def _end(self) -> str:
        return self._path[-1] if self._path else ""

    def _next_id(self) -> str:
        """Return an id that hashes the line and all entries before it, and so stays the same when the session grows."""
        self._hash.update(self._written)
        return self._hash.hexdigest()

    def _add_entry(self, entry: ForeignEntry) -> None:
        self._entries.append(entry)
        self._path.append(entry.id)

    def conversation(self, source: Source) -> Found:
        """Return the conversation of the lines added so far, or an `UnreadFile` if it has no messages."""
        if not any(isinstance(entry, ForeignMessage) for entry in self._entries):
            return UnreadFile(source.name, without_messages(self.unread))
        return ForeignConversation(
            PROGRAM,
            self._id or source.name.rpartition("/")[2],
            self._title or self._first,
            tuple(self._entries),
            created_at=self._created_at or source.modified,
            updated_at=self._updated_at,
            current=self._end,
            model=self._model,
            folder=self._folder,
            rest=rest_json(self._rests),
            unread=tuple(self.unread),
        )


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.codex/sessions, or a rollout-….jsonl in it"),
    recognizes,
    read,
    homes=(".codex/sessions",),
)
