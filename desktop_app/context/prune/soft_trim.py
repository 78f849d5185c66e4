"""P4: an old, long result keeps its beginning and its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.text_cuts import head_of, tail_of

from .exchange import Change, Exchange, Shortening

MAX_MARKER = 120
"""Characters that the marker takes at most: what is not longer than both ends and a marker is not worth it."""
SLACK = 0.1
"""The part of an end that is given up so that it is cut between two lines."""


def soft_trim(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Long results that are older than `soft_trim_age` assistant messages."""
    for exchange in exchanges:
        if exchange.is_result_free and exchange.age > policy.soft_trim_age:
            text = trim_middle(exchange.result.text, policy)
            if text is not None:
                yield (Shortening(exchange.index, text=text),)


def trim_middle(text: str, policy: ContextPolicy) -> str | None:
    """The text with a marker in its middle, or None if it is short enough."""
    kept = policy.soft_trim_head + policy.soft_trim_tail
    if len(text) <= max(policy.soft_trim_above, kept + MAX_MARKER):
        return None
    head = head_of(text, policy.soft_trim_head, round(policy.soft_trim_head * SLACK)).rstrip()
    tail = tail_of(text, policy.soft_trim_tail, round(policy.soft_trim_tail * SLACK)).lstrip("\n")
    left_out = len(text) - len(head) - len(tail)
    marker = f"[… {left_out:,} characters left out to save room; the full result is archived …]"
    return "\n\n".join(filter(None, (head, marker, tail)))
