"""`palimpsest import --found`: the histories that other programs keep on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import msgspec

from desktop_app.imports.formats import find_histories

from .arguments import BadInput, print_json, table
from .terminal import show

NONE_FOUND = "No history of a program that can be imported was found on this machine."


def add_found(parser: argparse.ArgumentParser) -> None:
    """Add `--found` and `--all`."""
    about = "say which programs keep a history on this machine, and where; with their names or --all, import it"
    parser.add_argument("--found", action="store_true", help=about)
    parser.add_argument("--all", action="store_true", help="with --found: all that was found")


def list_histories(is_json: bool) -> None:
    """Print the histories of this machine; no file is read."""
    found = find_histories()
    if is_json:
        print_json({"histories": msgspec.to_builtins(found)})
    elif not found:
        show(NONE_FOUND)
    else:
        rows = [
            (each.program, f"{each.files:,}", f"{each.bytes / 1e6:,.1f} MB", _day(each.newest), each.path)
            for each in found
        ]
        show(table([("PROGRAM", "FILES", "SIZE", "CHANGED", "FOLDER"), *rows], right=frozenset({1, 2})))


def chosen_histories(programs: Sequence[str]) -> list[str]:
    """Return the folders of these programs, of all of them if none is named. Raises BadInput where there is none."""
    found = find_histories()
    if not found:
        raise BadInput(NONE_FOUND)
    names = {program.casefold() for program in programs} or {each.program.casefold() for each in found}
    if missing := names - {each.program.casefold() for each in found}:
        known = ", ".join(sorted({each.program for each in found}))
        raise BadInput(f"No history of {', '.join(sorted(missing))} was found", advice=f"What was found: {known}.")
    return [each.path for each in found if each.program.casefold() in names]


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))
