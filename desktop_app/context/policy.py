"""Every number that decides, in one frozen value, and the budget that it gives for one model.

`policy_sources.py` says of each field what it means and who asked for it; `presets.py` has the policies that differ.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

NO_LIMIT = 1_000_000_000
"""For a number that should never be reached."""
TARGET_SUMMARY_SHARE = 0.65
"""Of the head, for the summary of a conversation that is brought to a number of tokens, of which all are used. At a
quarter, less of it loses facts of agents that work in plain text; more leaves too little of the end as it was."""

MIN_USABLE = 8_000
"""A fixed reserve leaves so much, or half of a window that is smaller than twice that."""

Phase = Literal["before_request", "tool_result", "streaming", "after_turn"]


class ContextPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """When room is made, and how.

    Shares are of the usable window (window - reserve) unless a name says otherwise; what is called `is_…` is on or off,
    and other whole numbers are tokens unless their comment says otherwise. Ids such as (C7) are rows of
    docs/features.md.
    """

    name: str = "balanced"

    # The reserve for the reply (C7, K14): a fixed one if it is given, else a share, but no more than the model writes.
    reserve_tokens: int = 0
    reserve_share_of_window: float = 0.20
    reserve_most: int = 16_384
    reserve_least: int = 1_000

    # A window that nobody could tell (C6, K14): a request may take this; if that is 0, messages are counted instead.
    limit_without_window: int = 128_000
    messages_most: int = 50

    # The steps (C8, S1): the shares at which each is due.
    is_automatic: bool = True
    phases: tuple[Phase, ...] = ("before_request", "tool_result", "streaming", "after_turn")
    layers: tuple[Literal["prune", "compact"], ...] = ("prune", "compact")
    background_at: float = 0.75
    prune_at: float = 0.80
    compact_at: float = 0.90
    blocked_at: float = 0.95
    shares_of: Literal["usable", "window"] = "usable"
    """What the four shares above and the target are of; `fit_policy` turns them into shares of the usable window."""
    due_least: float = 0.30
    buffer_share_of_rest: float = 0.0
    buffer_least: int = 0

    # Layer 1, one tool result as it enters (T1 to T5). Lines, bytes, characters of a line; then characters.
    truncate_lines: int = 2_000
    truncate_bytes: int = 50 * 1024
    truncate_line: int = 2_000
    truncate_tools: tuple[tuple[str, int], ...] = (
        ("read", 100_000),
        ("bash", 50_000),
        ("grep", 30_000),
        ("glob", 20_000),
        ("web_fetch", 50_000),
        ("web_search", 20_000),
        ("list", 10_000),
    )
    truncate_other_tools: int = 50_000
    truncate_share: float = 0.15
    truncate_keep: Literal["by_tool", "head", "head_tail"] = "by_tool"
    spill_above: int = 200_000
    spill_days: int = 30

    # Layer 2, old tool results (P1 to P9). Ages count assistant messages that came later; sizes are in characters.
    prune_order: tuple[str, ...] = (
        "repeats",
        "superseded",
        "old_errors",
        "truncate",
        "soft_trim",
        "digest",
        "hard_clear",
    )
    old_error_turns: int = 4
    soft_trim_age: int = 3
    soft_trim_above: int = 4_000
    soft_trim_head: int = 1_500
    soft_trim_tail: int = 1_500
    digest_by: Literal["rule", "model", "off"] = "rule"
    digest_above: int = 10
    digest_most: int = 800
    digest_model_most: int = 1_200
    digest_model_input: int = 12_000
    digest_model_reply: int = 600
    digest_seconds: int = 30
    hard_clear_age: int = 8
    protect_newest: int = 40_000
    protect_share_of_window: float = 0.25
    protect_user_turns: int = 2
    protected_tools: tuple[str, ...] = (
        *("save_memory", "memory", "memory__*"),
        *("plan", "plan_*", "*_plan", "*_plan_*", "todo*", "*_todo*"),
    )
    prune_target: float = 0.50
    prune_least: int = 20_000
    prune_least_share_of_window: float = 0.10
    prune_runway: float = 0.25
    prune_enough: int = NO_LIMIT
    cache_seconds: int = 300

    # Layer 3 (K1 to K5, K7 to K9, K11).
    strategy: Literal["auto", "llm", "extractive", "last_messages"] = "auto"
    """auto: by a model, but extractive for the built-in one; both fall back to the next of these."""
    target: float = 0.35
    target_least: int = 3_200
    """The prompt and the tools take 1,700, and more than a small window's share would leave to what was said."""
    target_share_of_due: float = 0.70
    tail_most: int = NO_LIMIT
    tail_share: float = 1.0
    """Of the usable window: by itself, the tail is as long as the target lets it be (decision 40)."""
    tail_share_least: float = 0.05
    """About a question and its answer."""
    tail_assistant_turns: int = 5
    tail_messages: int = 5
    head_least: int = 1
    summary_most: int = 2_000
    summary_share_of_head: float = 0.50
    summary_share_of_target: float = 0.50
    summary_least: int = 120
    summary_asked_share: float = 0.80
    """Models write a tenth more than they are asked for, and lost facts are restored."""
    summary_facts_share: float = 0.60
    summary_kept_share: float = 0.05
    summary_input_result: int = 1_800
    summary_reply_least: int = 4_000
    summary_reply_share: float = 0.3333
    summary_calls: int = 16
    aside_share: float = 0.90
    aside_share_again: float = 0.60
    """Claude's tokens are a quarter more than is counted here, and a server may have a smaller window than it says."""
    call_seconds: int = 60
    compaction_seconds: int = 300
    repair_calls: int = 1
    spend_most: int = 24
    spend_seconds: int = 600
    keep_user_tokens: int = 0
    keep_user_share: float = 0.25
    futile_below: float = 0.10
    futile_in_a_row: int = 2
    last_resort_messages: int = 5

    # While a reply streams, at a tool result, after an overflow (S2, S3, S5). Shares here are of the whole window.
    stream_stop_at: float = 0.90
    stream_abort_at: float = 1.00
    stream_restarts: int = 2
    stream_rest: float = 0.10
    stream_grace: int = 64
    stream_grace_share: float = 0.01
    stream_calls: int = 128
    stream_characters: int = 8_000_000
    """Of text, reasoning and arguments: five times what a window of a million tokens holds of prose. Text without any
    meaning has few tokens, so that the window alone is no bound."""
    stream_quiet_seconds: int = 1_800
    tool_result_tries: int = 3
    unanswered_least: int = 300
    unanswered_share: float = 0.015
    """Of the usable window, the most of that floor: forty parallel results still fit into a window of 8,192. A notice
    that names the spill takes 130 tokens, so that a floor of less than 300 would leave hardly more than it."""
    retry_wait_most: int = 60
    overflow_retries: int = 1
    overflow_shed: tuple[float, ...] = (0.10, 0.20, 0.50, 1.00)

    # Memory (S7, S8, S9).
    flush_distance: int = 4_000
    flush_share: float = 0.15
    """Of the usable window, the most of that distance: 4,000 tokens are half of a small window, and what is said after
    the flush is looked at only before the next compaction."""
    flush_seconds: int = 60
    flush_reply: int = 2_000
    """Eight notes take 500, and some models reason before."""
    flush_reply_share: float = 0.25
    flush_gone_most: int = 4_000
    """About as much as is said between a flush and its compaction."""
    memory_most: int = 1_000
    memory_share: float = 0.10
    recall_most: int = 4_000
    recall_share: float = 0.25
    recall_unasked_share: float = 0.02
    recall_unasked_least: int = 500
    """Less, as in windows below about 32,000, is not worth a longer request."""

    # Beside the conversation: research, and images for a model without eyes.
    research_rounds: int = 12
    research_seconds: int = 300
    research_answer_seconds: int = 60
    research_share: float = 0.95
    research_answer_share: float = 0.25
    caption_most: int = 400
    caption_seconds: int = 60

    # Learning what a provider counts (C5).
    calibration_weight: float = 0.20
    calibration_step: float = 0.15
    calibration_least: float = 0.50
    calibration_most: float = 2.00

    @property
    def thresholds(self) -> tuple[float, float, float, float]:
        """Where warning, tight, critical and exceeded begin. Only a step that this policy takes has a mark of its own.

        A policy that always prunes does not always warn.
        """
        prunes = self.prune_at > 0 and self.prune_order and "prune" in self.layers
        tight = self.prune_at if prunes else self.compact_at
        warning = self.background_at if "after_turn" in self.phases else min(tight, self.compact_at)
        return (warning, max(warning, tight if prunes else warning), self.compact_at, self.blocked_at)


BALANCED = ContextPolicy()


class Budget(msgspec.Struct, frozen=True):
    """The numbers of one model under one policy, in tokens. usable = window - reserve."""

    window: int
    reserve: int
    messages_most: int = NO_LIMIT
    """From so many messages on a compaction is due, too (K14)."""

    @property
    def usable(self) -> int:
        return self.window - self.reserve

    def share(self, total: int) -> float:
        """Return the part of the usable window that `total` tokens take."""
        return total / self.usable if self.usable > 0 else float("inf")

    def counted_with(self, factor: float) -> Budget:
        """Return the same budget for counts that are short by that factor: what fits here, fits there."""
        usable = int(self.usable / factor)
        reserve = int(self.reserve / factor)
        return Budget(usable + reserve, reserve, self.messages_most)

    def as_counted(self, total: int, counted: int) -> Budget:
        """Return the same budget in tokens as they are counted here, where a request of `total` counts `counted`."""
        return self.counted_with(total / counted) if total > 0 and counted > 0 else self


def budget_for(policy: ContextPolicy, window: int, max_output: int = 0, is_assumed: bool = False) -> Budget:
    """Return the budget of a model with that window.

    The reserve never takes more than half of a small window, so that it can still be used. max_output: the longest
    reply that the model can write, which a share need not exceed; 0: not known. is_assumed: nobody could tell the
    window; then a request takes no more than the policy says for that (C6), or messages are counted (K14).
    """
    share = min(round(window * policy.reserve_share_of_window), policy.reserve_most, max_output or NO_LIMIT)
    reserve = max(policy.reserve_tokens or share, policy.reserve_least)
    reserve = min(reserve, window - min(-(-window // 2), MIN_USABLE))
    if not is_assumed:
        return Budget(window, reserve)
    if not policy.limit_without_window:
        return Budget(window, reserve, policy.messages_most)
    return Budget(min(window, policy.limit_without_window + reserve), reserve)


def policy_for_target(policy: ContextPolicy) -> ContextPolicy:
    """Return the policy for "at most so many tokens", where the budget's window is that number and nothing is reserved.

    All of it is used, since the room would be lost else: the summary may be as long as anybody reads, and the tail
    takes what the summary leaves.
    """
    return replace(
        policy,
        target=1.0,
        target_least=0,
        prune_target=1.0,
        blocked_at=1.0,
        summary_most=40_000,
        summary_share_of_head=TARGET_SUMMARY_SHARE,
        summary_share_of_target=1.0,
        tail_most=NO_LIMIT,
        tail_share=1.0,
        background_at=1.0,
        prune_at=1.0,
        compact_at=1.0,
        shares_of="usable",
    )
