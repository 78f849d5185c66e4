"""Search filters as SQL conditions and a range of row numbers: roles, months, models, tools, code.

Facets are an inverted index: the numbers of the entries with each facet. A membership is looked up in 0.5 µs, the
newest entries of a facet are found without sorting, and its lowest and highest number limit the part of the archive to
search. Messages of an older archive get their facets in the background, newest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.context.recall.passage_cuts import BITS
from desktop_app.conversation.listing import SearchFilters, SearchValues
from desktop_app.conversation.message import Message, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import replace_surrogates_in_text

from .passage_index import add_passages
from .tables import number_of, readable_messages

AT_ONCE = 200
"""Entries whose facets are filled in one transaction: 500 took 25 ms on a busy computer."""

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
    """Return the month, in UTC, of a time in seconds since 1970, such as "2026-03"; "" for an invalid time."""
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
    """Return the number below which entries have no facets and passages yet; 0 if all have."""
    found = database.execute_sql("SELECT below FROM facets_missing").fetchone()
    return int(number_of(found[0])) if found else 0


TEXTS_WITHOUT_PASSAGES = f"""SELECT entry, text FROM message_texts
    WHERE entry >= ? AND entry < ? AND entry << {BITS} NOT IN (SELECT number FROM passages)"""


def fill_facets(database: SqliteDatabase) -> bool:
    """Store facets and passages of the newest AT_ONCE entries that have none; return whether others remain."""
    below = entries_without(database)
    first = max(below - AT_ONCE, 0)
    rows = database.execute_sql(
        "SELECT number, body FROM entries WHERE number >= ? AND number < ? AND message_index IS NOT NULL",
        (first, below),
    )
    # Of a damaged message, only the words can be searched.
    add_facets(database, readable_messages(rows))
    texts = database.execute_sql(TEXTS_WITHOUT_PASSAGES, (first, below)).fetchall()
    add_passages(database, [(number, text) for number, text in texts if isinstance(text, str)])
    database.execute_sql("DELETE FROM facets_missing")
    if first:
        database.execute_sql("INSERT INTO facets_missing (below) VALUES (?)", (first,))
    return first > 0


def search_values(database: SqliteDatabase) -> SearchValues:
    """Return the models and tools that filters can name."""
    rows = database.execute_sql("SELECT kind, name FROM facet_names ORDER BY name COLLATE NOCASE, name").fetchall()
    models, tools = (tuple(name for kind, name in rows if kind == wanted) for wanted in (MODEL, TOOL))
    return SearchValues(models, tools)


MAX_NUMBER = 2**62
"""Higher than the number of any entry."""
FEW = 500
"""Maximum messages of a facet that are checked one by one, 50 µs each, instead of all messages with the words."""
MANY_MONTHS = 12
"""For more months, a message's month is not looked up, because nearly every message is from one of them."""

SPAN = """SELECT (SELECT number FROM entries WHERE conversation = ?1 ORDER BY position LIMIT 1),
    (SELECT number FROM entries WHERE conversation = ?1 ORDER BY position DESC LIMIT 1)"""
ENDS = """SELECT (SELECT entry FROM facets WHERE facet = ?1 ORDER BY entry LIMIT 1),
    (SELECT entry FROM facets WHERE facet = ?1 ORDER BY entry DESC LIMIT 1)"""


class Selection(msgspec.Struct, frozen=True):
    """The messages that a search may find."""

    where: str
    """A condition on the tables `e` (entries) and `c` (conversations), and on the placeholder NUMBER."""
    parameters: tuple[Any, ...]
    first: int
    last: int
    few: tuple[int, ...] | None = None
    """The numbers of all messages that can be found, unordered, if they are few; otherwise None."""

    @property
    def is_empty(self) -> bool:
        return self.first > self.last or self.few == ()

    def conditions(self, number: str) -> str:
        """Return the SQL conditions. number: the column with the entry's number in the table that is read first."""
        numbers = f"{number} BETWEEN {self.first} AND {self.last}"
        if self.few is not None:
            numbers = f"{number} IN ({', '.join(map(str, self.few))})"
        return f"{numbers} AND {self.where.replace('NUMBER', number)}"


class _Builder:
    """Collects conditions, and the range of numbers that satisfy them."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._where = ["NOT c.is_deleted"]
        self._parameters: list[Any] = []
        self._first, self._last = 0, MAX_NUMBER
        self._few: tuple[int, ...] | None = None

    def add(self, condition: str, *parameters: Any) -> None:
        self._where.append(condition)
        self._parameters += parameters

    def add_spans(self, query: str, keys: list[Any]) -> None:
        """Narrow the range to the span of all entries of the given conversations or facets."""
        spans = [self._database.execute_sql(query, (key,)).fetchone() for key in keys]
        firsts, lasts = [span[0] for span in spans if span[0] is not None], [s[1] for s in spans if s[1] is not None]
        self._first = max(self._first, min(firsts, default=MAX_NUMBER))
        self._last = min(self._last, max(lasts, default=-1))

    def add_facets(self, facets: list[int], is_looked_up: bool = True) -> None:
        """Require one of the facets. is_looked_up: check each message, instead of only narrowing the range."""
        self.add_spans(ENDS, facets)
        if not is_looked_up:
            return
        listed = ", ".join(map(str, facets))
        self.add(f"EXISTS (SELECT 1 FROM facets f WHERE f.facet IN ({listed}) AND f.entry = NUMBER)")
        query = f"SELECT entry FROM facets WHERE facet IN ({listed}) LIMIT {FEW + 1}"
        numbers = {number for (number,) in self._database.execute_sql(query)}
        if len(numbers) <= FEW and (self._few is None or len(numbers) < len(self._few)):
            self._few = tuple(numbers)

    def selection(self) -> Selection:
        where = " AND ".join(self._where)
        return Selection(where, tuple(self._parameters), self._first, self._last, self._few)


def selection_of(database: SqliteDatabase, filters: SearchFilters, conversation: str | None = None) -> Selection:
    """Return the messages that match the filters, in one conversation or in all conversations that are not deleted."""
    builder = _Builder(database)
    if conversation is not None:
        builder.add_spans(SPAN, [conversation])
        builder.add("e.conversation = ?", conversation)
    if filters.project:
        _add_project(builder, database, filters.project)
    if filters.since or filters.until:
        _add_time(builder, database, filters)
    for kind, name, operator in _facets_wanted(filters):
        builder.add_facets(_ids(database, kind, name, operator))
    return builder.selection()


def _add_project(builder: _Builder, database: SqliteDatabase, project: str) -> None:
    rows = database.execute_sql("SELECT id FROM conversations WHERE project = ? AND NOT is_deleted", (project,))
    builder.add_spans(SPAN, [conversation for (conversation,) in rows])
    builder.add("c.project = ?", project)


def _add_time(builder: _Builder, database: SqliteDatabase, filters: SearchFilters) -> None:
    first, last = month_of(filters.since), month_of(filters.until) or "9"
    rows = database.execute_sql(
        "SELECT facet FROM facet_names WHERE kind = ? AND name BETWEEN ? AND ?", (MONTH, first or "0", last)
    )
    months = [facet for (facet,) in rows]
    builder.add_facets(months, is_looked_up=len(months) <= MANY_MONTHS)
    if filters.since:
        builder.add("e.at >= ?", filters.since)
    if filters.until:
        builder.add("e.at < ? AND e.at > 0", filters.until)


def _facets_wanted(filters: SearchFilters) -> list[tuple[str, str, str]]:
    """Return the kind and the name of each required facet, and the operator that compares names."""
    wanted = [(ROLE, filters.role.value, "=")] if filters.role is not None else []
    wanted += [(HAS, CODE, "=")] if filters.has_code else []
    wanted += [(MODEL, filters.model, "LIKE")] if filters.model else []
    wanted += [(TOOL, filters.tool, "=")] if filters.tool else []
    return wanted


def _ids(database: SqliteDatabase, kind: str, name: str, operator: str) -> list[int]:
    if operator == "LIKE":
        pattern = "%" + name.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        query, wanted = "SELECT facet FROM facet_names WHERE kind = ? AND name LIKE ? ESCAPE '!'", pattern
    else:
        query, wanted = "SELECT facet FROM facet_names WHERE kind = ? AND name = ? COLLATE NOCASE", name
    return [facet for (facet,) in database.execute_sql(query, (kind, wanted))]
