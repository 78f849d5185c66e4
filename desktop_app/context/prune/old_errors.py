"""P3: of a call that failed long ago the long arguments are dropped. Its error stays, since it was learned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.context.ledger.tool_names import has_failed
from desktop_app.context.policy import ContextPolicy

from .exchange import Change, Exchange, Shortening
from .placeholder import shortened_arguments

WHY = "the call failed"


def old_errors(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Inputs of failed calls before the last `old_error_turns` user messages."""
    for exchange in exchanges:
        call = exchange.call
        if call is None or not exchange.is_input_free or exchange.turns < policy.old_error_turns:
            continue
        arguments = shortened_arguments(exchange.fields, call.arguments, WHY)
        if arguments is not None and has_failed(exchange.whole):
            yield (Shortening(exchange.index, arguments=arguments),)
