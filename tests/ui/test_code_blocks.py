"""Code of a reply: folded when it is long, copied and saved as a whole."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from transcript_rows import row
from ui_scenes import click, settle, tell

from desktop_app.conversation.events import MessageRecorded, ReplyStarted, TextDelta, TurnStarted
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript.code_files import save_code
from desktop_app.ui.transcript.display_list import Action

CODE = "\n".join(f"value_{n} = {n}" for n in range(500))
REPLY = f"Here it is:\n\n```python\n{CODE}\n```\n\nAnd shorter:\n\n```\nx = 1\n```\n"


def painted_lines(view, key):
    layout = view.layout_of(view.transcript.row_of(key))
    return sum(flow.document.blockCount() for flow in layout.flows if flow.is_code)


def test_long_code_is_folded_and_unfolded_by_a_click(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    folded = painted_lines(view, "m0")
    assert folded < 60
    click(view, qtbot, "m0", Action.FOLD)
    qtbot.waitUntil(lambda: painted_lines(view, "m0") == 501)
    click(view, qtbot, "m0", Action.FOLD)
    qtbot.waitUntil(lambda: painted_lines(view, "m0") == folded)


def test_folded_code_is_copied_as_a_whole(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    click(view, qtbot, "m0", Action.COPY_CODE)
    assert QGuiApplication.clipboard().text() == CODE


def test_code_that_was_seen_being_written_is_not_folded_under_the_readers_eyes(view, qtbot):
    tell(view.transcript, TurnStarted("c"), ReplyStarted("c", "m0", "Sonnet"), TextDelta("c", "m0", REPLY))
    qtbot.waitUntil(lambda: view.is_settled and painted_lines(view, "m0") == 501)
    tell(view.transcript, MessageRecorded("c", row(0, Role.ASSISTANT, Text(REPLY))))
    settle(view, qtbot)
    assert painted_lines(view, "m0") == 501


def test_found_text_in_folded_code_is_shown(view, qtbot):
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    view.mark_text("value_499")
    assert view.show_occurrence("m0")
    qtbot.waitUntil(lambda: painted_lines(view, "m0") == 501)


def test_code_is_saved_under_the_name_that_is_chosen(view, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    view.transcript.open([row(0, Role.ASSISTANT, Text(REPLY))], ())
    settle(view, qtbot)
    said: list[str] = []
    view.copied.connect(said.append)
    click(view, qtbot, "m0", Action.SAVE_CODE)
    (dialog,) = view.window().findChildren(QFileDialog)
    assert dialog.selectedFiles() == [str(tmp_path / "code.py")]
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(said))
    assert (tmp_path / "code.py").read_text() == CODE + "\n"


def test_code_that_cannot_be_saved_says_why(tmp_path):
    (tmp_path / "folder").mkdir()
    assert "not saved" in save_code(tmp_path / "folder", "x")
    save_code(tmp_path / "a", "\ud800")
    assert (tmp_path / "a").exists()
