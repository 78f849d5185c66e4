"""Parse and complete the filters of a search query: `role:user`, `in:Billing`, `before:2025`, a time in plain words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from typing import Literal

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.listing import NO_FILTERS, SearchFilters
from desktop_app.conversation.message import Role

from .times import days_of, span_of, time_in

FilterKind = Literal["project", "time", "role", "model", "tool", "has"]

OPERATORS: dict[str, FilterKind] = {
    "in": "project", "project": "project", "role": "role", "model": "model", "tool": "tool", "has": "has",
    "since": "time", "until": "time", "after": "time", "before": "time", "on": "time",
}  # fmt: skip
"""Names that can be typed before a colon, and the kinds of filter that they are."""
ROLES = {
    "user": Role.USER, "me": Role.USER, "assistant": Role.ASSISTANT, "model": Role.ASSISTANT, "tool": Role.TOOL,
    "system": Role.SYSTEM,
}  # fmt: skip
TIMES = ("today", "yesterday", "last_week", "last_month", "last_year")
"""Times that completion offers; many more are understood."""
MAX_OFFERED = 8

_TYPED = re.compile(rf"(?<!\S)(?P<name>{'|'.join(OPERATORS)}):(?P<value>\"[^\"]*\"?|\S*)", re.IGNORECASE)


class FilterNames(msgspec.Struct, frozen=True):
    """The known names of projects, models and tools; if none are known, every model and tool name is accepted."""

    projects: tuple[tuple[str, str], ...] = ()
    """Ids and names."""
    models: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class TypedFilter(msgspec.Struct, frozen=True):
    """A filter of a query, and its position there."""

    kind: FilterKind
    value: str
    """For display: the typed value, or the full name."""
    start: int
    end: int
    is_wrong: bool = False
    """Whether the name is unknown, or the value is not a time, so that it filters nothing."""
    nearest: str = ""
    """The known name most like a wrong one; "" if none is similar."""
    first: date | None = None
    last: date | None = None
    """The first and the last day of a time; None for no bound."""


class TypedQuery(msgspec.Struct, frozen=True):
    """A search query, split into filters and words."""

    words: str
    """The query without its filters."""
    filters: SearchFilters = NO_FILTERS
    typed: tuple[TypedFilter, ...] = ()
    """All filters, in the order of the text."""

    @property
    def wrong(self) -> TypedFilter | None:
        return next((each for each in self.typed if each.is_wrong), None)


def read_query(text: str, today: date, begins: Callable[[date], float], names: FilterNames | None = None) -> TypedQuery:
    """Return the filters of a query and its other words. The last filter of each kind counts.

    today: the date to which "yesterday" is relative. begins: returns the beginning of a day in seconds since 1970.
    """
    known = names or FilterNames()
    typed = [_read(found, today, known) for found in _TYPED.finditer(text) if found["value"].strip('"')]
    if not any(each.kind == "time" and not each.is_wrong for each in typed):
        rest = _TYPED.sub(lambda found: " " * len(found[0]), text)
        span = time_in(rest, today)
        if span is not None:
            words = text[span.start : span.end]
            typed.append(TypedFilter("time", words, span.start, span.end, first=span.first, last=span.last))
    typed.sort(key=lambda each: each.start)
    filters = NO_FILTERS
    for each in typed:
        if not each.is_wrong:
            filters = _with(filters, each, known, begins)
    return TypedQuery(without(text, [*_TYPED.finditer(text), *typed]), filters, tuple(typed))


def without(text: str, removed: Iterable[re.Match[str] | TypedFilter]) -> str:
    """Return the text without the given pieces."""
    for start, end in sorted({_span(each) for each in removed}, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())


def with_filter(text: str, typed: Iterable[TypedFilter], name: str, value: str) -> str:
    """Return the text with a filter in place of the filters of the same kind.

    typed: the filters in the text. name: as typed, such as "role".
    """
    others = [each for each in typed if each.kind == OPERATORS[name]]
    return f"{without(text, others)} {_written(name, value)}".strip()


def completions(text: str, cursor: int, names: FilterNames) -> tuple[str, tuple[str, ...]]:
    """Return the text before the filter that is being typed at the cursor, and the completed texts.

    There are none if no filter is being typed, or if it is already complete.
    """
    found = next((f for f in _TYPED.finditer(text) if f.start("value") <= cursor <= f.end()), None)
    if found is None:
        return "", ()
    name, begun = found["name"].lower(), found["value"].strip('"').lower()
    values = [value for value in _values(name, names) if begun in value.lower()]
    values.sort(key=lambda value: not value.lower().startswith(begun))
    if begun in (value.lower() for value in values):
        return "", ()
    before, after = text[: found.start()], text[found.end() :]
    return before, tuple(f"{before}{_written(name, value)}{after or ' '}" for value in values[:MAX_OFFERED])


def _values(name: str, names: FilterNames) -> Sequence[str]:
    known: dict[FilterKind, Sequence[str]] = {
        "project": [project for _, project in names.projects],
        "role": ("user", "assistant", "tool"),
        "model": names.models,
        "tool": names.tools,
        "has": ("code",),
        "time": TIMES,
    }
    return known[OPERATORS[name]]


def _written(name: str, value: str) -> str:
    return f'{name}:"{value}"' if " " in value else f"{name}:{value}"


def _span(piece: re.Match[str] | TypedFilter) -> tuple[int, int]:
    return piece.span() if isinstance(piece, re.Match) else (piece.start, piece.end)


def _read(found: re.Match[str], today: date, names: FilterNames) -> TypedFilter:
    name, value = found["name"].lower(), found["value"].strip('"')
    kind = OPERATORS[name]
    typed = TypedFilter(kind, value, *found.span())
    if kind == "time":
        days = days_of(value, today)
        if days is None:
            return replace(typed, is_wrong=True)
        span = span_of(name, days, *found.span())
        return replace(typed, first=span.first, last=span.last)
    wanted = _known(kind, value, names)
    if wanted is None:
        nearest = difflib.get_close_matches(value.lower(), [v.lower() for v in _values(name, names)], 1)
        return replace(typed, is_wrong=True, nearest=nearest[0] if nearest else "")
    return replace(typed, value=wanted)


def _known(kind: FilterKind, value: str, names: FilterNames) -> str | None:
    """Return the full name of a filter's value; None if it is unknown."""
    lowered = value.lower()
    match kind:
        case "role":
            return ROLES[lowered].value if lowered in ROLES else None
        case "has":
            return "code" if lowered == "code" else None
        case "project":
            return next((name for _, name in names.projects if name.lower() == lowered), None)
        case "tool":
            return next((name for name in names.tools if name.lower() == lowered), None if names.tools else value)
        case _:
            return value if not names.models or any(lowered in name.lower() for name in names.models) else None


def _with(
    filters: SearchFilters, typed: TypedFilter, names: FilterNames, begins: Callable[[date], float]
) -> SearchFilters:
    match typed.kind:
        case "time":
            since = filters.since if typed.first is None else begins(typed.first)
            until = filters.until if typed.last is None else begins(typed.last + timedelta(1))
            return replace(filters, since=since, until=until)
        case "project":
            return replace(filters, project=next(key for key, name in names.projects if name == typed.value))
        case "role":
            return replace(filters, role=Role(typed.value))
        case "model":
            return replace(filters, model=typed.value)
        case "tool":
            return replace(filters, tool=typed.value)
        case _:
            return replace(filters, has_code=True)
