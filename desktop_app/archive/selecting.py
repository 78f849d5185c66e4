"""Which messages a search may find, as conditions in SQL and a range of numbers."""

from __future__ import annotations

from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.searching import SearchFilters

from .facets import CODE, HAS, MODEL, MONTH, ROLE, TOOL, month_of

MAX_NUMBER = 2**62
"""No entry has a higher one."""
FEW = 500
"""Messages of a facet that are looked at one by one, 50 µs each, instead of all that hold the words."""
MANY_MONTHS = 12
"""More months are not looked up for each message: nearly every message is of one of them."""

SPAN = """SELECT (SELECT number FROM entries WHERE conversation = ?1 ORDER BY position LIMIT 1),
    (SELECT number FROM entries WHERE conversation = ?1 ORDER BY position DESC LIMIT 1)"""
ENDS = """SELECT (SELECT entry FROM facets WHERE facet = ?1 ORDER BY entry LIMIT 1),
    (SELECT entry FROM facets WHERE facet = ?1 ORDER BY entry DESC LIMIT 1)"""


class Selection(msgspec.Struct, frozen=True):
    """What may be found. `where` is about the tables `e` (entries) and `c` (conversations), and a NUMBER."""

    where: str
    parameters: tuple[Any, ...]
    first: int
    last: int
    few: tuple[int, ...] | None = None
    """The numbers of all that can be found, in no order, if they are few."""

    @property
    def is_empty(self) -> bool:
        return self.first > self.last or self.few == ()

    def conditions(self, number: str) -> str:
        """Return the conditions. number: the column with the number of the entry that is read first."""
        which = f"{number} BETWEEN {self.first} AND {self.last}"
        if self.few is not None:
            which = f"{number} IN ({', '.join(map(str, self.few))})"
        return f"{which} AND {self.where.replace('NUMBER', number)}"


class _Builder:
    """Conditions that are added up, and the range that they leave."""

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
        """Narrow the range to what these conversations or facets have together."""
        spans = [self._database.execute_sql(query, (key,)).fetchone() for key in keys]
        firsts, lasts = [span[0] for span in spans if span[0] is not None], [s[1] for s in spans if s[1] is not None]
        self._first = max(self._first, min(firsts, default=MAX_NUMBER))
        self._last = min(self._last, max(lasts, default=-1))

    def add_facets(self, facets: list[int], is_looked_up: bool = True) -> None:
        """A message must have one of these facets."""
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
    """Return what may be found with those filters, in one conversation or in all that are not deleted."""
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
    """Return kind and name of each facet that is wanted, and how names are compared."""
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
