"""P6: a very old result becomes one line that names what it was, and its first error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.policy import ContextPolicy

from .exchange import Change, Exchange, Shortening
from .placeholder import PREFIX, clip, error_line

MAX_ARGUMENTS = 120


def hard_clear(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Results that are older than `hard_clear_age` assistant messages."""
    for exchange in exchanges:
        if exchange.is_result_free and exchange.age > policy.hard_clear_age:
            yield (Shortening(exchange.index, text=cleared_line(exchange)),)


def cleared_line(exchange: Exchange) -> str:
    """The line in the result's place. Sizes are those of the recorded result, in characters."""
    arguments = exchange.call.arguments if exchange.call and exchange.fields else ""
    what = f"{exchange.name} {clip(arguments, MAX_ARGUMENTS)}".rstrip()
    size = f"{len(exchange.whole.text):,} characters"
    line = f"{PREFIX} cleared: {what} · {size} · archived in full: recall it, or run it again, if you need it]"
    error = error_line(exchange.whole)
    return f"{line}\n{error}" if error else line
