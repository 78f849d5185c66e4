"""Servers that are found, and names of models that are proposed: into the form, and from there into the settings."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from ui_scenes import until

from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Server, Settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.settings.name_completer import split_last
from desktop_app.ui.settings.server_finder import FIND, FINDING, NOTHING, server_summary
from desktop_app.ui.settings.server_kinds import host_and_port
from desktop_app.ui.settings.settings_dialog import SettingsDialog

STUDIO = Server("LM Studio", "http://127.0.0.1:1234/v1", ("qwen-7b", "llama-8b", "gemma-4b"), kind="lm_studio")
OLLAMA = Server("Ollama", "http://127.0.0.1:11434", (), kind="ollama")
CLAUDE = Server("Anthropic", "", ("claude-sonnet-4-5",), kind="anthropic")
NAMES = ("claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5")

WITHOUT_SCREEN = pytest.mark.qt_log_ignore("This plugin does not support")  # what a list that drops down would like


@pytest.fixture
def made(window):
    def make(*servers: Server, with_key: tuple[str, ...] = ()) -> SettingsDialog:
        dialog = SettingsDialog(
            SettingsRead(Settings(servers=servers), with_key, "the keyring"), ModelsListed(()), window
        )
        dialog.open()
        return dialog

    return make


def saved_by(dialog: SettingsDialog, qtbot) -> tuple[Settings, dict[str, str]]:
    with qtbot.waitSignal(dialog.save_requested) as saved:
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    return saved.args[0], saved.args[1]


def look_for(dialog: SettingsDialog, qtbot) -> None:
    with qtbot.waitSignal(dialog.servers.finder.find_requested):
        dialog.servers.finder.button.click()


def test_a_found_server_is_told_in_a_line():
    assert server_summary(STUDIO) == "LM Studio · http://127.0.0.1:1234 · 3 models"
    assert server_summary(OLLAMA) == "Ollama · http://127.0.0.1:11434 · no models listed"
    assert server_summary(CLAUDE) == "Anthropic · key in ANTHROPIC_API_KEY · 1 model"


@pytest.mark.parametrize("address", ["http://localhost:1234", "http://LOCALHOST:1234/v1/", "http://127.0.0.1:1234/v1"])
def test_one_place_may_be_written_in_several_ways(address):
    assert host_and_port(Server("mine", address, ())) == host_and_port(STUDIO)
    assert host_and_port(Server("mine", "https://api.anthropic.com/v1", ())) == host_and_port(CLAUDE)
    assert host_and_port(Server("", "", ())) == ""


def test_looking_is_seen_and_what_is_there_already_is_not_offered(made, qtbot):
    dialog = made(Server("mine", "http://localhost:1234/v1", ("qwen-7b",)))
    finder = dialog.servers.finder
    look_for(dialog, qtbot)
    assert (finder.button.text(), finder.button.isEnabled()) == (FINDING, False)
    dialog.servers.show_found((STUDIO, CLAUDE))
    assert (finder.button.text(), finder.button.isEnabled()) == (FIND, True)
    assert [row.server for row in finder.rows] == [CLAUDE]
    assert finder.status.isHidden()


def test_nothing_found_and_a_failure_are_said_in_words_and_looking_again_forgets_them(made, qtbot):
    dialog = made()
    finder = dialog.servers.finder
    look_for(dialog, qtbot)
    dialog.servers.show_found(())
    assert finder.status.isVisible()
    assert finder.status.text() == NOTHING
    look_for(dialog, qtbot)
    assert finder.status.isHidden()
    finder.end("The engine stopped")
    assert finder.status.text() == "The engine stopped"
    assert finder.button.isEnabled()
    look_for(dialog, qtbot)
    dialog.servers.show_found((STUDIO,))
    look_for(dialog, qtbot)
    assert finder.rows == []


def test_found_servers_are_added_to_the_forms_and_saved_with_them(made, qtbot):
    dialog = made()
    look_for(dialog, qtbot)
    dialog.servers.show_found((STUDIO, CLAUDE))
    for row in tuple(dialog.servers.finder.rows):
        row.add.click()
    assert dialog.servers.finder.rows == []
    assert [form.title.text() for form in dialog.servers.forms] == ["LM Studio", "Anthropic"]
    saved, keys = saved_by(dialog, qtbot)
    assert saved.servers == (STUDIO, CLAUDE)
    assert keys == {}


def test_what_was_found_is_brought_into_view(made, qtbot):
    dialog = made()
    finder = dialog.servers.finder
    dialog.area.ensureWidgetVisible(finder.button, 0, 0)
    look_for(dialog, qtbot)
    dialog.servers.show_found((STUDIO, OLLAMA, CLAUDE))
    view = dialog.area.viewport()
    last = finder.rows[-1]
    qtbot.waitUntil(lambda: 0 < last.mapTo(view, last.rect().bottomLeft()).y() < view.height())
    last.add.click()
    form = dialog.servers.forms[0]
    qtbot.waitUntil(lambda: form.mapTo(view, form.rect().bottomLeft()).y() < view.height())
    assert form.height() >= form.sizeHint().height()


def test_a_second_server_of_a_name_is_told_from_the_first_and_has_not_its_key(made, qtbot):
    first = Server("LM Studio", "http://far.example.com:1234/v1", ("a",), kind="lm_studio")
    dialog = made(first, with_key=("LM Studio",))
    look_for(dialog, qtbot)
    dialog.servers.show_found((STUDIO,))
    dialog.servers.finder.rows[0].add.click()
    form = dialog.servers.forms[1]
    assert form.name.text() == "LM Studio 2"
    assert form.remove_key.isHidden()
    assert len(saved_by(dialog, qtbot)[0].servers) == 2


def test_names_are_asked_for_once_a_kind_and_again_for_another(made, qtbot):
    dialog = made(CLAUDE, Server("Second", "", ("x",), kind="anthropic"))
    asked: list[str] = []
    dialog.servers.proposals_requested.connect(asked.append)
    dialog.servers.propose("anthropic", NAMES)
    form = dialog.servers.forms[0]
    assert form.choose.isVisible()
    assert dialog.servers.forms[1].choose.isVisible()
    form.kind.setCurrentIndex(form.kind.findData("ollama"))
    assert form.choose.isHidden()
    form.kind.setCurrentIndex(form.kind.findData("anthropic"))
    assert form.choose.isVisible()
    assert asked == ["ollama"]


@WITHOUT_SCREEN
def test_several_names_are_chosen_one_after_the_other(made, qtbot):
    dialog = made(CLAUDE)
    dialog.servers.propose("anthropic", NAMES)
    form = dialog.servers.forms[0]
    dialog.area.ensureWidgetVisible(form)
    for name in NAMES[1:]:
        form.choose.click()
        popup = form.completer.popup()
        assert popup.isVisible()
        assert form.completer.names()[0] == name  # those that are in the list already are not offered again
        qtbot.keyClick(popup, Qt.Key.Key_Down)
        qtbot.keyClick(popup, Qt.Key.Key_Return)
        assert not popup.isVisible()
    assert saved_by(dialog, qtbot)[0].servers[0].models == NAMES


def test_where_all_names_are_written_there_is_none_to_choose(made, qtbot):
    dialog = made(Server("Anthropic", "", NAMES, kind="anthropic"))
    dialog.servers.propose("anthropic", NAMES)
    form = dialog.servers.forms[0]
    assert form.choose.isHidden()
    form.completer.open()
    assert form.models.text() == ", ".join(NAMES)
    form.models.edit.setText(NAMES[0])
    assert form.choose.isVisible()


@WITHOUT_SCREEN
def test_a_typed_part_of_a_name_is_completed_behind_the_others(made, qtbot):
    dialog = made(CLAUDE)
    dialog.servers.propose("anthropic", NAMES)
    form = dialog.servers.forms[0]
    form.models.edit.setFocus()
    form.models.edit.setText("my-own, ")
    qtbot.keyClicks(form.models.edit, "HAIKU")
    popup = form.completer.popup()
    assert popup.isVisible()
    assert form.completer.completionCount() == 1
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert form.models.edit.text() == "my-own, claude-haiku-4-5, "


@pytest.mark.parametrize(
    ("text", "parts"), [("", ("", "")), ("a", ("", "a")), ("a, b", ("a, ", "b")), ("a,b;", ("a,b;", ""))]
)
def test_the_last_name_is_the_one_that_is_written(text, parts):
    assert split_last(text) == parts


def test_the_engine_is_asked_and_what_it_found_is_stored(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.settings.open(window)
        await until(lambda: any(dialog.is_complete for dialog in window.findChildren(SettingsDialog)))
        dialog = window.findChildren(SettingsDialog)[0]
        dialog.servers.finder.button.click()
        await until(lambda: len(dialog.servers.finder.rows) == 2)
        dialog.servers.finder.rows[1].add.click()
        form = dialog.servers.forms[0]
        await until(lambda: form.completer.names())
        assert form.choose.isVisible()
        dialog.save.click()
        await until(lambda: window.settings._settings.servers == (CLAUDE,))

    play(scene)
