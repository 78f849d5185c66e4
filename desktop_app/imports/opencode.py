"""Sessions of opencode: the files in its folder `storage`, its later database, or the output of `opencode export`.

Until the beginning of 2026, each session, message and part is a JSON file: session/PROJECT/SESSION.json,
message/SESSION/MESSAGE.json and part/MESSAGE/PART.json. Before September 2025, these are in
project/NAME/storage/session, as info/SESSION.json, message/SESSION/MESSAGE.json and part/SESSION/MESSAGE/PART.json.
Since 2026, the same objects are in the tables session, message and part of opencode.db. Based on the source code of all
three, and on files of versions up to 1.18.33.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignCompaction, ForeignEntry, ForeignMessage, UnreadFile
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

from .agent_sessions import AgentSession
from .format import NOT_JSON, Fields, Format, Found, arguments_json, json_in
from .sources import SQLITE, BadFile, Source, database_in, has_tables, rows_of
from .trees import NOT_IN_EXPORT, attachment_at


class SessionEntries:
    """Converts the messages of a session, one after the other."""

    def __init__(self, source: Source) -> None:
        self.session = AgentSession(PROGRAM, source)
        self.rests: dict[str, Any] = {}
        self.starts: dict[str, str] = {}
        """The entry that each message follows, by the message's id."""
        self._is_asked = False
        """Whether the user, and not opencode, requested the next summary."""
        self._tail = ""
        """The id of the first message that the next compaction keeps; "" for none."""
        self._firsts: dict[str, int] = {}
        """The index of the first entry of each message."""

    def add(self, message: Fields, parts: list[Fields]) -> None:
        """Add a message with its parts."""
        name, role = message.text("id"), message.text("role")
        message.skip("sessionID", "parentID")
        self.starts.setdefault(name, self.session.end)
        self._firsts.setdefault(name, len(self.session.entries))
        at = message.object("time").time("created")
        if role == "user":
            self._add_question(name, at, parts)
        elif role == "assistant":
            self._add_answer(name, at, message, parts)
        self._keep(name, message)
        for number, part in enumerate(parts):
            part.skip("sessionID", "messageID")
            self._keep(part.text("id") or f"{name}/{number}", part)

    def _add_question(self, name: str, at: float, parts: list[Fields]) -> None:
        converted: list[Part] = []
        for part in parts:
            kind = part.text("type")
            if kind == "compaction":
                self._is_asked = not part.flag("auto")
                self._tail = part.text("tail_start_id")
            elif found := _part(part, kind):
                converted.append(found)
        if converted:
            self._add(name, Message(role=Role.USER, parts=tuple(converted), at=at))

    def _add_answer(self, name: str, at: float, message: Fields, parts: list[Fields]) -> None:
        model = message.text("modelID") or message.object("model").text("modelID")
        error = message.object("error")
        self.session.model = model or self.session.model
        self.session.folder = self.session.folder or message.object("path").text("cwd")
        is_interrupted = error.text("name") == "MessageAbortedError"
        if not error and message.flag("summary") and self._add_summary(name, at, model, parts):
            return
        before = len(self.session.entries)
        for number, part in enumerate(parts):
            part_name = part.text("id") or f"{name}/{number}"
            for entry_name, entry in _entries(part, part_name, at):
                self._add(entry_name, replace(entry, model=model if entry.role is Role.ASSISTANT else ""))
        replies = [n for n in range(before, len(self.session.entries)) if _is_reply(self.session.entries[n])]
        if replies and isinstance(last := self.session.entries[replies[-1]], ForeignMessage):
            completed = replace(last.message, usage=_usage(message), is_interrupted=is_interrupted)
            self.session.entries[replies[-1]] = replace(last, message=completed)

    def _add_summary(self, name: str, at: float, model: str, parts: list[Fields]) -> bool:
        """Add a summary of everything before it; return False if it is empty, a duplicate or has nothing before it."""
        summary = "\n\n".join(text for part in parts if part.text("type") == "text" and (text := part.text("text")))
        if not summary or not self.session.end or self.session.entries_of(name):
            return False
        is_automatic, self._is_asked = not self._is_asked, False
        entries = self.session.entries
        first = self._firsts.get(self._tail, len(entries)) if self._tail else len(entries)
        kept = tuple(entry.id for entry in entries[first:] if isinstance(entry, ForeignMessage))
        end = self.session.end
        self.session.compact(name, ForeignCompaction(name, end, summary, at, is_automatic, model=model, kept=kept))
        return True

    def _add(self, name: str, message: Message) -> None:
        if name and not self.session.entries_of(name):
            self.session.add(name, [message])

    def _keep(self, name: str, fields: Fields) -> None:
        if rest := fields.rest():
            self.rests[name] = rest


def _is_reply(entry: ForeignEntry) -> bool:
    return isinstance(entry, ForeignMessage) and entry.message.role is Role.ASSISTANT


def _entries(part: Fields, name: str, at: float) -> Iterator[tuple[str, Message]]:
    """Yield a part of a reply as a message with its id, and a tool's result as a second message."""
    kind = part.text("type")
    at = part.object("time").time("start") or at
    if kind == "tool":
        yield from _tool(part, name, at)
    elif found := _part(part, kind):
        yield name, Message(role=Role.ASSISTANT, parts=(found,), at=at)


def _tool(part: Fields, name: str, at: float) -> Iterator[tuple[str, Message]]:
    call_id, tool, state = part.text("callID"), part.text("tool") or "tool", part.object("state")
    times, status = state.object("time"), state.text("status")
    at = times.time("start") or at
    call = ToolCall(call_id, tool, arguments_json(state.value("input")))
    yield name, Message(role=Role.ASSISTANT, parts=(call,), at=at)
    if status in ("pending", "running"):
        return
    has_failed = status == "error"
    text = state.text("error" if has_failed else "output")
    is_error = has_failed or state.object("metadata").peek("exit") not in (None, 0)
    pictures = [found for each in state.objects("attachments") if (found := _part(each, each.text("type")))]
    result = ToolResult(call_id, tool, text, is_error)
    yield f"{name}/result", Message(role=Role.TOOL, parts=(result, *pictures), at=times.time("end") or at)


def _part(part: Fields, kind: str) -> Part | None:
    """Return a part as a part of a message; None for parts without content, such as the beginning of a step."""
    if kind == "file":
        return _file(part)
    text = part.text("prompt" if kind == "subtask" else "text")
    if not text or kind not in ("text", "reasoning", "subtask"):
        return None
    return Reasoning(text) if kind == "reasoning" else Text(text)


def _file(part: Fields) -> Attachment:
    """Return an image with its content, any other file by name: opencode stores its text as a separate part."""
    name, kind = part.text("filename"), part.text("mime")
    if kind.startswith("image/"):
        return attachment_at(part.text("url"), name or "image")
    return Attachment(name or "file", kind or "application/octet-stream", "", about=NOT_IN_EXPORT)


def _usage(message: Fields) -> Usage | None:
    """Return the measured tokens. opencode counts the prompt's tokens without the cached ones.

    Since 1.18, it counts the reply's without the thoughts, and has a total.
    """
    tokens, dollars = message.object("tokens"), message.number("cost")
    cache = tokens.object("cache")
    read, written = cache.count("read"), cache.count("write")
    prompt, reply, thought = tokens.count("input"), tokens.count("output"), tokens.count("reasoning")
    if not prompt + reply + read + written:
        return None
    reply = max(reply, tokens.count("total") - prompt - read - written)
    dollars = dollars if 0 <= dollars < 1e9 else None
    return Usage(prompt + read + written, reply, read, written, dollars, reasoning_tokens=thought)


PROGRAM = "opencode"
DEFAULT_TITLE = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z")
ONE_PART = translatable("it is one part of a session: give the whole folder of opencode")
TABLES = {"session": {"id", "time_created"}, "message": {"session_id", "data"}, "part": {"message_id", "data"}}
"""Tables of the database, with some of their columns."""
EXPORTED = {"info", "messages"}
SESSION = {"id", "version", "title", "time"}
MESSAGES = {"id", "sessionID", "time", "role"}
PARTS = {"id", "sessionID", "messageID", "type"}

Messages = Iterator[tuple[Fields, list[Fields]]]


def recognizes(source: Source) -> bool:
    """Return whether the file is a session, a message, a part, an exported session, or the database."""
    if source.beginning.startswith(SQLITE):
        return has_tables(source, TABLES)
    keys = source.first_keys
    return any(each <= keys for each in (EXPORTED, SESSION, MESSAGES, PARTS))


def read(source: Source) -> Iterator[Found]:
    """Yield the sessions. The files of messages and parts are read with their sessions."""
    if source.beginning.startswith(SQLITE):
        yield from _of_database(source)
    elif source.first_keys.issuperset(EXPORTED):
        exported = Fields(_json(source))
        messages = ((each.object("info"), each.objects("parts")) for each in exported.objects("messages"))
        yield _conversation(source, exported.object("info"), messages, [])
    elif source.first_keys.issuperset(SESSION):
        unread: list[str] = []
        session = Fields(_json(source))
        yield _conversation(source, session, _messages_of(source, session, unread.append), unread)
    elif "/" not in source.name:
        yield UnreadFile(source.name, ONE_PART)


def _json(source: Source) -> object:
    try:
        return json.loads(source.read())
    except (ValueError, RecursionError) as error:
        raise BadFile(NOT_JSON) from error


def _messages_of(source: Source, session: Fields, report: Callable[[str], None]) -> Messages:
    """Yield the messages of a session and their parts from the files around the session's; report damaged ones."""
    above, _, name = source.name.rpartition("/")
    root, _, kind = above.rpartition("/")
    session_id = session.text("id") or name.removesuffix(".json")
    is_older = kind == "info"
    base = f"{root}/" if is_older else f"{root.rpartition('/')[0]}/".removeprefix("/")
    for message in _objects(source, f"{base}message/{session_id}", report):
        message_id = message.text("id")
        below = f"part/{session_id}/{message_id}" if is_older else f"part/{message_id}"
        yield message, _objects(source, base + below, report)


def _objects(source: Source, folder: str, report: Callable[[str], None]) -> list[Fields]:
    found: list[Fields] = []
    for each in source.folder.directly_in(folder):
        try:
            found.append(Fields(_json(each)))
        except BadFile as error:
            report(translatable("{file} cannot be read: {problem}").format(file=each.name, problem=error.reason))
    return found


def _of_database(source: Source) -> Iterator[Found]:
    with database_in(source) as database:
        for row in rows_of(database, "SELECT * FROM session ORDER BY time_created, id"):
            unread: list[str] = []
            session = _session_of(row)
            yield _conversation(source, session, _messages_in(database, session.text("id"), unread.append), unread)


def _session_of(row: dict[str, Any]) -> Fields:
    """Return a row of the table session in the structure that the files have."""
    times = {name: row.pop(f"time_{name}", None) for name in ("created", "updated", "archived")}
    if isinstance(revert := row.pop("revert", None), str):
        row["revert"] = json_in(revert)
    return Fields({name: value for name, value in row.items() if not isinstance(value, bytes)} | {"time": times})


def _messages_in(database: sqlite3.Connection, session: str, report: Callable[[str], None]) -> Messages:
    messages = "SELECT CAST(id AS TEXT) AS id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    parts = "SELECT CAST(id AS TEXT) AS id, data FROM part WHERE message_id = ? ORDER BY id"
    for row in rows_of(database, messages, session):
        yield _object_of(row, report), [_object_of(each, report) for each in rows_of(database, parts, row["id"])]


def _object_of(row: dict[str, Any], report: Callable[[str], None]) -> Fields:
    """Return the object in a row, together with its id, which has a column of its own."""
    value = json_in(row["data"])
    if not isinstance(value, dict):
        report(f"{row['id']}: this is not JSON")
        value = {}
    return Fields(value | {"id": row["id"]})


def _conversation(source: Source, about: Fields, messages: Messages, unread: list[str]) -> Found:
    reader = SessionEntries(source)
    in_order = sorted(messages, key=lambda each: (each[0].object("time").time("created"), each[0].text("id")))
    for message, parts in in_order:
        reader.add(message, parts)
    found, times, title = reader.session, about.object("time"), about.text("title")
    found.id = about.text("id") or source.name.rpartition("/")[2].removesuffix(".json")
    found.title = "" if DEFAULT_TITLE.fullmatch(title) else title
    found.folder = about.text("directory") or found.folder
    found.created_at, found.updated_at = times.time("created"), times.time("updated")
    found.current = reader.starts.get(about.object("revert").text("messageID"), "")
    found.is_put_away = bool(times.time("archived") or about.text("parentID", "parent_id"))
    found.unread = unread
    rests = {"session": about.rest(), "messages": reader.rests}
    found.rests = {name: value for name, value in rests.items() if value}
    return found.found()


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.local/share/opencode, opencode.db in it, or the output of opencode export"),
    recognizes,
    read,
    homes=(".local/share/opencode",),
)
