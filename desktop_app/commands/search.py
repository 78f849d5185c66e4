"""`palimpsest search QUERY`: messages by their words, archived ones too."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from contextlib import closing

from desktop_app.archive.store import Store
from desktop_app.conversation.listing import SearchResult, title_in_english
from desktop_app.paths import database_file

from .arguments import add_data_dir, add_json, cut_to_width, data_of, positive, print_json, table
from .terminal import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("query", metavar="QUERY", type=_some_text, help='words; "several in quotes" as they stand')
    parser.epilog = "A query that begins with a dash: palimpsest search -- --no-verify"
    parser.add_argument("--conversation", metavar="ID", help="only in that conversation")
    parser.add_argument("--limit", metavar="N", type=positive, default=20, help="at most that many (20)")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print what was found, best first; to find nothing is no error."""
    with closing(Store(database_file(data_of(args)), read_only=True)) as store:
        if args.conversation is not None:
            store.conversation(args.conversation)  # an unknown one is an error, not "nothing found"
        results = store.search(args.query, args.conversation, args.limit)
    if args.json:
        print_json({"results": [_shape(result) for result in results]})
    elif results:
        _print(results)
    else:
        show("Nothing was found.")
    return 0


def _shape(result: SearchResult) -> dict[str, object]:
    names = ("conversation", "message", "index", "role", "archived", "snippet", "score")
    return {name: getattr(result, name) for name in names}


def _print(results: Sequence[SearchResult]) -> None:
    room = max(shutil.get_terminal_size((120, 24)).columns - 60, 40)
    rows = [
        (
            cut_to_width(title_in_english(result.title), 30),
            str(result.index),
            result.role.value,
            "archived" if result.archived else "",
            _around_found(result.snippet, room),
        )
        for result in results
    ]
    show(table([("CONVERSATION", "INDEX", "ROLE", "", "FOUND"), *rows], right=frozenset({1})))


def _around_found(snippet: str, room: int) -> str:
    """Return the snippet cut to `room` columns around the first words that were found."""
    before = snippet.find("«") - room // 3
    return cut_to_width("…" + snippet[before:].lstrip("…") if before > 0 else snippet, room)


def _some_text(value: str) -> str:
    if not value.strip():
        raise argparse.ArgumentTypeError("the query is empty")
    return value
