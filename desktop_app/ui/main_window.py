"""The main window: its controllers, and all connections between them and the widgets."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QSize, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QPaintEvent,
)

from desktop_app.engine import protocol as p
from desktop_app.settings import Settings

from .bridge import Bridge
from .composer.draft_field import has_attachments
from .controllers.attach_controller import AttachController
from .controllers.away_controller import AwayController
from .controllers.command_controller import CommandController
from .controllers.context_controller import ContextController
from .controllers.conversation_controller import ConversationController
from .controllers.engine_watch import EngineWatch
from .controllers.export_controller import ExportController
from .controllers.find_controller import FindController
from .controllers.first_start import FirstStart
from .controllers.graphic_controller import GraphicController
from .controllers.insights_controller import InsightsController
from .controllers.listing_controller import ListingController
from .controllers.memory_controller import MemoryController
from .controllers.model_controller import ModelController
from .controllers.policy_controller import PolicyController
from .controllers.question_controller import QuestionController
from .controllers.queue_controller import QueueController
from .controllers.recovery_controller import RecoveryController
from .controllers.request_controller import RequestController
from .controllers.settings_controller import SettingsController
from .controllers.setup_controller import SetupController
from .controllers.tools_controller import ToolsController
from .later_imports import import_step_by_step
from .parts import Parts
from .style import system_look
from .widgets.graphics import graphics
from .window_actions import OPEN, WindowControllers, window_actions

SIZE = (1440, 900)
KEEP_PAUSE = 1_000  # milliseconds after another conversation is shown, when that is stored
FRAME = (8, 44)
"""Pixels that a window's frame may take; how many, the system tells only once the window is shown."""


class MainWindow(Parts):
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
        self._keeping = QTimer(self, singleShot=True, interval=KEEP_PAUSE)  # whoever is killed does not close
        self._keeping.timeout.connect(self._keep_layout)
        self.chat = ConversationController(bridge, self)
        self.listing = ListingController(bridge, self, self.chat)
        self.context = ContextController(bridge, self, self.chat)
        self.settings = SettingsController(bridge, self, settings)
        self.questions = QuestionController(bridge, self, self.chat)
        self.export = ExportController(bridge, self, self.chat)
        self.models = ModelController(bridge, self, self.chat, self.settings, self.context)
        self.recovery = RecoveryController(
            bridge, self, self.chat, self.settings, self.export, self.models, self.context
        )
        self.waiting = QueueController(bridge, self, self.chat)
        self.tools = ToolsController(bridge, self, self.chat, self.settings)
        self.attach = AttachController(bridge, self, self.chat)
        self.policies = PolicyController(bridge, self, self.chat, self.settings)
        self.request = RequestController(bridge, self, self.chat, self.tools)
        self.watch = EngineWatch(bridge, self, self.chat, self.settings)
        self.memory = MemoryController(bridge, self, self.chat)
        self.commands = CommandController(bridge, self, self.chat, self._memory)
        self.insights = InsightsController(bridge, self, self.chat)
        self.finder = FindController(bridge, self, self.chat)
        self.away = AwayController(bridge, self, self.chat)
        self.graphics = GraphicController(bridge, self)
        self.setup = SetupController(bridge, self, self.chat, self.settings)
        self.first = FirstStart(bridge, self, self.chat, self.listing, self.settings)
        for controller in (self.chat, self.memory, self.setup, self.first, self.away):
            controller.use(settings)
            self.settings.changed.connect(controller.use)
        self._connect(bridge)
        controllers = WindowControllers(
            self.chat, self.listing, self.context, self.settings, self.questions, self.export, self.tools,
            self.attach, self.insights, self.commands, self.policies, self.request, self.finder, self.recovery,
            self.models, self.setup,
        )  # fmt: skip
        self.commands.use_actions(window_actions(self, controllers), menu_group=OPEN)
        self._recall_layout()
        self.setAcceptDrops(True)

    def _connect(self, bridge: Bridge) -> None:
        chat, listing, context, settings, watch = self.chat, self.listing, self.context, self.settings, self.watch
        transcript, panel, sidebar, header = self.transcript, self.panel, self.sidebar, self.header
        # the engine
        bridge.became_ready.connect(watch.note_ready)
        bridge.became_ready.connect(import_step_by_step)
        bridge.engine_died.connect(watch.note_death)
        bridge.engine_gave_up.connect(watch.note_end)
        bridge.failed.connect(watch.show_failure)
        bridge.crashed.connect(watch.show_bug)
        bridge.happened.connect(chat.apply)
        bridge.conversations_changed.connect(listing.show)
        # the turn
        self.composer.send_requested.connect(chat.send)
        self.composer.stop_requested.connect(chat.stop)
        self.composer.escape_pressed.connect(self.questions.escape)
        self.composer.draft_changed.connect(chat.drafts.count)
        self.chat_pane.welcome.prompt_chosen.connect(chat.send)
        self.chat_pane.welcome.prompt_chosen.connect(self.composer.take_focus)  # the card goes, and its focus with it
        self.transcript_model.running_changed.connect(self.composer.set_running)
        self.transcript_model.running_changed.connect(self.gauge.set_streaming)
        # what waits for the end of the turn
        self.composer.send_now_requested.connect(partial(chat.send, is_now=True))
        self.composer.queued_wanted.connect(self.waiting.edit_last)
        self.queue.edit_requested.connect(self.waiting.edit)
        self.queue.send_requested.connect(self.waiting.send_now)
        self.queue.remove_requested.connect(self.waiting.remove)
        self.transcript_model.running_changed.connect(self.queue.set_running)
        chat.shown.connect(self.waiting.note_opened)
        bridge.happened.connect(self.waiting.note)
        # the transcript
        transcript.action_requested.connect(self.recovery.perform)
        transcript.editor.resend_requested.connect(self.recovery.resend)
        transcript.page_requested.connect(chat.past.read)
        transcript.copied.connect(self.toast.show_message)
        graphics.wanted.connect(self.graphics.draw)
        # attachments
        self.composer.attach_requested.connect(self.attach.choose_files)
        self.composer.field.files_given.connect(self.attach.attach_files)
        self.composer.field.image_given.connect(self.attach.attach_image)
        self.composer.paths.query_changed.connect(self.attach.complete)
        self.composer.paths.path_chosen.connect(self.attach.attach_path)
        self.composer.command_requested.connect(self.attach.run)
        self.composer.attachments.removed.connect(self.attach.stop)
        transcript.attachment_requested.connect(self.tools.open_attachment)
        # what a turn asks
        bridge.happened.connect(self.questions.note)
        bridge.happened.connect(self.away.note)
        bridge.engine_died.connect(self.questions.show)
        bridge.engine_gave_up.connect(self.questions.show)
        chat.shown.connect(self.questions.show)
        chat.shown.connect(lambda _: self._keeping.start())
        self.question.answered.connect(self.questions.answer)
        # tools
        chat.shown.connect(self.tools.note_opened)
        header.folder_requested.connect(self.tools.offer_folder)
        self.composer.tools_requested.connect(self.tools.open)
        transcript.whole_requested.connect(self.tools.open_whole)
        # conversations
        sidebar.new_requested.connect(chat.open_new)
        sidebar.import_requested.connect(listing.choose_import)
        sidebar.search_requested.connect(listing.open_search)
        sidebar.settings_requested.connect(settings.open)
        sidebar.list.conversation_chosen.connect(chat.open)
        for signal, act in (
            (sidebar.list.delete_requested, listing.delete),
            (sidebar.list.duplicate_requested, listing.duplicate),
            (sidebar.list.pin_requested, listing.pin),
            (sidebar.list.put_away_requested, listing.put_away),
            (sidebar.list.section_requested, listing.choose_section),
        ):
            signal.connect(act)
        sidebar.list.conversations.renamed.connect(listing.rename)
        welcome = self.chat_pane.welcome
        welcome.import_requested.connect(listing.choose_import)
        welcome.found.chosen.connect(self.first.use_server)
        welcome.samples.chosen.connect(self.first.open_sample)
        welcome.places.chosen.connect(self.first.point_at)
        for note in (self.first.note_opened, self.memory.note_opened, self.insights.note_opened):
            chat.shown.connect(note)
        chat.shown.connect(lambda opened: self.toast.turn_to(opened.conversation.id))
        header.title_changed.connect(listing.rename_open)
        settings.policies_requested.connect(self.policies.open)
        header.models_requested.connect(self.models.offer)
        self.chat_pane.welcome.models_requested.connect(self.models.add)
        self.chat_pane.welcome.persona_chosen.connect(self.setup.apply)
        header.menu.clicked.connect(self.commands.open_menu)
        # what the model sees
        self.gauge.optimize_requested.connect(context.optimize)
        self.gauge.breakdown_requested.connect(context.show_breakdown)
        self.gauge.policy_requested.connect(self.policies.open)
        chat.optimize_requested.connect(context.optimize)
        context.export_requested.connect(self.export.open)
        asked = panel.requests
        asked.archived_requested.connect(context.read_archived)
        asked.message_requested.connect(context.go_to)
        asked.version_requested.connect(chat.show_version)
        chat.shown.connect(context.read_versions)
        for signal, request in (
            (transcript.stop_requested, p.StopTool),
            (asked.undo_requested, p.UndoOperation),
            (asked.redo_requested, p.RedoOperation),
            (asked.pin_requested, p.PinMessage),
            (asked.unpin_requested, p.UnpinMessage),
            (asked.bring_back_requested, p.BringBackMessages),
            (asked.own_window_requested, p.UseOwnWindow),
        ):
            signal.connect(partial(context.post, request))
        # the request, part by part
        request, view = self.request, self.chat_pane.request
        bridge.happened.connect(request.note)
        chat.shown.connect(request.note_opened)
        header.request_toggled.connect(request.show)
        view.moment_chosen.connect(request.choose_moment)
        view.replies_requested.connect(request.offer_replies)
        view.copy_requested.connect(request.copy)
        view.curl_requested.connect(request.copy_curl)
        view.list.action_requested.connect(request.perform)
        asked.part_requested.connect(request.perform_on)
        asked.segment_requested.connect(request.filter)
        transcript.request_requested.connect(request.show_of)
        # what is remembered
        bridge.happened.connect(self.memory.note)
        asked.memories_requested.connect(self.memory.read)
        asked.write_requested.connect(self.memory.write)
        asked.delete_requested.connect(self.memory.delete)
        asked.conversation_requested.connect(chat.open)
        # insights
        sidebar.insights_requested.connect(self.insights.toggle)
        asked.insights_requested.connect(self.insights.toggle)
        asked.optimize_requested.connect(context.optimize)
        asked.larger_model_requested.connect(partial(self.models.offer, is_largest_first=True))
        bridge.happened.connect(self.insights.note)
        # the system
        hints = system_look()
        hints.colorSchemeChanged.connect(settings.show_theme)
        hints.accessibility().contrastPreferenceChanged.connect(settings.show_theme)

    def _recall_layout(self) -> None:
        self.resize(QSize(*SIZE))
        geometry = self._memory.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        if not self.isMaximized() and not self.isFullScreen():
            self.resize(self.size().boundedTo(self._room()))
        self.sidebar.recall(self._memory)
        self.sidebar.setVisible(self._memory.value("sidebar", True, bool) is not False)
        self.panel.setVisible(self._memory.value("panel", True, bool) is not False)
        self.chat.conversation = str(self._memory.value("conversation", ""))

    def _room(self) -> QSize:
        """Return the size inside a window's frame. The platform without a screen pretends to have a small one."""
        if QGuiApplication.platformName() == "offscreen":
            return QSize(*SIZE)
        return self.screen().availableSize() - QSize(*FRAME)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if has_attachments(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.attach.attach(event.mimeData())
        event.acceptProposedAction()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let what is typed where nothing takes it become part of the draft."""
        if not self.composer.field.take_typed(event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store the layout; whoever runs the window ends it in order."""
        self.chat.drafts.keep()
        self._keep_layout()
        event.ignore()
        self.hide()
        self.close_requested.emit()

    def _keep_layout(self) -> None:
        self._memory.setValue("geometry", self.saveGeometry())
        self.sidebar.save(self._memory)
        self._memory.setValue("sidebar", self.sidebar_pane.is_wanted)
        self._memory.setValue("panel", self.panel_pane.is_wanted)
        self._memory.setValue("conversation", self.chat.conversation)
        self._memory.sync()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self.painted.emit)
