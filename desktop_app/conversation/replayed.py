"""The figures of a conversation whose past was played again under some policy."""

from __future__ import annotations

import msgspec


class Replayed(msgspec.Struct, frozen=True):
    """What came of it so far. Tokens as they are counted here."""

    requests: int = 0
    tokens_sent: int = 0
    """Of all requests together."""
    tokens_cached: int = 0
    """Those of them that a request shares with the beginning of the one before, so that a cache has them."""
    tokens_replied: int = 0
    compactions: int = 0
    share_after: float = 0.0
    """Of what can be used, that the compactions left on average."""
    pruned: int = 0
    """Results and inputs that were shortened."""
    requests_too_large: int = 0
    """Those that did not fit, whatever was archived."""
    facts: int = 0
    """Found in what was archived."""
    facts_kept: int = 0
    """Those of them that the request still had, word for word or in the summary."""
    longest_seconds: float = 0.0
    """That one making of room took."""
