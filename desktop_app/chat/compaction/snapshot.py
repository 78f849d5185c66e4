"""The state of a session at one moment, frozen for decisions on another thread; and what a step would make of it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from desktop_app.chat.session import Session
from desktop_app.context.counting.breakdown import gauge_of, request_tokens, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View, view_of, with_entries
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.transcript import Compaction, Operation, Transcript


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


def with_measured_tokens(session: Session, step: Operation, transcript: Transcript, view: View) -> Operation | None:
    """Return the step with the tokens that the gauge shows before and after it; None if something that it touches is
    gone, or if it would free nothing."""
    touched = step.archived if isinstance(step, Compaction) else step.message_ids
    here = {item.message.id for item in view.items}
    if not here.issuperset(touched):
        return None
    changed = view_of(with_entries(transcript, replace(step, id="draft")))
    if request_tokens(changed, session.counts) >= request_tokens(view, session.counts):
        return None
    before = session.gauge() if view is session.view else unmeasured_gauge(session, view)
    usable = before.usable if before.is_window_known else 0
    after = unmeasured_gauge(session, changed).total
    return replace(step, tokens_before=before.total, tokens_after=after, usable=usable)


def unmeasured_gauge(session: Session, view: View) -> Gauge:
    """Return the gauge of a view that was never sent."""
    counts, nobody = session.counts, replace(session.model_info, id="nobody/nothing")
    sums = tally(view, counts)
    return gauge_of(view, sums, counts, session.policy, session.budget, nobody, session.calibration)
