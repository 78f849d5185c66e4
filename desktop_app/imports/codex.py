"""Sessions of the Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, one per file.

Since September 2025, a line is {timestamp, type, payload}. A `response_item` is an item sent to or received from the
model; an `event_msg` repeats it as Codex displays it, and also reports measured tokens and rolled-back turns. In older
files, the lines are the items themselves, without times, after a first line {id, timestamp, instructions}.

Since 2026, lines have an `ordinal`. A session that was rewound or forked goes on in a new file, whose `history_base`
names the session, and the ordinal up to which its lines are the past of the new one: the same session if it was
rewound, so that its files are one conversation. Names of sessions are in `~/.codex/session_index.jsonl`. Based on the
source code of 2025 and on sessions of versions 0.50 to 0.171.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
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

from .codex_rollouts import ARCHIVED, Base, Rollouts, rollouts_around
from .format import NOT_JSON, Fields, Format, Found, arguments_json, bad_line, json_of, rest_json, without_messages
from .sources import BYTE_ORDER_MARK, Source
from .trees import attachment_at, attachment_of

PROGRAM = "Codex CLI"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "developer": Role.SYSTEM, "system": Role.SYSTEM}
REQUEST = "## My request for Codex:"
"""Precedes the user's text when an editor has put its own context before it."""
BOILERPLATE = re.compile(r"\s*(?:<([a-zA-Z_ ]+)>.*</\1>\s*\Z|# AGENTS\.md instructions)", re.DOTALL)
FOLDER = re.compile(r"<environment_context>.*?<cwd>(.+?)</cwd>", re.DOTALL)

EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)
ABORTED = re.compile(r"(?:Wall time: .*\n)?aborted by user")
TYPED_COMMAND = re.compile(
    r"\s*<user_shell_command>\s*<command>\n?(.*?)\n?</command>\s*<result>\n?(.*?)\n?</result>\s*</user_shell_command>\s*\Z",
    re.DOTALL,
)
IMAGE_TAG = re.compile(r'<image(?: [^>]*?path="(?P<name>[^"]*)")?[^>]*>|</image>')
"""The texts that Codex writes around an image."""
HEAD = 1_000
"""Characters at the beginning of a result that may contain the exit code."""

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
    if role is None or not parts:
        return None
    message = Message(role=role, parts=parts)
    if role is not Role.USER:
        return message
    if typed := TYPED_COMMAND.match(message.text):
        item.keep("content")
        return replace(message, parts=(Text(f"! {typed[1]}\n\n{typed[2]}"),))
    return replace(message, speaker=PROGRAM) if BOILERPLATE.match(message.text) else message


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
    text = "\n".join(filter(None, texts))
    is_error = output.value("success") is False or _has_failed(text)
    ending = "stopped" if ABORTED.match(text) else ""
    result = ToolResult(call_id, names.get(call_id, "tool"), text, is_error or bool(ending), ending=ending)
    return Message(role=Role.TOOL, parts=(result, *(part for part in parts if isinstance(part, Attachment))))


def _has_failed(text: str) -> bool:
    """Return whether the result of a command says an exit code other than 0: in its head, or in older ones in JSON."""
    head = text[:HEAD].partition("\nOutput:\n")[0]
    if "exited with code" in head or "Exit code:" in head:
        code = EXIT_CODE.search(head)
        return code is not None and int(code[1]) != 0
    if not text.startswith('{"output":'):
        return False
    with suppress(ValueError, RecursionError):
        return Fields(json.loads(text)).object("metadata").number("exit_code") != 0
    return False


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
    fields = item.objects("content")
    parts = [part for each in fields if (part := _part(each))]
    if not any(isinstance(part, Attachment) for part in parts):
        return tuple(parts)
    tags = [tag for each in fields if (tag := IMAGE_TAG.fullmatch(each.text("text")))]
    for each in fields:
        if IMAGE_TAG.fullmatch(each.text("text")):
            each.keep("text")
    names = iter([tag["name"].rpartition("/")[2] for tag in tags if tag["name"]])
    named = [replace(part, name=next(names, part.name)) if isinstance(part, Attachment) else part for part in parts]
    return tuple(part for part in named if not (isinstance(part, Text) and IMAGE_TAG.fullmatch(part.text)))


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
    """Yield the session, with its files until this one if it was rewound, or nothing if later files go on with it."""
    rollouts = rollouts_around(source)
    files = rollouts.files_of(source)
    if files and files[-1] is not source:
        return
    session = _read(source, rollouts)
    found = session.conversation(source)
    if isinstance(found, ForeignConversation):
        found = replace(
            found, title=rollouts.name_of(found.id) or found.title, is_put_away=_is_put_away(session, source)
        )
        found = _with_earlier(found, [_read(each, rollouts).conversation(each) for each in files[:-1]])
    yield found


def _read(source: Source, rollouts: Rollouts) -> _Session:
    """Read a file. Damaged lines are reported, and the others are read."""
    session = _Session()
    for number, line in enumerate(source.lines(), start=1):
        value = _json(line)
        if value is None:
            session.unread.append(bad_line(number, NOT_JSON))
            continue
        fields = Fields(value)
        if b'"history_base"' in line and (base := Base.of(fields)):
            _add_past(session, base, source, rollouts)
        session.add(str(number), fields, line)
    return session


def _json(line: bytes) -> object:
    """Return the value of a line; None if it is not JSON."""
    try:
        return json.loads(line.removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        return None


def _add_past(session: _Session, base: Base, source: Source, rollouts: Rollouts) -> None:
    """Add the lines of other files with which the session begins; say so if they are missing."""
    past = rollouts.before(base, source)
    if past is None:
        session.unread.append(
            translatable("its beginning is in a file that is not here: {name}").format(name=base.session)
        )
        return
    for number, line in past:
        session.add(f"{base.session}/{number}", Fields(_json(line)), line, is_past=base.session)


def _with_earlier(found: ForeignConversation, earlier: list[Found]) -> ForeignConversation:
    """Return a conversation with the entries that only earlier files of its session have: they were rewound."""
    entries = {entry.id: entry for each in earlier if isinstance(each, ForeignConversation) for entry in each.entries}
    if not entries:
        return found
    entries |= {entry.id: entry for entry in found.entries}
    first = min(each.created_at for each in [found, *earlier] if isinstance(each, ForeignConversation))
    return replace(found, entries=tuple(entries.values()), created_at=first)


def _is_put_away(session: _Session, source: Source) -> bool:
    """Return whether the session is a subagent's, or was archived."""
    return session.is_subagent or ARCHIVED in (*source.name.split("/"), source.folder.path.name)


class _Session:
    """Converts the lines of a session, one after the other."""

    def __init__(self) -> None:
        self.unread: list[str] = []
        self.is_subagent = False
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
        self._has_records = False
        """Whether lines of their own report the tokens of each reply, so that events repeat them."""
        self._is_past = False
        """Whether the lines belong to the session from which this one was forked."""
        self._item_ids: dict[str, str] = {}
        """The entries of items, by the items' ids."""
        self._settings: dict[str, Any] = {}

    def add(self, number: str, line: Fields, written: bytes, is_past: str = "") -> None:
        """Add a line. number: its name in the rest. written: its bytes. is_past: the session whose line it is, if the
        session only begins with it."""
        self._written, self._is_past = written.strip(), bool(is_past)
        at = line.time("timestamp")
        self._updated_at = max(self._updated_at, at)
        payload = line.object("payload")
        kind = line.text("type")
        match kind if payload else "":
            case "response_item" if "metadata" in line and line.object("metadata").flag("compaction_output"):
                self._next_id()  # a summary, which the compaction repeats
                payload.skip(*payload.rest())
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
            case "token_usage_record":
                self._has_records = True
                self._measure(payload.object("usage"))
                payload.skip(*payload.rest())
            case _ if kind:  # a line of the older kind
                self._add_item(line, at)
            case _:
                self._add_session(line, at)
        if rest := (payload or line).rest():
            self._rests[number] = {"type": payload.text("type") or kind, **rest}

    def _add_session(self, about: Fields, at: float) -> None:
        """Use the session's metadata; in a forked session, the metadata of the original one follows."""
        about.skip("session_id", "record_type")
        if self._is_past:
            about.skip(*about.rest())
            return
        self.is_subagent = self.is_subagent or about.text("thread_source") == "subagent"
        self.is_subagent = self.is_subagent or "subagent" in about.object("source")
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
        if is_reply:
            message = replace(message, at=at, model=self._model, usage=self._usage)
            self._usage = None
        else:
            message = replace(message, at=at)
        self._add_entry(ForeignMessage(self._next_id(), self._end, message))
        if item_id := item.peek("id"):
            self._item_ids[str(item_id)] = self._end

    def _add_compaction(self, about: Fields, at: float) -> None:
        """Add a summary. An encrypted one has no text, so the messages before it remain uncompacted."""
        summary = about.text("message")
        kept: list[str] = []
        before, path = 0, set(self._path)
        for item in about.objects("replacement_history"):
            if found := self._kept_by(item, path.difference(kept)):
                kept.append(found)
            elif summary and any(part == Text(summary) for part in _parts(item)):
                before = len(kept)
            if item.text("type") == "message":  # repeats an earlier message
                item.skip("id", "role", "content", "phase")
        if summary and self._end:
            places = {name: place for place, name in enumerate(self._path)}
            follows = max(kept[:before], key=lambda name: places.get(name, -1), default="")
            cut = ForeignCompaction(self._next_id(), self._end, summary, at, model=self._model)
            self._add_entry(replace(cut, kept=tuple(kept), follows=follows))

    def _kept_by(self, item: Fields, path: set[str]) -> str:
        """Return the entry that an item of a new history repeats: by its id, otherwise the newest one with its text.

        path: the entries in question.
        """
        known = self._item_ids.get(str(item.peek("id")), "")
        if known in path:
            return known
        repeated = _message(item, {}) if item.peek("type") == "message" else None
        if repeated is None or repeated.role is Role.SYSTEM:
            return ""
        for entry in reversed(self._entries):
            if not isinstance(entry, ForeignMessage) or entry.id not in path:
                continue
            if entry.message.role is repeated.role and entry.message.parts == repeated.parts:
                return entry.id
        return ""

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
        elif kind == "turn_aborted":
            self._interrupt()
        elif kind == "task_complete" and self._entries and isinstance(last := self._entries[-1], ForeignCompaction):
            self._entries[-1] = replace(last, is_automatic=False)  # the turn did nothing else
        elif kind in REPEATED or (kind == "item_completed" and event.object("item").text("type") in REPEATED):
            event.skip(*event.rest())
            event.object("item").skip(*event.object("item").rest())

    def _add_usage(self, info: Fields) -> None:
        """Use the tokens of the newest request; repeated events have the same total."""
        tokens, usage = info.object("total_token_usage").count("total_tokens"), info.object("last_token_usage")
        if tokens != self._tokens and not self._has_records:
            self._measure(usage)
        self._tokens = tokens

    def _measure(self, usage: Fields) -> None:
        """Use the tokens of a request: the newest reply's if it has none yet, even if its results came before."""
        names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_output_tokens")
        prompt, reply, cached, thought = (usage.count(name) for name in names)
        measured = Usage(prompt, reply, cached, reasoning_tokens=thought)
        place = self._newest_but(Role.TOOL)
        last = self._entries[place] if place >= 0 else None
        if isinstance(last, ForeignMessage) and last.message.role is Role.ASSISTANT and last.message.usage is None:
            self._entries[place] = replace(last, message=replace(last.message, usage=measured))
        elif not self._has_records:
            self._usage = add_usage(self._usage, measured)

    def _newest_but(self, *roles: Role, speaker: str | None = None) -> int:
        """Return the index of the newest entry that is not a message of these roles or by the speaker; -1 for none."""
        place = len(self._entries) - 1
        while place >= 0 and isinstance(entry := self._entries[place], ForeignMessage):
            if entry.message.role not in roles and (speaker is None or entry.message.speaker != speaker):
                break
            place -= 1
        return place

    def _interrupt(self) -> None:
        """Mark the reply that the user stopped; a note to the model may follow it."""
        place = self._newest_but(speaker=PROGRAM)
        last = self._entries[place] if place >= 0 else None
        if isinstance(last, ForeignMessage) and last.message.role is Role.ASSISTANT:
            self._entries[place] = replace(last, message=replace(last.message, is_interrupted=True))

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
    homes=(".codex/sessions", ".codex/archived_sessions"),
)
