"""How a turn ends, and what the user is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop_app.chat.ports import Emit, WorldError
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.conversation.events import Failure, TurnFailed


class TurnOutcome:
    """How one turn ends: "finished", unless something else is said."""

    def __init__(self) -> None:
        self.reason = "finished"
        self._failure: Failure | None = None
        self._bug: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Note what ended the turn: a cancellation stops it, anything else is a failure."""
        if isinstance(error, asyncio.CancelledError):
            self.reason = "stopped"
            return
        self.reason, self._failure = "failed", failure_of(error)
        if not isinstance(error, WorldError | WindowTooSmall):
            self._bug = error

    def report(self, conversation: str, emit: Emit, on_bug: Callable[[BaseException], None]) -> None:
        """Tell the user of the failure, and the log of the bug, if there was one."""
        if self._failure is not None:
            emit(TurnFailed(conversation, self._failure))
        if self._bug is not None:
            on_bug(self._bug)


def failure_of(error: BaseException) -> Failure:
    """Return what the user is told of that error; of one that nobody expected, that it is our own mistake."""
    if isinstance(error, WorldError):
        return error.failure
    if isinstance(error, WindowTooSmall):
        return Failure(
            kind="window_too_small",
            title="This does not fit into the model’s context window",
            detail=f"{error.needed:,} tokens must be sent, but only {error.usable:,} are usable.",
            kept="Your message and the whole conversation are saved.",
            advice=error.advice,
        )
    return Failure(
        kind="bug",
        title="Something went wrong inside Palimpsest",
        detail=f"{type(error).__name__}: {error}",
        kept="Everything that was shown as saved is saved.",
        advice="Try again; the log file has the details.",
    )
