"""P2: what a later call made stale: a read of a file that was read or changed later, a change whose file was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.tools_named import Manner, has_failed, touches
from desktop_app.context.truncate import is_truncated

from .exchange import Change, Exchange, Shorter
from .placeholder import placeholder, shortened_arguments

READ_AGAIN = "this file was read again later"
CHANGED = "this file was changed later"


def superseded(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Old reads become a line; of old changes the long arguments do. A failed call supersedes nothing, and neither does
    a read of a part, or one whose result was cut."""
    touched = [touches(e.name, e.fields) if e.fields else [] for e in exchanges]
    last_read, last_change = _newest(exchanges, touched)
    for exchange, files in zip(exchanges, touched, strict=True):
        if not files:
            continue
        is_read_later = all(last_read.get(path, -1) > exchange.index for path, _ in files)
        if files[0][1] == "change":
            if is_read_later and exchange.is_input_free and exchange.call:
                shorter = shortened_arguments(exchange.fields, exchange.call.arguments, READ_AGAIN)
                if shorter is not None:
                    yield (Shorter(exchange.index, arguments=shorter),)
        elif exchange.is_result_free:
            is_changed_later = last_change.get(files[0][0], -1) > exchange.index
            if is_read_later or is_changed_later:
                why = READ_AGAIN if is_read_later else CHANGED
                yield (Shorter(exchange.index, text=placeholder(why, exchange.whole)),)


def _newest(
    exchanges: Sequence[Exchange], touched: list[list[tuple[str, Manner]]]
) -> tuple[dict[str, int], dict[str, int]]:
    """The newest whole read and the newest change of each file, by the exchange's index."""
    read: dict[str, int] = {}
    changed: dict[str, int] = {}
    often = Counter(path for files in touched for path, _ in files)
    for exchange in reversed(exchanges):
        for path, manner in touched[exchange.index]:
            newest = changed if manner == "change" else read
            if often[path] == 1 or path in newest or manner == "read part" or has_failed(exchange.whole):
                continue
            if manner == "change" or not is_truncated(exchange.whole.text):
                newest[path] = exchange.index
    return read, changed
