"""Command lines of the processes that Palimpsest starts of itself: modules of ours, each run as a program.

From source that is `python -m MODULE`. A bundle has no Python beside it, so its executable takes the same arguments and
`packaging/frozen.py` hands them to `run_module`.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Sequence

PACKAGE = "desktop_app"
ARGUMENTS_VARIABLE = "PALIMPSEST_ARGUMENTS"
"""What a child was started for, as a JSON array: every user of the machine can read command lines."""

IS_BUNDLE = bool(getattr(sys, "frozen", False))
"""Whether this is an executable with everything in it, to which pip adds nothing."""


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module of ours, named within desktop_app; "" is the program itself."""
    # -P: a folder in which Palimpsest is started may hold a desktop_app of its own, which is none of ours.
    return [sys.executable, "-P", "-m", _full_name(module), *arguments]


def isolated_command(module: str, *arguments: str) -> list[str]:
    """Return the same for a child that reads what others wrote: no variable and no folder of the user changes what is
    imported. It finds an installed Palimpsest only."""
    return [sys.executable, "-I", "-m", _full_name(module), *arguments]


def given_arguments() -> list[str]:
    """Return what this process was started for: out of sight of other users, or, by hand, on its command line."""
    hidden = os.environ.pop(ARGUMENTS_VARIABLE, "")
    return json.loads(hidden) if hidden else sys.argv[1:]


def run_module(arguments: Sequence[str]) -> bool:
    """Run the module of ours that a bundle's executable was started for, and return whether there was one.

    arguments: of the command line, without the executable.
    """
    match list(arguments):
        case ["-I" | "-P", "-m", module, *rest] | ["-m", module, *rest] if module.split(".")[0] == PACKAGE:
            sys.argv[1:] = rest
            runpy.run_module(module, run_name="__main__", alter_sys=True)
            return True
    return False


def _full_name(module: str) -> str:
    return f"{PACKAGE}.{module}" if module else PACKAGE
