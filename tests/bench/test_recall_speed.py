"""A query's time beside SQLite's FTS5 alone, in the same run: ranking, reading, counting and packing included."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import recall
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.models.tokens.tokenizers import tokenizer_for
from stores import Store

QUERIES = 40
FTS5 = """SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN 0 AND 1000000 ORDER BY rank LIMIT 50"""


def made_up(messages: int) -> list[Message]:
    """A chat of two, with words as often as words are (Zipf's law), 25 a message, in days of 30 messages."""
    chance = random.Random(7)
    words = [
        f"{a}{b}{c}" for a in ("ba", "do", "ri", "me", "tu") for b in "aeiou" for c in ("n", "st", "ll", "rk", "m")
    ]
    words += [f"{a}{b}" for a in words for b in ("en", "ol", "us", "ita", "or", "ep", "im", "ax")]
    often = [1 / (rank + 1) for rank in range(len(words))]
    chat: list[Message] = []
    for index in range(messages):
        text = " ".join(chance.choices(words, often, k=25))
        stamp = f"[{index // 30 % 28 + 1} May, {2000 + index // 840}] " if index % 30 == 0 else ""
        name = ("Anna", "Ben")[index % 2]
        chat.append(Message(id=f"m{index}", at=1.0, role=Role.USER, parts=(Text(stamp + text),), speaker=name))
    return chat


def queries_about(chat: Sequence[Message]) -> list[str]:
    """Questions in words of some message each, but for the commonest, which are no matter of a question."""
    chance = random.Random(3)
    common = {word for word, _ in Counter(word for message in chat for word in message.text.split()).most_common(20)}
    told = [[word for word in message.text.split()[4:] if word not in common] for message in chat]
    asked = [chance.sample(chance.choice([words for words in told if len(words) > 3]), 4) for _ in range(QUERIES)]
    return [f"When did {chance.choice(('Anna', 'Ben'))} {' '.join(words)}?" for words in asked]


@pytest.fixture(params=[1_000, 10_000])
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, list[str]]]:
    messages = made_up(request.param)
    store = Store(tmp_path / "archive.sqlite3")
    store.create(ConversationInfo("c", "A chat", 1.0, 1.0), messages)
    yield store, queries_about(messages)
    store.close()


def fts5_alone(store: Store, query: str) -> list[Any]:
    match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
    return store.database.execute_sql(FTS5, (match,)).fetchall()


def milliseconds(work: Coroutine[Any, Any, Any]) -> float:
    start = time.process_time()
    asyncio.run(work)
    return (time.process_time() - start) * 1_000


def test_a_query_takes_a_few_times_as_long_as_fts5_alone(benchmark, chat: tuple[Store, list[str]]) -> None:
    """FTS5 alone ranks messages by their words; this reads 160 of them, and counts 4,000 tokens too."""
    store, queries = chat
    count = lru_cache(4_096)(tokenizer_for("gpt-5").count)

    async def ours() -> None:
        for query in queries:
            found = await recall(Archive(store), "c", query, 4_000, count)
            assert 0 < found.tokens <= 4_000

    async def alone() -> None:
        for query in queries:
            assert fts5_alone(store, query)

    milliseconds(ours())  # warm: outline, tokenizer, counts
    plain = min(milliseconds(alone()) for _ in range(3)) / QUERIES
    benchmark.extra_info["fts5_ms"] = round(plain, 2)
    times = [milliseconds(ours()) / QUERIES for _ in range(3)]
    benchmark.pedantic(lambda: asyncio.run(ours()), rounds=3)
    ratio = min(times) / plain
    benchmark.extra_info |= {"ours_ms": round(min(times), 2), "ratio": round(ratio, 1)}
    print(f"ours {min(times):.2f} ms, FTS5 alone {plain:.2f} ms, ratio {ratio:.1f}")
    messages = len(store.outline("c").speakers)
    assert ratio < (20 if messages == 1_000 else 6)  # measured: 6 and 2
