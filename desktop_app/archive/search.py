"""Full-text search. No query is a syntax error.

These are tried in order until something is found: all terms, exact matches first; all terms, the last one as a prefix;
the query as a substring; any of its words. Of very many matches the newest are ranked.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec
from msgspec.structs import replace
from peewee import SqliteDatabase

from desktop_app.conversation.listing import SearchResult
from desktop_app.conversation.message import Role
from desktop_app.conversation.surrogates import replace_surrogates_in_text

from .rows import SEPARATOR, number_of, space_out
from .snippets import END, LONG, START, mark_hits, snippet_of

MAX_TERMS = 32
MAX_LOOSE_TERMS = 12
"""Terms of a query that count, if all must match and if any may: a query may be a whole pasted page, and ranking the
messages with a common word takes 2 ms a word (10,000 messages)."""

MAX_NUMBER = 2**62  # no entry has a higher one
MAX_SUBSTRING = 1_000  # characters; SQLite refuses patterns of 50,000 bytes
AROUND = 80  # characters on each side of what was found inside of words

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_WORD = re.compile(r"\w+")
_WILDCARD = re.compile("[%_!]")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_STOP_WORDS = frozenset(
    """a about an and are as at be but by can could did do does for from had has have how i if in into is it its me my
    no not of on or our so that the their them then there these they this to was we were what when where which who
    why will with would you your""".split()  # noqa: SIM905 (as a list it would be eighty lines)
)

_FROM = """JOIN entries e ON e.number = found.rowid JOIN conversations c ON c.id = e.conversation
    LEFT JOIN archived a ON a.entry = e.number"""
_OURS = "NOT c.is_deleted AND (?2 IS NULL OR e.conversation = ?2)"
_COLUMNS = "e.conversation, c.title, e.id, e.message_index, e.body, a.entry IS NOT NULL, e.at"

RANKED = 2_000
"""Matches that are ranked, the newest: to rank 100,000 messages with a common word takes 0.1 s, to rank these 5 ms."""
SPAN = """SELECT (SELECT number FROM entries WHERE conversation = ?1 ORDER BY position LIMIT 1),
    (SELECT number FROM entries WHERE conversation = ?1 ORDER BY position DESC LIMIT 1)"""
OLDEST_RANKED = f"""SELECT found.rowid FROM words AS found CROSS {_FROM}
    WHERE words MATCH ?1 AND {_OURS} AND found.rowid BETWEEN ?3 AND ?4
    ORDER BY found.rowid DESC LIMIT 1 OFFSET {RANKED - 1}"""

# CROSS JOIN: the search comes first, and its order by rank is the order of the rows, so that hits are
# marked only in those that are shown.
BY_WORDS = f"""SELECT {_COLUMNS}, -found.rank,
    CASE WHEN length(found.text) > {LONG} THEN found.text ELSE highlight(words, 0, '{START}', '{END}') END
    FROM words AS found CROSS {_FROM} WHERE words MATCH ?1 AND {_OURS} AND found.rowid BETWEEN ?5 AND ?6
    AND (?4 IS NULL OR found.text LIKE ?4 ESCAPE '!') ORDER BY found.rank LIMIT ?3"""
BY_SUBSTRING = f"""SELECT {_COLUMNS}, 0.0, found.text
    FROM %s AS found CROSS {_FROM} WHERE found.text LIKE ?1 AND {_OURS} AND found.rowid BETWEEN ?5 AND ?6
    AND found.text LIKE ?4 ESCAPE '!' ORDER BY found.rowid DESC LIMIT ?3"""


class _Speaker(msgspec.Struct):
    role: Role


class _Query(msgspec.Struct, frozen=True):
    """A search in one conversation or in all."""

    database: SqliteDatabase
    conversation: str | None
    limit: int

    def by_words(self, match: str, literal: str | None = None) -> tuple[SearchResult, ...]:
        """match: in FTS5's language; empty for a query without words. literal: text that must be there as it stands."""
        rows = self._rows(BY_WORDS, match, literal, *self._ranked(match)) if match else []
        return tuple(_result(columns, _shown(_snippet(text, match))) for *columns, text in rows)

    def by_substring(self, piece: str) -> tuple[SearchResult, ...]:
        """piece: text as it stands, letters of either case, also inside of words. The newest come first."""
        if not 0 < len(piece) <= MAX_SUBSTRING:
            return ()
        # % and _ of the piece are wildcards to the index, which knows no ESCAPE; a second LIKE takes them as they are.
        sql = BY_SUBSTRING % ("trigrams" if _has_trigrams(piece) else "message_texts")
        rows = self._rows(sql, f"%{piece}%", piece, *self._span())
        return tuple(_result(columns, _excerpt(text, piece)) for *columns, text in rows)

    def _span(self) -> tuple[int, int]:
        """Return the first and the last number of the entries that can be found."""
        if self.conversation is None:
            return 0, MAX_NUMBER
        return self.database.execute_sql(SPAN, (self.conversation,)).fetchone()

    def _ranked(self, match: str) -> tuple[int, int]:
        """Return the first and the last number of the entries among which matches are ranked."""
        first, last = self._span()
        oldest = self.database.execute_sql(OLDEST_RANKED, (match, self.conversation, first, last)).fetchone()
        return (oldest[0] if oldest else first), last

    def _rows(self, sql: str, asked: str, literal: str | None, *span: int) -> list[tuple[Any, ...]]:
        pattern = None if literal is None else "%" + _WILDCARD.sub(r"!\g<0>", literal) + "%"
        return self.database.execute_sql(sql, (asked, self.conversation, self.limit, pattern, *span)).fetchall()


def search_messages(
    database: SqliteDatabase, query: str, conversation: str | None = None, limit: int = 50
) -> tuple[SearchResult, ...]:
    """Return messages with the query's words, best first, except of deleted conversations."""
    wanted = " ".join(replace_surrogates_in_text(query).replace("\0", " ").split())
    terms = [quoted or plain for quoted, plain in _TERM.findall(wanted)]
    all_terms = " AND ".join(_phrases(terms)[:MAX_TERMS])
    question = _Query(database, conversation, max(limit, 0))
    return (
        _literal_first(question, all_terms, space_out(" ".join(terms)))
        or question.by_words(all_terms and all_terms + " *")
        or question.by_substring(space_out(wanted))
        or question.by_words(" OR ".join(_phrases(_loose_words(wanted))[:MAX_LOOSE_TERMS]))
    )


def _literal_first(query: _Query, all_terms: str, literal: str) -> tuple[SearchResult, ...]:
    """Return the messages with all terms, exact matches first: to the index `a/b.c` and `a b c` are the same words."""
    results = query.by_words(all_terms)
    if not results or len(literal) > MAX_SUBSTRING or not _PUNCTUATION.search(literal):
        return results
    bonus = results[0].score
    best = [replace(result, score=result.score + bonus) for result in query.by_words(all_terms, literal)]
    found = {result.message for result in best}
    return (*best, *(result for result in results if result.message not in found))[: query.limit]


def _phrases(terms: list[str]) -> list[str]:
    """Quote each term for FTS5: its words in their order, without operators."""
    quoted = ('"' + space_out(term).replace('"', '""') + '"' for term in terms if _has_word(term))
    return list(dict.fromkeys(quoted))


def _loose_words(wanted: str) -> list[str]:
    """Return the words without stop words, long ones first. Of unspaced scripts also pairs of characters."""
    words = [word for word in _WORD.findall(wanted) if word.lower() not in _STOP_WORDS]
    pairs = [word[start : start + 2] for word in words if space_out(word) != word for start in range(len(word) - 1)]
    return sorted(words, key=len, reverse=True) + pairs


def _has_word(term: str) -> bool:
    """Whether the tokenizer unicode61 finds a word in it: letters, numbers, private use."""
    return any(category[0] in "LN" or category == "Co" for category in map(unicodedata.category, term))


def _has_trigrams(piece: str) -> bool:
    """Whether the index of trigrams can be asked. SQLite counts bytes where it should count characters, and finds
    nothing for two characters that are three bytes; then the texts themselves are read (30 ms for 10,000)."""
    runs = re.split("[%_]", piece)
    return all(run.isascii() or len(run) >= 3 for run in runs)


def _result(columns: list[Any], snippet: str) -> SearchResult:
    conversation, title, message, index, body, archived, at, score = columns
    try:
        role = msgspec.json.decode(body, type=_Speaker).role
    except (msgspec.DecodeError, TypeError, RecursionError):  # the message is damaged, and says so where it is opened
        role = Role.USER
    found, named, said = (value if isinstance(value, str) else "" for value in (conversation, title, message))
    return SearchResult(found, named, said, int(number_of(index)), role, bool(archived), snippet, score, number_of(at))


def _snippet(text: str, match: str) -> str:
    return snippet_of(text if len(text) <= LONG or START in text else mark_hits(text, match))


def _shown(snippet: str) -> str:
    """Return the snippet on one line, with the hits between « and »; those of the text itself become “ and ”."""
    own = snippet.replace(SEPARATOR, "").replace("«", "“").replace("»", "”")
    return " ".join(own.replace(START, "«").replace(END, "»").split())


def _excerpt(text: str, piece: str) -> str:
    """Return a snippet around a substring."""
    found = re.search(re.escape(piece), text, re.IGNORECASE)
    if found is None:  # LIKE folds the case of fewer letters than re does: the text is not the one that was indexed
        return _shown(text[: 2 * AROUND])
    start, end = max(found.start() - AROUND, 0), found.end() + AROUND
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return before + _shown(f"{text[start : found.start()]}{START}{found[0]}{END}{text[found.end() : end]}") + after
