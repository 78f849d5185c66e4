"""A real archive in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.conversation.listing import ConversationInfo
from stores import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "archive.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store(path)
    store.create(ConversationInfo("c", "A conversation", created_at=1.0, updated_at=1.0))
    yield store
    store.close()
