"""What tokens cost."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Usage


class Price(msgspec.Struct, frozen=True):
    """What a model costs, in US dollars for each token. None: cached tokens cost what others cost."""

    prompt: float
    reply: float
    cached: float | None = None
    cache_written: float | None = None

    def of(self, usage: Usage) -> float:
        """Return what a request with that usage costs, in US dollars."""
        cached = self.prompt if self.cached is None else self.cached
        written = self.prompt if self.cache_written is None else self.cache_written
        plain = usage.prompt_tokens - usage.cached_tokens - usage.cache_written_tokens
        prompt = plain * self.prompt + usage.cached_tokens * cached + usage.cache_written_tokens * written
        return prompt + usage.reply_tokens * self.reply


def with_price(usage: Usage | None, price: Price | None) -> Usage | None:
    """Return the usage with what it cost: as the provider said, else by the price list, if the model is in it."""
    if usage is None or usage.dollars is not None or price is None:
        return usage
    return replace(usage, dollars=price.of(usage))
