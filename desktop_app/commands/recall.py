"""`palimpsest recall --conversation ID`: a query a line of standard input, a JSON line of what was found for each."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.ports import ArchiveError
from desktop_app.chat.recall import recalled
from desktop_app.context.policy import BALANCED
from desktop_app.context.recall import kept_counts
from desktop_app.models.tokenizers import tokenizer_for
from desktop_app.paths import database_file

from .arguments import add_data_dir, data_of, exit_code, print_failure

MODEL = "gpt-5"
"""Whose tokens are counted: o200k's, exactly."""
MILLISECOND = 1e-3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--conversation --budget --data-dir."""
    parser.add_argument("--conversation", metavar="ID", required=True, help="where it is looked for")
    parser.add_argument(
        "--budget",
        metavar="N",
        type=_positive,
        default=BALANCED.recall_most,
        help=f"tokens that what is brought back may take ({BALANCED.recall_most:,})",
    )
    parser.epilog = "Standard input holds a query a line; for each, one line of JSON is printed as soon as it is found."
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """Answers until standard input ends. Exit 2 for a conversation that is not there."""
    count = kept_counts(tokenizer_for(MODEL).count)
    count("Loaded before the first query is timed.")
    try:
        asyncio.run(_answer(args, count))
    except ArchiveError as error:
        print_failure(error.failure)
        return exit_code(error.failure)
    return 0


async def _answer(args: argparse.Namespace, count: Callable[[str], int]) -> None:
    archive = await ArchiveThread.open(database_file(data_of(args)), read_only=True)
    try:
        await archive.outline(args.conversation)  # read before the first query; an unknown one is told at once
        while line := sys.stdin.buffer.readline():  # nothing else waits for this loop
            start = time.perf_counter()
            query = line.decode(errors="replace").strip()
            found = await recalled(archive, args.conversation, query, args.budget, count)
            milliseconds = (time.perf_counter() - start) / MILLISECOND
            _print(query, [message.index for message in found.messages], found.tokens, milliseconds)
    finally:
        await archive.close()


def _print(query: str, messages: list[int], tokens: int, milliseconds: float) -> None:
    """In ASCII, so that no terminal's encoding can break it; at once, since a program may wait for it."""
    row = {"query": query, "messages": messages, "tokens": tokens, "milliseconds": round(milliseconds, 2)}
    print(json.dumps(row), flush=True)


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError("the budget must be at least 1 token")
    return number
