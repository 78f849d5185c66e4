"""Runs one of our scripts in a process of its own, and takes what it prints."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from .child_process import ChildProcess
from .tool import ToolFailed

PRINTED_MOST = 10_000_000


async def printed(script: str, *arguments: str, seconds: float) -> bytes | None:
    """What a script of that name beside this file prints. Cancelling ends it.

    None if it fails, prints too much, or is not done in time. It is not imported here, which would take a while.
    """
    argv = (sys.executable, "-I", str(Path(__file__).with_name(script)), *arguments)
    try:
        child = await ChildProcess.start(argv, "/", is_error_shown=False)
    except ValueError:
        raise ToolFailed("It holds a character that cannot be passed on (NUL, or half of one).") from None
    try:
        async with asyncio.timeout(seconds):
            content = bytearray()
            while chunk := await child.output.read(65_536):
                content += chunk
                if len(content) > PRINTED_MOST:
                    return None
            while child.exit_code is None:
                await asyncio.sleep(0.002)
            return bytes(content) if child.exit_code == 0 else None
    except TimeoutError:
        return None
    finally:
        await child.end()
