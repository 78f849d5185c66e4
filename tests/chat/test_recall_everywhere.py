"""How many questions get all the messages that answer them out of 400 conversations, beside the right one alone.

The archive holds the excerpts of real chats, or the whole ones where they are beside the project, and 400 made-up
conversations (tests/support/recall_corpus.py), with 40 facts that are asked for in other words.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import recall, recall_across, recall_across_unasked
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.openai_chat import read_chat
from desktop_app.models.tokens.tokenizers import tokenizer_for
from real_conversations import FOLDERS, questions_in, real_conversations
from recall_corpus import FACTS, made_up_conversations

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

CONVERSATIONS = 400
BUDGET = 4_000
ELSEWHERE = """
thanks!|go on|yes please|hmm|try again|why?|Can you make it shorter?|继续|any other ideas?|that's exactly what I wanted
could you say that in other words?|Hello!|How do I whisk egg whites?|Write a haiku about autumn leaves.
Why is the sky blue?|What is the capital of Australia?|Explain how TCP congestion control works
Summarize the article in three sentences
Translate this sentence into French: the ship left at dawn|What is a good birthday present for a ten-year-old?
Please refactor the function below to use a list comprehension|How do I center a div?|let's try something else
Fix the bug in this code: for i in range(10) print(i)
"""
NOTHING = ELSEWHERE.strip().replace("\n", "|").split("|")
"""What no conversation has to do with, though one may hold its words: "blue sky"."""
count = lru_cache(100_000)(tokenizer_for("gpt-5").count)


class Question(msgspec.Struct, frozen=True):
    """A question, and the messages that answer it."""

    kind: str
    text: str
    conversation: str
    evidence: tuple[int, ...]


class Corpus(msgspec.Struct, frozen=True):
    """An archive, and the questions that it answers."""

    archive: Archive
    questions: tuple[Question, ...]


@pytest_asyncio.fixture(params=FOLDERS, ids=lambda folder: folder.parent.name)
async def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Corpus]:
    questions = [Question("real", one.question, one.file, one.evidence) for one in questions_in(request.param)]
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    for path in real_conversations(request.param):
        said = read_chat(path.read_bytes(), lambda index, name=path.name: f"{name}-{index}")
        await archive.create(ConversationInfo(path.name, path.stem, 1.0, 1.0), said)
    for made in made_up_conversations(CONVERSATIONS):
        await archive.create(ConversationInfo(made.id, made.title, 1.0, 1.0), made.messages)
        questions += [Question("made up", FACTS[fact].question, made.id, (at,)) for at, fact in made.facts.items()]
    yield Corpus(archive, tuple(questions))
    await archive.close()


async def shares(corpus: Corpus, budget: int) -> dict[str, tuple[float, float]]:
    """Return the shares of the questions whose evidence is complete, by kind: in the right one, and in all."""
    found: dict[str, list[tuple[bool, bool]]] = {}
    for asked in corpus.questions:
        right = await recall(corpus.archive, asked.conversation, asked.text, budget, count)
        across = await recall_across(corpus.archive, asked.text, budget, count)
        assert across.tokens <= budget
        in_all = [one.index for one in across.messages if one.source and one.source.conversation == asked.conversation]
        wanted = set(asked.evidence)
        both = wanted <= {one.index for one in right.messages}, wanted <= set(in_all)
        found.setdefault(asked.kind, []).append(both)
    return {kind: (_share(both, 0), _share(both, 1)) for kind, both in found.items()}


def _share(both: list[tuple[bool, bool]], which: int) -> float:
    return sum(each[which] for each in both) / len(both)


async def test_in_all_conversations_nearly_as_much_is_found_as_in_the_right_one(corpus: Corpus) -> None:
    measured = {budget: await shares(corpus, budget) for budget in (BUDGET, BUDGET // 2)}
    print(measured)
    for kind, (right, across) in measured[BUDGET].items():
        assert across >= right - 0.051, kind
    for kind, (right, across) in measured[BUDGET // 2].items():
        assert across >= right - 0.11, kind


async def test_unasked_little_comes_from_elsewhere_that_has_nothing_to_do_with_the_question(corpus: Corpus) -> None:
    chosen = random.Random(2).sample(corpus.questions, min(120, len(corpus.questions)))

    async def share(here: Callable[[Question], str]) -> float:
        found = [await recall_across_unasked(corpus.archive, here(q), q.text, BUDGET, count) for q in chosen]
        return sum(one is not None for one in found) / len(found)

    elsewhere, away = await share(lambda question: ""), await share(lambda question: question.conversation)
    nothing = [text for text in NOTHING if await recall_across_unasked(corpus.archive, "", text, BUDGET, count)]
    print(f"it is there: {elsewhere:.3f}, it is not: {away:.3f}, no matter of any: {nothing}")
    assert elsewhere >= 0.45
    assert away <= 0.05
    assert len(nothing) <= 4, nothing
