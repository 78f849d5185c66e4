"""Respond to requests about settings, servers, stored data, imports and the program itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, assert_never

from msgspec.structs import replace

from desktop_app.archive.backups import back_up_to_folder, list_backups, list_kept_copies, prepare_restore
from desktop_app.archive.migrations import OnProgress
from desktop_app.archive.store import Store
from desktop_app.archive.whole_archive import WholeArchive, export_whole
from desktop_app.chat.importing import (
    ImportOffer,
    ImportOutcome,
    Report,
    UnopenedArchive,
    import_conversations,
    look_through,
)
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import run_while_wanted, shielded
from desktop_app.conversation.events import Failure, ImportProgressed
from desktop_app.conversation.foreign import ReadProgress
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import progress_reporter
from desktop_app.engine.program_parts import describe_program, read_licence
from desktop_app.engine.stored_data import clean_up, describe_data
from desktop_app.engine.whole_imports import import_wholes, look_through_wholes, split_paths
from desktop_app.imports.formats import find_histories, known_kinds
from desktop_app.models.builtin_download import install_model
from desktop_app.models.endpoint import environment_key
from desktop_app.models.server_checks import list_offers, per_million, run_check
from desktop_app.paths import backups_folder, database_file, spills_folder
from desktop_app.tools.foreign_files import ForeignFileReader


async def respond_settings(engine: Engine, request: p.SettingsRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    services = engine.services
    match request:
        case p.Hello():
            return request.respond_with(p.Welcome(p.VERSION, services.warnings))
        case p.Shutdown():
            engine.shutdown_requested.set()
            return request.respond_with(p.Done())
        case p.WriteSettings():
            for server, key in request.keys.items():
                await services.keys.set(server, key)
            await services.change_settings(request.settings, request.base)
            return request.respond_with(await _settings_of(engine))
        case p.ReloadSettings():
            is_changed = await services.reload_settings()
            return request.respond_with(p.SettingsReloaded(services.settings, is_changed))
        case p.ReadSettings():
            return request.respond_with(await _settings_of(engine))
        case p.ListModels():
            engine.ask_silent_servers()
            return request.respond_with(_models_of(engine))
        case p.InstallBuiltinModel():
            report = progress_reporter(engine.coalescer.publish, "model")
            work = run_while_wanted(lambda check: install_model(lambda done, total: check() or report(done, total)))
            await engine.compute(p.Computation.MODEL, "", work)
            return request.respond_with(_models_of(engine))
        case p.ProposeModels():
            return request.respond_with(p.ModelsProposed(services.catalogue.proposals(request.kind)))
        case p.FindServers():
            return request.respond_with(p.ServersFound(await services.find_servers()))
        case _:
            assert_never(request)


async def _settings_of(engine: Engine) -> p.SettingsRead:
    services = engine.services
    keys, fault = services.keys, await services.sandbox.fault()
    return p.SettingsRead(services.settings, keys.servers_with_key(), keys.storage, fault, keys.unstored())


def _models_of(engine: Engine) -> p.ModelsListed:
    catalogue = engine.services.catalogue
    infos = catalogue.infos()
    prices = {info.id: price for info in infos if (price := per_million(catalogue.price(info.id)))}
    return p.ModelsListed(infos, prices, tuple(info.id for info in infos if catalogue.is_local(info.id)))


TEST = "server test"


async def respond_server(engine: Engine, request: p.ServerRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError if a test was stopped."""
    litellm = engine.services.catalogue.litellm
    match request:
        case p.ListServerModels(server):
            offers, results = await list_offers(server, _key_of(engine, request), litellm)
            return request.respond_with(p.ServerModelsListed(offers, results))
        case p.CheckServer(server, model, step):
            test = run_check(server, _key_of(engine, request), model, step, litellm)
            return request.respond_with(p.ServerChecked(await engine.run_newest(TEST, test)))
        case p.StopCheck():
            await engine.newest.cancel(TEST)
            return request.respond_with(p.Done())
        case _:
            assert_never(request)


def _key_of(engine: Engine, request: p.ListServerModels | p.CheckServer) -> str:
    """Return the key that was entered, or the stored one, or the environment's for that server and address."""
    stored = engine.services.keys.stored(request.stored_key) if request.stored_key else ""
    return request.key.strip() or stored or environment_key(request.server)


async def respond_program(engine: Engine, request: p.ProgramRequest) -> p.EngineResponse:
    """Carry out a request; parts that are not installed are left out."""
    match request:
        case p.DescribeProgram():
            info = await asyncio.to_thread(describe_program, engine.services.data)
            return request.respond_with(p.ProgramDescribed(info))
        case p.ReadLicence():
            return request.respond_with(p.LicenceRead(await asyncio.to_thread(read_licence, request.part)))
        case _:
            assert_never(request)


T = TypeVar("T")

NOT_DAMAGED = Failure("stale", translatable("The archive is not damaged"), kept=translatable("Nothing was changed."))


async def respond_data(engine: Engine, request: p.DataRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    data = engine.services.data
    archive, backups, spills = database_file(data), backups_folder(data), spills_folder(data)
    match request:
        case p.DescribeData():
            return request.respond_with(p.DataDescribed(await asyncio.to_thread(describe_data, data)))
        case p.ListBackups():
            copies = await asyncio.to_thread(lambda: (*list_backups(backups), *list_kept_copies(archive)))
            return request.respond_with(p.BackupsListed(copies, str(backups)))
        case p.BackUpNow():
            backup = await _on_a_thread(engine, lambda on_progress: back_up_to_folder(archive, backups, on_progress))
            return request.respond_with(p.BackedUp(backup))
        case p.RestoreBackup():
            return request.respond_with(await _restore(engine, archive, Path(request.file)))
        case p.BeginEmpty():
            raise WorldError(NOT_DAMAGED)
        case p.ExportWhole():
            path, is_replacing = Path(request.path), request.is_replacing
            exported = await _on_a_thread(
                engine, lambda on_progress: export_whole(archive, spills, path, is_replacing, on_progress)
            )
            return request.respond_with(_whole_exported(exported))
        case p.CleanUp():
            chosen = request.chosen
            return request.respond_with(
                await _on_archive(engine, lambda store, on_progress: clean_up(store, data, chosen, on_progress))
            )
        case _:
            assert_never(request)


async def _on_a_thread(engine: Engine, work: Callable[[OnProgress], T]) -> T:
    """Run work on a thread of its own, with its progress reported, until it is cancelled."""
    report = progress_reporter(engine.coalescer.publish, "data")
    cancellable = run_while_wanted(lambda check: work(lambda done, total: check() or report(done, total)))
    return await engine.compute(p.Computation.DATA, "", cancellable)


async def _on_archive(engine: Engine, work: Callable[[Store, OnProgress], T]) -> T:
    """Run work on the archive's own thread, likewise: everything else that is stored or read has to wait for it."""
    report = progress_reporter(engine.coalescer.publish, "data")
    cancellable = engine.services.archive.run_while_wanted(
        lambda store, check: work(store, lambda done, total: check() or report(done, total))
    )
    return await engine.compute(p.Computation.DATA, "", cancellable)


async def _restore(engine: Engine, archive: Path, backup: Path) -> p.BackupRestored:
    """Replace the archive by a backup. Raises WorldError for failures before the engine closes the old archive."""
    engine.conversations.refuse_while_any_runs()
    new = await _on_a_thread(engine, lambda on_progress: prepare_restore(archive, backup, on_progress))
    return await shielded(_exchange(engine, new))


async def _exchange(engine: Engine, new: Path) -> p.BackupRestored:
    await engine.conversations.close()  # so that nothing of the old archive is written to the new one
    try:
        kept = await engine.services.archive.run(lambda store: store.exchange(new, is_keeping=True))
    except WorldError as error:
        return p.BackupRestored(failure=error.failure)
    return p.BackupRestored(str(kept or ""))


def _whole_exported(exported: WholeArchive) -> p.WholeExported:
    size = Path(exported.file).stat().st_size
    return p.WholeExported(exported.file, size, exported.conversations, exported.entries, exported.unreadable)


async def respond_import(engine: Engine, request: p.ImportingRequest) -> p.EngineResponse:
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
            finally:  # also after a cancellation: the list has the conversations that were imported before
                engine.conversations.list_changed()
            return request.respond_with(
                p.ImportFinished(outcome.conversations, outcome.messages, outcome.unread, outcome.newest)
            )
        case _:
            assert_never(request)


async def _look_through(engine: Engine, paths: tuple[str, ...], report: Report) -> ImportOffer:
    """Return the conversations in files of ours and in foreign files."""
    archive = engine.services.archive
    wholes, others = await split_paths(paths)
    ours = await look_through_wholes(archive, wholes)
    offer = await look_through(ForeignFileReader(), archive, others, report) if others else ImportOffer()
    newest_first = sorted((*ours, *offer.found), key=lambda each: -each.last_at)
    return replace(offer, found=tuple(newest_first))


async def _import(engine: Engine, request: p.ImportConversations, report: Report) -> ImportOutcome:
    """Import the chosen conversations, first those in files of ours."""
    archive, spills = engine.services.archive, spills_folder(engine.services.data)
    wholes, others = await split_paths(request.paths)
    ours = await import_wholes(archive, spills, wholes, request.chosen, report)
    engine.conversations.follow_memories()  # the files may have contained memories
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
