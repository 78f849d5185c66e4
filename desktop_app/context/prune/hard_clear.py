"""P6: a very old result becomes one line that names what it was, and its first error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.policy import ContextPolicy

from .exchange import Change, Exchange, Shorter
from .placeholder import PREFIX, clipped, error_line

ARGUMENTS_MOST = 120


def hard_clear(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Results that are older than `hard_clear_age` assistant messages."""
    for exchange in exchanges:
        if exchange.is_result_free and exchange.age > policy.hard_clear_age:
            yield (Shorter(exchange.index, text=cleared(exchange)),)


def cleared(exchange: Exchange) -> str:
    """The line in the result's place. Sizes are those of the recorded result, in characters."""
    arguments = exchange.call.arguments if exchange.call and exchange.fields else ""
    what = f"{exchange.name} {clipped(arguments, ARGUMENTS_MOST)}".rstrip()
    size = f"{len(exchange.whole.text):,} characters"
    line = f"{PREFIX} cleared: {what} · {size} · archived in full: recall it, or run it again, if you need it]"
    error = error_line(exchange.whole)
    return f"{line}\n{error}" if error else line
