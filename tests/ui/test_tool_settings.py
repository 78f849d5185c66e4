"""Settings of tools, roles, memory, and of servers by their kind."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from settings_scenes import refuse, save, write

from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.tools import Rule
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.models.endpoint import DEFAULT_ADDRESS
from desktop_app.models.key_environment import VARIABLES
from desktop_app.settings import McpServer, Server, Settings
from desktop_app.ui.settings.mcp_form import command_of, environment_of
from desktop_app.ui.settings.server_kinds import KINDS
from desktop_app.ui.settings.settings_dialog import SettingsDialog

TRACKER = McpServer("tracker", ("npx", "-y", "the tracker"), environment={"LEVEL": "very loud"}, folder="/srv")
SETTINGS = Settings(
    servers=(Server("anthropic", "", ("claude-sonnet-4-5",), kind="anthropic"),),
    rules=(Rule("bash", "git *"), Rule("*", "/etc/*", is_allowed=False)),
    mcp_servers=(TRACKER, McpServer("far", url="https://tools.example.com/mcp", is_on=False)),
    vision_model="anthropic/claude-sonnet-4-5",
    max_rounds=40,
    search_url="https://search.example.com",
    is_recalling=False,
)
MODELS = ModelsListed(
    (
        ModelInfo("builtin", "SmolLM2 135M", 8_192, 2_048, is_builtin=True, supports_tools=False),
        ModelInfo("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", 200_000, 8_192, supports_vision=True),
    )
)


@pytest.fixture
def dialog(window) -> SettingsDialog:
    made = SettingsDialog(SettingsRead(SETTINGS, ("mcp/far",), "Keys lie in the system keyring."), MODELS, window)
    made.open()
    return made


def test_what_is_not_touched_is_saved_as_it_was(dialog, qtbot):
    assert save(dialog, qtbot) == (SETTINGS, {})


def test_kinds_are_where_the_engine_looks_for_them():
    assert {kind: info.address for kind, info in KINDS.items() if info.address} == DEFAULT_ADDRESS
    assert {kind: info.variable for kind, info in KINDS.items() if info.variable} == {
        kind: names[0] for kind, names in VARIABLES.items()
    }


def test_a_provider_is_added_by_its_kind_its_model_and_its_key(dialog, qtbot):
    qtbot.mouseClick(dialog.servers.add_server, Qt.MouseButton.LeftButton)
    form = dialog.servers.forms[1]
    form.kind.setCurrentIndex(form.kind.findData("moonshot"))
    assert form.name.text() == "moonshot"
    assert "api.moonshot.ai" in form.address.edit.placeholderText()
    assert "MOONSHOT_API_KEY" in form.key.edit.placeholderText()
    write(qtbot, form.models, "kimi-k2.5")
    write(qtbot, form.key, "sk-1")
    saved, keys = save(dialog, qtbot)
    assert saved.servers[1] == Server("moonshot", "", ("kimi-k2.5",), kind="moonshot")
    assert keys == {"moonshot": "sk-1"}


def test_a_name_that_was_given_outlasts_another_kind(dialog, qtbot):
    qtbot.mouseClick(dialog.servers.add_server, Qt.MouseButton.LeftButton)
    form = dialog.servers.forms[1]
    write(qtbot, form.name, "work")
    form.kind.setCurrentIndex(form.kind.findData("ollama"))
    assert form.name.text() == "work"


def test_a_server_of_no_known_place_needs_its_address(dialog, qtbot):
    form = dialog.servers.forms[0]
    form.kind.setCurrentIndex(form.kind.findData("openai_compatible"))
    refuse(dialog, qtbot)
    assert form.address.error()


def test_roles_are_chosen_among_models_that_can_do_it(dialog, qtbot):
    vision, research = dialog.roles.vision.select, dialog.roles.research.select
    assert [vision.itemData(n) for n in range(vision.count())] == ["", "anthropic/claude-sonnet-4-5"]
    assert [research.itemData(n) for n in range(research.count())] == ["", "anthropic/claude-sonnet-4-5"]
    vision.setCurrentIndex(0)
    research.setCurrentIndex(1)
    write(qtbot, dialog.servers.forms[0].name, "claude")
    saved, _ = save(dialog, qtbot)
    assert (saved.vision_model, saved.research_model) == ("", "claude/claude-sonnet-4-5")


def test_rules_are_listed_and_taken_back(dialog, qtbot):
    assert [row.rule for row in dialog.tools.rules.rows] == list(SETTINGS.rules)
    qtbot.mouseClick(dialog.tools.rules.rows[0].remove, Qt.MouseButton.LeftButton)
    assert not dialog.tools.rules.empty.isVisible()
    qtbot.mouseClick(dialog.tools.rules.rows[0].remove, Qt.MouseButton.LeftButton)
    assert dialog.tools.rules.empty.isVisible()
    assert save(dialog, qtbot)[0].rules == ()


def test_memory_recall_search_rounds_and_folder_are_saved(dialog, qtbot):
    dialog.memory.memory.click()
    dialog.memory.recall.click()
    write(qtbot, dialog.tools.search, "")
    write(qtbot, dialog.tools.rounds, "5")
    write(qtbot, dialog.tools.folder, "/home/ana/src")
    saved, _ = save(dialog, qtbot)
    expected = replace(
        SETTINGS, is_memory_on=False, is_recalling=True, search_url="", max_rounds=5, folder="/home/ana/src"
    )
    assert saved == expected


@pytest.mark.parametrize(
    ("field", "text"), [("rounds", "0"), ("rounds", "many"), ("rounds", "9999"), ("search", "x"), ("folder", "src")]
)
def test_what_is_wrong_is_refused_beside_its_field(dialog, qtbot, field, text):
    chosen = getattr(dialog.tools, field)
    write(qtbot, chosen, text)
    refuse(dialog, qtbot)
    assert chosen.error()
    assert chosen.edit.hasFocus()


def test_a_server_of_tools_is_a_program_or_an_address(dialog, qtbot):
    program, address = dialog.tools.forms
    assert program.command.text() == "npx -y 'the tracker'"
    assert program.variables.text() == "'LEVEL=very loud'"
    assert program.command.isVisible()
    assert not program.url.isVisible()
    assert address.url.isVisible()
    assert not address.switch.isChecked()
    write(qtbot, address.key, "sk-2")
    program.way.button("address").click()
    write(qtbot, program.url, "https://tracker.example.com/mcp")
    saved, keys = save(dialog, qtbot)
    assert saved.mcp_servers[0] == McpServer("tracker", url="https://tracker.example.com/mcp", folder="/srv")
    assert keys == {"mcp/far": "sk-2"}


def test_a_server_of_tools_is_added_checked_and_removed(dialog, qtbot):
    dialog.tools.add_server.click()
    form = dialog.tools.forms[2]
    write(qtbot, form.name, "tracker")
    write(qtbot, form.command, "run 'unclosed")
    write(qtbot, form.variables, "1BAD=x")
    refuse(dialog, qtbot)
    assert "Another" in form.name.error()
    assert "quotation" in form.command.error()
    assert "NAME=value" in form.variables.error()
    qtbot.mouseClick(form.remove, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.tools.forms[1].remove, Qt.MouseButton.LeftButton)
    saved, keys = save(dialog, qtbot)
    assert saved.mcp_servers == (TRACKER,)
    assert keys == {"mcp/far": ""}


def test_a_new_server_of_tools_is_scrolled_into_sight(dialog, qtbot):
    dialog.tools.add_server.click()
    form = dialog.tools.forms[-1]
    qtbot.waitUntil(lambda: form.visibleRegion().boundingRect().height() == form.height())


def test_command_lines_are_read_as_a_shell_reads_them():
    assert command_of("npx -y '@a/b c'") == ("npx", "-y", "@a/b c")
    assert environment_of("A=1 'B=two words' C=") == {"A": "1", "B": "two words", "C": ""}
    with pytest.raises(ValueError, match="NAME=value"):
        environment_of("nonsense")
