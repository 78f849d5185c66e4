"""The window's process as it is started and ended from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_of import written_memory


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


TYPING = """
import asyncio, sys
from pathlib import Path
from PySide6.QtTest import QTest
from desktop_app.settings import Server, Settings
from desktop_app.ui.app import run_window

async def drive(window, bridge):
    window.settings.open("servers")
    while (dialog := window.settings._dialog) is None or not dialog.is_complete:
        await asyncio.sleep(0.05)
    form = dialog.servers.add_form(Server("anthropic", "", ("claude-sonnet-4-5",), kind="anthropic"))
    for code in sys.argv[2].split(","):  # never the whole key
        QTest.keyClick(form.key.edit, chr(int(code)))
        await asyncio.sleep(0.01)
    await said("typed")
    dialog.save.click()
    del dialog, form
    while window.settings._dialog is not None:
        await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    await said("stored")

async def said(word):
    print(word, flush=True)
    await asyncio.to_thread(sys.stdin.readline)

run_window(Path(sys.argv[1]), Settings(), drive)
"""


@pytest.mark.wire
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_typed_key_is_nowhere_in_the_windows_memory_once_it_is_stored(tmp_path: Path) -> None:
    planted, keys = "sk-TYPED-4b1d77e0c9", tmp_path / "keys.json"
    codes = ",".join(str(ord(letter)) for letter in planted)
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PALIMPSEST_KEYS_FILE": str(keys)}
    with subprocess.Popen(
        [sys.executable, "-c", TYPING, str(tmp_path / "data"), codes], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as window:  # fmt: skip
        assert window.stdin is not None
        assert window.stdout is not None
        found = []
        for word in ("typed\n", "stored\n"):
            assert window.stdout.readline() == word
            memory = written_memory(window.pid)
            found.append([form for form in ("utf-8", "utf-16-le", "utf-32-le") if planted.encode(form) in memory])
            window.stdin.write("\n")
            window.stdin.flush()
    assert planted in keys.read_text(), "the engine has it"
    assert found == [["utf-16-le"], []]
