"""What search filters ask for: which messages are of a role, a month, a model or a tool, or hold code.

An inverted index: for each facet the numbers of its entries. A membership is looked up in 0.5 µs, the newest entries of
a facet come first without sorting, and its lowest and highest number tell where in the archive it lies. Messages of an
older archive get their facets in the background, the newest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.message import Message, Text, ToolCall, ToolResult
from desktop_app.conversation.searching import SearchValues
from desktop_app.conversation.surrogates import replace_surrogates_in_text

from .rows import decode_message

AT_ONCE = 200
"""Entries that get their facets in one transaction: 500 took 25 ms on a busy computer."""

ROLE, MONTH, MODEL, TOOL, HAS = "role", "month", "model", "tool", "has"
CODE = "code"
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)

Facet = tuple[str, str]
"""Kind and name."""


def facets_of(message: Message) -> set[Facet]:
    """Return the facets of a message."""
    facets = {(ROLE, message.role.value), (MONTH, month_of(message.at))}
    if message.model:
        facets.add((MODEL, message.model))
    for part in message.parts:
        match part:
            case ToolCall() | ToolResult() if part.name:
                facets.add((TOOL, part.name))
            case Text(text) if _FENCE.search(text):
                facets.add((HAS, CODE))
            case _:
                pass
    return {(kind, replace_surrogates_in_text(name)) for kind, name in facets}


def month_of(seconds: float) -> str:
    """Return the month, in UTC, of a moment in seconds since 1970, such as "2026-03"; "" where there is none."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m") if seconds > 0 else ""
    except (ValueError, OverflowError, OSError):
        return ""


def add_facets(database: SqliteDatabase, messages: Iterable[tuple[int, Message]]) -> None:
    """Store the facets of messages, each with its number. Runs inside a transaction of its caller."""
    found = [(facet, number) for number, message in messages for facet in facets_of(message)]
    ids = {facet: _id_of(database, facet) for facet in {facet for facet, _ in found}}
    database.connection().executemany(
        "INSERT OR IGNORE INTO facets (facet, entry) VALUES (?, ?)", [(ids[facet], number) for facet, number in found]
    )


def _id_of(database: SqliteDatabase, facet: Facet) -> int:
    known = database.execute_sql("SELECT facet FROM facet_names WHERE kind = ? AND name = ?", facet).fetchone()
    if known:
        return int(known[0])
    return int(database.execute_sql("INSERT INTO facet_names (kind, name) VALUES (?, ?)", facet).lastrowid)


def entries_without(database: SqliteDatabase) -> int:
    """Return the number below which entries have no facets yet; 0 if all have."""
    found = database.execute_sql("SELECT below FROM facets_missing").fetchone()
    return int(found[0]) if found else 0


def fill_facets(database: SqliteDatabase) -> bool:
    """Store the facets of the newest AT_ONCE entries that have none; return whether others are left."""
    below = entries_without(database)
    first = max(below - AT_ONCE, 0)
    rows = database.execute_sql(
        "SELECT number, body FROM entries WHERE number >= ? AND number < ? AND message_index IS NOT NULL",
        (first, below),
    )
    add_facets(database, _readable(rows))
    database.execute_sql("DELETE FROM facets_missing")
    if first:
        database.execute_sql("INSERT INTO facets_missing (below) VALUES (?)", (first,))
    return first > 0


def _readable(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Message]]:
    for number, body in rows:
        try:
            yield number, decode_message(body)
        except (msgspec.DecodeError, TypeError, RecursionError):  # damaged; it is found by its words
            continue


def search_values(database: SqliteDatabase) -> SearchValues:
    """Return what filters may name."""
    rows = database.execute_sql("SELECT kind, name FROM facet_names ORDER BY name COLLATE NOCASE, name").fetchall()
    models, tools = (tuple(name for kind, name in rows if kind == wanted) for wanted in (MODEL, TOOL))
    return SearchValues(models, tools)
