"""The sections of the settings: one at a time, found by words, and led to by what is wrong; and the look, live."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from settings_scenes import MODELS, SETTINGS, STUDIO, open_settings, refuse, save, write
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.conversation.setup import OwnPolicy
from desktop_app.conversation.tools import Rule
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Settings
from desktop_app.ui.settings.entries import FolderField
from desktop_app.ui.settings.mcp_form import FolderLines
from desktop_app.ui.settings.sections import RuleList, policy_description
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.theme import theme
from desktop_app.ui.translation import use_language
from desktop_app.ui.widgets.file_dialog import FileDialog
from texts import DOWN_TO, ROOM_BEFORE_REQUEST, ROOM_IN_BACKGROUND


@pytest.fixture
def dialog(window):
    return open_settings(window)


def test_one_section_is_shown_and_chosen_by_the_keyboard(dialog, qtbot):
    assert dialog.servers.isVisible()
    rows = [row.key for row in dialog.side.list.rows.rows]
    dialog.side.list.setFocus()
    for _ in rows[1:]:
        qtbot.keyClick(dialog.side.list, Qt.Key.Key_Down)
    assert dialog.about.isVisible()
    assert not dialog.servers.isVisible()
    assert len(rows) == 10


def test_a_setting_is_found_by_its_words(dialog, qtbot):
    qtbot.keyClicks(dialog.side.field, "no such words")
    assert dialog.side.list.rows.rows == []
    dialog.side.field.clear()
    qtbot.keyClicks(dialog.side.field, "WEB search")
    assert [row.key for row in dialog.side.list.rows.rows] == ["tools"]
    assert dialog.entries["search_url"].isVisible()
    dialog.show_section("look")
    assert dialog.side.field.text() == ""
    assert dialog.side.list.current_key() == "look"


def test_a_policy_is_described_by_its_own_numbers(qapp):
    mine = OwnPolicy("mine", "relaxed", {"phases": ["before_request"], "target": 0.42, "min_target": 0})
    settings = Settings(policies=(mine,))
    assert policy_description(settings, "balanced") == (
        ROOM_IN_BACKGROUND.format(soft=75, hard=90, target=30, tokens=3_200)
    )
    assert DOWN_TO.format(target=20, tokens=2_400) in policy_description(settings, "aggressive")
    assert policy_description(settings, "mine") == (ROOM_BEFORE_REQUEST.format(hard=93, target=42))


def test_what_is_wrong_elsewhere_is_shown(dialog, qtbot):
    write(qtbot, dialog.entries["max_rounds"], "0")
    refuse(dialog, qtbot)
    assert dialog.entries["max_rounds"].edit.isVisible()
    assert dialog.entries["max_rounds"].edit.hasFocus()


@pytest.mark.long
def test_another_look_is_told_at_once(dialog, qtbot):
    with qtbot.waitSignal(dialog.look_changed) as told:
        dialog.entries["theme"].choices.button("light").click()
        dialog.entries["font_scale"].slider.setValue(125)
    assert (told.args[0].theme, told.args[0].font_scale) == ("light", 1.25)


@pytest.mark.wire
@play_scene()
async def test_to_cancel_what_was_not_changed_styles_nothing_anew(window, bridge):
    window.settings.show_theme()
    before = theme.version
    window.settings.open()
    dialog = await opened_sheet(window, SettingsDialog)
    dialog.cancel.click()
    await until(lambda: not window.findChildren(SettingsDialog))
    assert theme.version == before


@pytest.mark.wire
@play_scene()
async def test_another_text_size_is_seen_at_once_and_left_by_cancel(window, bridge):
    before = theme.font_scale
    window.settings.open()
    dialog = await opened_sheet(window, SettingsDialog)
    dialog.entries["font_scale"].slider.setValue(round(before * 100) + 30)
    await until(lambda: theme.font_scale > before)
    dialog.cancel.click()
    dialog.question.discard.click()
    await until(lambda: theme.font_scale == before)
    QApplication.sendPostedEvents()


def test_a_list_without_servers_and_a_search_without_hits_say_so(window, qtbot):
    dialog = open_settings(window, Settings())
    assert dialog.servers.empty.isVisible()
    dialog.servers.add_form(STUDIO)
    assert not dialog.servers.empty.isVisible()
    dialog.servers.forms[0].remove.click()
    assert dialog.servers.empty.isVisible()
    assert dialog.side.field.hasFocus(), "and not the button that throws away"
    qtbot.keyClicks(dialog.side.field, "xyzzy")
    assert dialog.side.empty.isVisible()
    dialog.side.field.clear()
    assert not dialog.side.empty.isVisible()


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("in memory, for this session only", "Schlüssel liegen im Arbeitsspeicher, nur für diese Sitzung."),
        ("in the system’s keyring (Safe)", "Schlüssel liegen im Schlüsselbund des Systems (Safe)."),
        (
            "in memory, for this session only: the system’s keyring did not open (Locked)",
            "Schlüssel liegen im Arbeitsspeicher, nur für diese Sitzung: der Schlüsselbund des Systems ließ sich nicht "
            "öffnen (Locked).",
        ),
    ],
)
@pytest.mark.long
def test_where_keys_are_kept_is_said_in_the_windows_language(qapp, window, language_is_restored, stored, shown):
    use_language(qapp, "de")
    dialog = SettingsDialog(SettingsRead(SETTINGS, (), stored), ModelsListed(MODELS), window)
    dialog.open()
    assert dialog.servers.forms[0].key.message.text() == shown


def test_the_sandbox_is_chosen_for_commands_and_for_each_server(qtbot, window):
    dialog = open_settings(window)
    dialog.show_setting("tools")
    assert dialog.entries["is_sandboxed"].value()
    qtbot.mouseClick(dialog.entries["is_sandboxed"].switch, Qt.MouseButton.LeftButton)
    dialog.entries["command_network"].choices.choose("off")
    dialog.entries["writable_folders"].area.setPlainText("not a full path")
    refuse(dialog, qtbot)
    dialog.entries["writable_folders"].area.setPlainText("/srv/a\n\n ~/b \n")
    form = dialog.mcp_servers.forms[0]
    form.sandbox.choices.choose("closed")
    form.writable.area.setPlainText("/var/cache")
    settings, _ = save(dialog, qtbot)
    assert (settings.is_sandboxed, settings.command_network) == (False, "off")
    assert settings.writable_folders == ("/srv/a", "~/b")
    assert (settings.mcp_servers[0].sandbox, settings.mcp_servers[0].writable) == ("closed", ("/var/cache",))


def test_it_is_said_that_there_is_no_sandbox(qapp, window, language_is_restored):
    use_language(qapp, "de")
    fault = "bubblewrap is not installed (the system's package “bubblewrap”)."
    dialog = SettingsDialog(SettingsRead(SETTINGS, (), "", fault), ModelsListed(MODELS), window)
    dialog.open()
    dialog.build()
    told = dialog.entries["is_sandboxed"].message.text()
    assert told == "bubblewrap ist nicht installiert (das Paket „bubblewrap“ des Systems). Befehle laufen ohne Sandbox."


def test_the_states_of_a_tool_that_are_allowed_are_one_rule_to_the_user(qtbot):
    states = tuple(Rule("bank__work", "bank/work", fingerprint=state) for state in ("one", "two"))
    rules = RuleList((*states, Rule("bash", "ls *")))
    qtbot.addWidget(rules)
    assert rules.value() == (*states, Rule("bash", "ls *"))
    assert len(rules.removals) == 2
    rules.removals[Rule("bank__work", "bank/work")].click()
    assert rules.value() == (Rule("bash", "ls *"),)


def test_a_folder_is_chosen_by_its_button(qtbot, window, tmp_path):
    entry = FolderField("folder", "Working folder", str(tmp_path / "before"))
    qtbot.addWidget(entry)
    entry.show()
    entry.choose.click()
    dialog = entry.findChild(FileDialog)
    dialog.fileSelected.emit(str(tmp_path))
    assert entry.value() == str(tmp_path)
    entry.edit.setText("relative/folder")
    assert entry.check() is entry.edit
    lines = FolderLines("writable", "Other folders", ("/srv/one",))
    qtbot.addWidget(lines)
    lines.choose.click()
    lines.findChild(FileDialog).fileSelected.emit(str(tmp_path))
    assert lines.value() == ("/srv/one", str(tmp_path))
