"""The log file: rotated by two writers, private, and without a word of what was said."""

from __future__ import annotations

import logging
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from desktop_app import log_files
from desktop_app.log_files import KEPT, LEVEL_VARIABLE, LogThread, RotatedLog, log_beside, start_log


@pytest.fixture
def rooted():
    """The root logger and ours as they were, whatever a test starts."""
    root, ours = logging.getLogger(), logging.getLogger("desktop_app")
    kept = root.handlers[:], root.level, ours.level
    yield
    for target in root.handlers:
        if isinstance(target, LogThread):
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
    logging.shutdown()
    assert [line.split()[-1] for line in path.read_text().splitlines()] == found


def test_whoever_logs_does_not_wait_for_the_disk(tmp_path: Path, monkeypatch, rooted) -> None:
    """A line took up to four seconds of the engine's loop where each write took one."""
    is_written = threading.Event()
    plain = RotatedLog.emit

    def wait(target: RotatedLog, record: logging.LogRecord) -> None:
        assert is_written.wait(60)
        plain(target, record)

    monkeypatch.setattr(RotatedLog, "emit", wait)
    path = start_log(tmp_path)
    assert path is not None
    log = logging.getLogger("desktop_app.x")
    log.warning("%s in order", "first")
    try:
        int("nonsense")
    except ValueError:
        log.exception("second")
    assert path.read_text() == ""
    is_written.set()
    logging.shutdown()
    lines = path.read_text().splitlines()
    assert lines[0].endswith(" desktop_app.x WARNING first in order")
    assert lines[1].endswith(" desktop_app.x ERROR second")
    assert lines[-1].startswith("ValueError: invalid literal")
    assert sum("Traceback" in line for line in lines) == 1
    logging.shutdown()  # a second time, as at the end of the interpreter
    log.warning("after the end")


@pytest.mark.long
def test_a_process_that_ends_has_written_its_log(tmp_path: Path) -> None:
    """However it ends, but for a signal: by its last line, or by the engine's own end without Python's."""
    lines = "import logging, pathlib, sys; from desktop_app.log_files import start_log; "
    lines += "start_log(pathlib.Path(sys.argv[1]))"
    lines += "; [logging.getLogger('desktop_app.x').warning('line %d', n) for n in range(500)]"
    for end in ("", "; from desktop_app.engine.serve import end_process; end_process(0)"):
        folder = tmp_path / str(len(end))
        subprocess.run([sys.executable, "-c", lines + end, str(folder)], check=True, timeout=60)
        assert len((folder / "palimpsest.log").read_text().splitlines()) == 500


def test_without_a_folder_it_goes_to_the_terminal(tmp_path: Path, rooted, capsys) -> None:
    (tmp_path / "file").write_text("")
    assert start_log(tmp_path / "file" / "data") is None
    assert "cannot be written" in capsys.readouterr().err


def test_a_command_logs_to_the_file_beside_the_terminal_and_leaves_all_as_it_was(
    tmp_path: Path, rooted, capsys
) -> None:
    shown = logging.StreamHandler()
    logging.getLogger().handlers[:] = [shown]
    ours = logging.getLogger("desktop_app.x")
    with log_beside(tmp_path):
        ours.info("room was made")
        ours.warning("no room")
    ours.info("afterwards")
    written = (tmp_path / "palimpsest.log").read_text()
    assert ["room was made" in written, "no room" in written, "afterwards" in written] == [True, True, False]
    err = capsys.readouterr().err
    assert ["room was made" in err, "no room" in err] == [False, True]
    assert logging.getLogger().handlers == [shown]


def test_a_command_goes_on_where_its_log_cannot_be_written(tmp_path: Path, rooted, capsys) -> None:
    (tmp_path / "palimpsest.log").mkdir()
    with log_beside(tmp_path):
        pass
    assert "cannot be written" in capsys.readouterr().err
