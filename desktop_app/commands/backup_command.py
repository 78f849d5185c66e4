"""`palimpsest backup [FILE]`: make a checked copy of the archive; `--list`: list the existing backups."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from desktop_app.archive.backups import back_up_to_folder, list_backups, make_backup
from desktop_app.conversation.installation import Backup
from desktop_app.conversation.words import pluralize
from desktop_app.paths import backups_folder, database_file

from .arguments import BadInput, add_data_and_json, data_of, print_json, show, table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    help_of_file = "where to (else the folder of the daily backups, where it is kept as long as they are)"
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help=help_of_file)
    parser.add_argument("--list", action="store_true", help="list the backups in that folder, and make none")
    parser.add_argument("--replace", action="store_true", help="replace FILE if it exists")
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make a backup, or list the existing ones. Without --replace, an existing FILE is kept, with exit code 1."""
    data = data_of(args)
    if args.list and args.file is not None:
        raise BadInput("--list takes no FILE", advice="It lists the backups in the data folder.")
    if args.list:
        _print_list(list_backups(backups_folder(data)), args.json)
        return 0
    if args.file is None:
        backup = back_up_to_folder(database_file(data), backups_folder(data))
    else:
        backup = make_backup(database_file(data), args.file, is_replacing=args.replace)
    if args.json:
        print_json(msgspec.to_builtins(backup))
    else:
        show(f"{backup.file}: {_content(backup)}, {backup.size:,} bytes")
    return 0


def _content(backup: Backup) -> str:
    if backup.is_damaged:
        return "damaged"
    entries = pluralize(backup.entries, "entry", "entries")
    return f"{pluralize(backup.conversations, 'conversation')}, {entries}"


def _print_list(backups: Sequence[Backup], is_json: bool) -> None:
    if is_json:
        print_json({"backups": msgspec.to_builtins(backups)})
    elif backups:
        lines = [(_local_time(each.at), f"{each.size:,}", _content(each), each.file) for each in backups]
        show(table([("MADE", "BYTES", "HOLDS", "FILE"), *lines], right=frozenset({1})))
    else:
        show("There are no backups yet.")


def _local_time(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")
