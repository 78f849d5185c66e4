"""The file that runs itself, with a small program in it: unpacked once, installed, replaced by a newer one, removed."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPIMAGE = ROOT / "packaging" / "appimage"
PROGRAM = """#!/bin/sh
[ "${1:-}" != wait ] || sleep 60
printf '%s\\n' "$(dirname "$(readlink -f "$0")")" "$@"
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="it is for Linux")


def make(folder: Path, version: str) -> Path:
    """A file of that version with what build.d/appimage lays out."""
    tree = folder / f"AppDir-{version}"
    for name, content in {
        "AppRun": (APPIMAGE / "AppRun").read_text(),
        "usr/lib/palimpsest/palimpsest": PROGRAM,
        "usr/share/applications/palimpsest.desktop": (ROOT / "packaging/data/palimpsest.desktop").read_text(),
        f"usr/share/icons/{version}.svg": "<svg/>",
        "usr/share/doc/palimpsest/copyright": "MIT",
    }.items():
        file = tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        file.chmod(0o755)
    (tree / "usr/bin").mkdir()
    (tree / "usr/bin/palimpsest").symlink_to("../lib/palimpsest/palimpsest")
    made = folder / f"palimpsest-{version}.run"
    environment = {**os.environ, "VERSION": version, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run([APPIMAGE / "make_run", tree, made], check=True, env=environment)
    return made


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home of a user"
    (folder / ".local/share/palimpsest").mkdir(parents=True)
    (folder / ".local/share/palimpsest/archive.sqlite3").write_text("said")
    yield folder
    assert (folder / ".local/share/palimpsest/archive.sqlite3").read_text() == "said"


def run(file: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    return subprocess.run([file, *arguments], capture_output=True, text=True, env=environment, check=False)


def files_of(home: Path) -> set[str]:
    """The files of a home but the user's data, and the desktop's own."""
    found = {str(file.relative_to(home)) for file in home.rglob("*") if not file.is_dir()}
    return found - {".local/share/palimpsest/archive.sqlite3", ".local/share/applications/mimeinfo.cache"}


def test_it_unpacks_once_and_passes_its_arguments_on(tmp_path: Path, home: Path) -> None:
    file = make(tmp_path, "1.0")
    first, second = run(file, home, "a b", "ü"), run(file, home, "--new")
    assert "Unpacking" in first.stderr
    assert second.stderr == ""
    folder, *arguments = first.stdout.splitlines()
    assert arguments == ["a b", "ü"]
    assert second.stdout.splitlines() == [folder, "--new"]
    assert Path(folder).is_relative_to(home / ".cache/palimpsest")


def test_a_newer_one_forgets_the_older_unless_that_one_runs(tmp_path: Path, home: Path) -> None:
    old, new, newest = (make(tmp_path, version) for version in ("1.0", "1.1", "1.2"))
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    running = subprocess.Popen([old, "wait"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    cache = home / ".cache/palimpsest"
    deadline = time.monotonic() + 60
    while not locked(cache, "1.0-*") and time.monotonic() < deadline:
        time.sleep(0.05)
    run(new, home)
    assert sorted(folder.name.split("-")[0] for folder in cache.glob("*-*")) == ["1.0", "1.1"]
    subprocess.run(["pkill", "-P", str(running.pid)], check=False)
    running.kill()
    running.wait()
    run(newest, home)
    assert [folder.name.split("-")[0] for folder in cache.glob("*-*")] == ["1.2"]


def locked(cache: Path, name: str) -> bool:
    found = list(cache.glob(name))
    return bool(found) and subprocess.run(["flock", "-nx", found[0], "true"], check=False).returncode != 0


def test_a_file_that_is_not_whole_says_so_and_leaves_nothing(tmp_path: Path, home: Path) -> None:
    file = make(tmp_path, "1.0")
    file.write_bytes(file.read_bytes()[:-200])
    ended = run(file, home)
    assert ended.returncode == 1
    assert "this file is not whole" in ended.stderr
    assert files_of(home) == {".cache/palimpsest/lock"}


def test_it_is_installed_replaced_and_removed_and_the_data_stay(tmp_path: Path, home: Path) -> None:
    old, new = make(tmp_path, "1.0"), make(tmp_path, "1.1")
    assert run(old, home, "--install").returncode == 0
    installed = home / ".local/bin/palimpsest"
    assert run(installed, home, "x").stdout.splitlines()[1:] == ["x"]
    entry = (home / ".local/share/applications/palimpsest.desktop").read_text()
    assert f'\nExec="{installed}" %F\n' in entry
    assert f"\nTryExec={installed}\n" in entry
    assert run(new, home, "--install").returncode == 0
    assert {Path(name).name for name in files_of(home) if "share/icons" in name and "lib" not in name} == {"1.1.svg"}
    assert run(new, home, "--uninstall").returncode == 0
    assert files_of(home) == set()


def test_an_installation_that_fails_leaves_the_older_one(tmp_path: Path, home: Path) -> None:
    old, new = make(tmp_path, "1.0"), make(tmp_path, "1.1")
    run(old, home, "--install")
    before = files_of(home)
    new.write_bytes(new.read_bytes()[:-200])
    assert run(new, home, "--install").returncode == 1
    assert files_of(home) == before


def test_it_is_extracted_to_a_folder_that_is_not_there_yet(tmp_path: Path, home: Path) -> None:
    file = make(tmp_path, "1.0")
    assert run(file, home, "--extract", str(tmp_path / "there")).returncode == 0
    assert run(tmp_path / "there/AppRun", home, "y").stdout.splitlines()[1:] == ["y"]
    again = run(file, home, "--extract", str(tmp_path / "there"))
    assert again.returncode == 1
    assert "is there already" in again.stderr
