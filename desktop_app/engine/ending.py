"""The end of the engine's process. It is bounded: a window that went away leaves no engine behind."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
import threading
from typing import NoReturn

END_SECONDS = 5.0
"""From the wish to end until the process is gone, whatever hangs. A partial reply is stored twice a second anyway."""


def limit_end(seconds: float = END_SECONDS) -> None:
    """Kill this process unless it has ended within so many seconds; the log then says where each thread was."""
    timer = threading.Timer(seconds, _give_up)
    timer.daemon = True
    timer.start()


def end_process(code: int) -> NoReturn:
    """End this process at once, without the interpreter's own teardown.

    That one may wait for ever: a thread that imports litellm is frozen in it with the import's lock, and what litellm
    has made imports more when it is thrown away. A worker thread that hangs would be waited for, too.
    """
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def _give_up() -> None:
    faulthandler.dump_traceback(sys.stderr)
    os._exit(1)
