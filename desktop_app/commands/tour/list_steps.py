"""The steps about commands, exports and the list of conversations."""

from __future__ import annotations

from desktop_app.ui.export_sheet import ExportSheet
from desktop_app.ui.palette.command_palette import CommandPalette
from desktop_app.ui.palette.shortcut_sheet import ShortcutSheet

from . import project_steps
from .session import TourSession

PROJECT_STEPS = project_steps.STEPS


async def see_the_commands(tour: TourSession) -> None:
    """Open the command palette, and type a few letters of a command."""
    tour.window.commands.open_palette()
    palette = await tour.driver.sheet(CommandPalette, 10, "the palette")
    await tour.driver.type("move to")
    await tour.driver.until(lambda: palette.list.rows.rowCount(), 5, "a command")


async def see_the_shortcuts(tour: TourSession) -> None:
    """Show every key."""
    tour.window.commands.open_shortcuts()
    sheet = await tour.driver.sheet(ShortcutSheet, 10, "the shortcuts")
    await tour.driver.until(lambda: sheet.is_complete, 10, "all of them")


async def see_the_export(tour: TourSession) -> None:
    """Ask for an export as HTML."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(ShortcutSheet)
    tour.window.export.open()
    sheet = await tour.driver.sheet(ExportSheet, 10, "the export")
    await tour.driver.click(sheet.format.button("html"))


async def filter_the_list(tour: TourSession) -> None:
    """Close it, and narrow the list to the titles with a word."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(ExportSheet)
    tour.window.sidebar.filter.setFocus()
    listed = tour.window.sidebar.list
    before = listed.model().rowCount()
    await tour.driver.type("profile")
    await tour.driver.until(lambda: 0 < listed.model().rowCount() < before, 5, "fewer titles")


async def see_the_list_again(tour: TourSession) -> None:
    """Clear the filter with Escape."""
    await tour.driver.escape()
    await tour.driver.until(lambda: not tour.window.sidebar.filter.text(), 5, "the whole list")
