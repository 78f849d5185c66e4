"""The sheet for an archive that cannot be opened: the reason, and the choice of a backup or an empty archive."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.installation import Backup
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

from .backup_part import BackupList, backup_row

WIDTH = 560
TITLE = translatable("Your conversations cannot be opened")
NO_BACKUP = translatable("There is no backup here that can be restored.")
KEPT = translatable("The damaged file is kept beside it as it is, whatever you choose.")


class ArchiveSheet(Sheet):
    """Signals: restore_requested(file); empty_requested, to begin with an empty archive; again_requested, to try again
    to open it."""

    restore_requested = Signal(str)
    empty_requested = Signal()
    again_requested = Signal()

    def __init__(self, failure: Failure, backups: tuple[Backup, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, title=tr(TITLE))
        intact = [backup for backup in backups if not backup.is_damaged]
        why = "\n".join(tr_engine(text) for text in (failure.title, failure.detail) if text)
        self.why = TextLabel(why, size=13, tint="ink_soft", wraps=True)
        self.list = BackupList()
        self.list.rows.replace([backup_row(backup) for backup in intact])
        self.list.setVisible(bool(intact))
        heading = tr("Go on with a backup:") if intact else tr(NO_BACKUP)
        self.heading = TextLabel(heading, size=13, weight=MEDIUM, wraps=True)
        self.kept = TextLabel(tr(KEPT), size=13, tint="ink_soft", wraps=True)
        self.problem = TextLabel(size=13, tint="critical", wraps=True)
        self.problem.hide()
        self.again = Button(tr("Try again"))
        self.empty = Button(tr("Begin with an empty archive"))
        self.restore = Button(tr("Restore this backup"), ButtonKind.PRIMARY)
        self.restore.setVisible(bool(intact))
        self.area = ScrollColumn(spacing=10)
        for part in (self.why, self.heading, self.list, self.kept, self.problem):
            self.area.add(part)
        self.lay_out(self.area, self.again, self.empty, self.restore, spacing=10)
        self.set_first(self.restore if intact else self.again)
        if intact:
            self.list.setCurrentIndex(self.list.rows.index(0))
        self.restore.clicked.connect(lambda: self.restore_requested.emit(self.list.current_key()))
        self.empty.clicked.connect(self.empty_requested)
        self.again.clicked.connect(self.again_requested)

    def set_busy(self, is_busy: bool) -> None:
        """Disable the buttons while a choice is carried out."""
        for button in (self.again, self.empty, self.restore):
            button.setEnabled(not is_busy)

    def show_failure(self, failure: Failure) -> None:
        """Show why the chosen action failed."""
        parts = (failure.title, failure.detail, failure.kept, failure.advice)
        self.problem.set_text("\n".join(tr_engine(text) for text in parts if text))
        self.problem.show()
