"""The interface of a format, field-by-field access to foreign objects, and the reasons why files cannot be read.

Fields that a format does not read form the rest of an object, which an import keeps. The window translates reasons.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import msgspec

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.words import translatable

from .sources import Source

Found = ForeignConversation | UnreadFile


class Format(msgspec.Struct, frozen=True):
    """The functions that recognize and read the files of one program."""

    program: str
    """The program's name as the user knows it."""
    where: str
    """The file that the user has to choose: "the zip of a data export, or the conversations.json in it"."""
    recognizes: Callable[[Source], bool]
    """Return whether a file has this format, by its contents. Raises BadFile."""
    read: Callable[[Source], Iterator[Found]]
    """Yield the conversations of a recognized file.

    A bad conversation is an UnreadFile, and the others follow. Raises BadFile where nothing more can be read.
    """
    homes: tuple[str, ...] = ()
    """Folders below the user's home in which the program keeps its history; () if it must be exported."""


LATEST = 32_503_680_000.0
"""The year 3000 in seconds since 1970; a larger time is in milliseconds."""

LARGEST = 2.0**40
"""Numbers of this size or larger are ignored, so that the sum of a million numbers can still be stored."""
MAX_LEVELS = 200
"""Levels that are kept of a value that is nested too deeply for Python's JSON encoder."""
TOO_DEEP = "[nested too deeply to be kept]"
"""Replaces the levels below MAX_LEVELS."""

AnyInner = TypeVar("AnyInner", "Fields", "list[Fields]")


class Fields:
    """The fields of one JSON object.

    A field that does not have the requested type counts as missing and stays in the rest, because the files of other
    programs change from version to version.
    """

    # A session may have a million instances: none has a __dict__, and `_inner` is created only if it is needed.
    __slots__ = ("_inner", "_read", "_value")

    def __init__(self, value: object) -> None:
        self._value = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        self._read: set[str] = set()
        self._inner: dict[str, Fields | list[Fields]] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def text(self, *names: str) -> str:
        """Return the first of these fields that is a non-empty string; "" if none is."""
        for name in names:
            value = self._value.get(name)
            if isinstance(value, str):
                self._read.add(name)
                if value:
                    return value
        return ""

    def number(self, *names: str) -> float:
        """Return the first of these fields that is a number smaller than LARGEST; 0 if none is."""
        for name in names:
            value = self._value.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST < value < LARGEST:
                self._read.add(name)
                return value
        return 0

    def count(self, *names: str) -> int:
        """Return the first of these fields that is a number, as a non-negative integer; 0 if none is."""
        return max(0, int(self.number(*names)))

    def flag(self, *names: str) -> bool:
        """Return whether any of these fields is true."""
        flags = [name for name in names if isinstance(self._value.get(name), bool)]
        self._read.update(flags)
        return any(self._value[name] for name in flags)

    def time(self, *names: str) -> float:
        """Return the first of these fields that is a time, in seconds since 1970, UTC; 0.0 if none is.

        Accepts numbers of seconds or milliseconds, and ISO 8601, which is UTC if it has no offset.
        """
        for name in names:
            seconds = seconds_of(self._value.get(name))
            if seconds:
                self._read.add(name)
                return seconds
        return 0.0

    def strings(self, name: str) -> list[str]:
        """Return the strings in a list. If it contains anything else, it also stays in the rest."""
        value = self._value.get(name)
        elements = cast("list[object]", value) if isinstance(value, list) else []
        texts = [text for text in elements if isinstance(text, str)]
        if len(texts) == len(elements):
            self._read.add(name)
        return texts

    def values(self, name: str) -> list[object]:
        """Return the unconverted elements of a list; [] if the field is not a list."""
        value = self._value.get(name)
        if not isinstance(value, list):
            return []
        self._read.add(name)
        return cast("list[object]", value)

    def object(self, name: str) -> Fields:
        """Return the fields of an object; empty Fields if the field is not an object."""
        value = self._value.get(name)
        if not isinstance(value, dict):
            return Fields({})
        inner = self._inner.get(name) if self._inner else None
        if not isinstance(inner, Fields):
            inner = self._note(name, Fields(cast("object", value)))
        return inner

    def objects(self, name: str) -> list[Fields]:
        """Return the objects in a list, or the values of an object in their order; [] if the field is neither."""
        value = self._value.get(name)
        if isinstance(value, dict):
            value = list(cast("dict[str, object]", value).values())
        if not isinstance(value, list):
            return []
        inner = self._inner.get(name) if self._inner else None
        if not isinstance(inner, list):
            inner = self._note(name, [Fields(element) for element in cast("list[object]", value)])
        return inner

    def named_objects(self) -> dict[str, Fields]:
        """Return the fields that are objects, by their names."""
        return {name: self.object(name) for name, value in self._value.items() if isinstance(value, dict)}

    def value(self, name: str) -> Any:
        """Return the unconverted value of a field; None if it is missing."""
        self._read.add(name)
        return self._value.get(name)

    def peek(self, name: str) -> Any:
        """Return the unconverted value of a field without counting it as read; None if it is missing."""
        return self._value.get(name)

    def skip(self, *names: str) -> None:
        """Count these fields as read, because other fields have the same information."""
        self._read.update(names)

    def keep(self, *names: str) -> None:
        """Count these fields, and everything in them, as not read, because their conversion loses information."""
        self._read.difference_update(names)
        if self._inner:
            self._inner = {name: inner for name, inner in self._inner.items() if name not in names}

    def rest(self) -> dict[str, Any]:
        """Return the fields that were not read, without empty ones."""
        return {name: rest for name, value in self._value.items() if (rest := self._rest_of(name, value)) not in EMPTY}

    def _note(self, name: str, inner: AnyInner) -> AnyInner:
        if self._inner is None:
            self._inner = {}
        self._inner[name] = inner
        return inner

    def _rest_of(self, name: str, value: Any) -> Any:
        inner = self._inner.get(name) if self._inner else None
        if isinstance(inner, Fields):
            return inner.rest()
        if inner is not None:
            elements = list(value.values() if isinstance(value, dict) else value)
            rests = [e.rest() if isinstance(raw, dict) else raw for e, raw in zip(inner, elements, strict=True)]
            return {str(number): rest for number, rest in enumerate(rests) if rest not in EMPTY} or None
        return None if name in self._read else value


EMPTY: tuple[object, ...] = (None, "", [], {})


def seconds_of(value: object) -> float:
    """Return a time in seconds since 1970, UTC; 0.0 if the value is not a time."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return 0.0
        value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < LATEST * 1000:
        return 0.0
    return float(value) / 1000 if value > LATEST else float(value)


def rest_json(rest: Mapping[str, Any]) -> str:
    """Return the rest of an object as it is stored: compact JSON; "" for an empty one."""
    return json_of(rest, separators=(",", ":")) if rest else ""


def json_of(value: object, **options: Any) -> str:
    """Return a value as JSON; if it is nested too deeply, the levels below MAX_LEVELS are replaced by TOO_DEEP.

    options: further arguments of json.dumps.
    """
    options = {"ensure_ascii": False} | options
    try:
        return json.dumps(value, **options)
    except RecursionError:
        return json.dumps(_cut_off(value, MAX_LEVELS), **options)


def _cut_off(value: object, levels: int) -> object:
    if isinstance(value, dict):
        return {name: _cut_off(inner, levels - 1) for name, inner in value.items()} if levels else TOO_DEEP
    if isinstance(value, list):
        return [_cut_off(inner, levels - 1) for inner in cast("list[object]", value)] if levels else TOO_DEEP
    return value


def json_in(text: object) -> Any:
    """Return the value of a JSON text; None for anything else."""
    try:
        return json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):  # ValueError includes UnicodeDecodeError
        return None


def arguments_json(value: object) -> str:
    """Return the arguments of a call as a JSON object; other values, such as code, are in its field "input"."""
    if value in EMPTY:
        return "{}"
    if isinstance(value, str) and isinstance(json_in(value), dict):
        return value
    return json_of(value if isinstance(value, dict) else {"input": value})


NO_MESSAGES = translatable("it has no messages")
NOT_JSON = translatable("this is not JSON")
NOT_WHOLE = translatable("it is not whole, or not JSON")
NOT_AN_OBJECT = translatable("this is not a JSON object")


def without_messages(unread: Sequence[str] = ()) -> str:
    """Return the reason that there are no messages, with the first problem if there is one."""
    return translatable("it has no messages; {problem}").format(problem=unread[0]) if unread else NO_MESSAGES


def bad_line(number: int, problem: str) -> str:
    """Return the reason that a line cannot be read. number: counted from 1."""
    return translatable("line {number} cannot be read: {problem}").format(number=number, problem=problem)


def bad_element(number: int, problem: str) -> str:
    """Return the reason that an element of a list cannot be read. number: counted from 1."""
    return translatable("element {number} cannot be read: {problem}").format(number=number, problem=problem)


def bad_message(number: int, problem: str) -> str:
    """Return the reason that a message cannot be read. number: counted from 1."""
    return translatable("message {number} cannot be read: {problem}").format(number=number, problem=problem)
