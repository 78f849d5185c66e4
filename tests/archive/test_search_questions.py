"""Questions in plain words find what was decided, and when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from asked_conversations import TODAY, write_conversations

from desktop_app.context import sentence_kinds
from desktop_app.context.recall.filters import read_query
from desktop_app.paths import SENTENCE_KINDS
from stores import Store


def begins(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


@pytest.fixture(scope="module", autouse=True)
def classifier() -> None:
    sentence_kinds.load(SENTENCE_KINDS.read_bytes())


def found_by(store: Store, question: str) -> list[str]:
    typed = read_query(question, TODAY, begins)
    return [result.message for result in store.search(typed.words, None, 5, typed.filters)]


@pytest.mark.wire
def test_what_was_decided_is_found_by_asking(tmp_path: Path) -> None:
    """42 questions: the answer is among the first five in nearly all, and the very first in most."""
    store = Store(tmp_path / "archive.sqlite3")
    asked = write_conversations(store)
    found = {one: found_by(store, one.question) for one in asked}
    assert all(message.startswith("s") for message in found_by(store, "what did we decide last summer?"))
    assert len(found_by(store, "was haben wir letzten Sommer entschieden?")) == 5
    store.close()
    first = sum(bool(one.answers & set(results[:1])) for one, results in found.items())
    five = sum(bool(one.answers & set(results)) for one, results in found.items())
    print(f"{len(asked)} questions: {first} answered by the first result, {five} by one of the first five")
    assert len(asked) == 42
    assert first >= 38
    assert five >= 40
