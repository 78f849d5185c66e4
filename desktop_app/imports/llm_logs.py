"""The log of the command `llm`: `~/.config/io.datasette.llm/logs.db`.

Since 0.36, messages are a tree: each has the hash of the one before it, and a thread names its last message. Older
versions have a row for each response, with its prompt. Based on versions 0.36 and 0.27.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

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

from .agent_sessions import AgentSession, usage_of
from .format import EMPTY, Fields, Format, Found, arguments_json, json_in, json_of
from .sources import Source, columns_in, database_in, has_tables, rows_of
from .trees import NOT_IN_EXPORT, attachment_at, attachment_of

PROGRAM = "llm"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}
TABLES = {"threads": {"id", "tip_message_hash"}, "turns": {"thread_id", "parent_message_hash"}, "parts": {"payload"}}
OLDER_TABLES = {"conversations": {"id", "name", "model"}, "responses": {"prompt", "response", "conversation_id"}}
Row = dict[str, Any]


def recognizes(source: Source) -> bool:
    """Return whether the file is a database with the tables of a log."""
    return any(has_tables(source, each) for each in (TABLES, OLDER_TABLES))


def read(source: Source) -> Iterator[Found]:
    """Yield the threads, then the conversations of older versions that are not threads."""
    tables = columns_in(source)
    with database_in(source) as database:
        log = _Log(database, tables)
        threads: set[str] = set()
        for thread in log.rows("threads", order="datetime_utc, id"):
            threads.add(str(thread["id"]))
            yield _thread(source, log, thread)
        for conversation in log.rows("conversations", order="id"):
            if str(conversation["id"]) not in threads:
                yield _conversation(source, log, conversation)


class _Log:
    """The rows of a log, whose tables may be missing."""

    def __init__(self, database: sqlite3.Connection, tables: dict[str, frozenset[str]]) -> None:
        self._database = database
        self._tables = tables

    def rows(self, table: str, where: str = "", value: object = None, order: str = "") -> list[Row]:
        """Return the rows of a table in which the column `where` has that value."""
        columns = [name for name in order.split(", ") if name]
        names = {where, *columns} - {""}
        if table not in self._tables or not names <= self._tables[table]:
            return []
        query = f'SELECT * FROM "{table}"' + (f' WHERE "{where}" = ?' if where else "")
        query += " ORDER BY " + ", ".join(f'"{name}"' for name in columns) if columns else ""
        return rows_of(self._database, query, *([value] if where else []))

    def fragment(self, number: object) -> str:
        """Return the text of a fragment; "" if it is unknown."""
        return "".join(str(row["content"] or "") for row in self.rows("fragments", "id", number))

    def attachment(self, name: object) -> Attachment:
        """Return an attachment; of a file on disk only its name."""
        row = next(iter(self.rows("attachments", "id", name)), Row())
        path, url, content = str(row.get("path") or ""), str(row.get("url") or ""), row.get("content")
        title = (path or url).rpartition("/")[2] or "file"
        if isinstance(content, bytes):
            return attachment_of(title, content)
        if url:
            return attachment_at(url, title)
        return Attachment(title, str(row.get("type") or "application/octet-stream"), "", about=path or NOT_IN_EXPORT)


def _thread(source: Source, log: _Log, thread: Row) -> Found:
    """Return a thread: the messages up to its last one, and the branches of its other turns."""
    session = AgentSession(PROGRAM, source)
    session.id, session.current = str(thread["id"]), str(thread["tip_message_hash"])
    session.title = _title(thread)
    session.created_at = Fields(thread).time("datetime_utc")
    turns = log.rows("turns", "thread_id", thread["id"], order="id")
    asked = {str(turn["parent_message_hash"]): turn for turn in turns}
    answered = {str(turn["tip_message_hash"]): turn for turn in turns}
    added: set[str] = set()
    for tip in (*answered, session.current):
        for message in reversed(list(_path(log, tip, added))):
            name = str(message["hash"])
            session.follow(name, str(message["parent_hash"] or ""))
            role, parts = ROLES.get(message["role"], Role.USER), list(_parts(log, name))
            session.add(name, _messages(role, parts, asked.get(name), answered.get(name)))
    for turn in turns:
        session.rests[str(turn["id"])] = {key: value for key, value in turn.items() if value not in EMPTY}
    return session.found()


def _title(row: Row) -> str:
    """Return the name of a thread; "" if it is the beginning of its first message."""
    name = str(row.get("name") or "")
    return "" if name.endswith("…") else name


def _path(log: _Log, name: str, added: set[str]) -> Iterator[Row]:
    """Yield the messages from this one to the first one, without those that were added before."""
    while name and name not in added:
        added.add(name)
        message = next(iter(log.rows("messages", "hash", name)), None)
        if message is None:
            return
        yield message
        name = str(message["parent_hash"] or "")


def _parts(log: _Log, name: str) -> Iterator[Part]:
    for row in log.rows("parts", "message_hash", name, order="position"):
        payload = Fields(json_in(row.get("payload")))
        text = str(row.get("text") or "") or "".join(
            each.text("literal") or log.fragment(each.value("fragment")) for each in payload.objects("text_ref")
        )
        match row["type"]:
            case "text" if text:
                yield Text(text)
            case "reasoning" if text:
                yield Reasoning(text)
            case "tool_call":
                arguments = arguments_json(payload.value("arguments"))
                yield ToolCall(payload.text("tool_call_id"), payload.text("name") or "tool", arguments)
            case "tool_result":
                yield _result(payload)
                yield from (log.attachment(each.value("id")) for each in payload.objects("attachments"))
            case "attachment":
                yield log.attachment(payload.object("attachment").value("id"))
            case _:
                pass


def _result(fields: Fields) -> ToolResult:
    output, error = fields.value("output"), fields.text("exception")
    text = output if isinstance(output, str) else json_of(output) if output else ""
    return ToolResult(fields.text("tool_call_id"), fields.text("name") or "tool", text or error, is_error=bool(error))


def _messages(role: Role, parts: list[Part], asked: Row | None, answered: Row | None) -> Iterator[Message]:
    """Yield the messages that one becomes. asked, answered: the turns before which and with which it ends."""
    turn = Fields(answered or asked or {})
    at = turn.time("datetime_utc") + (turn.number("duration_ms") / 1000 if answered else 0)
    runs: list[list[Part]] = []
    for part in parts:
        if isinstance(part, ToolResult) or not runs:
            runs.append([])
        runs[-1].append(part)
    for run in runs:
        if isinstance(run[0], ToolResult):
            yield Message(role=Role.TOOL, parts=tuple(run), at=at)
        elif role is Role.ASSISTANT:
            yield Message(role=role, parts=tuple(run), at=at, model=_model(turn), usage=_usage(turn))
        else:
            yield Message(role=Role.USER if role is Role.TOOL else role, parts=tuple(run), at=at)


def _model(row: Fields) -> str:
    return row.text("resolved_model", "model")


def _usage(row: Fields) -> Usage | None:
    details = Fields(json_in(row.peek("token_details")))
    cached = details.object("prompt_tokens_details").count("cached_tokens")
    thought = details.object("completion_tokens_details").count("reasoning_tokens")
    return usage_of(row.count("input_tokens"), row.count("output_tokens"), cached, 0, thought)


def _conversation(source: Source, log: _Log, row: Row) -> Found:
    """Return a conversation of the older tables, in which each response has its own prompt."""
    session = AgentSession(PROGRAM, source)
    session.id, session.title = str(row["id"]), _title(row)
    system = ""
    for response in log.rows("responses", "conversation_id", row["id"], order="id"):
        fields, name = Fields(response), str(response["id"])
        at = fields.time("datetime_utc")
        instructions = "\n\n".join([*_fragments(log, "system_fragments", name), *filter(None, [fields.text("system")])])
        if instructions and instructions != system:
            system = instructions
            session.add(f"{name}/system", [Message(role=Role.SYSTEM, parts=(Text(system),), at=at)])
        results = [_result(Fields(each)) for each in log.rows("tool_results", "response_id", name, order="id")]
        session.add(f"{name}/results", (Message(role=Role.TOOL, parts=(each,), at=at) for each in results))
        prompt = "\n".join([*_fragments(log, "prompt_fragments", name), *filter(None, [fields.text("prompt")])])
        files = [log.attachment(each["attachment_id"]) for each in log.rows("prompt_attachments", "response_id", name)]
        session.add(f"{name}/prompt", _filled(Role.USER, [*([Text(prompt)] if prompt else []), *files], at))
        session.add(name, _reply(log, name, fields, at))
        left = {key: value for key, value in fields.rest().items() if not isinstance(value, bytes)}
        session.rests[name] = left
    return session.found()


def _fragments(log: _Log, table: str, response: str) -> list[str]:
    return [log.fragment(row["fragment_id"]) for row in log.rows(table, "response_id", response, order="order")]


def _reply(log: _Log, name: str, fields: Fields, at: float) -> Iterator[Message]:
    parts: list[Part] = []
    if thought := fields.text("reasoning"):
        parts.append(Reasoning(thought))
    if text := fields.text("response"):
        parts.append(Text(text))
    for call in log.rows("tool_calls", "response_id", name, order="id"):
        arguments = arguments_json(json_in(call.get("arguments")))
        parts.append(ToolCall(str(call["tool_call_id"] or ""), str(call["name"] or "tool"), arguments))
    end = at + fields.number("duration_ms") / 1000
    yield from _filled(Role.ASSISTANT, parts, end, model=_model(fields), usage=_usage(fields))


def _filled(role: Role, parts: Iterable[Part], at: float, **more: Any) -> Iterator[Message]:
    if found := tuple(parts):
        yield Message(role=role, parts=found, at=at, **more)


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.config/io.datasette.llm, or logs.db in it"),
    recognizes,
    read,
    homes=(".config/io.datasette.llm",),
)
