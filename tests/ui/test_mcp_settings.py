"""MCP servers in the settings: their states, what they want to write, and configurations of other programs."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from settings_scenes import SETTINGS, open_settings, refuse, save

from desktop_app.conversation.events import Failure
from desktop_app.conversation.tool_servers import ToolServerState
from desktop_app.settings import McpServer
from desktop_app.ui.composer.composer import Composer


@pytest.fixture
def dialog(window):
    dialog = open_settings(window)
    dialog.show_section("tools")
    return dialog


def click(qtbot, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_state_of_a_server_is_shown_with_its_last_lines(dialog, qtbot):
    tracker, far = dialog.mcp_servers.forms
    broken = Failure("connection", "t", "The last lines of its errors: no such package", advice="Install it.")
    states = (
        ToolServerState("tracker", "failed", failures=(broken,)),
        ToolServerState("far", "running", 14, lines="up"),
    )
    dialog.mcp_servers.show_states(states)
    assert "no such package" in tracker.state.details.text()
    assert "14" in far.state.status.text()
    assert far.state.lines.text() == "up"
    assert tracker.state.button.text() == far.state.button.text() != ""
    with qtbot.waitSignal(dialog.try_requested) as tried:
        click(qtbot, tracker.state.button)
    assert tried.args == [tracker]
    assert not tracker.state.button.isEnabled()
    assert tracker.key_to_use() is None
    dialog.show_setting("mcp_servers/tracker/writable")
    assert tracker.state.isVisible()


def test_a_folder_that_a_server_wants_to_write_is_allowed_with_one_click(dialog, qtbot):
    tracker = dialog.mcp_servers.forms[0]
    state = ToolServerState("tracker", "running", 2, (Failure("sandbox", "t", "d"),), ("/home/me/.serena",))
    tracker.state.show_state(state)
    assert not tracker.state.details.isVisible(), "the link says it"
    [link] = tracker.state.links
    assert "/home/me/.serena" in link.text()
    with qtbot.waitSignal(dialog.try_requested):
        click(qtbot, link)
    assert save(dialog, qtbot)[0].mcp_servers[0].writable == ("/home/me/.serena",)


def test_a_configuration_of_another_program_is_pasted(dialog, qtbot):
    box = dialog.mcp_servers.paste
    click(qtbot, box.open)
    box.text.setPlainText("no configuration")
    click(qtbot, box.add)
    assert box.remarks.isVisible()
    servers = {
        "tracker": {"command": "uvx", "args": ["mcp-server-time"], "autoApprove": ["x"]},
        "docs": {"url": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer k-1", "X-Team": "7"}},
    }
    box.text.setPlainText(json.dumps({"mcpServers": servers}))
    click(qtbot, box.add)
    assert "autoApprove" in box.remarks.text()
    settings, keys = save(dialog, qtbot)
    assert settings.mcp_servers[2:] == (
        McpServer("tracker 2", ("uvx", "mcp-server-time")),
        McpServer("docs", url="https://docs.example.com/mcp", headers={"X-Team": "7"}),
    )
    assert keys == {"mcp/docs": "k-1"}


def test_headers_and_tools_without_a_question_are_saved(dialog, qtbot):
    far = dialog.mcp_servers.forms[1]
    far.headers.area.setPlainText("no header")
    refuse(dialog, qtbot)
    far.headers.area.setPlainText("X-Team: 7\n\nX-Other: a: b")
    far.allowed.choices.choose("reading")
    saved = save(dialog, qtbot)[0].mcp_servers[1]
    assert saved.headers == {"X-Team": "7", "X-Other": "a: b"}
    assert saved.allowed == "reading"
    assert SETTINGS.mcp_servers[1].headers == {}


def test_the_tools_button_has_a_mark_while_a_server_does_not_answer(qtbot):
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show_tools(True)
    plain = composer.tools.text()
    composer.show_tools(True, ("docs",))
    assert composer.tools.text() != plain
    assert "docs" in composer.tools.toolTip()
    composer.show_tools(True)
    assert composer.tools.text() == plain
