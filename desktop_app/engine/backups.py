"""The daily backup, made beside what the window asks for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from desktop_app.archive.backup import back_up_to_folder, is_backup_due
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import CheckPoint, run_while_wanted
from desktop_app.conversation.events import Failure
from desktop_app.conversation.stored import Backup
from desktop_app.paths import backups_folder, database_file

FIRST_SECONDS = 60.0
"""From the start until the first look whether a backup is due: the start is not to take longer."""
EVERY_SECONDS = 3600.0
"""Between two looks: a window may be open for weeks, or the computer asleep."""

log = logging.getLogger(__name__)


class DailyBackups:
    """Makes a backup a day while the engine runs. A failure is told once, until one is made again."""

    def __init__(self, data: Path, tell: Callable[[Failure], None]) -> None:
        self._archive, self._folder = database_file(data), backups_folder(data)
        self._tell = tell
        self._has_failed = False

    async def run(self, first: float = FIRST_SECONDS, every: float = EVERY_SECONDS) -> None:
        """Back up whenever it is due, until this is cancelled."""
        await asyncio.sleep(first)
        while True:
            await self.back_up_if_due()
            await asyncio.sleep(every)

    async def back_up_if_due(self) -> None:
        """Make a backup unless there is one of the last day. A failure is told, and tried again the next time."""
        try:
            made = await run_while_wanted(partial(_back_up_if_due, self._archive, self._folder))
        except WorldError as error:
            log.warning("the daily backup failed: %s %s", error.failure.title, error.failure.detail)
            if not self._has_failed:
                self._tell(error.failure)
            self._has_failed = True
        else:
            self._has_failed &= made is None


def _back_up_if_due(archive: Path, folder: Path, check: CheckPoint) -> Backup | None:
    if not is_backup_due(folder, datetime.now(UTC)):
        return None
    return back_up_to_folder(archive, folder, lambda *_: check())
