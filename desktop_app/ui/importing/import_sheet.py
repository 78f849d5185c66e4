"""The import sheet: the choice of files, the conversations found, progress, and the files that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSizePolicy, QWidget

from desktop_app.conversation.events import Failure, ImportProgressed
from desktop_app.conversation.foreign import FoundConversation, KnownKind, UnreadFile
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import HistoriesFound, LookedThrough
from desktop_app.ui.composer.draft_field import given_files, take_copy
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.welcome import HistoryOffers
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM
from desktop_app.ui.widgets.number_formats import escape_name, format_bytes, shorten
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import Fold, Run, TextLabel

from .found_list import FoundList, sum_of

UNREAD_ROWS, MIN_UNREAD_ROWS = 4, 1  # visible rows: the maximum, and the minimum in a low window


def rows_of(unread: Sequence[UnreadFile], found: Sequence[FoundConversation]) -> list[ListRow]:
    """Return a row for each file, conversation and part of a conversation that could not be read."""
    rows = [
        (each.title or escape_name(each.file), escape_name(each.file) if each.title else "", each.reason)
        for each in unread
    ]
    rows += [(each.title, escape_name(each.file), reason) for each in found for reason in each.unread]
    return [
        ListRow(str(number), title, aside, (Run(tr_engine(reason)),))
        for number, (title, aside, reason) in enumerate(rows)
    ]


class ReasonList(RowList):
    """A list as high as its rows, and lower in a low window."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(tr("What could not be read"))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height_of(UNREAD_ROWS))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._height_of(MIN_UNREAD_ROWS))

    def _height_of(self, rows: int) -> int:
        return min(self.rows.rowCount(), rows) * self.sizeHintForRow(0) + 2


class UnreadList(Fold):
    """A link with the number of files that could not be read, which unfolds the reasons."""

    def __init__(self) -> None:
        self.list = ReasonList()
        super().__init__(self.list)
        self.hide()

    def show_unread(self, unread: Sequence[UnreadFile], found: Sequence[FoundConversation]) -> None:
        """Show the number, folded; hide everything if all files were read."""
        self.list.rows.replace(rows_of(unread, found))
        self.set_title(tr("%n could not be read", "", self.list.rows.rowCount()))
        self.unfold(False)
        self.setVisible(bool(self.list.rows.rows))


class KnownKinds(Fold):
    """A link that unfolds a table of the programs and files that can be imported."""

    def __init__(self) -> None:
        self.kinds: tuple[KnownKind, ...] = ()
        self._table = QWidget()
        super().__init__(self._table, tr("What can be imported"))
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(14, 2, 0, 4)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self.hide()

    def show_kinds(self, kinds: Sequence[KnownKind]) -> None:
        """Fill the table the first time; later calls do nothing."""
        if self.kinds:
            return
        self.kinds = tuple(kinds)
        for row, kind in enumerate(self.kinds):
            program = TextLabel(kind.program, size=13, weight=MEDIUM)
            what = TextLabel(tr_engine(kind.what), tint="ink_soft", size=13, wraps=True)
            self._grid.addWidget(program, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(what, row, 1)
        self.setVisible(bool(self.kinds))


WIDTH, NAMES = 680, 120  # pixels; characters for the names of files that are looked through
WHAT = translatable(
    "Files, folders and zips of other programs, such as an export of ChatGPT. You can also drop them here. "
    "Nothing is stored before you have seen what was found."
)
STAYS = translatable("What is imported before you cancel stays; importing again goes on from there.")
NO_WORDS = translatable("No conversation contains these words.")


class Step(Enum):
    """The steps of an import, which determine what the sheet shows."""

    CHOOSE = auto()
    LOOK = auto()
    PREVIEW = auto()
    IMPORT = auto()


class ImportSheet(Sheet):
    """Signals: files_requested and folder_requested, to choose them; dropped(list of paths); import_requested, for the
    ticked conversations."""

    files_requested = Signal()
    folder_requested = Signal()
    dropped = Signal(list)
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
        self.histories, self.kinds = HistoryOffers(), KnownKinds()
        self.choosing = ScrollColumn(spacing=10)
        self.choosing.add(self.histories)
        self.choosing.add(self.kinds)
        self.narrowing = QWidget()
        horizontal((self.filter, 1), self.all, self.none, holder=self.narrowing, spacing=14)
        title = TextLabel(self.windowTitle(), size=17, weight=BOLD)
        above = (title, self.about, self.problem, self.bar, self.progress, self.narrowing)
        body = vertical(*above, (self.list, 1), self.unread, (self.choosing, 1), margins=(24, 18, 24, 0), spacing=10)
        footer = self.make_footer(self.cancel, self.folder, self.files, self.start)
        vertical((body, 1), footer, holder=self, spacing=14)
        self._connect()
        self.setAcceptDrops(True)
        self.problem.hide()
        self._show(Step.CHOOSE, tr(WHAT), self.files)

    def show_offers(self, found: HistoriesFound) -> None:
        """Offer this computer's histories, and list the kinds of files that can be imported."""
        self.histories.show_histories(found.histories)
        self.kinds.show_kinds(found.known_kinds)

    @property
    def is_reading(self) -> bool:
        """Whether files are being looked through or imported."""
        return self.step in (Step.LOOK, Step.IMPORT)

    def show_looking(self, paths: tuple[str, ...]) -> None:
        """Show that these paths are being looked through."""
        names = shorten(", ".join(escape_name(Path(path).name) for path in paths), NAMES)
        self._begin(Step.LOOK, tr("Looking through {names}…").format(names=names))

    def show_importing(self) -> None:
        self._begin(Step.IMPORT, tr(STAYS))

    def set_progress(self, so_far: ImportProgressed) -> None:
        """Show the bytes read, and the number of conversations stored."""
        left, all_of_it = so_far.bytes - so_far.bytes_read, format_bytes(so_far.bytes)
        words = tr("{left} of {all} left").format(left=format_bytes(left), all=all_of_it) if so_far.bytes else ""
        self.bar.set_parts((BarPart(so_far.bytes_read, Segment.SUMMARY, words),), max(so_far.bytes, 1))
        stored = tr("%n conversations imported", "", so_far.imported) if so_far.imported else ""
        self.progress.set_text(" · ".join(filter(None, (stored, words))) or tr("reading…"))

    def show_found(self, looked: LookedThrough) -> None:
        """Show the conversations found or, if there are none, the kinds of files that can be imported."""
        self.unread.show_unread(looked.unread, looked.found)
        if not looked.found:
            self._show(Step.CHOOSE, tr("Nothing was found that can be imported."), self.files)
            self.unread.unfold(True)
            self.kinds.unfold(True)
            return
        self.list.found.show_found(looked.found)
        self._show(Step.PREVIEW, "", self.list)
        self._sum_up()

    def show_rest(self, chosen: frozenset[str], problem: str) -> None:
        """Keep only these ticked after files were looked through again. problem: why they are not imported yet."""
        if self.step is Step.PREVIEW:
            self.list.found.chosen &= chosen
            self.problem.set_text(problem)
            self.problem.show()
            self._sum_up()

    def show_failure(self, failure: Failure, how_far: str = "") -> None:
        """Show a failure, and go back to the step at which the user can try again."""
        sentences = (failure.title, failure.detail, failure.kept, failure.advice, how_far)
        self.problem.set_text("\n".join(tr_engine(text) for text in sentences if text))
        if self.step is Step.IMPORT:
            self._show(Step.PREVIEW, "", self.list)
            self._sum_up()
        else:
            self._show(Step.CHOOSE, tr(WHAT), self.files)
        self.problem.show()

    def chosen(self) -> frozenset[str]:
        """Return the ids of the ticked conversations."""
        return frozenset(each.id for each in self.list.found.chosen_found())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self.is_reading and given_files(event.mimeData()):
            take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        take_copy(event)
        self.dropped.emit(given_files(event.mimeData()))

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
        """Show the widgets of a step, and focus `first`."""
        self.step = step
        self.about.set_text(about)
        shown_in = {
            (Step.CHOOSE,): (self.files, self.folder, self.choosing),
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
