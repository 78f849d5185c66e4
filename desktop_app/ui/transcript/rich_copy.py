"""What is copied of a conversation, for programs that paste text and for those that paste headings, lists and tables.

The HTML is made when a program asks for it: most want the text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from html import escape
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from desktop_app.conversation.markdown_html import code_html, html_of_markdown
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.message_rows import MessageRow
from desktop_app.ui.widgets.invisible import without_commands

from .items import Item, MessageItem
from .replies import ReplyItem

TEXT, HTML, MARKDOWN = "text/plain", "text/html", "text/markdown"
MAX_RICH = 200_000
"""Characters; of more the text alone is copied, since HTML of them would take seconds."""
STYLE = (
    "table{border-collapse:collapse}th,td{border:1px solid #999;padding:3px 7px}"
    "pre,code{font-family:monospace}blockquote{border-left:3px solid #ccc;padding-left:9px}"
)


CopiedKind = Literal["markdown", "typed", "code"]


class CopiedRow(msgspec.Struct, frozen=True):
    """What is copied of one message. kind: what its text is; what was typed keeps its lines."""

    text: str
    kind: CopiedKind = "markdown"
    speaker: str = ""
    """Who said it, where it is copied with others."""

    @property
    def html(self) -> str:
        head = f"<p><b>{escape(self.speaker)}</b></p>\n" if self.speaker else ""
        match self.kind:
            case "markdown":
                shown = html_of_markdown(self.text, {})
                return head + shown.replace("<table>", '<table border="1" cellspacing="0" cellpadding="4">')
            case "typed":
                lines = escape(self.text).replace("\n", "<br>\n")
                return f"{head}<p>{lines}</p>\n"
            case "code":
                return f"{head}{code_html(self.text)}\n"

    @property
    def markdown(self) -> str:
        return f"## {self.speaker}\n\n{self.text}" if self.speaker else self.text


class RichText(QMimeData):
    """Text with the rows that it was made of, without what a terminal would obey unseen."""

    def __init__(self, text: str, rows: Sequence[CopiedRow]) -> None:
        super().__init__()
        self._text, self._rows = without_commands(text), rows

    def formats(self) -> list[str]:
        return [TEXT, HTML, MARKDOWN]

    def hasFormat(self, mimetype: str) -> bool:
        return mimetype in self.formats()

    def retrieveData(self, mimetype: str, preferredType: Any) -> Any:
        match mimetype:
            case "text/plain":
                return self._text
            case "text/html":
                return self._html
            case "text/markdown":
                return QByteArray(self._markdown.encode(errors="replace"))
            case _:
                return None

    @cached_property
    def _html(self) -> str:
        said = without_commands("".join(row.html for row in self._rows))
        return f'<html><head><meta charset="utf-8"><style>{STYLE}</style></head><body>{said}</body></html>'

    @cached_property
    def _markdown(self) -> str:
        return without_commands("\n\n".join(row.markdown for row in self._rows))


def kind_of(item: Item | None) -> CopiedKind:
    """Return what the text of a row is."""
    match item:
        case ReplyItem() | MessageItem(MessageRow(Message(role=Role.ASSISTANT))):
            return "markdown"
        case MessageItem(MessageRow(Message(role=Role.USER))):
            return "typed"
        case _:
            return "code"


def copy_to_clipboard(text: str, rows: Sequence[CopiedRow] = ()) -> None:
    """Put a text on the clipboard, and what it looks like, if there are rows of it."""
    clipboard = QGuiApplication.clipboard()
    if not rows or len(text) > MAX_RICH:
        clipboard.setText(without_commands(text))
        return
    clipboard.setMimeData(RichText(text, rows))


def leave_text() -> None:
    """Leave the text alone on the clipboard: what Python has made there, Qt would free after Python's end."""
    clipboard = QGuiApplication.clipboard()
    if isinstance(held := clipboard.mimeData(), RichText):
        clipboard.setText(held.text())
