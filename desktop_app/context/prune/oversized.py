"""The limits of layer 1 for results that never passed them: those of an imported conversation, or of older limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import limits_of, truncate_result

from .exchange import Change, Exchange, Shortening


def oversized(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Results over the limits of their tool, however young."""
    limits = {name: limits_of(name, policy) for name in {exchange.name for exchange in exchanges}}
    for exchange in exchanges:
        text = exchange.result.text
        if exchange.is_result_free and not limits[exchange.name].hold(text):
            cut = truncate_result(text, exchange.name, policy, is_spilled=False)
            yield (Shortening(exchange.index, text=cut.text),)
