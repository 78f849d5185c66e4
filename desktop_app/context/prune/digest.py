"""P5: many old results become one digest. Providers want a result for each call, so that the newest of the digested
results holds the digest, and the others are a line that points to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.changed_files import command_of, files_of_call
from desktop_app.context.ledger.tool_names import has_failed
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.text_cuts import ends_of, head_of
from desktop_app.conversation.transcript import Prune

from .exchange import Change, Exchange, Shortening
from .placeholder import PREFIX, clip, error_line, first_line, placeholder

NAME = "digest"
WHY = "told of in the digest further on"
HEADING = PREFIX + "s, digested: "
MAX_KEY_ARGUMENT, MAX_FIRST_LINE = 60, 100
MIN_RESULT = 200
"""Characters of one result: a model is not shown less of it."""
STUB_TOKENS = 20
"""About what a line takes that points to the digest."""


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
        stubs = (Shortening(e.index, text=placeholder(WHY, e.whole)) for e in chosen[:-1])
        yield (*stubs, Shortening(chosen[-1].index, text=text))


def _enough(oldest: list[Exchange], need: int, policy: ContextPolicy) -> list[Exchange]:
    """Return the oldest of those results that free what is needed; a token is about three characters."""
    need += policy.digest_most // 3
    for number, exchange in enumerate(oldest, start=1):
        need -= exchange.tokens - STUB_TOKENS
        if need <= 0:
            return oldest[:number]
    return oldest


def digest_by_rule(results: Sequence[Exchange], policy: ContextPolicy) -> str:
    """Write the digest without a model, at most `digest_most` characters: failed results first, then the newest."""
    count = f"{len(results):,} result{'s' if len(results) > 1 else ''}"
    heading = f"{HEADING}{count} up to here; each is archived in full]"
    room = policy.digest_most - len(heading) - len(f"\n… and {len(results):,} more")
    lines: dict[int, str] = {}
    failed = [e for e in reversed(results) if has_failed(e.whole)]
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
    """Describe a result in a line: tool, key argument, size, and its first error line, or else its first line."""
    whole, key = exchange.whole, _key_argument(exchange)
    what = f"{exchange.name} {clip(' '.join(key[:200].split()), MAX_KEY_ARGUMENT)}".rstrip()
    line = error_line(whole) or first_line(whole.text, MAX_FIRST_LINE)
    return f"- {what}, {len(whole.text):,} characters: {clip(line, MAX_FIRST_LINE)}"


def _key_argument(exchange: Exchange) -> str:
    """Return the file of a call, or its command, or the first text among its arguments."""
    if exchange.call is None or not exchange.fields:
        return ""
    edited, read = files_of_call(exchange.call, exchange.fields)
    texts = (value for value in exchange.fields.values() if isinstance(value, str))
    return next(filter(None, (command_of(exchange.fields), *edited, *read, *texts)), "")


def digested_exchanges(exchanges: Sequence[Exchange], prune: Prune) -> list[Exchange]:
    """Return those whose digest that prune holds, of the exchanges of the view that it was planned for."""
    ids = {pruned.message_id for pruned in prune.results if pruned.strategy == NAME}
    return [exchange for exchange in exchanges if exchange.message.id in ids]


def digest_input(results: Sequence[Exchange], policy: ContextPolicy) -> str:
    """Return what a model is asked to digest, at most `digest_model_input` characters: a line and both ends of each.

    Results have equal shares. Where that would be too little for each, only the newest are among them.
    """
    shown = results[-max(policy.digest_model_input // MIN_RESULT, 1) :]
    share = policy.digest_model_input // max(len(shown), 1)
    return "".join(head_of(_for_model(exchange, share), share - 1) + "\n" for exchange in shown)


def _for_model(exchange: Exchange, share: int) -> str:
    line = describe_result(exchange)
    return f"{line}\n{ends_of(exchange.whole.text, max(share - len(line) - 2, 0))}"


def with_digest(prune: Prune, text: str, policy: ContextPolicy, counts: TokenCounts) -> Prune:
    """Return the prune with a model's digest instead of the rule's, at most `digest_model_most` characters long."""
    text = text.strip()
    for index, pruned in enumerate(prune.results):
        if pruned.strategy == NAME and pruned.text.startswith(HEADING) and text:
            heading = pruned.text.partition("\n")[0]
            digested = f"{heading}\n{head_of(text, policy.digest_model_most)}"
            more = counts.text(digested) - counts.text(pruned.text)
            results = (*prune.results[:index], replace(pruned, text=digested), *prune.results[index + 1 :])
            return replace(prune, results=results, tokens_after=prune.tokens_after + more)
    return prune
