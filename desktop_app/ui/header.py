"""The header above the conversation: its title, project, working folder and model, and buttons."""

from __future__ import annotations

from pathlib import PurePath

from msgspec.structs import replace
from PySide6.QtCore import QDateTime, QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.setup import Project

from .actions import keys_text
from .model_words import part_of_window
from .translation import locale, tr
from .widgets.buttons import Button, ButtonKind
from .widgets.inputs import Segmented
from .widgets.layouts import horizontal
from .widgets.look import BOLD, CONTROL_HEIGHT, SMALL_HEIGHT, Corner, StyleAware, colour, font, paint_box, scale
from .widgets.number_formats import escape_name, format_title, shorten
from .widgets.text_label import TextLabel

MIN_CHIP_WIDTH = 104  # pixels


class Chip(Button):
    """A rounded button for something that can be changed. In a narrow window its text ends in an ellipsis."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scale(SMALL_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), scale(MIN_CHIP_WIDTH)), scale(SMALL_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        is_near = self.underMouse() or self.hasFocus()
        paint_box(painter, box, None, colour("accent" if self.hasFocus() else "line"), box.height() / 2)
        painter.setFont(self._font())
        painter.setPen(colour("ink" if is_near else "ink_soft"))
        width = self.width() - scale(20)
        words = QFontMetrics(self._font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)

    def _font(self) -> QFont:
        return font(13)


class PaneButton(Button):
    """Opens and closes a pane next to the conversation. Without a text, or in a narrow window, it is painted as an icon
    of the window with that pane."""

    def __init__(self, text: str, parent: QWidget, *, is_first: bool) -> None:
        """is_first: the pane is on the side where reading begins."""
        super().__init__(text, ButtonKind.QUIET, parent)
        self._is_first = is_first
        self._is_drawn = not text

    def set_drawn(self, is_drawn: bool) -> None:
        """Show the icon in place of the text."""
        if self._is_drawn != is_drawn:
            self._is_drawn = is_drawn
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(scale(CONTROL_HEIGHT), scale(CONTROL_HEIGHT)) if self._is_drawn else super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._is_drawn:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        fill, _, ink = self._colours()
        box = QRectF(self.rect())
        paint_box(painter, box, fill, None, Corner.CONTROL)
        frame = QRectF(0, 0, scale(18), scale(14))
        frame.moveCenter(box.center())
        pane = QRectF(frame.left(), frame.top(), scale(6), frame.height())
        if self._is_first is self.isRightToLeft():
            pane.moveRight(frame.right())
        paint_box(painter, pane, ink, None, Corner.MARK)
        paint_box(painter, frame, None, ink, Corner.MARK, 1.5)
        if self._is_ringed and self.hasFocus():
            self._paint_ring(painter)


HEIGHT, LOW_HEIGHT = 62, 44
MIN_TITLE_WIDTH = 110  # pixels that the other widgets leave to the title
GAP, START, END = 8, 20, 12  # pixels between the widgets, before the first and after the last
MAX_FOLDER_NAME, MAX_MODEL_NAME = 24, 28  # characters
PADDING = 12  # pixels around the project's name
NARROW = 680  # pixels of width below which the model's window is left out in favour of the title


def model_label(model: ModelInfo) -> str:
    """Return a model's name and context window: "SmolLM2 135M · 8K"."""
    if not model.window:
        return model.label
    is_assumed = model.window_provenance is Provenance.ASSUMED
    words = tr("{model} · {window} assumed") if is_assumed else "{model} · {window}"
    return words.format(model=model.label, window=part_of_window(model.window, model.max_window))


def window_note(model: ModelInfo) -> str:
    """Return a line about the origin of the context window's size; "" if none is needed."""
    if not model.window:
        return tr("Its window is not known yet")
    if not model.window_reported_at:
        return ""
    day = QDateTime.fromSecsSinceEpoch(int(model.window_reported_at)).date()
    date = locale().toString(day, QLocale.FormatType.ShortFormat)
    return tr("Its window as the server last reported it, on {day}").format(day=date)


class Header(StyleAware, QWidget):
    """Shows the open conversation's title, project, folder and model.

    Signals: title_changed(title); models_requested and folder_requested, to choose another one; project_requested,
    to see what can be done with it; request_toggled(is_shown), to see the request in place of the chat.

    In a narrow window the least important widgets are hidden; the menu then contains their actions.
    """

    title_changed = Signal(str)
    models_requested = Signal()
    folder_requested = Signal()
    project_requested = Signal()
    request_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ""
        self._model: ModelInfo | None = None
        self._is_low = False
        self.label = TextLabel(size=15, weight=BOLD, parent=self)
        self.label.set_hint(tr("Double-click to rename ({keys})").format(keys=keys_text(("F2",))))
        self.field = QLineEdit(self)
        self.field.setAccessibleName(tr("Title of the conversation"))
        self.titles = QStackedWidget(self)
        self.titles.addWidget(self.label)
        self.titles.addWidget(self.field)
        self.project = Button("", ButtonKind.QUIET, self, padding=PADDING)
        self.project.hide()
        self.chip = Chip("", parent=self)
        self.folder = Chip(tr("No folder"), parent=self)
        self.views = Segmented((("chat", tr("Chat")), ("request", tr("Request"))), self)
        self.views.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        keys = keys_text(("Ctrl+Shift+X",))
        about = tr("See what the model gets, part by part ({keys})").format(keys=keys)
        self.views.button("request").setToolTip(about)
        self.views.button("chat").setToolTip(tr("See the conversation ({keys})").format(keys=keys))
        self.views.chosen.connect(lambda view: self.request_toggled.emit(view == "request"))
        self.sidebar_button = PaneButton("", self, is_first=True)
        about = tr("Show or hide the conversations ({keys})").format(keys=keys_text(("Ctrl+B",)))
        self.sidebar_button.setToolTip(about)
        self.sidebar_button.setAccessibleName(tr("Conversations"))
        self.sidebar_button.hide()
        self.panel_button = PaneButton(tr("Context"), self, is_first=False)
        about = tr("Show or hide the context panel ({keys})").format(keys=keys_text(("Ctrl+.",)))
        self.panel_button.setToolTip(about)
        self.menu = Button("⋯", ButtonKind.QUIET, self)
        self.menu.setAccessibleName(tr("More actions for this conversation"))
        self.menu.setToolTip(tr("Rename, export, start fresh and more"))
        self.chip.clicked.connect(lambda _=False: self.models_requested.emit())
        self.folder.clicked.connect(lambda _=False: self.folder_requested.emit())
        self.project.clicked.connect(lambda _=False: self.project_requested.emit())
        self.field.editingFinished.connect(self._finish)
        items = (self.project, (self.titles, 1), self.folder, self.chip, self.views, self.panel_button, self.menu)
        horizontal(self.sidebar_button, *items, holder=self, spacing=GAP, margins=(START, 0, END, 0))
        self.refresh_style()
        self.show_nothing()

    def show_conversation(self, title: str, model: ModelInfo) -> None:
        self._model = model
        self.show_title(title)
        self._name_model()
        self.chip.setAccessibleName(tr("Model: {model}").format(model=model_label(model)))
        lines = (model_label(model), window_note(model), tr("The model for this conversation"))
        self.chip.setToolTip("\n".join(filter(None, lines)))
        self._fold()

    @property
    def title(self) -> str:
        """The title of the conversation that is open."""
        return self._title

    def preview_title(self, title: str = "") -> None:
        """Show the title of a conversation that is being opened; "" for the open conversation's title."""
        self.label.set_text(format_title(title) if title else self._title)

    def show_project(self, project: Project | None) -> None:
        """Show the project of the conversation before its title."""
        name = project.name if project is not None else ""
        self.project.setText(tr("{project} ›").format(project=shorten(name, MAX_FOLDER_NAME)) if name else "")
        self.project.setAccessibleName(tr("Project: {project}").format(project=name))
        self.project.setToolTip(tr("The project of this conversation: {project}").format(project=name))
        self.project.updateGeometry()
        self._fold()

    def show_folder(self, folder: str, project: str = "") -> None:
        """Show the working folder of the tools; "" for none. project: the name of the project that sets it, or ""."""
        self.folder.setText(shorten(escape_name(PurePath(folder).name or folder), MAX_FOLDER_NAME) or tr("No folder"))
        self.folder.setAccessibleName(tr("Working folder: {folder}").format(folder=folder or tr("none")))
        about = tr("Tools work in {folder}") if folder else tr("Choose a folder for tools to work in")
        about = tr("Tools work in {folder}, from the project {project}") if project else about
        self.folder.setToolTip(about.format(folder=folder, project=project))
        self.folder.updateGeometry()
        self._fold()

    def show_title(self, title: str) -> None:
        self._title = format_title(title)
        self.label.set_text(self._title)

    def show_nothing(self) -> None:
        """Show that no conversation is open."""
        self._abandon()
        self._title, self._model = "", None
        self.project.setText("")
        self.label.set_text("")
        self._fold()

    def rename(self) -> None:
        """Let the user edit the title."""
        if self._model is None:
            return
        self.field.setText(self._title)
        self.field.selectAll()
        self.titles.setCurrentWidget(self.field)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def model_id(self) -> str:
        """The id of the model of the open conversation; "" without one."""
        return self._model.id if self._model is not None else ""

    @property
    def model_name(self) -> str:
        """The display name of that model; "" without one."""
        return self._model.label if self._model is not None else ""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.titles.geometry().contains(event.position().toPoint()):
            self.rename()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.titles.currentWidget() is self.field:
            self._abandon()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_model()
        self._fold()

    def minimumSizeHint(self) -> QSize:
        """Return the size of the widgets that are never hidden."""
        fixed = (self.sidebar_button, self.panel_button, self.menu)
        buttons = len(fixed) * (scale(CONTROL_HEIGHT) + GAP)
        return QSize(buttons + START + END + scale(MIN_TITLE_WIDTH), scale(LOW_HEIGHT))

    def refresh_style(self) -> None:
        self.setFixedHeight(scale(LOW_HEIGHT if self._is_low else HEIGHT))
        self._fold()

    def set_low(self, is_low: bool) -> None:
        """Use less height, for a low window."""
        self._is_low = is_low
        self.refresh_style()

    def show_sidebar_button(self, is_shown: bool) -> None:
        """Show the button that opens the sidebar, for a window too narrow to show the sidebar next to the chat."""
        self.sidebar_button.setVisible(is_shown)
        self._fold()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, colour("line"))

    def _name_model(self) -> None:
        if self._model is not None:
            short = replace(self._model, label=shorten(self._model.label, MAX_MODEL_NAME))
            self.chip.setText(short.label if self.width() < scale(NARROW) else model_label(short))
            self.chip.updateGeometry()

    def _fold(self) -> None:
        """Hide the widgets that do not fit, the least important first."""
        self.panel_button.set_drawn(self.width() < scale(NARROW))
        fixed = [w for w in (self.sidebar_button, self.panel_button, self.menu) if not w.isHidden()]
        free = self.width() - START - END - scale(MIN_TITLE_WIDTH) - sum(w.sizeHint().width() + GAP for w in fixed)
        # Each needs its own width, and leaves the title some more than the one before.
        needs = (
            (self.views, self.views.minimumSizeHint().width()),
            (self.chip, self.chip.minimumSizeHint().width() + scale(30)),
            (self.folder, self.folder.sizeHint().width() + scale(40)),
            *(((self.project, self.project.sizeHint().width() + scale(40)),) if self.project.text() else ()),
        )
        self.project.hide()
        for widget, need in needs:
            free -= need + GAP
            widget.setVisible(free >= 0 and (widget is self.views or self._model is not None))

    def _finish(self) -> None:
        if self.titles.currentWidget() is not self.field:
            return
        title = self.field.text().strip()
        self.titles.setCurrentWidget(self.label)
        if title and title != self._title:
            self.label.set_text(title)
            self.title_changed.emit(title)

    def _abandon(self) -> None:
        self.titles.setCurrentWidget(self.label)
