"""How the window was left is kept, and nobody waits for the disk."""

from __future__ import annotations

import threading

import pytest

from desktop_app.ui import window_memory
from desktop_app.ui.window_memory import WindowMemory


def test_what_is_saved_is_there_the_next_time(tmp_path) -> None:
    memory = WindowMemory(tmp_path / "window.json")
    assert (memory.text("none"), memory.number("none")) == ("", 0)
    assert (memory.is_set("none", True), memory.is_set("none", False)) == (True, False)
    for name, value in {"yes": True, "no": False, "width": 300, "names": "a, b\nü; c"}.items():
        memory.set(name, value)
    memory.save()
    memory.wait()
    again = WindowMemory(tmp_path / "window.json")
    for each in (memory, again):
        assert (each.is_set("yes", False), each.is_set("no", True)) == (True, False)
        assert (each.number("width"), each.text("names")) == (300, "a, b\nü; c")


@pytest.mark.parametrize("content", [b"", b"[General]\nwidth=3", b"\xff\0", b'{"width": [1]}', b"[" * 100_000])
def test_a_file_that_cannot_be_read_is_as_if_there_were_none(tmp_path, content) -> None:
    file = tmp_path / "window.json"
    file.write_bytes(content)
    memory = WindowMemory(file)
    assert memory.number("width") == 0
    memory.set("width", 250)
    memory.save()
    memory.wait()
    assert WindowMemory(file).number("width") == 250


def test_a_slow_disk_keeps_nobody_waiting_and_a_full_one_is_of_no_consequence(tmp_path, monkeypatch) -> None:
    """Another size of the window held it for 1.6 s where each write took 0.2 s."""
    may_write, file = threading.Event(), tmp_path / "window.json"
    plain = window_memory.replace_private_file

    def write_slowly(*arguments) -> None:
        assert may_write.wait(60)
        plain(*arguments)

    monkeypatch.setattr(window_memory, "replace_private_file", write_slowly)
    memory = WindowMemory(file)
    for width in (200, 300):
        memory.set("width", width)
        memory.save()
    assert memory.number("width") == 300
    may_write.set()
    memory.wait()
    assert WindowMemory(file).number("width") == 300
    lost = WindowMemory(tmp_path / "gone" / "window.json")
    lost.save()
    lost.wait()
    assert not (tmp_path / "gone").exists(), "a data folder that was moved away is not begun anew"
