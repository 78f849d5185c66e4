"""Gemini CLI's sessions and saved chats, as they lie in `~/.gemini/tmp/PROJECT`.

- `chats/session-*.jsonl`, since 0.39: a line about the session, then a line for each message and each version of it,
  `$set` for changes and `$rewindTo` for what was taken back. Sub-agents have files of their own.
- `chats/session-*.json`, before: one object with a list `messages`.
- `checkpoint-NAME.json`, of `/chat save`: a list of Google's `Content`, newer in an object as `history`.

After the program's source (chatRecordingService.ts, logger.ts) and files of October 2025 to April 2026.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import unquote

from desktop_app.chat.titles import title_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.words import translatable

from .fields import Fields, json_of, rest_json, seconds_of
from .format import Format, Found
from .gemini_messages import SessionMessages
from .gemini_parts import fields_of, parts_of, turns_of
from .gemini_record import Json, SessionRecord
from .reasons import NOT_AN_OBJECT, NOT_WHOLE, bad_line
from .sources import BYTE_ORDER_MARK, BadFile, Source

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
