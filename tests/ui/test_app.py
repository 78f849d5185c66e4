"""The window's process as it is started and ended from outside."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the window on a data folder; whatever is left of it at the end of the test is killed."""
    started: list[subprocess.Popen[str]] = []

    def start_window(data: Path, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "desktop_app", "--data-dir", str(data), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        started.append(process)
        return process

    yield start_window
    for process in started:
        process.kill()
        process.communicate()


def wait_for(file: Path, words: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        text = file.read_text() if file.exists() else ""
        if words in text:
            return
        time.sleep(0.02)
    raise AssertionError(f"{file} does not say {words!r}")


@pytest.mark.wire
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_paints_logs_when_and_ends_in_order_at_a_signal(start, tmp_path: Path, ending: signal.Signals) -> None:
    process = start(tmp_path)
    wait_for(tmp_path / "palimpsest.log", "s after the program started")
    process.send_signal(ending)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in said
    assert "Traceback" not in (tmp_path / "palimpsest.log").read_text()
    assert (tmp_path / "window.json").exists()


@pytest.mark.wire
def test_a_data_folder_that_cannot_be_written_is_said_and_the_window_opens(start, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    process = start(blocked / "data")
    assert "cannot be written" in process.stdout.readline()
    while "The window was painted" not in process.stdout.readline():
        assert process.poll() is None
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0


@pytest.mark.wire
def test_a_second_start_hands_its_file_over_and_ends(start, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text('{"role": "user", "content": "Tea?"}')
    first = start(tmp_path)
    wait_for(tmp_path / "palimpsest.log", "s after the program started")
    second = start(tmp_path, str(tmp_path / "chat.jsonl"))
    said, _ = second.communicate(timeout=20)
    assert (second.returncode, said) == (
        0,
        "Palimpsest is open already: its window has been asked to come to the front.\n",
    )
    assert first.poll() is None
    first.terminate()
    first.communicate(timeout=20)
    assert first.returncode == 0
    assert not (tmp_path / "window.socket").exists()


@pytest.mark.long
def test_a_set_up_that_ran_first_in_the_same_process_is_not_counted() -> None:
    code = "import time, desktop_app; print(desktop_app.STARTED, time.monotonic())"
    before = time.monotonic()
    script = f'read -t 0.3 <> <(:) || true; exec "$0" -c "{code}"'  # waits in the shell that becomes Python
    ended = subprocess.run(["bash", "-c", script, sys.executable], capture_output=True, text=True, check=True)
    started, imported = map(float, ended.stdout.split())
    assert before + 0.3 <= started < imported, "when the shell became Python"
