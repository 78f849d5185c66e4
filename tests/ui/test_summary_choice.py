"""Who writes the summaries: one choice in the settings, which says what it means, and what is missing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop_app.conversation.listing import ModelInfo
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Server, Settings
from desktop_app.ui.settings.settings_dialog import SettingsDialog

SERVER = Server("lmstudio", "http://localhost:1234/v1", ("qwen-7b", "llama-8b"), 131_072, 4_096)
MODELS = ModelsListed(
    (
        ModelInfo("builtin", "SmolLM2 135M", 8_192, 2_048, is_builtin=True),
        ModelInfo("lmstudio/llama-8b", "llama-8b", 131_072, 4_096, note="lmstudio does not answer"),
    )
)
OWN, CODE = "The chat’s own model", "Rules, without a model (free)"
LLAMA = "llama-8b · lmstudio does not answer"


@pytest.fixture
def opened(window):
    """`opened(**changes)`: the dialog over settings that were changed so; other models if those are given."""

    def open_(models=MODELS, **changes):
        settings = Settings(servers=(SERVER,), chat_model="lmstudio/llama-8b", **changes)
        made = SettingsDialog(SettingsRead(settings, (), "Keys lie in the system keyring."), models, window)
        made.open()
        return made

    return open_


def choices(dialog) -> list[str]:
    select = dialog.context.summaries.select
    return [select.itemText(place) for place in range(select.count())]


def choose(dialog, words: str) -> None:
    dialog.context.summaries.select.setCurrentIndex(choices(dialog).index(words))


def save(dialog, qtbot) -> Settings:
    with qtbot.waitSignal(dialog.save_requested) as saved:
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    return saved.args[0]


def test_summaries_are_written_by_the_chats_own_model_another_one_or_code(opened, qtbot):
    dialog = opened()
    select = dialog.context.summaries.select
    assert choices(dialog) == [OWN, LLAMA, CODE]
    assert select.currentText() == OWN
    assert "built-in model" in dialog.context.summaries.note.text()
    select.setFocus()
    qtbot.keyClick(select, Qt.Key.Key_Down)
    assert select.currentText() == LLAMA
    assert "sent to lmstudio" in dialog.context.summaries.note.text()
    saved = save(dialog, qtbot)
    assert (saved.summaries, saved.utility_model) == ("auto", "lmstudio/llama-8b")


def test_code_alone_keeps_the_model_that_a_plan_by_hand_asks_for(opened, qtbot):
    dialog = opened(utility_model="lmstudio/llama-8b")
    choose(dialog, CODE)
    assert "Nothing is sent" in dialog.context.summaries.note.text()
    saved = save(dialog, qtbot)
    assert (saved.summaries, saved.utility_model) == ("extractive", "lmstudio/llama-8b")
    again = opened(utility_model="lmstudio/llama-8b", summaries="extractive")
    assert again.context.summaries.select.currentText() == CODE
    choose(again, OWN)
    saved = save(again, qtbot)
    assert (saved.summaries, saved.utility_model) == ("auto", "")


def test_a_model_that_is_gone_is_shown_as_missing_and_kept(opened, qtbot):
    dialog = opened(utility_model="lmstudio/small")
    assert dialog.context.summaries.select.currentText() == "lmstudio/small · not set up"
    assert dialog.context.summaries.note.text().startswith("lmstudio/small is not set up.")
    models = dialog.servers.forms[0].models.edit
    models.end(False)
    qtbot.keyClicks(models, ", small")
    assert dialog.context.summaries.note.text().startswith("lmstudio/small reads")
    qtbot.mouseClick(dialog.servers.forms[0].remove, Qt.MouseButton.LeftButton)
    assert dialog.context.summaries.note.text().startswith("lmstudio/small is not set up.")
    assert dialog.context.summaries.select.accessibleDescription() == dialog.context.summaries.note.text()
    dialog.conversations.model.select.setCurrentIndex(0)
    assert save(dialog, qtbot).utility_model == "lmstudio/small"


def test_a_model_for_summaries_follows_its_server_to_a_new_name(opened, qtbot):
    dialog = opened(utility_model="lmstudio/llama-8b", summaries="extractive")
    dialog.servers.forms[0].name.edit.clear()
    qtbot.keyClicks(dialog.servers.forms[0].name.edit, "studio")
    saved = save(dialog, qtbot)
    assert (saved.summaries, saved.utility_model) == ("extractive", "studio/llama-8b")


def test_a_model_whose_window_nobody_knows_cannot_write_and_the_built_in_one_neither(opened):
    unknown = ModelInfo("lmstudio/qwen-7b", "qwen-7b", 0, 0, note="lmstudio does not say how many tokens it accepts.")
    dialog = opened(ModelsListed((*MODELS.models, unknown)), utility_model="lmstudio/qwen-7b")
    assert dialog.context.summaries.note.text().startswith("lmstudio does not say how many tokens it accepts. Until")
    builtin = opened(utility_model="builtin")
    assert builtin.context.summaries.select.currentText() == "SmolLM2 135M · too small"
    assert "by rules" in builtin.context.summaries.note.text()


def test_models_of_the_same_name_are_told_apart(opened):
    twins = tuple(ModelInfo(f"{server}/qwen", "qwen", 8_192, 1_000) for server in ("home", "work"))
    assert choices(opened(ModelsListed(twins)))[1:3] == ["home/qwen", "work/qwen"]


def test_summaries_come_between_the_policy_and_the_servers_with_the_keyboard(opened, qtbot):
    dialog = opened()
    select = dialog.context.summaries.select
    select.setFocus()
    assert select.accessibleName() == "Summaries written by"
    qtbot.keyClick(select, Qt.Key.Key_Backtab)
    assert dialog.context.policy.isAncestorOf(dialog.focusWidget())
    select.setFocus()
    qtbot.keyClick(select, Qt.Key.Key_Tab)
    following = dialog.focusWidget()
    assert following is dialog.servers.add_server or any(form.isAncestorOf(following) for form in dialog.servers.forms)
