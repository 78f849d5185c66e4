"""Fields of a policy, each with its name, its meaning and a fitting input; the common ones first in each group."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.policy_fields import FieldGroup, FieldSource
from desktop_app.context.presets import WrongNumber, choices_of
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.inputs import Select, Slider, ToggleSwitch
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, NORMAL, scale
from desktop_app.ui.widgets.number_formats import format_number, isolate
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .policy_words import (
    Window,
    about_field,
    acting_words,
    bounds_of,
    choice_label,
    field_label,
    policy_label,
    text_in_field,
    value_of_field,
    wanted_words,
)

NUMBER_WIDTH, LIST_WIDTH, CONTROL_WIDTH = 112, 260, 260  # pixels
SLIDER_REACH = 5  # times the usual value, the slider's maximum; more can be typed
MAX_WITHOUT_DEFAULT = 20_000  # the slider's maximum if the usual value is 0


class FieldRow(QWidget):
    """One field. Signal: changed(field, value), by the user, with valid values only."""

    changed = Signal(str, object)

    def __init__(self, source: FieldSource, usual: Any) -> None:
        """usual: the default value, whose type determines the input."""
        super().__init__()
        self.source = source
        self.label = TextLabel(field_label(source.field), size=14, weight=MEDIUM, wraps=True)
        self.about = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.edit: QLineEdit | None = None
        self.slider: Slider | None = None
        self.switch: ToggleSwitch | None = None
        self.select: Select | None = None
        words = vertical(self.label, self.about, STRETCH, spacing=1)
        control = vertical(self._control(usual), STRETCH)
        horizontal((words, 1), control, holder=self, spacing=18, margins=(0, 4, 0, 4))

    def show_value(self, policy: ContextPolicy, base: ContextPolicy, window: Window | None) -> None:
        """Show the policy's value without emitting `changed`. base: the preset to compare it with."""
        if self.edit is not None and self.edit.hasFocus() and self.edit.isModified():
            return  # the user is typing
        field, value = self.source.field, getattr(policy, self.source.field)
        name = Run(field_label(field))
        if value == (usual := getattr(base, field)):
            self.label.set_runs((name,))
        else:
            other = Run(f"   {policy_label(base.name)}: {isolate(text_in_field(field, usual))}", "ink_faint", NORMAL)
            self.label.set_runs((replace(name, tint="accent"), other))
        words = (acting_words(self.source, policy, window), about_field(self.source))
        self._explain(" · ".join(filter(None, words)))
        self._show_in_inputs(field, value)

    def _show_in_inputs(self, field: str, value: Any) -> None:
        if self.edit is not None and self.edit.text() != (text := text_in_field(field, value)):
            self.edit.setText(text)
            self.edit.setCursorPosition(0)
        for widget in (self.slider, self.switch, self.select):
            if widget is not None:
                widget.blockSignals(True)
        if self.slider is not None:
            self.slider.setValue(min(round(value * self._per_unit), self.slider.maximum()))
            self.slider.set_name(field_label(field), text_in_field(field, value))
        if self.switch is not None:
            self.switch.setChecked(value)
        if self.select is not None:
            self.select.choose(value)
            self.select.update()
        for widget in (self.slider, self.switch, self.select):
            if widget is not None:
                widget.blockSignals(False)

    def _control(self, usual: Any) -> QWidget:
        """Return the input for a value of that type."""
        field = self.source.field
        if isinstance(usual, bool):
            self.switch = ToggleSwitch("")
            self.switch.toggled.connect(lambda is_on: self.changed.emit(field, is_on))
            return self._named(self.switch)
        if choices := choices_of(field):
            self.select = Select()
            for choice in choices:
                self.select.addItem(choice_label(choice), choice)
            self.select.currentIndexChanged.connect(lambda _: self._emit_choice())
            self.select.setFixedWidth(scale(CONTROL_WIDTH))
            return self._named(self.select)
        self.edit = QLineEdit()
        self.edit.editingFinished.connect(self._take_text)
        self._named(self.edit)
        if isinstance(usual, tuple):
            self.edit.setFixedWidth(scale(LIST_WIDTH))
            return self.edit
        self.edit.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.edit.setFixedWidth(scale(NUMBER_WIDTH))
        return self._with_slider(self.edit, usual)

    def _with_slider(self, edit: QLineEdit, usual: float) -> QWidget:
        source = self.source
        is_share = isinstance(usual, float)
        self._per_unit = 100 if is_share else 1
        reach = source.most if is_share else min(source.most, usual * SLIDER_REACH or MAX_WITHOUT_DEFAULT)
        self.slider = Slider()
        grain = 1 if is_share else 10 ** max(int(math.log10(max(reach, 1) / 50)), 0)
        self.slider.set_range(round(source.least * self._per_unit), round(reach * self._per_unit), grain)
        self.slider.valueChanged.connect(self._take_slider)
        self._named(self.slider)
        both = QWidget()
        both.setFixedWidth(scale(CONTROL_WIDTH))
        horizontal((self.slider, 1), edit, holder=both, spacing=12)
        return both

    def _named(self, control: QWidget) -> QWidget:
        control.setAccessibleName(field_label(self.source.field))
        if self.source.unit:
            control.setToolTip(bounds_of(self.source))
        return control

    def _explain(self, text: str, *, is_error: bool = False) -> None:
        self.about.set_tint("critical" if is_error else "ink_faint")
        self.about.set_text(text)
        for control in (self.edit, self.slider, self.switch, self.select):
            if control is not None:
                control.setAccessibleDescription(text)

    def _take_slider(self, value: int) -> None:
        self.changed.emit(self.source.field, value / 100 if self._per_unit == 100 else value)

    def _take_text(self) -> None:
        assert self.edit is not None
        try:
            value = value_of_field(self.source.field, self.edit.text())
        except WrongNumber as error:
            is_number = bool(self.source.unit) and self.slider is not None
            self._explain(wanted_words(self.source) if is_number else tr_engine(str(error)), is_error=True)
            return
        self.edit.setModified(False)
        self.changed.emit(self.source.field, value)

    def _emit_choice(self) -> None:
        assert self.select is not None
        self.changed.emit(self.source.field, self.select.currentData())


class FieldGroupView(QWidget):
    """A group of rows. Folded rows are built when they are first shown. Signal: changed(field, value), by the user."""

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
        self._next = QTimer(self, interval=0)  # a row at a time, since building all at once would block the window
        self._next.timeout.connect(self._add_folded)
        self.more = LinkButton("")
        self.more.clicked.connect(lambda _=False: self.unfold(self._rest.isHidden()))
        self._column.addWidget(self._rest)
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.more.setVisible(bool(self._folded))
        self._name_link()

    def build(self) -> Iterator[QWidget]:
        """Build the rows that are always visible, and yield each of them."""
        for number, source in enumerate(self._common):
            row = self._add(source)
            self._column.insertWidget(number + 1, row)
            yield row

    def unfold(self, is_wanted: bool = True) -> None:
        """Show or hide the less common fields; the first time, they are built one after the other."""
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
        """Show the numbers of a policy. base: the preset to compare it with. window: the open conversation's."""
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
        """Update the link's text, with the number of changes among the folded fields."""
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
        return sum(getattr(policy, source.field) != getattr(base, source.field) for source in self._folded)
