"""Above the conversation: its title, the folder in which its tools work, and the model that answers."""

from __future__ import annotations

from pathlib import PurePath

from msgspec.structs import replace
from PySide6.QtCore import QDateTime, QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo

from .actions import keys_text
from .model_words import short_window
from .translation import locale, tr
from .widgets.buttons import Button, ButtonKind
from .widgets.formats import shorten
from .widgets.inputs import Segmented
from .widgets.layouts import horizontal
from .widgets.look import BOLD, StyleAware, colour, font, paint_box, scale
from .widgets.text_label import TextLabel

HEIGHT = 62
MIN_CHIP_WIDTH = 40  # pixels
MAX_FOLDER_NAME, MAX_MODEL_NAME = 24, 28  # characters of their names
NARROW = 640  # pixels below which the title gets the room that the window's size would take


def model_label(model: ModelInfo) -> str:
    """Return a model and its window: "SmolLM2 135M · 8k"."""
    if not model.window:
        return model.label
    is_assumed = model.window_provenance is Provenance.ASSUMED
    words = tr("{model} · {window} assumed") if is_assumed else "{model} · {window}"
    return words.format(model=model.label, window=short_window(model.window))


def window_note(model: ModelInfo) -> str:
    """Return a line about the origin of the window's size; "" if it needs none."""
    if not model.window:
        return tr("Its window is not known yet")
    if not model.window_reported_at:
        return ""
    day = QDateTime.fromSecsSinceEpoch(int(model.window_reported_at)).date()
    shown = locale().toString(day, QLocale.FormatType.ShortFormat)
    return tr("Its window as the server last told it, on {day}").format(day=shown)


class Chip(Button):
    """A rounded button for something that can be changed. In a narrow window its text ends in an ellipsis."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scale(30))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), scale(MIN_CHIP_WIDTH)), scale(30))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        is_near = self.underMouse() or self.hasFocus()
        paint_box(painter, box, None, colour("accent" if self.hasFocus() else "line"), box.height() / 2)
        painter.setFont(self._font())
        painter.setPen(colour("ink" if is_near else "ink_soft"))
        room = self.width() - scale(20)
        words = QFontMetrics(self._font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)

    def _font(self) -> QFont:
        return font(13)


class Header(StyleAware, QWidget):
    """Signals: title_changed(title); models_requested and folder_requested, to choose another one;
    request_toggled(is_shown), to see the request in place of the chat."""

    title_changed = Signal(str)
    models_requested = Signal()
    folder_requested = Signal()
    request_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ""
        self._model: ModelInfo | None = None
        self.label = TextLabel(size=15, weight=BOLD, parent=self)
        self.label.set_hint(tr("Double-click to rename ({keys})").format(keys=keys_text(("F2",))))
        self.field = QLineEdit(self)
        self.field.setAccessibleName(tr("Title of the conversation"))
        self.titles = QStackedWidget(self)
        self.titles.addWidget(self.label)
        self.titles.addWidget(self.field)
        self.chip = Chip("", parent=self)
        self.folder = Chip(tr("No folder"), parent=self)
        self.views = Segmented((("chat", tr("Chat")), ("request", tr("X-ray"))), self)
        self.views.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        keys = keys_text(("Ctrl+Shift+X",))
        about = tr("See what the model gets, part by part ({keys})").format(keys=keys)
        self.views.button("request").setToolTip(about)
        self.views.button("chat").setToolTip(tr("See the conversation ({keys})").format(keys=keys))
        self.views.chosen.connect(lambda view: self.request_toggled.emit(view == "request"))
        self.panel_button = Button(tr("Context"), ButtonKind.QUIET, self)
        about = tr("Show or hide the context panel ({keys})").format(keys=keys_text(("Ctrl+.",)))
        self.panel_button.setToolTip(about)
        self.menu = Button("⋯", ButtonKind.QUIET, self)
        self.menu.setAccessibleName(tr("More actions for this conversation"))
        self.menu.setToolTip(tr("Rename, export, start fresh and more"))
        self.chip.clicked.connect(lambda _=False: self.models_requested.emit())
        self.folder.clicked.connect(lambda _=False: self.folder_requested.emit())
        self.field.editingFinished.connect(self._finish)
        items = ((self.titles, 1), self.folder, self.chip, self.views, self.panel_button, self.menu)
        horizontal(*items, holder=self, spacing=8, margins=(20, 0, 12, 0))
        self.refresh_style()
        self.show_nothing()

    def show_conversation(self, title: str, model: ModelInfo) -> None:
        self._title, self._model = title, model
        self.label.set_text(title)
        self._name_model()
        self.chip.setAccessibleName(tr("Model: {model}").format(model=model_label(model)))
        lines = (model_label(model), window_note(model), tr("The model for this conversation"))
        self.chip.setToolTip("\n".join(filter(None, lines)))
        self.chip.show()

    @property
    def title(self) -> str:
        """The title of the conversation that is open."""
        return self._title

    def preview_title(self, title: str = "") -> None:
        """Show the title of a conversation that is being opened; "" for that of the open one."""
        self.label.set_text(title or self._title)

    def show_folder(self, folder: str) -> None:
        """Show the working folder of the tools; "" for none."""
        self.folder.setText(shorten(PurePath(folder).name or folder, MAX_FOLDER_NAME) or tr("No folder"))
        self.folder.setAccessibleName(tr("Working folder: {folder}").format(folder=folder or tr("none")))
        about = tr("Tools work in {folder}") if folder else tr("Choose a folder for tools to work in")
        self.folder.setToolTip(about.format(folder=folder))
        self.folder.updateGeometry()
        self.folder.show()

    def show_title(self, title: str) -> None:
        self._title = title
        self.label.set_text(title)

    def show_nothing(self) -> None:
        """Show that no conversation is open."""
        self._abandon()
        self._title, self._model = "", None
        self.label.set_text("")
        self.chip.hide()
        self.folder.hide()

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
        """What people call that model."""
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

    def refresh_style(self) -> None:
        self.setFixedHeight(scale(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, colour("line"))

    def _name_model(self) -> None:
        if self._model is not None:
            short = replace(self._model, label=shorten(self._model.label, MAX_MODEL_NAME))
            self.chip.setText(short.label if self.width() < scale(NARROW) else model_label(short))
            self.chip.updateGeometry()

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
