"""How many questions about real chats get all the messages that answer them, compared with SQLite's FTS5 alone.

The excerpts come with the project, with questions of their own. The whole chats are asked about where they are beside
the project: the numbers of context/recall/rank.py were chosen on the first, the second was held out. Questions that
name the wrong person count like the others.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import recall, recall_unasked
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.openai_chat import read_chat
from desktop_app.models.tokens.tokenizers import tokenizer_for
from real_conversations import FILES, FOLDERS, Question, questions_about, questions_in, real_conversations, those_here

pytestmark = pytest.mark.slow

count = tokenizer_for("gpt-5").count


class Share(NamedTuple):
    """How many questions about a chat have to be answered within a budget, and how many more than by FTS5 alone."""

    chat: str
    least: dict[int, float]
    alone: int
    """Messages that FTS5 may return."""
    ahead: float


SHARES = those_here(
    Share("companion", {400: 1.0, 200: 1.0}, 5, 0.06),
    Share("coding_agent", {400: 1.0, 200: 0.7}, 5, 0.0),
    Share("airline_booking", {400: 1.0, 200: 1.0}, 5, 0.0),
    Share("locomo-26", {4_000: 0.92, 2_000: 0.86}, 50, 0.1),  # half the budget: other chats are twice as long
    Share("locomo-30", {4_000: 0.92, 2_000: 0.88}, 50, 0.1),
)
UNASKED = {"companion": 0.65, "coding_agent": 0.7, "locomo-26": 0.75, "locomo-30": 0.75}
"""Of the questions about a chat, the share that is worth a look at it without being asked to."""
ELSEWHERE = 0.1
"""The same of the questions about other chats, at most."""


async def archive_of(folder: Path, path: Path) -> Archive:
    """Return an archive of all the conversations in a folder, each with its name as its id."""
    archive = await Archive.open(path)
    for file in real_conversations(folder):
        messages = read_chat(file.read_bytes(), lambda index, chat=file.stem: f"{chat}-{index}")
        await archive.create(ConversationInfo(file.stem, file.stem, 1.0, 1.0), messages)
    return archive


def share(asked: Sequence[Question], found: Sequence[set[int]]) -> float:
    full = [set(question.evidence) <= indexes for question, indexes in zip(asked, found, strict=True)]
    return sum(full) / len(full)


def fts5(path: Path) -> Callable[[str, int], set[int]]:
    """SQLite alone: porter, BM25, any of the words."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE said USING fts5 (text, tokenize='porter unicode61')")
    for index, message in enumerate(read_chat(path.read_bytes(), str)):
        database.execute("INSERT INTO said (rowid, text) VALUES (?, ?)", (index, f"{message.speaker}: {message.text}"))

    def found(query: str, most: int) -> set[int]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        rows = database.execute("SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT ?", (match, most))
        return {index for (index,) in rows}

    return found


@pytest.mark.parametrize("wanted", SHARES, ids=lambda wanted: wanted.chat)
async def test_most_questions_get_all_that_answers_them(wanted: Share, tmp_path: Path) -> None:
    file, asked = FILES[wanted.chat], questions_about(wanted.chat)
    archive = await archive_of(file.parent, tmp_path / "archive.sqlite3")
    shares = {}
    for budget in wanted.least:
        found = [await recall(archive, wanted.chat, question.question, budget, count) for question in asked]
        assert max(one.tokens for one in found) <= budget
        shares[budget] = share(asked, [{message.index for message in one.messages} for one in found])
    await archive.close()
    alone = fts5(file)
    by_fts5 = {most: share(asked, [alone(one.question, most) for one in asked]) for most in (5, 10, 20, 50)}
    print(f"{wanted.chat}: {shares}; FTS5 alone: {by_fts5}")
    assert all(shares[budget] >= least for budget, least in wanted.least.items())
    assert max(shares.values()) >= by_fts5[wanted.alone] + wanted.ahead


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
async def test_unasked_recall_tells_questions_about_a_chat_from_others(folder: Path, tmp_path: Path) -> None:
    archive, questions = await archive_of(folder, tmp_path / "archive.sqlite3"), questions_in(folder)
    chats = [file.stem for file in real_conversations(folder)]
    for chat in chats:
        outline = await archive.outline(chat)
        messages = await archive.messages_at(chat, range(len(outline.speakers)))
        await archive.append(chat, archived=[message.id for message in messages.values()])

    async def worth(chat: str, about_it: bool) -> float:
        texts = [one.question for one in questions if (one.file == f"{chat}.jsonl") is about_it]
        found = [await recall_unasked(archive, chat, text, 4_000, count) for text in texts]
        return sum(one is not None for one in found) / len(texts)

    for chat in chats:
        assert await worth(chat, about_it=False) <= ELSEWHERE, chat
        if chat in UNASKED:
            assert await worth(chat, about_it=True) >= UNASKED[chat], chat
    await archive.close()
