"""Conversations in which nothing was said yet: one of each project, to be used before another one is made."""

from __future__ import annotations

from collections.abc import Iterable


class BlankConversations:
    """Their ids by the projects' ids; "" stands for no project."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self.filled: set[str] = set()  # ids of those that were seen with messages, which the list may not know yet

    def find(self, project: str) -> str:
        """Return the one of that project; "" if none is known."""
        return self._ids.get(project, "")

    def note(self, conversation: str, project: str | None) -> None:
        """Note in which project a conversation without messages is; None once it has some."""
        self._ids = {known: blank for known, blank in self._ids.items() if blank != conversation}
        if project is not None:
            self._ids[project] = conversation
        else:
            self.filled.add(conversation)

    def move(self, conversations: Iterable[str], project: str) -> None:
        """Note that those of them that are without messages are in another project now."""
        for blank in set(conversations) & set(self._ids.values()):
            self.note(blank, project)
