"""The state of a session at one moment, frozen, so that decisions can be made from it on another thread."""

from __future__ import annotations

import msgspec

from desktop_app.chat.session import Session
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View
from desktop_app.conversation.transcript import Transcript


class ContextSnapshot(msgspec.Struct, frozen=True):
    """The values of one session."""

    transcript: Transcript
    view: View
    policy: ContextPolicy
    budget: Budget
    """In tokens as they are counted here."""
    counts: TokenCounts
    factor: float = 1.0
    """How many of the model's own tokens one of them is."""
    seconds_since_request: float | None = None
    """None if the provider was never asked."""
    reading: Reading | None = None
    """What was read of the messages for earlier summaries."""


def snapshot_of(session: Session) -> ContextSnapshot:
    """Return the state of a session now."""
    budget, own = session.budget, session.own_budget
    if not budget.window:  # unknown: room that the user makes by hand is measured by what is there now
        budget = own = Budget(max(session.gauge().total, 1), 0)
    factor = budget.usable / own.usable if own.usable else 1.0
    seconds = session.seconds_since_request()
    return ContextSnapshot(
        session.transcript, session.view, session.policy, own, session.counts, factor, seconds, session.reading
    )
