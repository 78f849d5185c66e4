"""How many questions about real chats get all the messages that answer them, beside SQLite's FTS5 alone.

The chats lie beside the project and are no part of it; where they are missing, this says that it was skipped. The
numbers of context/recall/rank.py were chosen on the first chat, the second one was held out. Questions without
evidence are left out; those that name the wrong person (category 5) count like the others.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.recall_service import recall, recall_unasked
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.openai_chat import read_chat
from desktop_app.models.tokens.tokenizers import tokenizer_for

pytestmark = pytest.mark.slow

CHATS = ("locomo-26.jsonl", "locomo-30.jsonl")
count = tokenizer_for("gpt-5").count


@pytest.fixture
def questions(conversations: Path) -> list[dict[str, object]]:
    path = conversations / "locomo_questions.jsonl"
    if not path.is_file():
        pytest.skip(f"no questions at {path}")
    asked = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [question for question in asked if question["evidence"]]


async def archive_of(folder: Path, path: Path, *chats: str) -> ArchiveThread:
    archive = await ArchiveThread.open(path)
    for chat in chats:
        messages = read_chat((folder / chat).read_bytes(), lambda index, chat=chat: f"{chat}-{index}")
        await archive.create(ConversationInfo(chat, chat, 1.0, 1.0), messages)
    return archive


def share(asked: Sequence[dict[str, object]], found: Sequence[set[int]]) -> float:
    full = [set(question["evidence"]) <= indexes for question, indexes in zip(asked, found, strict=True)]  # type: ignore[call-overload]
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


@pytest.mark.parametrize(("chat", "least", "least_by_half"), [(CHATS[0], 0.92, 0.86), (CHATS[1], 0.92, 0.88)])
async def test_most_questions_get_all_that_answers_them(
    conversations: Path, questions, tmp_path: Path, chat: str, least: float, least_by_half: float
) -> None:
    asked = [question for question in questions if question["file"] == chat]
    archive = await archive_of(conversations, tmp_path / "archive.sqlite3", *CHATS)
    shares = {}
    for budget in (4_000, 2_000):  # half the budget, since other chats are twice as long
        found = [await recall(archive, chat, str(question["question"]), budget, count) for question in asked]
        assert max(one.tokens for one in found) <= budget
        shares[budget] = share(asked, [{message.index for message in one.messages} for one in found])
    await archive.close()
    alone = fts5(conversations / chat)
    beside = {most: share(asked, [alone(str(q["question"]), most) for q in asked]) for most in (10, 20, 50)}
    print(f"{chat}: {shares}; FTS5 alone: {beside}")
    assert shares[4_000] >= least
    assert shares[2_000] >= least_by_half
    assert shares[4_000] > beside[50] + 0.1


async def test_unasked_recall_tells_questions_about_a_chat_from_others(
    conversations: Path, questions, tmp_path: Path
) -> None:
    others = ("memorybank-en-05.jsonl", "pi-large-session.jsonl")
    archive = await archive_of(conversations, tmp_path / "archive.sqlite3", *CHATS, *others)
    for chat in (*CHATS, *others):
        outline = await archive.outline(chat)
        messages = await archive.messages_at(chat, range(len(outline.speakers)))
        await archive.append(chat, archived=[message.id for message in messages.values()])

    async def worth(chat: str, texts: Sequence[str]) -> float:
        found = [await recall_unasked(archive, chat, text, 4_000, count) for text in texts]
        return sum(one is not None for one in found) / len(texts)

    for chat in CHATS:
        own = [str(question["question"]) for question in questions if question["file"] == chat]
        assert await worth(chat, own) >= 0.75
        assert await worth(chat, [str(q["question"]) for q in questions if q["file"] != chat]) <= 0.1
    for chat in others:
        assert await worth(chat, [str(question["question"]) for question in questions]) <= 0.1
    await archive.close()
