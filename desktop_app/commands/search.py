"""`palimpsest search QUERY`: find messages, including archived ones, by words, by a question, or by filters."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from contextlib import closing
from datetime import date, datetime

from desktop_app.archive.full_text_search import search_messages
from desktop_app.archive.projects_and_memories import projects as read_projects
from desktop_app.archive.reading import conversation
from desktop_app.archive.search_filters import entries_without, search_values
from desktop_app.archive.store import Store
from desktop_app.context import sentence_kinds
from desktop_app.context.recall.filters import FilterNames, TypedQuery, read_query
from desktop_app.conversation.listing import NO_FILTERS, SearchResult, title_in_english
from desktop_app.conversation.message import Role
from desktop_app.paths import SENTENCE_KINDS, database_file

from .arguments import BadInput, add_data_and_json, cut_to_width, data_of, positive, print_json, show, table

NOT_COMPLETE = (
    "Messages of before the last update are not known to filters yet: open Palimpsest once, it prepares them."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    about = 'words; "several in quotes" as a phrase; or a question, such as: what did we decide last spring?'
    parser.add_argument("query", metavar="QUERY", nargs="?", default="", help=about)
    parser.epilog = "A query that begins with a dash: palimpsest search -- --no-verify"
    parser.add_argument("--conversation", metavar="ID", help="only in that conversation")
    parser.add_argument("--project", metavar="NAME", type=_some_text, help="only in conversations of that project")
    day = "2025-03-14, 2025-03, march, last_week, 3_days …"
    parser.add_argument("--since", metavar="DAY", type=_some_text, help=f"from that time on: {day}")
    parser.add_argument("--until", metavar="DAY", type=_some_text, help="up to that time")
    roles = [role.value for role in Role]
    parser.add_argument("--role", choices=roles, help=f"by that role: {', '.join(roles)}")
    parser.add_argument("--model", metavar="NAME", type=_some_text, help="written by a model with that in its name")
    parser.add_argument("--tool", metavar="NAME", type=_some_text, help="calls of that tool and their results")
    parser.add_argument("--has-code", action="store_true", help="only messages with a block of code")
    parser.add_argument("--limit", metavar="N", type=positive, default=20, help="show at most this many (default: 20)")
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the results, best first, or newest first without words; it is not an error if there are none."""
    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    with closing(Store(database_file(data_of(args)), read_only=True)) as store:
        if args.conversation is not None:
            store.read(conversation, args.conversation)  # an unknown one is an error, not "nothing found"
        typed = _read(args, store)
        results = store.read(search_messages, typed.words, args.conversation, args.limit, typed.filters)
        is_complete = typed.filters == NO_FILTERS or not store.read(entries_without)
    if args.json:
        print_json({"results": [_shape(result) for result in results], "is_complete": is_complete})
        return 0
    if results:
        _print(results)
    else:
        show("Nothing was found.")
    if not is_complete:
        show(NOT_COMPLETE)
    return 0


def _read(args: argparse.Namespace, store: Store) -> TypedQuery:
    """Return the query with the options' filters, which are parsed like typed ones. Raises BadInput."""
    values = store.read(search_values)
    projects = tuple((project.id, project.name) for project in store.read(read_projects) if not project.is_deleted)
    names = FilterNames(projects, values.models, values.tools)
    options = {"in": args.project, "since": args.since, "until": args.until, "role": args.role}
    options |= {"model": args.model, "tool": args.tool, "has": "code" if args.has_code else None}
    chosen = " ".join(f'{name}:"{value}"' for name, value in options.items() if value is not None)
    today = date.today()
    typed = read_query(f"{args.query} {chosen}", today, _start_of, names)
    if typed.wrong is not None:
        nearest = f"Do you mean {typed.wrong.nearest}?" if typed.wrong.nearest else ""
        raise BadInput(f"The filter “{typed.wrong.value}” matches nothing in the archive", advice=nearest)
    if not typed.words and typed.filters == NO_FILTERS:
        raise BadInput("There is nothing to search for", advice="Give words, a question, or an option such as --role.")
    return typed


def _start_of(day: date) -> float:
    return datetime(day.year, day.month, day.day).timestamp()


def _shape(result: SearchResult) -> dict[str, object]:
    names = ("conversation", "message", "index", "role", "archived", "snippet", "score", "at", "is_by_meaning")
    return {name: getattr(result, name) for name in names}


def _print(results: Sequence[SearchResult]) -> None:
    columns = max(shutil.get_terminal_size((120, 24)).columns - 72, 40)
    rows = [
        (
            cut_to_width(title_in_english(result.title), 30),
            datetime.fromtimestamp(result.at).date().isoformat() if result.at else "",
            str(result.index),
            result.role.value,
            ", ".join(filter(None, ("by meaning" * result.is_by_meaning, "archived" * result.archived))),
            _around_found(result.snippet, columns),
        )
        for result in results
    ]
    show(table([("CONVERSATION", "DATE", "INDEX", "ROLE", "", "FOUND"), *rows], right=frozenset({2})))


def _around_found(snippet: str, columns: int) -> str:
    """Return the snippet, cut to that number of columns around the first words that were found."""
    before = snippet.find("«") - columns // 3
    return cut_to_width("…" + snippet[before:].lstrip("…") if before > 0 else snippet, columns)


def _some_text(value: str) -> str:
    if not value.strip() or '"' in value:
        raise argparse.ArgumentTypeError("it is empty, or holds a quotation mark")
    return value
