"""The window as another process finds it on the accessibility bus of a desktop: a real one, on a virtual screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main

READER = Path(__file__).with_name("screen_reader.py")
PYTHON = "/usr/bin/python3"
BUS_LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
CODE = "for n in range({n}):\n    print(n)"

Told = dict[str, Any]


def missing() -> str:
    """What this machine lacks."""
    programs = [name for name in ("Xvfb", "dbus-run-session") if shutil.which(name) is None]
    if not any(map(os.path.exists, BUS_LAUNCHERS)):
        programs.append("at-spi2-core")
    reads = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    if not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", reads], capture_output=True).returncode:
        programs.append("python3-gi with gir1.2-atspi-2.0")
    return ", ".join(programs)


pytestmark = [pytest.mark.wire, pytest.mark.skipif(bool(missing()), reason=f"needs {missing()}")]


class Reader:
    """A screen reader in a process of its own, and the window that it started."""

    def __init__(self, data: Path, screen: str) -> None:
        window = [sys.executable, "-m", "desktop_app", "--data-dir", str(data)]
        self.errors = data / "reader.log"
        with self.errors.open("w") as errors:
            self._process = subprocess.Popen(
                ["dbus-run-session", "--", PYTHON, str(READER), "palimpsest", *window],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
                env=os.environ | {"DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "PYTHONFAULTHANDLER": "1"},
            )  # fmt: skip

    def ask(self, **order: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("answer "):
                return json.loads(line.removeprefix("answer "))
        raise AssertionError(self.errors.read_text()[-3_000:])

    def read(self) -> Told:
        return self.ask(read="")

    def read_until(self, is_so: Callable[[Told], object]) -> Told:
        for _ in range(200):
            tree = self.read()
            if tree and is_so(tree):
                return tree
        raise AssertionError("it never came to that")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def screen() -> Iterator[str]:
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


@pytest.fixture
def reader(screen: str, tmp_path: Path) -> Iterator[Reader]:
    """A reader of a window with a conversation of thirty questions and answers."""
    said = []
    for n in range(30):
        said.append({"role": "user", "content": f"Question {n}"})
        code = CODE.format(n=n)
        said.append({"role": "assistant", "content": f"Answer {n}.\n\n```python\n{code}\n```\n\nThat is all."})
    kept = tmp_path / "conversation.jsonl"
    kept.write_text("\n".join(map(json.dumps, said)))
    data = tmp_path / "data"
    assert main(["--data-dir", str(data), "import", str(kept)]) == 0
    made = Reader(data, screen)
    yield made
    made.close()


def nodes(tree: Told) -> Iterator[Told]:
    yield tree
    for child in tree["children"]:
        yield from nodes(child)


def shown(tree: Told, role: str, words: str = "") -> list[Told]:
    return [one for one in nodes(tree) if one["is_showing"] and one["role"] == role and words in one["name"]]


def item_with(tree: Told, words: str) -> Told | None:
    items = shown(tree, "list item")
    return next((item for item in items if any(words in one["name"] for one in nodes(item) if one is not item)), None)


@pytest.mark.row("U6", "the screen reader's bus")
def test_the_window_is_read_and_used_through_the_bus(reader: Reader) -> None:
    tree = reader.read_until(lambda tree: item_with(tree, "Question 29"))
    question, answer = item_with(tree, "Question 29"), item_with(tree, "Answer 29")
    assert question is not None
    assert answer is not None
    assert question["name"] != answer["name"]
    (code,) = [one for one in nodes(answer) if "python" in one["name"]]
    assert CODE.format(n=29) in [one["name"] for one in code["children"]]
    assert all(one["name"] and one["actions"] for one in nodes(answer) if one["role"] == "push button")
    # a button of a block of code: the notice that says so appears
    assert reader.ask(press="Copy code", role="push button", within="python")
    reader.read_until(lambda tree: [one for one in nodes(tree) if "copied" in one["name"]])
    assert [text for text in reader.ask(heard="") if "copied" in text]
    # a message is edited in its place
    assert reader.ask(press="Edit", role="push button", within="Messages")
    reader.read_until(lambda tree: shown(tree, "text", "Edited message"))
    # what is out of sight is paged to
    assert item_with(tree, "Question 25") is None
    for words in ("Question 27", "Question 25"):
        assert reader.ask(press="Earlier messages", role="push button")
        reader.read_until(lambda tree, words=words: item_with(tree, words))
    assert reader.ask(end="") == 0


def test_it_is_read_again_and_again_while_rows_come_and_go(reader: Reader) -> None:
    """Hundreds of times, and the window still ends in order."""
    reader.read_until(lambda tree: item_with(tree, "Question 29"))
    for number in range(40):
        button = "Earlier messages" if number % 8 < 4 else "Later messages"
        reader.ask(press=button, role="push button")
        tree = reader.read()
        assert shown(tree, "list item")
    assert reader.ask(end="") == 0
