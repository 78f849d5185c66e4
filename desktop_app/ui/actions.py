"""An action of the window: the one description from which its shortcut, the palette and the menus are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget


def _always() -> bool:
    return True


@dataclass(frozen=True)
class WindowAction:
    """Something that the user can do, wherever the keyboard is."""

    name: str
    """As the palette, the menus and the sheet of shortcuts call it, in English: it identifies the action."""
    group: str
    """What it is about."""
    about: str
    """What it does, in a few words."""
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    """Its shortcuts, as "Ctrl+N"; the first one is shown in the palette."""
    is_available: Callable[[], object] = _always
    """Whether it can be done now."""
    is_everywhere: bool = True
    """Whether the shortcuts hold in the whole window, or in widgets that take the keys themselves."""
    menu_part: int = 0
    """The part of the header's menu that has it, from 1; 0: none has."""
    label: Callable[[], str] | None = None
    """Returns what the menu calls it now, translated, where one name stands for two directions."""
    button: QWidget | None = None
    """What does the same in the header: the menu has the action while there is no room for it."""

    def run_if_available(self) -> None:
        if self.is_available():
            self.run()


def keys_text(keys: Sequence[str]) -> str:
    """Return shortcuts as this system writes them."""
    return "  ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
