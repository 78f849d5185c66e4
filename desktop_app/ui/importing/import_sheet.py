"""An import, step by step: what to look through, what was found there, and how far it is."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import LookedThrough
from desktop_app.ui.composer.draft_field import local_files
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.formats import format_bytes, shorten
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

from .found_list import FoundList, sum_of
from .unread_list import UnreadList

WIDTH, NAMES = 680, 120  # pixels; characters of the names of what is looked through
WHAT = translatable(
    "Files, folders and zips of other programs, such as an export of ChatGPT. They can be dropped here, too. "
    "Nothing is stored before you have seen what there is."
)
STAYS = translatable("What is imported before you cancel stays; importing again goes on from there.")
NO_WORDS = translatable("No conversation has these words.")


class Step(Enum):
    """What the sheet shows."""

    CHOOSE = auto()
    LOOK = auto()
    PREVIEW = auto()
    IMPORT = auto()


class ImportSheet(Sheet):
    """Signals: files_requested and folder_requested, to be chosen; paths_given(tuple), to look through;
    import_requested, of what is ticked."""

    files_requested = Signal()
    folder_requested = Signal()
    paths_given = Signal(tuple)
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, title=tr("Import conversations"))
        self.step = Step.CHOOSE
        self.about = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.problem = TextLabel(size=13, tint="critical", wraps=True)
        self.bar, self.progress = SegmentBar(8), TextLabel(size=12, tint="ink_soft")
        self.bar.setAccessibleName(tr("Progress of the import"))
        self.filter, self.list, self.unread = QLineEdit(), FoundList(), UnreadList()
        self.filter.setPlaceholderText(tr("Filter by title or program…"))
        self.filter.setAccessibleName(tr("Filter what was found"))
        self.filter.setClearButtonEnabled(True)
        self.all, self.none = LinkButton(tr("Select all")), LinkButton(tr("Select none"))
        self.cancel, self.start = Button(tr("Cancel")), Button(tr("Import"), ButtonKind.PRIMARY)
        self.folder, self.files = Button(tr("Choose a folder…")), Button(tr("Choose files…"), ButtonKind.PRIMARY)
        self.narrowing = QWidget()
        horizontal((self.filter, 1), self.all, self.none, holder=self.narrowing, spacing=14)
        title = TextLabel(self.windowTitle(), size=17, weight=BOLD)
        parts = (title, self.about, self.problem, self.bar, self.progress, self.narrowing, (self.list, 1), self.unread)
        body = vertical(*parts, margins=(24, 18, 24, 0), spacing=10)
        footer = self.make_footer(self.cancel, self.folder, self.files, self.start)
        vertical((body, 1), footer, holder=self, spacing=14)
        self._connect()
        self.setAcceptDrops(True)
        self.problem.hide()
        self._show(Step.CHOOSE, tr(WHAT), self.files)

    def show_looking(self, paths: tuple[str, ...]) -> None:
        """Show that these are looked through."""
        names = shorten(", ".join(Path(path).name for path in paths), NAMES)
        self._begin(Step.LOOK, tr("Looking through {names}…").format(names=names))

    def show_importing(self) -> None:
        self._begin(Step.IMPORT, tr(STAYS))

    def set_progress(self, bytes_read: int, bytes: int) -> None:
        """Show how much was read."""
        left = tr("{left} of {all} left").format(left=format_bytes(bytes - bytes_read), all=format_bytes(bytes))
        self.bar.set_parts((BarPart(bytes_read, Segment.SUMMARY, left),), max(bytes, 1))
        self.progress.set_text(left)

    def show_found(self, looked: LookedThrough) -> None:
        """Show what can be imported, or what could be if there were something."""
        self.unread.show_unread(looked.unread, looked.found)
        if not looked.found:
            kinds = "\n".join(f"• {kind}" for kind in looked.known_kinds.split("; "))
            nothing = tr("Nothing was found that can be imported. These can be:")
            self._show(Step.CHOOSE, f"{nothing}\n{kinds}", self.files)
            self.unread.unfold(True)
            return
        self.list.found.show_found(looked.found)
        self._show(Step.PREVIEW, "", self.list)
        self._sum_up()

    def show_failure(self, failure: Failure) -> None:
        """Show why it could not be done, where it can be tried again."""
        told = (failure.title, failure.detail, failure.kept, failure.advice)
        self.problem.set_text("\n".join(tr_engine(text) for text in told if text))
        if self.step is Step.IMPORT:
            self._show(Step.PREVIEW, "", self.list)
            self._sum_up()
        else:
            self._show(Step.CHOOSE, tr(WHAT), self.files)
        self.problem.show()

    def chosen(self) -> frozenset[str]:
        """Return the ids of what is ticked."""
        return frozenset(each.id for each in self.list.found.chosen_found())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.step is Step.CHOOSE and local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.paths_given.emit(tuple(local_files(event.mimeData())))

    def _connect(self) -> None:
        self.cancel.clicked.connect(self.reject)
        self.files.clicked.connect(self.files_requested)
        self.folder.clicked.connect(self.folder_requested)
        self.start.clicked.connect(self.import_requested)
        self.list.entered.connect(self.start.click)
        self.filter.returnPressed.connect(self.start.click)
        self.filter.textChanged.connect(self._filter)
        self.all.clicked.connect(lambda: self.list.choose_shown(True))
        self.none.clicked.connect(lambda: self.list.choose_shown(False))
        self.list.choice_changed.connect(self._sum_up)

    def _begin(self, step: Step, about: str) -> None:
        self.problem.hide()
        self.unread.hide()
        self.bar.set_parts((), 1)
        self.progress.set_text(tr("reading…"))
        self._show(step, about, self.cancel)

    def _show(self, step: Step, about: str, first: QWidget) -> None:
        """Show what belongs to that step, and give the keyboard to the first of it."""
        self.step = step
        self.about.set_text(about)
        shown_in = {
            (Step.CHOOSE,): (self.files, self.folder),
            (Step.LOOK, Step.IMPORT): (self.bar, self.progress),
            (Step.PREVIEW,): (self.narrowing, self.list, self.start),
        }
        for steps, widgets in shown_in.items():
            for widget in widgets:
                widget.setVisible(step in steps)
        self.set_first(first)
        if self.isVisible():
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _filter(self, query: str) -> None:
        self.list.found.filter(query)
        self._sum_up()

    def _sum_up(self) -> None:
        chosen = self.list.found.chosen_found()
        here = sum(1 for each in self.list.found.found if not each.new and each.known)
        about = tr("%n conversations found. Nothing is stored yet.", "", len(self.list.found.found))
        if here:
            about += " " + tr("%n are here already.", "", here)
        self.about.set_text(about if self.list.found.rows else tr(NO_WORDS))
        self.start.setText(tr("Import {sum}").format(sum=sum_of(chosen)) if chosen else tr("Import"))
        self.start.setEnabled(bool(chosen))
