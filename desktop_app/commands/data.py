"""`palimpsest data`: show where the data is and what takes space; `--remove` removes the named items."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime

import msgspec

from desktop_app.archive.store import Store
from desktop_app.conversation.installation import ITEM_KINDS, RemovableItem, StoredData, copies_left
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.words import pluralize
from desktop_app.engine.protocol import CleanedUp
from desktop_app.engine.stored_data import clean_up, describe_data
from desktop_app.paths import database_file

from .arguments import (
    WORLD_ERROR,
    BadInput,
    add_data_and_json,
    cut_to_width,
    data_of,
    print_failure,
    print_json,
    show,
    table,
)

PART_NAMES = {
    "archive": "the archive: all that was said",
    "spills": "long outputs of tools",
    "backups": "backups",
    "kept": "copies that were put aside",
    "logs": "logs",
    "other": "settings, prompts and the window's layout",
}
TITLE_COLUMNS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    help_of_remove = f"items of the list, or a kind for all of its items: {', '.join(ITEM_KINDS)}"
    parser.add_argument("--remove", metavar="ITEM", nargs="+", default=[], help=help_of_remove)
    parser.add_argument("--yes", action="store_true", help="remove them (default: only list what would be removed)")
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the contents, or remove the named items. If a name is wrong, remove nothing and return exit code 2."""
    data = data_of(args)
    stored = describe_data(data)
    if not args.remove:
        _print(stored, args.json)
        return 0
    chosen = _chosen(stored, args.remove)
    if not args.yes:
        _print_chosen(stored, chosen, args.json)
        return 0
    with closing(Store(database_file(data))) as store:
        done = clean_up(store, data, [item.key for item in chosen])
    return _print_outcome(done, args.json)


def _chosen(stored: StoredData, names: Sequence[str]) -> list[RemovableItem]:
    for name in names:
        if name not in ITEM_KINDS and name not in {item.key for item in stored.removable}:
            advice = "`palimpsest data` lists what there is."
            raise BadInput(f"There is nothing to remove by the name {name}", advice=advice)
    return [item for item in stored.removable if item.key in names or item.kind in names]


def _print(stored: StoredData, is_json: bool) -> None:
    if is_json:
        print_json(msgspec.to_builtins(stored) | {"bytes": stored.size})
        return
    lines = [(f"{part.size:,}", PART_NAMES[part.kind], part.path) for part in stored.parts]
    show(table([("BYTES", "WHAT", "WHERE"), *lines], right=frozenset({0})))
    show(f"\n{stored.size:,} bytes in {stored.folder}; {stored.attachments:,} of the archive's are attachments.")
    if stored.removable:
        show("\nWhat could be removed, with `palimpsest data --remove ITEM`:\n")
        _print_items(stored.removable)


def _print_items(items: Sequence[RemovableItem]) -> None:
    rows = [(f"{item.size:,}", _day(item.at), item.key, _about(item)) for item in items]
    show(table([("BYTES", "LAST", "ITEM", ""), *rows], right=frozenset({0})))


def _about(item: RemovableItem) -> str:
    if item.kind != "conversation":
        return ""
    title = cut_to_width(title_in_english(item.name), TITLE_COLUMNS)
    return f"{title}, {pluralize(item.messages, 'message')}"


def _print_chosen(stored: StoredData, chosen: Sequence[RemovableItem], is_json: bool) -> None:
    still = copies_left(stored.removable, {item.key for item in chosen})
    if is_json:
        print_json({"would_remove": msgspec.to_builtins(chosen), "still_in": still})
        return
    if not chosen:
        show("There is nothing of that kind.")
        return
    _print_items(chosen)
    if count := sum(item.kind == "conversation" for item in chosen):
        show(f"\n{pluralize(count, 'conversation')} would be erased for good.")
        for key, copies in still.items():
            show(f"{key} would still be in {', '.join(copies)}")
    show("\nNothing was removed. With --yes it is.")


def _print_outcome(done: CleanedUp, is_json: bool) -> int:
    if is_json:
        print_json({"freed": done.freed, "removed": done.removed, "problems": msgspec.to_builtins(done.problems)})
    else:
        show(f"{pluralize(done.removed, 'item')} removed, {done.freed:,} bytes freed")
        for problem in done.problems:
            print_failure(problem)
    return WORLD_ERROR if done.problems else 0


def _day(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d") if at else ""
