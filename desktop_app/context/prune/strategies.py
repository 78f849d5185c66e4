"""The prune strategies by name, from the mildest to the hardest (P1 to P6). The digest has a file of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from desktop_app.context.ledger.changed_files import RUNNING
from desktop_app.context.ledger.tool_names import Manner, has_failed, touches
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.text_cuts import head_of, tail_of
from desktop_app.context.truncate import is_truncated, limits_of, truncate_result

from .digest import digest_oldest
from .exchange import Change, Exchange, Shortening
from .placeholder import PREFIX, clip, error_line, placeholder, shortened_arguments

CALLED_AGAIN = "the same call was made again later; see its newest result"
READ_AGAIN = "this file was read again later"
CHANGED = "this file was changed later"
FAILED = "the call failed"
MAX_MARKER = 120
"""Characters of the marker: a text that is not longer than both ends and a marker is not trimmed."""
SLACK = 0.1
"""The part of an end that is given up so that it is cut between two lines."""
MAX_ARGUMENTS = 120
"""Characters of a call's arguments that stay beside a cleared result."""

Strategy = Callable[[Sequence[Exchange], ContextPolicy, int], Iterator[Change]]
"""Proposes changes, oldest first, to exchanges as they are by now; the number is how many tokens are still too many."""


def drop_repeats(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P1: drop results whose call was made again with the same arguments, unless only the older one succeeded."""
    keys = [_call_key(exchange) for exchange in exchanges]
    newest = {key: exchange for key, exchange in zip(keys, exchanges, strict=True) if key is not None}
    for key, exchange in zip(keys, exchanges, strict=True):
        if key is None or not exchange.is_result_free or (last := newest[key]) is exchange:
            continue
        if not has_failed(last.whole) or has_failed(exchange.whole):
            yield (Shortening(exchange.index, text=placeholder(CALLED_AGAIN, exchange.whole)),)


def _call_key(exchange: Exchange) -> tuple[str, bytes] | None:
    """Return a key that equal calls share: the order of arguments and white space between them do not count."""
    if exchange.call is None:
        return None
    try:
        if exchange.fields is not None:
            return exchange.name, msgspec.json.encode(exchange.fields, order="deterministic")
    except RecursionError:
        pass  # nested just so deep that it could be read
    return exchange.name, exchange.call.arguments.encode(errors="surrogatepass")


def drop_superseded(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P2: drop reads of files that were read or changed later, and the long arguments of changes that were read later.

    A failed call supersedes nothing, and neither does a read of a part, or one whose result was truncated.
    """
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
        elif is_read_later and (arguments := _arguments_without_content(exchange)) is not None:
            yield (Shortening(now, arguments=arguments),)


def _arguments_without_content(exchange: Exchange) -> str | None:
    """Return the arguments of a change without its long ones. A command is more than what it writes: it stays."""
    if not exchange.is_input_free or exchange.call is None or RUNNING.search(exchange.name):
        return None
    return shortened_arguments(exchange.fields, exchange.call.arguments, READ_AGAIN)


def _newest(
    exchanges: Sequence[Exchange], touched: list[list[tuple[str, Manner]]]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the newest whole read and the newest change of each file, by the exchange's index."""
    read: dict[str, int] = {}
    changed: dict[str, int] = {}
    often = Counter(path for files in touched for path, _ in files)
    for exchange in reversed(exchanges):
        for path, manner in touched[exchange.index]:
            newest = changed if manner == "change" else read
            if often[path] == 1 or path in newest or manner == "read part" or has_failed(exchange.whole):
                continue
            if manner == "change" or not (is_truncated(exchange.whole.text) or is_truncated(exchange.result.text)):
                newest[path] = exchange.index
    return read, changed


def drop_old_errors(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P3: drop the long arguments of calls that failed before the last `old_error_turns` user messages."""
    for exchange in exchanges:
        call = exchange.call
        if call is None or not exchange.is_input_free or exchange.turns < policy.old_error_turns:
            continue
        arguments = shortened_arguments(exchange.fields, call.arguments, FAILED)
        if arguments is not None and has_failed(exchange.whole):
            yield (Shortening(exchange.index, arguments=arguments),)


def truncate_oversized(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Truncate results that never passed the limits of layer 1: imported ones, or those of older limits."""
    limits = {name: limits_of(name, policy) for name in {exchange.name for exchange in exchanges}}
    for exchange in exchanges:
        text = exchange.result.text
        if exchange.is_result_free and not limits[exchange.name].hold(text):
            cut = truncate_result(text, exchange.name, policy, is_spilled=False)
            yield (Shortening(exchange.index, text=cut.text),)


def trim_old(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P4: keep the beginning and the end of long results older than `soft_trim_age` assistant messages."""
    for exchange in exchanges:
        if exchange.is_result_free and exchange.age > policy.soft_trim_age:
            text = trim_middle(exchange.result.text, policy)
            if text is not None:
                yield (Shortening(exchange.index, text=text),)


def trim_middle(text: str, policy: ContextPolicy) -> str | None:
    """Return the text with a marker in its middle, or None if it is short enough."""
    kept = policy.soft_trim_head + policy.soft_trim_tail
    if len(text) <= max(policy.soft_trim_above, kept + MAX_MARKER):
        return None
    head = head_of(text, policy.soft_trim_head, round(policy.soft_trim_head * SLACK)).rstrip()
    tail = tail_of(text, policy.soft_trim_tail, round(policy.soft_trim_tail * SLACK)).lstrip("\n")
    left_out = len(text) - len(head) - len(tail)
    marker = f"[… {left_out:,} characters left out to save room; the full result is archived …]"
    return "\n\n".join(filter(None, (head, marker, tail)))


def clear_old(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P6: replace results older than `hard_clear_age` assistant messages by a line with their first error."""
    for exchange in exchanges:
        if exchange.is_result_free and exchange.age > policy.hard_clear_age:
            yield (Shortening(exchange.index, text=cleared_line(exchange)),)


def cleared_line(exchange: Exchange) -> str:
    """Return the line that replaces a result. Sizes are those of the recorded result, in characters."""
    arguments = exchange.call.arguments if exchange.call and exchange.fields else ""
    what = f"{exchange.name} {clip(arguments, MAX_ARGUMENTS)}".rstrip()
    size = f"{len(exchange.whole.text):,} characters"
    line = f"{PREFIX} cleared: {what} · {size} · archived in full: recall it, or run it again, if you need it]"
    error = error_line(exchange.whole)
    return f"{line}\n{error}" if error else line


STRATEGIES: dict[str, Strategy] = {
    "repeats": drop_repeats,
    "superseded": drop_superseded,
    "old_errors": drop_old_errors,
    "truncate": truncate_oversized,
    "soft_trim": trim_old,
    "digest": digest_oldest,
    "hard_clear": clear_old,
}
"""As `ContextPolicy.prune_order` names them."""
