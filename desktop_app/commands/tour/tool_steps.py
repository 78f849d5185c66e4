"""The steps about tools, memory and failures. The built-in model cannot call tools, so a call is shown in an imported
session."""

from __future__ import annotations

from desktop_app.conversation.gauge import Segment
from desktop_app.ui.driver import NotSeen
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript.items import FailureItem, MessageItem

from .session import TourSession

REMEMBERED = "I write for readers who have never seen the sea."


async def see_the_tools(tour: TourSession) -> None:
    """List the tools with their tokens, and with the note that this model cannot call any."""
    await tour.driver.click(tour.window.composer.tools)
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
    await tour.driver.click(tour.window.sidebar.settings)
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await tour.driver.scroll_to(settings.servers, settings.area)
    await tour.driver.click(settings.servers.find_button)
    await tour.driver.until(lambda: settings.servers.status.text() or settings.servers.found, 10, "what was found")


async def add_a_server(tour: TourSession) -> None:
    """Add the form of a server; nothing is stored before it is saved."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await begin_a_server(tour, settings)
    await tour.driver.scroll_to(settings.servers.forms[-1], settings.area)


async def begin_a_server(tour: TourSession, settings: SettingsDialog) -> None:
    """Choose a provider in the settings, so that there is the form of a server."""
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
    tour.window.panel.show_tab("memory")
    memories = tour.window.panel.memories
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
    tour.window.context.show_breakdown()
    await tour.say("When did the Marit Elise ground at Kvalsand, and who wrote to the paper about it?")
    await tour.driver.until(
        lambda: tour.gauge and tour.gauge.segments.get(Segment.MEMORY), 30, "the memory in the request"
    )
    await tour.driver.escape()  # the reply is not waited for
    await tour.turn_is_over(60)


async def say_too_much(tour: TourSession) -> None:
    """Write a message that is larger than the window; a card says so, and offers ways out."""
    before = tour.window.chat.conversation
    await tour.show_sidebar()
    await tour.driver.click(tour.window.sidebar.new)
    await tour.driver.until(lambda: tour.window.chat.conversation != before, 10, "a new conversation")
    await tour.driver.paste("All the tides of a year: " + "high and low, " * 6_000)
    await tour.driver.enter()
    await tour.driver.until(lambda: _last_failure(tour), 60, "a card")


async def see_why_no_room_was_made(tour: TourSession) -> None:
    """Show the history: the compaction that failed says why, what was kept, and what can help."""
    await tour.driver.click(tour.window.panel.tabs.button("history"))
    failed = [row.id for row in tour.model.operations if row.kind == "failed"]
    cards = tour.window.panel.history.list.cards
    await tour.driver.until(lambda: failed and failed[-1] in cards and cards[failed[-1]].isVisible(), 10, "its card")


async def open_a_tool_card(tour: TourSession) -> None:
    """Open a tool call's card, with its arguments and its result."""
    item = next(i for i in _messages(tour) if i.call is not None and i.row.message.tool_result is not None)
    transcript = tour.window.chat_pane.transcript
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
