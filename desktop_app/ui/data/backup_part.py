"""The backups that there are: make one, or go back to one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.installation import Backup
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.row_list import RowList
from desktop_app.ui.widgets.text_label import TextLabel

from .task_block import TaskBlock
from .words import backup_row, restore_question

ROWS = 6
ABOUT = translatable(
    "A backup is made each day while Palimpsest runs, and opened to check it. "
    "Those of the last seven days and four weeks are kept."
)


class BackupList(RowList):
    """As high as its rows, up to ROWS."""

    def __init__(self) -> None:
        super().__init__(has_body=False)
        self.setAccessibleName(tr("Backups"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        rows = min(self.rows.rowCount(), ROWS)
        return QSize(super().sizeHint().width(), rows * self.sizeHintForRow(0) + 2 if rows else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())


class BackupPart(QWidget):
    """Signals: backup_requested; restore_requested(file), once the user has said yes."""

    backup_requested = Signal()
    restore_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._backups: dict[str, Backup] = {}
        self.list = BackupList()
        self.empty = TextLabel(tr("There are no backups yet."), size=13, tint="ink_soft", wraps=True)
        self.make, self.restore = Button(tr("Back up now")), Button(tr("Restore…"))
        self.task = TaskBlock(self.make)
        title = TextLabel(tr("Backups"), size=13, weight=MEDIUM)
        about = TextLabel(tr(ABOUT), size=12, tint="ink_faint", wraps=True)
        buttons = horizontal(self.make, self.restore, STRETCH, spacing=8)
        vertical(title, about, self.list, self.empty, buttons, self.task, holder=self, spacing=8)
        self.list.hide()
        self.empty.hide()
        self.make.clicked.connect(self.backup_requested)
        self.restore.clicked.connect(self._ask)
        self.list.choice_changed.connect(self._follow_choice)
        self.set_enabled(True)

    def show_backups(self, backups: tuple[Backup, ...]) -> None:
        """Show these, on the one that was chosen or the first."""
        chosen = self.list.current_key()
        self._backups = {backup.file: backup for backup in backups}
        self.list.rows.replace([backup_row(backup) for backup in backups])
        self.list.setVisible(bool(backups))
        self.empty.setVisible(not backups)
        self.list.updateGeometry()
        if backups:
            numbers = [n for n, backup in enumerate(backups) if backup.file == chosen]
            self.list.setCurrentIndex(self.list.rows.index(numbers[0] if numbers else 0))
        self._follow_choice()

    def set_enabled(self, is_enabled: bool) -> None:
        """Let something be asked for, unless something is done."""
        self.make.setEnabled(is_enabled)
        backup = self._backups.get(self.list.current_key())
        self.restore.setEnabled(is_enabled and backup is not None and not backup.is_damaged)

    def _follow_choice(self) -> None:
        self.task.withdraw()
        self.set_enabled(self.make.isEnabled())

    def _ask(self) -> None:
        backup = self._backups[self.list.current_key()]
        self.task.ask(restore_question(backup), tr("Restore"), lambda: self.restore_requested.emit(backup.file))
