"""Input methods whose plugin Qt lacks, and fields while one composes."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication

from desktop_app.ui.composer.draft_field import DraftField
from desktop_app.ui.input_method import modules_instead

OURS = "libibusplatforminputcontextplugin.so libcomposeplatforminputcontextplugin.so"


@pytest.mark.parametrize(
    ("variables", "plugins", "instead"),
    [
        ({"QT_IM_MODULE": "fcitx"}, OURS, "wayland;ibus"),
        ({"QT_IM_MODULE": "fcitx5"}, OURS, "wayland;ibus"),
        ({"QT_IM_MODULES": "wayland;fcitx;ibus", "QT_IM_MODULE": "fcitx"}, OURS, "wayland;ibus"),
        ({"QT_IM_MODULES": "fcitx;compose"}, OURS, "wayland;ibus;compose"),
        ({"QT_IM_MODULE": "xim", "XMODIFIERS": "@im=fcitx"}, OURS, "wayland;ibus"),
        ({"XMODIFIERS": "@im=fcitx"}, OURS, "wayland;ibus"),
        ({"QT_IM_MODULE": "fcitx"}, f"{OURS} libfcitx5platforminputcontextplugin.so", ""),
        ({"QT_IM_MODULE": "ibus", "XMODIFIERS": "@im=ibus"}, OURS, ""),
        ({"QT_IM_MODULE": "compose", "XMODIFIERS": "@im=fcitx"}, OURS, ""),
        ({"XMODIFIERS": "@im=ibus"}, OURS, ""),
        ({}, OURS, ""),
    ],
)
def test_fcitx_is_reached_without_its_plugin(variables: dict[str, str], plugins: str, instead: str) -> None:
    assert modules_instead(variables, plugins) == instead


def test_the_placeholder_makes_way_for_what_is_composed(qtbot) -> None:
    field = DraftField()
    qtbot.addWidget(field)
    field.setPlaceholderText("Message…")
    QApplication.sendEvent(field, QInputMethodEvent("ni hao", []))
    assert field.placeholderText() == ""
    field.setPlaceholderText("Message")  # the window is made narrower meanwhile
    assert field.placeholderText() == ""
    QApplication.sendEvent(field, QInputMethodEvent("", []))
    assert field.placeholderText() == "Message"
