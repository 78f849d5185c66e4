"""The sessions in memory: the newest ones, and those that are in use."""

from __future__ import annotations

from weakref import WeakValueDictionary

from .session import Session

MAX_KEPT = 6
"""Sessions that nobody uses at the moment, so that going back and forth between conversations reads none anew."""
MAX_BYTES = 32 * 2**20
"""What those may hold together, but for the newest one."""


class OpenSessions:
    """Finds the one session of a conversation as long as anything refers to it, such as a turn or a request.

    So a conversation never has two, which would both write its record, and what is running is not forgotten. Of all
    others the newest stay, those that have learned what their record does not have, and the one that the window shows:
    its figures follow the settings, which only what is in memory does.
    """

    def __init__(self) -> None:
        self._alive: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._newest: dict[str, Session] = {}
        self._shown = ""

    def __contains__(self, conversation: str) -> bool:
        return conversation in self._alive

    def get(self, conversation: str) -> Session | None:
        return self._alive.get(conversation)

    def all(self) -> tuple[Session, ...]:
        return tuple(self._alive.values())

    def note_shown(self, conversation: str) -> None:
        """The window shows that conversation from now on."""
        self._shown = conversation

    def keep(self, session: Session) -> None:
        """Keep a session as the newest one; the oldest are let go that are more than `MAX_KEPT` or `MAX_BYTES`."""
        self._alive[session.id] = session
        self._newest.pop(session.id, None)
        self._newest[session.id] = session
        size = 0
        for number, each in enumerate(reversed(list(self._newest.values()))):
            size += each.recorded.size
            is_unused = each.is_as_recorded and each.id != self._shown
            if (number >= MAX_KEPT or (number and size > MAX_BYTES)) and is_unused:
                del self._newest[each.id]

    def remove(self, conversation: str) -> None:
        """Let go of a session that is used no more, by whomever."""
        del self._alive[conversation]
        self._newest.pop(conversation, None)
