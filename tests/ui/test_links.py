"""Links in messages: where they lead is seen before they are opened."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices
from transcript_rows import row

from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript.links import Link, shown_address


@pytest.mark.parametrize(
    ("words", "target", "is_misleading"),
    [
        ("https://github.com/a", "https://github.com/a", False),
        ("www.github.com", "https://github.com", False),
        ("the README.md", "https://github.com/README.md", False),
        ("README.md", "https://github.com/README.md", False),
        ("write to us", "mailto:a@example.org", False),
        ("https://github.com/a", "https://evil.example/a", True),
        ("github.com", "https://github.com.evil.example", True),
        ("paypal.com/login", "https://xn--pypal-4ve.com/login", True),
        ("https://paypal.com", "https://pаypal.com", True),  # with a Cyrillic letter
        ("here", "https://github.com@evil.example/", True),
    ],
)
def test_a_link_that_says_another_address_is_asked_about(words, target, is_misleading):
    assert Link(target, words).is_misleading is is_misleading


def test_where_a_link_leads_is_shown_in_letters_that_pass_for_no_others():
    assert shown_address("https://pаypal.com/a") == "https://xn--pypal-4ve.com/a"
    assert "\u202e" not in shown_address("https://example.org/\u202egpj.exe")
    assert shown_address("file:///etc/passwd") == "file:///etc/passwd"


def test_a_link_shows_where_it_leads_and_is_opened_once_that_is_seen(view, qtbot, monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    text = "[github.com/a and **more**](https://evil.example/a) beside it"
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    spot = (view.origin(0) + view.layout_of(0).flows[0].top_left + QPointF(10, 10)).toPoint()
    qtbot.mouseMove(view.viewport(), spot)
    qtbot.waitUntil(view.links.address.isVisible)
    assert view.links.address.label.text() == "https://evil.example/a"
    with qtbot.waitSignal(view.links.questioned) as asked:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert opened == []
    words, open_it = asked.args
    assert "evil.example" in words
    open_it()
    assert opened == ["https://evil.example/a"]
    qtbot.mouseMove(view.viewport(), QPoint(3, view.viewport().height() - 3))
    qtbot.waitUntil(lambda: not view.links.address.isVisible())
