"""What recall asks of the archive: a conversation's outline, which of its messages hold a term, and messages by index.

Each term is a look-up of its own in the index of words, within the rows of one conversation: 0.1 ms for a word that
180 of 10,000 messages hold. FTS5's own ranking would count the words of all conversations together.
"""

from __future__ import annotations

import logging
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec
from peewee import SqliteDatabase

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.context.recall.outline import Head, Outline, outline_of
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.surrogates import replace_surrogates_in_text

from .failures import no_conversation
from .rows import decode_message, number_of, space_out

log = logging.getLogger(__name__)

MAX_HELD = 20_000
"""Messages that hold one term: a word that so many hold says nothing."""
MAX_INSIDE = 200
"""Messages that hold a term only inside of their words; it is looked for when no message holds it as a word."""
MIN_INSIDE = 4
"""Characters of a term that is looked for inside of words."""
AT_ONCE = 500
"""Rows of one query: SQLite takes 999 parameters in every version."""

HEADS = """SELECT e.number, e.message_index, e.at, e.body FROM entries e
    WHERE e.conversation = ? AND e.message_index >= ? AND typeof(e.message_index) = 'integer'
    AND e.message_index < e.number + 1 ORDER BY e.message_index"""
HELD = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?"
INSIDE = "SELECT rowid FROM trigrams WHERE text LIKE ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?"
ARCHIVED = "SELECT entry FROM archived WHERE entry BETWEEN ? AND ? ORDER BY entry"


class _Part(msgspec.Struct):
    """What there is to read in a part, whatever its kind."""

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
    """One conversation as far as it was read: records only grow, so that nothing of it is ever read again."""

    def __init__(self) -> None:
        self.outline = Outline()
        self.rows = (0, -1)  # its first and last row; other conversations' may stand between
        self._own_rows, self._indexes = array("q"), array("q")  # of its messages, ascending; and their indexes
        self._heads: list[Head] = []

    def read_on(self, database: SqliteDatabase, conversation: str) -> None:
        """Reads the messages that were appended since."""
        rows = database.execute_sql(HEADS, (conversation, len(self._heads))).fetchall()
        for number, index, stored_at, body in rows:
            at = number_of(stored_at)
            if self.rows[1] < 0:
                self.rows = (number, number)
            while len(self._heads) < index:  # a message that cannot be read any more
                self._heads.append(Head("", False, 0, "", at))
            self._own_rows.append(number)
            self._indexes.append(index)
            self._heads.append(_head(body, at))
        if rows:
            self.outline = outline_of(self._heads, _date_at)
            self.rows = (self.rows[0], rows[-1][0])

    def indexes_of(self, rows: Iterable[tuple[int]]) -> tuple[int, ...]:
        """Return the indexes of the messages in those ascending rows, without rows of other conversations."""
        own, found, place = self._own_rows, list[int](), 0
        for (number,) in rows:
            place = bisect_left(own, number, place)
            if place == len(own):
                break
            if own[place] == number:
                found.append(self._indexes[place])
        return tuple(found)


class RecallSearch:
    """The look-ups of one archive, with the outlines of the conversations that were asked about lately."""

    KEPT = 80_000
    """Messages of all conversations whose outlines are kept: 16 MB."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._known: dict[str, Known] = {}

    def outline(self, conversation: str) -> Outline:
        """Return the up-to-date outline. Raises ArchiveError if there is no such conversation."""
        return self._known_of(conversation).outline

    def postings(self, conversation: str, terms: Sequence[str], most: int = MAX_HELD) -> dict[str, tuple[int, ...]]:
        """Return the ascending indexes of the first `most` messages with each term, without terms that none has.

        A term of several words is found where they stand in their order.
        """
        known = self._known_of(conversation)
        found = {term: self._held(term, known, most) for term in dict.fromkeys(terms)}
        return {term: held for term, held in found.items() if held}

    def archived_indexes(self, conversation: str) -> frozenset[int]:
        """Return the indexes of the messages that a compaction took out of the view."""
        known = self._known_of(conversation)
        return frozenset(known.indexes_of(self._database.execute_sql(ARCHIVED, known.rows)))

    def messages_at(self, conversation: str, indexes: Iterable[int]) -> dict[int, Message]:
        """Return the messages at those indexes, without missing and damaged ones."""
        wanted = sorted(set(indexes))
        found: dict[int, Message] = {}
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            places = ", ".join("?" * len(some))
            query = f"SELECT message_index, body FROM entries WHERE conversation = ? AND message_index IN ({places})"
            for index, body in self._database.execute_sql(query, (conversation, *some)):
                try:
                    found[index] = decode_message(body)
                except (msgspec.DecodeError, TypeError, RecursionError) as error:
                    log.error("message %s of conversation %s cannot be read: %s", index, conversation, error)
        return found

    def _known_of(self, conversation: str) -> Known:
        _must_exist(self._database, conversation)
        known = self._known.pop(conversation, None) or Known()
        known.read_on(self._database, conversation)
        self._known[conversation] = known  # the last one asked about stands last
        while len(self._known) > 1 and sum(len(each.outline.lengths) for each in self._known.values()) > self.KEPT:
            del self._known[next(iter(self._known))]
        return known

    def _held(self, term: str, known: Known, most: int) -> tuple[int, ...]:
        match = '"' + space_out(replace_surrogates_in_text(term).replace("\0", " ")).replace('"', '""') + '"'
        held = self._rows(HELD, match, known, most)
        if not held and len(term) >= MIN_INSIDE and term.isascii() and term.isalnum():
            held = self._rows(INSIDE, f"%{term}%", known, MAX_INSIDE)
        return held

    def _rows(self, query: str, asked: str, known: Known, most: int) -> tuple[int, ...]:
        rows = self._database.execute_sql(query, (asked, *known.rows, most)).fetchall()
        held = known.indexes_of(rows)
        if len(held) < len(rows) == most < MAX_HELD:  # other conversations' messages took the places
            held = self._rows(query, asked, known, MAX_HELD)[:most]
        return held


def _head(body: str, at: float) -> Head:
    try:
        read = _decoder.decode(body)
    except (msgspec.DecodeError, TypeError, RecursionError):
        return Head("", False, 0, "", at)
    length = sum([len(part.text) + len(part.arguments) + len(part.content) for part in read.parts])
    stamp = without_stamp(read.parts[0].text)[0] if read.parts else ""
    return Head(read.speaker or read.role.value, bool(read.speaker), length, stamp, at)


def _date_at(seconds: float) -> str:
    """Return the date, in UTC, of a moment in seconds since 1970; "" if a damaged row gives none."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _must_exist(database: SqliteDatabase, conversation: str) -> None:
    found = database.execute_sql("SELECT is_deleted FROM conversations WHERE id = ?", (conversation,)).fetchone()
    if found is None or found[0]:
        raise no_conversation(conversation)
