"""The interface of a format, foreign objects that are read field by field, and the reasons for unreadable files.

Fields that no format reads are the rest of an object, which an import keeps. The window shows reasons in its language.
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
    """How the files of one program are recognized and read."""

    program: str
    """As the user knows it."""
    where: str
    """What the user has to give: "the zip of a data export, or the conversations.json in it"."""
    recognizes: Callable[[Source], bool]
    """Whether it is the file with which conversations of this program begin, by its contents. Raises BadFile."""
    read: Callable[[Source], Iterator[Found]]
    """The conversations of a file that was recognized, one after the other.

    A bad conversation is an UnreadFile, and the others follow. Raises BadFile where nothing more can be read.
    """
    homes: tuple[str, ...] = ()
    """Folders below the user's own in which the program keeps its history; none if it must be exported."""


LATEST = 32_503_680_000.0
"""Seconds until the year 3000: a larger number of seconds is one of milliseconds."""

LARGEST = 2.0**40
"""A number that is not smaller counts nothing: the sum of a million is still one that can be stored."""
MAX_LEVELS = 200
"""Of values that are kept as JSON and are nested more deeply than Python writes."""
TOO_DEEP = "[nested too deeply to be kept]"
"""What stands for the levels below."""

AnyInner = TypeVar("AnyInner", "Fields", "list[Fields]")


class Fields:
    """The fields of one JSON object.

    A field that is not of the type that was asked for counts as missing, and stays in the rest: files of other programs
    change from version to version.
    """

    # A session may have a million of them: no dictionary for each, and one for what is nested only where something is.
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
        """Return the first of these fields that is a text with anything in it; "" if none is."""
        for name in names:
            value = self._value.get(name)
            if isinstance(value, str):
                self._read.add(name)
                if value:
                    return value
        return ""

    def number(self, *names: str) -> float:
        """Return the first of these fields that is a number of a size that numbers have; 0 if none is."""
        for name in names:
            value = self._value.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST < value < LARGEST:
                self._read.add(name)
                return value
        return 0

    def count(self, *names: str) -> int:
        """Return the first of these fields that is a number, as a whole one; 0 for what counts nothing."""
        return max(0, int(self.number(*names)))

    def flag(self, *names: str) -> bool:
        """Return whether any of these fields is true."""
        flags = [name for name in names if isinstance(self._value.get(name), bool)]
        self._read.update(flags)
        return any(self._value[name] for name in flags)

    def time(self, *names: str) -> float:
        """Return the first of these fields that is a time, in seconds since 1970, UTC; 0.0 if none is.

        Read are numbers of seconds and of milliseconds, and ISO 8601, without an offset as UTC.
        """
        for name in names:
            seconds = seconds_of(self._value.get(name))
            if seconds:
                self._read.add(name)
                return seconds
        return 0.0

    def strings(self, name: str) -> list[str]:
        """Return the texts of a list. One that holds anything else stays in the rest, too."""
        value = self._value.get(name)
        elements = cast("list[object]", value) if isinstance(value, list) else []
        texts = [text for text in elements if isinstance(text, str)]
        if len(texts) == len(elements):
            self._read.add(name)
        return texts

    def values(self, name: str) -> list[object]:
        """Return the elements of a list as they are; [] if there is none."""
        value = self._value.get(name)
        if not isinstance(value, list):
            return []
        self._read.add(name)
        return cast("list[object]", value)

    def object(self, name: str) -> Fields:
        """Return the fields of an object; without any if there is none."""
        value = self._value.get(name)
        if not isinstance(value, dict):
            return Fields({})
        inner = self._inner.get(name) if self._inner else None
        if not isinstance(inner, Fields):
            inner = self._note(name, Fields(cast("object", value)))
        return inner

    def objects(self, name: str) -> list[Fields]:
        """Return the objects of a list of objects, or of an object of objects in its order; [] if there is none."""
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
        """Return a field as it is; None if there is none."""
        self._read.add(name)
        return self._value.get(name)

    def peek(self, name: str) -> Any:
        """Return a field as it is, without counting it as read; None if there is none."""
        return self._value.get(name)

    def skip(self, *names: str) -> None:
        """Count these fields as read: they say what is said elsewhere."""
        self._read.update(names)

    def keep(self, *names: str) -> None:
        """Count these fields, and all in them, as not read: they say more than what became of them."""
        self._read.difference_update(names)
        if self._inner:
            self._inner = {name: inner for name, inner in self._inner.items() if name not in names}

    def rest(self) -> dict[str, Any]:
        """Return what was not read, without what is empty."""
        return {name: left for name, value in self._value.items() if (left := self._rest_of(name, value)) not in EMPTY}

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
    """Return a time in seconds since 1970, UTC; 0.0 for what is none."""
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
    """Return what has no place, as it is kept; "" for nothing."""
    return json_of(rest, separators=(",", ":")) if rest else ""


def json_of(value: object, **options: Any) -> str:
    """Return a value as JSON; of one that is nested too deeply, what is below MAX_LEVELS is TOO_DEEP.

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


def arguments_json(value: object) -> str:
    """Return the arguments of a call as JSON: what is no object, such as code, under the name "input"."""
    if value in EMPTY:
        return "{}"
    if isinstance(value, str):
        try:
            return value if isinstance(json.loads(value), dict) else json_of({"input": value})
        except (ValueError, RecursionError):
            return json_of({"input": value})
    return json_of(value if isinstance(value, dict) else {"input": value})


NO_MESSAGES = translatable("it has no messages")
NOT_JSON = translatable("this is not JSON")
NOT_WHOLE = translatable("it is not whole, or not JSON")
NOT_AN_OBJECT = translatable("this is not a JSON object")


def without_messages(unread: Sequence[str] = ()) -> str:
    """Return that there are no messages, with the first of what could not be read."""
    return translatable("it has no messages; {problem}").format(problem=unread[0]) if unread else NO_MESSAGES


def bad_line(number: int, problem: str) -> str:
    """Return what is wrong in a line, which are counted from 1."""
    return translatable("line {number} cannot be read: {problem}").format(number=number, problem=problem)


def bad_element(number: int, problem: str) -> str:
    """Return what is wrong in an element of a list, which are counted from 1."""
    return translatable("element {number} cannot be read: {problem}").format(number=number, problem=problem)


def bad_message(number: int, problem: str) -> str:
    """Return what is wrong in a message, which are counted from 1."""
    return translatable("message {number} cannot be read: {problem}").format(number=number, problem=problem)
