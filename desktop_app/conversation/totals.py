"""What a conversation has cost so far: only what providers reported, and what their prices say of it."""

from __future__ import annotations

import msgspec

from .message import Usage


class UsageTotal(msgspec.Struct, frozen=True):
    """Tokens of requests that were reported. dollars: of those whose price is known; None: of none."""

    requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cached_tokens: int = 0
    cache_written_tokens: int = 0
    dollars: float | None = None

    def plus(self, usage: Usage | None) -> UsageTotal:
        """With the requests of that usage more; one that was not reported counts as a request only."""
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
    """Both together; dollars are known if they are of either."""
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
    """replies: for what was said. upkeep: for what Palimpsest asked of its own accord: summaries, what to remember,
    digests, titles, what is in images. tokens_freed: by all operations that hold, of the request at that time."""

    replies: UsageTotal = UsageTotal()
    upkeep: UsageTotal = UsageTotal()
    operations: int = 0
    tokens_freed: int = 0
