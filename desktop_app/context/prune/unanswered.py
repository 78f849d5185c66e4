"""Shorten unanswered results together if they do not fit, the largest first.

Older results are cleared first. Then all get a common ceiling, to which longer ones are shortened; both ends stay,
with a notice by which the rest can be read. No result gets less than the policy's floor. If that is not enough, the
reply that the model is asked to continue is shortened to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import MAX_UNANSWERED_SHARE
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.truncate import shorten_result, spill_named_in
from desktop_app.context.view.view import View, view_of, with_entries
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import Prune, PrunedResult, Transcript, Trigger

from .cut_reply import shorten_cut_reply
from .exchange import PREFIX, Exchange, Shortening, exchanges_of
from .strategies import PruneDraft, cleared_line

SHED, SHORTENED = "shed", "unanswered"
"""Recorded strategies of clearing older results, and of shortening unanswered ones."""
DRAFT = "draft"
"""Id of a prune that is not recorded yet."""
ALL = 1.0
"""The share at which all answered results are dropped, except pinned ones and protected tools."""
NOTHING_PROTECTED = Budget(0, 0)
"""Disables the rule by which pruning spares the newest results."""
MIN_FILLED = 0.85
"""Minimum share of the ceiling for a shortened result, whose ends are cut at line ends."""
MIN_BESIDE_NOTICE = 0.5
"""Share of the notice that names the spill; with less space next to it, a shorter notice refers to the archive."""
SAMPLE = 4_000
"""Characters of a text that are counted to estimate its characters per token."""
MAX_TRIES = 8
"""Maximum counts of a text until it fits the ceiling."""


def plan_shortening(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    total: int,
    need: int,
    trigger: Trigger,
    older: Collection[str],
) -> Prune | None:
    """Return the prune that frees `need` of `total` tokens in the results, as far as the floor allows; None if nothing.

    The rest is freed in the reply that the model is asked to continue, if there is one; not while it is being written,
    since a reply that fills the window by itself must end.

    older: ids of answered results that cannot be archived, which are cleared first.
    """
    draft = PruneDraft(exchanges_of(view, _spared(policy), NOTHING_PROTECTED, counts), counts)
    for exchange in _clearable(draft.exchanges):
        if draft.settle() < need and exchange.message.id in older:
            draft.take(SHED, (Shortening(exchange.index, text=cleared_line(exchange)),))
    _shorten(draft, policy, budget, counts, need - draft.freed)
    prune = _prune_of(draft, view, total, trigger)
    if trigger is Trigger.STREAMING:
        return prune
    freed = prune.tokens_before - prune.tokens_after if prune else 0
    reply = shorten_cut_reply(view, counts, need - freed, floor_of(policy, budget))
    return _with_reply(view, counts, total, trigger, prune, reply) if reply else prune


def _with_reply(
    view: View,
    counts: TokenCounts,
    total: int,
    trigger: Trigger,
    prune: Prune | None,
    reply: tuple[PrunedResult, ...],
) -> Prune | None:
    """Return the prune that also shortens the reply, counted in the view after it; None if it frees nothing."""
    prune = prune or Prune(trigger=trigger, tokens_before=total, tokens_after=total)
    both = replace(prune, results=(*prune.results, *reply))
    after = view_of(with_entries(Transcript(view.entries), replace(both, id=DRAFT)))
    freed = request_tokens(view, counts) - request_tokens(after, counts)
    return replace(both, tokens_after=total - freed) if freed > 0 else None


def drop_results(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts, share: float) -> Prune | None:
    """Return the prune that drops a share (0 to 1) of the tokens of all tool results, or None if nothing can go.

    Answered results go first, large and old ones before others; each leaves a line with its first error. Unanswered
    ones are then shortened as far as the share requires, and never below the floor. Pinned results, answered results of
    protected tools, and all calls stay at any share.
    """
    draft = PruneDraft(exchanges_of(view, _spared(policy), NOTHING_PROTECTED, counts), counts)
    left = share * sum(exchange.tokens for exchange in draft.exchanges)
    for exchange in _clearable(draft.exchanges):
        if left <= 0 and share < ALL:
            break
        freed = draft.freed
        draft.take(SHED, (Shortening(exchange.index, text=cleared_line(exchange)),))
        left -= exchange.tokens if draft.freed > freed else 0
    _shorten(draft, policy, budget, counts, round(left))
    return _prune_of(draft, view, request_tokens(view, counts), Trigger.OVERFLOW)


def _spared(policy: ContextPolicy) -> ContextPolicy:
    return replace(policy, protect_newest=0, protect_user_turns=0)


def _clearable(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Return the answered results that may be cleared, in the order of clearing."""
    free = [exchange for exchange in exchanges if exchange.is_result_free]
    return sorted(free, key=lambda exchange: (-exchange.tokens * (exchange.age + 1), exchange.index))


def _prune_of(draft: PruneDraft, view: View, total: int, trigger: Trigger) -> Prune | None:
    freed = draft.settle()
    if freed <= 0:
        return None
    results, _ = draft.recorded_changes(view)
    return Prune(trigger=trigger, results=results, tokens_before=total, tokens_after=total - freed)


def shortenable(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Return the unanswered results that may be shortened.

    Pinned ones, which are sent verbatim, and results that an earlier prune replaced by a line are not among them.
    """
    return [e for e in exchanges if e.is_unanswered and not e.is_pinned and not _is_placeholder(e)]


def _is_placeholder(exchange: Exchange) -> bool:
    return exchange.result is not exchange.recorded and exchange.result.text.startswith(PREFIX)


def _shorten(draft: PruneDraft, policy: ContextPolicy, budget: Budget, counts: TokenCounts, need: int) -> None:
    """Shorten the draft's unanswered results to the ceiling at which `need` tokens are freed."""
    waiting = shortenable(draft.exchanges)
    if need <= 0 or not waiting:
        return
    frame = counts.tokenizer.overhead.around(Role.TOOL)
    least = round(floor_of(policy, budget) / MIN_FILLED) + 1 + frame
    ceiling = max(common_ceiling([e.tokens for e in waiting], sum(e.tokens for e in waiting) - need), least)
    for exchange in waiting:
        if exchange.tokens > ceiling:
            text = fit_result(exchange.recorded.text, ceiling - frame, counts.text)
            draft.take(SHORTENED, (Shortening(exchange.index, text=text),))


def floor_of(policy: ContextPolicy, budget: Budget) -> int:
    """Return the minimum tokens of an unanswered result in every request, unless it is shorter."""
    return min(policy.min_unanswered, round(budget.usable * MAX_UNANSWERED_SHARE))


def common_ceiling(sizes: Collection[int], room: int) -> int:
    """Return the maximum size of each at which all of them together take at most `room`."""
    left = max(room, 0)
    for number, size in enumerate(sorted(sizes)):
        others = len(sizes) - number
        if size * others > left:
            return left // others
        left -= size
    return max(sizes, default=0)


def fit_result(text: str, most: int, count: Callable[[str], int], is_kept: bool = True) -> str:
    """Return both ends of a result, with the notice, in at most `most` tokens and not much less.

    Only the notice if no more fits. is_kept: whether there will be a spill.
    """
    is_spilled = is_kept and count(shorten_result(text, 0).text) * (1 + MIN_BESIDE_NOTICE) <= most
    best, shortest, longest = shorten_result(text, 0, is_spilled).text, 0, len(text)
    sample = text[:SAMPLE]
    tried = min(round(most * len(sample) / max(count(sample), 1)), longest)
    for _ in range(MAX_TRIES):
        shorter = shorten_result(text, tried, is_spilled).text
        tokens = count(shorter)
        if tokens <= most:
            best, shortest = shorter, tried
        else:
            longest = tried
        if round(most * MIN_FILLED) <= tokens <= most or longest - shortest <= 1:
            break
        guess = round(tried * most * (1 + MIN_FILLED) / 2 / max(tokens, 1))
        tried = guess if shortest < guess < longest else (shortest + longest) // 2
    return best


def join_prunes(first: Prune, second: Prune) -> Prune:
    """Return both prunes as one. second: planned for the view after the first."""
    results = {result.message_id: result for result in (*first.results, *second.results)}
    return replace(first, results=tuple(results.values()), tokens_after=second.tokens_after)


def texts_to_keep(prune: Prune, messages: Iterable[Message]) -> dict[str, str]:
    """Return the texts that must be stored as spills before the prune is recorded, by the id of the result's message.

    These are the spills that notices of the prune name and that were not stored when the result was recorded.
    messages: of the record.
    """
    named = {r.message_id: spill_named_in(r.text) for r in prune.results if r.strategy == SHORTENED}
    results = {m.id: m.tool_result for m in messages if named.get(m.id)}
    return {name: r.text for name, r in results.items() if r is not None and not spill_named_in(r.text)}


def without_spills(prune: Prune, texts: Mapping[str, str], count: Callable[[str], int]) -> Prune:
    """Return the prune with notices that name no spill for the given results, whose spills could not be stored.

    The results have the same length as before. texts: all from `texts_to_keep`, or some.
    """
    results = (
        replace(r, text=fit_result(texts[r.message_id], count(r.text), count, is_kept=False))
        if r.message_id in texts
        else r
        for r in prune.results
    )
    return replace(prune, results=tuple(results))
