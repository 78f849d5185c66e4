"""The widgets of the window and their layout."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from .composer.composer import Composer
from .composer.queue_list import QueueList
from .context_panel.context_panel import ContextPanel
from .failure_card import FailureCard
from .find_bar import FindBar
from .gauge.context_gauge import ContextGauge
from .header import Header
from .panes import BottomPane, ChatPane, SplitPane
from .questions.question_card import QuestionCard
from .sidebar.sidebar import Sidebar
from .toast import Toast
from .transcript.transcript_model import TranscriptModel
from .widgets.boxes import Panel
from .widgets.layouts import horizontal, vertical


class Parts(QMainWindow):
    """A window with the widgets that the controllers use."""

    def __init__(self) -> None:
        super().__init__()
        self.transcript_model = TranscriptModel(self)
        self.sidebar = Sidebar()
        self.header = Header()
        self.chat_pane = ChatPane(self.transcript_model)
        self.transcript = self.chat_pane.transcript
        self.find_bar = FindBar()
        self.composer = Composer()
        self.queue = QueueList()
        self.gauge = ContextGauge()
        self.failure = FailureCard()
        self.question = QuestionCard()
        self.panel = ContextPanel()
        self.toast = Toast()
        foot = BottomPane((self.question, self.failure, self.queue), (self.composer, self.gauge))
        chat = QWidget()
        vertical(self.find_bar, (self.chat_pane, 1), self.toast, foot, holder=chat, spacing=0)
        self.split_pane = SplitPane(chat, self.panel)
        ground = Panel("paper")
        self.chat_page = QWidget()
        vertical(self.header, (self.split_pane, 1), holder=self.chat_page, spacing=0)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.chat_page)
        horizontal(self.sidebar, (self.pages, 1), holder=ground, spacing=0)
        self.setCentralWidget(ground)
        self._order_focus()

    def _order_focus(self) -> None:
        """Let Tab walk as the window is read; Qt's order is that in which widgets were made."""
        sidebar, header = self.sidebar, self.header
        for before, after in pairwise(
            (sidebar.settings, sidebar.edge, header.folder, header.chip, header.panel_button)
        ):
            self.setTabOrder(before, after)

    def show_chat(self) -> None:
        """Show the conversation, in place of another page."""
        self.pages.setCurrentWidget(self.chat_page)

    def show_request(self, is_shown: bool) -> None:
        """Show the request in place of the chat, or the chat again."""
        self.show_chat()
        self.chat_pane.show_request(is_shown)
        self.header.views.choose("request" if is_shown else "chat")
