"""How a person writes into the settings, saves them, and is refused."""

from __future__ import annotations

from PySide6.QtCore import Qt

from desktop_app.settings import Settings


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
