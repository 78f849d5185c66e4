"""The main window: its widgets, its controllers, and all connections between them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QPaintEvent, QShortcut
from PySide6.QtWidgets import QMainWindow, QWidget

from desktop_app.settings import Settings

from .bridge import Bridge
from .composer.composer import Composer
from .context_controller import ContextController
from .context_panel.context_panel import ContextPanel
from .conversation_controller import ConversationController
from .engine_watch import EngineWatch
from .failure_card import FailureCard
from .gauge.context_gauge import ContextGauge
from .header import Header
from .listing_controller import ListingController
from .memory_controller import MemoryController
from .panes import BottomPane, ChatPane, SplitPane
from .parts import Parts
from .question_controller import QuestionController
from .questions.question_card import QuestionCard
from .recovery_controller import RecoveryController
from .settings_controller import SettingsController
from .sidebar.sidebar import Sidebar
from .toast import Toast
from .tools_controller import ToolsController
from .transcript.transcript_model import TranscriptModel
from .widgets.boxes import Panel
from .widgets.layouts import horizontal, vertical

SIZE = (1440, 900)
FRAME = (8, 44)
"""Pixels that a window's frame may take; how many, the system tells only once the window is shown."""


class MainWindow(QMainWindow):
    """Signals: painted, once, when it is first on the screen; close_requested, when the user closes it.

    window_shown_seconds: from the start of Python in this process to the first painting; 0 before.
    """

    painted = Signal()
    close_requested = Signal()

    def __init__(self, bridge: Bridge, settings: Settings, layout_file: Path) -> None:
        super().__init__()
        self.setWindowTitle("Palimpsest")
        self.window_shown_seconds = 0.0
        self._is_painted = False
        self._memory = QSettings(str(layout_file), QSettings.Format.IniFormat, self)
        self._build()
        self.chat = ConversationController(bridge, self.parts)
        self.listing = ListingController(bridge, self.parts, self.chat)
        self.context = ContextController(bridge, self.parts, self.chat)
        self.settings = SettingsController(bridge, self.parts, settings)
        self.questions = QuestionController(bridge, self.parts, self.chat)
        self.recovery = RecoveryController(bridge, self.parts, self.chat, self.settings)
        self.tools = ToolsController(bridge, self.parts, self.chat, self.settings)
        self.watch = EngineWatch(bridge, self.parts, self.chat)
        self.memory = MemoryController(bridge, self.parts, self.chat)
        for controller in (self.chat, self.memory):
            controller.use(settings)
            self.settings.changed.connect(controller.use)
        self._connect(bridge)
        self._add_shortcuts()
        self._recall_layout()

    def _build(self) -> None:
        self.transcript_model = TranscriptModel(self)
        self.sidebar = Sidebar()
        self.header = Header()
        self.chat_pane = ChatPane(self.transcript_model)
        self.composer = Composer()
        self.gauge = ContextGauge()
        self.failure = FailureCard()
        self.question = QuestionCard()
        self.panel = ContextPanel()
        self.toast = Toast()
        foot = BottomPane((self.question, self.failure), (self.composer, self.gauge))
        chat = QWidget()
        vertical((self.chat_pane, 1), self.toast, foot, holder=chat, spacing=0)
        self.split_pane = SplitPane(chat, self.panel)
        ground = Panel("paper")
        right = vertical(self.header, (self.split_pane, 1), spacing=0)
        horizontal(self.sidebar, (right, 1), holder=ground, spacing=0)
        self.setCentralWidget(ground)
        self.parts = Parts(
            sidebar=self.sidebar,
            header=self.header,
            transcript=self.chat_pane.transcript,
            transcript_model=self.transcript_model,
            composer=self.composer,
            gauge=self.gauge,
            panel=self.panel,
            toast=self.toast,
            failure=self.failure,
            question=self.question,
        )

    def _connect(self, bridge: Bridge) -> None:
        chat, listing, context, settings, watch = self.chat, self.listing, self.context, self.settings, self.watch
        transcript, panel, sidebar, header = self.chat_pane.transcript, self.panel, self.sidebar, self.header
        # the engine
        bridge.became_ready.connect(watch.note_ready)
        bridge.became_ready.connect(context.get_ready)
        bridge.engine_died.connect(watch.note_death)
        bridge.engine_gave_up.connect(watch.note_end)
        bridge.failed.connect(watch.show_failure)
        bridge.crashed.connect(watch.show_bug)
        bridge.happened.connect(chat.apply)
        bridge.conversations_changed.connect(listing.show)
        chat.awaited.connect(self.chat_pane.await_conversation)
        chat.awaited.connect(header.preview_title)
        chat.arrived.connect(self.chat_pane.show_conversation)
        chat.arrived.connect(header.preview_title)
        # the turn
        self.composer.send_requested.connect(chat.send)
        self.composer.stop_requested.connect(chat.stop)
        self.composer.escape_pressed.connect(self.questions.escape)
        self.composer.draft_changed.connect(chat.drafts.count)
        self.chat_pane.welcome.prompt_chosen.connect(chat.send)
        self.chat_pane.welcome.prompt_chosen.connect(self.composer.take_focus)  # the card goes, and its focus with it
        self.transcript_model.running_changed.connect(self.composer.set_running)
        self.transcript_model.running_changed.connect(self.gauge.set_streaming)
        transcript.regenerate_requested.connect(chat.regenerate)
        transcript.page_requested.connect(chat.past.read)
        transcript.copied.connect(self.toast.show_message)
        # what a turn asks
        bridge.happened.connect(self.questions.note)
        bridge.engine_died.connect(self.questions.show)
        bridge.engine_gave_up.connect(self.questions.show)
        chat.shown.connect(self.questions.show)
        self.question.answered.connect(self.questions.answer)
        # tools
        chat.shown.connect(self.tools.note_opened)
        header.folder_requested.connect(self._offer_folder)
        self.composer.tools_requested.connect(self._open_tools)
        transcript.whole_requested.connect(self.tools.open_whole)
        transcript.stop_requested.connect(self.tools.stop)
        # conversations
        sidebar.new_requested.connect(chat.open_new)
        sidebar.import_requested.connect(self._choose_import)
        sidebar.search_requested.connect(self._open_search)
        sidebar.settings_requested.connect(self._open_settings)
        sidebar.list.conversation_chosen.connect(chat.open)
        sidebar.list.delete_requested.connect(listing.delete)
        sidebar.list.conversations.renamed.connect(listing.rename)
        self.chat_pane.welcome.import_requested.connect(self._choose_import)
        header.title_changed.connect(listing.rename_open)
        header.models_requested.connect(settings.offer_models)
        header.model_chosen.connect(chat.choose_model)
        header.panel_button.clicked.connect(self._toggle_panel)
        # what the model sees
        self.gauge.optimize_requested.connect(self._optimize)
        self.gauge.breakdown_requested.connect(context.show_breakdown)
        transcript.way_out_requested.connect(self.recovery.perform)
        chat.optimize_requested.connect(self._optimize)
        transcript.operation_requested.connect(context.show_operation)
        transcript.undo_requested.connect(context.undo)
        transcript.pin_requested.connect(context.pin)
        transcript.unpin_requested.connect(context.unpin)
        transcript.bring_back_requested.connect(context.bring_back)
        panel.archived_requested.connect(context.read_archived)
        panel.undo_requested.connect(context.undo)
        panel.redo_requested.connect(context.redo)
        panel.bring_back_requested.connect(context.bring_back)
        panel.own_window_requested.connect(self.recovery.use_own_window)
        panel.pin_requested.connect(context.pin)
        panel.unpin_requested.connect(context.unpin)
        panel.message_requested.connect(context.go_to)
        # what is remembered
        bridge.happened.connect(self.memory.note)
        panel.memories_requested.connect(self.memory.read)
        chat.shown.connect(self.memory.note_opened)
        panel.memories.write_requested.connect(self.memory.write)
        panel.memories.delete_requested.connect(self.memory.delete)
        panel.conversation_requested.connect(chat.open)
        transcript.conversation_requested.connect(chat.open)
        # the system
        QGuiApplication.styleHints().colorSchemeChanged.connect(settings.show_theme)

    def _add_shortcuts(self) -> None:
        for keys, act in {
            "Ctrl+N": self.chat.open_new,
            "Ctrl+K": self._open_search,
            "Ctrl+Shift+O": self._optimize,
            "Ctrl+.": self._toggle_panel,
            "Ctrl+,": self._open_settings,
            "Ctrl+Shift+T": self._open_tools,
            "Ctrl+L": self.composer.take_focus,
            "F2": self._rename,
        }.items():
            QShortcut(QKeySequence(keys), self, act)
        stop = QShortcut(QKeySequence(Qt.Key.Key_Escape), self.chat_pane, self.questions.escape)
        stop.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)  # elsewhere Escape has other meanings

    def _optimize(self) -> None:
        self.context.optimize(self)

    def _open_search(self) -> None:
        self.listing.open_search(self)

    def _open_settings(self) -> None:
        self.settings.open(self)

    def _open_tools(self) -> None:
        self.tools.open(self)

    def _offer_folder(self) -> None:
        self.tools.offer_folder(self)

    def _choose_import(self) -> None:
        self.listing.choose_import(self)

    def _toggle_panel(self) -> None:
        self.panel.setVisible(not self.panel.isVisible())

    def _rename(self) -> None:
        if self.sidebar.list.hasFocus():
            self.sidebar.list.rename()
        else:
            self.header.rename()

    def _recall_layout(self) -> None:
        self.resize(QSize(*SIZE))
        geometry = self._memory.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        if not self.isMaximized() and not self.isFullScreen():
            self.resize(self.size().boundedTo(self._room()))
        self.panel.setVisible(self._memory.value("panel", True, bool) is not False)
        self.chat.conversation = str(self._memory.value("conversation", ""))

    def _room(self) -> QSize:
        """Return the size inside a window's frame. The platform without a screen pretends to have a small one."""
        if QGuiApplication.platformName() == "offscreen":
            return QSize(*SIZE)
        return self.screen().availableSize() - QSize(*FRAME)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store the layout; whoever runs the window ends it in order."""
        self._memory.setValue("geometry", self.saveGeometry())
        self._memory.setValue("panel", self.split_pane.is_panel_wanted)
        self._memory.setValue("conversation", self.chat.conversation)
        self._memory.sync()
        event.ignore()
        self.hide()
        self.close_requested.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self.painted.emit)
