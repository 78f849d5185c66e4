"""Other users of the machine can read nothing of the data folder, whatever the umask is; old folders are mended."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.paths import make_folder, make_private_folder, replace_private_file
from desktop_app.settings import Settings, write_settings
from provider import Reply, ScriptedProvider
from stores import Store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")


def modes_of(folder: Path) -> dict[str, int]:
    paths = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder.parent)): stat.S_IMODE(path.stat().st_mode) for path in paths}


def is_private(folder: Path) -> bool:
    return not any(mode & 0o077 for mode in modes_of(folder).values())


@pytest.mark.wire
@pytest.mark.parametrize("umask", [0o000, pytest.param(0o077, marks=pytest.mark.slow)])
def test_a_real_run_leaves_nothing_that_others_can_read(tmp_path: Path, umask: int) -> None:
    data = tmp_path / "data"
    with ScriptedProvider([Reply("Hello.")], repeat_last=True) as provider:
        options = ["--model", "scripted", "--base-url", provider.base_url, "--window", "16K", "--data-dir", str(data)]
        command = [sys.executable, "-m", "desktop_app", "chat", *options]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, umask=umask, text=True)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("Hello\n")
        child.stdin.flush()
        assert child.stdout.readline()
        during = modes_of(data)
        child.stdin.close()
        assert child.wait(60) == 0
        child.stdout.close()
    assert {"data", "data/archive.sqlite3", "data/archive.sqlite3-wal", "data/archive.sqlite3-shm"} <= during.keys()
    assert not {name: oct(mode) for name, mode in during.items() if mode & 0o077}
    assert is_private(data)


def test_an_old_folder_is_mended_with_all_that_is_ours_in_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    Store(data / "archive.sqlite3").close()
    write_settings(data / "settings.json", Settings())
    (data / "spills" / "ab").mkdir(parents=True)
    ours = ["palimpsest.log", "archive.backup-v1.sqlite3", "settings.damaged.json", "spills/ab/abcd", "archive.lock"]
    for name in ours:
        (data / name).write_text("x")
    for path in (data, *data.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    Store(data / "archive.sqlite3").close()
    assert is_private(data)


def test_a_folder_that_serves_others_too_keeps_its_mode_and_their_files(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "notes.txt").chmod(0o644)
    (tmp_path / "archive.link").symlink_to(tmp_path / "notes.txt")
    make_private_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "notes.txt").stat().st_mode) == 0o644


def test_settings_are_private_while_they_are_written_and_afterwards(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_settings(tmp_path / "new" / "settings.json", Settings())
    finally:
        os.umask(before)
    assert is_private(tmp_path / "new")


def test_a_data_folder_that_has_gone_is_not_begun_anew_until_it_is_opened_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make_private_folder(data)
    data.rename(tmp_path / "away")
    for write in (lambda: make_folder(data / "spills" / "ab"), lambda: replace_private_file(data / "a.json", b"{}")):
        with pytest.raises(FileNotFoundError):
            write()
    assert not data.exists()
    make_private_folder(data)
    replace_private_file(data / "a.json", b"{}")
