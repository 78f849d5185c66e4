"""Conversations in OpenAI's chat format: one message per line, a list of messages, or objects with a list `messages`.

Such files have no ids. A conversation is therefore identified by its beginning, and a message by its content and
everything before it, so that importing a file that has grown updates its conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Part
from desktop_app.conversation.openai_chat import NOT_AN_OBJECT, NOT_UTF8, BadChat, messages_of, not_json
from desktop_app.conversation.words import translatable

from .format import EMPTY, Fields, Format, Found, bad_element, bad_line, bad_message, json_of, rest_json
from .sources import BYTE_ORDER_MARK, BadFile, Source
from .trees import attachment_at

PROGRAM = "OpenAI JSON"
FIRST = 4
"""Number of first messages that identify a conversation."""
TIMES = ("timestamp", "created_at", "create_time", "at", "date")
PLACED = (
    "role",
    "content",
    "name",
    "reasoning_content",
    "refusal",
    "tool_call_id",
    "tool_calls",
    "function_call",
    *TIMES,
)
Json = dict[str, Any]
Place = Callable[[str], str]
"""Adds the place of a problem to its description."""


def recognizes(source: Source) -> bool:
    """Return whether the first object has a role or messages. Tried last, as other programs' files also have them."""
    return not source.first_keys.isdisjoint(("role", "messages"))


def read(source: Source) -> Iterator[Found]:
    """Yield the conversations of the file: one for each object with messages, and one of all messages outside these."""
    alone: list[tuple[Place, Json]] = []
    for place, value in _values(source.read()):
        fields = Fields(value)
        inner = fields.value("messages")
        if isinstance(inner, list):
            messages = [(_inner(place, n), _object(each, place)) for n, each in enumerate(cast("list[Json]", inner), 1)]
            yield _conversation(messages, source, fields)
        else:
            alone.append((place, _object(value, place)))
    if alone:
        yield _conversation(alone, source, Fields({}))


def _inner(place: Place, number: int) -> Place:
    return lambda problem: place(bad_message(number, problem))


def _object(value: object, place: Place) -> Json:
    if not isinstance(value, dict):
        raise BadFile(place(NOT_AN_OBJECT))
    return cast("Json", value)


def _conversation(placed: list[tuple[Place, Json]], source: Source, about: Fields) -> Found:
    """Return the conversation of these messages, each given with its place."""
    try:
        messages = messages_of([value for _, value in placed], lambda _: "")
    except BadChat as error:
        return UnreadFile(source.name, placed[error.line - 1][0](error.reason))
    entries: list[ForeignMessage] = []
    rests: dict[str, Json] = {}
    name = ""
    for number, ((_, value), message) in enumerate(zip(placed, messages, strict=True)):
        parent, name = name, _hashed(name, value)
        entries.append(
            ForeignMessage(name, parent, replace(message, parts=_parts(message), at=Fields(value).time(*TIMES)))
        )
        if rest := {field: inner for field, inner in value.items() if field not in PLACED and inner not in EMPTY}:
            rests[str(number)] = rest
    title = about.text("title", "name")
    key = entries[min(FIRST, len(entries)) - 1].id if entries else ""
    rest = about.rest() | ({"messages": rests} if rests else {})
    return ForeignConversation(PROGRAM, key, title, tuple(entries), created_at=source.modified, rest=rest_json(rest))


def _parts(message: Message) -> tuple[Part, ...]:
    """Return the parts of a message, with images whose media type matches their content."""
    parts = message.parts
    return tuple(attachment_at(p.content) if isinstance(p, Attachment) and p.is_image else p for p in parts)


def _hashed(before: str, value: Json) -> str:
    return hashlib.sha256(f"{before}{json_of(value, sort_keys=True, ensure_ascii=True)}".encode()).hexdigest()


def _values(content: bytes) -> Iterator[tuple[Place, object]]:
    """Yield the values of a JSON list, the single object, or the values of the lines, each with its place."""
    text = content.removeprefix(BYTE_ORDER_MARK)
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        yield from ((partial(bad_line, number), _value(line, number)) for number, line in _filled_lines(text))
        return
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    yield from ((partial(bad_element, number), each) for number, each in enumerate(values, start=1))


def _filled_lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip())


def _value(line: bytes, number: int) -> object:
    try:
        return json.loads(line)
    except UnicodeDecodeError as error:
        raise BadFile(bad_line(number, NOT_UTF8)) from error
    except (ValueError, RecursionError) as error:  # ValueError also for a number of more digits than Python reads
        raise BadFile(bad_line(number, not_json(error))) from error


FORMAT = Format(
    PROGRAM,
    translatable("JSON Lines with a chat message each, a JSON list of them, or requests"),
    recognizes,
    read,
)
