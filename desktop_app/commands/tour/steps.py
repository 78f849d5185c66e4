"""The tour's steps, each one what a new user might do, in this order."""

from __future__ import annotations

import os
import signal
import time

from desktop_app.conversation.events import MessageState
from desktop_app.ui.driver import NotSeen
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.search.search_palette import SearchPalette

from . import tool_steps
from .visit import PATIENCE, Step, Visit

QUESTION = "In two sentences: what is a palimpsest?"
LONG_TASK = "Write a long story about a lighthouse, with many chapters."


async def first_start(visit: Visit) -> None:
    """The window is there before the engine; then the engine is ready."""
    await visit.driver.until(lambda: visit.window.chat.conversation, 30, "an open conversation")


async def first_message(visit: Visit) -> None:
    """A question, typed and sent; the first words of the answer."""
    await visit.say(QUESTION)
    sent = time.monotonic()
    await visit.driver.until(lambda: visit.model.streaming_text, 60, "the first words of the reply")
    visit.figures["first_token_seconds"] = round(time.monotonic() - sent, 2)


async def first_reply(visit: Visit) -> None:
    """The answer, whole; the gauge is measured now."""
    await visit.turn_is_over(120)
    if visit.gauge is None or visit.gauge.provenance != "measured":
        raise NotSeen("a measured gauge")


async def draft_is_counted(visit: Visit) -> None:
    """The draft's tokens are shown while it is typed."""
    visit.window.composer.take_focus()
    await visit.driver.type("And which famous one can be read again today?")
    await visit.driver.until(lambda: visit.window.composer.draft_tokens > 5, 10, "the draft's tokens")


async def stop_a_reply(visit: Visit) -> None:
    """A long reply is stopped; what had arrived stays, marked as interrupted."""
    visit.window.composer.clear()
    await visit.say(LONG_TASK)
    await visit.driver.until(lambda: len(visit.model.streaming_text) > 80, 60, "some text of the reply")
    await visit.driver.escape()
    await visit.turn_is_over(20)
    if not visit.model.rows[-1].message.is_interrupted:
        raise NotSeen("the interrupted mark")


async def regenerate_it(visit: Visit) -> None:
    """The same question is answered again; the earlier answer stays, off the view."""
    visit.window.chat.regenerate()
    await visit.driver.until(lambda: visit.model.streaming_text, 60, "another reply")
    await visit.driver.escape()
    await visit.turn_is_over(60)
    if not any(row.state is MessageState.ABANDONED for row in visit.model.rows):
        raise NotSeen("the earlier answer")


async def import_a_conversation(visit: Visit) -> None:
    """A long interview fills the small window to nearly 80 %."""
    await visit.opened_sample("interview.jsonl")
    await visit.driver.until(lambda: visit.gauge and visit.gauge.share > 0.7, 10, "a gauge above 70 %")


async def see_the_breakdown(visit: Visit) -> None:
    """What fills the context window, segment by segment."""
    await visit.driver.click(visit.window.gauge.bar)


async def see_the_plan(visit: Visit) -> None:
    """Optimize conversation: what would go, what would stay, and the summary."""
    await visit.driver.click(visit.window.gauge.optimize)
    await visit.driver.sheet(PlanDialog, 30, "the plan")


async def see_the_plan_in_the_dark(visit: Visit) -> None:
    """The same in the dark theme."""
    await visit.driver.show_theme("dark")


async def optimize_it(visit: Visit) -> None:
    """The plan is applied."""
    await visit.driver.show_theme("light")
    before = visit.gauge.total if visit.gauge else 0
    plan = await visit.driver.sheet(PlanDialog, 30, "the plan")
    await visit.view_changes(lambda: visit.driver.click(plan.apply), 20, "the optimized view")
    await visit.driver.until(lambda: visit.gauge and visit.gauge.total < before, 5, "a lower gauge")
    await visit.driver.gone(PlanDialog)


async def see_the_mark_in_the_chat(visit: Visit) -> None:
    """Where the view was compacted: archived messages above it, still readable, dimmed."""
    operation = next(row for row in reversed(visit.model.operations) if row.kind == "compaction")
    if not visit.window.chat_pane.transcript.show_message(operation.after_message_id):
        raise NotSeen("the last archived message")


async def browse_the_archived_messages(visit: Visit) -> None:
    """The history panel opens the operation's messages, and one of them is read."""
    panel = visit.window.panel
    operation = next(row for row in reversed(visit.model.operations) if row.kind == "compaction")
    visit.window.context.show_operation(operation.id)
    archived = panel.history.archived
    await visit.driver.until(lambda: archived.list.rows.rowCount() > 3, 10, "the archived messages")
    await visit.driver.click(archived.list.viewport(), (60, 30))
    await visit.driver.until(lambda: archived.reader.body.toPlainText(), 5, "an archived message, whole")


async def bring_one_back(visit: Visit) -> None:
    """One archived message is put into the view again."""
    reader = visit.window.panel.history.archived.reader
    await visit.view_changes(lambda: visit.driver.click(reader.bring_back), 10, "the message in the view")


async def pin_it(visit: Visit) -> None:
    """And pinned: it stays in every view."""
    reader = visit.window.panel.history.archived.reader
    await visit.view_changes(lambda: visit.driver.click(reader.pin), 10, "the pin")
    visit.window.panel.show_tab("pins")


async def undo_it(visit: Visit) -> None:
    """The whole operation is undone; the gauge is where it was."""
    operation = next(row for row in reversed(visit.model.operations) if row.kind == "compaction")
    visit.window.panel.show_tab("history")

    async def undo() -> None:
        visit.window.context.undo(operation.id)

    await visit.view_changes(undo, 10, "the view as it was")
    await visit.driver.until(lambda: visit.gauge and visit.gauge.share > 0.7, 5, "the gauge as it was")


async def go_on_until_room_is_made(visit: Visit) -> None:
    """The next turn passes 75 %: room is made in the background, without the user's word."""
    before = visit.changes
    await visit.say("Which of these memories moved you most? One sentence.")
    await visit.turn_is_over(PATIENCE)
    await visit.driver.until(lambda: visit.changes > before, 60, "the background compaction")
    await visit.driver.until(lambda: visit.gauge and visit.gauge.share < 0.7, 10, "a lower gauge")


async def search_everything(visit: Visit) -> None:
    """Search finds what was archived."""
    await visit.driver.click(visit.window.sidebar.search)
    await visit.driver.sheet(SearchPalette, 10, "the search")
    await visit.driver.type("harbour")
    await visit.driver.until(lambda: visit.window.listing.results_shown > 0, 10, "results")


async def find_it_in_the_chat(visit: Visit) -> None:
    """Enter goes to the message."""
    await visit.driver.enter()
    await visit.driver.gone(SearchPalette)


async def survive_a_crash(visit: Visit) -> None:
    """The engine is killed; it is started again, and nothing is lost."""
    rows = len(visit.model.rows)
    pid = visit.driver.bridge.engine_pid
    os.kill(pid, signal.SIGKILL)
    await visit.driver.until(lambda: visit.driver.bridge.engine_pid not in (0, pid), 20, "a new engine")
    await visit.driver.until(lambda: len(visit.model.rows) == rows, 20, "the conversation as it was")


async def a_long_agent_session(visit: Visit) -> None:
    """A session with tools, far beyond the small window."""
    await visit.opened_sample("migration.jsonl")
    await visit.driver.until(lambda: visit.gauge and visit.gauge.status == "exceeded", 10, "an exceeded gauge")


async def optimize_the_long_session(visit: Visit) -> None:
    """One click brings it into the window."""
    await visit.driver.click(visit.window.gauge.optimize)
    plan = await visit.driver.sheet(PlanDialog, 30, "the plan")
    await visit.view_changes(lambda: visit.driver.click(plan.apply), 30, "the optimized view")
    await visit.driver.until(lambda: visit.gauge and visit.gauge.share < 0.75, 10, "a gauge in the green")


async def the_window_in_the_dark(visit: Visit) -> None:
    """The whole window in the dark theme."""
    await visit.driver.show_theme("dark")


STEPS: tuple[Step, ...] = (
    first_start,
    first_message,
    first_reply,
    draft_is_counted,
    stop_a_reply,
    regenerate_it,
    tool_steps.see_the_tools,
    tool_steps.switch_one_off,
    tool_steps.see_the_servers,
    tool_steps.add_a_server,
    tool_steps.see_what_tools_may_do,
    tool_steps.remember_something,
    tool_steps.say_too_much,
    import_a_conversation,
    see_the_breakdown,
    see_the_plan,
    see_the_plan_in_the_dark,
    optimize_it,
    see_the_mark_in_the_chat,
    browse_the_archived_messages,
    bring_one_back,
    pin_it,
    tool_steps.see_the_memory_sent,
    undo_it,
    go_on_until_room_is_made,
    search_everything,
    find_it_in_the_chat,
    survive_a_crash,
    a_long_agent_session,
    tool_steps.open_a_tool_card,
    optimize_the_long_session,
    the_window_in_the_dark,
)
