"""Layer 3: the head of the conversation becomes a summary; its messages are archived, never lost.

plan_compaction(...) -> CompactionPlan    which messages go, and how long the summary may be
compaction_of(...)   -> Compaction        the entry, measured on the request as it would be
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import Compaction, Transcript, Trigger

from .breakdown import request_tokens
from .counting import Counts
from .cut_points import blocks
from .extract import extract
from .fidelity import fidelity
from .ledger import ledger_of
from .policy import Budget, ContextPolicy
from .reading import Reading
from .view import Item, Kind, View, assemble, is_made_up, previewed, summary_message, view_of

SUMMARY_LEAST = 120
"""Tokens: a page shorter than this says next to nothing, so room for it is found before the target is."""


class CompactionPlan(msgspec.Struct, frozen=True):
    """What would leave the view, in tokens of the assembled request.

    archived: ids in their order. summary_budget: what the page may take. total: before. tail: what stays of the end.
    """

    trigger: Trigger
    archived: tuple[str, ...]
    summary_budget: int
    total: int
    projected: int
    tail: int


class Room(msgspec.Struct, frozen=True):
    """A view in blocks, and what each costs. must_stay: blocks with a pin or the last user message.

    fixed: tokens that no plan can free: the system prompt, what must stay, and an empty summary.
    """

    blocks: tuple[tuple[Item, ...], ...]
    tokens: tuple[int, ...]
    must_stay: frozenset[int]
    fixed: int

    def tail_tokens(self, begin: int) -> int:
        """Tokens from that block on, without what must stay anyway."""
        return sum(self.tokens[i] for i in range(begin, len(self.blocks)) if i not in self.must_stay)


def plan_compaction(
    view: View,
    policy: ContextPolicy,
    budget: Budget,
    counts: Counts,
    total: int,
    trigger: Trigger,
    tail_tokens: int | None = None,
) -> CompactionPlan | None:
    """The mildest plan that gets below the blocked share, else the hardest one.

    None if nothing can leave, or nothing has to: all that is there is the tail, and it fits.

    tail_tokens: what the user wants to keep of the end; None: what the policy says.
    """
    room = room_of(view, counts)
    limit = round(budget.usable * policy.blocked_at)
    hardest: CompactionPlan | None = None
    for begin in _tails(room, policy, budget, tail_tokens):
        plan = _plan(room, begin, policy, budget, total, trigger)
        if plan.projected <= limit if plan else total <= limit:
            return plan
        hardest = plan or hardest
    return hardest


def room_of(view: View, counts: Counts) -> Room:
    """The view's messages in blocks; the system prompt and the summary are not among them."""
    items = list(view.items)
    start = next((i for i, item in enumerate(items) if _is_movable(item)), len(items))
    movable = items[start:]
    runs = tuple(tuple(movable[i] for i in run) for run in blocks(movable))
    last_user = view.last_user_id
    must_stay = frozenset(
        index for index, run in enumerate(runs) if any(i.is_pinned or i.message.id == last_user for i in run)
    )
    tokens = tuple(sum(counts.total(item.message) for item in run) for run in runs)
    system = sum(counts.total(item.message) for item in items[:start] if item.kind is not Kind.SUMMARY)
    empty = counts.total(summary_message(Compaction(trigger=Trigger.USER, strategy="", archived=(), summary="")))
    closing = sum(counts.total(message) for message in assemble(view)[len(view.items) :])  # of calls without a result
    fixed = counts.tokenizer.overhead.priming + system + empty + closing
    return Room(runs, tokens, must_stay, fixed + sum(tokens[i] for i in must_stay))


def _is_movable(item: Item) -> bool:
    return item.kind is not Kind.SUMMARY and item.message.role is not Role.SYSTEM


def _tails(room: Room, policy: ContextPolicy, budget: Budget, tail_tokens: int | None) -> list[int]:
    """Blocks at which the tail may begin: by tokens (K1), then the last few messages (K5), then nothing at all."""
    target = budget.usable * policy.target
    most = max(target - room.fixed - min(policy.summary_most, target * policy.summary_share_of_head), 0)
    usual = min(policy.tail_most, budget.usable * policy.tail_share, most)
    if policy.is_filling:
        usual = max(usual, _left_by_page(room, policy, target - room.fixed))
    if tail_tokens is not None:
        usual = most = tail_tokens
    begin, taken, replies = len(room.blocks), 0, 0
    for index in range(len(room.blocks) - 1, -1, -1):
        taken += 0 if index in room.must_stay else room.tokens[index]
        if taken > (most if replies < policy.tail_assistant_turns else usual):
            break
        begin = index
        replies += any(item.message.role is Role.ASSISTANT for item in room.blocks[index])
    few = max(begin, len(room.blocks) - policy.last_resort_messages)
    return sorted({begin, few, len(room.blocks)})


def _left_by_page(room: Room, policy: ContextPolicy, free: float) -> float:
    """The longest tail that leaves the page as much as it may have of `free` tokens."""
    share = policy.summary_share_of_head  # of what the tail leaves of all: tail = free - share * (all - tail)
    return max(free - policy.summary_most, (free - share * room.tail_tokens(0)) / (1 - share))


def _plan(
    room: Room, begin: int, policy: ContextPolicy, budget: Budget, total: int, trigger: Trigger
) -> CompactionPlan | None:
    """The plan that archives all before that block but what must stay, or None if that is nothing."""
    leaving = [index for index in range(begin) if index not in room.must_stay]
    archived = tuple(i.message.id for index in leaving for i in room.blocks[index] if not is_made_up(i))
    if not archived:
        return None
    head, tail = sum(room.tokens[index] for index in leaving), room.tail_tokens(begin)
    kept = room.fixed + tail
    to_target = round(budget.usable * policy.target) - kept
    to_limit = round(budget.usable * policy.blocked_at) - kept
    wanted = min(policy.summary_most, head if policy.is_filling else round(head * policy.summary_share_of_head))
    page = max(min(wanted, max(to_target, min(SUMMARY_LEAST, to_limit))), 0)
    return CompactionPlan(trigger, archived, page, total, kept + page, tail)


def compaction_of(
    plan: CompactionPlan, transcript: Transcript, view: View, counts: Counts, page: str | None = None
) -> Compaction | None:
    """The compaction of that plan, not yet stamped with id and time; None if it would free nothing (K8).

    page: the summary that the user edited or a model wrote; None: the extractive one. What it saves is measured
    on the request that would be sent.
    """
    head, reading = recorded(plan.archived, transcript), Reading()
    ledger = ledger_of(head, view.ledger, reading)
    earlier = view.summary.summary if view.summary else ""
    text = extract(head, earlier, ledger, plan.summary_budget, counts.text, reading) if page is None else page.strip()
    draft = Compaction(
        id="draft",
        trigger=plan.trigger,
        strategy="extractive" if page is None else "edited",
        archived=plan.archived,
        summary=text,
        ledger=ledger,
        tokens_before=plan.total,
    )
    after = view_of(previewed(transcript, draft))
    tokens_after = request_tokens(after, counts)
    if tokens_after >= plan.total:
        return None
    tail = [item.message for item in after.items if item.kind is not Kind.SUMMARY]
    checked = fidelity(head, text, tail, set(plan.archived), reading)
    return replace(draft, id="", tokens_after=tokens_after, fidelity=checked)


def recorded(ids: tuple[str, ...], transcript: Transcript) -> list[Message]:
    """Those messages as the record has them, whole even where the view has them pruned, in their order."""
    wanted = set(ids)
    return [entry for entry in transcript.entries if isinstance(entry, Message) and entry.id in wanted]
