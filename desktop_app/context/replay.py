"""Replay a conversation under another policy: its messages are added again, and room is made by the policy.

Replies are the recorded ones, and summaries are written without a model, so the same record gives the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from msgspec.structs import replace

from desktop_app.conversation.insights import Replayed
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import (
    AnyEntry,
    Operation,
    Pin,
    Prune,
    Recalled,
    RequestContext,
    Transcript,
    Trigger,
    Unpin,
)

from .compact.compaction import CompactionPlan, compaction_of
from .compact.room_decision import WindowTooSmall, is_due, next_step
from .counting.breakdown import Tally, base_tokens, closing_tokens, item_tokens, tally
from .counting.calibration import AS_COUNTED, Calibration
from .counting.tokens import TokenCounts
from .fitting import fit_policy
from .ledger.message_facts import Reading
from .policy import Budget, ContextPolicy
from .view.view import View, closing_items, view_after, view_of

REPLAYED = (Message, RequestContext, Recalled, Pin, Unpin)
"""Entries that are replayed; operations come from the policy instead."""
MAX_STEPS = 8
"""Steps to make room at one moment, as in a turn."""


def replay(
    entries: Iterable[AnyEntry],
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    clock: Callable[[], float],
    calibration: Calibration = AS_COUNTED,
) -> Iterator[Replayed]:
    """Yield the figures up to each request, in the provider's tokens; the last ones are the result.

    entries: of one branch. budget: under the policy. clock: returns seconds.
    """
    run = _Replay(fit_policy(policy, budget), budget, counts, clock, calibration)
    replayed = [entry for entry in entries if isinstance(entry, REPLAYED)]
    asked = {i for i, (entry, reply) in enumerate(pairwise(replayed)) if _is_answer(reply) and not _is_answer(entry)}
    for index, entry in enumerate(replayed):
        run.say(entry)
        if index in asked:
            run.ask(entry)
            yield run.so_far
        elif isinstance(entry, Message) and _is_answer(entry) and not entry.tool_calls:
            run.make_room(Trigger.AFTER_TURN, 0.0)
    yield run.so_far


def _is_answer(entry: AnyEntry) -> bool:
    return isinstance(entry, Message) and entry.role is Role.ASSISTANT


class _Replay:
    """A record to which the conversation's entries are added, and its figures."""

    def __init__(
        self,
        policy: ContextPolicy,
        budget: Budget,
        counts: TokenCounts,
        clock: Callable[[], float],
        calibration: Calibration,
    ) -> None:
        self._policy, self._budget, self._counts, self._clock = policy, budget, counts, clock
        self._calibration, self._replied = calibration, 0
        self._transcript = Transcript()
        self._view = view_of(self._transcript)
        self._tally: Tally | None = None
        self._sent: View | None = None
        self._replied_at = 0.0
        self._operations = 0
        self._reading = Reading()
        self.so_far: Replayed = Replayed()

    def say(self, entry: AnyEntry) -> None:
        self._append(entry)
        if isinstance(entry, Message) and _is_answer(entry):
            self._replied_at = entry.at
            self._replied += self._counts.total(entry)
            self.so_far = replace(self.so_far, tokens_replied=self._calibration.of_part(self._replied, 0))

    def ask(self, entry: AnyEntry) -> None:
        """Count the request that ends with the entry."""
        is_result = isinstance(entry, Message) and entry.role is Role.TOOL
        self.make_room(Trigger.TOOL_RESULT if is_result else Trigger.BEFORE_REQUEST, entry.at - self._replied_at)
        total, so_far = self._total(), self.so_far
        self.so_far = replace(
            so_far,
            requests=so_far.requests + 1,
            tokens_sent=so_far.tokens_sent + total,
            tokens_cached=so_far.tokens_cached + min(self._shared_tokens(), total),
            requests_too_large=so_far.requests_too_large + (total > self._budget.limit),
        )
        self._sent = self._view

    def make_room(self, trigger: Trigger, seconds_since_request: float) -> None:
        began = self._clock()
        for _ in range(MAX_STEPS):
            if not is_due(self._view, self._total(), self._policy, self._budget, trigger):
                break
            if (step := self._step(trigger, seconds_since_request)) is None:
                break
            self._operations += 1
            self._append(replace(step, id=f"replayed {self._operations}"))
            self._note(step)
        seconds = self._clock() - began
        self.so_far = replace(self.so_far, longest_seconds=max(self.so_far.longest_seconds, seconds))

    def _step(self, trigger: Trigger, seconds: float) -> Operation | None:
        try:
            total = self._total()
            step = next_step(self._view, self._policy, self._budget, self._counts, trigger, seconds, total)
        except WindowTooSmall:
            return None
        if isinstance(step, CompactionPlan):
            return compaction_of(step, self._transcript, self._view, self._counts, reading=self._reading)
        return step

    def _note(self, step: Operation) -> None:
        so_far = self.so_far
        if isinstance(step, Prune):
            self.so_far = replace(so_far, pruned=so_far.pruned + len(step.results) + len(step.inputs))
            return
        kept, left = step.fidelity.verbatim + step.fidelity.in_summary, self._budget.share(self._total())
        self.so_far = replace(
            so_far,
            compactions=so_far.compactions + 1,
            share_after=so_far.share_after + (left - so_far.share_after) / (so_far.compactions + 1),
            facts=so_far.facts + step.fidelity.total,
            facts_kept=so_far.facts_kept + kept,
        )

    def _append(self, entry: AnyEntry) -> None:
        self._transcript = self._transcript.append(entry)
        self._view = view_after(self._view, self._transcript)

    def _total(self) -> int:
        """Return the tokens of the request as shown by the gauge."""
        self._tally = tally(self._view, self._counts, self._tally)
        counted = self._tally.total + closing_tokens(self._view, self._counts)
        messages = len(self._view.items) + len(closing_items(self._view))
        return self._calibration.of_request(counted, messages)

    def _shared_tokens(self) -> int:
        """Return the tokens of the common beginning of this request and the one before."""
        if self._sent is None or self._sent.tools != self._view.tools:
            return 0
        shared, messages = base_tokens(self._view, self._counts), 0
        for sent, item in zip(self._sent.items, self._view.items, strict=False):
            if sent != item:
                break
            shared, messages = shared + item_tokens(sent, self._counts).total, messages + 1
        return self._calibration.of_request(shared, messages)
