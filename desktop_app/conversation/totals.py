"""What a conversation has cost so far, as providers reported it."""

from __future__ import annotations

import msgspec

from .message import Usage


class UsageTotal(msgspec.Struct, frozen=True):
    """Tokens of requests that were reported."""

    requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cached_tokens: int = 0
    cache_written_tokens: int = 0
    dollars: float | None = None
    """Of those whose price is known; None: of none."""

    def plus(self, usage: Usage | None) -> UsageTotal:
        """Return the total with that usage; a request whose usage was not reported counts as a request only."""
        if usage is None:
            return msgspec.structs.replace(self, requests=self.requests + 1)
        dollars = self.dollars if usage.dollars is None else (self.dollars or 0.0) + usage.dollars
        return UsageTotal(
            self.requests + usage.requests,
            self.prompt_tokens + usage.prompt_tokens,
            self.reply_tokens + usage.reply_tokens,
            self.cached_tokens + usage.cached_tokens,
            self.cache_written_tokens + usage.cache_written_tokens,
            dollars,
        )


def add_usage(one: Usage | None, other: Usage | None) -> Usage | None:
    """Return both together; dollars are known if they are of either."""
    if one is None or other is None:
        return one or other
    dollars = [usage.dollars for usage in (one, other) if usage.dollars is not None]
    return Usage(
        one.prompt_tokens + other.prompt_tokens,
        one.reply_tokens + other.reply_tokens,
        one.cached_tokens + other.cached_tokens,
        one.cache_written_tokens + other.cache_written_tokens,
        sum(dollars) if dollars else None,
        one.requests + other.requests,
    )


class Totals(msgspec.Struct, frozen=True):
    """What a conversation has cost, and what was freed in it."""

    replies: UsageTotal = UsageTotal()
    """For what was said."""
    upkeep: UsageTotal = UsageTotal()
    """For what Palimpsest asked of its own accord: summaries, memories, digests, titles, what is in images."""
    operations: int = 0
    tokens_freed: int = 0
    """By all operations that hold, of the request at that time."""
