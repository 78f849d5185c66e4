"""P2: what a later call made stale: a read of a file that was read or changed later, a change whose file was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from desktop_app.context.ledger.changed_files import RUNNING
from desktop_app.context.ledger.tool_names import Manner, has_failed, touches
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import is_truncated

from .exchange import Change, Exchange, Shortening
from .placeholder import placeholder, shortened_arguments

READ_AGAIN = "this file was read again later"
CHANGED = "this file was changed later"


def superseded(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Old reads become a line; of old changes the long arguments do. A failed call supersedes nothing, and neither does
    a read of a part, or one whose result was cut."""
    touched = [touches(e.call, e.fields) if e.call and e.fields else [] for e in exchanges]
    last_read, last_change = _newest(exchanges, touched)
    for exchange, files in zip(exchanges, touched, strict=True):
        now = exchange.index
        is_read_later = all(last_read.get(path, -1) > now for path, _ in files)
        is_touched_later = all(max(last_read.get(path, -1), last_change.get(path, -1)) > now for path, _ in files)
        if not files or not is_touched_later:
            continue
        if files[0][1] != "change":
            if exchange.is_result_free:
                yield (Shortening(now, text=placeholder(READ_AGAIN if is_read_later else CHANGED, exchange.whole)),)
        elif is_read_later and (arguments := _without_what_was_written(exchange)) is not None:
            yield (Shortening(now, arguments=arguments),)


def _without_what_was_written(exchange: Exchange) -> str | None:
    """The arguments of a change with its long ones left out. A command is more than what it writes: it stays."""
    if not exchange.is_input_free or exchange.call is None or RUNNING.search(exchange.name):
        return None
    return shortened_arguments(exchange.fields, exchange.call.arguments, READ_AGAIN)


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
