"""One query in one conversation: what of it the archive holds, and how that is ranked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from desktop_app.context.recall.across import CandidateConversation, Candidates
from desktop_app.context.recall.outline import Outline
from desktop_app.context.recall.passages import MAX_WHOLE, text_of
from desktop_app.context.recall.query import FEEDBACK_FROM, RecallQuery, Term, feedback_of, parse_query
from desktop_app.context.recall.rank import (
    BY_DAY,
    Postings,
    Ranked,
    Rarity,
    add_feedback,
    best_of,
    rank,
    rare_word_limit,
    rarity_of,
    score_words,
    telling_word_limit,
)
from desktop_app.context.recall.reach import KnownConversation
from desktop_app.context.recall.recollection import (
    RecallSource,
    Recollected,
    Recollection,
    pack,
    places_to_read,
    recollected_of,
)
from desktop_app.context.recall.times import indexes_within
from desktop_app.context.search.times import TimeSpan
from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.message import Message

MIN_CHATTER = 0.5
"""The probability from which on a message only carries the conversation on."""
MIN_SCORE_SHARE = 0.5
"""Of the best score: messages below are not recalled unasked."""


class RecallArchive(Protocol):
    """The archive's search for recall. Every method raises only ArchiveError."""

    async def outline(self, conversation: str) -> Outline:
        """Return the lengths, speakers and days of the messages."""
        ...

    async def postings(self, conversation: str, terms: Sequence[str], most: int = ...) -> Mapping[str, Sequence[int]]:
        """Return the ascending indexes of the first `most` messages with each term, without terms that none has."""
        ...

    async def messages_at(self, conversation: str, indexes: Sequence[int]) -> Mapping[int, Message]:
        """Return the messages at those indexes, without those that are missing or cannot be read."""
        ...

    async def archived_indexes(self, conversation: str) -> frozenset[int]:
        """Return the indexes of the messages that are archived."""
        ...

    async def read_rows(self) -> bool:
        """Read a slice of what `find_candidates` looks in. Return whether there may be more."""
        ...

    async def find_candidates(
        self, terms: Sequence[Term], project: str | None, without: str, span: TimeSpan | None = None
    ) -> Candidates:
        """Return the conversations that may hold those terms, but for deleted ones.

        project: the id of the one in whose conversations it is looked for; None for all. without: the id of a
        conversation that is left out; "" for none. span: only messages of these months count; None for any.
        """
        ...

    async def count_conversations(self, project: str | None) -> int:
        """Return in how many conversations it is looked. project: as in `find_candidates`."""
        ...

    async def conversations_named(self, beginning: str) -> Sequence[KnownConversation]:
        """Return the conversations whose ids begin so, but for deleted ones."""
        ...


class ConversationSearch:
    """One query in one conversation, and what was looked up for it so far."""

    def __init__(
        self,
        archive: RecallArchive,
        conversation: str,
        outline: Outline,
        wanted: RecallQuery,
        postings: Postings,
        rarity: Rarity | None = None,
    ) -> None:
        """rarity: of the terms in all conversations that are looked in; None for that in this one."""
        self.outline, self.wanted, self.postings = outline, wanted, postings
        self.rarity = rarity or rarity_of(postings, outline)
        self._archive, self._conversation = archive, conversation
        self._messages: dict[int, Message] = {}
        self._own = score_words(wanted.terms, outline, postings, self.rarity)

    @classmethod
    async def alone(cls, archive: RecallArchive, conversation: str, query: str) -> ConversationSearch:
        """Return the search in that conversation and no other, with its terms looked up."""
        outline = await archive.outline(conversation)
        wanted = parse_query(query, outline.named)
        terms = [term.text for term in wanted.terms]
        most = telling_word_limit(len(outline.lengths))
        postings: Postings = await archive.postings(conversation, terms, most + 1) if terms else {}
        return cls(archive, conversation, outline, wanted, _within(outline, postings))

    @classmethod
    async def among(
        cls, archive: RecallArchive, candidate: CandidateConversation, query: str, rarity: Rarity
    ) -> ConversationSearch:
        """Return the search in one of several conversations, whose terms were looked up in all of them."""
        outline = await archive.outline(candidate.id)
        wanted = parse_query(query, outline.named)
        return cls(archive, candidate.id, outline, wanted, candidate.postings, rarity)

    def rank_messages(self, among: Collection[int] | None = None, span: TimeSpan | None = None) -> Ranked:
        """Rank the messages by what is known so far. among: the indexes to choose from; None for all.

        span: of these days alone; where no message has one of the words, all of these days are equally good.
        """
        own = self._own
        if span is not None:
            within = indexes_within(self.outline, span)
            own = own or dict.fromkeys(within, BY_DAY)
            among = within if among is None else within.intersection(among)
        return rank(self.wanted, self.outline, self.postings, own, among, self.rarity)

    async def learn(self) -> None:
        """Add words of the best messages to the query."""
        first = [pair for pair in best_of(self._own, 2 * FEEDBACK_FROM) if self.outline.lengths[pair[0]] <= MAX_WHOLE]
        first = first[:FEEDBACK_FROM]
        messages = await self._read([index for index, _ in first])
        best = [(text_of(messages[index]), score) for index, score in first if index in messages]
        words = feedback_of(self.wanted, [text for text, _ in best], [score for _, score in best], self.outline.named)
        held = await self._archive.postings(self._conversation, words, rare_word_limit(len(self.outline.lengths)) + 1)
        self._own = add_feedback(self._own, words, self.outline, _within(self.outline, held))

    async def recollect(self, indexes: Iterable[int], source: RecallSource | None = None) -> dict[int, Recollected]:
        """Return the messages at those indexes, without missing ones. source: as in `recollected_of`."""
        wanted = list(indexes)
        messages = await self._read(wanted)
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
        """Return the messages with those scores, as many as the budget holds. without: ids of messages."""
        lengths = self.outline.lengths
        found = await self.recollect(places_to_read(scores, lambda index: lengths[index], budget))
        kept = [message for message in found.values() if message.id not in without]
        return pack(query, kept, self.wanted, self.rarity, budget, count)

    async def _read(self, indexes: Sequence[int]) -> Mapping[int, Message]:
        fresh = [index for index in indexes if index not in self._messages]
        if fresh:
            self._messages.update(await self._archive.messages_at(self._conversation, fresh))
        return self._messages


def _within(outline: Outline, postings: Postings) -> Postings:
    """Return the postings without messages that were recorded after the outline was read, such as another tool's
    result."""
    known = len(outline.lengths)
    found = {term: held[: bisect_left(held, known)] for term, held in postings.items()}
    return {term: held for term, held in found.items() if held}


def only_goes_on(text: str, wanted: RecallQuery) -> bool:
    """Return whether a message only carries the conversation on, as "thanks, go on" does. wanted: what it asks for."""
    return not wanted.is_pointed and kinds_of(text).chatter >= MIN_CHATTER
