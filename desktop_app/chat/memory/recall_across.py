"""Find the messages of several conversations that answer a query, within a budget of tokens.

All conversations are searched for the query's words, and the best of them are looked into as `recall` looks into one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from datetime import date

from desktop_app.context.recall.across import CandidateConversation, Place, merge
from desktop_app.context.recall.query import RecallQuery, parse_query
from desktop_app.context.recall.rank import Ranked
from desktop_app.context.recall.recollection import RecallSource, Recollected, Recollection, pack, places_to_read
from desktop_app.context.recall.times import QueryReading, readings_of, readings_of_message

from .conversation_search import MIN_SCORE_SHARE, ConversationSearch, RecallArchive, only_goes_on

MIN_MESSAGES = 400
"""As many messages are taken to be there, at least: among few, even a common word stands in one alone."""


class AcrossSearch:
    """One query in several conversations, with the messages ranked."""

    def __init__(self) -> None:
        self.searches: dict[str, tuple[ConversationSearch, RecallSource]] = {}
        self.scores: list[tuple[Place, float]] = []
        self.is_worth = False
        """Whether one of the messages shares as much with the query as a word that no other message holds.

        Among so many, one that shares less does so by chance (tests/chat/test_recall_everywhere.py)."""

    @classmethod
    async def of(
        cls, archive: RecallArchive, query: QueryReading, project: str | None, without: str = "", here: str = ""
    ) -> AcrossSearch:
        """Return the search. Raises ArchiveError.

        project, without: as in `RecallArchive.find_candidates`. here: the id of a conversation of which only the
        archived messages are looked at: the others are in the view, and one of them is the very question.
        """
        search = cls()
        while await archive.read_rows():
            pass  # other requests come between the slices
        candidates = await archive.find_candidates(parse_query(query.words).terms, project, without, query.span)
        ranked: list[tuple[CandidateConversation, RecallQuery, Ranked]] = []
        for candidate in candidates.conversations:
            one = await ConversationSearch.among(archive, candidate, query.words, candidates.rarity)
            search.searches[candidate.id] = one, RecallSource(candidate.id, candidate.title)
            among = await archive.archived_indexes(here) if candidate.id == here else None
            ranked.append((candidate, one.wanted, one.rank_messages(among, query.span)))
        search.scores = merge(ranked)
        least = math.log(max(candidates.rarity.messages, MIN_MESSAGES))
        search.is_worth = max([each.bearing for _, _, each in ranked], default=0.0) >= least
        return search

    async def pack_messages(
        self, query: str, budget: int, count: Callable[[str], int], least: float = 0.0, without: Collection[str] = ()
    ) -> Recollection:
        """Return the messages, as many as the budget holds. least: the lowest score. without: ids of messages."""
        scores = [pair for pair in self.scores if pair[1] >= least]
        places = places_to_read(scores, self._length_of, budget)
        read: dict[Place, Recollected] = {}
        for conversation, (search, source) in self.searches.items():
            indexes = [place.index for place in places if place.conversation == conversation]
            found = await search.recollect(indexes, source)
            read |= {Place(conversation, index): message for index, message in found.items()}
        kept = [read[place] for place in places if place in read and read[place].id not in without]
        if not kept:
            return Recollection(query)
        first = next(iter(self.searches.values()))[0]
        return pack(query, kept, parse_query(query), first.rarity, budget, count)

    def _length_of(self, place: Place) -> int:
        return self.searches[place.conversation][0].outline.lengths[place.index]


async def recall_across(
    archive: RecallArchive,
    query: str,
    budget_tokens: int,
    count: Callable[[str], int],
    project: str | None = None,
    here: str = "",
    today: date | None = None,
) -> Recollection:
    """Return the messages of all conversations that answer the query, as many as the budget holds.

    project: the id of the one to whose conversations it is limited; None for all. here: as in `AcrossSearch.of`. today:
    as in `recall`. Raises ArchiveError.
    """
    found = Recollection(query)
    for reading in readings_of(query, today or date.today()):
        search = await AcrossSearch.of(archive, reading, project, here=here)
        found = await search.pack_messages(query, budget_tokens, count)
        if found.messages:
            break
    return found


async def recall_across_unasked(
    archive: RecallArchive,
    conversation: str,
    text: str,
    budget_tokens: int,
    count: Callable[[str], int],
    project: str | None = None,
    without: Collection[str] = (),
    today: date | None = None,
) -> Recollection | None:
    """Return messages of other conversations about a user's message, or None if they are not worth their tokens.

    conversation: the one in which it was said. without: ids of messages that were recalled already. project, today: as
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
