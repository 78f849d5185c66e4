"""`palimpsest tour DIR`: drive the window with real input events, and save a picture of each step and a report."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

from desktop_app.commands.arguments import BAD_INPUT, print_failure, show
from desktop_app.conversation.events import Failure
from desktop_app.own_processes import module_command

from .variants import USUAL, VARIANTS, Variant, add_look_arguments, variant_of

REPORT = "report.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", help="the folder for the pictures and report.json")
    add_look_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Return exit code 0 if every step succeeded, 1 if some failed, 2 if the folder cannot be written."""
    if not arguments.all:
        return _take(arguments)
    codes = [_take(arguments), *(_take_in_process(arguments.folder, name, look) for name, look in VARIANTS.items())]
    return max(codes)


def _take_in_process(folder: str, name: str, look: Variant) -> int:
    """Take the short tour in one look, in a separate process: Qt has one language and one direction per process."""
    show(f"\n{name}:")
    command = module_command("", "tour", str(Path(folder) / name), *look.arguments())
    return subprocess.run(command, check=False).returncode


def _take(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / REPORT).write_text("{}")
    except OSError as error:
        print_failure(Failure("disk", f"{folder} cannot be written", error.strerror or str(error)))
        return BAD_INPUT
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from .conversation_steps import STEPS
    from .screens import SCREENS
    from .tour_session import take_tour  # it imports Qt, which must know the platform first

    look = variant_of(arguments)
    with tempfile.TemporaryDirectory(prefix="palimpsest-tour-") as data:  # never the user's own conversations
        report = take_tour(SCREENS if look else STEPS, Path(data), folder, look or USUAL)
    (folder / REPORT).write_text(json.dumps(report, indent=2))
    _print_summary(report, folder)
    return 0 if all(step["ok"] for step in report["steps"]) else 1


def _print_summary(report: dict[str, object], folder: Path) -> None:
    show(f"\nThe window was shown after {report['window_shown_seconds']:.2f} s.")
    show(f"Its longest pause was {report['longest_ui_gap_ms']:.0f} ms.")
    show(f"Pictures and {REPORT} are in {folder}/")
