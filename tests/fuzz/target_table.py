"""What can be given bad input, each as one function of bytes: it returns, or raises what is a fault of ours.

    @target(*samples)
    def name(data: bytes) -> None: ...

The clear refusals that a target may end with are caught in it; everything else is a finding.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import user_message
from stores import Store

Target = Callable[[bytes], None]
SAMPLES = Path(__file__).parent / "samples"
TARGETS: dict[str, Target] = {}
SAMPLES_OF: dict[str, Callable[[], list[bytes]]] = {}


def target(samples: Callable[[], list[bytes]]) -> Callable[[Target], Target]:
    """Put a function into the table. samples: returns sound inputs, which are changed."""

    def add(function: Target) -> Target:
        TARGETS[function.__name__] = function
        SAMPLES_OF[function.__name__] = samples
        return function

    return add


@cache
def workplace() -> Path:
    """A folder for this process, which is gone at its end."""
    folder = tempfile.TemporaryDirectory(prefix="palimpsest-fuzz-")
    kept.append(folder)
    return Path(folder.name)


kept: list[Any] = []


def written(name: str, data: bytes) -> Path:
    """A file with that content."""
    path = workplace() / name
    path.write_bytes(data)
    return path


@cache
def store() -> Store:
    made = Store(workplace() / "archive" / "archive.sqlite3")
    made.create(ConversationInfo("one", "One", 1.0, 1.0, 1, "m"), [user_message("Hello")])
    return made


@cache
def changeable_store() -> Store:
    """An archive whose rows can be changed, as damage changes them."""
    made = Store(workplace() / "changeable" / "archive.sqlite3")
    made.create(ConversationInfo("one", "One", 1.0, 1.0, 1, "m"), [user_message("Hello")])
    with (database := made.database).atomic("IMMEDIATE"):
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'entries'"
        for (name,) in database.execute_sql(triggers).fetchall():
            database.execute_sql(f"DROP TRIGGER {name}")
        database.execute_sql("DELETE FROM partials")
    return made
