"""Window actions: each is described once, and its shortcut and its entries in palette and menus are built from that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget


def _always() -> bool:
    return True


@dataclass(frozen=True)
class WindowAction:
    """An action that the user can invoke, wherever the keyboard focus is."""

    name: str
    """The English name in the palette, the menus and the sheet of shortcuts; it identifies the action."""
    group: str
    """The heading that it is listed under."""
    about: str
    """A description in a few words; may be ""."""
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    """Its shortcuts, as "Ctrl+N"; the first one is shown in the palette."""
    is_available: Callable[[], object] = _always
    """Returns whether the action can be run now."""
    is_everywhere: bool = True
    """Whether the shortcuts work in the whole window; otherwise widgets handle the keys themselves."""
    menu_part: int = 0
    """The section of the header's menu that contains it, from 1; 0 for none."""
    label: Callable[[], str] | None = None
    """Returns the translated label for the menu, for an action that toggles; None for its name."""
    button: QWidget | None = None
    """The widget in the header that does the same: the menu contains the action while that is hidden."""

    def run_if_available(self) -> None:
        if self.is_available():
            self.run()


def keys_text(keys: Sequence[str]) -> str:
    """Return shortcuts as this system writes them."""
    return "  ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
