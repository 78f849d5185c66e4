"""Full-text search with ranked results and snippets. No query is a syntax error.

These searches are tried in order until one finds something: all words; all words, the last one as a prefix; the query
as a substring; any of the words. For a question, messages with its most distinctive words are found. If there are very
many matches, only the newest are ranked. Without words, the newest messages that match the filters are listed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.context.recall.question import Question, question_of
from desktop_app.conversation.listing import NO_FILTERS, SEARCH_LIMIT, SearchFilters, SearchResult
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import replace_surrogates_in_text

from .ranking import Candidate, Wanted, rank, weight_of
from .search_filters import MONTH, ROLE, Selection, selection_of
from .snippets import END, LENGTH, LONG, START, mark_hits, snippet_of
from .tables import SEPARATOR, number_of, space_out

AROUND = 80
"""Characters on each side of a hit inside words."""
AT_ONCE = 500
"""Rows of one query."""

ROWS = """SELECT e.number, e.conversation, c.title, e.id, e.message_index, e.body, a.entry IS NOT NULL, e.at
    FROM entries e JOIN conversations c ON c.id = e.conversation LEFT JOIN archived a ON a.entry = e.number
    WHERE e.number IN ({})"""
TEXT = "COALESCE(CAST(found.text AS TEXT), '')"
"""In a damaged archive, the value may have any type, or be NULL."""
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
    """Return the results for pairs of score and number, in their order.

    match: the query in FTS5's syntax; "" for none. snippets: known snippets by number; None to make them.
    """
    results: list[SearchResult] = []
    for start in range(0, len(found), AT_ONCE):
        some = found[start : start + AT_ONCE]
        listed = ", ".join(str(number) for _, number in some)
        texts = snippets if snippets is not None else _snippets(database, listed, match)
        rows = {number: columns for number, *columns in database.execute_sql(ROWS.format(listed))}
        results += [_result(rows[number], texts.get(number, ""), score) for score, number in some if number in rows]
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
    except (msgspec.DecodeError, TypeError, RecursionError):  # the conversation shows that the message is damaged
        role = Role.USER
    found, title, name = (value if isinstance(value, str) else "" for value in (conversation, title, message))
    return SearchResult(found, title, name, int(number_of(index)), role, bool(archived), snippet, score, number_of(at))


def one_line(snippet: str) -> str:
    """Return the snippet on one line, hits between « and »; such quotes in the text itself become “ and ”."""
    own = snippet.replace(SEPARATOR, "").replace("«", "“").replace("»", "”")
    return " ".join(own.replace(START, "«").replace(END, "»").split())


def excerpt_of(text: str, piece: str) -> str:
    """Return a snippet around a substring."""
    found = re.search(re.escape(piece), text, re.IGNORECASE)
    if found is None:  # SQLite and re fold case differently, or the text is not the indexed one
        return one_line(text[: 2 * AROUND])
    start, end = max(found.start() - AROUND, 0), found.end() + AROUND
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return before + one_line(f"{text[start : found.start()]}{START}{found[0]}{END}{text[found.end() : end]}") + after


MAX_TERMS = 32
MAX_LOOSE_TERMS = 12
"""Terms of a query that are used if all must match, and if any may match: a query may be an entire pasted page."""
MAX_ASKED = 8
"""Terms of a question that are looked up, the longest first."""
MAX_SUBSTRING = 1_000  # characters; SQLite refuses patterns of 50,000 bytes
MAX_READ = 20_000
"""Characters of a message that its ranking considers."""
RANKED = 500
"""Newest matches that are ranked. Each is on two pages of the file, which a disk without cache reads one by one."""
MAX_COUNTED = 20_000
"""Messages with a word that are counted for its weight, in 2 ms."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_WORD = re.compile(r"\w+")
_WILDCARD = re.compile("[%_!]")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_STOP_WORDS = frozenset(
    """a about an and are as at be but by can could did do does for from had has have how i if in into is it its me my
    no not of on or our so that the their them then there these they this to was we were what when where which who
    why will with would you your""".split()  # noqa: SIM905 (as a list it would be eighty lines)
)

# CROSS JOIN makes SQLite scan the index first, from the newest entry, until there are enough.
BY_WORDS = """SELECT found.rowid FROM words AS found CROSS JOIN entries e ON e.number = found.rowid
    CROSS JOIN conversations c ON c.id = e.conversation WHERE words MATCH ? AND {} ORDER BY found.rowid DESC LIMIT ?"""
CANDIDATES = f"""SELECT entry, substr({TEXT}, 1, {MAX_READ}), {{}} FROM message_texts found WHERE entry IN ({{}})"""
BY_SUBSTRING = f"""SELECT found.rowid, {TEXT}
    FROM {{table}} AS found CROSS JOIN entries e ON e.number = found.rowid
    CROSS JOIN conversations c ON c.id = e.conversation WHERE found.text LIKE ? AND found.text LIKE ? ESCAPE '!'
    AND {{where}} ORDER BY found.rowid DESC LIMIT ?"""
BY_FILTERS = """SELECT e.number FROM facets m CROSS JOIN entries e ON e.number = m.entry
    CROSS JOIN conversations c ON c.id = e.conversation WHERE m.facet = ? AND {} ORDER BY e.at DESC LIMIT ?"""
MONTHS = f"SELECT facet FROM facet_names WHERE kind = '{MONTH}' ORDER BY name DESC"
OF_TOOLS = f"SELECT facet FROM facet_names WHERE kind = '{ROLE}' AND name = 'tool'"
COUNTED = f"SELECT COUNT(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT {MAX_COUNTED})"


class _FilteredSearch(msgspec.Struct, frozen=True):
    """A search among the messages that match the filters."""

    database: SqliteDatabase
    selection: Selection
    limit: int

    @property
    def ranked(self) -> int:
        """The number of matches that are ranked, at least `limit`."""
        return max(RANKED, self.limit)

    def by_words(self, phrases: Sequence[str], literal: str = "", *, is_prefix: bool = False) -> list[SearchResult]:
        """Return messages with all phrases. literal: text whose exact occurrence raises the rank; "" for none."""
        match = " AND ".join(phrases) + (" *" if is_prefix else "")
        numbers = self._numbers(match) if phrases else []
        wanted = Wanted(_plain(phrases), self._weights(phrases) if numbers else (), literal, holds_all=True)
        return self._ranked(numbers, wanted, match)

    def by_any_word(self, words: Iterable[str], most: int, question: Question | None = None) -> list[SearchResult]:
        """Return messages with some of the words, those with the most distinctive ones first."""
        phrases = _phrases(words)[:most]
        weights = self._weights(phrases)
        by_weight = [phrase for _, phrase in sorted(zip(weights, phrases, strict=True), reverse=True)]
        together = [" AND ".join(some) for some in (phrases, *islice(combinations(by_weight, 2), 3)) if len(some) > 1]
        scores: dict[int, float] = {}
        for match in (*phrases, *dict.fromkeys(together)):
            worth = sum(weight for phrase, weight in zip(phrases, weights, strict=True) if phrase in match)
            for number in self._numbers(match):
                before = scores.get(number, 0.0)
                scores[number] = max(before, worth) if match in together else before + worth
        best = sorted(scores, key=lambda number: (-scores[number], -number))[: self.ranked]
        asks = question is not None and question.asks_decision
        wanted = Wanted(_plain(phrases), weights, is_question=question is not None, asks_decision=asks)
        return self._ranked(best, wanted, " OR ".join(phrases))

    def by_substring(self, piece: str) -> list[SearchResult]:
        """Return messages that contain `piece`, ignoring case, also inside words, newest first."""
        if not 0 < len(piece) <= MAX_SUBSTRING:
            return []
        # The index does not support ESCAPE, so % and _ in the piece are wildcards in it; a second LIKE is exact.
        table = "trigrams" if _has_trigrams(piece) else "message_texts"
        sql = BY_SUBSTRING.format(table=table, where=self.selection.conditions("found.rowid"))
        pattern = "%" + _WILDCARD.sub(r"!\g<0>", piece) + "%"
        rows = self._rows(sql, f"%{piece}%", pattern, *self.selection.parameters, self.limit)
        snippets = {number: excerpt_of(text, piece) for number, text in rows}
        return results_of(self.database, [(0.0, number) for number in snippets], snippets=snippets)

    def newest(self) -> list[SearchResult]:
        """Return the newest messages that match the filters, looked up month by month."""
        found: list[int] = []
        for (month,) in self._rows(MONTHS):
            sql = BY_FILTERS.format(self.selection.conditions("m.entry"))
            found += [number for (number,) in self._rows(sql, month, *self.selection.parameters, self.limit)]
            if len(found) >= self.limit:
                break
        return results_of(self.database, [(0.0, number) for number in found[: self.limit]])

    def _numbers(self, match: str) -> list[int]:
        """Return the numbers of the newest messages that match, at most `ranked`."""
        sql = BY_WORDS.format(self.selection.conditions("found.rowid"))
        return [number for (number,) in self._rows(sql, match, *self.selection.parameters, self.ranked)]

    def _weights(self, phrases: Sequence[str]) -> tuple[float, ...]:
        (last,) = self._rows("SELECT COALESCE(MAX(number), 0) FROM entries")[0]
        counts = [self._rows(COUNTED, phrase)[0][0] for phrase in phrases]
        return tuple(weight_of(count, max(last, count)) for count in counts)

    def _ranked(self, numbers: Sequence[int], wanted: Wanted, match: str) -> list[SearchResult]:
        best = rank(self._candidates(numbers, wanted), wanted)
        return results_of(self.database, best[: self.limit], match)

    def _candidates(self, numbers: Sequence[int], wanted: Wanted) -> list[Candidate]:
        tools = [facet for (facet,) in self._rows(OF_TOOLS)] if wanted.is_question else []
        is_tool = f"EXISTS (SELECT 1 FROM facets WHERE facet = {tools[0]} AND entry = found.entry)" if tools else "0"
        found: list[Candidate] = []
        for start in range(0, len(numbers), AT_ONCE):
            listed = ", ".join(map(str, numbers[start : start + AT_ONCE]))
            sql = CANDIDATES.format(is_tool, listed)
            found += [Candidate(number, text, bool(tool)) for number, text, tool in self._rows(sql)]
        return found

    def _rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self.database.execute_sql(sql, parameters).fetchall()


def search_messages(
    database: SqliteDatabase,
    query: str,
    conversation: str | None = None,
    limit: int = SEARCH_LIMIT,
    filters: SearchFilters = NO_FILTERS,
) -> tuple[SearchResult, ...]:
    """Return messages with the query's words, best first, excluding deleted conversations."""
    selection = selection_of(database, filters, conversation)
    if limit <= 0 or selection.is_empty:
        return ()
    search = _FilteredSearch(database, selection, limit)
    wanted = " ".join(replace_surrogates_in_text(query).replace("\0", " ").split())
    if not wanted:
        return tuple(search.newest()) if filters != NO_FILTERS else ()
    question = question_of(wanted)
    if question.is_question and question.words and (found := search.by_any_word(question.words, MAX_ASKED, question)):
        return tuple(found)
    return tuple(_by_words(search, wanted))


def _by_words(search: _FilteredSearch, wanted: str) -> list[SearchResult]:
    terms = [quoted or plain for quoted, plain in _TERM.findall(wanted)]
    phrases = _phrases(terms)[:MAX_TERMS]
    literal = space_out(" ".join(terms))
    literal = literal if _PUNCTUATION.search(literal) and len(literal) <= MAX_SUBSTRING else ""
    return (
        search.by_words(phrases, literal)
        or search.by_words(phrases, is_prefix=True)
        or search.by_substring(space_out(wanted))
        or search.by_any_word(_loose_words(wanted), MAX_LOOSE_TERMS)
    )


def _phrases(terms: Iterable[str]) -> list[str]:
    """Quote each term for FTS5: its words in their order, without operators."""
    quoted = ('"' + space_out(term).replace('"', '""') + '"' for term in terms if _has_word(term))
    return list(dict.fromkeys(quoted))


def _plain(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases without their quotes."""
    return tuple(phrase[1:-1].replace('""', '"') for phrase in phrases)


def _loose_words(wanted: str) -> list[str]:
    """Return the words without stop words, longest first, and pairs of characters for scripts without spaces."""
    words = [word for word in _WORD.findall(wanted) if word.lower() not in _STOP_WORDS]
    pairs = [word[start : start + 2] for word in words if space_out(word) != word for start in range(len(word) - 1)]
    return sorted(words, key=len, reverse=True) + pairs


def _has_word(term: str) -> bool:
    """Return whether the tokenizer unicode61 finds a word in the term: letters, numbers, private use."""
    return any(category[0] in "LN" or category == "Co" for category in map(unicodedata.category, term))


def _has_trigrams(piece: str) -> bool:
    """Return whether the trigram index can answer the query.

    SQLite counts bytes where it should count characters, and so finds nothing for two characters with three bytes. In
    that case, the texts themselves are scanned (0.4 s for 500,000).
    """
    runs = re.split("[%_]", piece)
    return all(run.isascii() or len(run) >= 3 for run in runs)
