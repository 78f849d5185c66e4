"""The widgets of the window, and how they are arranged."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from .composer.composer import Composer
from .composer.question_card import QuestionCard
from .composer.queue_list import QueueList
from .context_panel.context_gauge import ContextGauge
from .context_panel.context_panel import ContextPanel
from .failure_card import FailureCard
from .header import Header
from .palette.result_rows import FindBar, HitBar
from .panes import BottomPane, ChatPane, DrawerPane, Pages
from .sidebar.sidebar import Sidebar
from .toast import Toast
from .transcript.transcript_model import TranscriptModel
from .translation import tr
from .widgets.boxes import Panel
from .widgets.layouts import horizontal, vertical
from .widgets.look import StyleAware, scale

LOW = 600  # pixels of height below which the composer and the gauge take one line each


class WindowLayout(StyleAware, Panel):
    """All widgets of the window, connected with each other; the controllers get those that they drive."""

    def __init__(self) -> None:
        super().__init__("paper")
        self.transcript_model = TranscriptModel(self)
        self.sidebar = Sidebar()
        self.header = Header()
        self.chat_pane = ChatPane(self.transcript_model)
        self.transcript = self.chat_pane.transcript
        self.find_bar, self.hit_bar = FindBar(), HitBar()
        self.composer = Composer()
        self.queue = QueueList()
        self.gauge = ContextGauge()
        self.failure = FailureCard()
        self.question = QuestionCard()
        self.panel = ContextPanel()
        self.foot = BottomPane((self.question, self.failure, self.queue), (self.composer, self.gauge))
        chat = QWidget()
        vertical(self.find_bar, self.hit_bar, (self.chat_pane, 1), self.foot, holder=chat, spacing=0)
        self.panel_pane = DrawerPane(chat, self.panel)
        self.chat_page = QWidget()
        vertical(self.header, (self.panel_pane, 1), holder=self.chat_page, spacing=0)
        self.toast = Toast(self.chat_pane, self.chat_page)
        self.toast.stay_above(self.transcript.jump)
        self.pages = Pages(self.chat_page)
        self.sidebar_pane = DrawerPane(self.pages, self.sidebar, is_first=True, closes_behind=True)
        horizontal((self.sidebar_pane, 1), holder=self, spacing=0)
        self._connect_drawers()
        self.chat_pane.request_switched.connect(self._note_request)
        for follow in (self.composer.set_running, self.gauge.set_streaming, self.queue.set_running):
            self.transcript_model.running_changed.connect(follow)
        self.transcript.copied.connect(self.toast.show_message)
        self.transcript.quote_requested.connect(self.composer.quote)
        self.transcript.links.questioned.connect(self._ask_about_link)
        self._order_focus()

    def _ask_about_link(self, text: str, open_it: Callable[[], None]) -> None:
        self.toast.show_message(text, tr("Open it"), open_it)

    def _order_focus(self) -> None:
        """Let Tab follow the reading order; Qt's default is the order in which widgets were created."""
        sidebar, header = self.sidebar, self.header
        for before, after in pairwise(
            (sidebar.settings, sidebar.edge, header.folder, header.chip, header.panel_button)
        ):
            self.setTabOrder(before, after)

    def _connect_drawers(self) -> None:
        """Close a drawer that lies over the chat once something was chosen in it, before the controllers respond."""
        sidebar, requests, header = self.sidebar, self.panel.requests, self.header
        for leaving in (
            sidebar.new_requested, sidebar.import_requested, sidebar.search_requested, sidebar.settings_requested,
            sidebar.insights_requested, sidebar.list.conversation_chosen, sidebar.list.begin_requested,
            sidebar.list.new_project_requested, sidebar.list.all_projects_requested, sidebar.list.settings_requested,
        ):  # fmt: skip
            leaving.connect(self.sidebar_pane.close_drawer)
        for leaving in (
            requests.message_requested, requests.segment_requested, requests.version_requested,
            requests.conversation_requested, requests.outline_requested,
        ):  # fmt: skip
            leaving.connect(self.panel_pane.close_drawer)
        header.panel_button.clicked.connect(self.panel_pane.toggle)
        header.sidebar_button.clicked.connect(self.sidebar_pane.toggle)
        self.sidebar_pane.beside_changed.connect(lambda is_beside: header.show_sidebar_button(not is_beside))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sidebar.refresh_style()  # its width is limited by the window's
        self.refresh_style()

    def refresh_style(self) -> None:
        """Let the widgets around the conversation use less height in a low window."""
        is_low = self.height() < scale(LOW)
        for part in (self.header, self.sidebar, self.composer, self.gauge, self.foot):
            part.set_low(is_low)

    def _note_request(self, is_shown: bool) -> None:
        """Show the chat's page, without bars that search messages if it is to contain the request."""
        self.pages.show_chat()
        if is_shown and self.find_bar.isVisible():
            self.find_bar.close_bar()
        if is_shown:
            self.hit_bar.close_bar()
        self.header.views.choose("request" if is_shown else "chat")

    def go_to_next_region(self) -> None:
        """Move the focus to the next of the list, the messages, the composer and the panel that is visible."""
        sidebar, composer, tabs = self.sidebar, self.composer, self.panel.tabs
        regions = (sidebar.list, self.transcript, composer.field, tabs.button("breakdown"))
        visible = [widget for widget in regions if widget.isVisible()]
        now = next((n for n, widget in enumerate(visible) if widget.hasFocus()), -1)
        if visible:  # none is visible on another page of a narrow window
            visible[(now + 1) % len(visible)].setFocus(Qt.FocusReason.TabFocusReason)

    def go_back(self) -> None:
        """Leave the message editor, the bar of search hits or the request view, whichever is open, in that order."""
        if self.transcript.editor.message_id:
            self.transcript.editor.leave()
        elif self.hit_bar.isVisible():
            self.hit_bar.close_bar()
        elif self.chat_pane.is_request_shown:
            self.chat_pane.show_request(False)
            self.transcript.setFocus()
