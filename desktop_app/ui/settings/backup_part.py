"""Backups in the settings, to make and to restore; questions and progress of changes to stored data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.installation import ITEM_NAMES, Backup, PartKind, RemovableItem, StoredData, copies_left
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.accessibility import announce
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.number_formats import (
    format_bytes,
    format_moment,
    format_number,
    format_percent,
    format_title,
)
from desktop_app.ui.widgets.row_list import CheckRow, ListRow, RowList
from desktop_app.ui.widgets.text_label import Run, TextLabel

GAP = 8


class TaskBlock(QWidget):
    """A question, then the progress of a task, then its outcome.

    Signals: cancelled, by the user; grown(widget), when a part appears that may need scrolling into view.
    """

    cancelled = Signal()
    grown = Signal(object)

    def __init__(self, home: QWidget) -> None:
        """home: the widget that gets the focus back."""
        super().__init__()
        self._home = home
        self._act: Callable[[], object] | None = None
        self.question = Card()
        self.asked = TextLabel(size=13, wraps=True)
        self.go, self.keep = Button("", ButtonKind.PRIMARY), Button(tr("Cancel"))
        self.question.column.addWidget(self.asked)
        self.question.column.addLayout(horizontal(STRETCH, self.keep, self.go, spacing=GAP))
        self.work = QWidget()
        self.doing, self.bar, self.stop = TextLabel(size=13, tint="ink_soft"), SegmentBar(8), Button(tr("Stop"))
        self.bar.setAccessibleName(tr("Progress"))
        progress = vertical(self.doing, self.bar, spacing=5)
        horizontal((progress, 1), self.stop, holder=self.work, spacing=14)
        self.told = TextLabel(size=13, tint="ink_soft", wraps=True)
        vertical(self.question, self.work, self.told, holder=self, spacing=GAP)
        for part in (self.question, self.work, self.told):
            part.hide()
        self.go.clicked.connect(self._go)
        self.keep.clicked.connect(self.withdraw)
        self.stop.clicked.connect(self.cancelled)

    @property
    def is_working(self) -> bool:
        return self.work.isVisibleTo(self)

    def ask(self, question: str, action: str, act: Callable[[], object]) -> None:
        """Ask for confirmation. action: the text of the button that calls `act`."""
        self._act = act
        self.asked.set_text(question)
        self.go.setText(action)
        self._show(self.question)
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)  # not on the button whose action cannot be undone

    def withdraw(self) -> None:
        """Withdraw the question."""
        self._act = None
        if self.question.isVisibleTo(self):
            self._show(None)

    def begin(self, doing: str) -> None:
        """Show that a task is running. doing: its description."""
        self.doing.set_text(doing)
        self.bar.set_parts((), 1)
        self._show(self.work)
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_progress(self, done: int, total: int) -> None:
        """Show the progress; nothing if the total is not known, 0."""
        if self.is_working and total > 0:
            self.bar.set_parts((BarPart(done, Segment.SUMMARY, format_percent(done / total)),), total)

    def end(self, outcome: str, *, is_error: bool = False) -> None:
        """Show the outcome."""
        self.told.set_tint("critical" if is_error else "ink_soft")
        self.told.set_text(outcome)
        self._show(self.told)
        announce(self, outcome)

    def clear(self) -> None:
        """Hide the progress and the outcome."""
        self._show(None)

    def fail(self, failure: Failure) -> None:
        """Show why the task failed."""
        sentences = (failure.title, failure.detail, failure.kept, failure.advice)
        self.end("\n".join(tr_engine(text) for text in sentences if text), is_error=True)

    def _show(self, part: QWidget | None) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):  # hiding a focused button would move the focus anywhere
            self._home.setFocus(Qt.FocusReason.OtherFocusReason)
        for other in (self.question, self.work, self.told):
            other.setVisible(other is part)
        if part is not None:
            self.grown.emit(part)

    def _go(self) -> None:
        act = self._act
        self.withdraw()
        if act is not None:
            act()


PART_NAMES: dict[PartKind, str] = {
    "archive": translatable("Conversations, memories and the search"),
    "spills": translatable("Long outputs of tools"),
    "backups": translatable("Backups"),
    "kept": translatable("Copies that were put aside"),
    "logs": translatable("Logs"),
    "other": translatable("Settings, prompts and drafts"),
}
KEPT_WORDS = {"restore": translatable("from before a restore"), "update": translatable("from before an update")}
ALONE = ("room", "spills")  # kinds that consist of one item


def moment(at: float) -> str:
    """Return a time such as "Tue 3 Mar 2026, 10:31"."""
    return format_moment(at, tr("ddd d MMM yyyy, HH:mm", "a time, as QLocale reads it"))


def backup_row(backup: Backup) -> ListRow:
    """Return a backup as a row."""
    content = tr("%n conversations", "", backup.conversations)
    if backup.kept_before:
        content += " · " + tr(KEPT_WORDS[backup.kept_before])
    body = Run(tr("damaged"), "critical") if backup.is_damaged else Run(content)
    return ListRow(backup.file, moment(backup.at), format_bytes(backup.size), (body,))


def restore_question(backup: Backup) -> str:
    """Return the question to ask before a backup is restored."""
    goes = tr(
        "Restore what was stored on {time}, %n conversations? Anything said since then leaves the list. "
        "The current state is kept as a copy, which then appears in the list above and can be restored as well.",
        "",
        backup.conversations,
    )
    return goes.format(time=moment(backup.at))


def part_lines(stored: StoredData) -> list[tuple[str, str]]:
    """Return the names of the parts of the data, each with its size."""
    lines: list[tuple[str, str]] = []
    for part in stored.parts:
        lines.append((tr(PART_NAMES[part.kind]), format_bytes(part.size)))
        if part.kind == "archive" and stored.attachments:
            lines.append((tr("– of these, messages with attachments"), format_bytes(stored.attachments)))
    return lines


def space_rows(items: Sequence[RemovableItem], chosen: Collection[str]) -> list[CheckRow]:
    """Return rows of removable items, below a row for each kind, which selects all of its items."""
    rows: list[CheckRow] = []
    for kind in ITEM_NAMES:
        if not (own := [item for item in items if item.kind == kind]):
            continue
        size, is_checked = format_bytes(sum(item.size for item in own)), all(item.key in chosen for item in own)
        count = () if kind in ALONE else (Run(format_number(len(own))),)
        rows.append(CheckRow(kind, tr(ITEM_NAMES[kind]), size, count, is_checked=is_checked))
        rows += [_item_row(item, item.key in chosen) for item in own if kind not in ALONE]
    return rows


def _item_row(item: RemovableItem, is_checked: bool) -> CheckRow:
    name = format_title(item.name) if item.kind == "conversation" else PurePath(item.name).name
    if item.kind == "backup":
        name = moment(item.at)
    details = [tr("%n messages", "", item.messages)] if item.kind == "conversation" else []
    if item.at and item.kind != "backup":
        details.append(format_moment(item.at, tr("d MMM yyyy", "a date, as QLocale reads it")))
    body = " · ".join((name, *details))
    return CheckRow(item.key, "", format_bytes(item.size), (Run(body),), is_checked=is_checked)


def toggle_choice(items: Sequence[RemovableItem], chosen: Collection[str], key: str) -> frozenset[str]:
    """Return the chosen keys after a row was ticked or unticked. key: of an item or a kind."""
    keys = {item.key for item in items if key in (item.key, item.kind)}
    return frozenset(chosen) - keys if keys <= set(chosen) else frozenset(chosen) | keys


def size_of(items: Sequence[RemovableItem], chosen: Collection[str]) -> int:
    """Return the total size of the chosen items, in bytes."""
    return sum(item.size for item in items if item.key in chosen)


def removal_question(items: Sequence[RemovableItem], chosen: Collection[str]) -> str:
    """Return the question to ask before removal: the number of conversations, and how many remain in copies."""
    taken = [item for item in items if item.key in chosen]
    erased = [item for item in taken if item.kind == "conversation"]
    others, sentences = len(taken) - len(erased), list[str]()
    if erased:
        messages = sum(item.messages for item in erased)
        named = tr("%n messages", "", messages)
        gone = tr("%n deleted conversations with {messages} are erased for good.", "", len(erased))
        sentences.append(gone.format(messages=named))
        sentences += _still_in_copies(items, chosen)
    if others:
        besides = tr("%n other items are removed.", "", others)
        sentences.append(besides if erased else tr("%n items are removed.", "", others))
    sentences.append(tr("This cannot be undone."))
    return " ".join(sentences)


def _still_in_copies(items: Sequence[RemovableItem], chosen: Collection[str]) -> list[str]:
    held = copies_left(items, chosen)
    if not held:
        return [tr("No backup and no copy holds them.")]
    times = {item.key: item.at for item in items}
    newest = max((times[copy] for copies in held.values() for copy in copies), default=0.0)
    sentence = tr("%n of them are still in backups or copies, the newest from {time}.", "", len(held))
    return [sentence.format(time=moment(newest))]


BACKUP_ROWS = 6
ABOUT_BACKUPS = translatable(
    "A backup is made each day while Palimpsest runs, and opened to check it. "
    "Those of the last seven days and four weeks are kept."
)


class BackupList(RowList):
    """A list as high as its rows, up to BACKUP_ROWS."""

    def __init__(self) -> None:
        super().__init__(has_body=False)
        self.setAccessibleName(tr("Backups"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        rows = min(self.rows.rowCount(), BACKUP_ROWS)
        return QSize(super().sizeHint().width(), rows * self.sizeHintForRow(0) + 2 if rows else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())


class BackupPart(QWidget):
    """The list of backups. Signals: backup_requested; restore_requested(file), once the user has confirmed."""

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
        about = TextLabel(tr(ABOUT_BACKUPS), size=12, tint="ink_faint", wraps=True)
        buttons = horizontal(self.make, self.restore, STRETCH, spacing=8)
        vertical(title, about, self.list, self.empty, buttons, self.task, holder=self, spacing=8)
        self.list.hide()
        self.empty.hide()
        self.make.clicked.connect(self.backup_requested)
        self.restore.clicked.connect(self._ask)
        self.list.choice_changed.connect(self._follow_choice)
        self.set_enabled(True)

    def show_backups(self, backups: tuple[Backup, ...]) -> None:
        """Show these backups; the current one stays current, or the first becomes current."""
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
        """Enable or disable the buttons, which are disabled while a task is running."""
        self.make.setEnabled(is_enabled)
        backup = self._backups.get(self.list.current_key())
        self.restore.setEnabled(is_enabled and backup is not None and not backup.is_damaged)

    def _follow_choice(self) -> None:
        self.task.withdraw()
        self.set_enabled(self.make.isEnabled())

    def _ask(self) -> None:
        backup = self._backups[self.list.current_key()]
        self.task.ask(restore_question(backup), tr("Restore"), lambda: self.restore_requested.emit(backup.file))
