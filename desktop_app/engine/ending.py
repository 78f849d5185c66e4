"""The end of the engine process, in bounded time: a window that has gone leaves no engine behind."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
from typing import NoReturn

END_SECONDS = 5.0
"""From the request to end until the process is gone, whatever hangs. A partial reply is stored twice a second."""


def limit_end(seconds: float = END_SECONDS) -> None:
    """Kill this process unless it has ended within so many seconds; the log then says where each thread was."""
    timer = threading.Timer(seconds, _give_up)
    timer.daemon = True
    timer.start()


def end_process(code: int) -> NoReturn:
    """End this process at once, without the interpreter's own teardown.

    The teardown may wait for ever: for a worker thread that hangs, or for the import lock of a thread that imports
    litellm, whose objects import modules when they are collected.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def _give_up() -> None:
    faulthandler.dump_traceback(sys.stderr)
    os._exit(1)
