"""Fits a policy to a window: its shares become shares of the usable window, in their order however small it is."""

from __future__ import annotations

from msgspec.structs import replace

from .memory.memories import memory_room
from .policy import Budget, ContextPolicy

BYTES_A_TOKEN = 3
"""Of code and logs; prose has four."""
LIMITED_BY = {
    "reserve_share_of_window": "reserve_tokens",
    "truncate_share": "truncate_bytes",
    "protect_share_of_window": "protect_newest",
    "prune_least_share_of_window": "prune_least",
    "tail_share": "tail_most",
    "keep_user_share": "keep_user_tokens",
    "stream_grace_share": "stream_grace",
    "unanswered_share": "unanswered_least",
    "flush_share": "flush_distance",
    "memory_share": "memory_most",
    "recall_share": "recall_most",
}
"""Shares, and the numbers that they limit."""
OF_USABLE = (
    *("due_least", "background_at", "prune_at", "compact_at", "blocked_at", "prune_target", "target"),
    *("tail_share_least", "summary_kept_share", "recall_unasked_share", "research_share", "research_answer_share"),
)
OF_WINDOW = ("stream_stop_at", "stream_abort_at", "stream_rest", "summary_reply_share", "flush_reply_share")
OF_SUMMARY = ("summary_asked_share", "summary_facts_share")


def fit_policy(policy: ContextPolicy, budget: Budget) -> ContextPolicy:
    """Return the policy with its shares made shares of that budget's usable window.

    What one result may take is fitted, too. Fitting a policy again changes nothing.
    """
    if budget.usable <= 0:
        return policy
    least = policy.due_least
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
        keep_user_tokens=min(made.keep_user_tokens, round(usable * made.target * made.keep_user_share)),
        unanswered_least=min(made.unanswered_least, round(usable * made.unanswered_share)),
        flush_distance=min(made.flush_distance, round(usable * made.flush_share)),
        memory_most=memory_room(made, budget),
        recall_unasked_share=made.recall_unasked_share if unasked_room(made, budget) else 0.0,
        recall_most=min(made.recall_most, round(usable * made.recall_share)),
        stream_grace=stream_grace(made, budget.window),
    )


def share_in_tokens(field: str, acting: ContextPolicy, budget: Budget) -> int | None:
    """Return the tokens of that share in that window (for a reply of another model, as if it were the chat's).

    None for what is no share of tokens, and for a share that limits another number. acting: from `acting_policy`.
    """
    share = getattr(acting, field)
    if field in OF_USABLE:
        return round(share * budget.usable)
    if field in OF_WINDOW:
        return round(share * budget.window)
    return round(share * acting.summary_most) if field in OF_SUMMARY else None


def stream_grace(policy: ContextPolicy, window: int) -> int:
    """Return the tokens that a reply which is to be stopped may still bring until the end of a line.

    A share of the window at the most, so that the stop stays where the policy puts it.
    """
    return min(policy.stream_grace, max(round(policy.stream_grace_share * window), 1))


def unasked_room(policy: ContextPolicy, budget: Budget) -> int:
    """Return the tokens that a recall may take which nobody asked for; 0 where there is too little room for one."""
    room = min(policy.recall_most, round(budget.usable * policy.recall_unasked_share))
    return room if room >= policy.recall_unasked_least else 0


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
