"""Layer 3: the head of the conversation becomes a summary; its messages are archived, never lost.

A view is measured in blocks, each of which leaves or stays entirely, to find the start of the tail that stays verbatim.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from desktop_app.context.counting.breakdown import base_tokens, closing_tokens, item_total, request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.extractive.extract import extract
from desktop_app.context.fitting import MAX_USER_SHARE
from desktop_app.context.ledger.ledger import fidelity, holding_rules, ledger_of
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import NO_LIMIT, Budget, ContextPolicy
from desktop_app.context.text_cuts import tail_of
from desktop_app.context.view.continuing import whole_replies
from desktop_app.context.view.items import Item, ItemKind, blocks, is_of_user, summary_message
from desktop_app.context.view.normalize import UNDERSTOOD
from desktop_app.context.view.view import View, unanswered_ids, view_of, with_entries
from desktop_app.conversation.memory import Fidelity, Ledger
from desktop_app.conversation.message import Message, ProviderSummary, Role
from desktop_app.conversation.transcript import Compaction, Transcript, Trigger

MIN_TAIL_SHARE = 0.05
"""Minimum share of the usable window that the tail slider keeps: about a question and its answer."""
MIN_SUMMARY = 120
"""Minimum tokens for a summary, even if the target is missed."""
LAST_RESORT_MESSAGES = 5
"""Messages that stay if nothing else helped (K5, document 1)."""

_ASSISTANT, _MESSAGE = Role.ASSISTANT, ItemKind.MESSAGE  # looked up once: see view/items.py


SUMMARY_SHARE = 0.10
"""Share of the usable window for a summary next to results that fill it: their missing parts can be read again."""
SLACK = 0.04
"""Share of the usable window by which a long message may make the tail miss the target."""


class MeasuredBlocks(msgspec.Struct, frozen=True):
    """The movable part of a view in blocks, with the tokens of each."""

    blocks: tuple[tuple[Item, ...], ...]
    tokens: tuple[int, ...]
    must_stay: frozenset[int]
    """Indices of blocks with a pin, the last user message, the reply that will be continued, results that no reply has
    followed, or calls that are running."""
    fixed: int
    """Tokens that no plan can free: the system prompt, the blocks that must stay, and an empty summary."""
    summary: int = 0
    """Tokens of the present summary, which is merged into the next one."""

    def tail_tokens(self, begin: int) -> int:
        """Return the tokens from the block on, without blocks that must stay anyway."""
        return sum(self.tokens[i] for i in range(begin, len(self.blocks)) if i not in self.must_stay)

    def keeping(self, more: frozenset[int]) -> MeasuredBlocks:
        """Return the same blocks, of which `more` must also stay."""
        new = more - self.must_stay
        fixed = self.fixed + sum(self.tokens[index] for index in new)
        return replace(self, must_stay=self.must_stay | new, fixed=fixed) if new else self


def measure_blocks(view: View, counts: TokenCounts) -> MeasuredBlocks:
    """Return the view's messages in blocks, without the system prompt and the summary."""
    items = list(view.items)
    system_items = list(takewhile(lambda item: item.message.role is Role.SYSTEM, items))
    summary = sum(item_total(item, counts) for item in items if item.kind is ItemKind.SUMMARY)
    movable = [item for item in items[len(system_items) :] if item.kind is not ItemKind.SUMMARY]
    runs = tuple(tuple(movable[run.start : run.stop]) for run in blocks(movable))
    newest = {view.last_user_id, *unanswered_ids(view)}
    if view.unfinished:
        newest.add(view.unfinished.message.id)
    must_stay = frozenset(
        index for index, run in enumerate(runs) for item in run if item.is_pinned or item.message.id in newest
    )
    if view.open_calls:  # their results will follow them
        must_stay |= {len(runs) - 1}
    tokens = tuple(sum([item_total(item, counts) for item in run]) for run in runs)
    system = sum(item_total(item, counts) for item in system_items)
    fixed = base_tokens(view, counts) + system + _empty_summary(counts) + closing_tokens(view, counts)
    return MeasuredBlocks(runs, tokens, must_stay, fixed + sum(tokens[i] for i in must_stay), summary)


def _empty_summary(counts: TokenCounts) -> int:
    """Return the tokens of an empty summary, and of the reply that may have to follow it."""
    empty = summary_message(Compaction(trigger=Trigger.USER, strategy="", archived=(), summary=""))
    understood = counts.text(UNDERSTOOD) + counts.tokenizer.overhead.around(Role.ASSISTANT)
    return counts.text(empty.text) + counts.tokenizer.overhead.message + understood


def room_for_summary(room: MeasuredBlocks, policy: ContextPolicy, budget: Budget) -> int:
    """Return the tokens to keep free for the summary of the movable blocks, if the other ones fill the window."""
    wanted = room.summary + round(room.tail_tokens(0) * policy.summary_share_of_head)
    return min(wanted, policy.max_summary, max(MIN_SUMMARY, round(budget.usable * SUMMARY_SHARE)))


def cut_reply_ids(room: MeasuredBlocks) -> tuple[str, ...]:
    """Return the ids of the newest reply and its earlier parts if it was cut: the model may be asked to continue."""
    for run in reversed(room.blocks):
        if run[-1].message.role is _ASSISTANT:
            return tuple(item.message.id for item in run) if run[-1].message.can_continue else ()
    return ()


def blocks_worth_keeping(
    room: MeasuredBlocks, policy: ContextPolicy, budget: Budget, keep: Collection[str]
) -> frozenset[int]:
    """Return blocks that stay if they fit: requested messages, and user messages within a budget (K9)."""
    runs = enumerate(room.blocks if keep else ())
    asked = {index for index, run in runs if any(item.message.id in keep for item in run)}
    left = min(policy.keep_user_tokens, round(budget.usable * policy.target * MAX_USER_SHARE))
    for index in range(len(room.blocks) - 1, -1, -1):
        run = room.blocks[index]
        if index in room.must_stay or not is_of_user(run[0]) or run[0].message.has_image:
            continue
        left -= room.tokens[index]
        if left < 0:
            break
        asked.add(index)
    return frozenset(asked)


def tail_starts(room: MeasuredBlocks, policy: ContextPolicy, budget: Budget, tail_tokens: int | None) -> list[int]:
    """Return the blocks at which the tail may begin: by tokens (K1), at the last few messages (K5), at the end."""
    most = max(_left_by_summary(room, policy, budget.usable * policy.target - room.fixed), 0)
    usual = min(policy.max_tail, budget.usable * policy.tail_share, most)
    if tail_tokens is not None:
        usual = most = tail_tokens
    is_by_messages = policy.max_tail == 0 or budget.max_messages != NO_LIMIT
    if is_by_messages and tail_tokens is None:
        begin = _last_messages(room, policy.tail_messages)
    else:
        slack = budget.usable * SLACK if usual == most and tail_tokens is None else 0
        begin = _by_tokens(room, policy, usual, most, slack)
    few = max(begin, len(room.blocks) - LAST_RESORT_MESSAGES)
    return sorted({begin, few, len(room.blocks)})


def _by_tokens(room: MeasuredBlocks, policy: ContextPolicy, usual: float, most: float, slack: float) -> int:
    """Return the first block of a tail of `usual` tokens, or of `most` if it would contain too few replies otherwise.

    slack: tokens by which the tail may be shorter; if it would be shorter still, it may exceed its length by them.
    """
    begin, taken, replies = len(room.blocks), 0, 0
    for index in range(len(room.blocks) - 1, -1, -1):
        before, limit = taken, most if replies < policy.tail_assistant_turns else usual
        taken += 0 if index in room.must_stay else room.tokens[index]
        if taken > limit + (slack if before < limit - slack else 0):
            break
        begin = index
        if replies < policy.tail_assistant_turns:
            replies += any(item.message.role is _ASSISTANT for item in room.blocks[index])
    return begin


def _last_messages(room: MeasuredBlocks, count: int) -> int:
    """Return the first block of a tail of at least `count` messages."""
    begin, messages = len(room.blocks), 0
    while begin > 0 and messages < count:
        begin -= 1
        messages += sum(item.kind is _MESSAGE for item in room.blocks[begin])
    return begin


def _left_by_summary(room: MeasuredBlocks, policy: ContextPolicy, free: float) -> float:
    """Return the longest tail that leaves the summary its share of `free` tokens."""
    share = policy.summary_share_of_head  # of all but the tail: tail = free - share * (all - tail)
    tail = free - min(policy.max_summary, free * policy.summary_share_of_target)
    if share == 1:
        return tail
    return max(tail, (free - room.summary - share * room.tail_tokens(0)) / (1 - share))


LAST_MESSAGES = "last_messages"
TURN_HEADING = "# The current turn so far"
CUT_HEADING = "# The end of the reply that was cut"
MAX_CUT, MAX_CUT_SHARE = 1_000, 0.5
"""Maximum tokens of an archived cut reply's end, which follows the summary, and their maximum share of its budget."""
LINE = 200
"""Characters by which a quotation of the end may be shortened to begin with a line."""
MIN_TURN = 4
"""Messages; a shorter beginning of a turn has no separate part in the summary."""
MIN_TURN_SHARE, MAX_TURN_SHARE = 0.25, 0.60
"""Limits of the share of the summary for the beginning of a split turn: the current work, but not everything."""


class CompactionPlan(msgspec.Struct, frozen=True):
    """The messages that would leave the view, and the tokens of the assembled request."""

    trigger: Trigger
    archived: tuple[str, ...]
    """Message ids, in order."""
    summary_budget: int
    """Maximum tokens of the summary."""
    total: int
    """Tokens before the compaction."""
    projected: int
    """Tokens after it, with the longest summary."""
    tail: int
    """Tokens of the tail."""
    turn_at: int
    """The index in `archived` of the first message of the turn that the tail continues; its length if no turn is
    split."""
    cut_reply: int = 0
    """Tokens after the summary for the end of the newest reply, if it was cut and leaves: the model may be asked to
    continue it."""

    @property
    def summary_room(self) -> int:
        """Maximum tokens of the summary with the end of the cut reply."""
        return self.summary_budget + self.cut_reply


def plan_compaction(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    total: int,
    trigger: Trigger,
    tail_tokens: int | None = None,
    keep: Collection[str] = (),
) -> CompactionPlan | None:
    """Return the mildest plan that gets below the blocked share, otherwise the hardest one.

    None if nothing can leave, or nothing has to because the view is only the tail, and fits.

    tail_tokens: the tail that the user wants to keep; None for the policy's. keep: ids of messages that should stay if
    they fit.
    """
    room = measure_blocks(view, counts)
    keep = (*keep, *cut_reply_ids(room))
    limit = budget.blocked_tokens(policy)
    least = policy.min_head if total <= budget.limit else 1
    hardest: CompactionPlan | None = None

    def fits(plan: CompactionPlan | None) -> bool:
        return len(plan.archived) >= least and plan.projected <= limit if plan else total <= limit

    for roomy in (room.keeping(blocks_worth_keeping(room, policy, budget, keep)), room):
        plan_from = partial(_plan, roomy, policy=policy, budget=budget, total=total, trigger=trigger)
        begins = tail_starts(roomy, policy, budget, tail_tokens)
        if tail_tokens is not None and not fits(plan_from(begins[0])):
            begins = [begins[0], *_later_starts(range(begins[0] + 1, len(roomy.blocks) + 1), plan_from, fits)]
        for plan in map(plan_from, begins):
            if fits(plan):
                return plan
            hardest = plan if plan and len(plan.archived) >= least else hardest
    return hardest or (_shorter_summary(room, policy, budget, total, trigger) if view.summary else None)


def _later_starts(
    later: range, plan_from: Callable[[int], CompactionPlan | None], fits: Callable[[CompactionPlan | None], bool]
) -> list[int]:
    """Return other starts of a tail that the user chose, which is shortened only as far as necessary.

    A later start takes fewer tokens, so that the first one that fits is found by bisection, and a longer tail that is
    requested never keeps less.
    """
    fitting = bisect_left(later, True, key=lambda begin: fits(plan_from(begin)))
    return [*later[fitting : fitting + 1], *later[-1:]]


def _shorter_summary(
    room: MeasuredBlocks, policy: ContextPolicy, budget: Budget, total: int, trigger: Trigger
) -> CompactionPlan | None:
    """Return the plan to shorten a summary that is itself too long, such as one written for a larger window."""
    kept = room.fixed + room.tail_tokens(0)
    free = budget.blocked_tokens(policy) - kept
    if free < 0:
        return None
    summary = min(free, policy.max_summary)
    return CompactionPlan(trigger, (), summary, total, kept + summary, room.tail_tokens(0), 0)


def _plan(
    room: MeasuredBlocks, begin: int, policy: ContextPolicy, budget: Budget, total: int, trigger: Trigger
) -> CompactionPlan | None:
    """Return the plan that archives the blocks before `begin` that may leave, or None if there are none."""
    leaving = [index for index in range(begin) if index not in room.must_stay]
    archived = tuple(i.message.id for index in leaving for i in room.blocks[index] if i.kind is _MESSAGE)
    if not archived:
        return None
    head, tail = sum(room.tokens[index] for index in leaving), room.tail_tokens(begin)
    kept = room.fixed + tail
    to_target = round(budget.usable * policy.target) - kept
    to_limit = budget.blocked_tokens(policy) - kept
    own = round(head * policy.summary_share_of_head)
    wanted = min(policy.max_summary, room.summary + own)  # the present summary is merged into it
    least = MIN_SUMMARY
    if room.fixed > budget.usable * policy.target:  # the target is out of reach, and no reason for a short summary
        least = max(least, (budget.blocked_tokens(policy) - room.fixed) // 2)
    summary = max(min(wanted, max(to_target, min(least, to_limit))), 0)
    cut = min(round(summary * MAX_CUT_SHARE), MAX_CUT) if set(archived).intersection(cut_reply_ids(room)) else 0
    turn_at = _turn_at(room, begin, leaving)
    return CompactionPlan(trigger, archived, summary - cut, total, kept + summary, tail, turn_at, cut)


def _turn_at(room: MeasuredBlocks, begin: int, leaving: Sequence[int]) -> int:
    """Return the number of archived messages before the turn that is cut in two at `begin`."""
    is_split = begin < len(room.blocks) and not is_of_user(room.blocks[begin][0])
    turn = next((i for i in range(begin - 1, -1, -1) if is_of_user(room.blocks[i][0])), 0) if is_split else begin
    return sum(item.kind is _MESSAGE for index in leaving if index < turn for item in room.blocks[index])


def compaction_of(
    plan: CompactionPlan,
    transcript: Transcript,
    view: View,
    counts: TokenCounts,
    page: str | None = None,
    strategy: str = "edited",
    model: str = "",
    reading: Reading | None = None,
    by_provider: ProviderSummary | None = None,
) -> Compaction | None:
    """Return the compaction of the plan, not yet stamped with id and time; None if it would free nothing (K8).

    page: the summary that the user edited or a model wrote; None for the extractive one. It may be empty only if the
    strategy is to keep only the last messages. Savings are measured on the request that would be sent.

    reading: cached facts of the messages. by_provider: the summary as its provider wrote it; what the page has besides
    becomes its addition.
    """
    if page is not None and not page.strip() and strategy != LAST_MESSAGES:
        return None
    head, reading = recorded_messages(plan.archived, transcript), reading or Reading()
    turn_at = split_turn_index(plan, transcript)
    ledger = ledger_of(head, view.ledger, reading, turn_at)
    ends = "" if strategy == "edited" and page is not None else _end_of_cut_reply(plan, head, counts)
    draft = Compaction(
        id="draft",
        trigger=plan.trigger,
        strategy="extractive" if page is None and by_provider is None else strategy,
        archived=plan.archived,
        summary=(_extract_summary(plan, head, turn_at, view, ledger, counts, reading) if page is None else page.strip())
        + ends,
        ledger=ledger,
        tokens_before=plan.total,
        model=model,
    )
    draft, after = _measure(_with_addition(draft, by_provider), transcript, counts)
    over = draft.tokens_after - plan.projected
    if page is None and 0 < over <= plan.summary_budget:  # the plan does not count repairs in the view
        shorter = replace(plan, summary_budget=plan.summary_budget - over)
        draft = replace(draft, summary=_extract_summary(shorter, head, turn_at, view, ledger, counts, reading) + ends)
        draft, after = _measure(_with_addition(draft, by_provider), transcript, counts)
    if draft.tokens_after >= plan.total:
        return None
    return replace(draft, id="", fidelity=fidelity_in(after, draft, head, reading))


def _with_addition(draft: Compaction, by_provider: ProviderSummary | None) -> Compaction:
    """Return the draft with its provider's summary, and with the lines of ours that this one lacks."""
    if by_provider is None:
        return draft
    there = set(by_provider.readable.splitlines())
    lacking = [line for line in draft.summary.splitlines() if line not in there]
    addition = draft.summary if not by_provider.readable else "\n".join(filter(str.strip, lacking))
    return replace(draft, by_provider=replace(by_provider, addition=addition))


def _end_of_cut_reply(plan: CompactionPlan, head: Sequence[Message], counts: TokenCounts) -> str:
    """Return the part of the summary that quotes the end of the newest reply; "" if it was not cut or does not fit."""
    most = plan.cut_reply - counts.text(CUT_HEADING)
    reply = next((m.text for m in reversed(head) if m.role is Role.ASSISTANT), "").rstrip()
    size = 4 * most
    while size > 0 and (tokens := counts.text(end := tail_of(reply, size, min(size // 2, LINE)))) > 0:
        if tokens <= most:
            return f"\n\n{CUT_HEADING}\n\n{end}"
        size = min(len(end) - 1, size * most // tokens)
    return ""


def fidelity_in(after: View, compaction: Compaction, head: Sequence[Message], reading: Reading) -> Fidelity:
    """Return which facts of the compaction's head, and which current rules, the view `after` it contains."""
    sent = whole_replies(item.message for item in after.items if item.kind is not ItemKind.SUMMARY)
    rules = holding_rules(head, compaction.ledger, reading)
    archive = {*compaction.archived, *(rule.message_id for rule in rules)}
    return fidelity(head, compaction.summary, sent, archive, reading, rules)


def _measure(draft: Compaction, transcript: Transcript, counts: TokenCounts) -> tuple[Compaction, View]:
    """Return the draft with the tokens of the request that would be sent, and the view of that request."""
    after = view_of(with_entries(transcript, draft))
    return replace(draft, tokens_after=request_tokens(after, counts)), after


def _extract_summary(
    plan: CompactionPlan,
    head: list[Message],
    at: int,
    view: View,
    ledger: Ledger,
    counts: TokenCounts,
    reading: Reading,
) -> str:
    """Return the extractive summary. The beginning of a split turn, from `at` on, is summarized in a separate part."""
    earlier = view.summary.summary if view.summary else ""
    if at == 0 or len(head) - at < MIN_TURN:
        return extract(head, earlier, ledger, plan.summary_budget, counts.text, reading)
    before, turn = head[:at], head[at:]
    share = sum(map(counts.total, turn)) / max(sum(map(counts.total, head)), 1)
    own = round(plan.summary_budget * min(max(share, MIN_TURN_SHARE), MAX_TURN_SHARE)) - counts.text(TURN_HEADING)
    current = extract(turn, "", replace(ledger_of(turn, Ledger(), reading), work=()), own, counts.text, reading)
    section = f"\n\n{TURN_HEADING}\n\n{current}" if current else ""
    left = plan.summary_budget - counts.text(section)
    known = replace(ledger_of(before, view.ledger, reading), work=ledger.work)  # as the turn leaves it
    return extract(before, earlier, known, left, counts.text, reading) + section


def recorded_messages(ids: tuple[str, ...], transcript: Transcript) -> list[Message]:
    """Return the messages as recorded, in full even if they are pruned in the view, in order.

    A reply that was stopped and continued is one message, under the id of its beginning: a name may be split there.
    """
    wanted = set(ids)
    return whole_replies(entry for entry in transcript.entries if isinstance(entry, Message) and entry.id in wanted)


def split_turn_index(plan: CompactionPlan, transcript: Transcript) -> int:
    """Return `turn_at` as an index into `recorded_messages`, which are fewer if replies were continued."""
    return len(recorded_messages(plan.archived[: plan.turn_at], transcript))
