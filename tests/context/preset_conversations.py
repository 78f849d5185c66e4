"""Conversations for the presets, and what the engine says of them in a window."""

from __future__ import annotations

from builders import call, letters, model, result, tokens, user
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import Budget, ContextPolicy, budget_for
from desktop_app.context.prune.strategies import plan_prune
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Prune, Trigger


def has(policy: ContextPolicy, **numbers: object) -> None:
    assert {field: getattr(policy, field) for field in numbers} == numbers


def limits(policy: ContextPolicy, window: int) -> tuple[ContextPolicy, Budget]:
    budget = budget_for(policy, window)
    return fit_policy(policy, budget), budget


def tokens_at(policy: ContextPolicy, step: str, window: int) -> int:
    """From how many tokens on that step is due."""
    made, budget = limits(policy, window)
    return round(getattr(made, step) * budget.usable)


def asked(policy: ContextPolicy, view: View, window: int, trigger: Trigger) -> Prune | CompactionPlan | None:
    return next_step(view, *limits(policy, window), letters(), trigger)


def pruned(policy: ContextPolicy, view: View, window: int) -> Prune | None:
    return plan_prune(view, *limits(policy, window), letters(), tokens(view), Trigger.BEFORE_REQUEST)


def talk(turns: int, size: int) -> list[Message]:
    """Turns of a question and an answer, each of `size` tokens by letters and its frame."""
    text = "word " * size
    return [m for n in range(turns) for m in (user(f"{n} {text}"[: 4 * size]), model(f"{n} {text}"[: 4 * size]))]


def work(rounds: int, size: int) -> list[Message]:
    """One turn with many tool results of `size` tokens."""
    text = "line of output\n" * size
    rounds_of = [(model("", call("bash", f'{{"n": {n}}}')), result(f"{n} {text}"[: 4 * size])) for n in range(rounds)]
    return [user("please"), *(m for pair in rounds_of for m in pair)]


def ends(shown: str) -> tuple[str, str]:
    """What a trimmed text kept: before and after the word on what is missing."""
    head, _, rest = shown.partition("[… ")
    return head.strip(), rest.partition("…]")[2].strip()
