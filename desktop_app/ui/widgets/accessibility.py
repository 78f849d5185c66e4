"""Accessibility of widgets that paint themselves: roles, actions, events, and their lines as labels and buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QAccessibleWidget, QLabel, QPushButton, QWidget

Role = QAccessible.Role
PRESS = "Press"  # Qt's names of actions, which screen readers know
SHOW_MENU = "ShowMenu"


class WithRole(QWidget if TYPE_CHECKING else object):
    """A base for widgets of a role that Qt does not know. It comes before Qt's class in the list of bases.

    The name and the description are those of the widget. is_marked: whether it is what the keyboard is on, although
    another widget has the focus; None to leave that to Qt.
    """

    accessible_role = Role.Client
    is_marked: bool | None = None

    def accessible_actions(self) -> Mapping[str, Callable[[], object]]:
        """Return what can be done with it, by Qt's names of actions."""
        return {}


class _Interface(QAccessibleWidget):
    """Qt owns it, and asks it only while a screen reader listens."""

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
        return state


def _interface_of(_: str, widget: QObject) -> QAccessibleWidget | None:
    return _Interface(widget) if isinstance(widget, WithRole) else None


@cache
def use_roles() -> None:
    """Let Qt know the roles of `WithRole`. To be called once there is an application, before its first window.

    PySide keeps each interface until the application ends: one is made for each such widget that is looked at.
    """
    QAccessible.installFactory(_interface_of)


def announce(widget: QWidget, text: str, *, is_urgent: bool = False) -> None:
    """Let a screen reader say a text. is_urgent: at once, instead of what it is saying."""
    if QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, text)
        kinds = QAccessible.AnnouncementPoliteness
        event.setPoliteness(kinds.Assertive if is_urgent else kinds.Polite)
        QAccessible.updateAccessibility(event)


def bring_in_order(holder: QWidget, wanted: Sequence[QWidget]) -> None:
    """Let these children of the holder be found in that order."""
    known = set(wanted)
    if [child for child in holder.children() if child in known] != list(wanted):
        for widget in wanted:
            widget.raise_()


class AccessibleLine(msgspec.Struct, frozen=True):
    """A line. key: what it is about, which stays the same when its numbers change. press: what a click on it does."""

    key: str
    text: str
    box: QRect
    press: Callable[[], object] | None = None


class AccessibleLines(QWidget):
    """Stands over a widget that paints lines. A button keeps its object as long as it is about the same."""

    def __init__(self, painted: QWidget) -> None:
        super().__init__(painted)
        self._painted = painted
        self._shown: dict[tuple[str, bool], QLabel | QPushButton] = {}
        self._press: dict[str, Callable[[], object]] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setUpdatesEnabled(False)

    def show_lines(self, lines: Sequence[AccessibleLine]) -> None:
        """Show these lines, whose keys differ; the boxes are within the widget that paints them."""
        self.resize(self._painted.size())
        before, self._shown = self._shown, {}
        for line in lines:
            kind = line.key, line.press is not None
            widget = before.pop(kind, None) or self._made(line)
            widget.setText(line.text)
            widget.setAccessibleName(line.text)
            widget.setGeometry(line.box)
            self._shown[kind] = widget
        self._press = {line.key: line.press for line in lines if line.press is not None}
        for widget in before.values():
            widget.hide()
            widget.deleteLater()
        bring_in_order(self, [*self._shown.values()])

    def _made(self, line: AccessibleLine) -> QLabel | QPushButton:
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
