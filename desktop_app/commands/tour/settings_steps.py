"""Tour steps beyond one conversation: appearance, servers, stored data, figures, lists, commands and exports."""

from __future__ import annotations

import asyncio

from desktop_app.ui.driver import NotSeen
from desktop_app.ui.importing.export_sheet import ExportSheet
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.palette.command_palette import CommandPalette
from desktop_app.ui.palette.shortcut_sheet import ShortcutSheet
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.settings.entries import Percent, Segments
from desktop_app.ui.settings.server_form import ServerForm
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.theme import theme

from . import project_steps
from .other_server import NAME, OtherServer
from .tour_session import PATIENCE, TourSession

PERSONA = "Harbour pilot"
PROMPT = "You are a harbour pilot of thirty years. Answer in three sentences, with numbers and their units."


async def find_a_setting(tour: TourSession) -> None:
    """Find the section of the settings with the text size, next to theme, contrast, language and notifications."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.side.field.setFocus()
    await tour.driver.type("text size")
    await tour.driver.until(lambda: settings.entries["font_scale"].isVisible(), 10, "the text size")


async def raise_the_contrast(tour: TourSession) -> None:
    """Choose high contrast; the window shows it at once, before it is saved."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    contrast = settings.entries["contrast"]

    async def choose() -> None:
        await tour.driver.click(contrast.choices.button("high") if isinstance(contrast, Segments) else None)
        await tour.driver.until(lambda: theme.has_high_contrast, 10, "a high contrast")

    await tour.driver.restyle(choose)


async def enlarge_the_text(tour: TourSession) -> None:
    """Enlarge all text by half; the sheet stays within the window."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    size = settings.entries["font_scale"]

    async def enlarge() -> None:
        if isinstance(size, Percent):
            size.slider.setValue(150)
        await tour.driver.until(lambda: theme.font_scale > 1.4, 10, "a large text")

    await tour.driver.restyle(enlarge)


async def leave_it_as_it_was(tour: TourSession) -> None:
    """Cancel, so that everything looks as before."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")

    async def cancel() -> None:
        await tour.driver.leave(SettingsDialog, settings.cancel)
        await tour.driver.until(lambda: theme.font_scale == 1 and not theme.has_high_contrast, 10, "the look as it was")

    await tour.driver.restyle(cancel)


async def hold_it_otherwise(tour: TourSession) -> None:
    """Set a system prompt and a temperature for the conversation, and save them as a persona."""
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
    """Save the settings; a new conversation can begin with the persona."""
    sheet = await tour.driver.sheet(SetupSheet, 20, "how the conversation is held")
    await tour.driver.click(sheet.save)
    await tour.driver.wait_until_closed(SetupSheet)
    before = tour.window.chat.conversation
    await tour.driver.click(tour.window.ui.sidebar.new)
    await tour.driver.until(lambda: tour.window.chat.conversation != before, 10, "a new conversation")
    await tour.driver.until(
        lambda: tour.window.ui.chat_pane.welcome.personas.isVisible(), 10, "the persona on its page"
    )


async def the_window_in_the_dark(tour: TourSession) -> None:
    """Show the whole window in the dark theme."""
    await tour.driver.show_theme("dark")


SHORT_QUESTION = "In one short sentence: what is a tide?"

_other = OtherServer()


async def see_what_was_found(tour: TourSession) -> None:
    """Start a server on this computer; the page of a new conversation offers it."""
    await asyncio.to_thread(_other.start)
    before, found = tour.window.chat.conversation, tour.window.ui.chat_pane.welcome.found
    await tour.driver.click(tour.window.ui.sidebar.new)
    await tour.driver.until(lambda: tour.window.chat.conversation != before, 10, "a new conversation")
    await tour.driver.until(lambda: found.isVisible() and found.buttons, 20, "the server that was started")


async def see_where_the_gauge_is(tour: TourSession) -> None:
    """Follow the page's link that points out the gauge."""
    await tour.driver.click(tour.window.ui.chat_pane.welcome.places.links["gauge"])


async def use_what_was_found(tour: TourSession) -> None:
    """Use the server with one click, and get an answer from its model."""
    found = tour.window.ui.chat_pane.welcome.found
    ours = [server.base_url for server in found.servers].index(_other.base_url)
    await tour.driver.click(found.buttons[ours])
    await tour.driver.until(lambda: tour.window.ui.header.model_id.endswith(NAME), 20, "its model in the header")
    await tour.say(SHORT_QUESTION)
    await tour.driver.until(lambda: tour.model.is_running, 10, "the reply")
    await tour.turn_is_over(120)


async def see_what_switching_does(tour: TourSession) -> None:
    """Choose a model for the long session; the list says what its smaller window would mean."""
    await open_conversation(tour, "billing")
    await tour.driver.click(tour.window.ui.header.chip)
    picker = await tour.driver.sheet(ModelPicker, 10, "the models")
    ids = [row.key for row in picker.list.rows.rows]
    wanted = next(number for number, key in enumerate(ids) if key.endswith(NAME))
    picker.list.setCurrentIndex(picker.list.rows.index(wanted))
    await tour.driver.until(lambda: len(picker.list.rows.rows[wanted].body) > 1, 20, "what switching would do")


async def switch_to_it(tour: TourSession) -> None:
    """Switch with Enter; the window offers to make room."""
    await tour.driver.enter()
    await tour.driver.wait_until_closed(ModelPicker)
    await tour.driver.until(lambda: tour.window.ui.header.model_id.endswith(NAME), 10, "the other model")
    await tour.driver.until(lambda: tour.window.ui.toast.isVisible(), 20, "the offer to make room")


async def fetch_the_models(tour: TourSession) -> None:
    """Fetch the server's list of models in the settings, with the known facts about each model."""
    await tour.driver.click(tour.window.ui.sidebar.settings)
    form = await _form(tour)
    await tour.driver.click(form.models.fetch)
    await tour.driver.until(lambda: form.models.fetch.isEnabled(), 20, "the list")
    if form.models.list.rows.rowCount() < 1 or form.models.error():
        raise NotSeen("the server's own list")


async def test_the_server(tour: TourSession) -> None:
    """Test the server's key, window, streaming and tools."""
    form = await _form(tour)
    await tour.driver.click(form.check_pane.button)
    await tour.driver.until(lambda: not form.check_pane.is_running and form.check_pane.lines, PATIENCE, "the findings")
    settings = await tour.driver.sheet(SettingsDialog, 10, "the settings")
    await tour.driver.scroll_to(form.models, settings.area)


async def open_conversation(tour: TourSession, words: str) -> None:
    """Click on the newest conversation in the list that has these words in its title."""
    listed = tour.window.ui.sidebar.list
    info = next((info for info in listed.conversations.conversations if words in info.title.lower()), None)
    if info is None:
        raise NotSeen(f"a conversation called {words}")
    box = listed.visualRect(listed.conversations.index_of(info.id)).center()
    await tour.driver.click(listed.viewport(), (box.x(), box.y()))
    await tour.driver.until(lambda: tour.window.chat.conversation == info.id, 10, "the conversation")
    await tour.driver.until(lambda: tour.gauge, 20, "its gauge")


async def _form(tour: TourSession) -> ServerForm:
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    await tour.driver.until(lambda: settings.servers.forms, 10, "a server")
    return settings.servers.forms[0]


async def see_what_is_stored(tour: TourSession) -> None:
    """Make a backup in the settings, which show where the data is, the backups, and what could be removed."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.show_section("data")
    data = settings.data
    await tour.driver.until(lambda: data.stored is not None, 20, "what is stored")
    await tour.driver.click(data.backups.make)
    await tour.driver.until(lambda: data.backups.task.told.isVisible(), 20, "that it was backed up")
    await tour.driver.until(lambda: data.backups.list.rows.rowCount(), 10, "the backup in the list")
    settings.area.verticalScrollBar().setValue(0)


async def see_what_it_is_made_of(tour: TourSession) -> None:
    """Show the versions and the licences of all parts."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.show_section("about")
    await tour.driver.until(lambda: settings.about.list.rows.rowCount(), 20, "the parts")


async def try_a_policy(tour: TourSession) -> None:
    """Change a number of the policy, and see what it would do now and would have done in the past."""
    tour.window.policies.open()
    sheet = await tour.driver.sheet(PolicySheet, 10, "the page of policies")
    sheet.set_field("background_at", 0.5)
    table = sheet.effect.table
    await tour.driver.until(lambda: table.cells and table.cells[0][1].text(), 60, "the past under two policies")


async def use_it_here(tour: TourSession) -> None:
    """Use the policy in this conversation only; the marks of the gauge move."""
    sheet = await tour.driver.sheet(PolicySheet, 10, "the page of policies")
    await tour.driver.click(sheet.use_here)
    await tour.driver.until(lambda: tour.gauge and tour.gauge.thresholds[0] == 0.5, 10, "other marks")


async def see_the_insights(tour: TourSession) -> None:
    """Open the page of insights: the window over time, and the costs."""
    await open_conversation(tour, "profile")
    await tour.driver.click(tour.window.ui.sidebar.insights)
    page = tour.window.insights.page
    await tour.driver.until(lambda: page and page.chart.isVisible(), 20, "the chart of the window")


async def see_them_by_provider(tour: TourSession) -> None:
    """Show the insights of all conversations: requests and costs by model and provider."""
    page = tour.window.insights.page
    await tour.driver.click(page.scope.button("all") if page else None)
    await tour.driver.until(lambda: page and page.providers.isVisible() and not page.is_one, 20, "the providers")
    await tour.driver.until(lambda: page and page.export.isEnabled(), 60, "all figures")


PROJECT_STEPS = project_steps.STEPS


async def see_the_commands(tour: TourSession) -> None:
    """Open the command palette, and type a few letters of a command."""
    tour.window.commands.open_palette()
    palette = await tour.driver.sheet(CommandPalette, 10, "the palette")
    await tour.driver.type("move to")
    await tour.driver.until(lambda: palette.list.rows.rowCount(), 5, "a command")


async def see_the_shortcuts(tour: TourSession) -> None:
    """Show all shortcuts."""
    tour.window.commands.open_shortcuts()
    sheet = await tour.driver.sheet(ShortcutSheet, 10, "the shortcuts")
    await tour.driver.until(lambda: sheet.is_complete, 10, "all of them")


async def see_the_export(tour: TourSession) -> None:
    """Open the export, and choose HTML."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(ShortcutSheet)
    tour.window.export.open()
    sheet = await tour.driver.sheet(ExportSheet, 10, "the export")
    await tour.driver.click(sheet.format.button("html"))


async def filter_the_list(tour: TourSession) -> None:
    """Close the export, and filter the list to titles with a word."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(ExportSheet)
    tour.window.ui.sidebar.filter.setFocus()
    listed = tour.window.ui.sidebar.list
    before = listed.model().rowCount()
    await tour.driver.type("profile")
    await tour.driver.until(lambda: 0 < listed.model().rowCount() < before, 5, "fewer titles")


async def see_the_list_again(tour: TourSession) -> None:
    """Clear the filter with Escape."""
    await tour.driver.escape()
    await tour.driver.until(lambda: not tour.window.ui.sidebar.filter.text(), 5, "the whole list")
