"""Palimpsest: a desktop chat whose context window can be seen, kept from filling up, and undone."""

import time

__version__ = "0.1.0"

STARTED = time.monotonic() - time.process_time()
"""When Python started in this process, on the monotonic clock. This line is the first of ours that runs: what the
process has worked by then was the interpreter's own start."""
