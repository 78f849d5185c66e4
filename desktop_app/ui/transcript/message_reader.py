"""A window with the whole text of a message."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.message import Message
from desktop_app.ui.widgets.formats import readable_text, speaker_of
from desktop_app.ui.widgets.text_reader import TextReader


class MessageReader(TextReader):
    """A window with a message's whole text."""

    def __init__(self, message: Message, parent: QWidget) -> None:
        text = readable_text(message)
        super().__init__(speaker_of(message), text, parent, is_mono=message.tool_result is not None)
