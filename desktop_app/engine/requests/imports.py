"""Requests about importing conversations of other programs."""

from __future__ import annotations

import asyncio
from typing import assert_never

from msgspec.structs import replace

from desktop_app.chat.importing import (
    ImportOffer,
    ImportOutcome,
    Report,
    UnopenedArchive,
    import_conversations,
    look_through,
)
from desktop_app.conversation.events import ImportProgressed
from desktop_app.conversation.foreign import ReadProgress
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.engine.whole_imports import import_wholes, look_through_wholes, split_paths
from desktop_app.imports.formats import find_histories, known_kinds
from desktop_app.paths import spills_folder
from desktop_app.tools.foreign_files import ForeignFileReader


async def respond(engine: Engine, request: p.ImportingRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""

    def report(progress: ReadProgress, imported: int) -> None:
        engine.coalescer.publish(ImportProgressed("", progress.bytes_read, progress.bytes, imported))

    match request:
        case p.FindHistories():
            return request.respond_with(p.HistoriesFound(await asyncio.to_thread(find_histories), known_kinds()))
        case p.LookThrough():
            offer = await engine.compute(p.Computation.IMPORT, "", _look_through(engine, request.paths, report))
            found = tuple(replace(each, message_ids=()) for each in offer.found)
            return request.respond_with(p.LookedThrough(found, offer.unread))
        case p.ImportConversations():
            for conversation in request.chosen:
                engine.conversations.turns.refuse_while_running(conversation)
            work = _import(engine, request, report)
            try:
                outcome = await engine.compute(p.Computation.IMPORT, "", work)
            finally:  # what was imported before a cancel is in the list, too
                engine.conversations.list_changed()
            return request.respond_with(
                p.ImportFinished(outcome.conversations, outcome.messages, outcome.unread, outcome.newest)
            )
        case _:
            assert_never(request)


async def _look_through(engine: Engine, paths: tuple[str, ...], report: Report) -> ImportOffer:
    """Return what there is in files of ours, and in others."""
    archive = engine.services.archive
    wholes, others = await split_paths(paths)
    ours = await look_through_wholes(archive, wholes)
    offer = await look_through(ForeignFileReader(), archive, others, report) if others else ImportOffer()
    newest_first = sorted((*ours, *offer.found), key=lambda each: -each.last_at)
    return replace(offer, found=tuple(newest_first))


async def _import(engine: Engine, request: p.ImportConversations, report: Report) -> ImportOutcome:
    """Import what is chosen, of files of ours first."""
    archive, spills = engine.services.archive, spills_folder(engine.services.data)
    wholes, others = await split_paths(request.paths)
    ours = await import_wholes(archive, spills, wholes, request.chosen, report)
    engine.conversations.follow_memories()  # some may have come with them
    if not others:
        return ours

    def report_all(progress: ReadProgress, imported: int) -> None:
        report(progress, ours.conversations + imported)

    unopened = UnopenedArchive(archive, engine.conversations.unopened)
    outcome = await import_conversations(ForeignFileReader(), unopened, others, request.chosen, report_all)
    return replace(
        outcome,
        conversations=ours.conversations + outcome.conversations,
        messages=ours.messages + outcome.messages,
        newest=outcome.newest or ours.newest,
    )
