"""`palimpsest recall`: recall messages about a query, or each line of input, from a conversation, a project or all."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import lru_cache
from typing import get_args

from desktop_app.archive.archive import Archive
from desktop_app.archive.projects_and_memories import projects
from desktop_app.archive.reading import conversation
from desktop_app.archive.store import Store
from desktop_app.chat.recall_service import as_text, recall, recall_across
from desktop_app.context.policy import BALANCED
from desktop_app.context.recall.recollection import Recollected, Recollection
from desktop_app.conversation.setup import RecallScope
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.paths import database_file

from .arguments import BadInput, add_data_and_json, data_of, positive, show
from .projects_command import project_called

Recall = Callable[[str], Awaitable[Recollection]]

MODEL = "gpt-5"
"""The model whose tokens are counted, exactly: its tokenizer is o200k."""
MILLISECOND = 1e-3
MAX_CACHED_COUNTS = 4_096
"""Texts: many queries in one conversation find the same messages."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "query", metavar="QUERY", nargs="?", help="what to look for (default: each line of standard input)"
    )
    parser.add_argument("--conversation", metavar="ID", help="the conversation to search")
    parser.add_argument(
        "--in",
        dest="where",
        choices=get_args(RecallScope),
        default="conversation",
        help="in that conversation (the default), in all of its project, or in everything",
    )
    parser.add_argument("--project", metavar="NAME", help="in the conversations of that project")
    parser.add_argument(
        "--budget",
        metavar="N",
        type=positive,
        default=BALANCED.max_recall,
        help=f"the most tokens to bring back ({BALANCED.max_recall:,})",
    )
    parser.epilog = (
        "Without QUERY, standard input holds a query a line, and one line of JSON is printed for each as soon as it is"
        " found."
    )
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Answer the query, or each line of standard input until it ends."""
    count = lru_cache(MAX_CACHED_COUNTS)(tokenizer_for(MODEL).count)
    with closing(Store(database_file(data_of(args)), read_only=True)) as store:
        asyncio.run(_answer(args, _recall_of(args, store, count), count))
    return 0


def _recall_of(args: argparse.Namespace, store: Store, count: Callable[[str], int]) -> Recall:
    """Return a function that answers a query from the chosen conversations. Raises BadInput, ArchiveError."""
    archive, budget = Archive(store), args.budget  # without a thread: switching threads takes time
    if args.where == "conversation" and args.project is None:
        if args.conversation is None:
            raise BadInput("Where?", "name --conversation ID, --project NAME, or --in everything")
        store.read(conversation, args.conversation)  # an unknown one is an error, not "nothing found"
        return lambda query: recall(archive, args.conversation, query, budget, count)
    project = _project_of(args, store)
    return lambda query: recall_across(archive, query, budget, count, project)


def _project_of(args: argparse.Namespace, store: Store) -> str | None:
    """Return the id of the project to search in; None for everything. Raises BadInput, ArchiveError."""
    if args.project is not None:
        return project_called(store.read(projects), args.project).id
    if args.where == "everything":
        return None
    if args.conversation is None:
        raise BadInput("Which project?", "name it with --project NAME, or one of its conversations")
    project = store.read(conversation, args.conversation).project
    if project not in {known.id for known in store.read(projects)}:
        raise BadInput(f"The conversation {args.conversation} is in no project")
    return project


async def _answer(args: argparse.Namespace, recall_for: Recall, count: Callable[[str], int]) -> None:
    if args.query is not None:
        await _answer_one(args.query, recall_for, args.json)
        return
    # A first query, so that no real one has to wait for data that is loaded once.
    await recall_for("What is loaded before the first query?")
    count("The tokenizer, too.")
    gc.freeze()  # all of that stays alive: scanning it for garbage takes a quarter of a query's time
    while line := sys.stdin.buffer.readline():
        await _answer_one(line.decode(errors="replace").strip(), recall_for, is_json=True)


async def _answer_one(query: str, recall_for: Recall, is_json: bool) -> None:
    start = time.perf_counter()
    found = await recall_for(query)
    milliseconds = round((time.perf_counter() - start) / MILLISECOND, 2)
    if not is_json:
        show(as_text(found) or "Nothing was found.")
        return
    messages = [_name_of(message) for message in found.messages]
    row = {"query": query, "messages": messages, "tokens": found.tokens, "milliseconds": milliseconds}
    show(json.dumps(row))  # in ASCII, so that no terminal's encoding can break it


def _name_of(message: Recollected) -> int | str:
    """Return the index of a message, with its conversation if several were searched."""
    return message.index if message.source is None else f"{message.source.conversation}#{message.index}"
