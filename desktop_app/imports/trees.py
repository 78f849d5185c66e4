"""Trees of messages, as files of other programs have them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignMessage


def in_order(messages: Mapping[str, ForeignMessage], parents: Mapping[str, str]) -> tuple[ForeignMessage, ...]:
    """Return the messages so that each stands behind the one that it follows, else by their times.

    parents: of all nodes, also of those that are no message, which are passed over. A parent that there is not, or a
    circle of parents, ends the way up: such a message is a first one.
    """
    linked = {name: replace(message, parent=_parent(name, messages, parents)) for name, message in messages.items()}
    ordered: dict[str, ForeignMessage] = {}
    numbers = {name: number for number, name in enumerate(linked)}
    for name in sorted(linked, key=lambda name: (linked[name].message.at, numbers[name])):
        _add_with_parents(name, linked, ordered)
    return tuple(ordered.values())


def _parent(name: str, messages: Mapping[str, ForeignMessage], parents: Mapping[str, str]) -> str:
    """Return the nearest message above a node; "" if there is none."""
    seen = {name}
    while (name := parents.get(name, "")) and name not in seen:
        if name in messages:
            return name
        seen.add(name)
    return ""


def _add_with_parents(name: str, linked: dict[str, ForeignMessage], ordered: dict[str, ForeignMessage]) -> None:
    """Add the message behind those above it. A circle is opened where it is entered."""
    way = [name]
    while (parent := linked[way[-1]].parent) and parent not in ordered:
        if parent in way:
            linked[way[-1]] = replace(linked[way[-1]], parent="")
            break
        way.append(parent)
    for each in reversed(way):
        ordered.setdefault(each, linked[each])
