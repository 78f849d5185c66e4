"""How the window was left is kept, and nobody waits for the disk."""

from __future__ import annotations

import threading

from PySide6.QtCore import QByteArray, QSettings

from desktop_app.ui import window_memory
from desktop_app.ui.window_memory import WindowMemory


def test_what_is_saved_is_there_the_next_time(tmp_path, qapp) -> None:
    memory = WindowMemory(tmp_path / "window.ini")
    assert (memory.value("geometry"), memory.text("none"), memory.number("none")) == (None, "", 0)
    assert (memory.is_set("none", True), memory.is_set("none", False)) == (True, False)
    values = {"geometry": QByteArray(b"\0\1"), "yes": True, "no": False, "width": 300, "names": "a, b\nü; c"}
    for name, value in values.items():
        memory.set(name, value)
    memory.save()
    memory.wait()
    again = WindowMemory(tmp_path / "window.ini")
    for each in (memory, again):
        assert each.value("geometry") == QByteArray(b"\0\1")
        assert (each.is_set("yes", False), each.is_set("no", True)) == (True, False)
        assert (each.number("width"), each.text("names")) == (300, "a, b\nü; c")


def test_a_file_that_is_damaged_is_as_if_there_were_none(tmp_path, qapp) -> None:
    file = tmp_path / "window.ini"
    file.write_bytes(b"\xff\0[General\nwidth=@ByteArray(\nsidebar_width=wide\n")
    memory = WindowMemory(file)
    assert memory.number("sidebar_width") == 0
    memory.set("sidebar_width", 250)
    memory.save()
    memory.wait()
    assert WindowMemory(file).number("sidebar_width") == 250


def test_a_slow_disk_keeps_nobody_waiting(tmp_path, qapp, monkeypatch) -> None:
    """Another size of the window held it for 1.6 s where each write took 0.2 s."""
    may_write = threading.Event()

    class SlowFile(QSettings):
        def sync(self) -> None:
            assert may_write.wait(60)
            super().sync()

    monkeypatch.setattr(window_memory, "QSettings", SlowFile)
    memory = WindowMemory(tmp_path / "window.ini")
    for width in (200, 300):
        memory.set("width", width)
        memory.save()
    assert memory.number("width") == 300
    may_write.set()
    memory.wait()
    monkeypatch.undo()
    assert WindowMemory(tmp_path / "window.ini").number("width") == 300
