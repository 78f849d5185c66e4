"""A real window, used until somebody kills it: `window_used.py DATA SEED`. It prints the events it is told of."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from pathlib import Path

from desktop_app.engine.protocol import EventLine, encode_line
from desktop_app.paths import settings_file
from desktop_app.settings import read_settings
from desktop_app.ui.app import run_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow


async def use(window: MainWindow, bridge: Bridge) -> None:
    """Sends messages one after the other; some are typed only, as a draft."""
    bridge.happened.connect(lambda event: os.write(1, encode_line(EventLine(event))))
    driver, chance = Driver(window, bridge), random.Random(sys.argv[2])
    await driver.until(lambda: window.chat.conversation, 300, "an open conversation")
    os.write(1, f"engine {bridge.engine_pid}\n".encode())
    number = 0
    while True:
        number += 1
        window.ui.composer.take_focus()
        scene = chance.choice(("in the stream", "at any time", "at the end", "while it thinks"))
        await driver.type(f"Go on. [{sys.argv[2]}x{number} {scene}]")
        await driver.enter()
        await asyncio.sleep(chance.uniform(0.2, 2.0))
        await driver.until(lambda: not window.ui.transcript_model.is_running, 300, "the end of the turn")


run_window(Path(sys.argv[1]), read_settings(settings_file(Path(sys.argv[1]))), drive=use)
