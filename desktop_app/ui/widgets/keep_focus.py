"""Keeping the keyboard where it is while the widgets around it are made anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QWidget


@contextmanager
def keep_focus_in(holder: QWidget) -> Iterator[None]:
    """Leave the keyboard in the holder if it has it: on what comes to stand at the place of the focused widget.

    Qt gives the focus of a widget that goes to the next one of the window, wherever that is.
    """
    focused = holder.window().focusWidget()
    if focused is None or not holder.isAncestorOf(focused):
        yield
        return
    place = focused.mapTo(holder, focused.rect().center())
    yield
    if not _takes_focus(focused, holder):
        holder.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, holder, lambda: _focus_nearest(holder, place))  # once the new ones are shown


def _focus_nearest(holder: QWidget, place: QPoint) -> None:
    """Go on from the holder, unless the keyboard has gone elsewhere meanwhile."""
    for widget in (holder, *holder.findChildren(QWidget)):
        if (layout := widget.layout()) is not None:
            layout.activate()
    reachable = [widget for widget in holder.findChildren(QWidget) if _takes_focus(widget, holder)]
    if reachable and holder.window().focusWidget() is holder:
        nearest = min(reachable, key=lambda w: (w.mapTo(holder, w.rect().center()) - place).manhattanLength())
        nearest.setFocus(Qt.FocusReason.OtherFocusReason)


def _takes_focus(widget: QWidget, holder: QWidget) -> bool:
    is_reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
    return is_reached and holder.isAncestorOf(widget) and widget.isVisibleTo(holder)
