"""A data folder with an archive, conversations in files, and what a command prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from builders import user
from desktop_app.__main__ import main
from desktop_app.conversation.listing import ConversationInfo
from stores import Store

Json = dict[str, Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that does not exist yet."""
    return tmp_path / "data"


@pytest.fixture
def stored(data: Path) -> Callable[[Sequence[str]], Path]:
    """`stored(texts)`: the data folder with a conversation "c" of those messages."""

    def store_texts(texts: Sequence[str], title: str = "Work") -> Path:
        store = Store(data / "archive.sqlite3")
        messages = [user(text, id=f"m{n}", at=1.0) for n, text in enumerate(texts)]
        store.create(ConversationInfo("c", title, 1.0, 1.0), messages)
        store.close()
        return data

    return store_texts


@pytest.fixture
def chat_file(tmp_path: Path) -> Callable[..., str]:
    """`chat_file(messages, name)`: a file of chat messages."""

    def write(messages: Sequence[Json], name: str = "chat.jsonl") -> str:
        (tmp_path / name).write_text("".join(json.dumps(message) + "\n" for message in messages), encoding="utf-8")
        return str(tmp_path / name)

    return write


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Callable[..., Json]:
    """`report("search", "x", code=0)`: the JSON object that the command prints."""

    def run(*arguments: object, code: int = 0) -> Json:
        assert main([*map(str, arguments), "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`printed("search", "x", code=2)`: what the command prints for people, and its failures."""

    def run(*arguments: object, code: int = 0) -> str:
        assert main([*map(str, arguments)]) == code
        streams = capsys.readouterr()
        assert "Traceback" not in streams.err
        return streams.out + streams.err

    return run
