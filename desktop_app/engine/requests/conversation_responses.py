"""Respond to requests about conversations, their settings, and projects."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import assert_never

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
from desktop_app.chat.ports import Changes, ModelError, WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import model_or_stand_in
from desktop_app.chat.titles import with_status
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.events import MessageRow, ModelChanged
from desktop_app.conversation.listing import NO_FILTERS, ConversationInfo
from desktop_app.conversation.setup import NO_FOLDER, OptionName
from desktop_app.conversation.transcript import Imported, RequestContext, Transcript
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.tools.graphics_drawer import draw_graphics


async def respond_conversation(engine: Engine, request: p.ConversationsRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats = engine.conversations
    match request:
        case p.ListConversations() | p.Rename() | p.Delete() | p.Restore() | p.Arrange():
            return request.respond_with(await _change_list(engine, request))
        case p.ListDeleted():
            return request.respond_with(p.ConversationsListed(await chats.archive.list_deleted()))
        case p.OpenConversation():
            await engine.show(request.conversation)
            return request.respond_with(await _open_at_once(engine, request))
        case p.ReadMessages(conversation, before, limit, around):
            partial = chats.openings.partial_session(conversation)
            rows = await partial.page(before, limit, around) if partial is not None else None
            if partial is not None and rows is not None:
                return request.respond_with(p.MessagesRead(rows, partial.total))
            session = await chats.open(conversation)
            return request.respond_with(p.MessagesRead(session.page(before, limit, around), session.total))
        case p.ReadVersions():
            versions, total = await read_versions(await chats.open(request.conversation))
            return request.respond_with(p.VersionsRead(versions, total))
        case p.SearchMessages():
            return request.respond_with(await _search(engine, request))
        case p.ListSearchValues():
            return request.respond_with(p.SearchValuesListed(await chats.archive.search_values()))
        case p.FindText():
            session = await chats.open(request.conversation)
            ids, found = await find_in(session, request.text)
            indexes, places = tuple(each.number for each in found), tuple(each.places for each in found)
            return request.respond_with(p.TextFound(ids, indexes, places, is_all=len(ids) < MAX_FOUND))
        case p.PreviewModel(conversation, model):
            session = await chats.open(conversation)
            draft = chats.turns.queue.draft(conversation)
            work = preview_model(session, chats.services, chats.models, model, draft)
            preview = await engine.compute(p.Computation.PREVIEW, conversation, work)
            return request.respond_with(p.ModelPreviewed(preview))
        case p.ExportConversation():
            session = await chats.open(request.conversation)
            part = ExportedPart(request.scope, request.first, request.last)
            work = export_conversation(
                session, Path(request.path), request.is_replacing, request.format, draw_graphics, part
            )
            size = await engine.compute(p.Computation.EXPORT, session.id, work)
            return request.respond_with(p.ConversationExported(request.path, size))
        case _:
            session = await _open(engine, request)
            await engine.show(session.id)
            return request.respond_with(await describe_changed(engine, session))


async def _search(engine: Engine, request: p.SearchMessages) -> p.MessagesFound:
    """Cancel a running search, and search for this request instead."""
    archive = engine.conversations.archive
    work = archive.search(request.query, request.conversation, request.limit, request.filters)
    found = await engine.compute(p.Computation.SEARCH, "", work)
    is_filtered = request.filters != NO_FILTERS
    return p.MessagesFound(found, not (is_filtered and await archive.entries_without_facets()))


async def _open(engine: Engine, request: p.OpeningRequest) -> Session:
    """Return the session of the conversation that the window shows next."""
    chats = engine.conversations
    match request:
        case p.CreateConversation():
            return await chats.create(request.title, persona=request.persona, project=request.project)
        case p.OpenConversation():
            return await chats.open(request.conversation)
        case p.ChooseModel():
            return await chats.choose_model(request.conversation, request.model)
        case p.ChooseFolder():
            return await chats.choose_folder(request.conversation, request.folder)
        case p.StartFresh():
            session = await chats.open(request.conversation)
            with engine.plan_in_use(request.plan, is_fresh=True) as plan:
                return await start_fresh(chats, session, await check_summary(plan, request.summary))
        case p.ShowVersion():
            return await show_version(chats, await chats.open(request.conversation), request.message_id)
        case p.Fork():
            return await fork(chats, await chats.open(request.conversation), request.message_id)
        case _:
            assert_never(request)


async def _change_list(
    engine: Engine, request: p.ListConversations | p.Rename | p.Delete | p.Restore | p.Arrange
) -> p.ConversationsListed:
    chats = engine.conversations
    match request:
        case p.Rename():
            await chats.rename(request.conversation, request.title)
        case p.Delete():
            for conversation in request.conversations:
                await engine.leave(conversation)
                await chats.delete(conversation)
        case p.Restore():
            for conversation in request.conversations:
                await chats.restore(conversation)
        case p.Arrange():
            await chats.arrange(request.conversations, **_changes_of(request))
        case p.ListConversations():
            pass
    return await list_conversations(engine)


async def list_conversations(engine: Engine) -> p.ConversationsListed:
    """Return the current list."""
    archive = engine.conversations.archive
    projects = await archive.projects()
    listed = with_status(await archive.conversations(), projects, engine.conversations.policy_named)
    return p.ConversationsListed(listed, projects)


def _changes_of(request: p.Arrange) -> Changes:
    """Return the fields that the request changes in each conversation."""
    changes = Changes()
    if request.is_pinned is not None:
        changes["is_pinned"] = request.is_pinned
    if request.is_put_away is not None:
        changes["is_put_away"] = request.is_put_away
    return changes


async def _open_at_once(engine: Engine, request: p.OpenConversation) -> p.ConversationOpened:
    """Return the newest messages as soon as they can be read; a long conversation is then opened in the background."""
    chats = engine.conversations
    partial = await chats.open_partially(request.conversation)
    if partial is not None:
        rows, pins = await partial.page(partial.total, p.PAGE), await partial.pins()
        if rows is not None and pins is not None:
            return _describe_partly_opened(engine, partial, rows, pins)
    return describe_opened(engine, await chats.open(request.conversation))


def _describe_partly_opened(
    engine: Engine, partial: PartialSession, rows: tuple[MessageRow, ...], pins: tuple[MessageRow, ...]
) -> p.ConversationOpened:
    queue, conversation = engine.conversations.turns.queue, partial.info.id
    engine.conversations.note_shown(conversation)
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


async def describe_changed(engine: Engine, session: Session) -> p.ConversationOpened:
    """Return the conversation after a change, reopened if an import has closed it in the meantime.

    The change is stored, so an import is no reason to refuse the request. Raises WorldError if the conversation was
    deleted in the meantime.
    """
    if session.closed_by is GROWN:
        session = await engine.conversations.open(session.id)
    return describe_opened(engine, session)


def describe_opened(engine: Engine, session: Session) -> p.ConversationOpened:
    """Return the current state of the conversation.

    Raises WorldError if the session was closed in the meantime, since its state may be outdated.
    """
    session.refuse_if(session.closed_by is not None)
    engine.conversations.note_shown(session.id)
    queue = engine.conversations.turns.queue
    waiting = queue.show(session.id)
    return p.ConversationOpened(
        conversation=session.info,
        model=session.model_info,
        rows=session.page(session.total, p.PAGE),
        total=session.total,
        operations=session.operations(),
        gauge=session.gauge(),
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


async def respond_project(engine: Engine, request: p.ProjectRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats = engine.conversations
    match request:
        case p.ListProjects():
            return request.respond_with(await _list(engine))
        case p.SaveProject(project):
            return request.respond_with(await _list(engine, (await save_project(chats, project)).id))
        case p.DeleteProject(project_id):
            await delete_project(chats, project_id)
            return request.respond_with(await _list(engine, project_id))
        case p.RestoreProject(project_id):
            await restore_project(chats, project_id)
            return request.respond_with(await _list(engine, project_id))
        case p.MoveConversations(conversations, project_id):
            await move_conversations(chats, conversations, project_id)
            return request.respond_with(await list_conversations(engine))
        case p.CountInstructions(text, model):
            counted = model_or_stand_in(chats.models, model or chats.settings.chat_model)
            tokens = await asyncio.to_thread(_count, text, TokenCounts(counted.tokenizer, counted.info.dialect))
            return request.respond_with(p.InstructionsCounted(tokens))
        case _:
            assert_never(request)


def _count(text: str, counts: TokenCounts) -> int:
    """Return the number of tokens that instructions add to a request with a system prompt."""
    contexts = (RequestContext(system_prompt=".", instructions=each) for each in ("", text.strip()))
    without, with_text = (request_tokens(view_of(Transcript().append(context)), counts) for context in contexts)
    return with_text - without


async def _list(engine: Engine, changed: str = "") -> p.ProjectsListed:
    return p.ProjectsListed(await engine.conversations.archive.projects(), changed)


async def respond_setup(engine: Engine, request: p.SetupRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    chats = engine.conversations
    match request:
        case p.ReadSetup(conversation):
            return request.respond_with(await _read(engine, await chats.open(conversation)))
        case p.ChangeSetup(conversation):
            session = await chats.open(conversation)
            try:
                session = await _change(engine, request, session)
            except WorldError:  # the changes before it are stored
                await engine.publish(session, [ModelChanged(session.id, session.model_info), session.gauge_changed()])
                raise
            return request.respond_with(await describe_changed(engine, session))
        case _:
            assert_never(request)


async def _change(engine: Engine, request: p.ChangeSetup, session: Session) -> Session:
    chats, conversation = engine.conversations, request.conversation
    if request.folder is not None:
        session = await chats.choose_folder(conversation, request.folder)
    if request.policy is not None:
        session = await chats.choose_policy(conversation, request.policy)
    if request.model is not None and request.model != session.info.model:
        session = await chats.choose_model(conversation, request.model)
    return await change_setup(chats, conversation, request.setup)


async def _read(engine: Engine, session: Session) -> p.SetupRead:
    supported: tuple[OptionName, ...] = ()
    with suppress(ModelError):  # its server may have been removed from the settings
        supported = await engine.services.catalogue.supported_options(session.info.model)
    off = engine.services.settings.tools_off
    specs = await engine.services.tools.all_specs(engine.services.tool_runtime.context_of(session))
    tools = tuple(spec.name for spec in specs if spec.name not in off)
    imported = next((each for each in reversed(session.transcript.entries) if isinstance(each, Imported)), None)
    return p.SetupRead(session.setup, system_prompt_of(session), supported, tools, imported)
