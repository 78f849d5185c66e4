"""The prune strategies, from the mildest to the hardest (P1 to P6), and the plan of one prune.

A draft collects the changes to each exchange and counts the tokens that they free. The digest (P5) makes one text of
many old results. Providers require a result for each call, so the digest replaces the newest of the digested results,
and the others become a line that refers to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.changed_files import (
    RUNNING,
    Manner,
    command_of,
    fields_of,
    files_of_call,
    has_failed,
    touches,
)
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.text_cuts import ends_of, head_of, tail_of
from desktop_app.context.truncate import is_truncated, limits_of, truncate_result
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.transcript import Prune, PrunedInput, PrunedResult, Trigger

from .exchange import (
    PREFIX,
    Change,
    Exchange,
    Shortening,
    clip,
    error_line,
    exchanges_of,
    first_line,
    placeholder,
    shortened_arguments,
)

MAX_MODEL_DIGEST = 1_200
"""Characters of a digest that a model wrote (document 3)."""
MAX_DIGEST_INPUT = 12_000
"""Characters of old results that a model digests (document 3)."""


class PruneDraft:
    """Collects the changes that free tokens.

    A placeholder is counted at once. Shortened texts are counted by `settle`, since a harder strategy may still replace
    them; until then their tokens are estimated from their length.
    """

    def __init__(self, exchanges: list[Exchange], counts: TokenCounts) -> None:
        self.exchanges = exchanges
        self.freed = 0
        self._original = exchanges[:]
        self._counts = counts
        self._results: dict[int, str] = {}
        self._inputs: dict[tuple[str, int], tuple[str, str]] = {}
        self._uncounted: set[int] = set()

    def take(self, strategy: str, change: Change) -> None:
        """Accept the change, unless it would free nothing."""
        shortened = [self._shorten(shorter) for shorter in change]
        freed = sum(self.exchanges[exchange.index].tokens - exchange.tokens for exchange in shortened)
        freed += sum(map(self._freed_of_input, change))
        if freed <= 0:
            return
        self.freed += freed
        for shorter, exchange in zip(change, shortened, strict=True):
            self.exchanges[exchange.index] = exchange
            self._note(strategy, shorter, exchange)

    def settle(self) -> int:
        """Count each text as it will be sent, undo changes that free nothing, and return the freed tokens."""
        for index in sorted(self._uncounted):
            exchange, original = self.exchanges[index], self._original[index]
            tokens = self._tokens(exchange, exchange.result.text)
            exact = replace(exchange, tokens=tokens)
            if tokens >= original.tokens:
                exact = replace(exchange, result=original.result, tokens=original.tokens)
                del self._results[index]
            self.freed += exchange.tokens - exact.tokens
            self.exchanges[index] = exact
        self._uncounted.clear()
        return self.freed

    def recorded_changes(self, view: View) -> tuple[tuple[PrunedResult, ...], tuple[PrunedInput, ...]]:
        """Return the results and inputs to record, oldest first."""
        changed = ((self.exchanges[index], strategy) for index, strategy in sorted(self._results.items()))
        results = tuple(PrunedResult(e.message.id, strategy, e.result.text) for e, strategy in changed)
        asking = {message_id for message_id, _ in self._inputs}
        recorded = {e.id: e for e in view.entries if isinstance(e, Message) and e.id in asking}
        inputs = tuple(
            PrunedInput(message_id, _part_index(recorded[message_id], number), strategy, arguments)
            for (message_id, number), (strategy, arguments) in self._inputs.items()
        )
        return results, inputs

    def _shorten(self, shorter: Shortening) -> Exchange:
        exchange = self.exchanges[shorter.index]
        text = shorter.text
        if text is None:
            return exchange
        is_placeholder = text.startswith(PREFIX)
        estimated = round(exchange.tokens * len(text) / max(len(exchange.result.text), 1))
        return replace(
            exchange,
            result=replace(exchange.result, text=text),
            tokens=self._tokens(exchange, text) if is_placeholder else estimated,
            is_result_free=exchange.is_result_free and not is_placeholder,
        )

    def _freed_of_input(self, shorter: Shortening) -> int:
        call = self.exchanges[shorter.index].call
        if shorter.arguments is None or call is None:
            return 0
        return self._counts.text(call.arguments) - self._counts.text(shorter.arguments)

    def _tokens(self, exchange: Exchange, text: str) -> int:
        """Count the result's message with the text; without the call id, equal placeholders are counted only once."""
        result = ToolResult("", exchange.result.name, text)
        return self._counts.total(Message(role=Role.TOOL, speaker=exchange.message.speaker, parts=(result,)))

    def _note(self, strategy: str, shorter: Shortening, exchange: Exchange) -> None:
        if shorter.text is not None:
            self._results[exchange.index] = strategy
            self._uncounted.discard(exchange.index)
            if not shorter.text.startswith(PREFIX):
                self._uncounted.add(exchange.index)
        if shorter.arguments is not None and exchange.asked and exchange.call:
            call = replace(exchange.call, arguments=shorter.arguments)
            self.exchanges[exchange.index] = replace(exchange, call=call, fields=fields_of(call))
            self._inputs[exchange.asked] = strategy, shorter.arguments


def _part_index(message: Message, number: int) -> int:
    """Return the index among a message's parts of its call with the given number."""
    return [index for index, part in enumerate(message.parts) if isinstance(part, ToolCall)][number]


NAME = "digest"
WHY = "told of in the digest further on"
HEADING = PREFIX + "s, digested: "
MAX_KEY_ARGUMENT, MAX_FIRST_LINE = 60, 100
MIN_RESULT = 200
"""Minimum characters of a result in the digesting model's input."""
STUB_TOKENS = 20
"""Approximate tokens of a line that refers to the digest."""


def digest_oldest(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Propose one change: the oldest results, without the newest `digest_above`, as far as they are needed."""
    if policy.digest_by == "off":
        return
    visible = [exchange for exchange in exchanges if not exchange.result.text.startswith(PREFIX)]
    newest = visible[len(visible) - policy.digest_above :] if policy.digest_above else []
    begin = newest[0].index if newest else len(exchanges)
    oldest = [exchange for exchange in visible if exchange.is_result_free and exchange.index < begin]
    if len(visible) > policy.digest_above and (chosen := _enough(oldest, need, policy)):
        text = digest_by_rule(chosen, policy)
        stubs = (Shortening(e.index, text=placeholder(WHY, e.recorded)) for e in chosen[:-1])
        yield (*stubs, Shortening(chosen[-1].index, text=text))


def _enough(oldest: list[Exchange], need: int, policy: ContextPolicy) -> list[Exchange]:
    """Return the oldest results that together free the needed tokens; a token is about three characters."""
    need += policy.max_digest // 3
    for number, exchange in enumerate(oldest, start=1):
        need -= exchange.tokens - STUB_TOKENS
        if need <= 0:
            return oldest[:number]
    return oldest


def digest_by_rule(results: Sequence[Exchange], policy: ContextPolicy) -> str:
    """Write the digest without a model, at most `max_digest` characters: failed results first, then the newest."""
    count = f"{len(results):,} result{'s' if len(results) > 1 else ''}"
    heading = f"{HEADING}{count} up to here; each is archived in full]"
    room = policy.max_digest - len(heading) - len(f"\n… and {len(results):,} more")
    lines: dict[int, str] = {}
    failed = [e for e in reversed(results) if has_failed(e.recorded)]
    for exchange in (*failed, *reversed(results)):
        if exchange.index in lines:
            continue
        line = describe_result(exchange)
        room -= len(line) + 1
        if room < 0:
            break
        lines[exchange.index] = line
    more = [f"… and {len(results) - len(lines):,} more"] if len(lines) < len(results) else []
    return "\n".join([heading, *(lines[index] for index in sorted(lines)), *more])


def describe_result(exchange: Exchange) -> str:
    """Describe a result in a line: tool, key argument, size, and its first error line, otherwise its first line."""
    recorded, key = exchange.recorded, _key_argument(exchange)
    call = f"{exchange.name} {clip(' '.join(key[:200].split()), MAX_KEY_ARGUMENT)}".rstrip()
    line = error_line(recorded) or first_line(recorded.text, MAX_FIRST_LINE)
    return f"- {call}, {len(recorded.text):,} characters: {clip(line, MAX_FIRST_LINE)}"


def _key_argument(exchange: Exchange) -> str:
    """Return the file of a call, or its command, or the first text among its arguments."""
    if exchange.call is None or not exchange.fields:
        return ""
    edited, read = files_of_call(exchange.call, exchange.fields)
    texts = (value for value in exchange.fields.values() if isinstance(value, str))
    return next(filter(None, (command_of(exchange.fields), *edited, *read, *texts)), "")


def digested_exchanges(exchanges: Sequence[Exchange], prune: Prune) -> list[Exchange]:
    """Return the exchanges that the prune digests. exchanges: of the view for which it was planned."""
    ids = {pruned.message_id for pruned in prune.results if pruned.strategy == NAME}
    return [exchange for exchange in exchanges if exchange.message.id in ids]


def digest_input(results: Sequence[Exchange]) -> str:
    """Return a model's input for a digest, at most MAX_DIGEST_INPUT characters: a line and both ends of each result.

    Results have equal shares. If the shares would be too small, only the newest results are included.
    """
    included = results[-max(MAX_DIGEST_INPUT // MIN_RESULT, 1) :]
    share = MAX_DIGEST_INPUT // max(len(included), 1)
    return "".join(head_of(_for_model(exchange, share), share - 1) + "\n" for exchange in included)


def _for_model(exchange: Exchange, share: int) -> str:
    line = describe_result(exchange)
    return f"{line}\n{ends_of(exchange.recorded.text, max(share - len(line) - 2, 0))}"


def with_digest(prune: Prune, text: str, counts: TokenCounts) -> Prune:
    """Return the prune with a model's digest instead of the rule's, at most MAX_MODEL_DIGEST characters long."""
    text = text.strip()
    for index, pruned in enumerate(prune.results):
        if pruned.strategy == NAME and pruned.text.startswith(HEADING) and text:
            heading = pruned.text.partition("\n")[0]
            digested = f"{heading}\n{head_of(text, MAX_MODEL_DIGEST)}"
            more = counts.text(digested) - counts.text(pruned.text)
            results = (*prune.results[:index], replace(pruned, text=digested), *prune.results[index + 1 :])
            return replace(prune, results=results, tokens_after=prune.tokens_after + more)
    return prune


CALLED_AGAIN = "the same call was made again later; see its newest result"
READ_AGAIN = "this file was read again later"
CHANGED = "this file was changed later"
FAILED = "the call failed"
MAX_MARKER = 120
"""Maximum characters of the marker: a text that is no longer than both ends and a marker is not trimmed."""
SLACK = 0.1
"""The share of an end that is given up to cut it between two lines."""
MAX_ARGUMENTS = 120
"""Characters of a call's arguments that are quoted in the line of a cleared result."""

Strategy = Callable[[Sequence[Exchange], ContextPolicy, int], Iterator[Change]]
"""Proposes changes, oldest first, to exchanges in their present form; the number is the tokens still to be freed."""


def drop_repeats(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P1: drop results whose call was made again with the same arguments, unless only the older one succeeded."""
    keys = [_call_key(exchange) for exchange in exchanges]
    newest = {key: exchange for key, exchange in zip(keys, exchanges, strict=True) if key is not None}
    for key, exchange in zip(keys, exchanges, strict=True):
        if key is None or not exchange.is_result_free or (last := newest[key]) is exchange:
            continue
        if not has_failed(last.recorded) or has_failed(exchange.recorded):
            yield (Shortening(exchange.index, text=placeholder(CALLED_AGAIN, exchange.recorded)),)


def _call_key(exchange: Exchange) -> tuple[str, bytes] | None:
    """Return a key that equal calls share: the order of arguments and white space between them do not count."""
    if exchange.call is None:
        return None
    try:
        if exchange.fields is not None:
            return exchange.name, msgspec.json.encode(exchange.fields, order="deterministic")
    except RecursionError:
        pass  # nested too deeply to be encoded
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
                yield (Shortening(now, text=placeholder(READ_AGAIN if is_read_later else CHANGED, exchange.recorded)),)
        elif is_read_later and (arguments := _arguments_without_content(exchange)) is not None:
            yield (Shortening(now, arguments=arguments),)


def _arguments_without_content(exchange: Exchange) -> str | None:
    """Return the arguments of a change without the long ones; None for a command, which does more than write."""
    if not exchange.is_input_free or exchange.call is None or RUNNING.search(exchange.name):
        return None
    return shortened_arguments(exchange.fields, exchange.call.arguments, READ_AGAIN)


def _newest(
    exchanges: Sequence[Exchange], touched: list[list[tuple[str, Manner]]]
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the exchange index of the newest complete read, and of the newest change, of each file."""
    read: dict[str, int] = {}
    changed: dict[str, int] = {}
    often = Counter(path for files in touched for path, _ in files)
    for exchange in reversed(exchanges):
        for path, manner in touched[exchange.index]:
            newest = changed if manner == "change" else read
            if often[path] == 1 or path in newest or manner == "read part" or has_failed(exchange.recorded):
                continue
            if manner == "change" or not (is_truncated(exchange.recorded.text) or is_truncated(exchange.result.text)):
                newest[path] = exchange.index
    return read, changed


def drop_old_errors(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """P3: drop the long arguments of calls that failed before the last `old_error_turns` user messages."""
    for exchange in exchanges:
        call = exchange.call
        if call is None or not exchange.is_input_free or exchange.turns < policy.old_error_turns:
            continue
        arguments = shortened_arguments(exchange.fields, call.arguments, FAILED)
        if arguments is not None and has_failed(exchange.recorded):
            yield (Shortening(exchange.index, arguments=arguments),)


def truncate_oversized(exchanges: Sequence[Exchange], policy: ContextPolicy, need: int) -> Iterator[Change]:
    """Truncate results that exceed the limits of layer 1: imported ones, or results under older limits."""
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
    """Return the line that replaces a result. Its size is the recorded result's, in characters."""
    arguments = exchange.call.arguments if exchange.call and exchange.fields else ""
    call = f"{exchange.name} {clip(arguments, MAX_ARGUMENTS)}".rstrip()
    size = f"{len(exchange.recorded.text):,} characters"
    line = f"{PREFIX} cleared: {call} · {size} · archived in full: recall it, or run it again, if you need it]"
    error = error_line(exchange.recorded)
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
"""The strategies by their names in `ContextPolicy.prune_order`."""


def plan_prune(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    total: int,
    trigger: Trigger,
) -> Prune | None:
    """Return the prune that brings `total` tokens to the target or near it, or None if it would free too little (P8).

    Each saving is counted on the message as it will be sent, so `tokens_after` is the size of the assembled request.
    Raises ValueError if the policy's order names a strategy that does not exist.
    """
    if unknown := [name for name in policy.prune_order if name not in STRATEGIES]:
        raise ValueError(f"No prune strategy is called {unknown[0]!r}. There are: {', '.join(STRATEGIES)}.")
    need = min(total - round(budget.usable * policy.prune_target), policy.prune_enough)
    if need <= 0:
        return None
    draft = PruneDraft(exchanges_of(view, policy, budget, counts), counts)
    for name in policy.prune_order:
        for change in STRATEGIES[name](draft.exchanges[:], policy, need - draft.freed):
            if draft.freed >= need and draft.settle() >= need:  # estimates are replaced by counts first
                break
            draft.take(name, change)
    freed = draft.settle()
    least = min(policy.min_prune, round(budget.window * policy.prune_least_share_of_window))
    if freed <= 0 or freed < least:
        return None
    results, inputs = draft.recorded_changes(view)
    return Prune(trigger=trigger, results=results, inputs=inputs, tokens_before=total, tokens_after=total - freed)
