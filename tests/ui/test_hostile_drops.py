"""What is dropped onto the window, and what stands in the titles of its windows, by somebody who means harm."""

from __future__ import annotations

import platform

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.tools import is_on_other_host
from desktop_app.ui.composer.draft_field import given_files, has_attachments
from desktop_app.ui.tools.tools_sheet import SpillViewer
from desktop_app.ui.widgets.long_text import TextReader

ADDRESSES = {
    "file:///a/b.txt": ["/a/b.txt"],
    "file://localhost/a/b.txt": ["/a/b.txt"],
    f"file://{platform.node().lower()}/a/b.txt": ["/a/b.txt"],
    "file://evil.example/share/b.txt": ["//evil.example/share/b.txt"],
    "file://127.0.0.1/share/b.txt": ["//127.0.0.1/share/b.txt"],
    "file:////evil.example/share/b.txt": ["//evil.example/share/b.txt"],
    "http://localhost/a": [],
    "ftp://evil.example/a": [],
    "data:text/plain,a": [],
    "javascript:alert(1)": [],
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_dropped_is_a_file_that_names_its_host(address: str) -> None:
    content = QMimeData()
    content.setUrls([QUrl(address)])
    assert given_files(content) == ADDRESSES[address]
    assert has_attachments(content) == bool(ADDRESSES[address])


@pytest.mark.parametrize("sign", ["\u202e", "\x1b", "\x07", "\u2066", "\x00"])
def test_titles_of_windows_show_what_turns_them_around(qtbot, sign: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    for window in (TextReader(f"invoice{sign}fdp.exe", "text", parent), SpillViewer(f"invoice{sign}fdp.exe", parent)):
        assert f"‹U+{ord(sign):04X}›" in window.windowTitle()
        assert sign not in window.windowTitle()


@pytest.mark.parametrize(
    ("path", "is_elsewhere"),
    [
        ("\\\\evil.example\\share\\a", True), ("//evil.example/a", True), ("\\/evil.example/a", True),
        ("/\\evil.example/a", True), ("\\\\?\\UNC\\evil.example\\a", True), ("\\\\.\\pipe\\a", True),
        ("C:\\a", False), ("Z:/a", False), ("/a//b", False), ("a", False), ("", False), ("\\a", False),
    ],
)  # fmt: skip
def test_what_windows_takes_for_another_host_is_known_without_looking(path: str, is_elsewhere: bool) -> None:
    assert is_on_other_host(path) == is_elsewhere
