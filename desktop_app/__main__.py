"""Parse the command line, and run the window, the engine or a command."""

from __future__ import annotations

import argparse
import gc
import importlib
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import NoReturn

from desktop_app import __version__
from desktop_app.process_secrets import leave_keys_for_engine, seal_process
from desktop_app.system_libraries import explain_missing

DATA_FOLDER_VARIABLE = "PALIMPSEST_DATA_DIR"
COMMANDS = {
    "compact": ("compact", "show what would be sent of a conversation in a given window"),
    "context": ("context", "show how a conversation fills a window"),
    "policy": ("policy_command", "show or change the numbers that decide when room is made, and how"),
    "import": ("import_files", "import conversations"),
    "export": ("export_command", "write a conversation to a file"),
    "backup": ("backup_command", "back up every conversation, whether the window is open or not"),
    "restore": ("restore", "go back to a backup"),
    "data": ("data", "show where the data is and what takes space, and remove some of it"),
    "projects": ("projects_command", "list the projects"),
    "search": ("search", "search every message of every conversation"),
    "recall": ("recall", "show what a conversation, a project or the archive says about a query"),
    "chat": ("chat", "chat with a model in the terminal, one message a line"),
    "model": ("model", "show whether the built-in model is installed, or install it"),
    "trim": ("trim", "remove the installed files that are never used"),
    "doctor": ("doctor", "check this installation and its data"),
    "tour": ("tour", "take a picture of each screen of the window"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the console script `palimpsest` and return the exit code."""
    if arguments is None:  # the process was started for this, and not by a test
        arguments = sys.argv[1:]
        (leave_keys_for_engine if _opens_window(arguments) else seal_process)()
        if _names(arguments)[:1] in (["compact"], ["context"]):
            gc.disable()  # nothing that they read is freed before the end, and collecting takes 5 % of the time
    try:
        with _data_folder_for_all(arguments):
            return _run(arguments)
    except ImportError as error:
        explanation = "" if isinstance(error, ModuleNotFoundError) else explain_missing()
        if not explanation:
            raise
        sys.stderr.write(explanation)
        return 1


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["engine"]:
        _run_engine(arguments[1:])
    files = _files_to_open(arguments)
    parser = _parser(arguments)
    parsed = parser.parse_args(arguments[: len(arguments) - len(files)])
    if parsed.command is None:
        return _open_window(parsed, files)
    from desktop_app.commands.arguments import run_command

    module = importlib.import_module(f"desktop_app.commands.{COMMANDS[parsed.command][0]}")
    _log_printably()
    try:
        code = run_command(module.run, parsed)
        sys.stdout.flush()
    except BrokenPipeError:  # as in `palimpsest … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _log_printably() -> None:
    """Log warnings and bugs to standard error, without escape sequences that would act on the terminal."""
    from desktop_app.commands.arguments import PrintableFormatter

    terminal = logging.StreamHandler()
    terminal.setFormatter(PrintableFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[terminal])


@contextmanager
def _data_folder_for_all(arguments: list[str]) -> Iterator[None]:
    """Let every part of the program, and the processes that it starts, know the data folder that was chosen."""
    pairs = ((*option.partition("="), value) for option, value in pairwise([*arguments, ""]))
    chosen = next((same or value for name, _, same, value in pairs if name == "--data-dir"), "")
    before = os.environ.get(DATA_FOLDER_VARIABLE)
    if chosen:
        os.environ[DATA_FOLDER_VARIABLE] = os.path.abspath(os.path.expanduser(chosen))
    try:
        yield
    finally:
        if chosen and before is None:
            del os.environ[DATA_FOLDER_VARIABLE]
        elif chosen and before is not None:
            os.environ[DATA_FOLDER_VARIABLE] = before


def _opens_window(arguments: list[str]) -> bool:
    """Return whether there is neither a command nor the engine's name."""
    return _names(arguments)[:1] not in [[name] for name in (*COMMANDS, "engine")]


def _names(arguments: list[str]) -> list[str]:
    """Return the arguments from the first one that is no option."""
    first = 0
    while first < len(arguments) and arguments[first].startswith("-"):
        first += 2 if arguments[first] == "--data-dir" else 1
    return arguments[first:]


def _files_to_open(arguments: list[str]) -> list[str]:
    """Return the files at the end of the arguments; [] if there is a command instead, even a misspelt one."""
    names = _names(arguments)
    is_command = names[:1] == [] or names[0] in COMMANDS
    return [] if is_command or not all(map(_looks_like_a_file, names)) else names


def _looks_like_a_file(name: str) -> bool:
    return "." in name or os.sep in name or os.path.exists(name)


def _parser(arguments: list[str]) -> argparse.ArgumentParser:
    """Return the parser. Only the command in the arguments is imported, so that the window starts at once."""
    parser = argparse.ArgumentParser(
        prog="palimpsest", description="A desktop chat that shows the context window and loses nothing."
    )
    parser.add_argument("--version", action="version", version=f"palimpsest {__version__}")
    parser.add_argument("--data-dir", metavar="D", help="the data folder (default: PALIMPSEST_DATA_DIR)")
    opening = parser.add_mutually_exclusive_group()
    show = partial(opening.add_argument, dest="show", action="store_const")
    show("--new", const="new", default="", help="open the window with a new conversation")
    show("--import", const="import", help="open the window and its import sheet")
    title = "commands; without one the window opens, and offers to import the files that are named in its place"
    commands = parser.add_subparsers(dest="command", metavar="COMMAND | FILE...", title=title)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name in arguments:
            importlib.import_module(f"desktop_app.commands.{module}").add_arguments(command)
    return parser


def _run_engine(arguments: list[str]) -> NoReturn:
    from desktop_app.engine.serve import serve
    from desktop_app.log_files import start_log
    from desktop_app.paths import data_folder

    parser = argparse.ArgumentParser(prog="palimpsest engine")
    parser.add_argument("--version", action="version", version=f"palimpsest {__version__}")
    parser.add_argument("--data-dir", required=True)
    data = data_folder(parser.parse_args(arguments).data_dir)
    start_log(data)
    serve(data)


def _open_window(parsed: argparse.Namespace, files: list[str]) -> int:
    from desktop_app.paths import data_folder, settings_file
    from desktop_app.ui.single_window import Opening, hand_over

    data = data_folder(parsed.data_dir)
    paths, token = tuple(map(os.path.abspath, files)), os.environ.get("XDG_ACTIVATION_TOKEN", "")
    opening = Opening(paths, parsed.show, token)
    if hand_over(data, opening):  # before importing the window, which takes a second on a slow computer
        sys.stdout.write("Palimpsest is open already: its window has been asked to come to the front.\n")
        return 0
    from desktop_app.settings import Settings, SettingsDamaged, read_settings
    from desktop_app.ui.app import run_window

    try:
        settings = read_settings(settings_file(data))
    except SettingsDamaged as error:
        settings = error.usable  # the engine also reads them, and reports the damage to the window
    except OSError:
        settings = Settings()
    return run_window(data, settings, opening=opening)


if __name__ == "__main__":
    sys.exit(main())
