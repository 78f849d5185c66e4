"""One field of a policy: its name, what it means, and an input that fits its kind."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.policy_fields import FieldSource
from desktop_app.context.presets import WrongNumber, choices_of
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.widgets.formats import isolate
from desktop_app.ui.widgets.inputs import Select, Slider, ToggleSwitch
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM, NORMAL, scale
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .words import (
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
SLIDER_REACH = 5  # times the usual value; more can be typed
MAX_WITHOUT_DEFAULT = 20_000  # of the slider of a number that is usually 0


class FieldRow(QWidget):
    """Signal: changed(field, value), by the user, with valid values only."""

    changed = Signal(str, object)

    def __init__(self, source: FieldSource, usual: Any) -> None:
        """usual: the default value, by whose kind the input is chosen."""
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
        """Show the field of that policy without a signal. base: the preset that it is compared with."""
        if self.edit is not None and self.edit.hasFocus() and self.edit.isModified():
            return  # the user is writing
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
        if self.switch is not None:
            self.switch.setChecked(value)
        if self.select is not None:
            self.select.choose(value)
            self.select.update()
        for widget in (self.slider, self.switch, self.select):
            if widget is not None:
                widget.blockSignals(False)

    def _control(self, usual: Any) -> QWidget:
        """Return the input for a value of that kind."""
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
