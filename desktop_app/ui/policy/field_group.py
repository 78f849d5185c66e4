"""The fields of one layer or phase: those that people change, and the others behind a link."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.policy_fields import FieldGroup, FieldSource
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

from .field_row import FieldRow
from .words import Window


class FieldGroupView(QWidget):
    """Rows that are folded are built when they are first seen. Signal: changed(field, value), by the user."""

    changed = Signal(str, object)

    def __init__(self, group: FieldGroup) -> None:
        super().__init__()
        self.rows: dict[str, FieldRow] = {}
        self._folded = [source for source in group.sources if not source.number.is_common]
        self._shown: tuple[ContextPolicy, ContextPolicy, Window | None] | None = None
        self._column = vertical(TextLabel(tr(group.title), size=14, weight=BOLD), holder=self, spacing=6)
        self._rest = QWidget()
        self._rest_column = vertical(holder=self._rest, spacing=6)
        self._rest.hide()
        self._common = [source for source in group.sources if source.number.is_common]
        self._unbuilt = iter(self._folded)
        self._next = QTimer(self, interval=0)  # a row at a time: all at once would hold the window
        self._next.timeout.connect(self._add_folded)
        self.more = LinkButton("")
        self.more.clicked.connect(lambda _=False: self.unfold(self._rest.isHidden()))
        self._column.addWidget(self._rest)
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.more.setVisible(bool(self._folded))
        self._name_link()

    def build(self) -> Iterator[QWidget]:
        """Build the rows that are always seen, and yield each of them."""
        for number, source in enumerate(self._common):
            row = self._add(source)
            self._column.insertWidget(number + 1, row)
            yield row

    def unfold(self, is_wanted: bool = True) -> None:
        """Show or hide the fields that few people change; the first time they come one after the other."""
        self._rest.setVisible(is_wanted)
        if is_wanted:
            self._next.start()
        self._name_link()

    def _add_folded(self) -> None:
        source = next(self._unbuilt, None)
        if source is None:
            self._next.stop()
        else:
            self._rest_column.addWidget(self._add(source))

    def show_policy(self, policy: ContextPolicy, base: ContextPolicy, window: Window | None) -> None:
        """Show the numbers of a policy. base: the preset to compare it with. window: of the open chat."""
        self._shown = (policy, base, window)
        for row in self.rows.values():
            row.show_value(policy, base, window)
        self._name_link()

    def _add(self, source: FieldSource) -> FieldRow:
        row = self.rows[source.field] = FieldRow(source, getattr(BALANCED, source.field))
        row.changed.connect(self.changed)
        if self._shown is not None:
            row.show_value(*self._shown)
        return row

    def _name_link(self) -> None:
        """Name the link, with the number of changes that are behind it."""
        if not self._rest.isHidden():
            self.more.setText(tr("Fewer numbers"))
        else:
            changed = self._count_changes()
            more = tr("%n more numbers", "", len(self._folded))
            if changed:
                more = tr("%n more numbers, {changed} changed", "", len(self._folded))
            self.more.setText(more.format(changed=format_number(changed)))
        self.more.updateGeometry()

    def _count_changes(self) -> int:
        if self._shown is None:
            return 0
        policy, base, _ = self._shown
        return sum(getattr(policy, one.field) != getattr(base, one.field) for one in self._folded)
