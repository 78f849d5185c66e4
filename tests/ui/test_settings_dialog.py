"""The settings: what is written is what is saved, and nothing that is wrong is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from settings_scenes import refuse, save, write

from desktop_app.conversation.listing import ModelInfo
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Server, Settings
from desktop_app.ui.settings.server_form import models_of, window_of
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.settings.window_sections import policies_offered

SERVER = Server("lmstudio", "http://localhost:1234/v1", ("qwen-7b", "llama-8b"), 131_072, 4_096)
SETTINGS = Settings(
    servers=(SERVER,), chat_model="lmstudio/llama-8b", theme="dark", font_scale=1.1, utility_model="lmstudio/small"
)
MODELS = ModelsListed(
    (
        ModelInfo("builtin", "SmolLM2 135M", 8_192, 2_048, is_builtin=True),
        ModelInfo("lmstudio/llama-8b", "llama-8b", 131_072, 4_096, note="lmstudio does not answer"),
    )
)


@pytest.fixture
def dialog(window):
    made = SettingsDialog(SettingsRead(SETTINGS, ("lmstudio",), "Keys lie in the system keyring."), MODELS, window)
    made.open()
    return made


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("8192", 8_192),
        ("128K", 128_000),
        ("1M", 1_000_000),
        ("1.5m", 1_500_000),
        ("200 k", 200_000),
        ("131,072", 131_072),
        ("1_000_000", 1_000_000),
        ("1.048.576", 1_048_576),
    ],
)
def test_windows_are_read_as_people_write_them(text, tokens):
    assert window_of(text) == tokens


@pytest.mark.parametrize("text", ["many", "12 apples", "-5", "0", "100", "1.0001K", "128KB", "∞"])
def test_what_is_no_window_is_refused(text):
    with pytest.raises(ValueError, match="128K"):
        window_of(text)


def test_models_are_named_once_in_their_order():
    assert models_of(" b, a;b\nc,, ") == ("b", "a", "c")


def test_saving_without_a_change_changes_nothing(dialog, qtbot):
    assert save(dialog, qtbot) == (SETTINGS, {})
    assert not dialog.isVisible()


def test_every_choice_is_saved(dialog, qtbot):
    qtbot.mouseClick(dialog.appearance.theme.button("light"), Qt.MouseButton.LeftButton)
    dialog.appearance.scale.setFocus()
    qtbot.keyClick(dialog.appearance.scale, Qt.Key.Key_Right)
    dialog.conversations.model.select.setCurrentIndex(0)
    dialog.conversations.prompt.clear()
    qtbot.keyClicks(dialog.conversations.prompt, "Answer in verse.")
    qtbot.mouseClick(dialog.context.automatic, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.context.policy.button("aggressive"), Qt.MouseButton.LeftButton)
    dialog.context.summaries.select.setCurrentIndex(0)
    saved, keys = save(dialog, qtbot)
    assert saved == Settings("builtin", (SERVER,), "light", 1.15, "aggressive", False, "Answer in verse.", "", "auto")
    assert keys == {}


def test_the_policy_says_what_it_does(dialog, qtbot):
    assert "75 %" in dialog.context.policy_note.text()
    qtbot.mouseClick(dialog.context.policy.button("relaxed"), Qt.MouseButton.LeftButton)
    assert "85 %" in dialog.context.policy_note.text()


def test_a_policy_like_another_programs_is_shown_where_it_was_chosen_and_is_kept(window, qtbot):
    assert [name for name, _ in policies_offered("balanced")] == ["relaxed", "balanced", "aggressive"]
    chosen = replace(SETTINGS, policy="seline")
    made = SettingsDialog(SettingsRead(chosen, ("lmstudio",), "Keys lie in the system keyring."), MODELS, window)
    made.open()
    assert made.context.policy_note.text().startswith("Imitates another program. Seline: ")
    saved, _ = save(made, qtbot)
    assert saved.policy == "seline"


def test_a_server_is_added_with_its_key(dialog, qtbot):
    qtbot.mouseClick(dialog.servers.add_server, Qt.MouseButton.LeftButton)
    form = dialog.servers.forms[1]
    write(qtbot, form.name, "work")
    write(qtbot, form.address, "https://llm.example.com/v1/")
    write(qtbot, form.models, "big, small")
    write(qtbot, form.window_size, "128K")
    write(qtbot, form.key, "sk-secret")
    saved, keys = save(dialog, qtbot)
    assert saved.servers == (SERVER, Server("work", "https://llm.example.com/v1", ("big", "small"), 128_000))
    assert keys == {"work": "sk-secret"}


def test_what_is_wrong_is_said_beside_its_field(dialog, qtbot):
    qtbot.mouseClick(dialog.servers.add_server, Qt.MouseButton.LeftButton)
    form = dialog.servers.forms[1]
    write(qtbot, form.name, "lmstudio")
    write(qtbot, form.address, "localhost:1234")
    write(qtbot, form.window_size, "huge")
    refuse(dialog, qtbot)
    assert form.name.error() == "Another server has this name."
    assert "http://localhost:1234/v1" in form.address.error()
    assert "at least one model" in form.models.error()
    assert "128K" in form.window_size.error()
    assert form.name.edit.hasFocus()
    write(qtbot, form.name, "a/b")
    refuse(dialog, qtbot)
    assert "“/”" in form.name.error()
    qtbot.mouseClick(form.remove, Qt.MouseButton.LeftButton)
    assert save(dialog, qtbot) == (SETTINGS, {})


@pytest.mark.parametrize("address", ["", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1"])
def test_addresses_that_lead_nowhere_are_refused(dialog, qtbot, address):
    write(qtbot, dialog.servers.forms[0].address, address)
    refuse(dialog, qtbot)
    assert dialog.servers.forms[0].address.error()


def test_a_key_is_hidden_replaced_and_removed_but_never_shown(dialog, qtbot):
    form = dialog.servers.forms[0]
    assert form.key.edit.text() == ""
    assert form.key.edit.echoMode() == form.key.edit.EchoMode.Password
    assert form.key.message.text() == "Keys lie in the system keyring."
    write(qtbot, form.key, "new")
    assert dialog.keys() == {"lmstudio": "new"}
    form.key.edit.clear()
    assert dialog.keys() == {}
    qtbot.mouseClick(form.remove_key, Qt.MouseButton.LeftButton)
    assert save(dialog, qtbot)[1] == {"lmstudio": ""}


def test_a_key_on_an_unencrypted_way_is_warned_of(dialog, qtbot):
    form = dialog.servers.forms[0]
    write(qtbot, form.key, "new")
    assert "not encrypted" not in form.key.message.text()
    write(qtbot, form.address, "http://llm.example.com/v1")
    assert "not encrypted" in form.key.message.text()
    for address in ("http://localhost.evil.com/v1", "http://127.0.0.1.evil.com", "HTTP://localhost@evil.com/v1"):
        write(qtbot, form.address, address)
        assert "not encrypted" in form.key.message.text(), address
    for address in ("http://[::1]:8080/v1", "http://127.0.0.2/v1", "https://llm.example.com/v1"):
        write(qtbot, form.address, address)
        assert "not encrypted" not in form.key.message.text(), address


def test_a_renamed_server_takes_its_model_along_and_asks_for_its_key(dialog, qtbot):
    form = dialog.servers.forms[0]
    write(qtbot, form.name, "studio")
    refuse(dialog, qtbot)
    assert "old name" in form.key.message.text()
    write(qtbot, form.key, "again")
    saved, keys = save(dialog, qtbot)
    assert saved.chat_model == "studio/llama-8b"
    assert keys == {"lmstudio": "", "studio": "again"}


def test_a_name_that_is_wrong_is_not_said_of_the_default_model(dialog, qtbot):
    dialog.conversations.model.select.setCurrentIndex(dialog.conversations.model.select.findData("lmstudio/llama-8b"))
    write(qtbot, dialog.servers.forms[0].name, "lm/studio")
    refuse(dialog, qtbot)
    assert dialog.servers.forms[0].name.error()
    assert not dialog.conversations.model.note.isVisible()


def test_a_removed_server_takes_its_key_along_and_must_not_be_the_default(dialog, qtbot):
    qtbot.mouseClick(dialog.servers.forms[0].remove, Qt.MouseButton.LeftButton)
    refuse(dialog, qtbot)
    assert "“lmstudio”" in dialog.conversations.model.note.text()
    dialog.conversations.model.select.setCurrentIndex(0)
    saved, keys = save(dialog, qtbot)
    assert saved.servers == ()
    assert keys == {"lmstudio": ""}


def test_a_default_model_that_is_not_listed_is_kept(window, qtbot):
    settings = Settings(chat_model="builtin")
    dialog = SettingsDialog(SettingsRead(settings, (), "nowhere"), ModelsListed(()), window)
    dialog.open()
    assert "not available" in dialog.conversations.model.select.currentText()
    assert save(dialog, qtbot)[0] == settings


def test_cancel_saves_nothing(dialog, qtbot):
    with qtbot.assertNotEmitted(dialog.save_requested), qtbot.waitSignal(dialog.rejected):
        qtbot.mouseClick(dialog.cancel, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("field", ["address", "key", "models", "window"])
def test_a_failure_leads_to_the_very_field(dialog, qtbot, field):
    dialog.show_setting(f"servers/lmstudio/{field}")
    edit = dialog.servers.forms[0].field(field).edit
    qtbot.waitUntil(edit.hasFocus)
    qtbot.waitUntil(lambda: dialog.area.viewport().rect().contains(edit.mapTo(dialog.area.viewport(), QPoint(4, 4))))


@pytest.mark.parametrize("setting", ["", "servers/gone/key", "servers/lmstudio/other", "nonsense"])
def test_a_setting_that_is_not_there_is_passed_over(dialog, setting):
    dialog.show_setting(setting)
