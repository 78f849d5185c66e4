"""Respond to requests about settings, servers, stored data, imports and the program itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from desktop_app.archive.backups import back_up_to_folder, list_backups, list_kept_copies, prepare_restore
from desktop_app.archive.migrations import OnProgress
from desktop_app.archive.store import Store
from desktop_app.archive.whole_archive import export_whole
from desktop_app.chat.importing import (
    ImportOffer,
    Report,
    UnopenedArchive,
    import_conversations,
    import_wholes,
    look_through,
    look_through_wholes,
    split_paths,
)
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import Job, check_point, run_while_wanted, shielded
from desktop_app.conversation.events import Failure, ImportProgressed
from desktop_app.conversation.foreign import ImportOutcome, ReadProgress
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import progress_reporter
from desktop_app.engine.program_parts import describe_program, read_licence
from desktop_app.engine.stored_data import clean_up, describe_data
from desktop_app.imports.formats import find_histories, known_kinds
from desktop_app.models.builtin_download import install_model
from desktop_app.models.endpoint import environment_key
from desktop_app.models.server_checks import list_offers, per_million, run_check
from desktop_app.paths import backups_folder, database_file, spills_folder
from desktop_app.settings import Server, header_key
from desktop_app.tools.foreign_files import ForeignFileReader

from .responders import responds


@responds(p.Hello)
async def _hello(engine: Engine, request: p.Hello) -> p.Welcome:
    return p.Welcome(p.VERSION, engine.services.warnings)


@responds(p.Shutdown)
async def _shut_down(engine: Engine, request: p.Shutdown) -> None:
    engine.shutdown_requested.set()


@responds(p.WriteSettings)
async def _write_settings(engine: Engine, request: p.WriteSettings) -> p.SettingsRead:
    services = engine.services
    for server, key in request.keys.items():
        await services.keys.set(server, key)
    await services.change_settings(request.settings, request.base)
    return await _settings_of(engine)


@responds(p.ReloadSettings)
async def _reload_settings(engine: Engine, request: p.ReloadSettings) -> p.SettingsReloaded:
    is_changed = await engine.services.reload_settings()
    return p.SettingsReloaded(engine.services.settings, is_changed)


@responds(p.ReadSettings)
async def _read_settings(engine: Engine, request: p.ReadSettings) -> p.SettingsRead:
    return await _settings_of(engine)


async def _settings_of(engine: Engine) -> p.SettingsRead:
    services = engine.services
    keys, fault = services.keys, await services.sandbox.fault()
    return p.SettingsRead(services.settings, keys.servers_with_key(), keys.storage, fault, keys.unstored())


@responds(p.ListModels)
async def _list_models(engine: Engine, request: p.ListModels) -> p.ModelsListed:
    engine.ask_silent_servers()
    return _models_of(engine)


@responds(p.InstallBuiltinModel)
async def _install_builtin_model(engine: Engine, request: p.InstallBuiltinModel) -> p.ModelsListed:
    report = progress_reporter(engine.coalescer.publish, "model")
    work = run_while_wanted(lambda check: install_model(lambda done, total: check() or report(done, total)))
    await engine.compute(p.Computation.MODEL, "", work)
    return _models_of(engine)


def _models_of(engine: Engine) -> p.ModelsListed:
    catalogue = engine.services.catalogue
    infos = catalogue.infos()
    prices = {info.id: price for info in infos if (price := per_million(catalogue.price(info.id)))}
    return p.ModelsListed(infos, prices, tuple(info.id for info in infos if catalogue.is_local(info.id)))


@responds(p.ProposeModels)
async def _propose_models(engine: Engine, request: p.ProposeModels) -> p.ModelsProposed:
    return p.ModelsProposed(engine.services.catalogue.proposals(request.kind))


@responds(p.FindServers)
async def _find_servers(engine: Engine, request: p.FindServers) -> p.ServersFound:
    return p.ServersFound(await engine.services.find_servers())


@responds(p.ReadToolServers)
async def _read_tool_servers(engine: Engine, request: p.ReadToolServers) -> p.ToolServersRead:
    return p.ToolServersRead(engine.services.mcp.states())


@responds(p.TryToolServer)
async def _try_tool_server(engine: Engine, request: p.TryToolServer) -> p.ToolServersRead:
    session = await engine.conversations.open(request.conversation) if request.conversation else None
    folder = session.folder if session is not None else engine.services.settings.folder
    return p.ToolServersRead((await engine.services.mcp.try_server(request.server, request.key, folder),))


@responds(p.ListServerModels)
async def _list_server_models(engine: Engine, request: p.ListServerModels) -> p.ServerModelsListed:
    server = _with_headers(engine, request.server)
    return p.ServerModelsListed(*await list_offers(server, _key_of(engine, request)))


@responds(p.CheckServer)
async def _check_server(engine: Engine, request: p.CheckServer) -> p.ServerChecked:
    litellm = engine.services.catalogue.litellm
    server = _with_headers(engine, request.server)
    test = run_check(server, _key_of(engine, request), request.model, request.step, litellm)
    return p.ServerChecked(await engine.run_newest(Job.SERVER_TEST.of(), test))


@responds(p.ForgetLearned)
async def _forget_learned(engine: Engine, request: p.ForgetLearned) -> p.ModelsListed:
    await engine.services.catalogue.forget_learned(request.server, request.model)
    await engine.conversations.use_what_is_known()
    return _models_of(engine)


@responds(p.StopCheck)
async def _stop_check(engine: Engine, request: p.StopCheck) -> None:
    await engine.newest.cancel(Job.SERVER_TEST.of())


def _key_of(engine: Engine, request: p.ListServerModels | p.CheckServer) -> str:
    """Return the entered key, otherwise the stored one, otherwise the environment's for that server and address."""
    stored = engine.services.keys.stored(request.stored_key) if request.stored_key else ""
    return request.key.strip() or stored or environment_key(request.server)


def _with_headers(engine: Engine, server: Server) -> Server:
    """Return the server with the values of its secret headers that are stored."""
    keys = engine.services.keys
    headers = {name: value or keys.get(header_key(server.name, name)) for name, value in server.headers.items()}
    return replace(server, headers=headers)


@responds(p.DescribeProgram)
async def _describe_program(engine: Engine, request: p.DescribeProgram) -> p.ProgramDescribed:
    return p.ProgramDescribed(await asyncio.to_thread(describe_program, engine.services.data))


@responds(p.ReadLicence)
async def _read_licence(engine: Engine, request: p.ReadLicence) -> p.LicenceRead:
    return p.LicenceRead(await asyncio.to_thread(read_licence, request.part))


T = TypeVar("T")

NOT_DAMAGED = Failure("stale", translatable("The archive is not damaged"), kept=translatable("Nothing was changed."))


@responds(p.DescribeData)
async def _describe_data(engine: Engine, request: p.DescribeData) -> p.DataDescribed:
    return p.DataDescribed(await asyncio.to_thread(describe_data, engine.services.data))


@responds(p.ListBackups)
async def _list_backups(engine: Engine, request: p.ListBackups) -> p.BackupsListed:
    return await asyncio.to_thread(backups_listed, engine.services.data)


def backups_listed(data: Path) -> p.BackupsListed:
    """Return the backups, and the previous archives that were kept."""
    folder = backups_folder(data)
    return p.BackupsListed((*list_backups(folder), *list_kept_copies(database_file(data))), str(folder))


@responds(p.BackUpNow)
async def _back_up_now(engine: Engine, request: p.BackUpNow) -> p.BackedUp:
    archive, folder = database_file(engine.services.data), backups_folder(engine.services.data)
    return p.BackedUp(await _on_a_thread(engine, lambda on_progress: back_up_to_folder(archive, folder, on_progress)))


@responds(p.BeginEmpty)
async def _begin_empty(engine: Engine, request: p.BeginEmpty) -> p.BackupRestored:
    raise WorldError(NOT_DAMAGED)


@responds(p.ExportWhole)
async def _export_whole(engine: Engine, request: p.ExportWhole) -> p.WholeExported:
    archive, spills = database_file(engine.services.data), spills_folder(engine.services.data)
    path, is_replacing = Path(request.path), request.is_replacing
    exported = await _on_a_thread(
        engine, lambda on_progress: export_whole(archive, spills, path, is_replacing, on_progress)
    )
    return p.WholeExported(exported, Path(exported.file).stat().st_size)


@responds(p.CleanUp)
async def _clean_up(engine: Engine, request: p.CleanUp) -> p.CleanedUp:
    data, chosen = engine.services.data, request.chosen
    return await _on_archive(engine, lambda store, on_progress: clean_up(store, data, chosen, on_progress))


async def _on_a_thread(engine: Engine, work: Callable[[OnProgress], T]) -> T:
    """Run cancellable work on a worker thread, and report its progress."""
    report = progress_reporter(engine.coalescer.publish, "data")
    cancellable = run_while_wanted(lambda check: work(lambda done, total: check() or report(done, total)))
    return await engine.compute(p.Computation.DATA, "", cancellable)


async def _on_archive(engine: Engine, work: Callable[[Store, OnProgress], T]) -> T:
    """Do the same on the archive's thread, which delays all other reads and writes of the archive."""
    report = progress_reporter(engine.coalescer.publish, "data")

    async def run() -> T:
        with check_point() as check:
            return await engine.services.archive.run(work, lambda done, total: check() or report(done, total))

    return await engine.compute(p.Computation.DATA, "", run())


@responds(p.RestoreBackup)
async def _restore(engine: Engine, request: p.RestoreBackup) -> p.BackupRestored:
    """Replace the archive by a backup. Raises WorldError for failures before the engine closes the old archive."""
    archive, backup = database_file(engine.services.data), Path(request.file)
    engine.conversations.refuse_while_any_runs()
    new = await _on_a_thread(engine, lambda on_progress: prepare_restore(archive, backup, on_progress))
    return await shielded(_exchange(engine, new))


async def _exchange(engine: Engine, new: Path) -> p.BackupRestored:
    await engine.conversations.close()  # so that no data of the old archive is written to the new one
    try:
        kept = await engine.services.archive.run(Store.exchange, new, is_keeping=True)
    except WorldError as error:
        return p.BackupRestored(failure=error.failure)
    return p.BackupRestored(str(kept or ""))


@responds(p.FindHistories)
async def _find_histories(engine: Engine, request: p.FindHistories) -> p.HistoriesFound:
    return p.HistoriesFound(await asyncio.to_thread(find_histories), known_kinds())


@responds(p.LookThrough)
async def _look_through(engine: Engine, request: p.LookThrough) -> p.LookedThrough:
    offer = await engine.compute(p.Computation.IMPORT, "", _offer_of(engine, request.paths))
    return p.LookedThrough(tuple(replace(each, message_ids=()) for each in offer.found), offer.unread)


async def _offer_of(engine: Engine, paths: tuple[str, ...]) -> ImportOffer:
    """Return the conversations in files of `export --all` and of other programs."""
    archive = engine.services.archive
    wholes, others = await split_paths(paths)
    ours = await look_through_wholes(archive, wholes)
    offer = await look_through(ForeignFileReader(), archive, others, _progress_of(engine)) if others else ImportOffer()
    newest_first = sorted((*ours, *offer.found), key=lambda each: -each.last_at)
    return replace(offer, found=tuple(newest_first))


@responds(p.ImportConversations)
async def _import_conversations(engine: Engine, request: p.ImportConversations) -> p.ImportFinished:
    for conversation in request.chosen:
        engine.conversations.turns.refuse_while_running(conversation)
    work = _import(engine, request, _progress_of(engine))
    try:
        outcome = await engine.compute(p.Computation.IMPORT, "", work)
    finally:  # also after a cancellation: some conversations may have been imported
        engine.conversations.list_changed()
    return p.ImportFinished(outcome)


def _progress_of(engine: Engine) -> Report:
    """Return a callback that reports the progress of an import to the window."""

    def report(progress: ReadProgress, imported: int) -> None:
        engine.coalescer.publish(ImportProgressed("", progress.bytes_read, progress.bytes, imported))

    return report


async def _import(engine: Engine, request: p.ImportConversations, report: Report) -> ImportOutcome:
    """Import the chosen conversations, first from files of `export --all`, then from other programs."""
    archive, spills = engine.services.archive, spills_folder(engine.services.data)
    wholes, others = await split_paths(request.paths)
    ours = await import_wholes(archive, spills, wholes, request.chosen, report)
    engine.conversations.follow_context()  # the files may have contained memories
    if not others:
        return ours

    def report_all(progress: ReadProgress, imported: int) -> None:
        report(progress, ours.conversations + imported)

    unopened = UnopenedArchive(archive, engine.conversations.sessions.unopened)
    outcome = await import_conversations(ForeignFileReader(), unopened, others, request.chosen, report_all)
    return replace(
        outcome,
        conversations=ours.conversations + outcome.conversations,
        messages=ours.messages + outcome.messages,
        newest=outcome.newest or ours.newest,
    )
