"""What each number of a policy means, its unit and bounds, and where it comes from: `palimpsest policy` prints it.

A source is a row of the table of features, and the design documents that asked for it by their number:
0 OpenFork, 1 LM Studio autocompaction, 2 SPEC-008, 3 the Go agent, 4 Seline, + our own.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from .policy import NO_LIMIT

_BOUNDS_OF_UNIT: dict[str, tuple[float, float]] = {
    "": (0, 0),
    "share": (0, 1),
    "shares": (0, 1),
    "factor": (0.01, 10),
    "tokens": (0, 2_000_000),
    "lines": (10, 100_000),
    "bytes": (1_000, 10_000_000),
    "characters": (0, 10_000_000),
    "messages": (0, 10_000),
    "turns": (0, 100),
    "results": (0, 1_000),
    "calls": (0, 10),
    "seconds": (0, 86_400),
    "days": (1, 3_650),
    "compactions": (0, 1_000),
    "restarts": (0, 20),
    "retries": (0, 20),
    "tries": (1, 20),
}
_BOUNDS: dict[str, tuple[float, float]] = {
    "reserve_share_of_window": (0, 0.5),
    "messages_most": (2, 10_000),
    "calibration_weight": (0.01, 1),
    "calibration_step": (0.01, 1),
    "calibration_least": (0.1, 1),
    "calibration_most": (1, 10),
    "due_least": (0, 0.9),
    "background_at": (0.1, 1),
    "compact_at": (0.1, 1),
    "blocked_at": (0.2, 1),
    "buffer_share_of_rest": (0, 0.9),
    "truncate_line": (80, 1_000_000),
    "target": (0.05, 1),
    "target_share_of_due": (0.1, 1),
    "head_least": (1, 1_000),
    "summary_most": (50, 100_000),
    "summary_share_of_head": (0.01, 1),
    "call_seconds": (1, 3_600),
    "compaction_seconds": (1, 86_400),
    "spend_seconds": (1, 86_400),
    "futile_in_a_row": (1, 100),
    "last_resort_messages": (1, 1_000),
    "stream_stop_at": (0.2, 1),
    "stream_abort_at": (0.2, 1),
    "stream_rest": (0, 0.5),
    "stream_calls": (1, 10_000),
    "summary_calls": (1, 1_000),
    "summary_asked_share": (0.1, 1),
    "summary_reply_share": (0.05, 0.5),
    "aside_share": (0.1, 1),
    "aside_share_again": (0.1, 1),
    "tail_share_least": (0, 0.5),
    "digest_seconds": (1, 3_600),
    "flush_seconds": (1, 3_600),
    "flush_reply_share": (0.05, 0.5),
    "research_rounds": (1, 1_000),
    "research_seconds": (1, 86_400),
    "research_answer_seconds": (1, 3_600),
    "research_share": (0.1, 1),
    "caption_seconds": (1, 3_600),
    "stream_characters": (1_000, 100_000_000),
    "stream_quiet_seconds": (1, 86_400),
}
"""Where those of the unit are not narrow or wide enough: beyond these a number would break what it is for."""
_UNLIMITED = ("tokens", "lines", "bytes", "characters", "messages")
"""Units of numbers that may also be without a limit."""


class FieldSource(msgspec.Struct, frozen=True):
    """One field of the policy."""

    field: str
    row: str
    """Of the table of features, such as "C7"."""
    documents: str
    """Such as "0 1 3"."""
    unit: str
    """What the number counts."""
    meaning: str
    least: float
    most: float
    """The bounds of the number, or of each one in a list; without a unit there are none."""

    @property
    def may_be_unlimited(self) -> bool:
        return self.unit in _UNLIMITED

    def has_within(self, value: Any) -> bool:
        """Return whether that value of the field lies within its bounds."""
        if isinstance(value, tuple):
            elements = cast("tuple[Any, ...]", value)
            return all(self.has_within(one[-1] if isinstance(one, tuple) else one) for one in elements)
        if isinstance(value, bool | str):
            return True
        return self.least <= value <= self.most or (self.may_be_unlimited and value == NO_LIMIT)


class FieldGroup(msgspec.Struct, frozen=True):
    """The fields of one layer or phase, in the order in which they are printed."""

    title: str
    sources: tuple[FieldSource, ...]


def _group(title: str, *rows: tuple[str, str, str, str, str]) -> FieldGroup:
    return FieldGroup(title, tuple(FieldSource(*row, *_BOUNDS.get(row[0], _BOUNDS_OF_UNIT[row[3]])) for row in rows))


BUDGET = _group(
    "The budget",
    ("reserve_tokens", "K14", "0 2 3", "tokens", "kept for the reply; 0: by the share"),
    ("reserve_share_of_window", "C7", "1", "share", "of the window kept for the reply"),
    ("reserve_most", "C7", "0 3", "tokens", "the most that this share gives"),
    ("reserve_least", "C7", "1", "tokens", "the least that is kept for the reply"),
    ("limit_without_window", "C6", "3 4", "tokens", "of a request where nobody knows the window; 0: no limit"),
    ("messages_most", "K14", "3", "messages", "from which on is compacted when there is no limit in tokens"),
    ("calibration_weight", "C5", "+", "share", "of the newest report in what is learned of a model's counts"),
    ("calibration_step", "C5", "+", "factor", "that one report can move it by"),
    ("calibration_least", "C5", "+", "factor", "below which it never gets"),
    ("calibration_most", "C5", "+", "factor", "above which it never gets"),
)
LADDER = _group(
    "When room is made",
    ("is_automatic", "K14", "3", "", "whether room is made without the user's word"),
    ("phases", "S1", "1 3 4", "", "in which room is made at the shares below; in others, only where it would not fit"),
    ("layers", "S1", "0 2", "", "which layer is asked first"),
    ("shares_of", "C8", "4", "", "what the shares below are of"),
    ("due_least", "C8", "+", "share", "of what can be used: nothing is due below it, however small the window"),
    ("background_at", "C8", "4", "share", "warning: room is made in the background, after a turn"),
    ("prune_at", "C8", "1", "share", "tight: pruning is due"),
    ("compact_at", "C8", "0 4", "share", "critical: compaction is due"),
    ("blocked_at", "C8", "4", "share", "exceeded: nothing is sent until there is room"),
    ("buffer_share_of_rest", "C7", "1", "share", "of what is free, added to a request before it is compared"),
    ("buffer_least", "C7", "1", "tokens", "at least added to a request before it is compared"),
)
TRUNCATE = _group(
    "Layer 1: truncate",
    ("truncate_lines", "T1", "0 3", "lines", "of one tool result"),
    ("truncate_bytes", "T1", "0 3", "bytes", "of one tool result"),
    ("truncate_line", "T1", "0", "characters", "of one line"),
    ("truncate_tools", "T2", "0", "characters", "of the result of that tool"),
    ("truncate_other_tools", "T2", "0", "characters", "of the result of any other tool"),
    ("truncate_share", "T1", "+", "share", "of what can be used: the most for one tool result; 0: no such limit"),
    ("truncate_keep", "T3", "3", "", "which end stays"),
    ("spill_above", "T4", "3", "characters", "above which only the notice stays; of a command both ends as well"),
    ("spill_days", "T5", "0", "days", "after which a spill that nothing refers to is removed"),
)
PRUNE = _group(
    "Layer 2: prune",
    ("prune_order", "P1-P6", "0 2 3 4", "", "the strategies, mildest first"),
    ("old_error_turns", "P3", "4", "turns", "after which the input of a failed call is dropped"),
    ("soft_trim_age", "P4", "2", "turns", "up to which a result is left alone"),
    ("soft_trim_above", "P4", "2", "characters", "up to which a result is left alone"),
    ("soft_trim_head", "P4", "2", "characters", "that stay of its beginning"),
    ("soft_trim_tail", "P4", "2", "characters", "that stay of its end"),
    ("digest_by", "P5", "3", "", "who writes the digest of old results"),
    ("digest_above", "P5", "3", "results", "that stay visible beside the digest"),
    ("digest_most", "P5", "3", "characters", "of a digest by rule"),
    ("digest_model_most", "P5", "3", "characters", "of a digest by the model"),
    ("digest_model_input", "P5", "3", "characters", "that the model gets for it"),
    ("digest_model_reply", "P5", "+", "tokens", "of its reply: twice what the digest takes"),
    ("digest_seconds", "P5", "+", "seconds", "for the model's digest; then the rule's stays"),
    ("hard_clear_age", "P6", "2 0", "turns", "up to which a result is not cleared"),
    ("protect_newest", "P7", "0", "tokens", "at the end that are never pruned"),
    ("protect_share_of_window", "P7", "+", "share", "of the window: the most that this protects"),
    ("protect_user_turns", "P7", "4", "turns", "of the user that are never pruned"),
    ("protected_tools", "P7", "4", "", "patterns of tools whose results are never pruned, those of servers too"),
    ("prune_target", "P8", "0", "share", "of what can be used at which pruning stops"),
    ("prune_least", "P8", "0", "tokens", "below which a prune is not worth breaking the prefix"),
    ("prune_least_share_of_window", "P8", "+", "share", "of the window: the most that this asks for"),
    ("prune_runway", "P8", "+", "share", "below background_at that a prune must leave; else a compaction follows soon"),
    ("prune_enough", "P8", "0", "tokens", "at which a prune stops"),
    ("cache_seconds", "P9", "+", "seconds", "for which a provider keeps a prefix; 0: not considered"),
)
COMPACT = _group(
    "Layer 3: compact",
    ("strategy", "K3", "0 1 2 3 4", "", "who writes the summary; if it cannot, the next of them does"),
    ("target", "K1", "0", "share", "to which a compaction brings the request"),
    ("target_share_of_due", "K1", "+", "share", "of the first share at which room is made: the most for the target"),
    ("tail_most", "K1", "3", "tokens", "that stay word for word; 0: by messages"),
    ("tail_share", "K1", "3", "share", "of what can be used: the most for the tail"),
    ("tail_share_least", "W2", "+", "share", "of what can be used: the shortest tail that Optimize offers"),
    ("tail_assistant_turns", "K1", "2", "turns", "of the model that stay where they fit"),
    ("tail_messages", "K14", "3 4", "messages", "that stay when the tail is not measured in tokens"),
    ("head_least", "K1", "0 4", "messages", "a compaction of fewer is not made"),
    ("summary_most", "K2", "0 4", "tokens", "of the summary"),
    ("summary_share_of_head", "K2", "+", "share", "of what it replaces: the most for the summary"),
    ("summary_least", "K2", "+", "tokens", "for the summary, before the target is met"),
    ("summary_asked_share", "K2", "+", "share", "of the summary's length that the model is asked for"),
    ("summary_facts_share", "K7", "+", "share", "of the summary: the most for sentences that the model must copy"),
    ("summary_kept_share", "K3", "+", "share", "of what can be used, for messages that the model wants to keep"),
    ("summary_input_result", "K3", "3", "characters", "of a tool result that the summarizing model gets"),
    ("summary_reply_least", "K3", "+", "tokens", "that the model may write for a summary: some think first"),
    ("summary_reply_share", "K3", "+", "share", "of the window of the model that writes it: the most for its reply"),
    ("summary_calls", "K3", "+", "calls", "of a model for one summary; a head that needs more is summarized by rules"),
    ("aside_share", "K3", "+", "share", "of the room in a request for a summary or memories: tokens are estimated"),
    ("aside_share_again", "K3", "+", "share", "of that room, once a provider refused the request as too long"),
    ("call_seconds", "K11", "+", "seconds", "for one call of that model"),
    ("compaction_seconds", "K11", "+", "seconds", "for one compaction"),
    ("repair_calls", "K7", "+", "calls", "more, when rules or open questions are lost"),
    ("spend_most", "K3", "+", "compactions", "that ask a model unasked within the time below; 0: no limit"),
    ("spend_seconds", "K3", "+", "seconds", "in which they are counted, over all conversations"),
    ("is_filling", "K1", "+", "", "whether the tail takes what the summary leaves of the target"),
    ("keep_user_tokens", "K9", "+", "tokens", "of the user's own messages that stay word for word"),
    ("keep_user_share", "K9", "+", "share", "of the target: the most for those messages"),
    ("futile_below", "K8", "+", "share", "that a compaction must free"),
    ("futile_in_a_row", "K8", "+", "compactions", "that freed less stop the automatic ones"),
    ("last_resort_messages", "K5", "1", "messages", "that stay when nothing else helped"),
)
PHASES = _group(
    "While a reply streams, at tool results, after an overflow",
    ("stream_stop_at", "S3", "1", "share", "of the whole window: the reply is stopped, and goes on after a compaction"),
    ("stream_abort_at", "S3", "1", "share", "of the whole window: the reply ends with an error"),
    ("stream_rest", "S3", "+", "share", "of the whole window that a stopped reply must find to go on"),
    ("stream_restarts", "S3", "1", "restarts", "of one reply"),
    ("stream_grace", "S3", "+", "tokens", "more until the end of a line, then as many until the end of a word"),
    ("stream_grace_share", "S3", "+", "share", "of the whole window: the most for that"),
    ("stream_calls", "S5", "+", "calls", "of tools in one reply; with more it is stopped, and none is run"),
    ("stream_characters", "S5", "+", "characters", "of one reply; with more it is stopped"),
    ("stream_quiet_seconds", "S5", "+", "seconds", "without content, though the server sends signs of life"),
    ("tool_result_tries", "S2", "1", "tries", "in one turn to make room for a tool result"),
    ("retry_wait_most", "S5", "+", "seconds", "that a provider may ask to wait for; for longer, you are asked instead"),
    ("overflow_retries", "S5", "3", "retries", "after a provider said that the request was too long"),
    ("overflow_shed", "S5", "+", "shares", "of the tool results that are shed then, one after the other"),
)
MEMORY = _group(
    "Memory",
    ("flush_distance", "S7", "2", "tokens", "before a compaction, at which memories are saved; 0: never"),
    ("flush_share", "S7", "+", "share", "of what can be used: the most of that distance"),
    ("flush_seconds", "S7", "+", "seconds", "for the model that says what is to be remembered; then rules do"),
    ("flush_reply", "S7", "+", "tokens", "of its reply"),
    ("flush_reply_share", "S7", "+", "share", "of its window: the most for that reply"),
    ("flush_gone_most", "S7", "+", "tokens", "of archived messages that it is shown again beside the conversation"),
    ("memory_most", "S8", "+", "tokens", "of memories in the system prompt"),
    ("memory_share", "S8", "+", "share", "of what can be used: the most for memories"),
    ("recall_most", "S9", "+", "tokens", "that one recall may bring back"),
    ("recall_share", "S9", "+", "share", "of what can be used: the most for a recall that the model asks for"),
    ("recall_unasked_share", "S9", "+", "share", "of what can be used: the most for a recall that nobody asked for"),
    ("recall_unasked_least", "S9", "+", "tokens", "where that share is less, nothing is recalled unasked"),
)

ASIDE = _group(
    "Beside the conversation: research and images",
    ("research_rounds", "L2", "+", "calls", "of the model for one research, the answer's included"),
    ("research_seconds", "L2", "+", "seconds", "after which nothing more is searched"),
    ("research_answer_seconds", "L2", "+", "seconds", "for the answer then"),
    ("research_share", "L2", "+", "share", "of what can be used: above it, results of the research are dropped"),
    ("research_answer_share", "L2", "+", "share", "of what can be used: the most for the answer in the conversation"),
    ("caption_most", "L2", "+", "tokens", "that stand for an image which the model cannot see"),
    ("caption_seconds", "L2", "+", "seconds", "for the description of one image"),
)

GROUPS = (BUDGET, LADDER, TRUNCATE, PRUNE, COMPACT, PHASES, MEMORY, ASIDE)
SOURCES = {source.field: source for group in GROUPS for source in group.sources}
