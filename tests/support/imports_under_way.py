"""An import of litellm that a test has begun and did not wait for."""

from __future__ import annotations

import threading

from desktop_app.models.litellm_library import IMPORT_THREAD


def wait_for_imports() -> None:
    """Wait until it has ended: it takes seconds, and pytest changes the filters of warnings between two tests.

    They belong to the process: a warning of the import that becomes an error there leaves a litellm that no later test
    can import.
    """
    for thread in threading.enumerate():
        if thread.name == IMPORT_THREAD:
            thread.join()
