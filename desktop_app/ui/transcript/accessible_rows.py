"""The painted rows in sight, as a screen reader finds them: widgets in their places that paint nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QGroupBox, QLabel, QPushButton, QWidget

from desktop_app.ui.widgets.accessibility import PRESS, SHOW_MENU, Role, WithRole
from desktop_app.ui.widgets.accessible_lines import bring_in_order

from .display_list import Action
from .row_parts import RowPart, RowPartKind

Perform = Callable[[Action, str], None]
PartKey = tuple[RowPartKind, str, Action | None, str]


class AccessibleLink(WithRole, QWidget):
    """A link in a text."""

    accessible_role = Role.Link

    def __init__(self, follow: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._follow = follow

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        return {PRESS: self._follow}


class AccessiblePicture(WithRole, QWidget):
    """A picture."""

    accessible_role = Role.Graphic


class AccessibleParts:
    """The widgets of some parts, within their holder. What stays the same keeps its widget, which may be in use.

    A button is never given another meaning: whoever heard its name must get what it said.
    """

    def __init__(self, holder: QWidget, perform: Perform, follow: Callable[[str], None]) -> None:
        self._holder, self._perform, self._follow = holder, perform, follow
        self._widgets: dict[PartKey, list[QWidget]] = {}
        self._within: dict[QWidget, AccessibleParts] = {}

    def show_parts(self, parts: Sequence[RowPart], top_left: QRectF) -> None:
        """Show the parts. top_left: where the holder begins in the row."""
        before, self._widgets = self._widgets, {}
        order: list[QWidget] = []
        for part in parts:
            kept = before.get(_key_of(part))
            widget = kept.pop(0) if kept else self._make(part)
            self._update(widget, part)
            widget.setGeometry(part.box.translated(-top_left.topLeft()).toAlignedRect())
            self._widgets.setdefault(_key_of(part), []).append(widget)
            order.append(widget)
        for widget in (widget for widgets in before.values() for widget in widgets):
            self._within.pop(widget, None)
            widget.hide()
            widget.deleteLater()
        bring_in_order(self._holder, order)

    def clear(self) -> None:
        self.show_parts((), QRectF())

    def _make(self, part: RowPart) -> QWidget:
        widget = self._new(part)
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        widget.show()
        return widget

    def _new(self, part: RowPart) -> QWidget:
        match part.kind:
            case RowPartKind.TEXT:
                label = QLabel(self._holder)
                label.setTextFormat(Qt.TextFormat.PlainText)
                return label
            case RowPartKind.BUTTON:
                button = QPushButton(part.name.replace("&", "&&"), self._holder)
                button.setAccessibleName(part.name)
                button.setAutoDefault(False)
                assert part.action is not None
                button.clicked.connect(partial(self._perform, part.action, part.argument))
                return button
            case RowPartKind.LINK:
                link = AccessibleLink(partial(self._follow, part.argument), self._holder)
                link.setAccessibleName(part.name)
                link.setAccessibleDescription(part.argument)
                return link
            case RowPartKind.PICTURE:
                picture = AccessiblePicture(self._holder)
                picture.setAccessibleName(part.name)
                return picture
            case RowPartKind.CODE:
                group = QGroupBox(part.name, self._holder)
                self._within[group] = AccessibleParts(group, self._perform, self._follow)
                return group

    def _update(self, widget: QWidget, part: RowPart) -> None:
        if isinstance(widget, QLabel) and widget.text() != part.name:
            widget.setText(part.name)
        if widget in self._within:
            self._within[widget].show_parts(part.parts, part.box)


class AccessibleRow(WithRole, QWidget):
    """A row. What is heard of it first is its name."""

    accessible_role = Role.ListItem
    is_marked = False

    def __init__(self, perform: Perform, follow: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(parent)
        self.parts = AccessibleParts(self, perform, follow)
        self.open_menu: Callable[[], object] | None = None

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        return {SHOW_MENU: self.open_menu} if self.open_menu is not None else {}


def _key_of(part: RowPart) -> PartKey:
    """Return what makes two parts the same: of a text not what it says, since it grows while it is written."""
    return part.kind, "" if part.kind is RowPartKind.TEXT else part.name, part.action, part.argument
