"""The short tour: each screen once, in any look. It needs no model's reply."""

from __future__ import annotations

from desktop_app.ui.driver import NotSeen
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.palette.command_palette import CommandPalette
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet

from . import conversation_steps, settings_steps
from .tour_session import Step, TourSession


async def the_first_page(tour: TourSession) -> None:
    """Show the page of an empty conversation."""
    await tour.driver.until(lambda: tour.window.chat.conversation, 30, "an open conversation")
    await tour.driver.until(tour.window.ui.chat_pane.welcome.isVisible, 10, "the first page")


async def the_conversations(tour: TourSession) -> None:
    """Show the list of conversations, which is in a drawer if the window is narrow."""
    await tour.show_sidebar()
    await tour.driver.until(lambda: tour.window.ui.sidebar.list.conversations.rowCount(), 10, "a conversation")


async def the_breakdown(tour: TourSession) -> None:
    """Show what fills the context window."""
    tour.window.ui.sidebar_pane.close_drawer()
    await tour.driver.click(tour.window.ui.gauge.bar)
    await tour.driver.until(tour.window.ui.panel.breakdown.table.isVisible, 5, "the table")


async def the_request(tour: TourSession) -> None:
    """Show the request in place of the chat."""
    tour.window.ui.panel_pane.close_drawer()
    tour.window.request.toggle()
    request = tour.window.ui.chat_pane.request
    await tour.driver.until(lambda: request.isVisible() and request.list.parts.rowCount(), 10, "its parts")


async def the_plan(tour: TourSession) -> None:
    """Go back to the chat, and show what would be archived."""
    tour.window.request.toggle()
    await conversation_steps.see_the_plan(tour)


async def the_compaction(tour: TourSession) -> None:
    """Apply the plan."""
    before = tour.gauge.total if tour.gauge else 0
    plan = await tour.driver.sheet(PlanDialog, 30, "the plan")
    await tour.change_view(lambda: tour.driver.click(plan.apply), 20, "the optimized view")
    await tour.driver.until(lambda: tour.gauge and tour.gauge.total < before, 5, "a lower gauge")
    await conversation_steps.see_the_mark_in_the_chat(tour)


async def the_tools(tour: TourSession) -> None:
    """List the tools."""
    tour.window.ui.panel_pane.close_drawer()
    tour.window.tools.open()
    sheet = await tour.driver.sheet(ToolsSheet, 20, "the tools")
    await tour.driver.until(lambda: sheet.rows, 5, "a tool")


async def the_settings(tour: TourSession) -> None:
    """Show the servers in the settings."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(ToolsSheet)
    tour.window.settings.open()
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await conversation_steps.begin_a_server(tour, settings)


async def the_look(tour: TourSession) -> None:
    """Show the settings of the window's look."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.show_section("look")
    await tour.driver.until(settings.entries["font_scale"].isVisible, 5, "the size of the text")


async def the_policy(tour: TourSession) -> None:
    """Change a number of the policy."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await tour.driver.leave(SettingsDialog, settings.cancel)
    await settings_steps.try_a_policy(tour)


async def the_insights(tour: TourSession) -> None:
    """Open the page of insights."""
    policy = await tour.driver.sheet(PolicySheet, 10, "the page of policies")
    await tour.driver.leave(PolicySheet, policy.close_button)
    await tour.show_sidebar()
    await tour.driver.click(tour.window.ui.sidebar.insights)
    page = tour.window.insights.page
    await tour.driver.until(lambda: page is not None and page.chart.isVisible(), 20, "the chart of the window")


async def the_commands(tour: TourSession) -> None:
    """Open the command palette."""
    tour.window.insights.toggle()
    await settings_steps.see_the_commands(tour)


async def the_shortcuts(tour: TourSession) -> None:
    """Close the palette, and show all shortcuts."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(CommandPalette)
    await settings_steps.see_the_shortcuts(tour)


async def a_failure(tour: TourSession) -> None:
    """Close the export, and write a message that is larger than the window."""
    await tour.driver.escape()
    await conversation_steps.say_too_much(tour)
    if not tour.window.ui.composer.isVisible():
        raise NotSeen("the composer")


SCREENS: tuple[Step, ...] = (
    the_first_page,
    conversation_steps.import_a_conversation,
    the_conversations,
    the_breakdown,
    the_request,
    the_plan,
    the_compaction,
    conversation_steps.browse_the_archived_messages,
    the_tools,
    the_settings,
    the_look,
    settings_steps.see_what_is_stored,
    settings_steps.see_what_it_is_made_of,
    the_policy,
    the_insights,
    the_commands,
    the_shortcuts,
    settings_steps.see_the_export,
    a_failure,
)
