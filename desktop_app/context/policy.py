"""The table of all policy numbers (default, unit, bounds, label, meaning, source), and the budget of a model.

The command, the page of policies and the translations are made from it (`policy_fields.py`), a test compares the table
of docs/policies.md with it, and `presets.py` contains the policies that differ. Numbers that users would not change are
constants next to their code.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.words import translatable

NO_LIMIT = 1_000_000_000
"""The value of a limit that is never reached."""
TARGET_SUMMARY_SHARE = 0.65
"""Share of the head for the summary, if a conversation is brought to a number of tokens, all of which are used. At a
quarter of its size, less loses facts of agents that work in plain text; more leaves too short a tail."""

MIN_USABLE = 8_000
"""Tokens that a fixed reserve leaves; in a window smaller than twice that, half of the window."""

Phase = Literal["before_request", "tool_result", "streaming", "after_turn"]


class Number(msgspec.Struct, frozen=True):
    """Description of a policy field, in addition to its type and default."""

    unit: str
    """The unit, a key of `policy_fields.BOUNDS_OF_UNIT`; "" for fields that are not numbers."""
    row: str
    """A row of docs/features.md, such as "C7"."""
    documents: str
    """The documents that require it, such as "0 1 3": 0 OpenFork, 1 LM Studio autocompaction, 2 SPEC-008, 3 the Go
    agent, 4 Seline, + our own."""
    label: str
    meaning: str
    """Completes the unit, if there is one: "kept for the reply" follows "tokens"."""
    bounds: tuple[float, float] | None = None
    """Lower and upper bound, if the unit's are too wide or too narrow: beyond them it would defeat its purpose."""
    is_common: bool = False
    """Whether people usually change it; the other fields of a group are collapsed."""
    limits: str = ""
    """The field that this share limits in a small window."""
    of: Literal["usable", "window", ""] = ""
    """For a share of tokens: the usable or the entire window. "" for a share of something else."""


# Each field has three lines: unit, row and documents; label and meaning; default.
# fmt: off
class ContextPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers that decide when and how room is made.

    Shares are of the usable window (window - reserve) unless a name says otherwise. Ages count later replies.
    """

    name: str = "balanced"

    # The budget
    reserve_tokens: Annotated[int, Number("tokens", "K14", "0 2 3",
        label=translatable("Reserved tokens"), meaning=translatable("kept for the reply; 0: by the share"))] = 0
    reserve_share_of_window: Annotated[float, Number("share", "C7", "1", bounds=(0, 0.5), limits="reserve_tokens",
        is_common=True,
        label=translatable("Reserved for the reply"), meaning=translatable("of the window kept for the reply"))] = 0.20
    max_reserve: Annotated[int, Number("tokens", "C7", "0 3",
        label=translatable("Reserve, at most"), meaning=translatable("the most that this share gives"))] = 16_384
    min_reserve: Annotated[int, Number("tokens", "C7", "1",
        label=translatable("Reserve, at least"), meaning=translatable("the least that is kept for the reply"))] = 1_000
    max_window: Annotated[int, Number("tokens", "C7", "+", bounds=(16_000, 2_000_000), is_common=True,
        label=translatable("Window limit"),
        meaning=translatable("of a larger window that are used, unless a request needs more"))] = NO_LIMIT
    limit_without_window: Annotated[int, Number("tokens", "C6", "3 4",
        label=translatable("Limit if the window is not known"),
        meaning=translatable("of a request if the window is not known; 0: no limit"))] = 128_000
    max_messages: Annotated[int, Number("messages", "K14", "3", bounds=(2, 10_000),
        label=translatable("Messages, at most"),
        meaning=translatable("from which older messages are summarized when there is no limit in tokens"))] = 50

    # When room is made
    is_automatic: Annotated[bool, Number("", "K14", "3",
        label=translatable("Automatic"), meaning=translatable("whether room is made automatically"))] = True
    phases: Annotated[tuple[Phase, ...], Number("", "S1", "1 3 4",
        label=translatable("Phases"),
        meaning=translatable("in which room is made at the shares below; in others, only where it would not fit"))] = (
        *("before_request", "tool_result", "streaming", "after_turn"),
    )
    layers: Annotated[tuple[Literal["prune", "compact"], ...], Number("", "S1", "0 2",
        label=translatable("Layers"), meaning=translatable("the layer that runs first"))] = ("prune", "compact")
    shares_of: Annotated[Literal["usable", "window"], Number("", "C8", "4",
        label=translatable("Shares are of"), meaning=translatable("what the shares below refer to"))] = "usable"
    """The base of the four shares below and the target; `fit_policy` converts them to shares of the usable window."""
    background_at: Annotated[float, Number("share", "C8", "4", bounds=(0.1, 1), of="usable", is_common=True,
        label=translatable("In the background, after a reply"),
        meaning=translatable("filling up: room is made in the background, after a reply"))] = 0.75
    prune_at: Annotated[float, Number("share", "C8", "1", of="usable", is_common=True,
        label=translatable("Shorten old tool results"),
        meaning=translatable("nearly full: old tool results are shortened"))] = 0.80
    compact_at: Annotated[float, Number("share", "C8", "0 4", bounds=(0.1, 1), of="usable", is_common=True,
        label=translatable("Summarize older messages"),
        meaning=translatable("full: older messages are summarized"))] = 0.90
    blocked_at: Annotated[float, Number("share", "C8", "4", bounds=(0.2, 1), of="usable", is_common=True,
        label=translatable("Nothing is sent"),
        meaning=translatable("too long: nothing is sent until there is room"))] = 0.95
    buffer_share_of_rest: Annotated[float, Number("share", "C7", "1", bounds=(0, 0.9),
        label=translatable("Safety margin, share of what is free"),
        meaning=translatable("of what is free, added to a request before it is compared"))] = 0.0
    min_buffer: Annotated[int, Number("tokens", "C7", "1",
        label=translatable("Safety margin, at least"),
        meaning=translatable("at least added to a request before it is compared"))] = 0

    # Layer 1: cut oversized results
    truncate_lines: Annotated[int, Number("lines", "T1", "0 3",
        label=translatable("Lines of a result"), meaning=translatable("of one tool result"))] = 2_000
    truncate_bytes: Annotated[int, Number("bytes", "T1", "0 3",
        label=translatable("Bytes of a result"), meaning=translatable("of one tool result"))] = 50 * 1024
    truncate_line: Annotated[int, Number("characters", "T1", "0", bounds=(80, 1_000_000),
        label=translatable("Length of a line"), meaning=translatable("of one line"))] = 2_000
    truncate_tools: Annotated[tuple[tuple[str, int], ...], Number("characters", "T2", "0",
        label=translatable("Limits by tool"), meaning=translatable("of the result of that tool"))] = (
        ("read", 100_000),
        ("bash", 50_000),
        ("grep", 30_000),
        ("glob", 20_000),
        ("web_fetch", 50_000),
        ("web_search", 20_000),
        ("list", 10_000),
    )
    truncate_other_tools: Annotated[int, Number("characters", "T2", "0", is_common=True,
        label=translatable("One tool result, in characters"),
        meaning=translatable("of the result of any other tool"))] = 50_000
    truncate_share: Annotated[float, Number("share", "T1", "+", limits="truncate_bytes", is_common=True,
        label=translatable("One tool result"),
        meaning=translatable("of the usable window: the most for one tool result; 0: no such limit"))] = 0.15
    truncate_keep: Annotated[Literal["by_tool", "head", "head_tail"], Number("", "T3", "3",
        label=translatable("Which end of a result stays"), meaning=translatable("which end stays"))] = "by_tool"
    spill_above: Annotated[int, Number("characters", "T4", "3",
        label=translatable("Only a notice, above"),
        meaning=translatable("above which only the notice remains, with both ends for a command"))] = 200_000
    spill_days: Annotated[int, Number("days", "T5", "0",
        label=translatable("Long outputs are kept for"),
        meaning=translatable("after which a long output that nothing refers to is removed"))] = 30

    # Layer 2: shorten old results
    prune_order: Annotated[tuple[str, ...], Number("", "P1-P6", "0 2 3 4",
        label=translatable("Order of shortening"), meaning=translatable("the strategies, mildest first"))] = (
        "repeats",
        "superseded",
        "old_errors",
        "truncate",
        "soft_trim",
        "digest",
        "hard_clear",
    )
    old_error_turns: Annotated[int, Number("turns", "P3", "4",
        label=translatable("Input of failed calls is dropped after"),
        meaning=translatable("after which the input of a failed call is dropped"))] = 4
    soft_trim_age: Annotated[int, Number("turns", "P4", "2",
        label=translatable("Trim results older than"), meaning=translatable("up to which a result is left alone"))] = 3
    soft_trim_above: Annotated[int, Number("characters", "P4", "2",
        label=translatable("Trim results longer than"),
        meaning=translatable("up to which a result is left alone"))] = 4_000
    soft_trim_head: Annotated[int, Number("characters", "P4", "2",
        label=translatable("Beginning of a trimmed result"),
        meaning=translatable("kept from its beginning"))] = 1_500
    soft_trim_tail: Annotated[int, Number("characters", "P4", "2",
        label=translatable("End of a trimmed result"), meaning=translatable("kept from its end"))] = 1_500
    digest_by: Annotated[Literal["rule", "model", "off"], Number("", "P5", "3",
        label=translatable("Who writes the digest of old results"),
        meaning=translatable("who writes the digest of old results"))] = "rule"
    digest_above: Annotated[int, Number("results", "P5", "3",
        label=translatable("Results next to the digest"),
        meaning=translatable("that stay visible next to the digest"))] = 10
    max_digest: Annotated[int, Number("characters", "P5", "3",
        label=translatable("Digest, at most"), meaning=translatable("of a digest by rule"))] = 800
    hard_clear_age: Annotated[int, Number("turns", "P6", "2 0",
        label=translatable("Reduce to one line, older than"),
        meaning=translatable("up to which a result is not reduced to one line"))] = 8
    protect_newest: Annotated[int, Number("tokens", "P7", "0", is_common=True,
        label=translatable("Newest messages never shortened"),
        meaning=translatable("at the end that are never shortened"))] = 40_000
    protect_share_of_window: Annotated[float, Number("share", "P7", "+", limits="protect_newest",
        label=translatable("Never shortened, share of the window"),
        meaning=translatable("of the window: the most that this protects"))] = 0.25
    protect_user_turns: Annotated[int, Number("turns", "P7", "4",
        label=translatable("Turns never shortened"), meaning=translatable("of the user that are never shortened"))] = 2
    protected_tools: Annotated[tuple[str, ...], Number("", "P7", "4",
        label=translatable("Tools never shortened"),
        meaning=translatable("patterns of tools, including MCP tools, whose results are never shortened"))] = (
        *("save_memory", "memory", "memory__*"),
        *("plan", "plan_*", "*_plan", "*_plan_*", "todo*", "*_todo*"),
    )
    prune_target: Annotated[float, Number("share", "P8", "0", of="usable", is_common=True,
        label=translatable("Shorten down to"),
        meaning=translatable("of the usable window at which shortening stops"))] = 0.50
    min_prune: Annotated[int, Number("tokens", "P8", "0",
        label=translatable("Shorten, at least"),
        meaning=translatable("below which shortening is not worth losing the provider's cache"))] = 20_000
    prune_least_share_of_window: Annotated[float, Number("share", "P8", "+", limits="min_prune",
        label=translatable("Shorten at least, share of the window"),
        meaning=translatable("of the window: the most that this asks for"))] = 0.10
    prune_runway: Annotated[float, Number("share", "P8", "+",
        label=translatable("Room that shortening must leave"),
        meaning=translatable("below background_at that shortening must leave; else a summary follows soon"))] = 0.25
    prune_enough: Annotated[int, Number("tokens", "P8", "0",
        label=translatable("Shortening stops at"), meaning=translatable("at which shortening stops"))] = NO_LIMIT
    cache_seconds: Annotated[int, Number("seconds", "P9", "+",
        label=translatable("The provider’s cache counts for, at most"),
        meaning=translatable("for which a provider's cache counts, however long it is kept; 0: never"))] = NO_LIMIT
    warn_cached: Annotated[int, Number("tokens", "P12", "+",
        label=translatable("Warn before a cache is lost, from"),
        meaning=translatable("in the provider's cache from which a change that loses it shows its price"))] = 50_000

    # Layer 3: summarize older messages
    strategy: Annotated[Literal["auto", "llm", "provider", "extractive", "last_messages"], Number("", "K3", "0 1 2 3 4",
        is_common=True,
        label=translatable("Who writes the summary"),
        meaning=translatable("who writes the summary; if that fails, the next one does"))] = "auto"
    """auto: by a model, but extractive for the built-in one; provider: by the model's provider itself where it can;
    each falls back to another strategy of this list."""
    target: Annotated[float, Number("share", "K1", "0", bounds=(0.05, 1), of="usable", is_common=True,
        label=translatable("Summarize down to"),
        meaning=translatable("to which summarizing brings the request"))] = 0.30
    min_target: Annotated[int, Number("tokens", "K1", "+",
        label=translatable("Summarize down to, at least"),
        meaning=translatable("the target in a small window, where the share would be less"))] = 3_200
    """The prompt and the tools take 1,700, so that a small window's share would leave too little to the messages."""
    target_share_of_due: Annotated[float, Number("share", "K1", "+", bounds=(0.1, 1),
        label=translatable("Target, share of the first threshold"),
        meaning=translatable("of the first share at which room is made: the most for the target"))] = 0.70
    max_tail: Annotated[int, Number("tokens", "K1", "3", is_common=True,
        label=translatable("Newest messages kept word for word"),
        meaning=translatable("that stay word for word; 0: by messages"))] = NO_LIMIT
    tail_share: Annotated[float, Number("share", "K1", "3", limits="max_tail",
        label=translatable("Newest messages, share"),
        meaning=translatable("of the usable window: the most for the newest messages"))] = 1.0
    """Share of the usable window: by default, the tail is as long as the target allows (decision 40)."""
    tail_assistant_turns: Annotated[int, Number("turns", "K1", "2",
        label=translatable("Newest messages, replies of the model"),
        meaning=translatable("of the model that stay if they fit"))] = 5
    tail_messages: Annotated[int, Number("messages", "K14", "3 4",
        label=translatable("Newest messages, number"),
        meaning=translatable("that stay when the newest are not measured in tokens"))] = 5
    min_head: Annotated[int, Number("messages", "K1", "0 4", bounds=(1, 1_000),
        label=translatable("Summarize, at least"), meaning=translatable("fewer are not summarized"))] = 1
    max_summary: Annotated[int, Number("tokens", "K2", "0 4", bounds=(50, 100_000), is_common=True,
        label=translatable("Length of the summary"), meaning=translatable("of the summary"))] = 2_000
    summary_share_of_head: Annotated[float, Number("share", "K2", "+", bounds=(0.01, 1),
        label=translatable("Summary, share of what it replaces"),
        meaning=translatable("of what it replaces: the most for the summary"))] = 0.50
    summary_share_of_target: Annotated[float, Number("share", "K2", "+", bounds=(0.1, 1),
        label=translatable("Summary, share of the target"),
        meaning=translatable("of the target, minus what must stay: the most for the summary"))] = 0.60
    summary_calls: Annotated[int, Number("calls", "K3", "+", bounds=(1, 1_000),
        label=translatable("Summary, calls at most"),
        meaning=translatable("of a model for one summary; a head that needs more is summarized by rules"))] = 16
    parallel_calls: Annotated[int, Number("calls", "K3", "+", bounds=(1, 64),
        label=translatable("Summary, calls at once"),
        meaning=translatable("at the same time, for a head that is read in several parts"))] = 4
    call_seconds: Annotated[int, Number("seconds", "K11", "+", bounds=(1, 3_600),
        label=translatable("One call for a summary, time"), meaning=translatable("for one call of that model"))] = 60
    compaction_seconds: Annotated[int, Number("seconds", "K11", "+", bounds=(1, 86_400),
        label=translatable("One summary, time"), meaning=translatable("for all calls of one summary"))] = 300
    repair_calls: Annotated[int, Number("calls", "K7", "+",
        label=translatable("Repairs of a summary"),
        meaning=translatable("more, when rules or open questions are lost"))] = 1
    max_spend: Annotated[int, Number("compactions", "K3", "+",
        label=translatable("Automatic summaries by a model, at most"),
        meaning=translatable("that ask a model automatically within the time below; 0: no limit"))] = 24
    spend_seconds: Annotated[int, Number("seconds", "K3", "+", bounds=(1, 86_400),
        label=translatable("Automatic summaries, counted within"),
        meaning=translatable("in which they are counted, over all conversations"))] = 600
    ahead: Annotated[float, Number("share", "K15", "+", bounds=(0, 0.5), of="usable",
        label=translatable("Write a summary ahead, before the first threshold"),
        meaning=translatable("below the first threshold at which a summary is written ahead; 0: never"))] = 0.10
    keep_user_tokens: Annotated[int, Number("tokens", "K9", "+", is_common=True,
        label=translatable("Your own messages kept word for word"),
        meaning=translatable("of the user's own messages that stay word for word"))] = 0

    # While a reply streams, at tool results, after an overflow
    stream_stop_at: Annotated[float, Number("share", "S3", "1", bounds=(0.2, 1), of="window", is_common=True,
        label=translatable("A streaming reply is stopped"),
        meaning=translatable("of the whole window: the reply is stopped, and goes on once there is room"))] = 0.90
    stream_abort_at: Annotated[float, Number("share", "S3", "1", bounds=(0.2, 1), of="window",
        label=translatable("A streaming reply ends with an error"),
        meaning=translatable("of the whole window: the reply ends with an error"))] = 1.00
    stream_restarts: Annotated[int, Number("restarts", "S3", "1",
        label=translatable("Restarts of a reply"), meaning=translatable("of one reply"))] = 2
    stream_calls: Annotated[int, Number("calls", "S5", "+", bounds=(1, 10_000),
        label=translatable("Tool calls of one reply"),
        meaning=translatable("of tools in one reply; with more it is stopped, and none is run"))] = 128
    stream_quiet_seconds: Annotated[int, Number("seconds", "S5", "+", bounds=(1, 86_400),
        label=translatable("Silence of a reply"),
        meaning=translatable("without content while the server sends keep-alive messages"))] = 1_800
    tool_result_tries: Annotated[int, Number("tries", "S2", "1",
        label=translatable("Making room in one turn, tries"),
        meaning=translatable("to make room in one turn; room that lasts for ten replies gives them back"))] = 3
    min_unanswered: Annotated[int, Number("tokens", "S2", "+",
        label=translatable("Kept of a result that was not read yet"),
        meaning=translatable("kept of each result that no reply has followed, if not all fit"))] = 300
    max_retry_wait: Annotated[int, Number("seconds", "S5", "+",
        label=translatable("Wait before a retry, at most"),
        meaning=translatable("that a provider may ask to wait; if it asks for more, you are asked instead"))] = 60
    overflow_retries: Annotated[int, Number("retries", "S5", "3",
        label=translatable("After an overflow, retries"),
        meaning=translatable("after a provider said that the request was too long"))] = 1
    overflow_shed: Annotated[tuple[float, ...], Number("shares", "S5", "+",
        label=translatable("After an overflow, results left out"),
        meaning=translatable("of the tool results that are left out then, one step after the other"))] = (
        *(0.10, 0.20, 0.50, 1.00),
    )

    # Memory
    flush_distance: Annotated[int, Number("tokens", "S7", "2",
        label=translatable("Memories are saved before summarizing"),
        meaning=translatable("before older messages are summarized, at which memories are saved; 0: never"))] = 4_000
    flush_share: Annotated[float, Number("share", "S7", "+", limits="flush_distance",
        label=translatable("Memories are saved before summarizing, share"),
        meaning=translatable("of the usable window: the most of that distance"))] = 0.15
    """Maximum distance as a share of the usable window: 4,000 tokens are half of a small window, and messages after the
    flush are only considered before the next compaction."""
    flush_seconds: Annotated[int, Number("seconds", "S7", "+", bounds=(1, 3_600),
        label=translatable("Saving memories, time"),
        meaning=translatable("for the model that decides what to remember; after that, rules do"))] = 60
    max_memory: Annotated[int, Number("tokens", "S8", "+", is_common=True,
        label=translatable("Memories in the system prompt"),
        meaning=translatable("of memories in the system prompt"))] = 1_000
    max_recall: Annotated[int, Number("tokens", "S9", "+", is_common=True,
        label=translatable("Looking things up, at most"),
        meaning=translatable("that one lookup may bring back"))] = 4_000
    recall_unasked_share: Annotated[float, Number("share", "S9", "+", of="usable",
        label=translatable("Looking up automatically, share"),
        meaning=translatable("of the usable window: the most for what is looked up automatically"))] = 0.02

    # Besides the conversation: research and images
    research_rounds: Annotated[int, Number("calls", "L2", "+", bounds=(1, 1_000),
        label=translatable("Research, rounds"),
        meaning=translatable("of the model for one research, including its answer"))] = 12
    research_seconds: Annotated[int, Number("seconds", "L2", "+", bounds=(1, 86_400),
        label=translatable("Research, time"), meaning=translatable("after which nothing more is searched"))] = 300
    # fmt: on

    @property
    def thresholds(self) -> tuple[float, float, float, float]:
        """The shares at which warning, tight, critical and exceeded begin. Steps that the policy skips have no mark.

        A policy that always prunes does not always warn.
        """
        prunes = self.prune_at > 0 and self.prune_order and "prune" in self.layers
        tight = self.prune_at if prunes else self.compact_at
        warning = self.background_at if "after_turn" in self.phases else min(tight, self.compact_at)
        return (warning, max(warning, tight if prunes else warning), self.compact_at, self.blocked_at)


BALANCED = ContextPolicy()


class Budget(msgspec.Struct, frozen=True):
    """The numbers of one model under one policy, in tokens. usable = window - reserve; limit = usable + spare."""

    window: int
    """Tokens that are used: the model's window, or the part of it to which the policy or the user limits it."""
    reserve: int
    max_messages: int = NO_LIMIT
    """Number of messages from which a compaction is also due (K14)."""
    spare: int = 0
    """The rest of the model's window, for requests and replies that cannot be shorter."""

    @property
    def usable(self) -> int:
        return self.window - self.reserve

    @property
    def limit(self) -> int:
        """Tokens of the longest request that the model takes."""
        return self.usable + self.spare

    @property
    def whole_window(self) -> int:
        return self.window + self.spare

    def blocked_tokens(self, policy: ContextPolicy) -> int:
        """Return the tokens from which a request is refused."""
        return round(policy.blocked_at * self.limit)

    def thresholds(self, policy: ContextPolicy) -> tuple[float, float, float, float]:
        """Return the policy's thresholds, of which the last refers to the limit, as shares of the usable window."""
        warning, tight, critical, exceeded = policy.thresholds
        return warning, tight, critical, exceeded * self.limit / self.usable if self.spare else exceeded

    def share(self, total: int) -> float:
        """Return the part of the usable window that `total` tokens take."""
        return total / self.usable if self.usable > 0 else float("inf")

    def counted_with(self, factor: float) -> Budget:
        """Return the same budget for counts that are too low by the factor."""
        usable, reserve, spare = (int(tokens / factor) for tokens in (self.usable, self.reserve, self.spare))
        return Budget(usable + reserve, reserve, self.max_messages, spare)

    def as_counted(self, total: int, counted: int) -> Budget:
        """Return the same budget in our own token counts, by which a request of `total` tokens has `counted`."""
        return self.counted_with(total / counted) if total > 0 and counted > 0 else self


def budget_for(
    policy: ContextPolicy, window: int, max_output: int = 0, is_assumed: bool = False, max_window: int = 0
) -> Budget:
    """Return the budget of a model with the given window.

    The reserve takes at most half of a small window, so that the window remains usable. max_output: tokens of the
    longest reply that the model can write, which limits the reserve by share; 0 if unknown. is_assumed: whether the
    window is unknown; then requests are limited to the policy's number (C6), or messages are counted (K14).
    max_window: the tokens that the user wants to use of this model's window; 0 for the policy's number.
    """
    whole, window = window, min(window, max_window or policy.max_window)
    share = min(round(window * policy.reserve_share_of_window), policy.max_reserve, max_output or NO_LIMIT)
    reserve = max(policy.reserve_tokens or share, policy.min_reserve)
    reserve = min(reserve, window - min(-(-window // 2), MIN_USABLE))
    if not is_assumed:
        return Budget(window, reserve, spare=whole - window)
    if not policy.limit_without_window:
        return Budget(window, reserve, policy.max_messages, whole - window)
    return Budget(min(window, policy.limit_without_window + reserve), reserve)


def policy_for_target(policy: ContextPolicy) -> ContextPolicy:
    """Return the policy for a maximum number of tokens, which is the budget's window, with nothing reserved.

    All tokens are used, since they would be lost otherwise: the summary may be as long as people read, and the tail
    takes the rest.
    """
    return replace(
        policy,
        target=1.0,
        min_target=0,
        prune_target=1.0,
        blocked_at=1.0,
        max_summary=40_000,
        summary_share_of_head=TARGET_SUMMARY_SHARE,
        summary_share_of_target=1.0,
        max_tail=NO_LIMIT,
        tail_share=1.0,
        background_at=1.0,
        prune_at=1.0,
        compact_at=1.0,
        shares_of="usable",
    )


class PolicyTrial(msgspec.Struct, frozen=True):
    """The effect that a policy would have on a conversation now."""

    before: Gauge
    after: Gauge
    """The same request, measured under the current policy and under the tried one."""
    acting: ContextPolicy
    """The tried policy, with its numbers as they apply to the model's window."""
    archived: int = 0
    pruned: int = 0
    """Messages that it would archive and prune at once."""
    tokens_after: int = 0
    """Tokens of the request after that."""
    note: str = ""
    """Why nothing would help, as text for the user; "" otherwise."""
