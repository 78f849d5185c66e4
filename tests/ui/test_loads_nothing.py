"""Showing what a model, a page or an import wrote opens no file and calls no server."""

from __future__ import annotations

import base64
import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QToolTip
from transcript_rows import row
from ui_scenes import settle

from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.ui.style import show_theme
from desktop_app.ui.transcript.markdown_documents import MarkdownText
from desktop_app.ui.widgets.pictures import pictures
from desktop_app.ui.widgets.text_label import TextLabel

OPENED, EVENT = 0x20, struct.Struct("iIII")  # of inotify(7)


class Trap:
    """A picture that notes who opens it, and a server that notes who calls it."""

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.file = folder / "secret.png"
        self.file.write_bytes(b"\x89PNG\r\n\x1a\n")
        self._watch = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._watch < 0 or libc.inotify_add_watch(self._watch, os.fsencode(folder), OPENED) < 0:
            pytest.skip("this system cannot tell who opens a file")
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.address = f"http://127.0.0.1:{self._server.getsockname()[1]}/x.png"

    def sprung(self) -> list[str]:
        """Return what was done since the last call."""
        done: list[str] = []
        try:
            events = os.read(self._watch, 65_536)
        except BlockingIOError:
            events = b""
        while events:
            length = EVENT.unpack_from(events)[3]
            done.append(events[EVENT.size : EVENT.size + length].rstrip(b"\0").decode())
            events = events[EVENT.size + length :]
        try:
            self._server.accept()[0].close()
            done.append("called")
        except BlockingIOError:
            pass
        return done

    def close(self) -> None:
        os.close(self._watch)
        self._server.close()


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    folder = tmp_path / "trap"
    folder.mkdir()
    made = Trap(folder)
    yield made
    made.close()


def markup(target: str) -> str:
    """Everything that some renderer loads."""
    return f"""![a]({target}) [![b]({target})](x) <img src="{target}"> ![c][d]

<link rel=stylesheet href="{target}"><style>@import url({target}); p {{ background: url({target}) }}</style>
<object data="{target}"></object><iframe src="{target}"></iframe><video poster="{target}" src="{target}"></video>

| ![a]({target}) | <img src='{target}'> |
|-|-|
| ![a](<{target}>) | x |

```html
<img src="{target}">
```

```mermaid
graph TD
a["<img src='{target}'>"] --> b
click b "{target}"
```

$$\\includegraphics{{{target}}}$$ $\\href{{{target}}}{{x}}$

[d]: {target}
"""


def svg_of(target: str) -> str:
    """A picture whose parts are elsewhere, said to be a PNG."""
    link = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"'
    drawn = f'<svg {link}><image xlink:href="{target}" href="{target}" width="9" height="9"/></svg>'
    return f"data:image/png;base64,{base64.b64encode(drawn.encode()).decode()}"


def test_the_trap_is_sprung_by_who_loads_something(qtbot, trap: Trap) -> None:
    label = QLabel(f"<img src='{trap.file}'>")
    qtbot.addWidget(label)
    label.show()
    qtbot.waitExposed(label)
    socket.create_connection(("127.0.0.1", int(trap.address.split(":")[2].split("/")[0]))).close()
    qtbot.wait(20)
    assert {"secret.png", "called"} <= set(trap.sprung())


@pytest.mark.parametrize("is_local", [True, False])
def test_a_message_loads_nothing(view, qtbot, trap: Trap, is_local: bool) -> None:
    for target in (str(trap.file), trap.file.as_uri()) if is_local else (trap.address, trap.address[5:]):
        text, picture = markup(target), Attachment("a.png", "image/png", svg_of(target))
        rows = [
            row(0, Role.USER, Text(text), picture, Attachment("b.png", "image/png", target)),
            row(1, Role.ASSISTANT, Reasoning(text), Text(text), ToolCall("c", "read", text)),
            row(2, Role.TOOL, ToolResult("c", "read", text)),
            row(3, Role.SYSTEM, Text(text)),
        ]
        view.transcript.open(rows, ())
        settle(view, qtbot)
        pictures.find(picture.content)
        qtbot.wait(100)
        view.selectAll()
        view.copy_selected_markdown()
        view.grab()
    assert trap.sprung() == []


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_nor_do_labels_and_tooltips(qtbot, trap: Trap, qapp) -> None:
    show_theme(qapp, "light", 1.0)
    name = f"<img src='{trap.file}'><b>notes</b>"
    label, prose = TextLabel(name), MarkdownText(markup(str(trap.file)))
    for widget in (label, prose):
        qtbot.addWidget(widget)
        widget.show()
        qtbot.waitExposed(widget)
    label.resize(40, 20)
    assert label.toolTip() == name
    QToolTip.showText(QPoint(5, 5), label.toolTip(), label)
    qtbot.waitUntil(QToolTip.isVisible)
    [tip] = [widget for widget in qapp.topLevelWidgets() if widget.objectName() == "qtooltip_label"]
    tip.grab()
    QToolTip.hideText()
    assert trap.sprung() == []
