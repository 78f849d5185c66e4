"""Colours in code."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from desktop_app.ui.transcript.highlight import Highlighter


@pytest.mark.parametrize(
    ("language", "code"), [("diff", "-old = 1\n+new = 2"), ("diff", "+new"), ("python", "# one\n# two")]
)
def test_every_line_has_its_colour_and_the_last_one_too(qtbot: QtBot, language: str, code: str) -> None:
    owner, document = QObject(), QTextDocument(code)
    highlighter = Highlighter(owner)
    highlighter.add(document, language)
    qtbot.waitUntil(lambda: highlighter.is_idle)
    blocks = [document.findBlockByNumber(number) for number in range(document.blockCount())]
    assert [len(block.layout().formats()) for block in blocks] == [1] * len(blocks)
    assert document.toPlainText() == code


@pytest.mark.parametrize("code", ["", "\n", "\n\n+"])
def test_code_without_much_in_it_is_left_as_it_is(qtbot: QtBot, code: str) -> None:
    owner, document = QObject(), QTextDocument(code)
    highlighter = Highlighter(owner)
    highlighter.add(document, "diff")
    qtbot.waitUntil(lambda: highlighter.is_idle)
    assert document.toPlainText() == code
