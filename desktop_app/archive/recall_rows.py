"""Recall over several conversations: which of them may hold what is asked for.

Each term is looked up in the index of words once, over all conversations. Whose message a row is stands in memory,
8 bytes a row: to look that up in the table for each row that holds a word would read a page of the file each time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from peewee import SqliteDatabase

from desktop_app.context.recall.across import (
    OPENED,
    CandidateConversation,
    Candidates,
    choose_conversations,
    postings_by_conversation,
)
from desktop_app.context.recall.query import Term
from desktop_app.context.recall.rank import Rarity, best_of, length_share, shared_information, telling_word_limit
from desktop_app.context.recall.reach import KnownConversation
from desktop_app.context.search.times import TimeSpan
from desktop_app.conversation.surrogates import replace_surrogates_in_text

from .facets import MONTH
from .rows import space_out
from .selecting import MANY_MONTHS

SLICE = 20_000
"""Rows that are read at a time: 0.1 s of CPU, in which the archive's thread does nothing else."""
MAX_HELD = 20_000
"""Messages of all conversations that hold one term; of more, the newest."""
MAX_LOOKED_AT = 200_000
"""Messages that hold one term, of which those of a project are chosen."""
MAX_ROW = 2**27
"""Row numbers above are of a damaged file."""
MIN_INSIDE, MAX_INSIDE = 4, 200
"""As in recall_search.py, for a term that no message holds as a word."""
AT_ONCE = 500
NOBODY = -1

# The index alone is read, not the table, in which the messages' bodies stand.
FIRST_ROWS = """SELECT number, conversation, message_index FROM entries INDEXED BY messages
    WHERE message_index IS NOT NULL AND (conversation, message_index) > (?, ?)
    ORDER BY conversation, message_index LIMIT ?"""
NEW_ROWS = """SELECT number, conversation, message_index FROM entries
    WHERE number > ? AND message_index IS NOT NULL ORDER BY number LIMIT ?"""
NEWEST = "SELECT COALESCE(MAX(number), -1) FROM entries"
HELD = "SELECT rowid FROM words WHERE words MATCH ? AND {} ORDER BY rowid DESC LIMIT ?"
INSIDE = "SELECT rowid FROM trigrams WHERE text LIKE ? AND {} ORDER BY rowid DESC LIMIT ?"
MONTHS = "SELECT facet FROM facet_names WHERE kind = ? AND name BETWEEN ? AND ?"
LENGTHS = "SELECT entry, length(text) FROM message_texts WHERE entry IN (%s)"


class RecallRows:
    """Whose message each row is. It is read on demand and slice by slice; records only grow."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._ids: list[str] = []
        self._numbers: dict[str, int] = {}
        self._messages: list[int] = []  # of each conversation
        self._owners, self._indexes = array("i"), array("i")
        self._first: tuple[str, int] | None = ("", -1)  # where the first reading stands; None: it is done
        self._newest = -1

    def read_on(self) -> bool:
        """Read one slice. Return whether there may be more."""
        if self._newest < 0:
            (self._newest,) = self._database.execute_sql(NEWEST).fetchone()
        if self._first is not None:
            rows = self._database.execute_sql(FIRST_ROWS, (*self._first, SLICE)).fetchall()
            self._first = (rows[-1][1], rows[-1][2]) if len(rows) == SLICE else None
            self._note(rows)
            return True
        rows = self._database.execute_sql(NEW_ROWS, (self._newest, SLICE)).fetchall()
        self._note(rows)
        self._newest = rows[-1][0] if rows else self._newest
        return len(rows) == SLICE

    def find_candidates(
        self, terms: Sequence[Term], project: str | None, without: str, span: TimeSpan | None = None
    ) -> Candidates:
        """Return the conversations that may hold those terms, as far as the rows were read.

        project: the id of the one in whose conversations it is looked for; None for all. without: the id of a
        conversation that is left out; "" for none. span: only messages of these months count; None for any.
        """
        titles = self._titles(project, without)
        if not titles:
            return Candidates()
        is_ours = bytearray(len(self._ids))
        for conversation in titles:
            is_ours[conversation] = True
        messages = sum([self._messages[conversation] for conversation in titles])
        most = min(telling_word_limit(messages), MAX_HELD)
        looked_at = MAX_LOOKED_AT if project is not None else most + 1
        in_time = "1" if span is None else _is_of_months(self._database, span)
        held = {term.text: self._held(term.text, in_time, is_ours, most + 1, looked_at) for term in terms}
        rarity = Rarity(messages, {term: len(rows) for term, rows in held.items() if rows})
        scores = self._by_length(best_of(shared_information(terms, held, rarity), OPENED))
        owners = self._owners
        chosen = choose_conversations((owners[row], score) for row, score in scores)
        postings = postings_by_conversation(held, owners, self._indexes, [number for number, _ in chosen])
        found = [CandidateConversation(self._ids[n], titles[n], postings[n], score) for n, score in chosen]
        return Candidates(tuple(found), rarity)

    def count_conversations(self, project: str | None) -> int:
        """Return how many conversations there are in that project, or in all for None."""
        sql, arguments = _where("SELECT COUNT(*) FROM conversations", project)
        return int(self._database.execute_sql(sql, arguments).fetchone()[0])

    def conversations_named(self, beginning: str) -> tuple[KnownConversation, ...]:
        """Return the conversations whose ids begin so, but for deleted ones."""
        sql = "SELECT id, title, project FROM conversations WHERE NOT is_deleted AND substr(id, 1, ?) = ?"
        rows = self._database.execute_sql(sql, (len(beginning), beginning)).fetchall()
        return tuple(KnownConversation(*map(str, row)) for row in rows)

    def _note(self, rows: Iterable[tuple[int, object, object]]) -> None:
        for row, conversation, index in rows:
            if not isinstance(index, int) or not isinstance(conversation, str) or not 0 <= index <= row < MAX_ROW:
                continue  # damaged
            number = self._numbers.setdefault(conversation, len(self._ids))
            if number == len(self._ids):
                self._ids.append(conversation)
                self._messages.append(0)
            if row >= len(self._owners):
                missing = array("i", [NOBODY]) * (row + 1 - len(self._owners))
                self._owners += missing
                self._indexes += missing
            if self._owners[row] == NOBODY:
                self._messages[number] += 1
            self._owners[row], self._indexes[row] = number, index

    def _titles(self, project: str | None, without: str) -> dict[int, str]:
        """Return the titles of the conversations in which it is looked for, by their numbers."""
        rows = self._database.execute_sql(*_where("SELECT id, title FROM conversations", project))
        return {self._numbers[name]: str(title) for name, title in rows if name != without and name in self._numbers}

    def _held(self, term: str, in_time: str, is_ours: bytearray, most: int, looked_at: int) -> list[int]:
        match = '"' + space_out(replace_surrogates_in_text(term).replace("\0", " ")).replace('"', '""') + '"'
        held = self._rows(HELD.format(in_time), match, is_ours, most, looked_at)
        if not held and len(term) >= MIN_INSIDE and term.isascii() and term.isalnum():
            held = self._rows(INSIDE.format(in_time), f"%{term}%", is_ours, MAX_INSIDE, MAX_INSIDE)
        return held

    def _rows(self, query: str, asked: str, is_ours: bytearray, most: int, looked_at: int) -> list[int]:
        owners, known = self._owners, len(self._owners)
        rows = self._database.execute_sql(query, (asked, looked_at)).fetchall()
        found = [row for (row,) in rows if row < known and (owner := owners[row]) >= 0 and is_ours[owner]]
        return found[:most]

    def _by_length(self, best: Sequence[tuple[int, float]]) -> Iterator[tuple[int, float]]:
        """Yield the rows with their scores as BM25 has them, in which the words of a long message count less."""
        lengths = self._lengths([row for row, _ in best])
        average = max(sum(lengths.values()) / max(len(lengths), 1), 1.0)
        for row, score in best:
            yield row, score * length_share(lengths.get(row, 0), average)

    def _lengths(self, rows: Sequence[int]) -> Mapping[int, int]:
        lengths: dict[int, int] = {}
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            lengths |= dict(self._database.execute_sql(LENGTHS % ", ".join("?" * len(some)), some).fetchall())
        return lengths


def _is_of_months(database: SqliteDatabase, span: TimeSpan) -> str:
    """Return the condition that a row is of the months of those days, a day more on each side: months are in UTC."""
    first = (span.first - timedelta(1)).isoformat()[:7] if span.first else "0"
    last = (span.last + timedelta(1)).isoformat()[:7] if span.last else "9"
    rows = database.execute_sql(MONTHS, (MONTH, first, last)).fetchall()
    if len(rows) > MANY_MONTHS:
        return "1"
    listed = ", ".join(str(facet) for (facet,) in rows)
    return f"EXISTS (SELECT 1 FROM facets WHERE facet IN ({listed}) AND entry = rowid)"


def _where(select: str, project: str | None) -> tuple[str, tuple[str, ...]]:
    """Return the query for the conversations of that project, or of all for None, and its arguments."""
    sql = f"{select} WHERE NOT is_deleted"
    return (sql, ()) if project is None else (f"{sql} AND project = ?", (project,))
