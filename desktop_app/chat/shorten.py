"""Makes a message shorter that alone is larger than the window."""

from __future__ import annotations

import asyncio

from desktop_app.context.oversized import cut_message, message_as_files
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable

from .compaction.snapshot import snapshot_of
from .ports import WorldError
from .services import Services
from .session import Session
from .turn.explain_failure import oversized_in
from .turns import Turns


async def shorten_message(turns: Turns, services: Services, session: Session, as_file: bool) -> None:
    """Send the newest message so that it fits, in a branch of its own; the long one stays in the other.

    as_file: its beginning is sent, and where the whole is kept for the model to read; else both ends are. Raises
    WorldError if it fits, or if what is kept cannot be stored.
    """
    snapshot = snapshot_of(session)
    oversized = await asyncio.to_thread(oversized_in, snapshot)
    if oversized is None:
        title, advice = translatable("The message fits now"), translatable("Try again.")
        raise WorldError(Failure("bad_input", title, advice=advice))
    if as_file and services.tools is not None:
        short = await asyncio.to_thread(message_as_files, oversized, snapshot.policy, snapshot.counts)
        for text in short.spills:
            await services.tools.spills.keep(text)
    else:
        short = await asyncio.to_thread(cut_message, oversized, snapshot.counts)
    await turns.edit(session, oversized.message.id, short.text, short.attachments)
