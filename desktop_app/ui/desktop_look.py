"""The dark theme or high contrast that the desktop prefers, as its portal or the settings of GTK say.

Qt asks the portal only on GNOME and KDE, and shows its answer only after the first paint.
"""

from __future__ import annotations

import configparser
import logging
import os
from pathlib import Path
from typing import Any

from jeepney import DBusAddress, Message
from PySide6.QtCore import QObject, Signal

from .session_bus import PORTAL_NAME, PORTAL_PATH, SessionBus, is_error, words_of_error

log = logging.getLogger(__name__)

SETTINGS = DBusAddress(PORTAL_PATH, PORTAL_NAME, "org.freedesktop.portal.Settings")
APPEARANCE, GNOME = "org.freedesktop.appearance", "org.gnome.desktop.interface"
BEFORE_FIRST_PAINT = 0.15  # seconds that a portal which is already running has to answer
DARK_SCHEME, LIGHT_SCHEME = 1, 2  # of the portal's "color-scheme"; 0 for no preference
SCHEMES: dict[Any, bool | None] = {DARK_SCHEME: True, LIGHT_SCHEME: False}


class DesktopLook(QObject):
    """What the desktop prefers. Signal: changed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[tuple[str, str], Any] = {}
        self._is_asked = False

    def ask(self) -> None:
        """Ask the portal, and wait a moment only if it is running: then the first paint is right."""
        self._is_asked = True
        try:
            bus = SessionBus(self)
            is_running = bus.has(PORTAL_NAME)
        except OSError as error:
            log.info("The desktop does not say how it looks: %s", error)
            return
        bus.listen(SETTINGS, self._hear)
        bus.call(SETTINGS, "ReadAll", "as", ([APPEARANCE, GNOME],), self._take)
        if is_running:
            bus.wait_for_answers(BEFORE_FIRST_PAINT)

    @property
    def is_dark(self) -> bool | None:
        """Whether it prefers a dark theme; None if it says nothing or was not asked."""
        if not self._is_asked:
            return None
        scheme = SCHEMES.get(self._told.get((APPEARANCE, "color-scheme")))
        return is_dark_in_gtk(self._told.get((GNOME, "gtk-theme"), "")) if scheme is None else scheme

    @property
    def has_high_contrast(self) -> bool | None:
        """Whether it prefers high contrast; None if it says nothing."""
        contrast = self._told.get((APPEARANCE, "contrast"))
        return None if contrast is None else contrast == 1

    def _take(self, answer: Message) -> None:
        if is_error(answer):
            log.info("The portal does not say how the desktop looks: %s", words_of_error(answer))
            return
        for namespace, values in answer.body[0].items():
            self._told |= {(namespace, key): value for key, (_, value) in values.items()}
        self.changed.emit()

    def _hear(self, name: str, body: tuple[Any, ...]) -> None:
        if name == "SettingChanged" and body[0] in (APPEARANCE, GNOME):
            self._told[body[0], body[1]] = body[2][1]
            self.changed.emit()


def is_dark_in_gtk(theme: str) -> bool | None:
    """Return whether GTK's programs are dark: by GTK_THEME, by the theme's name, or by the user's settings file; None
    if nothing says so. theme: the name that the desktop gives; "" for none."""
    if chosen := os.environ.get("GTK_THEME", "") or theme:
        return True if is_dark_name(chosen) else None
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    for version in ("gtk-4.0", "gtk-3.0"):
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read(folder / version / "settings.ini", encoding="utf-8")
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
        written = parser["Settings"] if parser.has_section("Settings") else {}
        prefers = written.get("gtk-application-prefer-dark-theme", "").strip().lower()
        if prefers in ("1", "true") or is_dark_name(written.get("gtk-theme-name", "")):
            return True
    return None


def is_dark_name(theme: str) -> bool:
    """Return whether a theme's name is one of a dark theme, such as "Adwaita:dark" or "Yaru-dark"."""
    return theme.lower().replace(":", "-").endswith("-dark")
