"""P1: the same call made again later. The newest result stays; older ones say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from desktop_app.context.ledger.tool_names import has_failed
from desktop_app.context.policy import ContextPolicy

from .exchange import Change, Exchange, Shortening
from .placeholder import placeholder

WHY = "the same call was made again later; see its newest result"


def repeats(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Results whose call came again with the same arguments, unless only the older one succeeded."""
    keys = [_same(exchange) for exchange in exchanges]
    newest = {key: exchange for key, exchange in zip(keys, exchanges, strict=True) if key is not None}
    for key, exchange in zip(keys, exchanges, strict=True):
        if key is None or not exchange.is_result_free or (last := newest[key]) is exchange:
            continue
        if not has_failed(last.whole) or has_failed(exchange.whole):
            yield (Shortening(exchange.index, text=placeholder(WHY, exchange.whole)),)


def _same(exchange: Exchange) -> tuple[str, bytes] | None:
    """Equal for equal calls: the order of keys and the blanks between them do not count."""
    if exchange.call is None:
        return None
    try:
        if exchange.fields is not None:
            return exchange.name, msgspec.json.encode(exchange.fields, order="deterministic")
    except RecursionError:
        pass  # nested just so deep that reading it had worked
    return exchange.name, exchange.call.arguments.encode(errors="surrogatepass")
