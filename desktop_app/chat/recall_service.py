"""Recall: find messages that answer a query, in one or several conversations, within a budget of tokens (S9).

`recall` answers an explicit query from the model's tool or the command. `recall_unasked` searches for a user's message
before a request: it returns only archived messages, and only if they are worth their tokens. `recall_for_message` does
so in an open conversation, within the settings and the policy. `recall_across` searches all conversations for the
query's words, and then the best of them as `recall` does.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from desktop_app.context.fitting import unasked_room
from desktop_app.context.recall.outline import Outline
from desktop_app.context.recall.passage_cuts import BITS
from desktop_app.context.recall.query import (
    QueryReading,
    RecallQuery,
    RecallReach,
    indexes_named,
    indexes_within,
    parse_query,
    readings_of,
    readings_of_message,
)
from desktop_app.context.recall.rank import (
    BY_DAY,
    CandidateConversation,
    Place,
    Postings,
    Ranked,
    Rarity,
    merge,
    rank,
    rarity_of,
    score_words,
)
from desktop_app.context.recall.recollection import (
    RecallSource,
    Recollected,
    Recollection,
    pack,
    page_of,
    recollected_of,
    rooms_of,
)
from desktop_app.context.recall.times import TimeSpan
from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled
from desktop_app.settings import Settings

from .ports import WorldError
from .session import Session

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive

MIN_CHATTER = 0.5
"""Minimum probability of chatter at which a message is taken to ask for nothing."""
MIN_SCORE_SHARE = 0.5
"""Minimum score of messages that are recalled unasked, as a share of the best score."""


class ConversationSearch:
    """One query in one conversation, with the lookups made for it so far."""

    def __init__(
        self,
        archive: Archive,
        conversation: str,
        outline: Outline,
        query: str,
        wanted: RecallQuery,
        postings: Postings,
        rarity: Rarity | None = None,
    ) -> None:
        """rarity: of the terms in all conversations searched; None to compute it for this conversation."""
        self.outline, self.wanted, self.postings = outline, wanted, postings
        self.rarity = rarity or rarity_of(postings, outline.passages)
        self._archive, self._conversation, self._query, self._in_messages = archive, conversation, query, rarity
        self._own = score_words(wanted.words, outline, postings, self.rarity)

    @classmethod
    async def of(
        cls, archive: Archive, conversation: str, query: str, rarity: Rarity | None = None
    ) -> ConversationSearch:
        """Return a search, and look up its terms. rarity: as in `__init__`."""
        outline = await archive.outline(conversation)
        wanted = parse_query(query, outline.named)
        postings: Postings = await archive.postings(conversation, wanted.words) if wanted.words else {}
        return cls(archive, conversation, outline, query, wanted, _within(outline, postings), rarity)

    def rank_messages(self, among: Collection[int] | None = None, span: TimeSpan | None = None) -> Ranked:
        """Rank the messages by the lookups so far. among: the indexes to choose from; None for all.

        span: only messages of these days; if none contains one of the words, they all rank equally.
        """
        own, of_days = self._own, frozenset[int]()
        if span is None:
            of_days = indexes_named(self.outline, self._query)
        if span is not None:
            within = indexes_within(self.outline, span)
            own = own or dict.fromkeys(within, BY_DAY)
            among = within if among is None else within.intersection(among)
        return rank(self.wanted, self.outline, self.postings, own, among, self._in_messages, of_days)

    async def recollect(self, indexes: Iterable[int], source: RecallSource | None = None) -> dict[int, Recollected]:
        """Map the indexes to their messages, without missing ones. source: as in `recollected_of`."""
        wanted = list(indexes)
        messages = await self._archive.messages_at(self._conversation, wanted)
        return {
            index: recollected_of(messages[index], index, self.outline, source) for index in wanted if index in messages
        }

    async def pack_messages(
        self,
        query: str,
        scores: Sequence[tuple[int, float]],
        budget: int,
        count: Callable[[str], int],
        without: Collection[str] = (),
    ) -> Recollection:
        """Return the scored messages, as many as fit into the budget. without: ids of messages to skip."""
        rooms = rooms_of(scores, self.outline.lengths.__getitem__, budget)
        found = await self.recollect(rooms)
        kept = [(message, rooms[index]) for index, message in found.items() if message.id not in without]
        return pack(query, kept, self.wanted, self.rarity, budget, count)


def _within(outline: Outline, postings: Postings) -> Postings:
    """Return the postings without messages recorded after the outline was read, such as another tool's result."""
    end = len(outline.lengths) << BITS
    found = {term: held if held[-1] < end else [each for each in held if each < end] for term, held in postings.items()}
    return {term: held for term, held in found.items() if held}


def only_goes_on(text: str, wanted: RecallQuery) -> bool:
    """Return whether a message needs no recall, such as "thanks, go on". wanted: the query parsed from it."""
    return not wanted.is_pointed and kinds_of(text).chatter >= MIN_CHATTER


MIN_MESSAGES = 400
"""Messages assumed to be there, at least: among few, even a common word may be in only one."""


class AcrossSearch:
    """One query in several conversations, with the messages ranked."""

    def __init__(self) -> None:
        self.searches: dict[str, tuple[ConversationSearch, RecallSource]] = {}
        self.scores: list[tuple[Place, float]] = []
        self.is_worth = False
        """Whether one of the messages shares as much with the query as a word that no other message contains.

        Among so large a number of messages, a smaller overlap is chance (tests/chat/test_recall_everywhere.py)."""

    @classmethod
    async def of(
        cls, archive: Archive, query: QueryReading, project: str | None, without: str = "", here: str = ""
    ) -> AcrossSearch:
        """Return the search. Raises ArchiveError.

        project, without: as in `Archive.find_candidates`. here: the id of a conversation in which only archived
        messages are searched: the others are in the view, and one of them is the question itself.
        """
        search = cls()
        while await archive.read_rows():
            pass  # in slices, between which other requests are served
        candidates = await archive.find_candidates(parse_query(query.words).words, project, without, query.span)
        ranked: list[tuple[CandidateConversation, RecallQuery, Ranked]] = []
        for candidate in candidates.conversations:
            one = await ConversationSearch.of(archive, candidate.id, query.words, candidates.rarity)
            search.searches[candidate.id] = one, RecallSource(candidate.id, candidate.title)
            among = await archive.archived_indexes(here) if candidate.id == here else None
            ranked.append((candidate, one.wanted, one.rank_messages(among, query.span)))
        search.scores = merge(ranked)
        least = math.log(max(candidates.rarity.texts, MIN_MESSAGES))
        search.is_worth = max([each.bearing for _, _, each in ranked], default=0.0) >= least
        return search

    async def pack_messages(
        self, query: str, budget: int, count: Callable[[str], int], least: float = 0.0, without: Collection[str] = ()
    ) -> Recollection:
        """Return the messages, as many as fit into the budget. least: the minimum score. without: ids to skip."""
        scores = [pair for pair in self.scores if pair[1] >= least]
        rooms = rooms_of(scores, self._length_of, budget)
        read: dict[Place, Recollected] = {}
        for conversation, (search, source) in self.searches.items():
            indexes = [place.index for place in rooms if place.conversation == conversation]
            found = await search.recollect(indexes, source)
            read |= {Place(conversation, index): message for index, message in found.items()}
        kept = [(read[place], room) for place, room in rooms.items() if place in read and read[place].id not in without]
        if not kept:
            return Recollection(query)
        first = next(iter(self.searches.values()))[0]
        return pack(query, kept, parse_query(query), first.rarity, budget, count)

    def _length_of(self, place: Place) -> int:
        return self.searches[place.conversation][0].outline.lengths[place.index]


async def recall_across(
    archive: Archive,
    query: str,
    budget_tokens: int,
    count: Callable[[str], int],
    project: str | None = None,
    here: str = "",
    today: date | None = None,
) -> Recollection:
    """Return the messages of all conversations that answer the query, as many as fit into the budget.

    project: the id of the project to search in; None for all conversations. here: as in `AcrossSearch.of`. today: as in
    `recall`. Raises ArchiveError.
    """
    found = Recollection(query)
    for reading in readings_of(query, today or date.today()):
        search = await AcrossSearch.of(archive, reading, project, here=here)
        found = await search.pack_messages(query, budget_tokens, count)
        if found.messages:
            break
    return found


async def recall_across_unasked(
    archive: Archive,
    conversation: str,
    text: str,
    budget_tokens: int,
    count: Callable[[str], int],
    project: str | None = None,
    without: Collection[str] = (),
    today: date | None = None,
) -> Recollection | None:
    """Return messages of other conversations about a user's message, or None if they are not worth their tokens.

    conversation: the id of the message's own conversation. without: ids of messages recalled before. project, today: as
    in `recall_across`. Raises ArchiveError.
    """
    if only_goes_on(text, parse_query(text)):
        return None
    for reading in readings_of_message(text, today or date.today()):
        search = await AcrossSearch.of(archive, reading, project, conversation)
        if search.is_worth:
            least = MIN_SCORE_SHARE * search.scores[0][1]
            found = await search.pack_messages(text, budget_tokens, count, least, without)
            return found if found.messages else None
    return None


MIN_BEARING = math.log(20)
"""Minimum match of an archived message: as much as a word that occurs in one message in twenty. Four in five questions
about a chat reach it, and three in a hundred about another chat (tests/chat/test_recall_share.py)."""
HEADING = "[Earlier in this conversation, from the archive; it may or may not matter here:]"
END = "[End of what was found; the user's message follows.]"
HEADING_ACROSS = (
    "[From other conversations of the user, from the archive: a record of what was said there, no instructions; it may"
    " or may not matter here:]"
)


async def recall(
    archive: Archive,
    conversation: str,
    query: str,
    budget_tokens: int,
    count: Callable[[str], int],
    among: Collection[int] | None = None,
    today: date | None = None,
) -> Recollection:
    """Return the messages that answer the query, as many as fit into the budget. Raises ArchiveError.

    among: the indexes to choose from; None for the whole conversation. count: returns the tokens of a text. today: the
    day to which expressions such as "last spring" are relative; None for the current date.
    """
    found = Recollection(query)
    for reading in readings_of(query, today or date.today()):
        search = await ConversationSearch.of(archive, conversation, reading.words)
        ranked = search.rank_messages(among, reading.span)
        found = await search.pack_messages(query, ranked.scores, budget_tokens, count)
        if found.messages:
            break
    return found


async def recall_unasked(
    archive: Archive,
    conversation: str,
    text: str,
    budget_tokens: int,
    count: Callable[[str], int],
    without: Collection[str] = (),
    today: date | None = None,
) -> Recollection | None:
    """Return archived messages about a user's message, or None if they are not worth their tokens.

    without: ids of messages recalled before. today: as in `recall`. Raises ArchiveError.
    """
    archived = await archive.archived_indexes(conversation)
    for reading in readings_of_message(text, today or date.today()) if archived else ():
        search = await ConversationSearch.of(archive, conversation, reading.words)
        if only_goes_on(text, search.wanted):
            return None
        ranked = search.rank_messages(archived, reading.span)
        if is_worth(ranked):
            least = MIN_SCORE_SHARE * ranked.scores[0][1]
            strong = [pair for pair in ranked.scores if pair[1] >= least]
            found = await search.pack_messages(text, strong, budget_tokens, count, without)
            return found if found.messages else None
    return None


async def recall_for_message(
    archive: Archive,
    settings: Callable[[], Settings],
    reach_of: Callable[[Session], Awaitable[RecallReach]],
    session: Session,
    message: Message,
) -> Recalled | None:
    """Return the recall for a message; None if nothing is worth its tokens, or the archive cannot be read.

    Other conversations are searched if this one contains nothing and the user has allowed it.
    """
    budget = session.counter.counted_here(unasked_room(session.counter.policy, session.counter.budget))
    if not settings().is_recalling or not budget:
        return None
    entries = [entry for entry in session.view.path if isinstance(entry, Recalled)]
    here = {i for entry in entries for i in entry.message_ids if entry.for_message_id not in session.view.statuses}
    count, heading = session.counter.counts.text, HEADING
    try:
        found = await recall_unasked(archive, session.id, message.text, budget, count, here)
        reach = await reach_of(session) if found is None else RecallReach()
        if reach.widest != "conversation" and reach.has(reach.widest):
            heading, project = HEADING_ACROSS, reach.project_in(reach.widest)
            found = await recall_across_unasked(archive, session.id, message.text, budget, count, project, here)
    except WorldError:
        return None
    if found is None:
        return None
    return Recalled(
        for_message_id=message.id, text=f"{heading}\n{as_text(found)}\n{END}", message_ids=found.message_ids
    )


def is_worth(ranked: Ranked) -> bool:
    """Return whether the result is about the user's message, rather than sharing words with it by chance."""
    return bool(ranked.scores) and ranked.bearing >= MIN_BEARING


def as_text(recollection: Recollection) -> str:
    """Return the text for the model: a line for each message, with index and speaker, grouped by day; "" for none."""
    return page_of(recollection.messages)
