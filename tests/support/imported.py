"""Importing a file as the window does: what is in it is looked for, and all of that imported."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from desktop_app.engine import protocol as p


async def import_all(ask: Callable[[Any], Coroutine[Any, Any, Any]], file: Path) -> str:
    """Import all conversations of a file, and return the id of the newest. ask: sends a request to an engine."""
    paths = (str(file),)
    found = (await ask(p.LookThrough(paths))).found
    finished: p.ImportFinished = await ask(p.ImportConversations(paths, frozenset(each.id for each in found)))
    return finished.outcome.newest
