"""Fits a policy to a window: its shares become shares of the usable window, in their order however small it is."""

from __future__ import annotations

from msgspec.structs import replace

from .memory.memories import memory_room
from .policy import Budget, ContextPolicy

MIN_DUE_SHARE = 0.30
"""Of the usable window: no step is due below it, however small the window is."""
MAX_USER_SHARE = 0.25
"""Of the target, for the user's own messages that stay word for word."""
STREAM_GRACE = 64
"""Tokens that a stopped reply may bring until the end of a line, then as many until the end of a word."""
MAX_GRACE_SHARE = 0.01
"""Of the whole window, so that the stop stays where the policy puts it."""
MAX_UNANSWERED_SHARE = 0.015
"""Of the usable window, for what stays of each result that no reply has followed: forty parallel results still fit into
a window of 8,192."""
MAX_RECALL_SHARE = 0.25
"""Of the usable window, for what the model looks up at once."""
MIN_UNASKED_RECALL = 500
"""Tokens. Less, as in windows below about 32,000, is not worth a longer request."""

BYTES_A_TOKEN = 3
"""Of code and logs; prose has four."""


def fit_policy(policy: ContextPolicy, budget: Budget) -> ContextPolicy:
    """Return the policy with its shares made shares of that budget's usable window.

    What one result may take is fitted, too. Fitting a policy again changes nothing.
    """
    if budget.usable <= 0:
        return policy
    least = MIN_DUE_SHARE
    blocked = _between(least, _part(policy, policy.blocked_at, budget), 1.0)
    compact = _between(least, _part(policy, policy.compact_at, budget), blocked)
    background = _between(least, _part(policy, policy.background_at, budget), compact)
    prune = _between(least, _part(policy, policy.prune_at, budget), compact) if policy.prune_at else 0.0
    scale = budget.window / budget.usable if policy.shares_of == "window" else 1.0
    return replace(
        fit_result_size(policy, budget.usable),
        background_at=background,
        prune_at=prune,
        compact_at=compact,
        blocked_at=blocked,
        target=min(
            max(policy.target * scale, policy.target_least / budget.usable), policy.target_share_of_due * background
        ),
        shares_of="usable",
        buffer_share_of_rest=0.0,
        buffer_least=0,
    )


def acting_policy(policy: ContextPolicy, budget: Budget) -> ContextPolicy:
    """Return the policy with its numbers as they act in that window, each with the share that limits it."""
    usable, made = budget.usable, fit_policy(policy, budget)
    return replace(
        made,
        reserve_tokens=budget.reserve,
        tail_most=min(made.tail_most, round(usable * min(made.tail_share, made.target))),
        protect_newest=min(made.protect_newest, round(budget.window * made.protect_share_of_window)),
        prune_least=min(made.prune_least, round(budget.window * made.prune_least_share_of_window)),
        keep_user_tokens=min(made.keep_user_tokens, round(usable * made.target * MAX_USER_SHARE)),
        unanswered_least=min(made.unanswered_least, round(usable * MAX_UNANSWERED_SHARE)),
        flush_distance=min(made.flush_distance, round(usable * made.flush_share)),
        memory_most=memory_room(made, budget),
        recall_unasked_share=made.recall_unasked_share if unasked_room(made, budget) else 0.0,
        recall_most=min(made.recall_most, round(usable * MAX_RECALL_SHARE)),
    )


def stream_grace(window: int) -> int:
    """Return the tokens that a reply which is to be stopped may still bring until the end of a line.

    A share of the window at the most, so that the stop stays where the policy puts it.
    """
    return min(STREAM_GRACE, max(round(MAX_GRACE_SHARE * window), 1))


def unasked_room(policy: ContextPolicy, budget: Budget) -> int:
    """Return the tokens that a recall may take which nobody asked for; 0 where there is too little room for one."""
    room = min(policy.recall_most, round(budget.usable * policy.recall_unasked_share))
    return room if room >= MIN_UNASKED_RECALL else 0


def fit_result_size(policy: ContextPolicy, usable: int) -> ContextPolicy:
    """Return the policy with the limits of one result fitted to a window of which `usable` tokens can be used."""
    if not policy.truncate_share or usable <= 0:  # any size, or a window that is not known yet
        return policy
    most = round(usable * policy.truncate_share) * BYTES_A_TOKEN
    return replace(policy, truncate_bytes=min(policy.truncate_bytes, most))


def _part(policy: ContextPolicy, share: float, budget: Budget) -> float:
    """Return that share of the policy as one of the usable window. It may be out of range.

    A request of t tokens is compared with its buffer: t + max(rest * (window - t), least) = share * window.
    """
    if policy.shares_of == "usable":
        return share
    rest = policy.buffer_share_of_rest
    tokens = min((share - rest) / (1 - rest) * budget.window, share * budget.window - policy.buffer_least)
    return tokens / budget.usable


def _between(least: float, share: float, most: float) -> float:
    return min(max(share, least), most)
