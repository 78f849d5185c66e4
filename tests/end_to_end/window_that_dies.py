"""A real window that sends a message and is killed while the reply streams: `window_that_dies.py DATA alone|both`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from desktop_app.paths import settings_file
from desktop_app.settings import read_settings
from desktop_app.ui.app import run_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow


async def die(window: MainWindow, bridge: Bridge) -> None:
    """Sends, waits until half a sentence stands there for longer than it takes to keep it, and dies."""
    driver = Driver(window, bridge)
    await driver.until(lambda: window.chat.conversation, 30, "an open conversation")
    window.composer.take_focus()
    await driver.type("A story, please")
    await driver.enter()
    await driver.until(lambda: window.transcript_model.streaming_text == "Half a sen", 60, "half a sentence")
    await asyncio.sleep(0.6)
    if sys.argv[2] == "both":
        os.kill(bridge.engine_pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


run_window(Path(sys.argv[1]), read_settings(settings_file(Path(sys.argv[1]))), drive=die)
