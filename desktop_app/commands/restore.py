"""`palimpsest restore FILE`: replace the archive by a backup, and keep the previous archive next to it."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop_app.archive.backups import restore_backup
from desktop_app.paths import database_file

from .arguments import add_data_and_json, data_of, print_json, show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a backup; `palimpsest backup --list` lists them")
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Restore the backup. If it is damaged or a window is open, change nothing and return exit code 1."""
    aside = restore_backup(database_file(data_of(args)), args.file)
    if args.json:
        print_json({"restored": str(args.file), "kept": None if aside is None else str(aside)})
    else:
        show(f"{args.file} is restored." + ("" if aside is None else f" What was there before is kept as {aside}"))
    return 0
