"""Servers that are found, and names of models that are proposed: into the forms, and from there into the settings."""

from __future__ import annotations

import pytest
from settings_scenes import CLAUDE, open_settings, save
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.settings import Server, Settings
from desktop_app.ui.settings.server_form import host_and_port
from desktop_app.ui.settings.server_list import FIND, FINDING, NOTHING, server_summary
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from texts import FOUND_SERVER

STUDIO = Server("LM Studio", "http://127.0.0.1:1234/v1", ("qwen-7b", "llama-8b", "gemma-4b"), kind="lm_studio")
OLLAMA = Server("Ollama", "http://127.0.0.1:11434", (), kind="ollama")
NAMES = ("claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5")


@pytest.fixture
def open_with(window):
    return lambda *servers, keys=(): open_settings(window, Settings(servers=servers), (), keys)


def listed(form) -> list[str]:
    return [row.key for row in form.models.list.rows.rows]


def find(dialog: SettingsDialog, qtbot, *found: Server) -> None:
    with qtbot.waitSignal(dialog.find_requested):
        dialog.servers.find_button.click()
    dialog.servers.show_found(found)


def test_a_found_server_is_one_line():
    assert server_summary(STUDIO) == "LM Studio · http://127.0.0.1:1234 · 3 models"
    assert server_summary(OLLAMA) == FOUND_SERVER.format(server="Ollama", address="http://127.0.0.1:11434")
    assert server_summary(CLAUDE).startswith("anthropic · key in ANTHROPIC_API_KEY · 1 model")


@pytest.mark.parametrize("address", ["http://localhost:1234", "http://LOCALHOST:1234/v1/", "http://127.0.0.1:1234/v1"])
def test_one_address_may_be_written_in_several_ways(address):
    assert host_and_port(Server("mine", address, ())) == host_and_port(STUDIO)
    assert host_and_port(Server("mine", "https://api.anthropic.com/v1", ())) == host_and_port(CLAUDE)
    assert host_and_port(Server("", "", ())) == ""


def test_the_search_is_seen_and_offers_what_has_no_form(open_with, qtbot):
    dialog = open_with(Server("mine", "http://localhost:1234/v1", ("qwen-7b",)))
    servers = dialog.servers
    servers.find_button.click()
    assert (servers.find_button.text(), servers.find_button.isEnabled()) == (FINDING, False)
    dialog.servers.show_found((STUDIO, CLAUDE))
    assert (servers.find_button.text(), servers.find_button.isEnabled()) == (FIND, True)
    assert [row.server for row in servers.found] == [CLAUDE]
    assert servers.status.isHidden()
    servers.find_button.click()
    assert servers.found == []
    servers.end_search("The engine stopped")
    assert servers.status.text() == "The engine stopped"
    find(dialog, qtbot)
    assert servers.status.text() == NOTHING
    assert servers.find_button.isEnabled()


def test_found_servers_are_scrolled_into_view_added_and_saved(open_with, qtbot):
    dialog = open_with()
    servers, view = dialog.servers, dialog.area.viewport()
    dialog.area.ensureWidgetVisible(servers.find_button, 0, 0)
    find(dialog, qtbot, STUDIO, CLAUDE)
    last = servers.found[-1]
    qtbot.waitUntil(lambda: 0 < last.mapTo(view, last.rect().bottomLeft()).y() < view.height())
    for row in tuple(servers.found):
        row.add.click()
    form = dialog.servers.forms[1]
    qtbot.waitUntil(lambda: form.mapTo(view, form.rect().bottomLeft()).y() < view.height())
    qtbot.waitUntil(lambda: form.height() >= form.layout().totalHeightForWidth(form.width()))
    assert servers.found == []
    assert [form.title.text() for form in dialog.servers.forms] == ["LM Studio", "anthropic"]
    saved, keys = save(dialog, qtbot)
    assert saved.servers == (STUDIO, CLAUDE)
    assert keys == {}


def test_a_second_server_of_a_name_is_told_from_the_first_and_has_not_its_key(open_with, qtbot):
    dialog = open_with(Server("LM Studio", "http://far.example.com:1234/v1", ("a",)), keys=("LM Studio",))
    find(dialog, qtbot, STUDIO)
    dialog.servers.found[0].add.click()
    form = dialog.servers.forms[1]
    assert form.name.text() == "LM Studio 2"
    assert form.remove_key.isHidden()
    assert len(save(dialog, qtbot)[0].servers) == 2


def test_names_are_requested_once_a_kind_and_offered_as_soon_as_there_is_a_use_for_them(open_with, qtbot):
    dialog = open_with(CLAUDE, Server("Second", "", ("x",), kind="anthropic"))
    requested: list[str] = []
    dialog.proposals_requested.connect(requested.append)
    dialog.servers.propose("anthropic", NAMES)
    form = dialog.servers.forms[0]
    assert listed(form) == ["claude-sonnet-4-5"]
    qtbot.keyClicks(form.models.edit, "CLAUDE")
    assert listed(form)[:3] == list(NAMES)
    form.kind.select.choose("ollama")
    form.kind.select.choose("anthropic")
    assert requested == ["ollama"]


@pytest.mark.wire
@play_scene(servers=(), chat_model="builtin")
async def test_the_engine_finds_servers_and_stores_one(window, bridge, servers_to_find):
    window.settings.open()
    window.settings.open("servers/none/key")  # at once again: it is still being built
    dialog = await opened_sheet(window, SettingsDialog)
    dialog.servers.find_button.click()
    await until(lambda: len(dialog.servers.found) == 2)
    dialog.servers.found[1].add.click()
    form = dialog.servers.forms[0]
    await until(lambda: form.models.names() and form.models.current())
    stored: list[Settings] = []
    window.settings.changed.connect(stored.append)
    dialog.save.click()
    await until(lambda: stored)
    assert [server.kind for server in stored[0].servers] == ["anthropic"]
