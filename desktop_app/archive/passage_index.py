"""The index of passages: pieces of messages with their words, which recall ranks.

A passage's number begins with its entry's (context/recall/passage_cuts.py), so that the passages of a range of entries
are a range of rows. The index is kept with the record: `writing.append` adds to it, `erasing.erase` removes from it,
and an older archive gets it in the background together with the facets (search_filters.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from peewee import SqliteDatabase

from desktop_app.context.recall.passage_cuts import BITS, passages_of


def add_passages(database: SqliteDatabase, texts: Iterable[tuple[int, str]]) -> None:
    """Store the passages of searched texts, each with its entry's number. Runs inside a transaction of its caller."""
    found = [row for number, text in texts for row in _rows(number << BITS, text)]
    connection = database.connection()
    # A damaged archive may have passages of an entry that it has lost.
    connection.executemany(
        "INSERT OR REPLACE INTO passages (number, start, length) VALUES (?, ?, ?)", [row[:3] for row in found]
    )
    connection.executemany("INSERT INTO passage_words (rowid, text) VALUES (?, ?)", [row[::3] for row in found])


def _rows(number: int, text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield number, start, length and text of the passages; start and length are in bytes."""
    first = 0
    for place, (start, end) in enumerate(passages_of(text)):
        length = len(text[start:end].encode())
        yield number + place, first, length, text[start:end]
        first += length


def passages_in(first: int, last: int) -> tuple[int, int]:
    """Return the lowest and the highest number of passages of a range of entries."""
    return first << BITS, (last + 1 << BITS) - 1
