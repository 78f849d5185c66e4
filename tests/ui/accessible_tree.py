"""What a screen reader finds: the tree of accessible objects of this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

Role = QAccessible.Role
Kind = QAccessible.Text


@dataclass
class Node:
    """An object as it was when it was read; the object itself may be gone."""

    role: QAccessible.Role
    name: str
    description: str
    is_focusable: bool
    is_invisible: bool
    actions: list[str]
    object: object
    children: list[Node] = field(default_factory=list)

    def all(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.all()

    def find(self, role: QAccessible.Role, name: str = "") -> Node:
        """Return the first object of that role whose name contains these words."""
        for node in self.all():
            if node.role is role and name in node.name:
                return node
        raise AssertionError(f"no {role} “{name}” in\n{self.words()}")

    def words(self, depth: int = 0) -> str:
        own = f"{'  ' * depth}{self.role.name} {self.name[:80]!r}\n"
        return own + "".join(child.words(depth + 1) for child in self.children)


def read(widget: QWidget) -> Node:
    """Read all of a widget."""
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    return _read(interface)


def act(widget: object, name: str = "Press") -> None:
    """Do what a screen reader does to an object."""
    assert isinstance(widget, QWidget)
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    interface.actionInterface().doAction(name)


def _read(interface: QAccessibleInterface) -> Node:
    state, actions = interface.state(), interface.actionInterface()
    node = Node(
        interface.role(), interface.text(Kind.Name), interface.text(Kind.Description), bool(state.focusable),
        bool(state.invisible), actions.actionNames() if actions else [], interface.object(),
    )  # fmt: skip
    for number in range(interface.childCount()):
        child = interface.child(number)
        if child is not None:
            node.children.append(_read(child))
    return node
