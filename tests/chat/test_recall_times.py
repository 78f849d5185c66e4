"""Recall understands when: "last spring" narrows what is found, where something of that time answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from builders import user
from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import recall, recall_across, recall_across_unasked, recall_unasked
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message

TODAY = date(2026, 11, 20)
SAID = (
    ("2025-10-01", "We decided to keep the index of invoices in memory."),
    ("2026-04-10", "We decided to move the index of invoices to the disk."),
    ("2026-04-11", "The weather station of the harbour is called Petrel."),
    ("2026-11-12", "We decided to drop the index of invoices altogether."),
)
"""Days, and what was said on them."""


def count(text: str) -> int:
    return len(text.split())


@pytest_asyncio.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    """A conversation "c" of all days, and one for each of them; around each message are some without its words."""
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    days = [(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() + 43_200, text) for day, text in SAID]
    filler = [f"Page {n} of the handbook has word{n} and phrase{n}." for n in range(30)]
    texts = [(at + n, text) for at, said in days for n, text in enumerate((said, *filler))]
    await archive.create(ConversationInfo("c", "All", 1.0, 1.0), messages_of("c", texts))
    for at, text in days:
        name = f"of-{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
        said = [(at + n, text) for n, text in enumerate((text, *filler))]
        await archive.create(ConversationInfo(name, name, 1.0, 1.0), messages_of(name, said))
    await archive.append("c", archived=[message.id for message in messages_of("c", texts)])
    yield archive
    await archive.close()


def messages_of(name: str, texts: list[tuple[float, str]]) -> list[Message]:
    return [user(text, id=f"{name}{n}", at=at) for n, (at, text) in enumerate(texts)]


WHEN = [
    ("What did we decide about the index of invoices last spring?", {"disk"}),
    ("Was haben wir im letzten Frühling about the index of invoices decided?", {"disk"}),
    ("What did we decide about the index of invoices last week?", {"altogether"}),
    ("What did we decide about the index of invoices before 2026?", {"memory"}),
    ("What did we decide about the index of invoices last winter?", {"disk", "altogether", "memory"}),
]
"""The last one names a time in which nothing was said: then it is found as if it named none."""


def found_in(texts: list[str]) -> set[str]:
    return {word for word in ("disk", "altogether", "memory") for text in texts if word in text}


@pytest.mark.parametrize(("query", "words"), WHEN)
async def test_a_time_narrows_what_is_found(archive: Archive, query: str, words: set[str]) -> None:
    here = await recall(archive, "c", query, 4_000, count, today=TODAY)
    unasked = await recall_unasked(archive, "c", query, 4_000, count, today=TODAY)
    assert unasked is not None
    across = await recall_across(archive, query, 4_000, count, today=TODAY)
    for found in (here, unasked, across):
        assert found_in([message.text for message in found.messages]) == words


async def test_unasked_only_a_question_asks_for_a_time(archive: Archive) -> None:
    said = "Yesterday I thought again of the weather station of the harbour, the Petrel."
    for found in (
        await recall_unasked(archive, "c", said, 4_000, count, today=date(2026, 11, 13)),
        await recall_across_unasked(archive, "of-2026-11-12", said, 4_000, count, today=date(2026, 11, 13)),
    ):
        assert found is not None
        assert "Petrel" in found.messages[0].text


async def test_a_time_alone_asks_for_all_that_was_said_then(archive: Archive) -> None:
    found = await recall(archive, "c", "last week", 200, count, today=TODAY)
    assert {message.day for message in found.messages} == {"2026-11-12"}
