"""Where recall may look without asking. Pure."""

from __future__ import annotations

from typing import get_args

import msgspec

from desktop_app.conversation.project import RecallScope

_NARROW_TO_WIDE: tuple[RecallScope, ...] = get_args(RecallScope)


class RecallReach(msgspec.Struct, frozen=True):
    """Where recall may look in one conversation."""

    widest: RecallScope = "conversation"
    """Where it may look without asking."""
    project: str = ""
    """The id of the conversation's project; "" for none."""

    def includes(self, where: RecallScope) -> bool:
        """Return whether it may look there without asking."""
        return _NARROW_TO_WIDE.index(where) <= _NARROW_TO_WIDE.index(self.widest)

    def has(self, where: RecallScope) -> bool:
        """Return whether there is such a place: a conversation may have no project."""
        return where != "project" or bool(self.project)

    def project_in(self, where: RecallScope) -> str | None:
        """Return the id of the project to which a search there is limited; None for no limit."""
        return self.project if where == "project" else None


class KnownConversation(msgspec.Struct, frozen=True):
    """A conversation that can be found."""

    id: str
    title: str
    project: str = ""
    """The id of its project; "" for none."""
