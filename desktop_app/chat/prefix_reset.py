"""The price of a change that alters the beginning of the next request, while its provider has much of it cached."""

from __future__ import annotations

import time

from desktop_app.conversation.listing import CacheReset
from desktop_app.conversation.message import Usage

from .ports import Price
from .request_counter import RequestCounter


def reset_of(
    counter: RequestCounter, price: Price | None, price_after: Price | None, total_after: int | None = None
) -> CacheReset | None:
    """Return what the change costs; None if the cache is cold, or too small for a warning by the policy.

    price, price_after: of the model before and after the change. total_after: tokens of the next request after it; None
    for as many as before.
    """
    prefix, least = counter.cached_prefix(), counter.policy.warn_cached
    if prefix is None or not least or prefix.tokens < least:
        return None
    total = counter.gauge().total
    cached = min(prefix.tokens, total)
    until = 0.0 if prefix.seconds_left is None else time.time() + prefix.seconds_left
    after = total if total_after is None else total_after
    return CacheReset(cached, until, _dollars(price, total, cached), _dollars(price_after, after, 0))


def _dollars(price: Price | None, prompt: int, cached: int) -> float | None:
    """Return the cost of a prompt whose uncached part is written into the cache."""
    return None if price is None else price.of(Usage(prompt, 0, cached, prompt - cached))
