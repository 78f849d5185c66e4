"""The main window: creates the controllers, and stores its layout."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from desktop_app.paths import picture_file
from desktop_app.settings import Settings

from .last_picture import StillPicture, look_of, read_picture, store_picture
from .translation import tr
from .window_memory import WindowMemory

if TYPE_CHECKING:
    from .actions import WindowAction
    from .bridge import Bridge
    from .single_window import Opening
    from .widgets.sheet import Sheet

SIZE = (1440, 900)
KEEP_PAUSE = 1_000  # milliseconds between showing another conversation and storing that it is open
LONGEST_PICTURE = 60_000  # milliseconds that the picture of the last session stays
PAGE_PAINTS = 150  # milliseconds until the page of a conversation is laid out and painted
GAUGE_MOVES = 500  # milliseconds until the gauge has moved to its value
PICTURE_PAUSE = 30.0  # seconds between two pictures of a window that is not in use
FRAME = (8, 44)
"""Pixels of width and height that a window's frame may take; the actual size is known only once it is shown."""


def is_session_ending() -> bool:
    """Return whether the desktop session is about to end, for example by a log-off."""
    application = QGuiApplication.instance()
    return isinstance(application, QGuiApplication) and application.isSavingSession()


class MainWindow(QMainWindow):
    """The window with its controllers.

    Signals: painted, once, when it is first on the screen; close_requested, when the user closes it.
    window_shown_seconds: seconds from the start of Python in this process to the first painting; 0 before.
    """

    painted = Signal()
    close_requested = Signal()

    def __init__(self, bridge: Bridge | None, settings: Settings, layout_file: Path) -> None:
        super().__init__()
        self.setWindowTitle("Palimpsest")
        self.window_shown_seconds = 0.0
        self.is_painted = False
        self._picture: StillPicture | None = None
        self._pictured_at = 0.0
        self._memory = WindowMemory(layout_file)
        self._picture_file = picture_file(layout_file.parent)
        self._keeping = QTimer(
            self, singleShot=True, interval=KEEP_PAUSE
        )  # a process that is killed gets no closeEvent
        self._keeping.timeout.connect(self._keep_layout)
        self._recall_size()
        if bridge is not None:
            self.build(bridge, settings)

    def show_picture(self, settings: Settings) -> bool:
        """Show the window as the last session left it, if that is known. Return whether it is."""
        found = read_picture(self._picture_file)
        if found is None or found[1] != look_of(self, settings.language):
            return False
        self._picture = StillPicture(*found, self)
        self.setCentralWidget(self._picture)
        self.show()
        return True

    def build(self, bridge: Bridge, settings: Settings) -> None:
        """Create the widgets and the controllers. A picture stays above them until the conversation is shown."""
        from .window_layout import WindowLayout

        self._language = settings.language
        self.ui = WindowLayout()
        self.ui.hide()
        self.ui.setParent(self)
        self._make_controllers(bridge, settings)
        self._connect(bridge, settings)
        self.commands.use_actions(self._actions())
        self._recall_layout()
        self.setAcceptDrops(True)
        if self._picture is not None:
            self.takeCentralWidget()
        self.setCentralWidget(self.ui)
        self.ui.show()
        if self._picture is not None:
            self._picture.cover(self)
            self._leave_picture(self._picture, bridge)

    def _make_controllers(self, bridge: Bridge, settings: Settings) -> None:
        """Create the controllers, each with the widgets that it drives.

        Slots are called in the order in which the controllers connect them: the open conversation comes first.
        They are imported here: the window is shown before.
        """
        from .composer.attach_controller import AttachController, DropController
        from .composer.drafts import Drafts
        from .composer.queue_controller import QueueController
        from .context_panel.context_controller import (
            ContextController,
            MemoryController,
            OutlineController,
            PolicyController,
        )
        from .engine_watch import ArchiveController, BuiltinController, EngineWatch
        from .first_start import FirstStart
        from .header_controller import ModelController, SetupController
        from .importing.import_controller import ExportController, ImportController
        from .insights.insights_controller import InsightsController
        from .notification_controller import AwayController, NotificationController
        from .palette.command_controller import CommandController
        from .projects.project_controller import ProjectController, ProjectSheetController
        from .request_view.request_controller import RequestController
        from .settings.data_controller import DataController
        from .settings.settings_controller import AboutController, SettingsController
        from .sidebar.listing_controller import FindController, HitController, ListingController
        from .tools.tools_controller import ToolsController
        from .transcript.conversation_controller import ConversationController
        from .transcript.recovery_controller import GraphicController, QuestionController, RecoveryController

        ui = self.ui
        toast, card, composer, header, gauge, panel = ui.toast, ui.failure, ui.composer, ui.header, ui.gauge, ui.panel
        pages, pane, sidebar, breakdown = ui.pages, ui.chat_pane, ui.sidebar, ui.panel.breakdown
        transcript, welcome, listed = pane.transcript, pane.welcome, sidebar.list.conversations
        drafts = Drafts(bridge, composer, transcript.editor, gauge, breakdown)
        chat = self.chat = ConversationController(
            bridge, drafts, pages, pane, composer, header, gauge, panel, sidebar.list, card, toast
        )
        self.settings = SettingsController(bridge, settings, self, toast)
        self.watch = EngineWatch(bridge, chat, self.settings, toast, card, gauge, breakdown)
        self.archive = ArchiveController(bridge, chat, self, card)
        self.hits = HitController(bridge, chat, transcript, ui.hit_bar, ui.find_bar)
        self.listing = ListingController(bridge, chat, self.hits, self, sidebar.list, header, gauge, toast)
        self.project_sheets = ProjectSheetController(bridge, chat, self.settings, self, listed, toast)
        self.projects = ProjectController(
            bridge, chat, self.listing, self.project_sheets, self, sidebar, header, pane, toast
        )
        self.importing = ImportController(bridge, chat, self, welcome, listed, composer, toast)
        self.about = AboutController(bridge, self.settings)
        self.data = DataController(bridge, chat, self.settings, self.importing, self, toast)
        self.export = ExportController(bridge, chat, self, header, toast)
        self.context = ContextController(
            bridge, chat, self.export, self.settings, self, composer, gauge, panel, breakdown.versions
        )
        self.notices = NotificationController(bridge, chat, self.context, self._memory, panel, toast)
        self.waiting = QueueController(bridge, chat, ui.queue, composer)
        self.questions = QuestionController(bridge, chat, ui.question, composer, ui.hit_bar, listed, toast)
        self.models = ModelController(bridge, chat, self.settings, self.context, self, header, listed, toast)
        self.tools = ToolsController(bridge, chat, self.settings, self, header, composer, transcript, listed, toast)
        self.attach = AttachController(bridge, chat, self, composer, toast)
        self.drops = DropController(bridge, chat, self.attach, self.importing, composer.field, toast)
        self.policies = PolicyController(bridge, chat, self.settings, self, header, toast)
        self.request = RequestController(bridge, chat, self.tools, self, pane, header, panel, breakdown.largest, toast)
        self.memory = MemoryController(bridge, chat, panel, listed, toast)
        self.outline = OutlineController(bridge, chat, panel, transcript)
        self.commands = CommandController(bridge, self._memory, self, header, pages, toast)
        self.insights = InsightsController(bridge, chat, self, pages, composer, listed)
        self.finder = FindController(bridge, chat, transcript, ui.find_bar, ui.hit_bar, ui.pages)
        self.away = AwayController(bridge, chat, self, listed)
        self.graphics = GraphicController(bridge, self)
        self.setup = SetupController(bridge, chat, self.settings, self, header, welcome, listed)
        self.recovery = RecoveryController(
            bridge, chat, self.settings, self.export, self.models, self.context, self.tools, self.setup,
            pane, panel, composer, toast,
        )  # fmt: skip
        self.builtin = BuiltinController(bridge, chat, self.settings, welcome.offer, header, toast)
        self.first = FirstStart(
            bridge, chat, self.importing, self.settings, welcome, pane.model, composer, header, gauge, panel, toast
        )

    def _connect(self, bridge: Bridge, settings: Settings) -> None:
        """Connect signals of widgets that their controllers need for nothing else, and controllers with each other."""
        from . import later_imports

        ui, sidebar, pane, requests = self.ui, self.ui.sidebar, self.ui.chat_pane, self.ui.panel.requests
        sidebar.new_requested.connect(self.chat.open_new)
        sidebar.settings_requested.connect(self.settings.open)
        sidebar.import_requested.connect(self.importing.open)
        sidebar.deleted_requested.connect(self.listing.open_deleted)
        for signal in (sidebar.search_requested, ui.hit_bar.results_requested):
            signal.connect(self.listing.open_search)
        ui.gauge.bar.policy_requested.connect(self.policies.open)
        for signal in (ui.composer.field.escape_pressed, pane.escape_pressed):
            signal.connect(self.questions.escape)
        pane.welcome.models_requested.connect(self.models.add)
        pane.project.files_requested.connect(self.attach.choose_files)
        requests.project_requested.connect(self.projects.open_settings)
        requests.larger_model_requested.connect(partial(self.models.offer, is_largest_first=True))
        for signal in (sidebar.insights_requested, requests.insights_requested):
            signal.connect(self.insights.toggle)
        for controller in (self.notices, self.memory, self.setup, self.first, self.away):
            controller.use(settings)
            self.settings.changed.connect(controller.use)
        self.away.front_requested.connect(self.come_to_front)
        self.project_sheets.memories_changed.connect(self.memory.read)
        self.chat.opened.connect(lambda _: self._keeping.start())
        bridge.became_ready.connect(later_imports.import_step_by_step)

    def _actions(self) -> tuple[WindowAction, ...]:
        from .window_actions import (
            arranging_actions,
            context_actions,
            conversation_actions,
            finding_actions,
            listing_actions,
            project_actions,
            reply_actions,
            view_actions,
        )

        chat, listing, context, ui = self.chat, self.listing, self.context, self.ui
        return (
            *listing_actions(chat, listing, ui.sidebar),
            *finding_actions(chat, self.finder, self.outline),
            *conversation_actions(
                chat, listing, self.importing, self.setup, self.models, self.tools, context, self.export
            ),
            *arranging_actions(listing, self.projects),
            *project_actions(self.projects),
            *reply_actions(chat, self.attach, self.questions, self.recovery, ui.transcript),
            *context_actions(chat, context, self.policies, self.request, self.insights, ui.panel_pane, ui.header),
            *view_actions(
                self.settings, self.data, self.about, self.commands, ui.sidebar_pane, ui.go_to_next_region, self.close
            ),
        )

    def show_at_start(self, opening: Opening) -> None:
        """Show what the command line asked for, once a conversation is open."""
        once = Qt.ConnectionType.SingleShotConnection
        self.chat.opened.connect(lambda _: self._show_opening(opening), once)

    def show_handed_over(self, opening: Opening) -> None:
        """Come to the front, and show what another start of the program asked for."""
        self.come_to_front(opening.token)
        QApplication.alert(self)  # where it may not come to the front by itself, as under Wayland without a token
        if not opening.files and not opening.action:
            self.ui.toast.show_message(tr("Palimpsest is open already: this is its window."))
        self._show_opening(opening)

    def come_to_front(self, token: str = "") -> None:
        """Show the window above others. token: the activation token that Wayland requires; "" without one."""
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # where Qt looks for it
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def _show_opening(self, opening: Opening) -> None:
        if opening.files:
            self.importing.open_with(opening.files)
        elif opening.action == "import":
            self.importing.open()
        elif opening.action == "new":
            self.chat.open_new()

    def _leave_picture(self, picture: StillPicture, bridge: Bridge) -> None:
        """Let the picture go when what it shows is there, or cannot be there soon."""
        gauge, composer, once = self.ui.gauge, self.ui.composer, Qt.ConnectionType.SingleShotConnection

        def uncover_counted() -> None:
            if gauge.gauge is not None:
                QTimer.singleShot(GAUGE_MOVES, self, self._leave)

        composer.draft_changed.connect(lambda: self._picture and picture.uncover(composer))

        def show_page() -> None:
            if self._picture is not None:
                picture.cover_only(gauge)

        self.chat.opened.connect(lambda _: QTimer.singleShot(PAGE_PAINTS, self, show_page), once)
        self.chat.opened.connect(uncover_counted, once)
        gauge.changed.connect(uncover_counted)
        ends = (bridge.engine_died, bridge.engine_gave_up, bridge.archive_refused, bridge.failed, bridge.happened)
        for signal in ends:
            signal.connect(self._leave, once)
        QTimer.singleShot(LONGEST_PICTURE, self, self._leave)

    def _leave(self, *_: object) -> None:
        if self._picture is not None:
            self._picture.go()
            self._picture = None

    def _recall_size(self) -> None:
        self.resize(QSize(*SIZE))
        self.restoreGeometry(QByteArray.fromBase64(self._memory.text("geometry").encode()))
        if not self.isMaximized() and not self.isFullScreen():
            wanted, most = self.size(), self._max_size()
            self.resize(wanted.boundedTo(most))
            # Under Wayland nobody says what panels and the title bar leave: only the compositor knows what fits.
            if wanted != self.size() and QGuiApplication.platformName() == "wayland":
                self.setWindowState(Qt.WindowState.WindowMaximized)

    def _recall_layout(self) -> None:
        self.ui.sidebar.recall(self._memory)
        self.ui.sidebar.setVisible(self._memory.is_set("sidebar", True))
        self.ui.panel.setVisible(self._memory.is_set("panel", True))
        self.chat.conversation = self._memory.text("conversation")

    def _max_size(self) -> QSize:
        """Return the largest size inside a window's frame. The offscreen platform reports a small screen: ignore it."""
        if QGuiApplication.platformName() == "offscreen":
            return QSize(*SIZE)
        return self.screen().availableSize() - QSize(*FRAME)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        from .composer.draft_field import has_attachments, take_copy

        if has_attachments(event.mimeData()):
            take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        from .composer.draft_field import take_copy

        point = self.ui.sidebar.mapFrom(self, event.position().toPoint())
        self.drops.take(event.mimeData(), self.ui.sidebar.isVisible() and self.ui.sidebar.rect().contains(point))
        take_copy(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Add keys that no widget takes to the draft, and go back to the chat on Escape."""
        field = self.ui.composer.field
        if event.key() == Qt.Key.Key_Escape and not self.ui.transcript_model.is_running:  # else it stops the reply
            self.ui.go_back()
        elif field.takes(event):
            self.ui.pages.show_chat()
            field.take_typed(event)
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store drafts and the layout, and emit `close_requested`; first ask about unsaved changes in a sheet.

        The question is skipped when the desktop session ends, which does not wait for an answer.
        """
        if (sheet := self._unsaved_sheet()) is not None and not is_session_ending():
            event.ignore()
            if sheet.question is None or not sheet.question.is_asked:
                sheet.leave(self.close)
            return
        self.chat.drafts.keep()
        self._keep_layout()
        event.ignore()
        self.hide()
        self._keep_picture()
        self.close_requested.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Keep a picture now and then, while the window is not in use: a process that is killed leaves no other."""
        super().changeEvent(event)
        is_left = event.type() == QEvent.Type.ActivationChange and self.is_painted and not self.isActiveWindow()
        if is_left and time.monotonic() - self._pictured_at > PICTURE_PAUSE and hasattr(self, "ui"):
            self._keep_picture()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "ui"):  # a picture of another size is none of this window
            self._leave()

    def _keep_picture(self) -> None:
        """Store how the window will look at the next start, or forget the last picture if that is not shown."""
        self._pictured_at = time.monotonic()
        if self._picture is not None:
            return  # it has not become the real window yet
        if not self._is_as_at_start():
            self._memory.later(self._picture_file.unlink, True)
            return
        if self.isHidden():  # nobody sees it move
            self.ui.transcript.follow_end()
        image = self.grab().toImage()
        self._memory.later(store_picture, self._picture_file, image, look_of(self, self._language))

    def _is_as_at_start(self) -> bool:
        """Return whether nothing but the newest messages of a conversation is shown, as after a start."""
        ui, chat = self.ui, self.chat
        is_plain = chat.is_open() and not chat.is_running() and ui.pages.currentWidget() is ui.chat_page
        is_plain &= not ui.chat_pane.is_request_shown and not ui.transcript.editor.message_id and not self._sheets()
        bars = (ui.find_bar, ui.hit_bar, ui.failure, ui.question, ui.queue, ui.toast)
        return is_plain and not any(bar.isVisibleTo(self) for bar in bars)

    def _unsaved_sheet(self) -> Sheet | None:
        """Return the topmost sheet with unsaved changes, if there is one."""
        sheets = [sheet for sheet in self._sheets() if sheet.unsaved()]
        return sheets[-1] if sheets else None

    def _sheets(self) -> list[Sheet]:
        """Return the sheets that are shown."""
        from .widgets.sheet import Sheet

        return [sheet for sheet in self.findChildren(Sheet) if sheet.isVisible()]

    def _keep_layout(self) -> None:
        self._memory.set("geometry", self.saveGeometry().toBase64().toStdString())
        self.ui.sidebar.save(self._memory)
        self._memory.set("sidebar", self.ui.sidebar_pane.is_wanted)
        self._memory.set("panel", self.ui.panel_pane.is_wanted)
        self._memory.set("conversation", self.chat.conversation)
        self._memory.save()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.is_painted:
            self.is_painted = True
            QTimer.singleShot(0, self.painted.emit)
