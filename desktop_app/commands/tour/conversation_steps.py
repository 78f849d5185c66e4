"""Tour steps in a conversation: replies, tools, memory, failures, and the X-ray of the request.

The built-in model calls no tools and writes no formulas, so these are shown in imported sessions.
"""

from __future__ import annotations

import os
import signal
import time

from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Role
from desktop_app.engine.protocol import UndoOperation
from desktop_app.ui.driver import NotSeen, TranscriptDriver
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.palette.search_palette import SearchPalette
from desktop_app.ui.request_view.request_view import ShownRequest
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem, MessageItem
from desktop_app.ui.widgets.pictures import graphics

from . import import_steps, settings_steps
from .tour_session import PATIENCE, SAMPLES, Step, TourSession

REMEMBERED = "I write for readers who have never seen the sea."


async def see_the_tools(tour: TourSession) -> None:
    """List the tools with their tokens, and the note that this model cannot call any."""
    await tour.driver.click(tour.window.ui.composer.tools)
    sheet = await tour.driver.sheet(ToolsSheet, 20, "the tools")
    if not sheet.warning.isVisible():
        raise NotSeen("that this model cannot call tools")


async def switch_one_off(tour: TourSession) -> None:
    """Switch a tool off; the sum of the tokens goes down."""
    sheet = await tour.driver.sheet(ToolsSheet, 20, "the tools")
    before = sheet.total.text()
    await tour.driver.click(sheet.rows["bash"].switch)
    await tour.driver.until(lambda: sheet.total.text() != before, 10, "another sum")


async def see_the_servers(tour: TourSession) -> None:
    """Look for servers on this machine, in the settings."""
    await tour.driver.click((await tour.driver.sheet(ToolsSheet, 20, "the tools")).close_button)
    await tour.driver.wait_until_closed(ToolsSheet)
    await tour.driver.click(tour.window.ui.sidebar.settings)
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await tour.driver.scroll_to(settings.servers, settings.area)
    await tour.driver.click(settings.servers.find_button)
    await tour.driver.until(lambda: settings.servers.status.text() or settings.servers.found, 10, "what was found")


async def add_a_server(tour: TourSession) -> None:
    """Add the form of a server; nothing is stored until it is saved."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await begin_a_server(tour, settings)
    await tour.driver.scroll_to(settings.servers.forms[-1], settings.area)


async def begin_a_server(tour: TourSession, settings: SettingsDialog) -> None:
    """Choose a provider in the settings, which adds the form of a server."""
    await tour.driver.click(settings.servers.add_server)
    await tour.driver.until(settings.servers.providers.isVisible, 5, "the providers")
    await tour.driver.click(settings.servers.providers.buttons["openai"])
    await tour.driver.until(lambda: settings.servers.forms, 5, "a form")


async def see_what_tools_may_do(tour: TourSession) -> None:
    """Show the permanent rules, and the form of an MCP server."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.side.show_chosen("tools")
    await tour.driver.until(settings.mcp_servers.isVisible, 5, "the section of tools")
    await tour.driver.click(settings.mcp_servers.add_server)
    await tour.driver.until(lambda: settings.mcp_servers.forms, 5, "a form")
    await tour.driver.scroll_to(settings.mcp_servers, settings.area)


async def remember_something(tour: TourSession) -> None:
    """Write a memory by hand."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await tour.driver.leave(SettingsDialog, settings.cancel)
    tour.window.ui.panel.show_tab("memory")
    memories = tour.window.ui.panel.memories
    await tour.driver.click(memories.add)
    await tour.driver.until(lambda: memories.cards and memories.cards[0].editing, 5, "a card to write in")
    await tour.driver.type(REMEMBERED)
    box = memories.cards[0].editing
    await tour.driver.click(box.keep if box else None)
    kept = f"Memory: {REMEMBERED}"
    await tour.driver.until(
        lambda: any(card.accessibleName().startswith(kept) for card in memories.cards), 10, "the memory"
    )


async def see_the_memory_sent(tour: TourSession) -> None:
    """Send the memory with the next question; the breakdown shows its tokens."""
    tour.window.context.open_tab()
    await tour.say("When did the Marit Elise ground at Kvalsand, and who wrote to the paper about it?")
    await tour.driver.until(
        lambda: tour.gauge and tour.gauge.segments.get(Segment.MEMORY), 30, "the memory in the request"
    )
    await tour.driver.escape()  # without waiting for the reply
    await tour.turn_is_over(60)


async def say_too_much(tour: TourSession) -> None:
    """Write a message that is larger than the window; a card says so and offers solutions."""
    before = tour.window.chat.conversation
    await tour.show_sidebar()
    await tour.driver.click(tour.window.ui.sidebar.new)
    await tour.driver.until(lambda: tour.window.chat.conversation != before, 10, "a new conversation")
    await tour.driver.paste("All the tides of a year: " + "high and low, " * 6_000)
    await tour.driver.enter()
    await tour.driver.until(lambda: _last_failure(tour), 60, "a card")


async def see_why_no_room_was_made(tour: TourSession) -> None:
    """Show the history: the card of the failed compaction says why, what was kept, and what can help."""
    await tour.driver.click(tour.window.ui.panel.tabs.button("history"))
    failed = [row.id for row in tour.model.operations if row.kind == "failed"]
    cards = tour.window.ui.panel.history.list.cards
    await tour.driver.until(lambda: failed and failed[-1] in cards and cards[failed[-1]].isVisible(), 10, "its card")


async def open_a_tool_card(tour: TourSession) -> None:
    """Open a tool call's card, with its arguments and its result."""
    item = next(i for i in _messages(tour) if i.call is not None and i.row.message.tool_result is not None)
    transcript = tour.window.ui.chat_pane.transcript
    if not transcript.show_message(item.row.message.id):
        raise NotSeen("the card of a tool")
    transcript.perform(Action.FOLD, item.key)
    await tour.driver.until(lambda: transcript.is_settled, 10, "the open card")


def _messages(tour: TourSession) -> list[MessageItem]:
    items = (tour.model.item(row) for row in range(tour.model.rowCount()))
    return [item for item in items if isinstance(item, MessageItem)]


def _last_failure(tour: TourSession) -> FailureItem | None:
    last = tour.model.item(tour.model.rowCount() - 1) if tour.model.rowCount() else None
    return last if isinstance(last, FailureItem) else None


REPLY_WITH_DIAGRAM = 3
"""Row of the sample."""


async def see_formulas(tour: TourSession) -> None:
    """Import a conversation with formulas and a table, and read it from its beginning."""
    before = graphics.version
    await tour.import_sample("tides.jsonl")
    tour.window.ui.transcript.go_to_start()
    await _transcript(tour).is_drawn(before)


async def see_a_diagram(tour: TourSession) -> None:
    """Scroll to a diagram, with the code below it."""
    tour.window.ui.transcript.show_message(tour.model.rows[REPLY_WITH_DIAGRAM].message.id)
    await _transcript(tour).has_diagram(REPLY_WITH_DIAGRAM)


async def let_long_lines_be(tour: TourSession) -> None:
    """Stop wrapping the long lines of the code."""
    transcript = tour.window.ui.transcript
    before = transcript.layout_of(REPLY_WITH_DIAGRAM).height
    await _transcript(tour).click(REPLY_WITH_DIAGRAM, Action.WRAP_CODE)
    await tour.driver.until(
        lambda: transcript.layout_of(REPLY_WITH_DIAGRAM).height < before, 10, "lines of their own length"
    )


async def select_over_messages(tour: TourSession) -> None:
    """Select text with the mouse, from one message into the next one."""
    transcript = tour.window.ui.transcript
    transcript.follow_end()
    await tour.driver.until(lambda: transcript.is_settled, 10, "the end")
    last = tour.model.rowCount() - 1
    _transcript(tour).mark(last - 1, last)


async def copy_it_as_markdown(tour: TourSession) -> None:
    """Copy the selection as Markdown, with the speakers."""
    await _transcript(tour).copy_as_markdown()
    await tour.driver.until(lambda: tour.window.ui.toast.isVisible(), 5, "that it was copied")


def _transcript(tour: TourSession) -> TranscriptDriver:
    return TranscriptDriver(tour.driver, tour.window.ui.transcript)


async def see_the_request(tour: TourSession) -> None:
    """Turn the transcript into the request, part by part."""
    view = tour.window.ui.chat_pane.request
    await tour.driver.click(tour.window.ui.header.views.button("request"))
    await tour.driver.until(lambda: view.isVisible() and view.list.model().rowCount(), 20, "the parts of the request")


async def see_what_has_changed(tour: TourSession) -> None:
    """Compare the request with the newest reply's request."""
    view = tour.window.ui.chat_pane.request
    replies = [row.message.id for row in tour.model.rows if row.message.role is Role.ASSISTANT]
    tour.window.request.show_earlier(replies[-1], ShownRequest.CHANGES)
    await tour.driver.until(
        lambda: view.moment is ShownRequest.CHANGES and view.list.model().rowCount(), 20, "the changes"
    )


async def see_the_chat_again(tour: TourSession) -> None:
    """Turn back to the transcript."""
    await tour.driver.click(tour.window.ui.header.views.button("chat"))
    if not tour.window.ui.transcript.isVisible():
        raise NotSeen("the transcript")


async def copy_it_as_a_command(tour: TourSession) -> None:
    """Copy the request to a server as a curl command; the chat comes back after that."""
    view = tour.window.ui.chat_pane.request
    await see_the_request(tour)
    await tour.driver.click(view.curl)
    await tour.driver.until(lambda: tour.driver.copied().startswith("curl"), 10, "the command")
    await tour.driver.until(lambda: tour.window.ui.toast.isVisible(), 5, "that it was copied")


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
    """Type a draft; its tokens are shown while it is typed."""
    tour.window.ui.composer.take_focus()
    await tour.driver.type("And which famous one can be read again today?")
    await tour.driver.until(lambda: tour.window.ui.composer.draft_tokens > 5, 10, "the draft's tokens")


async def attach_a_picture_and_a_file(tour: TourSession) -> None:
    """Attach a picture as from the clipboard, and a file; their tokens are shown before anything is sent."""
    composer = tour.window.ui.composer
    tour.window.attach.attach_image(tour.window.grab().toImage())
    tour.window.attach.attach_files([str(SAMPLES / "README.md")])
    await tour.driver.until(lambda: len(composer.attachments.attachments) == 2, 30, "two attachments")
    await tour.driver.until(lambda: composer.draft_tokens > 100, 10, "their tokens")


async def stop_a_reply(tour: TourSession) -> None:
    """Stop a long reply; its text stays, marked as interrupted."""
    tour.window.ui.composer.clear()
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
    transcript, first = tour.window.ui.transcript, tour.model.rows[1].message.id
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
    await tour.driver.click(tour.window.ui.gauge.bar)


async def see_the_plan(tour: TourSession) -> None:
    """Show what would be archived, what stays, and the summary."""
    await tour.driver.click(tour.window.ui.gauge.optimize)
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
    if not tour.window.ui.chat_pane.transcript.show_message(operation.after_message_id):
        raise NotSeen("the last archived message")


async def browse_the_archived_messages(tour: TourSession) -> None:
    """List the archived messages in the history panel, and read one of them."""
    panel = tour.window.ui.panel
    operation = next(row for row in reversed(tour.model.operations) if row.kind == "compaction")
    tour.window.recovery.perform(Action.SHOW_OPERATION, operation.id)
    archived = panel.history.archived
    await tour.driver.until(lambda: archived.list.rows.rowCount() > 3, 10, "the archived messages")
    await tour.driver.click(archived.list.viewport(), (60, 30))
    await tour.driver.until(lambda: archived.reader.page.toPlainText(), 5, "an archived message, whole")


async def bring_one_back(tour: TourSession) -> None:
    """Restore an archived message to the view."""
    reader = tour.window.ui.panel.history.archived.reader
    await tour.change_view(lambda: tour.driver.click(reader.bring_back), 10, "the message in the view")


async def pin_it(tour: TourSession) -> None:
    """Pin the message."""
    reader = tour.window.ui.panel.history.archived.reader
    await tour.change_view(lambda: tour.driver.click(reader.pin), 10, "the pin")
    tour.window.ui.panel.show_tab("pins")


async def undo_it(tour: TourSession) -> None:
    """Undo the compaction; the gauge is as before."""
    operation = next(row for row in reversed(tour.model.operations) if row.kind == "compaction")
    tour.window.ui.panel.show_tab("history")

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
    await tour.driver.click(tour.window.ui.sidebar.search)
    palette = await tour.driver.sheet(SearchPalette, 10, "the search")
    await tour.driver.type("harbour")
    await tour.driver.until(lambda: "result" in palette.note.text(), 10, "results")


async def find_it_in_the_chat(tour: TourSession) -> None:
    """Press Enter to go to the message, and walk no further."""
    await tour.driver.enter()
    await tour.driver.until(tour.window.ui.hit_bar.isVisible, 10, "the bar of hits")
    await tour.driver.click(tour.window.ui.hit_bar.close_button)


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
    await tour.driver.click(tour.window.ui.gauge.optimize)
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
    see_the_tools,
    switch_one_off,
    see_the_servers,
    add_a_server,
    see_what_tools_may_do,
    remember_something,
    say_too_much,
    see_why_no_room_was_made,
    import_a_conversation,
    see_the_breakdown,
    see_the_plan,
    see_the_plan_in_the_dark,
    optimize_it,
    see_the_mark_in_the_chat,
    browse_the_archived_messages,
    bring_one_back,
    pin_it,
    see_the_memory_sent,
    undo_it,
    go_on_until_room_is_made,
    see_the_request,
    see_what_has_changed,
    see_the_chat_again,
    *import_steps.STEPS,
    see_formulas,
    see_a_diagram,
    let_long_lines_be,
    select_over_messages,
    copy_it_as_markdown,
    search_everything,
    find_it_in_the_chat,
    settings_steps.see_the_commands,
    *settings_steps.PROJECT_STEPS,
    settings_steps.see_the_shortcuts,
    settings_steps.see_the_export,
    settings_steps.filter_the_list,
    settings_steps.see_the_list_again,
    survive_a_crash,
    a_long_agent_session,
    open_a_tool_card,
    optimize_the_long_session,
    settings_steps.try_a_policy,
    settings_steps.use_it_here,
    settings_steps.see_what_was_found,
    settings_steps.see_where_the_gauge_is,
    settings_steps.use_what_was_found,
    settings_steps.see_what_switching_does,
    settings_steps.switch_to_it,
    copy_it_as_a_command,
    settings_steps.fetch_the_models,
    settings_steps.test_the_server,
    settings_steps.see_what_is_stored,
    settings_steps.see_what_it_is_made_of,
    settings_steps.find_a_setting,
    settings_steps.raise_the_contrast,
    settings_steps.enlarge_the_text,
    settings_steps.leave_it_as_it_was,
    settings_steps.hold_it_otherwise,
    settings_steps.begin_with_the_persona,
    settings_steps.see_the_insights,
    settings_steps.see_them_by_provider,
    settings_steps.the_window_in_the_dark,
)
