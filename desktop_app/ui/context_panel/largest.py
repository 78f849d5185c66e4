"""The largest parts of the request, each with what can be done about it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import PartKind, Segment, SentPart
from desktop_app.ui.request_view.part_rows import KINDS, PartAction, actions_of, title_of
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.transcript.row_text import clock_time
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, Swatch
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.card_list import keep_focus_in
from desktop_app.ui.widgets.formats import first_line, first_line_of_markdown, format_number
from desktop_app.ui.widgets.layouts import STRETCH, discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

from .requests import PanelRequests


def name_of(part: SentPart, now: float) -> str:
    """Return such as "Tool · bash cargo tree, 09:58", or whose the message is and how it begins."""
    title = title_of(part)
    if part.kind is PartKind.MESSAGE and part.role != "tool":
        begin = first_line_of_markdown if part.role == "assistant" else first_line
        return f"{tr(SEGMENT_NAMES[part.segment])} · {begin(part.text, 60)}"
    if part.segment is Segment.SUMMARY:
        title = tr(SEGMENT_NAMES[part.segment])
    elif part.kind is PartKind.RECALLED:
        title = f"{tr(SEGMENT_NAMES[part.segment])} · {tr(KINDS[part.kind])}"
    return f"{title}, {clock_time(part.at, now)}" if part.at else title


class LargePart(QWidget):
    """One of them: name and tokens, and links below."""

    def __init__(self, part: SentPart, requests: PanelRequests) -> None:
        super().__init__()
        self.name = TextLabel(name_of(part, time.time()), size=13)
        tokens = TextLabel(format_number(part.tokens), size=13, weight=BOLD)
        head = horizontal(Swatch(part.segment), (self.name, 1), tokens, spacing=8)
        self.links = {action: LinkButton(tr(action.value), size=12) for action in _offered(part)}
        for action, button in self.links.items():
            button.setAccessibleDescription(self.name.text())
            button.clicked.connect(lambda _=False, action=action: requests.part_requested.emit(action, part))
        links = horizontal(*self.links.values(), STRETCH, spacing=14, margins=(17, 0, 0, 0))
        vertical(head, links, holder=self, spacing=2)


class LargestParts(Card):
    """The card; hidden until it is known what is sent."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._parts: tuple[SentPart, ...] = ()
        self.parts: list[LargePart] = []
        self.setAccessibleName(tr("Largest in the request"))
        self.column.addWidget(TextLabel(tr("Largest in the request"), size=13, weight=BOLD))
        self.hide()

    def set_parts(self, parts: Sequence[SentPart]) -> None:
        shown = tuple(part for part in parts if part.kind is not PartKind.FRAME and part.tokens)
        if shown == self._parts:
            return
        self._parts = shown
        with keep_focus_in(self):
            for old in self.parts:
                discard(old)
            self.parts = [LargePart(part, self._requests) for part in shown]
            for new in self.parts:
                self.column.addWidget(new)
        self.setVisible(bool(shown))


def _offered(part: SentPart) -> list[PartAction]:
    return [action for action in actions_of(part) if action is not PartAction.OPEN]
