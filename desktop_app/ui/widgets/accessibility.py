"""What screen readers are told of widgets that paint themselves: a role, actions, and what has happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget

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
