"""Gemini CLI's sessions and saved chats, in `~/.gemini/tmp/PROJECT`.

- `chats/session-*.jsonl`, since 0.39: a line about the session, then a line for each message and each version of it,
  `$set` for changes and `$rewindTo` for what was taken back. Sub-agents have files of their own.
- `chats/session-*.json`, before: one object with a list `messages`.
- `checkpoint-NAME.json`, of `/chat save`: a list of Google's `Content`, newer in an object as `history`.

After the program's source (chatRecordingService.ts, logger.ts) and files of October 2025 to April 2026.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, cast
from urllib.parse import unquote

import msgspec

from desktop_app.chat.titles import title_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
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

from .format import NOT_AN_OBJECT, NOT_WHOLE, Fields, Format, Found, bad_line, json_of, rest_json, seconds_of
from .gemini_parts import arguments_of, fields_of, parts_of, turns_of
from .sources import BYTE_ORDER_MARK, BadFile, Source

ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT}
IMPOSSIBLE_TOKENS = 2**53
"""As many tokens are none."""


class SessionMessages:
    """Reads the messages of one session in their order."""

    def __init__(self) -> None:
        self.rests: dict[str, Any] = {}
        """What has no place, by the message's id."""
        self.notices: dict[str, Any] = {}
        """What the program said to the user, by the message's id."""
        self._answered: set[str] = set()

    def messages_of(self, name: str, value: dict[str, Any]) -> list[Message]:
        """Return the messages that this one is here; none for a notice, and for one without content."""
        fields = Fields(value)
        fields.skip("id")
        role = ROLES.get(fields.text("type", "role"))
        if role is None:
            self.notices[name] = {key: each for key, each in value.items() if key != "id"}
            return []
        inner = fields_of(fields.value("content") or fields.value("parts") or "")
        calls = fields.objects("toolCalls")
        given = [fields_of(call.value("result") or []) for call in calls]
        at = fields.time("timestamp")
        messages = list(self._said(fields, role, inner, calls))
        for call, result in zip(calls, given, strict=True):
            messages += self._result(call, result, at)
        left = [rest for part in [*inner, *(part for result in given for part in result)] if (rest := part.rest())]
        if rest := fields.rest() | ({"parts": left} if left else {}):
            self.rests[name] = rest
        return messages

    def _said(self, fields: Fields, role: Role, inner: list[Fields], calls: list[Fields]) -> Iterator[Message]:
        at, model, usage = fields.time("timestamp"), fields.text("model"), _usage(fields)
        ids = {call.text("id") for call in calls}
        parts = [*_thoughts(fields), *(part for part in parts_of(inner) if not self._is_again(part, ids))]
        parts += [ToolCall(call.text("id"), call.text("name") or "tool", arguments_of(call)) for call in calls]
        for speaker, said in turns_of(role, parts):
            if speaker is Role.ASSISTANT:
                yield Message(role=speaker, parts=said, at=at, model=model, usage=usage)
                usage = None
            else:
                yield Message(role=speaker, parts=said, at=at)

    def _is_again(self, part: Part, calls: set[str]) -> bool:
        """Return whether it stands among the calls too, where the program wrote down what it sent to the model."""
        if isinstance(part, ToolResult):
            return part.call_id in self._answered
        return isinstance(part, ToolCall) and part.call_id in calls

    def _result(self, call: Fields, inner: list[Fields], at: float) -> Iterator[Message]:
        call_id, name, status = call.text("id"), call.text("name") or "tool", call.text("status")
        parts = [part for part in parts_of(inner) if not isinstance(part, ToolResult) or part.call_id in ("", call_id)]
        text = _text(parts)
        shown = call.text("resultDisplay") if call.peek("resultDisplay") == text or not text else ""
        if not parts and not shown and status not in ("error", "cancelled"):
            return
        self._answered.add(call_id)
        result = ToolResult(
            call_id,
            name,
            text or shown,
            is_error=status in ("error", "cancelled") or any(isinstance(p, ToolResult) and p.is_error for p in parts),
            ending="stopped" if status == "cancelled" else "",
        )
        files = (part for part in parts if isinstance(part, Attachment))
        yield Message(role=Role.TOOL, parts=(result, *files), at=call.time("timestamp") or at)


def _text(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, ToolResult | Text) and part.text)


def _thoughts(fields: Fields) -> list[Part]:
    thoughts = ((each.text("subject"), each.text("description")) for each in fields.objects("thoughts"))
    texts = ("\n\n".join(filter(None, (subject and f"**{subject}**", said))) for subject, said in thoughts)
    text = "\n\n".join(filter(None, texts))
    return [Reasoning(text)] if text else []


def _usage(fields: Fields) -> Usage | None:
    tokens = fields.object("tokens")
    thought, prompt = _count(tokens, "thoughts"), _count(tokens, "input")
    usage = Usage(prompt, _count(tokens, "output") + thought, _count(tokens, "cached"), reasoning_tokens=thought)
    tokens.skip("total")
    return usage if usage.prompt_tokens or usage.reply_tokens else None


def _count(tokens: Fields, name: str) -> int:
    found = tokens.number(name)
    return int(found) if 0 <= found < IMPOSSIBLE_TOKENS else 0


Json = dict[str, Any]
SNAPSHOT = "<state_snapshot>"
"""With which Gemini CLI marks the summary that it puts in the place of older messages."""


class Node(msgspec.Struct):
    """A message of the session, or a summary that replaced those before it."""

    parent: str
    value: Json
    summary: str = ""


class SessionRecord:
    """Follows the lines of a session. The older shape is one object, as if it were a single line.

    What was taken back stays as a branch. Where the program writes all its messages anew, those that it has shortened
    stay as they were, and those that it replaced by a summary stay before it.
    """

    def __init__(self) -> None:
        self.about: Json = {}
        self.nodes: dict[str, Node] = {}
        self.order: list[str] = []
        """A parent stands before what follows it."""
        self.unknown: list[Json] = []
        self._path: list[str] = []
        self._open: set[str] = set()
        self._summarized: set[str] = set()

    @property
    def current(self) -> str:
        """The message with which the open branch ends."""
        return self._path[-1] if self._path else ""

    def add(self, line: Json) -> None:
        """Follow one line."""
        change = line.get("$set")
        if isinstance(line.get("$rewindTo"), str):
            self._rewind(line["$rewindTo"])
        elif isinstance(change, dict):
            if (messages := self._describe(cast("Json", change))) is not None:
                self._replace(messages)
        elif isinstance(line.get("id"), str):
            self._say(line)
        elif "sessionId" in line:
            for message in self._describe(line) or ():
                self._say(message)
        else:
            self.unknown.append(line)

    def _describe(self, change: Json) -> list[Json] | None:
        """Take over what a line says about the session; return its messages, if it has any list of them."""
        messages = change.get("messages")
        if not isinstance(messages, list):
            self.about |= change
            return None
        self.about |= {name: value for name, value in change.items() if name != "messages"}
        found = [cast("Json", each) for each in cast("list[object]", messages) if isinstance(each, dict)]
        self.unknown += [{"message": each} for each in cast("list[object]", messages) if not isinstance(each, dict)]
        return found

    def _id(self, message: Json) -> str:
        found = message.get("id")
        return found if isinstance(found, str) and found else f"#{len(self.order)}"

    def _say(self, message: Json) -> None:
        """Add a message, or take over its newer version: one is written again with its calls and tokens."""
        name = self._id(message)
        if name in self.nodes:
            self.nodes[name].value = message
        else:
            self._insert(name, Node(self.current, message), self.current)

    def _insert(self, name: str, node: Node, previous: str) -> None:
        """Put it behind that message of the open branch, and before what followed that."""
        place = self._path.index(previous) + 1 if previous else 0
        if place < len(self._path):
            follower = self._path[place]
            self.nodes[follower].parent = name
            self.order.insert(self.order.index(follower), name)
        else:
            self.order.append(name)
        self._path.insert(place, name)
        self._open.add(name)
        self.nodes[name] = node

    def _rewind(self, name: str) -> None:
        """Take back a message and all after it; all of them, as the program does, if it is not there."""
        place = self._path.index(name) if name in self._open else 0
        self._path = self._path[:place]
        self._open = set(self._path)

    def _replace(self, messages: list[Json]) -> None:
        """Follow the program where it writes its messages anew: it has summarized, shortened or added some."""
        named = [(self._id(each), each) for each in messages]
        named = [(name, each) for name, each in named if name not in self._summarized]
        first_kept = next((n for n, (name, _) in enumerate(named) if name in self._open), len(named))
        snapshot = next((n for n in range(first_kept) if SNAPSHOT in _text_of(named[n][1])), -1)
        previous = ""
        if snapshot >= 0 and self._path:
            kept = named[first_kept][0] if first_kept < len(named) else ""
            previous = self._summarize(named[: snapshot + 1], kept)
            named = named[snapshot + 1 :]
        elif first_kept == len(named):
            self._rewind("")
        for name, message in named:
            if name not in self.nodes:
                self._insert(name, Node(previous, message), previous)
            if name in self._open:
                previous = name

    def _summarize(self, replacement: list[tuple[str, Json]], kept: str) -> str:
        """Put a summary before the first message that was kept; return its id."""
        name, message = replacement[-1]
        replaced = self._path[: self._path.index(kept)] if kept else self._path
        previous = replaced[-1] if replaced else ""
        self._summarized.update(each for each, _ in replacement[:-1])
        if name not in self.nodes:
            text = "\n\n".join(_text_of(each) for _, each in replacement)
            self._insert(name, Node(previous, message, text), previous)
        return name


def _text_of(message: Json) -> str:
    return "\n\n".join(text for part in fields_of(message.get("content")) if (text := part.text("text")))


PROGRAM = "Gemini CLI"
FIRST = 4
"""Messages by which a saved chat, which has no id, is known."""
OF_THE_PROGRAM = ("/", "?", "<session_context>", "<hook_context>")
"""How what the user did not say begins."""


def recognizes(source: Source) -> bool:
    """Return whether it is a session, or a list of contents, alone or as a history."""
    keys = source.first_keys
    if {"sessionId", "projectHash"} <= keys or keys == {"role", "parts"}:
        return True
    return "history" in keys and "clientHistory" not in keys and b'"parts"' in source.beginning


def read(source: Source) -> Iterator[Found]:
    """Return the one conversation of the file."""
    if "projectHash" in source.first_keys:
        yield _session(source)
    else:
        yield _saved_chat(source)


def _session(source: Source) -> ForeignConversation:
    record = SessionRecord()
    unread: list[str] = []
    for number, line in _lines(source):
        value = _json(line)
        if isinstance(value, dict):
            record.add(cast("Json", value))
        else:
            unread.append(bad_line(number, NOT_AN_OBJECT) if number else NOT_AN_OBJECT)
    if not record.about:
        raise BadFile(unread[0] if unread else translatable("it is empty"))
    return _conversation(record, source, tuple(unread))


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Return the lines with their numbers; the whole file, as number 0, where the first line is no JSON: the older
    shape."""
    for number, line in enumerate(source.lines(), start=1):
        if number == 1 and _json(line.removeprefix(BYTE_ORDER_MARK)) is None:
            yield 0, source.read().removeprefix(BYTE_ORDER_MARK)
            return
        yield number, line.removeprefix(BYTE_ORDER_MARK)


def _json(content: bytes) -> Any:
    """Return the JSON value; None for what is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # also what is not UTF-8
        return None


def _conversation(record: SessionRecord, source: Source, unread: tuple[str, ...]) -> ForeignConversation:
    reader = SessionMessages()
    entries: list[ForeignEntry] = []
    ends: dict[str, str] = {}
    for name in record.order:
        node = record.nodes[name]
        end = ends.get(node.parent, "")
        if node.summary:
            entries.append(ForeignCompaction(name, end, node.summary, at=seconds_of(node.value.get("timestamp"))))
            end = name
        for number, message in enumerate(() if node.summary else reader.messages_of(name, node.value)):
            entry = ForeignMessage(f"{name}/{number}" if number else name, end, message)
            entries.append(entry)
            end = entry.id
        ends[name] = end
    fields = Fields(record.about)
    said = [e.message for e in entries if isinstance(e, ForeignMessage)]
    models = [message.model for message in said if message.model]
    title, name = fields.text("summary") or _title(said), fields.text("sessionId") or source.name
    created_at, updated_at = fields.time("startTime"), fields.time("lastUpdated")
    rest = fields.rest() | {"messages": reader.rests, "notices": reader.notices, "unknown": record.unknown}
    return ForeignConversation(
        PROGRAM,
        name,
        title,
        tuple(entries),
        created_at=created_at,
        updated_at=updated_at,
        current=ends.get(record.current, ""),
        model=models[-1] if models else "",
        folder=_project_of(source),
        rest=rest_json({name: value for name, value in rest.items() if value}),
        unread=unread,
    )


def _title(said: list[Message]) -> str:
    """Return the first words of the user; "" if there are none but the program's."""
    texts = (message.text.strip() for message in said if message.role is Role.USER)
    return title_of(next((text for text in texts if text and not text.startswith(OF_THE_PROGRAM)), ""))


def _project_of(source: Source) -> str:
    """Return the path of the project, which newer versions keep beside its chats; "" if it is not there."""
    path, _, inner = f"/{source.name}".partition("/chats/")
    marker = source.folder.named(f"{path}/.project_root".lstrip("/")) if inner else None
    try:
        found = marker.read().decode().strip() if marker is not None else ""
    except (BadFile, UnicodeDecodeError):  # of no importance
        return ""
    return found if found.startswith("/") or found[1:3] == ":\\" else ""


def _saved_chat(source: Source) -> ForeignConversation:
    value = _json(source.read().removeprefix(BYTE_ORDER_MARK))
    if value is None:
        raise BadFile(NOT_WHOLE)
    fields = Fields({"history": value} if isinstance(value, list) else value)
    entries: list[ForeignEntry] = []
    rests: dict[str, Json] = {}
    content_id = ""
    for number, content in enumerate(fields.objects("history")):
        content_id = _hashed(content_id, content)
        role = Role.USER if content.text("role") in ("user", "function") else Role.ASSISTANT
        parts = fields_of(content.value("parts"))
        for place, (speaker, said) in enumerate(turns_of(role, parts_of(parts))):
            end = entries[-1].id if entries else ""
            message = Message(role=speaker, parts=said)
            entries.append(ForeignMessage(f"{content_id}/{place}", end, message))
        if left := [rest for part in parts if (rest := part.rest())]:
            rests[str(number)] = {"parts": left}
    key = entries[min(FIRST, len(entries)) - 1].id if entries else source.name
    rest = fields.rest() | ({"contents": rests} if rests else {})
    return ForeignConversation(PROGRAM, key, _tag(source), tuple(entries), source.modified, rest=rest_json(rest))


def _hashed(before: str, content: Fields) -> str:
    said = json_of([content.value("role"), content.value("parts")], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"{before}{said}".encode()).hexdigest()


def _tag(source: Source) -> str:
    """Return the name under which the user saved the chat."""
    name = source.name.rpartition("/")[2]
    return unquote(name.removeprefix("checkpoint-").removesuffix(".json")) if name.startswith("checkpoint-") else ""


FORMAT = Format(
    PROGRAM,
    translatable("a session or a saved chat out of its folder .gemini/tmp, or the folder"),
    recognizes,
    read,
    homes=(".gemini/tmp",),
)
