"""A frozen copy of a session's state for decisions on another thread, and the measured effect of a step on it."""

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
    """The state of one session that decisions about its context are made on."""

    transcript: Transcript
    view: View
    policy: ContextPolicy
    budget: Budget
    """In tokens as the app counts them."""
    counts: TokenCounts
    model_budget: Budget | None = None
    """In the model's own tokens, as the gauge shows them; None if the app's count is the model's."""
    total: int | None = None
    """Tokens of the request as the gauge shows them; None if the app's count is the model's."""
    factor: float = 1.0
    """The model's own tokens for one token as the app counts it."""
    seconds_since_request: float | None = None
    """None if no request was sent yet."""
    reading: Reading | None = None
    """Cached facts of the messages, from earlier summaries."""

    def in_model_tokens(self, tokens: int) -> int:
        """Convert the app's token count to the model's tokens, which the gauge shows."""
        return round(tokens * self.factor)

    def has_same_view(self, other: ContextSnapshot) -> bool:
        """Return whether the view is the same, and also the policy, budgets and counts that plans depend on."""
        measures = ((each.policy, each.budget, each.model_budget, each.total) for each in (self, other))
        is_same = self.transcript is other.transcript and self.view is other.view and self.counts is other.counts
        return is_same and next(measures) == next(measures)

    def with_record(self, transcript: Transcript) -> ContextSnapshot:
        """Return the snapshot with another record; its total is adjusted by the difference in tokens."""
        view = view_of(transcript)
        if self.total is None:
            return replace(self, transcript=transcript, view=view)
        more = request_tokens(view, self.counts) - request_tokens(self.view, self.counts)
        return replace(self, transcript=transcript, view=view, total=max(self.total + self.in_model_tokens(more), 0))


def snapshot_of(counter: RequestCounter) -> ContextSnapshot:
    """Return the current state of the counter's record."""
    budget = counter.budget
    if not budget.window:  # unknown: the user can still optimize, and the current request counts as full
        budget = Budget(max(counter.gauge().total, 1), 0)
    return snapshot_under(counter, counter.policy, budget)


def snapshot_under(counter: RequestCounter, policy: ContextPolicy, budget: Budget) -> ContextSnapshot:
    """Return the counter's current state under another policy and budget."""
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
    """Return the step with the gauge's totals before and after it.

    None if a message that it touches is not in the view, or if it would free nothing by the app's count or the gauge's.
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
