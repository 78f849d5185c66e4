"""Accessibility of widgets that paint themselves: roles, actions, events, and painted lines as labels and buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QAccessibleWidget, QLabel, QPushButton, QWidget

Role = QAccessible.Role
PRESS = "Press"  # Qt's action names, which screen readers know
SHOW_MENU = "ShowMenu"


class WithRole(QWidget if TYPE_CHECKING else object):
    """A base for widgets with a role that Qt has no widget for. It precedes Qt's class in the list of bases.

    Screen readers read the widget's accessible name and description. is_marked: whether it is the current item of
    keyboard navigation although another widget has the focus; None leaves the focus state to Qt. is_modal: whether
    nothing else in the window can be used while it is shown.
    """

    accessible_role = Role.Client
    is_marked: bool | None = None
    is_modal = False

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        """Return the actions that the widget offers, by Qt's action names."""
        return {}


class _Interface(QAccessibleWidget):
    """The accessibility interface of a `WithRole` widget. Qt owns it, and calls it only while a screen reader runs."""

    def __init__(self, widget: WithRole) -> None:
        super().__init__(widget, widget.accessible_role)

    def _actions(self) -> Mapping[str, Callable[[], object]]:
        widget = self.widget()
        return widget.accessible_actions() if isinstance(widget, WithRole) else {}

    def actionNames(self) -> list[str]:
        return [*self._actions(), *super().actionNames()]

    def doAction(self, actionName: str) -> None:
        action = self._actions().get(actionName)
        if action is None:
            super().doAction(actionName)
        else:
            action()

    def state(self) -> QAccessible.State:
        state, widget = super().state(), self.widget()
        if isinstance(widget, WithRole) and widget.is_marked is not None:
            state.focusable, state.focused = 1, int(widget.is_marked)
        if isinstance(widget, WithRole) and widget.is_modal:
            state.modal = 1
        return state


def _interface_of(_: str, widget: QObject) -> QAccessibleWidget | None:
    return _Interface(widget) if isinstance(widget, WithRole) else None


@cache
def use_roles() -> None:
    """Register the roles of `WithRole` with Qt. Call it once there is an application, before its first window.

    One interface is created for each such widget that a screen reader queries; PySide keeps it until the application
    ends.
    """
    QAccessible.installFactory(_interface_of)


def announce(widget: QWidget, text: str, *, is_urgent: bool = False) -> None:
    """Have the screen reader speak a text. is_urgent: at once, interrupting the current speech."""
    if QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, text)
        kinds = QAccessible.AnnouncementPoliteness
        event.setPoliteness(kinds.Assertive if is_urgent else kinds.Polite)
        QAccessible.updateAccessibility(event)


def bring_in_order(holder: QWidget, wanted: Sequence[QWidget]) -> None:
    """Reorder these children of the holder, so that screen readers find them in the order of `wanted`."""
    known = set(wanted)
    if [child for child in holder.children() if child in known] != list(wanted):
        for widget in wanted:
            widget.raise_()


class AccessibleLine(msgspec.Struct, frozen=True):
    """A painted line for screen readers.

    key: identifies its subject, and stays the same when its numbers change. press: called for a click; None for text.
    """

    key: str
    text: str
    box: QRect
    press: Callable[[], object] | None = None


class AccessibleLines(QWidget):
    """Labels and buttons laid invisibly over a widget that paints lines. A line of the same key keeps its widget."""

    def __init__(self, painted: QWidget) -> None:
        super().__init__(painted)
        self._painted = painted
        self._shown: dict[tuple[str, bool], QLabel | QPushButton] = {}
        self._press: dict[str, Callable[[], object]] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setUpdatesEnabled(False)

    def show_lines(self, lines: Sequence[AccessibleLine]) -> None:
        """Replace the lines. Their keys are unique; the boxes are in the coordinates of the painting widget."""
        self.resize(self._painted.size())
        before, self._shown = self._shown, {}
        for line in lines:
            kind = line.key, line.press is not None
            widget = before.pop(kind, None) or self._create(line)
            widget.setText(line.text)
            widget.setAccessibleName(line.text)
            widget.setGeometry(line.box)
            self._shown[kind] = widget
        self._press = {line.key: line.press for line in lines if line.press is not None}
        for widget in before.values():
            widget.hide()
            widget.deleteLater()
        bring_in_order(self, [*self._shown.values()])

    def _create(self, line: AccessibleLine) -> QLabel | QPushButton:
        if line.press is None:
            widget = QLabel(self)
            widget.setTextFormat(Qt.TextFormat.PlainText)
        else:
            widget = QPushButton(self)
            widget.setAutoDefault(False)
            widget.clicked.connect(partial(self._do, line.key))
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        widget.show()
        return widget

    def _do(self, key: str) -> None:
        press = self._press.get(key)
        if press is not None:
            press()
