"""The engine as it is, in a process that also writes how many tasks its loop has: nobody sees that from without."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from desktop_app.__main__ import main
from desktop_app.archive.recall_search import RecallSearch
from desktop_app.chat import open_sessions
from desktop_app.engine import serve

TASKS_FILE = "TASKS_FILE"
"""The variable of the environment that names where the number is written."""
EVERY = 0.5
SMALL = "SMALL_CACHES"
"""The variable that makes what the engine keeps in memory small, so that it is full early in a run: what grows then
grows for ever."""


async def _count(file: Path) -> None:
    while True:
        await asyncio.sleep(EVERY)
        count = len(asyncio.all_tasks()) - 1  # but this one
        file.with_suffix(".new").write_text(str(count))
        file.with_suffix(".new").replace(file)


def _with_count() -> None:
    plain = serve.EngineServer.run

    async def run(server: serve.EngineServer) -> str:
        counting = asyncio.ensure_future(_count(Path(os.environ[TASKS_FILE])))
        try:
            return await plain(server)
        finally:
            counting.cancel()

    serve.EngineServer.run = run


def _with_small_caches() -> None:
    open_sessions.MAX_BYTES = 2**18
    RecallSearch.KEPT = 1_000


if __name__ == "__main__":
    _with_count()
    if os.environ.get(SMALL):
        _with_small_caches()
    sys.exit(main())
