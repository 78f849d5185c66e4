"""`palimpsest recall --conversation ID`: a query a line of standard input, a JSON line of what was found for each."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar

from desktop_app.archive.store import Store
from desktop_app.chat.memory.recall import RecallArchive, recall
from desktop_app.context.policy import BALANCED
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.paths import database_file

from .arguments import add_data_dir, data_of, positive
from .terminal import show

P = ParamSpec("P")
T = TypeVar("T")

MODEL = "gpt-5"
"""Whose tokens are counted: o200k's, exactly."""
MILLISECOND = 1e-3
MAX_CACHED_COUNTS = 4_096
"""Many queries of one conversation find the same messages."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--conversation", metavar="ID", required=True, help="where it is looked for")
    parser.add_argument(
        "--budget",
        metavar="N",
        type=positive,
        default=BALANCED.recall_most,
        help=f"tokens that what is brought back may take ({BALANCED.recall_most:,})",
    )
    parser.epilog = "Standard input holds a query a line; for each, one line of JSON is printed as soon as it is found."
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """Answer queries until standard input ends."""
    count = lru_cache(MAX_CACHED_COUNTS)(tokenizer_for(MODEL).count)
    with closing(Store(database_file(data_of(args)), read_only=True)) as store:
        asyncio.run(_answer(OnThisThread(store), args.conversation, args.budget, count))
    return 0


def _at_once(
    method: Callable[Concatenate[Store, P], T],
) -> Callable[Concatenate[OnThisThread, P], CoroutineType[Any, Any, T]]:
    async def call(self: OnThisThread, *args: P.args, **kwargs: P.kwargs) -> T:
        return method(self.store, *args, **kwargs)

    return call


class OnThisThread:
    """A RecallArchive without a thread of its own: nothing else waits here, and each change of threads takes time."""

    def __init__(self, store: Store) -> None:
        self.store = store

    outline = _at_once(Store.outline)
    postings = _at_once(Store.postings)
    messages_at = _at_once(Store.messages_at)
    archived_indexes = _at_once(Store.archived_indexes)


async def _answer(archive: RecallArchive, conversation: str, budget: int, count: Callable[[str], int]) -> None:
    # A first query, so that no query has to wait for what is loaded once; an unknown conversation is reported at once.
    await recall(archive, conversation, "What is loaded before the first query?", budget, count)
    count("The tokenizer, too.")
    gc.freeze()  # all of that stays: to look through it for garbage takes a quarter of a query's time
    while line := sys.stdin.buffer.readline():
        start = time.perf_counter()
        query = line.decode(errors="replace").strip()
        found = await recall(archive, conversation, query, budget, count)
        milliseconds = (time.perf_counter() - start) / MILLISECOND
        messages = [message.index for message in found.messages]
        row = {"query": query, "messages": messages, "tokens": found.tokens, "milliseconds": round(milliseconds, 2)}
        show(json.dumps(row))  # in ASCII, so that no terminal's encoding can break it
