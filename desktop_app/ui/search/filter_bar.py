"""The filters of a search as chips, which change and show what is typed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.context.search.filters import FilterKind, FilterNames, TypedFilter
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import ROLE_NAMES, format_day
from desktop_app.ui.widgets.layouts import FlowLayout

from .filter_chip import Choice, FilterChip

KIND_NAMES: dict[FilterKind, str] = {
    "time": translatable("Time"),
    "project": translatable("Project"),
    "role": translatable("Who"),
    "model": translatable("Model"),
    "tool": translatable("Tool"),
    "has": translatable("With code"),
}
TIMES = (
    (translatable("Today"), "on", "today"),
    (translatable("Yesterday"), "on", "yesterday"),
    (translatable("Last 7 days"), "since", "1_week"),
    (translatable("Last 30 days"), "since", "1_month"),
    (translatable("This year"), "on", "this_year"),
    (translatable("Last year"), "on", "last_year"),
)
MAX_OFFERED = 20


class FilterBar(QWidget):
    """A chip for each kind of filter. Signals: chosen(name, value), as they are typed; removed(kind)."""

    chosen = Signal(str, str)
    removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = FilterNames()
        self.chips: dict[FilterKind, FilterChip] = {kind: self._chip(kind, name) for kind, name in KIND_NAMES.items()}
        self.setLayout(FlowLayout(*self.chips.values(), gap=6))
        self.set_names(self._names)

    def _chip(self, kind: FilterKind, name: str) -> FilterChip:
        chip = FilterChip(tr(name), partial(self._offered, kind))
        chip.chosen.connect(self.chosen)
        chip.removed.connect(partial(self.removed.emit, kind))
        return chip

    def set_names(self, names: FilterNames) -> None:
        """Offer these projects, models and tools; a chip that has nothing to offer is not shown."""
        self._names = names
        for kind, chip in self.chips.items():
            chip.show_value(chip.value)
            chip.setVisible(bool(chip.value or self._offered(kind)))

    def show_filters(self, typed: Sequence[TypedFilter]) -> None:
        """Show the filters of the query; of two of a kind both count, or the last one."""
        for kind, chip in self.chips.items():
            mine = [each for each in typed if each.kind == kind]
            chip.show_value(text_of_filters(mine), any(each.is_wrong for each in mine))
            chip.setVisible(bool(mine or self._offered(kind)))

    def _offered(self, kind: FilterKind) -> Sequence[Choice]:
        names = self._names
        match kind:
            case "time":
                return [(tr(text), name, value) for text, name, value in TIMES]
            case "role":
                roles = (Role.USER, Role.ASSISTANT, Role.TOOL)
                return [(tr(ROLE_NAMES[role]), "role", role.value) for role in roles]
            case "project":
                return [(name, "in", name) for _, name in names.projects[:MAX_OFFERED]]
            case "model":
                return [(model.rsplit("/", 1)[-1], "model", model) for model in names.models[:MAX_OFFERED]]
            case "tool":
                return [(tool, "tool", tool) for tool in names.tools[:MAX_OFFERED]]
            case _:
                return [(tr("With code"), "has", "code")]


def text_of_filters(typed: Sequence[TypedFilter]) -> str:
    """Return what the filters of one kind mean; "" without any."""
    if not typed:
        return ""
    newest = typed[-1]
    if newest.is_wrong:
        return newest.value
    match newest.kind:
        case "time":
            right = [each for each in typed if not each.is_wrong]
            firsts, lasts = [e.first for e in right if e.first], [e.last for e in right if e.last]
            return text_of_days(firsts[-1] if firsts else None, lasts[-1] if lasts else None)
        case "role":
            return tr(ROLE_NAMES[Role(newest.value)])
        case "has":
            return tr("With code")
        case "model":
            return newest.value.rsplit("/", 1)[-1]
        case _:
            return newest.value


def text_of_days(first: date | None, last: date | None) -> str:
    """Return a range of days, such as "1 Mar – 31 May 2026". None: no bound."""
    if first is None or last is None:
        bound, text = (last, tr("until {day}")) if first is None else (first, tr("since {day}"))
        return text.format(day=format_day(bound)) if bound else ""
    if first == last:
        return format_day(first)
    return f"{format_day(first, has_year=first.year != last.year)} – {format_day(last)}"
