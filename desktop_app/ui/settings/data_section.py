"""The section of the settings on stored data. It requests its content when it is first shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.installation import StoredData
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, FlowLayout, discard, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.number_formats import format_bytes
from desktop_app.ui.widgets.text_label import TextLabel

from .backup_part import BackupPart, TaskBlock, part_lines
from .entries import section
from .space_part import SpacePart

WHOLE_ABOUT = translatable(
    "All conversations, memories and long outputs in one file that other programs can read, too. "
    "Importing it adds what is not here yet; what is here stays as it is."
)
MEASURING = translatable("Measuring what is stored…")


class DataSection(QWidget):
    """Signals: content_requested, when it is first shown; folder_requested, to open it in the file manager;
    export_requested, of everything; import_requested; cancel_requested."""

    content_requested = Signal()
    folder_requested = Signal()
    export_requested = Signal()
    import_requested = Signal()
    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.stored: StoredData | None = None
        self._is_asked = False
        self.path = TextLabel("", size=13, is_mono=True, wraps=True)
        self.path.hide()
        self.sum = TextLabel(tr(MEASURING), size=13, tint="ink_soft", wraps=True)
        self._lines: list[QWidget] = []
        self._column = vertical(spacing=4)
        self.open, self.copy = LinkButton(tr("Open folder")), LinkButton(tr("Copy path"))
        self.export, self.bring = Button(tr("Export everything…")), Button(tr("Import…"))
        self.backups, self.space, self.whole = BackupPart(), SpacePart(), TaskBlock(self.export)
        where = Card()
        for part in (self.path, self.sum):
            where.column.addWidget(part)
        where.column.addLayout(self._column)
        where.column.addLayout(horizontal(self.open, self.copy, STRETCH, spacing=16))
        file = QWidget()
        vertical(
            TextLabel(tr("Everything as a file"), size=13, weight=MEDIUM),
            TextLabel(tr(WHOLE_ABOUT), size=12, tint="ink_faint", wraps=True),
            FlowLayout(self.export, self.bring),
            self.whole,
            holder=file,
            spacing=8,
        )
        title = TextLabel(tr("Where it is"), size=13, weight=MEDIUM)
        vertical(section(tr("Data"), title, where, self.backups, file, self.space), holder=self)
        self._connect()

    @property
    def tasks(self) -> tuple[TaskBlock, ...]:
        return self.backups.task, self.whole, self.space.task

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_asked:
            self._is_asked = True
            self.content_requested.emit()

    def show_stored(self, stored: StoredData) -> None:
        """Show the stored data, and the items that can be removed."""
        self.stored = stored
        self.path.set_text(stored.folder)
        self.path.show()
        template = tr("{size} in all. The disk has {free} left.")
        self.sum.set_text(template.format(size=format_bytes(stored.size), free=format_bytes(stored.free)))
        while self._lines:
            discard(self._lines.pop())
        for name, size in part_lines(stored):
            line, amount = QWidget(), TextLabel(size, size=13, tint="ink_soft")
            horizontal((TextLabel(name, size=13), 1), amount, holder=line, spacing=12)
            self._column.addWidget(line)
            self._lines.append(line)
        self.space.show_items(stored.removable)

    def set_busy(self, is_busy: bool) -> None:
        """Enable the buttons, or disable them while a task is running."""
        self.backups.set_enabled(not is_busy)
        self.space.set_enabled(not is_busy)
        for task in self.tasks if is_busy else ():
            task.withdraw()  # a confirmation would start a second task
        for button in (self.export, self.bring):
            button.setEnabled(not is_busy)

    def set_progress(self, done: int, total: int) -> None:
        """Show the progress of the running task."""
        for task in self.tasks:
            task.set_progress(done, total)

    def _connect(self) -> None:
        self.open.clicked.connect(self.folder_requested)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.path.text()))
        self.export.clicked.connect(self.export_requested)
        self.bring.clicked.connect(self.import_requested)
        for task in self.tasks:
            task.cancelled.connect(self.cancel_requested)
