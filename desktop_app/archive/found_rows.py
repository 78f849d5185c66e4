"""The messages that a search has found, as results with snippets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.listing import SearchResult
from desktop_app.conversation.message import Role

from .rows import SEPARATOR, number_of
from .snippets import END, LENGTH, LONG, START, mark_hits, snippet_of

AROUND = 80
"""Characters on each side of what was found inside of words."""
AT_ONCE = 500

ROWS = """SELECT e.number, e.conversation, c.title, e.id, e.message_index, e.body, a.entry IS NOT NULL, e.at
    FROM entries e JOIN conversations c ON c.id = e.conversation LEFT JOIN archived a ON a.entry = e.number
    WHERE e.number IN ({})"""
TEXT = "COALESCE(CAST(found.text AS TEXT), '')"
"""In a damaged archive a text may be anything, or nothing."""
MARKED = f"""SELECT rowid, COALESCE(CAST(
    CASE WHEN length(text) > {LONG} THEN text ELSE highlight(words, 0, '{START}', '{END}') END AS TEXT), '')
    FROM words WHERE words MATCH ? AND rowid IN ({{}})"""
BEGINNINGS = f"SELECT entry, substr({TEXT}, 1, {2 * LENGTH}) FROM message_texts found WHERE entry IN ({{}})"


class _Speaker(msgspec.Struct):
    role: Role


def results_of(
    database: SqliteDatabase,
    found: Sequence[tuple[float, int]],
    match: str = "",
    snippets: Mapping[int, str] | None = None,
) -> list[SearchResult]:
    """Return the results in the order of what was found: scores and numbers.

    match: what was looked for, in FTS5's language; "" for nothing. snippets: by number, where they are known.
    """
    results: list[SearchResult] = []
    for start in range(0, len(found), AT_ONCE):
        some = found[start : start + AT_ONCE]
        listed = ", ".join(str(number) for _, number in some)
        shown = snippets if snippets is not None else _snippets(database, listed, match)
        rows = {number: columns for number, *columns in database.execute_sql(ROWS.format(listed))}
        results += [_result(rows[number], shown.get(number, ""), score) for score, number in some if number in rows]
    return results


def _snippets(database: SqliteDatabase, listed: str, match: str) -> dict[int, str]:
    if not match:
        return {number: one_line(snippet_of(text)) for number, text in database.execute_sql(BEGINNINGS.format(listed))}
    rows = database.execute_sql(MARKED.format(listed), (match,))
    return {number: one_line(_marked_snippet(text, match)) for number, text in rows}


def _marked_snippet(text: str, match: str) -> str:
    return snippet_of(text if len(text) <= LONG or START in text else mark_hits(text, match))


def _result(columns: list[Any], snippet: str, score: float) -> SearchResult:
    conversation, title, message, index, body, archived, at = columns
    try:
        role = msgspec.json.decode(body, type=_Speaker).role
    except (msgspec.DecodeError, TypeError, RecursionError):  # the message is damaged, and says so where it is opened
        role = Role.USER
    found, named, said = (value if isinstance(value, str) else "" for value in (conversation, title, message))
    return SearchResult(found, named, said, int(number_of(index)), role, bool(archived), snippet, score, number_of(at))


def one_line(snippet: str) -> str:
    """Return the snippet on one line, with the hits between « and »; those of the text itself become “ and ”."""
    own = snippet.replace(SEPARATOR, "").replace("«", "“").replace("»", "”")
    return " ".join(own.replace(START, "«").replace(END, "»").split())


def excerpt_of(text: str, piece: str) -> str:
    """Return a snippet around a substring."""
    found = re.search(re.escape(piece), text, re.IGNORECASE)
    if found is None:  # LIKE folds the case of fewer letters than re does: the text is not the one that was indexed
        return one_line(text[: 2 * AROUND])
    start, end = max(found.start() - AROUND, 0), found.end() + AROUND
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return before + one_line(f"{text[start : found.start()]}{START}{found[0]}{END}{text[found.end() : end]}") + after
