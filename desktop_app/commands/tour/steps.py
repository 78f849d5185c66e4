"""The steps of the tour: what a new user might do."""

from __future__ import annotations

import os
import signal
import time

from desktop_app.engine.protocol import UndoOperation
from desktop_app.ui.driver import NotSeen
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.search.search_palette import SearchPalette
from desktop_app.ui.transcript.display_list import Action

from . import (
    data_steps,
    figure_steps,
    import_steps,
    list_steps,
    reply_steps,
    request_steps,
    server_steps,
    setup_steps,
    tool_steps,
)
from .session import PATIENCE, SAMPLES, Step, TourSession

QUESTION = "In two sentences: what is a palimpsest?"
LONG_TASK = "Write a long story about a lighthouse, with many chapters."


async def first_start(tour: TourSession) -> None:
    """Show the window before the engine is ready."""
    await tour.driver.until(lambda: tour.window.chat.conversation, 30, "an open conversation")


async def first_message(tour: TourSession) -> None:
    """Type a question and send it; the first words of the answer arrive."""
    await tour.say(QUESTION)
    sent = time.monotonic()
    await tour.driver.until(lambda: tour.model.streaming_text, 60, "the first words of the reply")
    tour.figures["first_token_seconds"] = round(time.monotonic() - sent, 2)


async def first_reply(tour: TourSession) -> None:
    """Wait for the whole answer, and for a measured gauge."""
    await tour.turn_is_over(120)
    if tour.gauge is None or tour.gauge.provenance != "measured":
        raise NotSeen("a measured gauge")


async def draft_is_counted(tour: TourSession) -> None:
    """Type a draft; its tokens are shown meanwhile."""
    tour.window.composer.take_focus()
    await tour.driver.type("And which famous one can be read again today?")
    await tour.driver.until(lambda: tour.window.composer.draft_tokens > 5, 10, "the draft's tokens")


async def attach_a_picture_and_a_file(tour: TourSession) -> None:
    """Attach a picture as from the clipboard, and a file; their tokens are shown before anything is sent."""
    composer = tour.window.composer
    tour.window.attach.attach_image(tour.window.grab().toImage())
    tour.window.attach.attach_files([str(SAMPLES / "README.md")])
    await tour.driver.until(lambda: len(composer.attachments.attachments) == 2, 30, "two attachments")
    await tour.driver.until(lambda: composer.draft_tokens > 100, 10, "their tokens")


async def stop_a_reply(tour: TourSession) -> None:
    """Stop a long reply; its text stays, marked as interrupted."""
    tour.window.composer.clear()
    await tour.say(LONG_TASK)
    await tour.driver.until(lambda: len(tour.model.streaming_text) > 80, 60, "some text of the reply")
    await tour.driver.escape()
    await tour.turn_is_over(20)
    if not tour.model.rows[-1].message.is_interrupted:
        raise NotSeen("the interrupted mark")


async def regenerate_it(tour: TourSession) -> None:
    """Ask for another answer; the earlier one stays, as another version."""
    tour.window.chat.regenerate()
    await tour.driver.until(lambda: tour.model.streaming_text, 60, "another reply")
    await tour.driver.escape()
    await tour.turn_is_over(60)
    if len(tour.model.rows[-1].versions) != 2:
        raise NotSeen("the earlier answer")


async def edit_the_first_message(tour: TourSession) -> None:
    """Edit the first question in its place and send it again; go back to what was said before."""
    transcript, first = tour.window.transcript, tour.model.rows[1].message.id
    tour.window.recovery.edit_message(first)
    await tour.driver.type(" And where does the word come from?")
    await tour.driver.enter()
    await tour.driver.until(lambda: tour.model.streaming_text, 60, "an answer to the edited message")
    await tour.driver.escape()
    await tour.turn_is_over(60)
    edited = tour.model.rows[1]
    if first not in edited.versions or transcript.editor.isVisible():
        raise NotSeen("two versions of the first message")
    transcript.perform(Action.EARLIER, first)
    await tour.driver.until(lambda: tour.model.row_of(first) >= 0, 10, "the version that was sent first")


async def import_a_conversation(tour: TourSession) -> None:
    """Import a long interview, which fills the small window to nearly 80 %."""
    await tour.import_sample("interview.jsonl")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.share > 0.7, 10, "a gauge above 70 %")


async def see_the_breakdown(tour: TourSession) -> None:
    """Show what fills the context window."""
    await tour.driver.click(tour.window.gauge.bar)


async def see_the_plan(tour: TourSession) -> None:
    """Show what would be archived, what stays, and the summary."""
    await tour.driver.click(tour.window.gauge.optimize)
    await tour.driver.sheet(PlanDialog, 30, "the plan")


async def see_the_plan_in_the_dark(tour: TourSession) -> None:
    """Show the plan in the dark theme."""
    await tour.driver.show_theme("dark")


async def optimize_it(tour: TourSession) -> None:
    """Apply the plan."""
    await tour.driver.show_theme("light")
    before = tour.gauge.total if tour.gauge else 0
    plan = await tour.driver.sheet(PlanDialog, 30, "the plan")
    await tour.change_view(lambda: tour.driver.click(plan.apply), 20, "the optimized view")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.total < before, 5, "a lower gauge")
    await tour.driver.wait_until_closed(PlanDialog)


async def see_the_mark_in_the_chat(tour: TourSession) -> None:
    """Scroll to the mark of the compaction; the archived messages above it are dimmed."""
    operation = next(row for row in reversed(tour.model.operations) if row.kind == "compaction")
    if not tour.window.chat_pane.transcript.show_message(operation.after_message_id):
        raise NotSeen("the last archived message")


async def browse_the_archived_messages(tour: TourSession) -> None:
    """List the archived messages in the history panel, and read one of them."""
    panel = tour.window.panel
    operation = next(row for row in reversed(tour.model.operations) if row.kind == "compaction")
    tour.window.recovery.perform(Action.SHOW_OPERATION, operation.id)
    archived = panel.history.archived
    await tour.driver.until(lambda: archived.list.rows.rowCount() > 3, 10, "the archived messages")
    await tour.driver.click(archived.list.viewport(), (60, 30))
    await tour.driver.until(lambda: archived.reader.page.toPlainText(), 5, "an archived message, whole")


async def bring_one_back(tour: TourSession) -> None:
    """Restore an archived message to the view."""
    reader = tour.window.panel.history.archived.reader
    await tour.change_view(lambda: tour.driver.click(reader.bring_back), 10, "the message in the view")


async def pin_it(tour: TourSession) -> None:
    """Pin the message."""
    reader = tour.window.panel.history.archived.reader
    await tour.change_view(lambda: tour.driver.click(reader.pin), 10, "the pin")
    tour.window.panel.show_tab("pins")


async def undo_it(tour: TourSession) -> None:
    """Undo the compaction; the gauge is as before."""
    operation = next(row for row in reversed(tour.model.operations) if row.kind == "compaction")
    tour.window.panel.show_tab("history")

    async def undo() -> None:
        tour.window.context.post(UndoOperation, operation.id)

    await tour.change_view(undo, 10, "the view as it was")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.share > 0.7, 5, "the gauge as it was")


async def go_on_until_room_is_made(tour: TourSession) -> None:
    """Take a turn that passes 75 %; room is made in the background."""
    before = tour.view_changes
    await tour.say("Which of these memories moved you most? One sentence.")
    await tour.driver.until(lambda: tour.model.is_running, 20, "the turn")
    await tour.turn_is_over(PATIENCE)
    await tour.driver.until(lambda: tour.view_changes > before, 60, "the background compaction")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.share < 0.7, 10, "a lower gauge")


async def search_everything(tour: TourSession) -> None:
    """Search for archived messages."""
    await tour.show_sidebar()
    await tour.driver.click(tour.window.sidebar.search)
    palette = await tour.driver.sheet(SearchPalette, 10, "the search")
    await tour.driver.type("harbour")
    await tour.driver.until(lambda: "result" in palette.note.text(), 10, "results")


async def find_it_in_the_chat(tour: TourSession) -> None:
    """Press Enter to go to the message, and walk no further."""
    await tour.driver.enter()
    await tour.driver.until(tour.window.hit_bar.isVisible, 10, "the bar of hits")
    await tour.driver.click(tour.window.hit_bar.close_button)


async def survive_a_crash(tour: TourSession) -> None:
    """Kill the engine; it is started again, and nothing is lost."""
    rows = len(tour.model.rows)
    pid = tour.driver.bridge.engine_pid
    os.kill(pid, signal.SIGKILL)
    await tour.driver.until(lambda: tour.driver.bridge.engine_pid not in (0, pid), 20, "a new engine")
    await tour.driver.until(lambda: len(tour.model.rows) == rows, 20, "the conversation as it was")


async def a_long_agent_session(tour: TourSession) -> None:
    """Import a session with tools, far beyond the small window."""
    await tour.import_sample("migration.jsonl")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.status == "exceeded", 10, "an exceeded gauge")


async def optimize_the_long_session(tour: TourSession) -> None:
    """Make the session fit into the window with one click."""
    await tour.driver.click(tour.window.gauge.optimize)
    plan = await tour.driver.sheet(PlanDialog, 30, "the plan")
    await tour.change_view(lambda: tour.driver.click(plan.apply), 30, "the optimized view")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.share < 0.75, 10, "a gauge in the green")


STEPS: tuple[Step, ...] = (
    first_start,
    first_message,
    first_reply,
    draft_is_counted,
    attach_a_picture_and_a_file,
    stop_a_reply,
    regenerate_it,
    edit_the_first_message,
    tool_steps.see_the_tools,
    tool_steps.switch_one_off,
    tool_steps.see_the_servers,
    tool_steps.add_a_server,
    tool_steps.see_what_tools_may_do,
    tool_steps.remember_something,
    tool_steps.say_too_much,
    tool_steps.see_why_no_room_was_made,
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
    request_steps.see_the_request,
    request_steps.see_what_has_changed,
    request_steps.see_the_chat_again,
    *import_steps.STEPS,
    reply_steps.see_formulas,
    reply_steps.see_a_diagram,
    reply_steps.let_long_lines_be,
    reply_steps.select_over_messages,
    reply_steps.copy_it_as_markdown,
    search_everything,
    find_it_in_the_chat,
    list_steps.see_the_commands,
    *list_steps.PROJECT_STEPS,
    list_steps.see_the_shortcuts,
    list_steps.see_the_export,
    list_steps.filter_the_list,
    list_steps.see_the_list_again,
    survive_a_crash,
    a_long_agent_session,
    tool_steps.open_a_tool_card,
    optimize_the_long_session,
    figure_steps.try_a_policy,
    figure_steps.use_it_here,
    server_steps.see_what_was_found,
    server_steps.see_where_the_gauge_is,
    server_steps.use_what_was_found,
    server_steps.see_what_switching_does,
    server_steps.switch_to_it,
    request_steps.copy_it_as_a_command,
    server_steps.fetch_the_models,
    server_steps.test_the_server,
    data_steps.see_what_is_stored,
    data_steps.see_what_it_is_made_of,
    setup_steps.find_a_setting,
    setup_steps.raise_the_contrast,
    setup_steps.enlarge_the_text,
    setup_steps.leave_it_as_it_was,
    setup_steps.hold_it_otherwise,
    setup_steps.begin_with_the_persona,
    figure_steps.see_the_insights,
    figure_steps.see_them_by_provider,
    setup_steps.the_window_in_the_dark,
)
