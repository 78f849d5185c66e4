"""The steps about how the window looks, and how a conversation is held."""

from __future__ import annotations

from desktop_app.ui.palette.command_palette import CommandPalette
from desktop_app.ui.settings.entries import Percent, Segments
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.theme import theme

from .session import TourSession

PERSONA = "Harbour pilot"
PROMPT = "You are a harbour pilot of thirty years. Answer in three sentences, with numbers and their units."


async def find_a_setting(tour: TourSession) -> None:
    """Find the section of the settings that is about text size: theme, contrast, language and notifications too."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.side.field.setFocus()
    await tour.driver.type("text size")
    await tour.driver.until(lambda: settings.entries["font_scale"].isVisible(), 10, "the text size")


async def raise_the_contrast(tour: TourSession) -> None:
    """Choose a high contrast; the window shows it at once, before it is saved."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    contrast = settings.entries["contrast"]

    async def choose() -> None:
        await tour.driver.click(contrast.choices.button("high") if isinstance(contrast, Segments) else None)
        await tour.driver.until(lambda: theme.has_high_contrast, 10, "a high contrast")

    await tour.driver.restyle(choose)


async def enlarge_the_text(tour: TourSession) -> None:
    """Make all text half as large again; the sheet stays within the window."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    size = settings.entries["font_scale"]

    async def enlarge() -> None:
        if isinstance(size, Percent):
            size.slider.setValue(150)
        await tour.driver.until(lambda: theme.font_scale > 1.4, 10, "a large text")

    await tour.driver.restyle(enlarge)


async def leave_it_as_it_was(tour: TourSession) -> None:
    """Cancel: everything looks as before."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")

    async def cancel() -> None:
        await tour.driver.leave(SettingsDialog, settings.cancel)
        await tour.driver.until(lambda: theme.font_scale == 1 and not theme.has_high_contrast, 10, "the look as it was")

    await tour.driver.restyle(cancel)


async def hold_it_otherwise(tour: TourSession) -> None:
    """Give the conversation a system prompt and a temperature of its own, and save them as a persona."""
    tour.window.commands.open_palette()
    await tour.driver.sheet(CommandPalette, 10, "the palette")
    await tour.driver.type("conversation settings")
    await tour.driver.enter()
    sheet = await tour.driver.sheet(SetupSheet, 20, "how the conversation is held")
    sheet.prompt.area.setFocus()
    sheet.prompt.area.selectAll()
    await tour.driver.type(PROMPT)
    sheet.temperature.edit.setFocus()
    await tour.driver.type("0.3")
    sheet.name.edit.setFocus()
    await tour.driver.type(PERSONA)
    await tour.driver.click(sheet.keep)
    await tour.driver.until(lambda: PERSONA in [p.name for p in tour.window.setup.personas], 10, "the persona")


async def begin_with_the_persona(tour: TourSession) -> None:
    """Save it; a new conversation can begin with the persona."""
    sheet = await tour.driver.sheet(SetupSheet, 20, "how the conversation is held")
    await tour.driver.click(sheet.save)
    await tour.driver.wait_until_closed(SetupSheet)
    before = tour.window.chat.conversation
    await tour.driver.click(tour.window.sidebar.new)
    await tour.driver.until(lambda: tour.window.chat.conversation != before, 10, "a new conversation")
    await tour.driver.until(lambda: tour.window.chat_pane.welcome.personas.isVisible(), 10, "the persona on its page")


async def the_window_in_the_dark(tour: TourSession) -> None:
    """Show the whole window in the dark theme."""
    await tour.driver.show_theme("dark")
