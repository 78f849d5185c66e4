"""The file dialog of Qt, which a system without its own gets: it shows our theme and the text size."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLineEdit, QPushButton, QToolButton, QWidget
from test_layout import luminance

from desktop_app.ui.style import show_theme
from desktop_app.ui.widgets.file_dialog import ARROWS, WIDTH, FileDialog
from desktop_app.ui.widgets.look import CONTROL_HEIGHT, colour, scale

UI = Path(__file__).resolve().parents[2] / "desktop_app" / "ui"


@pytest.fixture
def themed(qapp: QApplication):
    """Shows a theme and a text size."""
    return lambda choice, size=1.0: show_theme(qapp, choice, size)


def opened(window: QWidget, folder: Path) -> FileDialog:
    made = FileDialog(window, "Attach files", str(folder))
    made.setOption(QFileDialog.Option.DontUseNativeDialog)
    made.open()
    return made


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_the_arrows_stand_out_from_the_ground(themed, window, tmp_path: Path, choice: str) -> None:
    themed(choice)
    dialog = opened(window, tmp_path)
    ground = luminance(colour("paper"))
    for name in ARROWS:
        picture = dialog.findChild(QToolButton, name).icon().pixmap(16, 16).toImage()
        points = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
        painted = [luminance(one) for one in points if one.alpha() > 200]
        assert painted, name
        least, most = sorted((ground, painted[0]))
        assert (most + 0.05) / (least + 0.05) >= 4.5, name


@pytest.mark.parametrize("size", [1.0, 2.0])
def test_its_controls_are_as_high_as_ours(themed, window, tmp_path: Path, size: float) -> None:
    themed("dark", size)
    dialog = opened(window, tmp_path)
    shown = [one for kind in (QPushButton, QComboBox, QLineEdit) for one in dialog.findChildren(kind)]
    heights = {one.sizeHint().height() for one in shown if one.isVisible()}
    assert heights == {scale(CONTROL_HEIGHT)}
    assert dialog.width() == min(scale(WIDTH), dialog.screen().availableSize().width())


def test_no_other_file_dialog_is_opened() -> None:
    for file in UI.rglob("*.py"):
        assert file.name == "file_dialog.py" or not re.search(r"\bQFileDialog[(.]get|\bQFileDialog\(", file.read_text())
