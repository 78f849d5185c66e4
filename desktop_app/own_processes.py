"""Command lines of the child processes that run Palimpsest's own modules as programs.

From source that is `python -m MODULE`. A bundle has no separate Python, so its executable takes the same arguments, and
`packaging/frozen.py` passes them to `run_module`.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Sequence
from contextlib import suppress

PACKAGE = "desktop_app"
ARGUMENTS_VARIABLE = "PALIMPSEST_ARGUMENTS"
"""Variable with a child's arguments as a JSON array, since every user of the machine can read command lines."""

IS_BUNDLE = bool(getattr(sys, "frozen", False))
"""Whether this is a self-contained executable, to which pip cannot add packages."""


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module, named relative to desktop_app; "" is the program itself."""
    # -P: the folder in which Palimpsest is started may contain another desktop_app.
    return [sys.executable, "-P", "-m", _full_name(module), *arguments]


def isolated_command(module: str, *arguments: str) -> list[str]:
    """Return the same for a child that reads untrusted input: the user's variables and folders do not change what is
    imported. It works only with an installed Palimpsest."""
    return [sys.executable, "-I", "-m", _full_name(module), *arguments]


def limit_memory(size: int) -> None:
    """Limit the address space of this process to that many bytes, if the system supports it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def given_arguments() -> list[str]:
    """Return this process's arguments: from ARGUMENTS_VARIABLE, or from the command line if it was started by hand."""
    hidden = os.environ.pop(ARGUMENTS_VARIABLE, "")
    return json.loads(hidden) if hidden else sys.argv[1:]


def run_module(arguments: Sequence[str]) -> bool:
    """Run the module that a bundle's executable was started for, and return whether there was one.

    arguments: the command line without the executable.
    """
    match list(arguments):
        case ["-I" | "-P", "-m", module, *rest] | ["-m", module, *rest] if module.split(".")[0] == PACKAGE:
            sys.argv[1:] = rest
            runpy.run_module(module, run_name="__main__", alter_sys=True)
            return True
    return False


def _full_name(module: str) -> str:
    return f"{PACKAGE}.{module}" if module else PACKAGE
