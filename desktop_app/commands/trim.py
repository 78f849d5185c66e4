"""`palimpsest trim`: remove what was installed with Palimpsest and is never used; `--dry-run`: only say how much."""

from __future__ import annotations

import argparse

from desktop_app.unused_files import own_site_packages, prune, read_list, unused_bytes

from .arguments import BadInput, show

NOT_OURS = "Palimpsest is not installed by pipx or `uv tool` here"
ADVICE = "Other programs may use the packages of this environment, so nothing is removed from it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--dry-run", action="store_true", help="only say how much would be removed")


def run(args: argparse.Namespace) -> int:
    """Remove the files, from Palimpsest's own environment only. A second time there is nothing left to do."""
    site = own_site_packages()
    if site is None:
        raise BadInput(NOT_OURS, advice=ADVICE)
    lines = read_list()
    found = unused_bytes(site, lines)
    if not found:
        show("Nothing is left to remove.")
    elif args.dry_run:
        show(f"At least {found / 1e6:,.0f} MB of {site} are never used.")
    else:
        show(f"{prune(site, lines) / 1e6:,.0f} MB that are never used were removed from {site}.")
        show("Run this again after an upgrade by pipx or `uv tool`, which restores files of updated packages.")
    return 0
