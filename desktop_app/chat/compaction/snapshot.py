"""What a decision is made from: the state of a session at one moment, frozen, so that a thread may have it."""

from __future__ import annotations

import msgspec

from desktop_app.chat.session import Session
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View
from desktop_app.conversation.transcript import Transcript


class ContextSnapshot(msgspec.Struct, frozen=True):
    """Frozen values of one session.

    budget: in tokens as they are counted here. factor: how many of the model's own window one of them takes.
    seconds_since_request: since the provider was last asked; None if it never was.
    reading: what was read of the messages for earlier summaries.
    """

    transcript: Transcript
    view: View
    policy: ContextPolicy
    budget: Budget
    counts: TokenCounts
    factor: float = 1.0
    seconds_since_request: float | None = None
    reading: Reading | None = None


def snapshot_of(session: Session) -> ContextSnapshot:
    """The state of that session now."""
    budget, own = session.budget, session.own_budget
    if not budget.window:  # not known: what the user makes room for by hand is measured by what is there now
        budget = own = Budget(max(session.gauge().total, 1), 0)
    factor = budget.usable / own.usable if own.usable else 1.0
    seconds = session.seconds_since_request()
    return ContextSnapshot(
        session.transcript, session.view, session.policy, own, session.counts, factor, seconds, session.reading
    )
