"""Fit a policy to a window: its shares become ordered shares of the usable window, even of a small one."""

from __future__ import annotations

from msgspec.structs import replace

from .memory.memories import memory_room
from .policy import Budget, ContextPolicy

MIN_DUE_SHARE = 0.30
"""Share of the usable window below which no step is due, even in a small window."""
MAX_USER_SHARE = 0.25
"""Share of the target for the user's messages that stay verbatim."""
STREAM_GRACE = 64
"""Tokens that a stopped reply may still add up to the end of a line, then as many up to the end of a word."""
MAX_GRACE_SHARE = 0.01
"""Share of the entire window for these tokens, so that the reply stops about where the policy says."""
MAX_UNANSWERED_SHARE = 0.015
"""Share of the usable window for the rest of each shortened unanswered result: forty parallel results still fit into
a window of 8,192."""
MAX_RECALL_SHARE = 0.25
"""Share of the usable window for a recall by the model."""
MIN_UNASKED_RECALL = 500
"""Tokens; fewer, as in windows below about 32,000, are not worth a longer request."""

BYTES_A_TOKEN = 3
"""Bytes per token of code and logs; prose has four."""


def fit_policy(policy: ContextPolicy, budget: Budget) -> ContextPolicy:
    """Return the policy with its shares converted to shares of the budget's usable window.

    The share from which a request is refused remains a share of the budget's limit. The limits of a result are also
    fitted. Fitting a policy again changes nothing.
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
            max(policy.target * scale, policy.min_target / budget.usable), policy.target_share_of_due * background
        ),
        shares_of="usable",
        buffer_share_of_rest=0.0,
        min_buffer=0,
    )


def acting_policy(policy: ContextPolicy, budget: Budget) -> ContextPolicy:
    """Return the policy with its effective numbers in the window, each limited by its share."""
    usable, fitted = budget.usable, fit_policy(policy, budget)
    return replace(
        fitted,
        reserve_tokens=budget.reserve,
        max_tail=min(fitted.max_tail, round(usable * min(fitted.tail_share, fitted.target))),
        protect_newest=min(fitted.protect_newest, round(budget.window * fitted.protect_share_of_window)),
        min_prune=min(fitted.min_prune, round(budget.window * fitted.prune_least_share_of_window)),
        keep_user_tokens=min(fitted.keep_user_tokens, round(usable * fitted.target * MAX_USER_SHARE)),
        min_unanswered=min(fitted.min_unanswered, round(usable * MAX_UNANSWERED_SHARE)),
        flush_distance=min(fitted.flush_distance, round(usable * fitted.flush_share)),
        max_memory=memory_room(fitted, budget),
        recall_unasked_share=fitted.recall_unasked_share if unasked_room(fitted, budget) else 0.0,
        max_recall=min(fitted.max_recall, round(usable * MAX_RECALL_SHARE)),
    )


def stream_grace(window: int) -> int:
    """Return the tokens that a reply to be stopped may still add up to the end of a line.

    They are at most a share of the window, so that the reply stops about where the policy says.
    """
    return min(STREAM_GRACE, max(round(MAX_GRACE_SHARE * window), 1))


def unasked_room(policy: ContextPolicy, budget: Budget) -> int:
    """Return the maximum tokens of an automatic recall; 0 if they would be too few for one."""
    room = min(policy.max_recall, round(budget.usable * policy.recall_unasked_share))
    return room if room >= MIN_UNASKED_RECALL else 0


def fit_result_size(policy: ContextPolicy, usable: int) -> ContextPolicy:
    """Return the policy with the limits of a result fitted to a window with `usable` tokens."""
    if not policy.truncate_share or usable <= 0:  # any size, or an unknown window
        return policy
    most = round(usable * policy.truncate_share) * BYTES_A_TOKEN
    return replace(policy, truncate_bytes=min(policy.truncate_bytes, most))


def _part(policy: ContextPolicy, share: float, budget: Budget) -> float:
    """Return a share of the policy as a share of the usable window. It may be out of range.

    A request of t tokens is compared with its buffer: t + max(rest * (window - t), least) = share * window.
    """
    if policy.shares_of == "usable":
        return share
    rest = policy.buffer_share_of_rest
    tokens = min((share - rest) / (1 - rest) * budget.window, share * budget.window - policy.min_buffer)
    return tokens / budget.usable


def _between(least: float, share: float, most: float) -> float:
    return min(max(share, least), most)
