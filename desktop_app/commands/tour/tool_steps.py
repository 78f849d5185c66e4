"""The tour's steps about tools, memory and what goes wrong. The built-in model can call no tools, so a call is
shown in a session that an agent has had; everything else is done here and now."""

from __future__ import annotations

from desktop_app.conversation.gauge import Segment
from desktop_app.ui.driver import NotSeen
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript.items import FailureItem, MessageItem

from .visit import Visit

REMEMBERED = "I write for readers who have never seen the sea."


async def see_the_tools(visit: Visit) -> None:
    """Which tools there are, what each takes of a request, and that this model can call none."""
    await visit.driver.click(visit.window.composer.tools)
    sheet = await visit.driver.sheet(ToolsSheet, 20, "the tools")
    if not sheet.warning.isVisible():
        raise NotSeen("that this model cannot call tools")


async def switch_one_off(visit: Visit) -> None:
    """One of them is no longer on offer; what all of them take is less by it."""
    sheet = await visit.driver.sheet(ToolsSheet, 20, "the tools")
    before = sheet.total.text()
    await visit.driver.click(sheet.rows["bash"].switch)
    await visit.driver.until(lambda: sheet.total.text() != before, 10, "another sum")


async def see_the_servers(visit: Visit) -> None:
    """In the settings: servers that answer on this machine are looked for; below, which model does what."""
    await visit.driver.click((await visit.driver.sheet(ToolsSheet, 20, "the tools")).close_button)
    await visit.driver.gone(ToolsSheet)
    await visit.driver.click(visit.window.sidebar.settings)
    settings = await visit.driver.sheet(SettingsDialog, 20, "the settings")
    await visit.driver.scroll_to(settings.servers, settings.area)
    finder = settings.servers.finder
    await visit.driver.click(finder.button)
    await visit.driver.until(lambda: finder.status.text() or finder.rows, 10, "what was found")


async def add_a_server(visit: Visit) -> None:
    """One is written down by hand; nothing is stored before it is saved."""
    settings = await visit.driver.sheet(SettingsDialog, 20, "the settings")
    await visit.driver.click(settings.servers.add_server)
    await visit.driver.until(lambda: settings.servers.forms, 5, "a form")
    await visit.driver.scroll_to(settings.servers.forms[-1], settings.area)


async def see_what_tools_may_do(visit: Visit) -> None:
    """What is always allowed, and servers of tools: a form for one."""
    settings = await visit.driver.sheet(SettingsDialog, 20, "the settings")
    await visit.driver.click(settings.tools.add_server)
    await visit.driver.until(lambda: settings.tools.forms, 5, "a form")
    await visit.driver.scroll_to(settings.tools, settings.area)


async def remember_something(visit: Visit) -> None:
    """A memory is written by hand, and kept for all conversations."""
    settings = await visit.driver.sheet(SettingsDialog, 20, "the settings")
    await visit.driver.click(settings.cancel)
    await visit.driver.gone(SettingsDialog)
    visit.window.panel.show_tab("memory")
    memories = visit.window.panel.memories
    await visit.driver.click(memories.add)
    await visit.driver.until(lambda: memories.cards and memories.cards[0].editing, 5, "a card to write in")
    await visit.driver.type(REMEMBERED)
    box = memories.cards[0].editing
    await visit.driver.click(box.keep if box else None)
    kept = f"Memory: {REMEMBERED}"
    await visit.driver.until(
        lambda: any(card.accessibleName().startswith(kept) for card in memories.cards), 10, "the memory"
    )


async def see_the_memory_sent(visit: Visit) -> None:
    """The next question in any conversation goes with what is remembered: the breakdown has its tokens."""
    visit.window.context.show_breakdown()
    await visit.say("When did the Marit Elise ground at Kvalsand, and who wrote to the paper about it?")
    await visit.driver.until(
        lambda: visit.gauge and visit.gauge.segments.get(Segment.MEMORY), 30, "the memory in the request"
    )
    await visit.driver.escape()  # the reply is not waited for
    await visit.turn_is_over(60)


async def say_too_much(visit: Visit) -> None:
    """A message that no window of this size can hold: a card says so, with ways out. Nothing is sent."""
    before = visit.window.chat.conversation
    await visit.driver.click(visit.window.sidebar.new)
    await visit.driver.until(lambda: visit.window.chat.conversation != before, 10, "a new conversation")
    await visit.driver.paste("All the tides of a year: " + "high and low, " * 6_000)
    await visit.driver.enter()
    await visit.driver.until(lambda: _last_failure(visit), 60, "a card")


async def open_a_tool_card(visit: Visit) -> None:
    """A call of a tool in the session, unfolded: what it was given, and what came back."""
    item = next(i for i in _messages(visit) if i.call is not None and i.row.message.tool_result is not None)
    transcript = visit.window.chat_pane.transcript
    if not transcript.show_message(item.row.message.id):
        raise NotSeen("the card of a tool")
    transcript.perform(Action.FOLD, item.key)
    await visit.driver.until(lambda: transcript.is_settled, 10, "the open card")


def _messages(visit: Visit) -> list[MessageItem]:
    items = (visit.model.item(row) for row in range(visit.model.rowCount()))
    return [item for item in items if isinstance(item, MessageItem)]


def _last_failure(visit: Visit) -> FailureItem | None:
    last = visit.model.item(visit.model.rowCount() - 1) if visit.model.rowCount() else None
    return last if isinstance(last, FailureItem) else None
