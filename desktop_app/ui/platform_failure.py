"""Create the Qt application, or explain in plain words why that fails: Qt aborts with a text for developers."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from desktop_app.system_libraries import explain_missing

from .input_method import choose_input_method

NO_SCREEN = """Palimpsest cannot open its window: there is no screen that it can reach ({tried}).
`palimpsest --help` lists what works without a window.
"""


def make_qt() -> QApplication:
    """Return a new application; if it can open no window, print why and end the process with exit code 1."""
    choose_input_method()
    warned: list[str] = []

    def note(kind: QtMsgType, _: QMessageLogContext, text: str | None) -> None:
        if kind is QtMsgType.QtFatalMsg:
            _end(explain_missing() or no_screen() + "\n".join(warned))
        warned.append(f"Qt: {text}\n")

    before = qInstallMessageHandler(note)
    try:
        application = QApplication(sys.argv[:1])
    finally:
        qInstallMessageHandler(before)
    sys.stderr.write("".join(warned))
    return application


def no_screen() -> str:
    """Return a message that no screen can be reached, with the environment variables that were tried."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    tried = (f"{name} is {os.environ[name]}" if os.environ.get(name) else f"{name} is not set" for name in names)
    return NO_SCREEN.format(tried=", ".join(tried))


def _end(message: str) -> NoReturn:
    """Print a message and end at once: after this call Qt would abort, which leaves a core dump."""
    sys.stderr.write(message)
    sys.stderr.flush()
    os._exit(1)
