"""Recall's queries to the archive, within one conversation and across several.

Within one conversation, each term is a separate look-up in the index of passages, limited to the conversation's rows:
0.1 ms for a word that 180 of 10,000 passages contain. FTS5's own ranking would count the words of all conversations,
and read each of their rows for it.

Across several conversations, each term is looked up once. The conversation of each row is cached in memory, 4 bytes per
row: looking it up in the table would read a page of the file for each row with the word.
"""

from __future__ import annotations

import logging
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from peewee import SqliteDatabase

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.context.recall.outline import Head, Outline, outline_of
from desktop_app.context.recall.passage_cuts import BITS, MAX_PLACE, message_of
from desktop_app.context.recall.query import KnownConversation
from desktop_app.context.recall.rank import (
    OPENED,
    CandidateConversation,
    Candidates,
    Rarity,
    best_of,
    choose_conversations,
    length_share,
    shared_information,
    telling_word_limit,
)
from desktop_app.context.recall.times import TimeSpan
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import replace_surrogates_in_text

from .disk_failures import no_conversation
from .passage_index import passages_in
from .search_filters import MANY_MONTHS, MONTH, entries_without
from .tables import UNREADABLE, decode_message, in_each_spelling, number_of, phrase_of, rows_for

log = logging.getLogger(__name__)

MAX_HELD = 20_000
"""Rows with one term that are read; a word in that many has no significance."""
MAX_INSIDE = 200
"""Messages with a term inside their words that are read; tried if no message contains the term as a word."""
MIN_INSIDE = 4
"""Characters of a term that is searched for inside words."""

HEADS = """SELECT e.number, e.message_index, e.at, e.body FROM entries e
    WHERE e.conversation = ? AND e.message_index >= ? AND typeof(e.message_index) = 'integer'
    AND e.message_index < e.number + 1 ORDER BY e.message_index"""
HELD = "SELECT rowid FROM passage_words WHERE passage_words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?"
HELD_WHOLE = f"SELECT rowid << {BITS} FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?"
"""Finds messages that have no passages yet by all of their words."""
INSIDE = f"SELECT rowid << {BITS} FROM trigrams WHERE text LIKE ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?"
MESSAGES = "SELECT message_index, body FROM entries WHERE conversation = ? AND message_index IN ({})"
ARCHIVED = f"SELECT entry << {BITS} FROM archived WHERE entry BETWEEN ? AND ? ORDER BY entry"


class _Part(msgspec.Struct):
    """The fields with text in a part of any kind."""

    text: str = ""
    arguments: str = ""
    content: str = ""


class _Body(msgspec.Struct):
    """The fields of a message's body that an outline needs."""

    role: Role
    speaker: str = ""
    parts: list[_Part] = []


_decoder = msgspec.json.Decoder(_Body)


class Known:
    """The outline of one conversation. Records only grow, so no message is read twice."""

    def __init__(self) -> None:
        self.outline = Outline()
        self.rows = (0, -1)  # the first and the last row; rows of other conversations may be between them
        self._own_rows, self._indexes = array("q"), array("q")  # the rows of messages, ascending, and their indexes
        self._heads: list[Head] = []

    def read_on(self, database: SqliteDatabase, conversation: str) -> None:
        """Read the messages that were appended since the last call."""
        rows = database.execute_sql(HEADS, (conversation, len(self._heads))).fetchall()
        for number, index, stored_at, body in rows:
            at = number_of(stored_at)
            if self.rows[1] < 0:
                self.rows = (number, number)
            while len(self._heads) < index:  # a missing message of a damaged archive
                self._heads.append(Head("", False, 0, "", at))
            self._own_rows.append(number)
            self._indexes.append(index)
            self._heads.append(_head(body, at))
        if rows:
            self.outline = outline_of(self._heads, _date_at)
            self.rows = (self.rows[0], rows[-1][0])

    def passages_of(self, rows: Iterable[tuple[int]]) -> tuple[int, ...]:
        """Return the passages in the given ascending rows by their messages' indexes, ignoring other conversations."""
        own, found, position = self._own_rows, list[int](), 0
        for (number,) in rows:
            position = bisect_left(own, number >> BITS, position)
            if position == len(own):
                break
            if own[position] == number >> BITS:
                found.append((self._indexes[position] << BITS) + (number & MAX_PLACE))
        return tuple(found)


class RecallSearch:
    """Look-ups within single conversations, with a cache of the outlines of the last used ones.

    rows: the look-ups across conversations.
    """

    KEPT = 80_000
    """Total messages in cached outlines: 16 MB."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._known: dict[str, Known] = {}
        self.rows = RecallRows(database)

    def outline(self, conversation: str) -> Outline:
        """Return the up-to-date outline. Raises ArchiveError if there is no such conversation."""
        return self._known_of(conversation).outline

    def postings(self, conversation: str, terms: Sequence[str], most: int = MAX_HELD) -> dict[str, tuple[int, ...]]:
        """Return the ascending numbers of the first `most` passages with each term, without terms that none has.

        A term of several words matches these words in sequence.
        """
        known = self._known_of(conversation)
        below = entries_without(self._database)
        found = {term: self._held(term, known, most, below) for term in dict.fromkeys(terms)}
        return {term: held for term, held in found.items() if held}

    def archived_indexes(self, conversation: str) -> frozenset[int]:
        """Return the indexes of the messages that compactions took out of the view."""
        known = self._known_of(conversation)
        return frozenset(map(message_of, known.passages_of(self._database.execute_sql(ARCHIVED, known.rows))))

    def messages_at(self, conversation: str, indexes: Iterable[int]) -> dict[int, Message]:
        """Return the messages at the indexes, without missing and damaged ones."""
        found: dict[int, Message] = {}
        for index, body in rows_for(self._database, MESSAGES, sorted(set(indexes)), conversation):
            try:
                found[index] = decode_message(body)
            except UNREADABLE as error:
                log.error("message %s of conversation %s cannot be read: %s", index, conversation, error)
        return found

    def _known_of(self, conversation: str) -> Known:
        _must_exist(self._database, conversation)
        known = self._known.pop(conversation, None) or Known()
        known.read_on(self._database, conversation)
        self._known[conversation] = known  # the last used one is last
        while len(self._known) > 1 and sum(len(each.outline.lengths) for each in self._known.values()) > self.KEPT:
            del self._known[next(iter(self._known))]
        return known

    def _held(self, term: str, known: Known, most: int, below: int) -> tuple[int, ...]:
        (first, last), match = known.rows, _match_of(term)
        whole = self._rows(HELD_WHOLE, match, known, (first, min(last, below - 1)), most) if first < below else ()
        held = whole + self._rows(HELD, match, known, passages_in(max(first, below), last), most)
        if not held and _may_be_inside(term):
            held = self._rows(INSIDE, f"%{term}%", known, known.rows, MAX_INSIDE)
        return held[:most]

    def _rows(self, query: str, asked: str, known: Known, within: tuple[int, int], most: int) -> tuple[int, ...]:
        rows = self._database.execute_sql(query, (asked, *within, most)).fetchall()
        held = known.passages_of(rows)
        if len(held) < len(rows) == most < MAX_HELD:  # the limit was used up by rows of other conversations
            held = self._rows(query, asked, known, within, MAX_HELD)[:most]
        return held


def _match_of(term: str) -> str:
    """Return the query for a term in FTS5's syntax."""
    return in_each_spelling(phrase_of(replace_surrogates_in_text(term).replace("\0", " ")))


def _may_be_inside(term: str) -> bool:
    """Return whether a term that no message contains as a word is searched for inside words."""
    return len(term) >= MIN_INSIDE and term.isascii() and term.isalnum()


def _head(body: str, at: float) -> Head:
    try:
        read = _decoder.decode(body)
    except UNREADABLE:
        return Head("", False, 0, "", at)
    length = sum([len(part.text) + len(part.arguments) + len(part.content) for part in read.parts])
    stamp = without_stamp(read.parts[0].text)[0] if read.parts else ""
    return Head(read.speaker or read.role.value, bool(read.speaker), length, stamp, at)


def _date_at(seconds: float) -> str:
    """Return the date, in UTC, of a time in seconds since 1970; "" if a damaged row has an invalid time."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _must_exist(database: SqliteDatabase, conversation: str) -> None:
    found = database.execute_sql("SELECT is_deleted FROM conversations WHERE id = ?", (conversation,)).fetchone()
    if found is None or found[0]:
        raise no_conversation(conversation)


SLICE = 20_000
"""Rows read at a time: 0.1 s of CPU, during which the archive's thread is busy."""
MAX_LOOKED_AT = 200_000
"""Messages with one term whose project is checked."""
MAX_ROW = 2**27
"""Higher row numbers occur only in a damaged file."""
NO_OWNER = -1

# Reads only the index, not the table, which contains the messages' bodies.
FIRST_ROWS = """SELECT number, conversation, message_index FROM entries INDEXED BY messages
    WHERE message_index IS NOT NULL AND (conversation, message_index) > (?, ?)
    ORDER BY conversation, message_index LIMIT ?"""
NEW_ROWS = """SELECT number, conversation, message_index FROM entries
    WHERE number > ? AND message_index IS NOT NULL ORDER BY number LIMIT ?"""
NEWEST = "SELECT COALESCE(MAX(number), -1) FROM entries"
HELD_BY_MANY = "SELECT rowid FROM words WHERE words MATCH ? AND {} ORDER BY rowid DESC LIMIT ?"
INSIDE_MANY = "SELECT rowid FROM trigrams WHERE text LIKE ? AND {} ORDER BY rowid DESC LIMIT ?"
MONTHS = "SELECT facet FROM facet_names WHERE kind = ? AND name BETWEEN ? AND ?"
LENGTHS = "SELECT entry, length(text) FROM message_texts WHERE entry IN ({})"


class RecallRows:
    """The conversation of each row, read in slices on demand; records only grow."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._ids: list[str] = []
        self._numbers: dict[str, int] = {}
        self._messages: list[int] = []  # the number of messages of each conversation
        self._owners = array("i")
        self._first: tuple[str, int] | None = ("", -1)  # the last row of the initial reading so far; None once complete
        self._newest = -1

    def read_on(self) -> bool:
        """Read one slice; return whether there may be more."""
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
        self, terms: Sequence[str], project: str | None, without: str, span: TimeSpan | None = None
    ) -> Candidates:
        """Return the conversations that may contain the terms, among the rows read so far.

        project: the id of the project to search; None for all conversations. without: the id of a conversation to
        exclude; "" for none. span: the days whose months are searched; None for any.
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
        held = {term: self._held(term, in_time, is_ours, most + 1, looked_at) for term in terms}
        rarity = Rarity(messages, {term: len(rows) for term, rows in held.items() if rows})
        scores = self._by_length(best_of(shared_information(terms, held, rarity), OPENED))
        owners = self._owners
        chosen = choose_conversations((owners[row], score) for row, score in scores)
        found = [CandidateConversation(self._ids[number], titles[number], score) for number, score in chosen]
        return Candidates(tuple(found), rarity)

    def count_conversations(self, project: str | None) -> int:
        """Return the number of conversations in a project; of all conversations for None."""
        sql, arguments = _where("SELECT COUNT(*) FROM conversations", project)
        return int(self._database.execute_sql(sql, arguments).fetchone()[0])

    def conversations_named(self, beginning: str) -> tuple[KnownConversation, ...]:
        """Return the conversations whose ids begin with `beginning`, without deleted ones."""
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
                self._owners += array("i", [NO_OWNER]) * (row + 1 - len(self._owners))
            if self._owners[row] == NO_OWNER:
                self._messages[number] += 1
            self._owners[row] = number

    def _titles(self, project: str | None, without: str) -> dict[int, str]:
        """Return the titles of the conversations to search, by their numbers."""
        rows = self._database.execute_sql(*_where("SELECT id, title FROM conversations", project))
        return {self._numbers[name]: str(title) for name, title in rows if name != without and name in self._numbers}

    def _held(self, term: str, in_time: str, is_ours: bytearray, most: int, looked_at: int) -> list[int]:
        held = self._rows(HELD_BY_MANY.format(in_time), _match_of(term), is_ours, most, looked_at)
        if not held and _may_be_inside(term):
            held = self._rows(INSIDE_MANY.format(in_time), f"%{term}%", is_ours, MAX_INSIDE, MAX_INSIDE)
        return held

    def _rows(self, query: str, asked: str, is_ours: bytearray, most: int, looked_at: int) -> list[int]:
        owners, known = self._owners, len(self._owners)
        rows = self._database.execute_sql(query, (asked, looked_at)).fetchall()
        found = [row for (row,) in rows if row < known and (owner := owners[row]) >= 0 and is_ours[owner]]
        return found[:most]

    def _by_length(self, best: Sequence[tuple[int, float]]) -> Iterator[tuple[int, float]]:
        """Yield the rows with scores normalized by length as in BM25: words of long messages count less."""
        lengths = self._lengths([row for row, _ in best])
        average = max(sum(lengths.values()) / max(len(lengths), 1), 1.0)
        for row, score in best:
            yield row, score * length_share(lengths.get(row, 0), average)

    def _lengths(self, rows: Sequence[int]) -> Mapping[int, int]:
        return dict(rows_for(self._database, LENGTHS, rows))


def _is_of_months(database: SqliteDatabase, span: TimeSpan) -> str:
    """Return the condition that a row is from the months of those days.

    The span is extended by a day on each side, because months are in UTC.
    """
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
