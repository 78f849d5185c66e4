"""How a person opens the settings, writes into them, saves them, and is refused."""

from __future__ import annotations

from PySide6.QtCore import Qt

from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.tools import Rule
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import McpServer, Server, Settings
from desktop_app.ui.settings.settings_dialog import SettingsDialog

STORAGE = "in the system’s keyring (Safe)"
STUDIO = Server("lmstudio", "http://localhost:1234/v1", ("qwen-7b", "llama-8b"), 131_072, 4_096)
CLAUDE = Server("anthropic", "", ("claude-sonnet-4-5",), kind="anthropic")
TRACKER = McpServer("tracker", ("npx", "-y", "the tracker"), environment={"LEVEL": "very loud"}, folder="/srv")
SETTINGS = Settings(
    servers=(STUDIO, CLAUDE),
    chat_model="lmstudio/llama-8b",
    utility_model="lmstudio/small",
    vision_model="anthropic/claude-sonnet-4-5",
    theme="dark",
    font_scale=1.1,
    rules=(Rule("bash", "git *"), Rule("*", "/etc/*", is_allowed=False)),
    mcp_servers=(TRACKER, McpServer("far", url="https://tools.example.com/mcp", is_on=False)),
    max_rounds=40,
    search_url="https://search.example.com",
    is_recalling=False,
)
MODELS = (
    ModelInfo("builtin", "SmolLM2 135M", 8_192, 2_048, is_builtin=True, supports_tools=False),
    ModelInfo("lmstudio/llama-8b", "llama-8b", 131_072, 4_096, note="lmstudio does not answer"),
    ModelInfo("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5", 200_000, 8_192, supports_vision=True),
)


def open_settings(window, settings=SETTINGS, models=MODELS, keys=("lmstudio", "mcp/far")) -> SettingsDialog:
    """Open the dialog. keys: the names of those that are stored."""
    dialog = SettingsDialog(SettingsRead(settings, keys, STORAGE), ModelsListed(models), window)
    dialog.open()
    return dialog


def write(qtbot, field, text: str) -> None:
    field.edit.clear()
    qtbot.keyClicks(field.edit, text)


def save(dialog, qtbot) -> tuple[Settings, dict[str, str]]:
    with qtbot.waitSignal(dialog.save_requested, timeout=2_000) as saved:
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    return saved.args[0], saved.args[1]


def refuse(dialog, qtbot) -> None:
    with qtbot.assertNotEmitted(dialog.save_requested):
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
