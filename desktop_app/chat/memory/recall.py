"""Recall: the messages of one conversation that answer a query, brought back within a budget of tokens (S9).

`recalled` is for a query that somebody put on purpose: the model's tool, the command. `recalled_unasked` is for a
user's message before a request: only what the view no longer has, and only if it is worth it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from desktop_app.context.recall.outline import Outline
from desktop_app.context.recall.passages import WHOLE_MOST, text_of
from desktop_app.context.recall.query import FEEDBACK_FROM, Wanted, feedback_of, wanted_of
from desktop_app.context.recall.rank import Ranked, best_of, by_words, often_in, rank, telling_most, with_feedback
from desktop_app.context.recall.recollection import Found, Recollection, pack, page_of, worth_reading
from desktop_app.conversation.message import Message

BEARING_LEAST = math.log(20)
"""What one archived message must say of the user's message: as much as a word that one message in twenty holds, if
that is all that was said; more, if there is more that it does not hold. Of questions about a chat, four in five reach
it, of questions about another one three in a hundred (tests/chat/test_recall_share.py)."""
WEAKEST = 0.5
"""Of the best one's score: what counts less is not brought back unasked."""


class RecallArchive(Protocol):
    """What recall asks of the archive. Every method raises only ArchiveError."""

    async def outline(self, conversation: str) -> Outline:
        """The conversation from afar."""
        ...

    async def postings(self, conversation: str, terms: Sequence[str], most: int = ...) -> Mapping[str, Sequence[int]]:
        """The indexes of the messages that hold each term, ascending, the first `most`; no term that none holds."""
        ...

    async def messages_at(self, conversation: str, indexes: Sequence[int]) -> Mapping[int, Message]:
        """The messages at those indexes, without those that are not there or cannot be read."""
        ...

    async def archived_indexes(self, conversation: str) -> frozenset[int]:
        """The indexes of the messages that a compaction took out of the view."""
        ...


async def recalled(
    archive: RecallArchive,
    conversation: str,
    query: str,
    budget_tokens: int,
    count: Callable[[str], int],
    among: Collection[int] | None = None,
) -> Recollection:
    """The messages that answer the query, as many as the budget holds. Raises ArchiveError.

    among: the indexes that are asked for; None for the whole conversation. count: the tokens of a text.
    """
    search = await _Search.of(archive, conversation, query)
    await search.learn()
    ranked = search.ranked(among)
    return await search.packed(query, ranked.scores, budget_tokens, count)


async def recalled_unasked(
    archive: RecallArchive,
    conversation: str,
    text: str,
    budget_tokens: int,
    count: Callable[[str], int],
    without: Collection[str] = (),
) -> Recollection | None:
    """What the archive holds about a user's message and the view does not; None if that is not worth its tokens.

    without: ids of messages that were brought back already. Raises ArchiveError.
    """
    archived = await archive.archived_indexes(conversation)
    if not archived:
        return None
    search = await _Search.of(archive, conversation, text)
    ranked = search.ranked(archived)
    if not is_worth(ranked):
        return None
    least = WEAKEST * ranked.scores[0][1]
    strong = [pair for pair in ranked.scores if pair[1] >= least]
    found = await search.packed(text, strong, budget_tokens, count, without)
    return found if found.messages else None


def is_worth(ranked: Ranked) -> bool:
    """Whether what was found is about the user's message, rather than having words in common with it by chance.

    "Thanks!" and "go on" hold no matter of their own; "make it faster" holds words that many messages do.
    """
    return bool(ranked.scores) and ranked.bearing >= BEARING_LEAST


def as_text(recollection: Recollection) -> str:
    """What a model reads: a line a message, with its index and speaker, under its day; "" if nothing was found."""
    return page_of(recollection.messages)


class _Search:
    """One query in one conversation, with what was looked up for it so far."""

    def __init__(self, archive: RecallArchive, conversation: str, outline: Outline, wanted: Wanted) -> None:
        self.outline, self.wanted = outline, wanted
        self.postings: Mapping[str, Sequence[int]] = {}
        self._archive, self._conversation = archive, conversation
        self._messages: dict[int, Message] = {}
        self._own: dict[int, float] = {}

    @classmethod
    async def of(cls, archive: RecallArchive, conversation: str, query: str) -> _Search:
        """The search with its terms looked up."""
        outline = await archive.outline(conversation)
        search = cls(archive, conversation, outline, wanted_of(query, outline.named))
        terms = [term.text for term in search.wanted.terms]
        if terms:
            most = telling_most(len(outline.lengths))
            search.postings = await archive.postings(conversation, terms, most + 1)
        search._own = by_words(search.wanted.terms, outline, search.postings)
        return search

    def ranked(self, among: Collection[int] | None) -> Ranked:
        """The messages that may answer, by what is known so far."""
        return rank(self.wanted, self.outline, self.postings, self._own, among)

    async def learn(self) -> None:
        """Takes words of the messages found first into the query."""
        first = [pair for pair in best_of(self._own, 2 * FEEDBACK_FROM) if self.outline.lengths[pair[0]] <= WHOLE_MOST]
        first = first[:FEEDBACK_FROM]
        messages = await self._read([index for index, _ in first])
        told = [(text_of(messages[index]), score) for index, score in first if index in messages]
        words = feedback_of(self.wanted, [text for text, _ in told], [score for _, score in told], self.outline.named)
        held = await self._archive.postings(self._conversation, words, often_in(len(self.outline.lengths)) + 1)
        self._own = with_feedback(self._own, words, self.outline, held)

    async def packed(
        self,
        query: str,
        scores: Sequence[tuple[int, float]],
        budget: int,
        count: Callable[[str], int],
        without: Collection[str] = (),
    ) -> Recollection:
        """Those messages, as many as the budget holds."""
        indexes = worth_reading(scores, self.outline, budget)
        messages = await self._read(indexes)
        found = [
            Found(index, messages[index].id, text_of(messages[index]))
            for index in indexes
            if index in messages and messages[index].id not in without
        ]
        return pack(query, found, self.wanted, self.postings, self.outline, budget, count)

    async def _read(self, indexes: Sequence[int]) -> Mapping[int, Message]:
        fresh = [index for index in indexes if index not in self._messages]
        if fresh:
            self._messages.update(await self._archive.messages_at(self._conversation, fresh))
        return self._messages
