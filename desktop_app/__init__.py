"""Palimpsest: a desktop chat whose context window can be seen, kept from filling up, and undone."""

import time

__version__ = "0.1.0"

STARTED = time.monotonic() - time.process_time()
"""When Python started in this process, on the monotonic clock: what the process has worked until this line, the first
of ours that runs, was the interpreter's own start. The system's figure begins with the shell that became this process,
and has the time of a set-up in it."""
