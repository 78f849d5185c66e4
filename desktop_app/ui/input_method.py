"""The input method that Qt uses: fcitx is reached without its plugin, which PySide's Qt does not have."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QLibraryInfo

MISSING_HERE = ("fcitx", "fcitx5", "xim")  # names that desktops and input methods tell users to set
INSTEAD = "wayland;ibus"
"""Names for QT_IM_MODULES. Under Wayland the compositor passes texts on; fcitx5 also answers as the portal of IBus."""


def choose_input_method() -> None:
    """Let Qt use another way to the chosen input method if it lacks the plugin. Call it before Qt starts."""
    if sys.platform.startswith("linux") and (instead := modules_instead(os.environ, _plugins())):
        os.environ["QT_IM_MODULES"] = instead
        os.environ["IBUS_USE_PORTAL"] = "1"  # the other way, over a socket, is one that fcitx5 does not offer


def modules_instead(environment: Mapping[str, str], plugins: str) -> str:
    """Return what QT_IM_MODULES should be; "" if what the user chose can stay. plugins: names of Qt's plugins."""
    chosen = environment.get("QT_IM_MODULES") or environment.get("QT_IM_MODULE") or ""
    if not chosen and environment.get("XMODIFIERS", "").removeprefix("@im=") in MISSING_HERE:
        chosen = "fcitx"
    names = [name for name in chosen.split(";") if name]
    if not any(name in MISSING_HERE and name not in plugins for name in names):
        return ""
    others = [name for name in names if name not in MISSING_HERE and name not in INSTEAD.split(";")]
    return ";".join((INSTEAD, *others))


def _plugins() -> str:
    folders = [
        QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath),
        *os.environ.get("QT_PLUGIN_PATH", "").split(":"),
    ]
    found = (path.name for folder in folders if folder for path in Path(folder).glob("platforminputcontexts/*.so"))
    return " ".join(found)
