"""Read what is typed into the search: `role:user`, `in:Billing`, `before:2025`, a time in plain words, and the rest."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Literal

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.listing import NO_FILTERS, SearchFilters
from desktop_app.conversation.message import Role

from .times import days_of, time_in

FilterKind = Literal["project", "time", "role", "model", "tool", "has"]

OPERATORS: dict[str, FilterKind] = {
    "in": "project", "project": "project", "role": "role", "model": "model", "tool": "tool", "has": "has",
    "since": "time", "until": "time", "after": "time", "before": "time", "on": "time",
}  # fmt: skip
"""What can be typed before a colon, and what it filters by."""
ROLES = {
    "user": Role.USER, "me": Role.USER, "assistant": Role.ASSISTANT, "model": Role.ASSISTANT, "tool": Role.TOOL,
    "system": Role.SYSTEM,
}  # fmt: skip
TIMES = ("today", "yesterday", "last_week", "last_month", "last_year")
"""Times that are offered; many more are understood."""
MAX_OFFERED = 8

_TYPED = re.compile(rf"(?<!\S)(?P<name>{'|'.join(OPERATORS)}):(?P<value>\"[^\"]*\"?|\S*)", re.IGNORECASE)


class FilterNames(msgspec.Struct, frozen=True):
    """What filters may name, as far as it is known; where nothing is, every name is taken as it stands."""

    projects: tuple[tuple[str, str], ...] = ()
    """Ids and names."""
    models: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class TypedFilter(msgspec.Struct, frozen=True):
    """One filter of a query, and where it stands there."""

    kind: FilterKind
    value: str
    """As it is shown: what was typed, or the whole name."""
    start: int
    end: int
    is_wrong: bool = False
    """Nothing is known of that name, or it is no time: it filters nothing."""
    nearest: str = ""
    """What may be meant, if it is wrong."""
    first: date | None = None
    last: date | None = None
    """Of a time, the first and the last day; None for no bound."""


class TypedQuery(msgspec.Struct, frozen=True):
    """What was typed."""

    words: str
    """What is looked up or asked, without the filters."""
    filters: SearchFilters = NO_FILTERS
    typed: tuple[TypedFilter, ...] = ()
    """In the order of the text."""

    @property
    def wrong(self) -> TypedFilter | None:
        return next((each for each in self.typed if each.is_wrong), None)


def read_query(text: str, today: date, begins: Callable[[date], float], names: FilterNames | None = None) -> TypedQuery:
    """Return the filters of a query and its other words. Of two filters of a kind the last one counts.

    today: what "yesterday" is seen from. begins: returns when a day begins, in seconds since 1970.
    """
    known = names or FilterNames()
    typed = [_read(found, today, known) for found in _TYPED.finditer(text) if found["value"].strip('"')]
    if not any(each.kind == "time" and not each.is_wrong for each in typed):
        rest = _TYPED.sub(lambda found: " " * len(found[0]), text)
        said = time_in(rest, today)
        if said is not None:
            words = text[said.start : said.end]
            typed.append(TypedFilter("time", words, said.start, said.end, first=said.first, last=said.last))
    typed.sort(key=lambda each: each.start)
    filters = NO_FILTERS
    for each in typed:
        if not each.is_wrong:
            filters = _with(filters, each, known, begins)
    return TypedQuery(without(text, [*_TYPED.finditer(text), *typed]), filters, tuple(typed))


def without(text: str, removed: Iterable[re.Match[str] | TypedFilter]) -> str:
    """Return the text without these pieces."""
    for start, end in sorted({_span(each) for each in removed}, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())


def with_filter(text: str, typed: Iterable[TypedFilter], name: str, value: str) -> str:
    """Return the text with that filter in place of those of its kind.

    typed: what stands in the text. name: as it is typed, such as "role".
    """
    others = [each for each in typed if each.kind == OPERATORS[name]]
    return f"{without(text, others)} {_written(name, value)}".strip()


def completions(text: str, cursor: int, names: FilterNames) -> tuple[str, tuple[str, ...]]:
    """Return what stands before the filter that is being typed at the cursor, and what the text may become.

    Nothing is offered where no filter is being typed, or where it is whole already.
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


def _values(name: str, names: FilterNames) -> Iterable[str]:
    match OPERATORS[name]:
        case "project":
            return [project for _, project in names.projects]
        case "role":
            return ("user", "assistant", "tool")
        case "model":
            return names.models
        case "tool":
            return names.tools
        case "has":
            return ("code",)
        case _:
            return TIMES


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
        return replace(typed, is_wrong=True) if days is None else _bounded(typed, name, *days)
    wanted = _known(kind, value, names)
    if wanted is None:
        nearest = difflib.get_close_matches(value.lower(), [v.lower() for v in _values(name, names)], 1)
        return replace(typed, is_wrong=True, nearest=nearest[0] if nearest else "")
    return replace(typed, value=wanted)


def _bounded(typed: TypedFilter, name: str, first: date, last: date) -> TypedFilter:
    match name:
        case "since":
            return replace(typed, first=first)
        case "after":
            return replace(typed, first=last + timedelta(1))
        case "until":
            return replace(typed, last=last)
        case "before":
            return replace(typed, last=first - timedelta(1))
        case _:
            return replace(typed, first=first, last=last)


def _known(kind: FilterKind, value: str, names: FilterNames) -> str | None:
    """Return the name that is meant; None if there is none."""
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
