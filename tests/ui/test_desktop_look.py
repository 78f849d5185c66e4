"""Theme and contrast of the desktop, by its portal or by GTK's settings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.ui.desktop_look import APPEARANCE, GNOME, DesktopLook, is_dark_in_gtk, is_dark_name

DOUBLE = Path(__file__).with_name("portal_double.py")
TRY = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from desktop_app.settings import Settings
from desktop_app.ui import app
from desktop_app.ui.style import desktop_look
from desktop_app.ui.theme import theme
application = app.make_application(Settings(contrast="system"))
app._ask_for_look(application, Settings())
print("before the first paint", theme.is_dark, theme.has_high_contrast, flush=True)
def changed():
    print("later", desktop_look().is_dark, desktop_look().has_high_contrast, flush=True)
    application.quit()
desktop_look().changed.connect(changed)
QTimer.singleShot(20_000, lambda: application.exit(1))
sys.exit(application.exec())
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("GTK_THEME", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.wire
@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="there is no D-Bus here")
def test_a_running_portal_is_followed_from_the_first_paint_on(tmp_path: Path) -> None:
    log, attempt = tmp_path / "calls", tmp_path / "attempt.py"
    attempt.write_text(TRY)
    begin = f'"{sys.executable}" "{DOUBLE}" portal > "{log}" & until grep -q ready "{log}"; do sleep 0.05; done'
    script = f'{begin}; "{sys.executable}" "{attempt}"; code=$?; kill $!; exit $code'
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(Path(__file__).parents[2])}
    ran = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", script], capture_output=True, text=True, env=environment, timeout=100
    )
    assert ran.stdout.splitlines() == ["before the first paint True True", "later False True"], ran.stderr


def told(scheme: int | None, gtk: str = "", contrast: int | None = None) -> DesktopLook:
    look = DesktopLook()
    look._is_asked = True
    values = {(APPEARANCE, "color-scheme"): scheme, (GNOME, "gtk-theme"): gtk, (APPEARANCE, "contrast"): contrast}
    look._told = {key: value for key, value in values.items() if value not in (None, "")}
    return look


@pytest.mark.parametrize(
    ("scheme", "gtk", "is_dark"),
    [
        (1, "", True),
        (2, "", False),
        (0, "", None),
        (None, "", None),
        (0, "Adwaita-dark", True),
        (2, "Yaru-dark", False),
    ],
)
def test_a_scheme_goes_before_the_name_of_gtks_theme(scheme: int | None, gtk: str, is_dark: bool | None) -> None:
    assert told(scheme, gtk).is_dark is is_dark


def test_contrast_and_nothing_unasked() -> None:
    assert (told(0).has_high_contrast, told(0, contrast=0).has_high_contrast) == (None, False)
    assert told(0, contrast=1).has_high_contrast is True
    assert DesktopLook().is_dark is None


@pytest.mark.parametrize(
    ("written", "is_dark"),
    [("[Settings]\ngtk-application-prefer-dark-theme=1\n", True),
     ("[Settings]\ngtk-application-prefer-dark-theme = true\n", True),
     ("[Settings]\ngtk-theme-name=Arc-Dark\n", True),
     ("[Settings]\ngtk-theme-name=Darkness\ngtk-application-prefer-dark-theme=0\n", None),
     ("no section\n", None), ("", None), ("[Settings]\ngtk-theme-name=%d-dark\n", True)],
)  # fmt: skip
def test_without_a_portal_gtks_settings_file_says_it(own_folder: Path, written: str, is_dark: bool | None) -> None:
    (own_folder / "gtk-3.0").mkdir()
    (own_folder / "gtk-3.0" / "settings.ini").write_text(written)
    assert is_dark_in_gtk("") is is_dark


def test_a_settings_file_that_cannot_be_read_says_nothing(own_folder: Path) -> None:
    (own_folder / "gtk-4.0").mkdir()
    (own_folder / "gtk-4.0" / "settings.ini").write_bytes(b"[Settings]\n\xff=\xfe")
    assert is_dark_in_gtk("") is None


def test_the_variable_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTK_THEME", "Adwaita:dark")
    assert is_dark_in_gtk("Adwaita") is True
    assert not is_dark_name("Darkstar")
