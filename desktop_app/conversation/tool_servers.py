"""Values of tool servers: their states, as the settings show them."""

from __future__ import annotations

from typing import Literal

import msgspec

from .events import Failure

ServerStatus = Literal["off", "idle", "starting", "running", "failed"]
"""The state of a tool server: switched off, not started yet, starting, answering, or not answering."""


class ToolServerState(msgspec.Struct, frozen=True):
    """The state of a tool server, for the settings."""

    name: str
    status: ServerStatus = "idle"
    tools: int = 0
    failures: tuple[Failure, ...] = ()
    """Why it does not answer, what it could not write, and the tools that are not offered."""
    wanted: tuple[str, ...] = ()
    """Folders that it tried to write, and may not."""
    lines: str = ""
    """The last lines of its errors and logs."""
    home: str = ""
    """The folder of its own files, if it runs in the sandbox."""
