"""Find the messages of a conversation that answer a query, within a budget of tokens (S9).

`recall` answers an explicit query, of the model's tool or the command. `recall_unasked` takes a user's message before
a request: it returns only what the view no longer has, and only if it is worth its tokens. `recall_for_message` does so
in an open conversation, as far as the settings and the policy allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.fitting import unasked_room
from desktop_app.context.recall.outline import Outline
from desktop_app.context.recall.passages import MAX_WHOLE, text_of
from desktop_app.context.recall.query import FEEDBACK_FROM, RecallQuery, feedback_of, parse_query
from desktop_app.context.recall.rank import (
    Ranked,
    add_feedback,
    best_of,
    rank,
    rare_word_limit,
    score_words,
    telling_word_limit,
)
from desktop_app.context.recall.recollection import Recollection, indexes_to_read, pack, page_of, recollected_of
from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled
from desktop_app.settings import Settings

MIN_BEARING = math.log(20)
"""How much an archived message must match: as much as one word that one message in twenty has. Four in five questions
about a chat reach it, and three in a hundred about another one (tests/chat/test_recall_share.py)."""
MIN_CHATTER = 0.5
"""The probability from which on a message only carries the conversation on."""
MIN_SCORE_SHARE = 0.5
"""Of the best score: messages below are not recalled unasked."""
HEADING = "[Earlier in this conversation, from the archive; it may or may not matter here:]"


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


async def recall(
    archive: RecallArchive,
    conversation: str,
    query: str,
    budget_tokens: int,
    count: Callable[[str], int],
    among: Collection[int] | None = None,
) -> Recollection:
    """Return the messages that answer the query, as many as the budget holds. Raises ArchiveError.

    among: the indexes to choose from; None for the whole conversation. count: returns the tokens of a text.
    """
    search = await _Search.of(archive, conversation, query)
    await search.learn()
    ranked = search.rank_messages(among)
    return await search.pack_messages(query, ranked.scores, budget_tokens, count)


async def recall_unasked(
    archive: RecallArchive,
    conversation: str,
    text: str,
    budget_tokens: int,
    count: Callable[[str], int],
    without: Collection[str] = (),
) -> Recollection | None:
    """Return archived messages about a user's message, or None if they are not worth their tokens.

    without: ids of messages that were recalled already. Raises ArchiveError.
    """
    archived = await archive.archived_indexes(conversation)
    if not archived:
        return None
    search = await _Search.of(archive, conversation, text)
    if not search.wanted.is_pointed and kinds_of(text).chatter >= MIN_CHATTER:
        return None  # "thanks, go on"
    ranked = search.rank_messages(archived)
    if not is_worth(ranked):
        return None
    least = MIN_SCORE_SHARE * ranked.scores[0][1]
    strong = [pair for pair in ranked.scores if pair[1] >= least]
    found = await search.pack_messages(text, strong, budget_tokens, count, without)
    return found if found.messages else None


async def recall_for_message(
    archive: RecallArchive, settings: Callable[[], Settings], session: Session, message: Message
) -> Recalled | None:
    """Return what the archive holds about a message; None if nothing is worth it, or the archive cannot be read."""
    budget = unasked_room(session.policy, session.budget)
    if not settings().is_recalling or not budget:
        return None
    entries = [entry for entry in session.view.path if isinstance(entry, Recalled)]
    here = {i for entry in entries for i in entry.message_ids if entry.for_message_id not in session.view.statuses}
    try:
        found = await recall_unasked(archive, session.id, message.text, budget, session.counts.text, here)
    except WorldError:
        return None
    if found is None:
        return None
    return Recalled(for_message_id=message.id, text=f"{HEADING}\n{as_text(found)}", message_ids=found.message_ids)


def is_worth(ranked: Ranked) -> bool:
    """Whether the result is about the user's message, and does not just share words with it by chance."""
    return bool(ranked.scores) and ranked.bearing >= MIN_BEARING


def as_text(recollection: Recollection) -> str:
    """Return what a model reads: a line for each message, with index and speaker, under its day; "" for nothing."""
    return page_of(recollection.messages)


class _Search:
    """One query in one conversation, and what was looked up for it so far."""

    def __init__(self, archive: RecallArchive, conversation: str, outline: Outline, wanted: RecallQuery) -> None:
        self.outline, self.wanted = outline, wanted
        self.postings: Mapping[str, Sequence[int]] = {}
        self._archive, self._conversation = archive, conversation
        self._messages: dict[int, Message] = {}
        self._own: dict[int, float] = {}

    @classmethod
    async def of(cls, archive: RecallArchive, conversation: str, query: str) -> _Search:
        """Return the search with its terms looked up."""
        outline = await archive.outline(conversation)
        search = cls(archive, conversation, outline, parse_query(query, outline.named))
        terms = [term.text for term in search.wanted.terms]
        if terms:
            most = telling_word_limit(len(outline.lengths))
            search.postings = await archive.postings(conversation, terms, most + 1)
        search._own = score_words(search.wanted.terms, outline, search.postings)
        return search

    def rank_messages(self, among: Collection[int] | None) -> Ranked:
        """Rank the messages by what is known so far."""
        return rank(self.wanted, self.outline, self.postings, self._own, among)

    async def learn(self) -> None:
        """Add words of the best messages to the query."""
        first = [pair for pair in best_of(self._own, 2 * FEEDBACK_FROM) if self.outline.lengths[pair[0]] <= MAX_WHOLE]
        first = first[:FEEDBACK_FROM]
        messages = await self._read([index for index, _ in first])
        best = [(text_of(messages[index]), score) for index, score in first if index in messages]
        words = feedback_of(self.wanted, [text for text, _ in best], [score for _, score in best], self.outline.named)
        held = await self._archive.postings(self._conversation, words, rare_word_limit(len(self.outline.lengths)) + 1)
        self._own = add_feedback(self._own, words, self.outline, held)

    async def pack_messages(
        self,
        query: str,
        scores: Sequence[tuple[int, float]],
        budget: int,
        count: Callable[[str], int],
        without: Collection[str] = (),
    ) -> Recollection:
        """Return the messages with those scores, as many as the budget holds."""
        indexes = indexes_to_read(scores, self.outline, budget)
        messages = await self._read(indexes)
        found = [
            recollected_of(messages[index], index, self.outline)
            for index in indexes
            if index in messages and messages[index].id not in without
        ]
        return pack(query, found, self.wanted, self.postings, self.outline, budget, count)

    async def _read(self, indexes: Sequence[int]) -> Mapping[int, Message]:
        fresh = [index for index in indexes if index not in self._messages]
        if fresh:
            self._messages.update(await self._archive.messages_at(self._conversation, fresh))
        return self._messages
