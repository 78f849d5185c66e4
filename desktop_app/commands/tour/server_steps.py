"""The steps about models: those that were found, what switching to one means, and what a server can do."""

from __future__ import annotations

import asyncio

from desktop_app.ui.driver import NotSeen
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.settings.server_form import ServerForm
from desktop_app.ui.settings.settings_dialog import SettingsDialog

from .other_server import NAME, OtherServer
from .session import PATIENCE, TourSession

SHORT_QUESTION = "In one short sentence: what is a tide?"

_other = OtherServer()


async def see_what_was_found(tour: TourSession) -> None:
    """Start a server on this computer; the page of a new conversation offers it."""
    await asyncio.to_thread(_other.start)
    before, found = tour.window.chat.conversation, tour.window.chat_pane.welcome.found
    await tour.driver.click(tour.window.sidebar.new)
    await tour.driver.until(lambda: tour.window.chat.conversation != before, 10, "a new conversation")
    await tour.driver.until(lambda: found.isVisible() and found.buttons, 20, "the server that was started")


async def see_where_the_gauge_is(tour: TourSession) -> None:
    """Let the page point at the gauge."""
    await tour.driver.click(tour.window.chat_pane.welcome.places.links["gauge"])


async def use_what_was_found(tour: TourSession) -> None:
    """Use the server with one click, and get an answer from its model."""
    found = tour.window.chat_pane.welcome.found
    ours = [one.base_url for one in found.servers].index(_other.base_url)
    await tour.driver.click(found.buttons[ours])
    await tour.driver.until(lambda: tour.window.header.model_id.endswith(NAME), 20, "its model in the header")
    await tour.say(SHORT_QUESTION)
    await tour.driver.until(lambda: tour.model.is_running, 10, "the reply")
    await tour.turn_is_over(120)


async def see_what_switching_does(tour: TourSession) -> None:
    """Choose a model for the long session; the list tells what its smaller window would mean."""
    await open_conversation(tour, "billing")
    await tour.driver.click(tour.window.header.chip)
    picker = await tour.driver.sheet(ModelPicker, 10, "the models")
    ids = [row.key for row in picker.list.rows.rows]
    wanted = next(number for number, key in enumerate(ids) if key.endswith(NAME))
    picker.list.setCurrentIndex(picker.list.rows.index(wanted))
    await tour.driver.until(lambda: len(picker.list.rows.rows[wanted].body) > 1, 20, "what switching would do")


async def switch_to_it(tour: TourSession) -> None:
    """Switch with Enter; the window offers to make room."""
    await tour.driver.enter()
    await tour.driver.wait_until_closed(ModelPicker)
    await tour.driver.until(lambda: tour.window.header.model_id.endswith(NAME), 10, "the other model")
    await tour.driver.until(lambda: tour.window.toast.isVisible(), 20, "the offer to make room")


async def fetch_the_models(tour: TourSession) -> None:
    """Fetch the list of the server in the settings, with what is known of each model."""
    await tour.driver.click(tour.window.sidebar.settings)
    form = await _form(tour)
    await tour.driver.click(form.models.fetch)
    await tour.driver.until(lambda: form.models.fetch.isEnabled(), 20, "the list")
    if form.models.list.rows.rowCount() < 1 or form.models.error():
        raise NotSeen("the server's own list")


async def test_the_server(tour: TourSession) -> None:
    """Test key, window, streaming and tools of the server."""
    form = await _form(tour)
    await tour.driver.click(form.check_pane.button)
    await tour.driver.until(lambda: not form.check_pane.is_running and form.check_pane.lines, PATIENCE, "the findings")
    settings = await tour.driver.sheet(SettingsDialog, 10, "the settings")
    await tour.driver.scroll_to(form.models, settings.area)


async def open_conversation(tour: TourSession, words: str) -> None:
    """Open the newest conversation that has these words in its title, by a click in the list."""
    listed = tour.window.sidebar.list
    info = next((one for one in listed.conversations.conversations if words in one.title.lower()), None)
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
