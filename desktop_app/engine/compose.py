"""The one file that knows every part: it joins the verbs with the archive, the models and the keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.conversations import Conversations
from desktop_app.context.summary_prompt import Prompts
from desktop_app.conversation.events import Failure
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.keys import Keys
from desktop_app.paths import database_file, settings_file
from desktop_app.settings import Settings, SettingsDamaged, read_settings

from .engine import Engine
from .outbox import Outbox
from .prompts import read_prompts


async def compose(
    data: Path, outbox: Outbox, list_changed: Callable[[], None], on_bug: Callable[[BaseException], None]
) -> Engine:
    """An engine on that data folder. Raises ArchiveError when the archive cannot be opened."""
    archive = await ArchiveThread.open(database_file(data))
    await archive.recover_partials()
    settings, warnings = await asyncio.to_thread(_settings, settings_file(data))
    keys = Keys()
    if settings.servers:  # the keyring takes a moment, and nobody waits for it who has no use for it
        await keys.load(settings.servers)
    catalogue = Catalogue(settings, keys.of)

    async def settings_changed(changed: Settings) -> None:
        await keys.load(changed.servers)
        catalogue.change(changed)
        await catalogue.discover()

    async def warm_up() -> None:
        await catalogue.discover()
        await catalogue.litellm.load()

    def prompts() -> Prompts:
        return read_prompts(data)  # each time anew, so that a change of the user's holds at once

    conversations = Conversations(archive, catalogue, settings, outbox.publish, list_changed, on_bug, prompts)
    at_end = (catalogue.close, archive.close)
    return Engine(data, conversations, outbox, keys, settings_changed, warm_up, warnings, at_end)


def _settings(file: Path) -> tuple[Settings, tuple[Failure, ...]]:
    """The settings, or the defaults with a warning that says why."""
    try:
        return read_settings(file), ()
    except SettingsDamaged as error:
        advice = "Choose your settings again, or mend the file that was kept and put it back."
        return Settings(), (Failure("bad_input", "The settings could not be read", str(error), advice=advice),)
    except OSError as error:
        detail = error.strerror or str(error)
        return Settings(), (Failure("disk", "The settings could not be read", detail, advice=f"Check {file}."),)
