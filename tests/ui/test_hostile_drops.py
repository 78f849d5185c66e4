"""What is dropped onto the window, and what stands in the titles of its windows, by somebody who means harm."""

from __future__ import annotations

import platform

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QWidget

from desktop_app.ui.composer import draft_field
from desktop_app.ui.composer.draft_field import has_attachments, local_files
from desktop_app.ui.tools.spill_viewer import SpillViewer
from desktop_app.ui.widgets.text_reader import TextReader

ADDRESSES = {
    "file:///a/b.txt": ["/a/b.txt"],
    "file://localhost/a/b.txt": ["/a/b.txt"],
    f"file://{platform.node().lower()}/a/b.txt": ["/a/b.txt"],
    "file://evil.example/share/b.txt": [],
    "file://127.0.0.1/share/b.txt": [],
    "http://localhost/a": [],
    "ftp://evil.example/a": [],
    "data:text/plain,a": [],
    "javascript:alert(1)": [],
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_only_files_of_this_machine_are_dropped(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_field.sys, "platform", "linux")
    content = QMimeData()
    content.setUrls([QUrl(address)])
    assert local_files(content) == ADDRESSES[address]
    assert has_attachments(content) == bool(ADDRESSES[address])


@pytest.mark.parametrize("sign", ["\u202e", "\x1b", "\x07", "\u2066", "\x00"])
def test_titles_of_windows_show_what_turns_them_around(qtbot, sign: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    for window in (TextReader(f"invoice{sign}fdp.exe", "text", parent), SpillViewer(f"invoice{sign}fdp.exe", parent)):
        assert f"‹U+{ord(sign):04X}›" in window.windowTitle()
        assert sign not in window.windowTitle()
