"""Keeping the keyboard focus while the widgets around it are rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QWidget


@contextmanager
def keep_focus_in(holder: QWidget) -> Iterator[None]:
    """Keep the focus in the holder if it is there: it goes to the widget that takes the focused one's position.

    Without this Qt passes the focus of a deleted widget to the next one of the window, wherever that is.
    """
    focused = holder.window().focusWidget()
    if focused is None or not holder.isAncestorOf(focused):
        yield
        return
    position = focused.mapTo(holder, focused.rect().center())
    yield
    if not _takes_focus(focused, holder):
        holder.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, holder, lambda: _focus_nearest(holder, position))  # once the new widgets are shown


def _focus_nearest(holder: QWidget, position: QPoint) -> None:
    for widget in (holder, *holder.findChildren(QWidget)):
        if (layout := widget.layout()) is not None:
            layout.activate()
    reachable = [widget for widget in holder.findChildren(QWidget) if _takes_focus(widget, holder)]
    if reachable and holder.window().focusWidget() is holder:  # the focus has not gone elsewhere meanwhile
        nearest = min(reachable, key=lambda w: (w.mapTo(holder, w.rect().center()) - position).manhattanLength())
        nearest.setFocus(Qt.FocusReason.OtherFocusReason)


def _takes_focus(widget: QWidget, holder: QWidget) -> bool:
    is_reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
    return is_reached and holder.isAncestorOf(widget) and widget.isVisibleTo(holder)
