"""Measures what may leave a view, in blocks, and finds where the tail that stays verbatim may begin."""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from desktop_app.context.counting.breakdown import base_tokens, closing_tokens, item_total
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import NO_LIMIT, Budget, ContextPolicy
from desktop_app.context.view.cut_points import blocks
from desktop_app.context.view.items import Item, ItemKind, is_of_user, summary_message
from desktop_app.context.view.normalize import UNDERSTOOD
from desktop_app.context.view.view import View, unanswered_ids
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import Compaction, Trigger

_ASSISTANT, _MESSAGE = Role.ASSISTANT, ItemKind.MESSAGE  # looked up once: see cut_points.py


SUMMARY_SHARE = 0.10
"""Of the usable window, for a summary beside results that fill it: what they lack can be read."""
SLACK = 0.04
"""Of the usable window, by which a long message may make the tail miss the target."""


class MeasuredBlocks(msgspec.Struct, frozen=True):
    """The movable part of a view in blocks, and what each costs."""

    blocks: tuple[tuple[Item, ...], ...]
    tokens: tuple[int, ...]
    must_stay: frozenset[int]
    """Indices of blocks with a pin, the last user message, the reply that is to go on, results that no reply has
    followed, or calls that are running."""
    fixed: int
    """Tokens that no plan can free: the system prompt, what must stay, and an empty summary."""
    summary: int = 0
    """Tokens of the present summary, which the next one takes in."""

    def tail_tokens(self, begin: int) -> int:
        """Return the tokens from that block on, without what must stay anyway."""
        return sum(self.tokens[i] for i in range(begin, len(self.blocks)) if i not in self.must_stay)

    def keeping(self, more: frozenset[int]) -> MeasuredBlocks:
        """Return the same blocks, where those have to stay too."""
        new = more - self.must_stay
        fixed = self.fixed + sum(self.tokens[index] for index in new)
        return replace(self, must_stay=self.must_stay | new, fixed=fixed) if new else self


def measure_blocks(view: View, counts: TokenCounts) -> MeasuredBlocks:
    """Return the view's messages in blocks; the system prompt and the summary are not among them."""
    items = list(view.items)
    head = list(takewhile(lambda item: item.kind is ItemKind.SUMMARY or item.message.role is Role.SYSTEM, items))
    movable = items[len(head) :]
    runs = tuple(tuple(movable[run.start : run.stop]) for run in blocks(movable))
    newest = {view.last_user_id, *unanswered_ids(view)}
    if view.unfinished:
        newest.add(view.unfinished.message.id)
    must_stay = frozenset(
        index for index, run in enumerate(runs) for item in run if item.is_pinned or item.message.id in newest
    )
    if view.open_calls:  # their results are still to come, and go where they are
        must_stay |= {len(runs) - 1}
    tokens = tuple(sum([item_total(item, counts) for item in run]) for run in runs)
    system = sum(item_total(item, counts) for item in head if item.kind is not ItemKind.SUMMARY)
    fixed = base_tokens(view, counts) + system + _empty_summary(counts) + closing_tokens(view, counts)
    summary = sum(item_total(item, counts) for item in head if item.kind is ItemKind.SUMMARY)
    return MeasuredBlocks(runs, tokens, must_stay, fixed + sum(tokens[i] for i in must_stay), summary)


def _empty_summary(counts: TokenCounts) -> int:
    """Return the tokens of a summary with nothing in it, and of what may have to stand behind it."""
    empty = summary_message(Compaction(trigger=Trigger.USER, strategy="", archived=(), summary=""))
    understood = counts.text(UNDERSTOOD) + counts.tokenizer.overhead.assistant
    return counts.text(empty.text) + counts.tokenizer.overhead.message + understood


def room_for_summary(room: MeasuredBlocks, policy: ContextPolicy, budget: Budget) -> int:
    """Return the tokens to keep free for the summary of all that may leave, where what must stay fills the window."""
    wanted = room.summary + round(room.tail_tokens(0) * policy.summary_share_of_head)
    return min(wanted, policy.summary_most, max(policy.summary_least, round(budget.usable * SUMMARY_SHARE)))


def cut_reply_ids(room: MeasuredBlocks) -> tuple[str, ...]:
    """Return the ids of the newest reply if it was cut, with what it continues: the model may be asked to go on."""
    for run in reversed(room.blocks):
        if run[-1].message.role is _ASSISTANT:
            return tuple(item.message.id for item in run) if run[-1].message.can_continue else ()
    return ()


def blocks_worth_keeping(
    room: MeasuredBlocks, policy: ContextPolicy, budget: Budget, keep: Collection[str]
) -> frozenset[int]:
    """Return blocks that stay if there is room: messages asked for, and the user's own within a budget (K9)."""
    runs = enumerate(room.blocks if keep else ())
    asked = {index for index, run in runs if any(item.message.id in keep for item in run)}
    left = min(policy.keep_user_tokens, round(budget.usable * policy.target * policy.keep_user_share))
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
    """Return the blocks at which the tail may begin: by tokens (K1), the last few messages (K5), nothing at all."""
    most = max(_left_by_summary(room, policy, budget.usable * policy.target - room.fixed), 0)
    usual = min(policy.tail_most, budget.usable * policy.tail_share, most)
    if tail_tokens is not None:
        usual = most = tail_tokens
    is_by_messages = policy.tail_most == 0 or budget.messages_most != NO_LIMIT
    if is_by_messages and tail_tokens is None:
        begin = _last_messages(room, policy.tail_messages)
    else:
        slack = budget.usable * SLACK if usual == most and tail_tokens is None else 0
        begin = _by_tokens(room, policy, usual, most, slack)
    few = max(begin, len(room.blocks) - policy.last_resort_messages)
    return sorted({begin, few, len(room.blocks)})


def _by_tokens(room: MeasuredBlocks, policy: ContextPolicy, usual: float, most: float, slack: float) -> int:
    """Return the block from which on the end takes `usual` tokens, or `most` if it holds too few replies else.

    slack: tokens that it may miss that by; where it would miss it by more, it may rather be so much longer.
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
    """Return the block from which on there are at least so many messages."""
    begin, messages = len(room.blocks), 0
    while begin > 0 and messages < count:
        begin -= 1
        messages += sum(item.kind is _MESSAGE for item in room.blocks[begin])
    return begin


def _left_by_summary(room: MeasuredBlocks, policy: ContextPolicy, free: float) -> float:
    """Return the longest tail that leaves the summary as much as it may have of `free` tokens."""
    share = policy.summary_share_of_head  # of what the tail leaves of all: tail = free - share * (all - tail)
    tail = free - min(policy.summary_most, free * policy.summary_share_of_target)
    if share == 1:
        return tail
    return max(tail, (free - room.summary - share * room.tail_tokens(0)) / (1 - share))
