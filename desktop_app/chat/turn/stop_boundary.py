"""Where a reply that has to be stopped is best cut: at the end of a line, else of a word.

A model that goes on behind half a word begins the word anew as often as not, and whether a blank belongs between two
words cannot be seen afterwards.
"""

from __future__ import annotations

MAX_GRACE = 64
"""Tokens that may still come until the end of a line, and once more until the end of a word."""
GRACE_SHARE = 0.01
"""Of the window: that much at the most, so that the stop stays where the policy puts it."""


def find_stop_boundary(text: str, tokens: int, window: int) -> int | None:
    """Return where the newest text is to be cut, as an index behind the last character that stays; None: not yet.

    tokens: how many came since the stop was decided.
    """
    grace = min(MAX_GRACE, max(round(GRACE_SHARE * window), 1))
    if (index := text.find("\n")) >= 0:
        return len(text) - len(text[index:].lstrip("\n"))
    if tokens <= grace:
        return None
    if (index := text.find(" ")) >= 0:
        return index + 1
    return len(text) if tokens > 2 * grace else None
