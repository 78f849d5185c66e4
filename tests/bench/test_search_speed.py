"""Appending ten thousand messages, and searching them."""

from __future__ import annotations

from pathlib import Path

from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text

TOPICS = (
    "Please split billing/models/ledger.py in two, as we discussed on Monday.",
    "我们明天把数据库迁移到新的服务器。",
    "Call `LedgerEntry.post(amount: Decimal) -> None` in 0042_split_ledger",
)
QUERIES = ("ledger monday", "Note 4711", "数据库", "edgerEntr", "zzz qqq", "0042_split_ledger")
MESSAGES = [
    Message(id=f"m{n}", at=2.0, role=Role.USER, parts=(Text(f"{TOPICS[n % len(TOPICS)]} Note {n}. " * 8),))
    for n in range(10_000)
]


def filled(path: Path) -> Store:
    store = Store(path)
    store.create(ConversationInfo("c", "Long", 1.0, 1.0), MESSAGES)
    return store


def test_ten_thousand_messages_are_appended(benchmark, tmp_path: Path) -> None:
    """0.4 s on two idle slow cores."""
    store = benchmark.pedantic(filled, args=(tmp_path / "archive.sqlite3",), rounds=1)
    assert store.conversation("c").messages == 10_000
    store.close()


def test_six_searches_in_ten_thousand_messages(benchmark, tmp_path: Path) -> None:
    """2 to 3 ms each on two idle slow cores."""
    store = filled(tmp_path / "archive.sqlite3")
    found = benchmark(lambda: [bool(store.search(query, None, 20)) for query in QUERIES])
    assert found == [True, True, True, True, False, True]
    store.close()
