"""Full-text search with ranked results and snippets. No query is a syntax error.

These searches are tried in order until one finds something: all words; all words, the last one as a prefix; the query
as a substring; any of the words. Messages with words that mean nearly the same follow, before those with any of the
words. For a question, messages with its most distinctive words are found first. If there are very
many matches, only the newest are ranked. Without words, the newest messages that match the filters are listed.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from peewee import SqliteDatabase

from desktop_app.context.recall.query import Question, parse_query, question_of
from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.listing import NO_FILTERS, SEARCH_LIMIT, SearchFilters, SearchResult
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.conversation.words import either_spelling, spellings_of

from .meaning_search import messages_alike
from .search_filters import MONTH, ROLE, Selection, selection_of
from .tables import SEPARATOR, UNREADABLE, in_each_spelling, number_of, phrase_of, rows_for, space_out

# Control characters mark hits, because a text may contain « and ».
START, END = "\x02", "\x03"

MAX_MARKS = 1_000
"""Hits in one message that are considered."""
LENGTH = 200
"""Characters of a snippet."""
LEAD = 60
"""Maximum characters before the first hit, so that both fit in a line of the palette."""
LONG = 8_000
"""Characters above which a text is not marked by FTS5, whose own functions take quadratic time in the number of hits:
three minutes for a megabyte of a single word. The hits of a long text are found here, nearly as FTS5 finds them."""
_PHRASE = re.compile(r'"((?:[^"]|"")*)"')
_LETTERS = re.compile(r"[^\W_]+")
_NOWHERE = r"(?!)"
_BETWEEN = r"[\W_]{1,100}"
_MIN_STEM, _MAX_ENDING = 4, 3
_MARK = re.compile(f"{START}([^{START}{END}]*){END}")


def snippet_of(highlighted: str) -> str:
    """Return the best part of a text whose hits are enclosed in START and END, with … where it is cut."""
    marks = [(found.start(), found.end(), found[1].lower()) for found in islice(_MARK.finditer(highlighted), MAX_MARKS)]
    first = marks[_best(marks)][0] if marks else 0
    begin = 0 if first <= LEAD else _word_after(highlighted, first - LEAD, first)
    end = _word_before(highlighted, begin + LENGTH)
    cut = highlighted[begin:end]
    if cut.count(START) > cut.count(END):
        cut += END
    return f"{'…' if begin else ''}{cut}{'…' if end < len(highlighted) else ''}"


def mark_hits(text: str, match: str) -> str:
    """Return the text with its first hits enclosed in START and END. match: an FTS5 query.

    Words are compared by their beginnings, to resemble the index, which compares stems; some forms may stay unmarked.
    """
    wanted = pattern_of_phrases([phrase.replace('""', '"') for phrase in _PHRASE.findall(match)])
    if wanted is None:
        return text
    pieces: list[str] = []
    end = 0
    for found in islice(wanted.finditer(same_letters(text)), MAX_MARKS):
        pieces += (text[end : found.start()], START, text[found.start() : found.end()], END)
        end = found.end()
    return "".join([*pieces, text[end:]])


def pattern_of_phrases(phrases: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern with a group for each phrase, for texts of `same_letters`; None if no phrase has a word."""
    found = [_BETWEEN.join(map(_pattern_of, _LETTERS.findall(same_letters(phrase)))) for phrase in phrases]
    if not any(found):
        return None
    groups = "|".join(f"({pattern or _NOWHERE})" for pattern in found)
    return re.compile(rf"(?<![^\W_])(?:{groups})(?![^\W_])")


def _pattern_of(word: str) -> str:
    stem = word[: max(_MIN_STEM, len(word) - _MAX_ENDING)] if word.isascii() else word
    return either_spelling(stem) + ("[^\\W_]*" if len(word) >= _MIN_STEM and word.isascii() else "")


class _Folds(dict[int, str]):
    """Letters in lower case and without accents, as in the index; one for each, so that positions do not change."""

    def __missing__(self, code: int) -> str:
        letter = unicodedata.normalize("NFD", chr(code))[0].lower()
        self[code] = letter if len(letter) == 1 else chr(code)
        return self[code]


_FOLDS = _Folds()


def same_letters(text: str) -> str:
    """Return the text with letters folded as in the index, without changing positions."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


def _best(marks: list[tuple[int, int, str]]) -> int:
    """Return the index of the first mark from which a snippet contains the most different words."""
    best, most, last = 0, 0, 0
    within: Counter[str] = Counter()
    for first, (start, _, word) in enumerate(marks):
        while last < len(marks) and marks[last][1] - start <= LENGTH - LEAD:
            within[marks[last][2]] += 1
            last += 1
        different = len(within)
        if different > most:
            best, most = first, different
        if last > first:
            within[word] -= 1
            if not within[word]:
                del within[word]
        last = max(last, first + 1)
    return best


def _word_after(text: str, position: int, end: int) -> int:
    """Return the start of the first word after a position, or the position if there is none before `end`."""
    space = text.find(" ", position, end)
    return position if space < 0 else space + 1


def _word_before(text: str, position: int) -> int:
    """Return the end of the last word before a position, or the position if none ends near it."""
    if position >= len(text):
        return len(text)
    space = text.rfind(" ", position - LEAD, position)
    return position if space < 0 else space


# Okapi BM25 (Robertson and Zaragoza, 2009) over the candidates; FTS5's own function would count words in the entire
# index. Phrases close together, an exact occurrence of the typed text, and decisions that a question asks for raise the
# score.
K1, B = 1.2, 0.75
TOGETHER = 0.5
"""Share of the score that is added if all phrases are close together."""
NEAR = 160
"""Characters within which phrases are close together: about a snippet."""
LITERAL = 2.0
"""Factor for a message that contains the typed text exactly, if that has punctuation."""
DECISION = 3.0
"""Share of the score that is added for a sentence that certainly states a decision, if the question asks for one."""
ASKED_BACK = 0.6
"""Factor for a message that only asks something itself, if the query is a question."""
SHORT = 400
"""Characters of a message whose sentences are assumed to have a single subject."""
OF_A_TOOL = 0.6
"""Factor for a tool's output if the query is a question: messages of people and models count more."""
MAX_JUDGED = 120
"""The best messages whose sentences are classified, 10 µs each."""
MAX_SENTENCES = 30
MAX_HITS = 200
"""Hits that are counted in one message."""
_SENTENCE = re.compile(r"[^.!?。！？\n]{8,400}[.!?。！？]?")
_DECIDED = re.compile(
    r"\b(?:decided|decision|agreed|settled|let'?s (?:go with|use|keep|take|do)|we(?:'ll| will) (?:go with|use|keep)"
    r"|going with|went with|the plan is|chose|opted|conclusion|it will be|it is:|go ahead|final(?:ly)?:? we"
    r"|entschieden|beschlossen|entscheidung|geeinigt|wir nehmen|dabei bleibt es)\b|决定|定了|就用",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\?\s*$|\b(?:should|shall|could|would|might|may|what did we|not (?:yet )?decided|undecided|haven'?t decided"
    r"|(?:no|a) decision (?:about|on)|sollen wir|sollten|könnten?|würden?)\b",
    re.IGNORECASE,
)
_ONLY_ASKS = re.compile(r"^[^.!。！\n]*[?？]\s*$|^\W*(?:what|when|which|who|why|how|was|wann|wer|wie) [^?]*\?")


class Candidate(NamedTuple):
    """A message that contains the words, or some of them."""

    number: int
    text: str
    is_of_tool: bool = False


class Wanted(NamedTuple):
    """The search query: phrases with their weights, and properties of a question."""

    phrases: tuple[str, ...]
    weights: tuple[float, ...]
    literal: str = ""
    is_question: bool = False
    asks_decision: bool = False
    holds_all: bool = False
    """Whether each candidate contains each phrase, perhaps in a form that is not recognized here."""


def rank(candidates: Sequence[Candidate], wanted: Wanted) -> list[tuple[float, int]]:
    """Return scores and numbers of the candidates, best first; of equal scores, the newest first."""
    average = max(sum(len(each.text) for each in candidates) / max(len(candidates), 1), 1.0)
    pattern = pattern_of_phrases(wanted.phrases)
    literal = same_letters(wanted.literal)
    scored: list[tuple[float, int]] = []
    for candidate in candidates:
        text = same_letters(candidate.text)
        score = _score(text, pattern, wanted, len(text) / average)
        score *= LITERAL if literal and literal in text else 1.0
        if wanted.is_question:
            score *= OF_A_TOOL if candidate.is_of_tool else ASKED_BACK if _ONLY_ASKS.search(candidate.text) else 1.0
        scored.append((score, candidate.number))
    scored.sort(reverse=True)
    return _decisions_first(scored, candidates, pattern) if wanted.asks_decision else scored


def _score(text: str, pattern: re.Pattern[str] | None, wanted: Wanted, length: float) -> float:
    """Return the BM25 score of a text, with a bonus for phrases close together. length: relative to the average."""
    hits = _hits(text, pattern)
    counts = Counter(phrase for _, phrase in hits)
    score = 0.0
    for phrase, weight in enumerate(wanted.weights):
        count = max(counts[phrase], wanted.holds_all)
        score += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * length))
    together = _max_together(hits) / len(wanted.phrases) if len(wanted.phrases) > 1 else 0.0
    return score * (1 + TOGETHER * together)


def _hits(text: str, pattern: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Return the positions of the first hits, each with the index of its phrase."""
    hits: list[tuple[int, int]] = []
    for found in pattern.finditer(text) if pattern is not None else ():
        hits.append((found.start(), (found.lastindex or 1) - 1))
        if len(hits) == MAX_HITS:
            break
    return hits


def _max_together(hits: Sequence[tuple[int, int]]) -> int:
    """Return the largest number of different phrases within NEAR characters."""
    within: Counter[int] = Counter()
    best = first = 0
    for start, phrase in hits:
        within[phrase] += 1
        while start - hits[first][0] > NEAR:
            within[hits[first][1]] -= 1
            within += Counter()
            first += 1
        best = max(best, len(within))
    return best


def _decisions_first(
    scored: list[tuple[float, int]], candidates: Sequence[Candidate], pattern: re.Pattern[str] | None
) -> list[tuple[float, int]]:
    texts = {candidate.number: candidate.text for candidate in candidates}
    judged = [
        (score * (1 + DECISION * decision_in(texts[number], pattern)), number) for score, number in scored[:MAX_JUDGED]
    ]
    return sorted(judged, reverse=True) + scored[MAX_JUDGED:]


def decision_in(text: str, pattern: re.Pattern[str] | None) -> float:
    """Return how likely a text states a decision, 0 to 1; in a long text, a sentence without the words counts half.

    The classifier mistakes many options for decisions, so its result alone counts half.
    """
    best = 0.0
    for sentence in _SENTENCE.findall(text)[:MAX_SENTENCES]:
        likely = 1.0 if _DECIDED.search(sentence) else kinds_of(sentence.strip()).decision / 2
        is_about = len(text) <= SHORT or (pattern is not None and pattern.search(same_letters(sentence)) is not None)
        best = max(best, likely * (1.0 if is_about else 0.5) * (0.2 if _UNDECIDED.search(sentence) else 1.0))
    return best


def weight_of(count: int, messages: int) -> float:
    """Return the weight of a phrase that `count` of `messages` messages contain (inverse document frequency)."""
    return max(math.log(1 + (messages - count + 0.5) / (count + 0.5)), 0.05)


AROUND = 80
"""Characters on each side of a hit inside words."""

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
    numbers = [number for _, number in found]
    texts = snippets if snippets is not None else _snippets(database, numbers, match)
    rows = {number: columns for number, *columns in rows_for(database, ROWS, numbers)}
    return [_result(rows[number], texts.get(number, ""), score) for score, number in found if number in rows]


def _snippets(database: SqliteDatabase, numbers: Sequence[int], match: str) -> dict[int, str]:
    if not match:
        return {number: one_line(snippet_of(text)) for number, text in rows_for(database, BEGINNINGS, numbers)}
    rows = rows_for(database, MARKED, numbers, match)
    return {number: one_line(_marked_snippet(text, match)) for number, text in rows}


def _marked_snippet(text: str, match: str) -> str:
    return snippet_of(text if len(text) <= LONG or START in text else mark_hits(text, match))


def _result(columns: list[Any], snippet: str, score: float) -> SearchResult:
    conversation, title, message, index, body, archived, at = columns
    try:
        role = msgspec.json.decode(body, type=_Speaker).role
    except UNREADABLE:  # the conversation shows that the message is damaged
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
MANY = 20
"""Messages with all the words; with fewer, messages with words of nearly the same meaning follow, at most as many."""
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
        snippets: dict[int, str] = {}
        for spelled in spellings_of(piece):
            pattern = "%" + _WILDCARD.sub(r"!\g<0>", spelled) + "%"
            rows = self._rows(sql, f"%{spelled}%", pattern, *self.selection.parameters, self.limit)
            snippets |= {number: excerpt_of(text, spelled) for number, text in rows}
        newest = sorted(snippets, reverse=True)[: self.limit]
        return results_of(self.database, [(0.0, number) for number in newest], snippets=snippets)

    def by_meaning(self, words: Sequence[str]) -> list[SearchResult]:
        """Return messages with words that mean nearly the same, the best first."""
        found = messages_alike(self.database, words, self.selection, min(self.limit, MANY))
        results = results_of(self.database, found.messages, " OR ".join(_phrases(found.words)))
        return [
            replace(result, is_by_meaning=number not in found.own)
            for (_, number), result in zip(found.messages, results, strict=True)
        ]

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
        spelled = in_each_spelling(match)
        return [number for (number,) in self._rows(sql, spelled, *self.selection.parameters, self.ranked)]

    def _weights(self, phrases: Sequence[str]) -> tuple[float, ...]:
        (last,) = self._rows("SELECT COALESCE(MAX(number), 0) FROM entries")[0]
        counts = [self._rows(COUNTED, in_each_spelling(phrase))[0][0] for phrase in phrases]
        return tuple(weight_of(count, max(last, count)) for count in counts)

    def _ranked(self, numbers: Sequence[int], wanted: Wanted, match: str) -> list[SearchResult]:
        best = rank(self._candidates(numbers, wanted), wanted)
        return results_of(self.database, best[: self.limit], in_each_spelling(match))

    def _candidates(self, numbers: Sequence[int], wanted: Wanted) -> list[Candidate]:
        tools = [facet for (facet,) in self._rows(OF_TOOLS)] if wanted.is_question else []
        is_tool = f"EXISTS (SELECT 1 FROM facets WHERE facet = {tools[0]} AND entry = found.entry)" if tools else "0"
        rows = rows_for(self.database, CANDIDATES.format(is_tool, "{}"), numbers)
        return [Candidate(number, text, bool(tool)) for number, text, tool in rows]

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
        return tuple(_distinct([*found, *search.by_meaning(question.words)], limit))
    return tuple(_by_words(search, wanted))


def _by_words(search: _FilteredSearch, wanted: str) -> list[SearchResult]:
    terms = [quoted or plain for quoted, plain in _TERM.findall(wanted)]
    phrases = _phrases(terms)[:MAX_TERMS]
    literal = space_out(" ".join(terms))
    literal = literal if _PUNCTUATION.search(literal) and len(literal) <= MAX_SUBSTRING else ""
    exact = (
        search.by_words(phrases, literal)
        or search.by_words(phrases, is_prefix=True)
        or search.by_substring(space_out(wanted))
    )
    if len(exact) >= MANY:
        return exact
    alike = [] if '"' in wanted else search.by_meaning(parse_query(wanted).words)  # quoted words are meant literally
    others = [] if exact else search.by_any_word(_loose_words(wanted), MAX_LOOSE_TERMS)
    return _distinct([*exact, *alike, *others], search.limit)


def _distinct(results: Iterable[SearchResult], limit: int) -> list[SearchResult]:
    """Return the first result of each message."""
    first: dict[tuple[str, int], SearchResult] = {}
    for result in results:
        first.setdefault((result.conversation, result.index), result)
    return list(first.values())[:limit]


def _phrases(terms: Iterable[str]) -> list[str]:
    """Quote each term for FTS5: its words in their order, without operators."""
    return list(dict.fromkeys(phrase_of(term) for term in terms if _has_word(term)))


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
