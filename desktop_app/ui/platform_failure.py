"""Qt's application, or in plain words why there can be none: Qt itself aborts, with a text for developers."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from desktop_app.system_libraries import explain_missing

NO_SCREEN = """Palimpsest cannot open its window: there is no screen that it can reach ({tried}).
`palimpsest --help` lists what works without a window.
"""


def make_qt() -> QApplication:
    """Return a new application; where it can have no window, say why and end the process with exit code 1."""
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
    """Return that no screen can be reached, and which were tried."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    told = (f"{name} is {os.environ[name]}" if os.environ.get(name) else f"{name} is not set" for name in names)
    return NO_SCREEN.format(tried=", ".join(told))


def _end(told: str) -> NoReturn:
    """End at once: behind this call Qt would abort, which leaves a core dump."""
    sys.stderr.write(told)
    sys.stderr.flush()
    os._exit(1)
