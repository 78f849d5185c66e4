"""Requests about importing conversations of other programs."""

from __future__ import annotations

import asyncio
from typing import assert_never

from msgspec.structs import replace

from desktop_app.chat.importing import import_conversations, look_through
from desktop_app.conversation.events import ImportProgressed
from desktop_app.conversation.foreign import ReadProgress
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.imports.formats import known_kinds
from desktop_app.imports.histories import find_histories
from desktop_app.tools.foreign_files import ForeignFileReader


async def respond(engine: Engine, request: p.ImportingRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    files, archive = ForeignFileReader(), engine.services.archive

    def report(progress: ReadProgress) -> None:
        engine.coalescer.publish(ImportProgressed("", progress.bytes_read, progress.bytes))

    match request:
        case p.FindHistories():
            return request.respond_with(p.HistoriesFound(await asyncio.to_thread(find_histories)))
        case p.LookThrough():
            offer = await engine.compute(p.Computation.IMPORT, "", look_through(files, archive, request.paths, report))
            found = tuple(replace(each, message_ids=()) for each in offer.found)
            return request.respond_with(p.LookedThrough(found, offer.unread, "" if found else known_kinds()))
        case p.ImportConversations():
            for conversation in request.chosen:
                engine.conversations.turns.refuse_while_running(conversation)
            work = import_conversations(files, archive, request.paths, request.chosen, report)
            try:
                outcome = await engine.compute(p.Computation.IMPORT, "", work)
            finally:  # what was imported before a cancel is in the list, too
                engine.conversations.were_imported(request.chosen)
            return request.respond_with(
                p.ImportFinished(outcome.conversations, outcome.messages, outcome.unread, outcome.newest)
            )
        case _:
            assert_never(request)
