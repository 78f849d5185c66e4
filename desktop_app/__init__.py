"""Palimpsest: a desktop chat that shows its context window, keeps it from overflowing, and can undo each change."""

import time

__version__ = "0.1.0"

STARTED = time.monotonic() - time.process_time()
"""Seconds on the monotonic clock at which Python started in this process: the CPU time until this line, the first of
ours that runs, was spent on the interpreter's start. The system's figure is not used: it begins with the shell that
became this process, and so includes the time of a set-up."""
