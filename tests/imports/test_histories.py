"""Histories on this machine, in homes of the test's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.conversation.foreign import FoundHistory
from desktop_app.imports import openai_files
from desktop_app.imports.formats import FORMATS, find_histories


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, where two programs may keep a history."""
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    formats = [replace(openai_files.FORMAT, program=name, homes=(f".{name}/chats",)) for name in ("one", "two")]
    monkeypatch.setattr("desktop_app.imports.formats.FORMATS", (*FORMATS, *formats))
    return tmp_path


def write(file: Path, content: bytes, changed: float) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    os.utime(file, (changed, changed))


def test_an_empty_home_has_none(home: Path) -> None:
    assert find_histories() == ()
    (home / ".one" / "chats" / "empty").mkdir(parents=True)
    assert find_histories() == ()


def test_files_are_counted_and_measured_in_all_folders_and_the_newest_history_is_first(home: Path) -> None:
    write(home / ".one/chats/a.jsonl", b"12345", 1_000.0)
    write(home / ".one/chats/deep/er/b.jsonl", b"123", 3_000.0)
    write(home / ".one/settings.json", b"not part of it", 9_000.0)
    write(home / ".two/chats/c.jsonl", b"1", 5_000.0)
    assert find_histories() == (
        FoundHistory("two", str(home / ".two/chats"), 1, 1, 5_000.0),
        FoundHistory("one", str(home / ".one/chats"), 2, 8, 3_000.0),
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_nothing_is_opened_and_what_is_no_file_does_not_count(home: Path) -> None:
    write(home / ".one/chats/a.jsonl", b"12345", 1_000.0)
    (home / ".one/chats/a.jsonl").chmod(0)
    os.mkfifo(home / ".one/chats/pipe")  # to open it would be to wait for ever
    (home / ".one/chats/gone").symlink_to(home / "nowhere")
    (home / ".one/chats/circle").symlink_to(home)
    (found,) = find_histories()
    assert (found.files, found.bytes) == (1, 5)


def test_each_home_of_a_format_is_a_folder_below_the_users_own() -> None:
    homes = [Path(home) for each in FORMATS for home in each.homes]
    assert not [home for home in homes if home.is_absolute() or ".." in home.parts]
