"""The limits of layer 1 for results that never passed them: those of an imported conversation, or of older limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncated

from .exchange import Change, Exchange, Shorter


def oversized(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Results over the limits of their tool, however young."""
    for exchange in exchanges:
        if exchange.is_result_free:
            cut = truncated(exchange.result.text, exchange.name, policy, is_spilled=False)
            if cut.spill is not None:
                yield (Shorter(exchange.index, text=cut.text),)
