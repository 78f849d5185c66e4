"""The log file: rotated by two writers, private, and without a word of what was said."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

import pytest

from desktop_app import log_files
from desktop_app.log_files import KEPT, LEVEL_VARIABLE, RotatedLog, start_log


@pytest.fixture
def rooted():
    """The root logger and ours as they were, whatever a test starts."""
    root, ours = logging.getLogger(), logging.getLogger("desktop_app")
    kept = root.handlers[:], root.level, ours.level
    yield
    for target in root.handlers:
        if isinstance(target, RotatedLog):
            target.close()
    root.handlers[:] = kept[0]
    root.setLevel(kept[1])
    ours.setLevel(kept[2])


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("desktop_app.x", logging.INFO, "x.py", 1, text, (), None)


def test_two_writers_share_a_file_that_is_rotated_and_loses_no_line(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(log_files, "MAX_BYTES", 400)
    path = tmp_path / "palimpsest.log"
    writers = [RotatedLog(path), RotatedLog(path)]
    lines = [f"line {number:03}" for number in range(220)]
    for number, line in enumerate(lines):
        writers[number % 2].emit(record(line))
    for writer in writers:
        writer.close()
    names = ["palimpsest.log", *(f"palimpsest.log.{number}" for number in range(1, KEPT + 1))]
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    kept = [line for name in reversed(names) for line in (tmp_path / name).read_text().splitlines()]
    assert kept == lines[-len(kept) :], "in their order, the newest ones all"
    assert all(file.stat().st_size <= 420 for file in tmp_path.iterdir())
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in tmp_path.iterdir())


def test_a_log_that_was_removed_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "palimpsest.log"
    writer = RotatedLog(path)
    writer.emit(record("before"))
    path.unlink()
    writer.emit(record("after"))
    writer.close()
    assert path.read_text() == "after\n"


@pytest.mark.parametrize(
    ("level", "found"), [("", ["info", "warning"]), ("warning", ["warning"]), ("nonsense", ["info", "warning"])]
)
def test_the_level_is_chosen_and_libraries_tell_only_warnings(tmp_path, monkeypatch, rooted, level, found) -> None:
    monkeypatch.setenv(LEVEL_VARIABLE, level)
    path = start_log(tmp_path)
    assert path is not None
    log = logging.getLogger("desktop_app.x")
    log.debug("debug")
    log.info("info")
    log.warning("warning")
    logging.getLogger("httpx").info("POST https://example.org?key=secret")
    assert [line.split()[-1] for line in path.read_text().splitlines()] == found


def test_without_a_folder_it_goes_to_the_terminal(tmp_path: Path, rooted, capsys) -> None:
    (tmp_path / "file").write_text("")
    assert start_log(tmp_path / "file" / "data") is None
    assert "cannot be written" in capsys.readouterr().err
