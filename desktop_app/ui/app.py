"""The window's process: paints the window first, then starts the engine, and shuts both down in order."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEventLoop,
    QFileSystemWatcher,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from desktop_app import STARTED
from desktop_app.log_files import start_log
from desktop_app.paths import APP_ICON, settings_file
from desktop_app.settings import Settings
from desktop_app.time_zone import follow_time_zone

from .garbage import GarbageCollector
from .main_window import MainWindow
from .platform_failure import make_qt
from .single_window import Opening, WindowServer
from .style import desktop_look, show_theme
from .translation import use_language
from .widgets.accessibility import use_roles

if TYPE_CHECKING:
    import asyncio

    from .bridge import Bridge

log = logging.getLogger(__name__)

LAYOUT_FILE = "window.json"
LONGEST_PAINT = 1.0  # seconds that the first painting may take before the program goes on
NOTHING = Opening()

Drive = Callable[[MainWindow, "Bridge"], Coroutine[Any, Any, None]]


def run_window(data_folder: Path, settings: Settings, drive: Drive | None = None, opening: Opening = NOTHING) -> int:
    """Open the window on a data folder, and return the exit code once it is closed.

    drive: a coroutine that operates the window instead of a user once it is painted; when it ends, the window closes.
    """
    application = make_application(settings)
    log_path = _start_log(data_folder)
    _ask_for_look(application, settings)
    window = MainWindow(None, settings, data_folder / LAYOUT_FILE)
    if drive is None and opening.is_plain and window.show_picture(settings):
        _paint(application, window)
    # What follows is imported only now: it takes longer than showing the picture of the last session.
    import qasync

    from . import bridge as bridges
    from .engine_process import engine_command

    loop = qasync.QEventLoop(application)
    bridge = bridges.Bridge(engine_command(data_folder), log_path)
    if window.is_painted:
        _note_painted(window)
        bridge.start_engine()
    window.build(bridge, settings)
    watch_settings(window, data_folder)
    TimeZoneWatch(application, window.settings.show_theme)
    _watch_bugs(loop, bridge)
    server = WindowServer(data_folder, window)
    server.opened.connect(window.show_handed_over)
    with loop:
        loop.run_until_complete(_live(window, bridge, server, opening, drive))
    return 0


def _paint(application: QApplication, window: MainWindow) -> None:
    """Let the window be painted. What the user types or clicks waits for its widgets."""
    end = time.monotonic() + LONGEST_PAINT
    while not window.is_painted and time.monotonic() < end:
        application.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        time.sleep(0.001)


def _note_painted(window: MainWindow) -> None:
    window.window_shown_seconds = seconds_since_start()
    log.info("The window was painted %.2f s after the program started", window.window_shown_seconds)


def watch_settings(window: MainWindow, data_folder: Path) -> None:
    """Reload the window's settings whenever another process changes the settings file."""
    from .settings.settings_controller import SettingsWatch

    SettingsWatch(settings_file(data_folder), window).changed.connect(window.settings.reload)


def make_application(settings: Settings) -> QApplication:
    """Return the Qt application with the theme and the language of the settings."""
    application = QApplication.instance() or make_qt()
    assert isinstance(application, QApplication)
    application.setApplicationName("palimpsest")
    application.setApplicationDisplayName("Palimpsest")
    application.setDesktopFileName("palimpsest")
    application.setWindowIcon(QIcon(str(APP_ICON)))
    # Closing the last window would end qasync's loop under awaits that are still pending.
    application.setQuitOnLastWindowClosed(False)
    application.setStyle("Fusion")
    use_language(application, settings.language)
    use_roles()
    show_theme(application, settings.theme, settings.font_scale, settings.contrast)
    return application


def _ask_for_look(application: QApplication, settings: Settings) -> None:
    """Follow the desktop from now on, if the settings do; at once if its portal is running."""
    if (desktop := desktop_look()) is not None:
        desktop.ask()
        show_theme(application, settings.theme, settings.font_scale, settings.contrast)


class TimeZoneWatch(QFileSystemWatcher):
    """Shows times again when the time zone of a Linux system has changed."""

    def __init__(self, application: QApplication, show: Callable[[], object]) -> None:
        super().__init__(
            ["/etc"] if sys.platform.startswith("linux") else [], application
        )  # of which localtime is a link
        self._application, self._show = application, show
        self.directoryChanged.connect(self._look)

    def _look(self) -> None:
        if follow_time_zone():
            self._application.setStyleSheet("")  # so that the theme is shown again, and all rows are laid out
            self._show()


def turn_application(settings: Settings) -> None:
    """Mirror the windows that are opened next, as for a language that is read from right to left."""
    make_application(settings).setLayoutDirection(Qt.LayoutDirection.RightToLeft)


def seconds_since_start() -> float:
    """Return the seconds since Python started in this process, without the time that a shell took before."""
    return time.monotonic() - STARTED


async def _live(
    window: MainWindow, bridge: Bridge, server: WindowServer, opening: Opening, drive: Drive | None
) -> None:
    import asyncio

    from desktop_app.conversation.markdown_html import block_parser

    from .transcript.selecting_view import leave_text

    closed = asyncio.get_running_loop().create_future()
    receiver, collector = SignalReceiver(window), GarbageCollector(window)

    def begin() -> None:
        if not window.window_shown_seconds:
            _note_painted(window)
            bridge.start_engine()
        # Showing the first message needs the Markdown modules: import them while the engine starts.
        threading.Thread(target=block_parser, name="markdown", daemon=True).start()
        if drive is not None:
            bridge.start(_driven(window, bridge, drive))
        else:
            server.listen()
            window.show_at_start(opening)

    if window.window_shown_seconds:
        asyncio.get_running_loop().call_soon(begin)
    else:
        window.painted.connect(begin)
    window.close_requested.connect(lambda: closed.done() or closed.set_result(None))
    window.show()
    window.ui.composer.take_focus()
    await closed
    leave_text()
    server.close()
    await bridge.close()
    collector.stop()
    receiver.close()


async def _driven(window: MainWindow, bridge: Bridge, drive: Drive) -> None:
    try:
        await drive(window, bridge)
    finally:
        window.close()


def _start_log(data_folder: Path) -> Path | None:
    """Return the log file; None if it cannot be written, so that the log goes to the terminal."""
    path = start_log(data_folder)
    qInstallMessageHandler(_log_qt)
    return path


def _log_qt(kind: QtMsgType, _: QMessageLogContext, text: str | None) -> None:
    is_serious = kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
    logging.getLogger("qt").log(logging.ERROR if is_serious else logging.INFO, text or "")


def _watch_bugs(loop: asyncio.AbstractEventLoop, bridge: Bridge) -> None:
    """Log and report uncaught exceptions of slots and of tasks that are not awaited."""

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        bridge.note_bug(error)

    def note_in_loop(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        bridge.note_bug(error if isinstance(error, Exception) else RuntimeError(str(context.get("message"))))

    sys.excepthook = note
    loop.set_exception_handler(note_in_loop)


class SignalReceiver(QObject):
    """Closes the window at SIGINT and SIGTERM.

    Qt's event loop runs no Python code while it is idle; the byte that a signal writes to a socket wakes it.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._take_byte)
        signal.set_wakeup_fd(self._writing.fileno())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: window.close())

    def close(self) -> None:
        """Restore the default handling of the signals."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()

    def _take_byte(self) -> None:
        self._reading.recv(64)
