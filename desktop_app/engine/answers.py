"""A wish of the window, and what the engine does about it: one function a wish, each a single call of a verb."""

from __future__ import annotations

import asyncio
from typing import assert_never

from desktop_app.chat import operations
from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.exporting import export_file
from desktop_app.chat.fresh import start_fresh
from desktop_app.chat.importing import import_file
from desktop_app.chat.memory.memory_flusher import redo_flush, undo_flush
from desktop_app.chat.session import Session
from desktop_app.context.counting.totals import totals_of
from desktop_app.context.view.items import describe_repairs
from desktop_app.context.view.view import count_repairs
from desktop_app.conversation.events import TurnEvent
from desktop_app.conversation.transcript import Flush

from . import protocol as p
from .engine import Engine
from .plan import plan_shown
from .planning import plan_applied, plan_wanted, summary_by_model
from .tool_answers import memories_read, spill_read, tools_of, write_memory


async def answer(engine: Engine, wish: p.AnyWish) -> p.AnyThing:
    """What the wish is answered with. Raises WorldError for errors of the world."""
    chats = engine.conversations
    match wish:
        case p.Hello():
            return p.Welcome(p.VERSION, engine.joined.warnings)
        case p.ListConversations():
            return p.Conversations(await chats.infos())
        case p.CreateConversation(title):
            return await opened(engine, await chats.create(title))
        case p.OpenConversation(conversation):
            return await opened(engine, await chats.open(conversation))
        case p.ChooseModel(conversation, model):
            return await opened(engine, await chats.choose_model(conversation, model))
        case p.Send(conversation, text, attachments):
            await chats.turns.send(await chats.open(conversation), text, attachments)
        case p.Research(conversation, question):
            await chats.turns.research(await chats.open(conversation), question)
        case p.Stop(conversation):
            await chats.turns.stop(conversation)
        case p.StopTool(conversation, reply_id, place):
            engine.joined.bench.stop(conversation, reply_id, place)
        case p.Regenerate(conversation):
            await chats.turns.regenerate(await chats.open(conversation))
        case p.GoOn(conversation):
            await chats.turns.go_on(await chats.open(conversation))
        case p.OptimizeAndRetry(conversation):
            await chats.turns.go_on(await chats.open(conversation), makes_room=True)
        case p.SendAnyway(conversation):
            await chats.turns.go_on(await chats.open(conversation), is_forced=True)
        case p.ChooseFolder(conversation, folder):
            return await opened(engine, await chats.choose_folder(conversation, folder))
        case p.AnswerQuestion(_, question, answer):
            engine.joined.bench.questions.answer(question, answer)
        case p.StartFresh(conversation):
            return await opened(engine, await start_fresh(chats, await chats.open(conversation)))
        case p.ReadSpill():
            return await spill_read(engine, wish)
        case p.ListMemories(conversation):
            return await memories_read(engine, conversation)
        case p.WriteMemory(memory, conversation):
            return await write_memory(engine, memory, conversation)
        case p.Rename(conversation, title):
            await chats.rename(conversation, title)
            return p.Conversations(await chats.infos())
        case p.Delete(conversation):
            await engine.writings.cancel(conversation)
            await chats.delete(conversation)
            return p.Conversations(await chats.infos())
        case p.Restore(conversation):
            await chats.restore(conversation)
            return p.Conversations(await chats.infos())
        case p.ListModels():
            engine.ask_silent_servers()
            return p.Models(chats.model_infos())
        case p.Search(query, conversation, limit):
            return p.Found(await chats.search(query, conversation, limit))
        case p.ImportFile(path):
            session = await import_file(chats, path)
            return p.Imported((session.info,), describe_repairs(count_repairs(session.view)))
        case p.Discover():
            return p.Discovered(await engine.joined.servers_found())
        case p.ProposeModels(kind):
            return p.Proposed(engine.joined.catalogue.proposals(kind))
        case p.ReadSettings():
            return await engine.settings_read()
        case p.WriteSettings(settings, keys):
            return await engine.write_settings(settings, keys)
        case p.CancelSummary(conversation):
            await engine.writings.cancel(conversation)
        case p.StopRoom(conversation):
            await chats.turns.stop_room(conversation)
        case p.Shutdown():
            engine.request_shutdown()
        case _:
            return await _about_one_conversation(engine, wish, await chats.open(wish.conversation))
    return p.Done()


async def _about_one_conversation(engine: Engine, wish: p.ConversationWish, session: Session) -> p.AnyThing:
    match wish:
        case p.ReadMessages(_, before, limit):
            return p.Messages(session.page(before, limit), session.total)
        case p.ReadOperation(_, operation, query, offset, limit):
            rows = operations.touched_by(session, operation, query)
            return p.Messages(rows[offset : offset + limit], len(rows))
        case p.UseOwnWindow():
            session.use_own_window()
            await _publish(engine, session, [session.gauge_changed()])
        case p.ListTools():
            return await tools_of(engine, session)
        case p.ExportConversation(_, path, kind):
            return p.Exported(path, await export_file(session, path, kind))
        case p.CountDraft(_, text):
            if text:
                engine.conversations.turns.expect(session)
            overhead = session.counts.tokenizer.overhead.message if text else 0
            tokens = await asyncio.to_thread(session.counts.text, text)  # it may be a pasted book
            return p.DraftCounted(session.estimated(tokens + overhead))
        case p.PlanOptimize(_, tail_tokens, strategy):
            return await _planned(engine, session, await plan_wanted(engine, session, tail_tokens, strategy))
        case p.WriteSummary(_, plan, instructions):
            return await _planned(engine, session, await summary_by_model(engine, session, plan, instructions))
        case p.CheckSummary(_, plan, summary):
            return await _planned(engine, session, await operations.summary_checked(engine.plan(plan), summary))
        case p.ApplyPlan(_, plan, summary):
            await _publish(engine, session, await plan_applied(engine, session, plan, summary))
        case p.UndoOperation(_, operation) if _is_flush(session, operation):
            await _publish(engine, session, await undo_flush(session, engine.joined.archive, operation))
        case p.UndoOperation(_, operation):
            await _publish(engine, session, await operations.undone(session, operation))
        case p.RedoOperation(_, operation) if _is_flush(session, operation):
            await _publish(engine, session, await redo_flush(session, engine.joined.archive, operation))
        case p.RedoOperation(_, operation):
            await _publish(engine, session, await operations.redone(session, operation))
        case p.BringBackMessages(_, messages):
            await _publish(engine, session, await operations.brought_back(session, messages))
        case p.PinMessage(_, message):
            await _publish(engine, session, await operations.pinned(session, message))
        case p.UnpinMessage(_, message):
            await _publish(engine, session, await operations.unpinned(session, message))
        case _:
            assert_never(wish)  # a request that nobody carries out is a mistake of ours, and never "done"
    return p.Done()


def _is_flush(session: Session, operation: str) -> bool:
    return isinstance(session.transcript.entry(operation), Flush)


async def _planned(engine: Engine, session: Session, optimization: Optimization) -> p.Plan:
    engine.keep_plan(optimization)
    offer = await engine.conversations.scribe.offer(session, optimization)
    return plan_shown(optimization, session, offer)


async def _publish(engine: Engine, session: Session, events: list[TurnEvent]) -> None:
    for event in events:
        engine.outbox.publish(event)
    await engine.conversations.turns.note(session)


async def opened(engine: Engine, session: Session) -> p.Opened:
    """A conversation as it stands, with its newest page."""
    return p.Opened(
        conversation=session.info,
        model=session.model_info,
        rows=session.page(session.total, p.PAGE),
        total=session.total,
        operations=session.operations(),
        gauge=session.gauge(),
        pins=session.pins(),
        totals=totals_of(session.transcript),
        is_running=engine.conversations.turns.is_running(session.id),
        questions=engine.joined.bench.questions.of(session.id),
    )
