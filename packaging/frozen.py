"""The program of the bundle: `palimpsest`, and the modules of ours that it starts as processes of their own."""

import os
import sys


def _restore_library_path() -> None:
    """Give the programs that a model or the window starts the system's own libraries.

    PyInstaller's start code has put the bundle's folder first, and has kept what the user had. This process has loaded
    by it already; those of the bundle's own get it from their start code again. That must be told to begin anew: it
    takes a child of its own for one that has inherited the folder.
    """
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    users = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if users is not None:
        os.environ["LD_LIBRARY_PATH"] = users
    else:
        os.environ.pop("LD_LIBRARY_PATH", None)


def main() -> int:
    """Run the program or the module that the arguments name, and return the exit code."""
    _restore_library_path()
    from desktop_app.own_processes import run_module

    if run_module(sys.argv[1:]):
        return 0
    from desktop_app.__main__ import main as palimpsest

    return palimpsest()


if __name__ == "__main__":
    sys.exit(main())
