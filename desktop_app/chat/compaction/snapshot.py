"""The state of a session at one moment, frozen for decisions on another thread, and the effect of a step on it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from desktop_app.chat.request_counter import RequestCounter
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.view import View, view_of, with_entries
from desktop_app.conversation.transcript import Compaction, Operation, Transcript


class ContextSnapshot(msgspec.Struct, frozen=True):
    """The values of one session."""

    transcript: Transcript
    view: View
    policy: ContextPolicy
    budget: Budget
    """In tokens as they are counted here."""
    counts: TokenCounts
    model_budget: Budget | None = None
    """In the model's own tokens, as the gauge shows them; None: they are those that are counted here."""
    total: int | None = None
    """Of the request as the gauge shows it; None: as it is counted here."""
    factor: float = 1.0
    """How many of the model's own tokens one is that is counted here."""
    seconds_since_request: float | None = None
    """None if the provider was never asked."""
    reading: Reading | None = None
    """What was read of the messages for earlier summaries."""

    def in_model_tokens(self, tokens: int) -> int:
        """Convert tokens counted here to those that the gauge shows."""
        return round(tokens * self.factor)

    def has_same_view(self, other: ContextSnapshot) -> bool:
        """Whether the view, and everything by which room is measured, is the same."""
        measures = ((each.policy, each.budget, each.model_budget, each.total) for each in (self, other))
        is_same = self.transcript is other.transcript and self.view is other.view and self.counts is other.counts
        return is_same and next(measures) == next(measures)

    def with_record(self, transcript: Transcript) -> ContextSnapshot:
        """Return the snapshot with that record, its total by what the request grew or shrank."""
        view = view_of(transcript)
        if self.total is None:
            return replace(self, transcript=transcript, view=view)
        more = request_tokens(view, self.counts) - request_tokens(self.view, self.counts)
        return replace(self, transcript=transcript, view=view, total=max(self.total + self.in_model_tokens(more), 0))


def snapshot_of(counter: RequestCounter) -> ContextSnapshot:
    """Return the current state of the counter's record."""
    budget = counter.budget
    if not budget.window:  # unknown: room that the user makes by hand is measured by what is there now
        budget = Budget(max(counter.gauge().total, 1), 0)
    return snapshot_under(counter, counter.policy, budget)


def snapshot_under(counter: RequestCounter, policy: ContextPolicy, budget: Budget) -> ContextSnapshot:
    """Return the current state as it would be under that policy, with that budget."""
    total, counted = counter.gauge().total, counter.count()
    return ContextSnapshot(
        counter.transcript,
        counter.view,
        policy,
        budget.as_counted(total, counted),
        counter.counts,
        budget,
        total,
        total / counted if counted and total else 1.0,
        counter.seconds_since_request(),
        counter.reading,
    )


def with_measured_tokens(
    counter: RequestCounter, step: Operation, transcript: Transcript, view: View
) -> Operation | None:
    """Return the step with the tokens that the gauge shows before and after it.

    None if a message that it touches is gone, or if it would free nothing, as counted here or as shown.
    """
    if not is_there(step, view):
        return None
    changed = view_of(with_entries(transcript, replace(step, id="draft")))
    if request_tokens(changed, counter.counts) >= request_tokens(view, counter.counts):
        return None
    before = counter.gauge() if view is counter.view else counter.gauge_of(view)
    usable = before.usable if before.is_window_known else 0
    after = counter.gauge_of(changed).total
    if after >= before.total:
        return None
    return replace(step, tokens_before=before.total, tokens_after=after, usable=usable)


def is_there(step: Operation, view: View) -> bool:
    """Return whether every message that the step touches is in the view."""
    touched = step.archived if isinstance(step, Compaction) else step.message_ids
    return {item.message.id for item in view.items}.issuperset(touched)
