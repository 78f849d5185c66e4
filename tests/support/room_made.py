"""Make room in a conversation until nothing is left to do: for tests of what a request still says then."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy, policy_for_target
from desktop_app.context.view.view import View, view_after, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Chain, Transcript, Trigger


def with_room(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> View:
    """The view after every step that makes room for that budget."""
    transcript = Transcript(view.entries)
    while step := next_step(view, policy, budget, counts, Trigger.USER):
        operation = compaction_of(step, transcript, view, counts) if isinstance(step, CompactionPlan) else step
        assert operation is not None
        transcript = transcript.append(replace(operation, id=f"op{len(transcript.entries)}"))
        view = view_after(view, transcript)
    assert request_tokens(view, counts) <= budget.usable
    return view


def brought_to(share: float, messages: Sequence[Message], counts: TokenCounts) -> View:
    """The view of those messages at that share of their tokens."""
    view = view_of(Transcript(Chain(messages)))
    budget = Budget(round(request_tokens(view, counts) * share), 0)
    return with_room(view, policy_for_target(BALANCED), budget, counts)
