"""Respond to requests about conversations, their settings, and projects."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from desktop_app.chat.branching import fork, read_versions, show_version
from desktop_app.chat.compaction.fresh_start import start_fresh
from desktop_app.chat.compaction.optimize import check_summary
from desktop_app.chat.conversation_setups import (
    change_setup,
    delete_project,
    move_conversations,
    restore_project,
    save_project,
    system_prompt_of,
)
from desktop_app.chat.export_content import ExportedPart
from desktop_app.chat.export_files import export_conversation
from desktop_app.chat.find import MAX_FOUND, find_in
from desktop_app.chat.importing import GROWN
from desktop_app.chat.model_preview import preview_model
from desktop_app.chat.open_sessions import PartialSession
from desktop_app.chat.ports import ModelError, WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import model_or_stand_in
from desktop_app.chat.titles import with_status
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.conversation_outline import outline_of
from desktop_app.conversation.events import MessageRow, ModelChanged
from desktop_app.conversation.listing import NO_FILTERS, Changes, ConversationInfo
from desktop_app.conversation.setup import NO_FOLDER, OptionName
from desktop_app.conversation.transcript import Imported, RequestContext, Transcript
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.tools.graphics_drawer import draw_graphics

from .responders import responds


@responds(p.ListConversations)
async def _list_conversations(engine: Engine, request: p.ListConversations) -> p.ConversationsListed:
    return await list_conversations(engine)


async def list_conversations(engine: Engine) -> p.ConversationsListed:
    """Return the sidebar's current list."""
    archive = engine.conversations.archive
    projects = await archive.projects()
    listed = with_status(await archive.conversations(), projects, engine.conversations.policy_named)
    return p.ConversationsListed(listed, projects)


@responds(p.ListDeleted)
async def _list_deleted(engine: Engine, request: p.ListDeleted) -> p.ConversationsListed:
    return p.ConversationsListed(await engine.conversations.archive.list_deleted())


@responds(p.Rename)
async def _rename(engine: Engine, request: p.Rename) -> p.ConversationsListed:
    await engine.conversations.rename(request.conversation, request.title)
    return await list_conversations(engine)


@responds(p.Delete)
async def _delete(engine: Engine, request: p.Delete) -> p.ConversationsListed:
    for conversation in request.conversations:
        await engine.leave(conversation)
        await engine.conversations.delete(conversation)
    return await list_conversations(engine)


@responds(p.Restore)
async def _restore(engine: Engine, request: p.Restore) -> p.ConversationsListed:
    for conversation in request.conversations:
        await engine.conversations.restore(conversation)
    return await list_conversations(engine)


@responds(p.Arrange)
async def _arrange(engine: Engine, request: p.Arrange) -> p.ConversationsListed:
    changes = Changes()
    if request.is_pinned is not None:
        changes["is_pinned"] = request.is_pinned
    if request.is_put_away is not None:
        changes["is_put_away"] = request.is_put_away
    await engine.conversations.arrange(request.conversations, **changes)
    return await list_conversations(engine)


@responds(p.ReadMessages)
async def _read_messages(engine: Engine, request: p.ReadMessages) -> p.MessagesRead:
    place = request.before, request.limit, request.around
    partial = engine.conversations.sessions.partial_session(request.conversation)
    rows = await partial.page(*place) if partial is not None else None
    if partial is not None and rows is not None:
        return p.MessagesRead(rows, partial.total)
    session = await engine.conversations.open(request.conversation)
    return p.MessagesRead(session.page(*place), session.total)


@responds(p.ReadVersions)
async def _read_versions(engine: Engine, request: p.ReadVersions) -> p.VersionsRead:
    session = await engine.conversations.open(request.conversation)
    return p.VersionsRead(*await read_versions(session))


@responds(p.SearchMessages)
async def _search(engine: Engine, request: p.SearchMessages) -> p.MessagesFound:
    """Search, after cancelling a search that is still running."""
    archive = engine.conversations.archive
    work = archive.search(request.query, request.conversation, request.limit, request.filters)
    found = await engine.compute(p.Computation.SEARCH, "", work)
    is_filtered = request.filters != NO_FILTERS
    return p.MessagesFound(found, not (is_filtered and await archive.entries_without_facets()))


@responds(p.ListSearchValues)
async def _list_search_values(engine: Engine, request: p.ListSearchValues) -> p.SearchValuesListed:
    return p.SearchValuesListed(await engine.conversations.archive.search_values())


@responds(p.FindText)
async def _find_text(engine: Engine, request: p.FindText) -> p.TextFound:
    session = await engine.conversations.open(request.conversation)
    ids, found = await find_in(session, request.text)
    indexes, places = tuple(each.number for each in found), tuple(each.places for each in found)
    return p.TextFound(ids, indexes, places, is_all=len(ids) < MAX_FOUND)


@responds(p.ReadOutline)
async def _read_outline(engine: Engine, request: p.ReadOutline) -> p.OutlineRead:
    session = await engine.conversations.open(request.conversation)
    messages, branches = tuple(session.recorded.branch), session.branches
    several = {one.id: len(branches.versions(one.id)) for one in messages} if branches.are_several else {}
    return p.OutlineRead(await asyncio.to_thread(outline_of, messages, session.operations(), several))


@responds(p.PreviewModel)
async def _preview_model(engine: Engine, request: p.PreviewModel) -> p.ModelPreviewed:
    chats = engine.conversations
    session = await chats.open(request.conversation)
    draft = chats.turns.queue.draft(request.conversation)
    work = preview_model(session, chats.services, chats.models, request.model, draft)
    return p.ModelPreviewed(await engine.compute(p.Computation.PREVIEW, request.conversation, work))


@responds(p.ExportConversation)
async def _export_conversation(engine: Engine, request: p.ExportConversation) -> p.ConversationExported:
    session = await engine.conversations.open(request.conversation)
    part = ExportedPart(request.scope, request.first, request.last)
    work = export_conversation(session, Path(request.path), request.is_replacing, request.format, draw_graphics, part)
    return p.ConversationExported(request.path, await engine.compute(p.Computation.EXPORT, session.id, work))


@responds(p.CreateConversation)
async def _create_conversation(engine: Engine, request: p.CreateConversation) -> p.ConversationOpened:
    persona, project = request.persona, request.project
    return await _show(engine, await engine.conversations.create(request.title, persona=persona, project=project))


@responds(p.ChooseModel)
async def _choose_model(engine: Engine, request: p.ChooseModel) -> p.ConversationOpened:
    return await _show(engine, await engine.conversations.choose_model(request.conversation, request.model))


@responds(p.ChooseFolder)
async def _choose_folder(engine: Engine, request: p.ChooseFolder) -> p.ConversationOpened:
    return await _show(engine, await engine.conversations.choose_folder(request.conversation, request.folder))


@responds(p.StartFresh)
async def _start_fresh(engine: Engine, request: p.StartFresh) -> p.ConversationOpened:
    chats = engine.conversations
    session = await chats.open(request.conversation)
    with engine.plan_in_use(request.plan, is_fresh=True) as plan:
        session = await start_fresh(chats, session, await check_summary(plan, request.summary))
    return await _show(engine, session)


@responds(p.ShowVersion)
async def _show_version(engine: Engine, request: p.ShowVersion) -> p.ConversationOpened:
    chats = engine.conversations
    session = await chats.open(request.conversation)
    return await _show(engine, await show_version(chats, session, request.message_id))


@responds(p.Fork)
async def _fork(engine: Engine, request: p.Fork) -> p.ConversationOpened:
    chats = engine.conversations
    return await _show(engine, await fork(chats, await chats.open(request.conversation), request.message_id))


async def _show(engine: Engine, session: Session) -> p.ConversationOpened:
    """Note that the window will show this conversation, and return its state."""
    await engine.show(session.id)
    return await _describe_changed(engine, session)


@responds(p.OpenConversation)
async def _open_conversation(engine: Engine, request: p.OpenConversation) -> p.ConversationOpened:
    """Return the newest messages as soon as possible, while a long conversation is being opened in the background."""
    await engine.show(request.conversation)
    chats = engine.conversations
    partial = await chats.sessions.open_partially(request.conversation)
    if partial is not None:
        rows, pins = await partial.page(partial.total, p.PAGE), await partial.pins()
        if rows is not None and pins is not None:
            return _describe_partly_opened(engine, partial, rows, pins)
    return _describe_opened(engine, await chats.open(request.conversation))


def _describe_partly_opened(
    engine: Engine, partial: PartialSession, rows: tuple[MessageRow, ...], pins: tuple[MessageRow, ...]
) -> p.ConversationOpened:
    queue, conversation = engine.conversations.turns.queue, partial.info.id
    engine.conversations.sessions.cache.note_shown(conversation)
    waiting = queue.show(conversation)
    return p.ConversationOpened(
        conversation=partial.info,
        model=partial.model_info,
        rows=rows,
        total=partial.total,
        operations=partial.operations(),
        gauge=None,
        pins=pins,
        other_versions=partial.other_versions(),
        draft=queue.draft(conversation),
        edits=queue.edits(conversation),
        queue=waiting.queue,
        is_paused=waiting.is_paused,
        is_folder_missing=_is_folder_missing(partial.info),
    )


async def _describe_changed(engine: Engine, session: Session) -> p.ConversationOpened:
    """Return the conversation after a change, reopened if an import has closed it in the meantime.

    The change is stored, so that an import is no reason to fail. Raises WorldError if the conversation was deleted in
    the meantime.
    """
    if session.closed_by is GROWN:
        session = await engine.conversations.open(session.id)
    return _describe_opened(engine, session)


def _describe_opened(engine: Engine, session: Session) -> p.ConversationOpened:
    """Return the current state of the conversation.

    Raises WorldError if the session was closed in the meantime, since its state may be outdated.
    """
    session.refuse_if(session.closed_by is not None)
    engine.conversations.sessions.cache.note_shown(session.id)
    queue = engine.conversations.turns.queue
    waiting = queue.show(session.id)
    return p.ConversationOpened(
        conversation=session.info,
        model=session.model.info,
        rows=session.page(session.total, p.PAGE),
        total=session.total,
        operations=session.operations(),
        gauge=session.counter.gauge(),
        pins=session.pins(),
        totals=session.totals(),
        is_running=engine.conversations.turns.is_running(session.id),
        questions=engine.services.tool_runtime.questions.of(session.id),
        other_versions=session.other_versions(),
        draft=queue.draft(session.id),
        edits=queue.edits(session.id),
        queue=waiting.queue,
        is_paused=waiting.is_paused,
        is_folder_missing=_is_folder_missing(session.info),
    )


def _is_folder_missing(info: ConversationInfo) -> bool:
    return info.folder not in ("", NO_FOLDER) and not Path(info.folder).is_dir()


@responds(p.ListProjects)
async def _list_projects(engine: Engine, request: p.ListProjects) -> p.ProjectsListed:
    return await _projects_of(engine)


@responds(p.SaveProject)
async def _save_project(engine: Engine, request: p.SaveProject) -> p.ProjectsListed:
    return await _projects_of(engine, (await save_project(engine.conversations, request.project)).id)


@responds(p.DeleteProject)
async def _delete_project(engine: Engine, request: p.DeleteProject) -> p.ProjectsListed:
    await delete_project(engine.conversations, request.project_id)
    return await _projects_of(engine, request.project_id)


@responds(p.RestoreProject)
async def _restore_project(engine: Engine, request: p.RestoreProject) -> p.ProjectsListed:
    await restore_project(engine.conversations, request.project_id)
    return await _projects_of(engine, request.project_id)


async def _projects_of(engine: Engine, changed: str = "") -> p.ProjectsListed:
    return p.ProjectsListed(await engine.conversations.archive.projects(), changed)


@responds(p.MoveConversations)
async def _move_conversations(engine: Engine, request: p.MoveConversations) -> p.ConversationsListed:
    await move_conversations(engine.conversations, request.conversations, request.project)
    return await list_conversations(engine)


@responds(p.CountInstructions)
async def _count_instructions(engine: Engine, request: p.CountInstructions) -> p.InstructionsCounted:
    chats = engine.conversations
    counted = model_or_stand_in(chats.models, request.model or chats.settings.chat_model)
    counts = TokenCounts(counted.tokenizer, counted.info.dialect)
    return p.InstructionsCounted(await asyncio.to_thread(_count, request.text, counts))


def _count(text: str, counts: TokenCounts) -> int:
    """Return the number of tokens that instructions add to a request with a system prompt."""
    contexts = (RequestContext(system_prompt=".", instructions=each) for each in ("", text.strip()))
    without, with_text = (request_tokens(view_of(Transcript().append(context)), counts) for context in contexts)
    return with_text - without


@responds(p.ChangeSetup)
async def _change_setup(engine: Engine, request: p.ChangeSetup) -> p.ConversationOpened:
    session = await engine.conversations.open(request.conversation)
    try:
        session = await _change(engine, request, session)
    except WorldError:  # the changes before the failed one are stored
        await engine.publish(session, [ModelChanged(session.id, session.model.info), session.gauge_changed()])
        raise
    return await _describe_changed(engine, session)


async def _change(engine: Engine, request: p.ChangeSetup, session: Session) -> Session:
    chats, conversation = engine.conversations, request.conversation
    if request.folder is not None:
        session = await chats.choose_folder(conversation, request.folder)
    if request.policy is not None:
        session = await chats.choose_policy(conversation, request.policy)
    if request.model is not None and request.model != session.info.model:
        session = await chats.choose_model(conversation, request.model)
    return await change_setup(chats, conversation, request.setup)


@responds(p.ReadSetup)
async def _read_setup(engine: Engine, request: p.ReadSetup) -> p.SetupRead:
    session = await engine.conversations.open(request.conversation)
    supported: tuple[OptionName, ...] = ()
    with suppress(ModelError):  # its server may have been removed from the settings
        supported = await engine.services.catalogue.supported_options(session.info.model)
    off = engine.services.settings.tools_off
    specs = await engine.services.tools.all_specs(engine.services.tool_runtime.context_of(session))
    tools = tuple(spec.name for spec in specs if spec.name not in off)
    imported = next((each for each in reversed(session.transcript.entries) if isinstance(each, Imported)), None)
    return p.SetupRead(session.setup, system_prompt_of(session), supported, tools, imported)
