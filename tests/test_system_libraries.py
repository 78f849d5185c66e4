"""What is said where the system lacks a library, or has no screen: in plain words, before there is a window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app import __main__, system_libraries
from desktop_app.system_libraries import LIBRARIES, SCREEN_LIBRARIES, explain_missing, missing_packages
from texts import NO_WINDOW

LIST = Path(__file__).resolve().parent.parent / "packaging" / "system-packages.txt"


@pytest.mark.parametrize(("libraries", "when"), [(LIBRARIES, "always"), (SCREEN_LIBRARIES, "screen")])
def test_the_libraries_are_of_the_packages_that_are_installed(libraries: dict[str, str], when: str) -> None:
    lines = (line.split("|") for line in LIST.read_text().splitlines() if line and line[0] != "#")
    listed = {name.strip() for name, kind, _ in lines if kind.strip() == when}
    assert set(libraries.values()) <= listed


def test_a_missing_library_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_packages({"libNoSuch.so.9": "libnosuch9", "libc.so.6": "libc6"}) == ["libnosuch9"]
    monkeypatch.setattr(system_libraries, "LIBRARIES", {"libNoSuch.so.9": "libnosuch9"})
    monkeypatch.setattr(system_libraries, "SCREEN_LIBRARIES", {"libc.so.6": "libc6"})
    monkeypatch.setattr(system_libraries.shutil, "which", lambda _: "/usr/bin/apt-get")
    assert explain_missing().endswith("start it again: sudo apt-get install libnosuch9\n")
    monkeypatch.setattr(system_libraries.shutil, "which", lambda _: None)
    assert explain_missing().endswith("start it again: libNoSuch.so.9\n")
    monkeypatch.setattr(system_libraries, "LIBRARIES", {})
    assert explain_missing() == ""


def test_only_an_import_that_a_library_failed_is_explained(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def fail(error: ImportError) -> None:
        def run(_: list[str]) -> int:
            raise error

        monkeypatch.setattr(__main__, "_run", run)

    fail(ImportError("libEGL.so.1: cannot open shared object file: No such file or directory"))
    monkeypatch.setattr(__main__, "explain_missing", lambda: "told\n")
    assert __main__.main([]) == 1
    assert capsys.readouterr().err == "told\n"
    fail(ModuleNotFoundError("No module named 'msgspec'"))
    with pytest.raises(ModuleNotFoundError):
        __main__.main([])
    fail(ImportError("cannot import name 'x'"))
    monkeypatch.setattr(__main__, "explain_missing", lambda: "")
    with pytest.raises(ImportError, match="cannot import name"):
        __main__.main([])


@pytest.mark.long
def test_without_a_screen_it_says_so_and_ends_without_a_core_dump(tmp_path: Path) -> None:
    hidden = ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | {"DISPLAY": ":4711"}
    command = [sys.executable, "-m", "desktop_app", "--data-dir", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith(NO_WINDOW)
    assert "Traceback" not in ended.stderr
