"""The meaning, unit, bounds and source of each number of a policy, as `palimpsest policy` prints them.

A source is a row of the table of features, and the design documents that asked for it by their number:
0 OpenFork, 1 LM Studio autocompaction, 2 SPEC-008, 3 the Go agent, 4 Seline, + our own.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from desktop_app.conversation.words import translatable

from .policy import NO_LIMIT

MEANINGS = {
    "reserve_tokens": translatable("kept for the reply; 0: by the share"),
    "reserve_share_of_window": translatable("of the window kept for the reply"),
    "reserve_most": translatable("the most that this share gives"),
    "reserve_least": translatable("the least that is kept for the reply"),
    "limit_without_window": translatable("of a request where nobody knows the window; 0: no limit"),
    "messages_most": translatable("from which older messages are summarized when there is no limit in tokens"),
    "calibration_weight": translatable("of the newest report in what is learned of a model's counts"),
    "calibration_step": translatable("that one report can move it by"),
    "calibration_least": translatable("below which it never gets"),
    "calibration_most": translatable("above which it never gets"),
    "is_automatic": translatable("whether room is made automatically"),
    "phases": translatable("in which room is made at the shares below; in others, only where it would not fit"),
    "layers": translatable("which layer is asked first"),
    "shares_of": translatable("what the shares below are of"),
    "due_least": translatable("of what can be used: nothing is done below it, however small the window"),
    "background_at": translatable("filling up: room is made in the background, after a reply"),
    "prune_at": translatable("nearly full: old tool results are shortened"),
    "compact_at": translatable("full: older messages are summarized"),
    "blocked_at": translatable("too long: nothing is sent until there is room"),
    "buffer_share_of_rest": translatable("of what is free, added to a request before it is compared"),
    "buffer_least": translatable("at least added to a request before it is compared"),
    "truncate_lines": translatable("of one tool result"),
    "truncate_bytes": translatable("of one tool result"),
    "truncate_line": translatable("of one line"),
    "truncate_tools": translatable("of the result of that tool"),
    "truncate_other_tools": translatable("of the result of any other tool"),
    "truncate_share": translatable("of what can be used: the most for one tool result; 0: no such limit"),
    "truncate_keep": translatable("which end stays"),
    "spill_above": translatable("above which only the notice stays; of a command both ends as well"),
    "spill_days": translatable("after which a long output that nothing refers to is removed"),
    "prune_order": translatable("the strategies, mildest first"),
    "old_error_turns": translatable("after which the input of a failed call is dropped"),
    "soft_trim_age": translatable("up to which a result is left alone"),
    "soft_trim_above": translatable("up to which a result is left alone"),
    "soft_trim_head": translatable("that stay of its beginning"),
    "soft_trim_tail": translatable("that stay of its end"),
    "digest_by": translatable("who writes the digest of old results"),
    "digest_above": translatable("that stay visible beside the digest"),
    "digest_most": translatable("of a digest by rule"),
    "digest_model_most": translatable("of a digest by the model"),
    "digest_model_input": translatable("that the model gets for it"),
    "digest_model_reply": translatable("of its reply: twice what the digest takes"),
    "digest_seconds": translatable("for the model's digest; then the rule's stays"),
    "hard_clear_age": translatable("up to which a result is not reduced to one line"),
    "protect_newest": translatable("at the end that are never shortened"),
    "protect_share_of_window": translatable("of the window: the most that this protects"),
    "protect_user_turns": translatable("of the user that are never shortened"),
    "protected_tools": translatable("patterns of tools whose results are never shortened, those of servers too"),
    "prune_target": translatable("of what can be used at which shortening stops"),
    "prune_least": translatable("below which shortening is not worth losing the provider's cache"),
    "prune_least_share_of_window": translatable("of the window: the most that this asks for"),
    "prune_runway": translatable("below background_at that shortening must leave; else a summary follows soon"),
    "prune_enough": translatable("at which shortening stops"),
    "cache_seconds": translatable("for which a provider's cache keeps the beginning of a request; 0: not considered"),
    "strategy": translatable("who writes the summary; if it cannot, the next of them does"),
    "target": translatable("to which summarizing brings the request"),
    "target_least": translatable("to which it brings it in a small window, of which the share would be less"),
    "target_share_of_due": translatable("of the first share at which room is made: the most for the target"),
    "tail_most": translatable("that stay word for word; 0: by messages"),
    "tail_share": translatable("of what can be used: the most for the newest messages"),
    "tail_share_least": translatable("of what can be used: the least for the newest messages that Optimize offers"),
    "tail_assistant_turns": translatable("of the model that stay where they fit"),
    "tail_messages": translatable("that stay when the newest are not measured in tokens"),
    "head_least": translatable("fewer are not summarized"),
    "summary_most": translatable("of the summary"),
    "summary_share_of_head": translatable("of what it replaces: the most for the summary"),
    "summary_share_of_target": translatable("of the target, without what must stay: the most for the summary"),
    "summary_least": translatable("for the summary, before the target is met"),
    "summary_asked_share": translatable("of the summary's length that the model is asked for"),
    "summary_facts_share": translatable("of the summary: the most for sentences that the model must copy"),
    "summary_kept_share": translatable("of what can be used, for messages that the model wants to keep"),
    "summary_input_result": translatable("of a tool result that the summarizing model gets"),
    "summary_reply_least": translatable("that the model may write for a summary: some think first"),
    "summary_reply_share": translatable("of the window of the model that writes it: the most for its reply"),
    "summary_calls": translatable("of a model for one summary; a head that needs more is summarized by rules"),
    "aside_share": translatable("of the room in a request for a summary or memories: tokens are estimated"),
    "aside_share_again": translatable("of that room, once a provider refused the request as too long"),
    "call_seconds": translatable("for one call of that model"),
    "compaction_seconds": translatable("for all calls of one summary"),
    "repair_calls": translatable("more, when rules or open questions are lost"),
    "spend_most": translatable("that ask a model automatically within the time below; 0: no limit"),
    "spend_seconds": translatable("in which they are counted, over all conversations"),
    "keep_user_tokens": translatable("of the user's own messages that stay word for word"),
    "keep_user_share": translatable("of the target: the most for those messages"),
    "futile_below": translatable("that a summary must free"),
    "futile_in_a_row": translatable("that freed less stop the automatic ones"),
    "last_resort_messages": translatable("that stay when nothing else helped"),
    "stream_stop_at": translatable("of the whole window: the reply is stopped, and goes on once there is room"),
    "stream_abort_at": translatable("of the whole window: the reply ends with an error"),
    "stream_rest": translatable("of the whole window that a stopped reply must find to go on"),
    "stream_restarts": translatable("of one reply"),
    "stream_grace": translatable("more until the end of a line, then as many until the end of a word"),
    "stream_grace_share": translatable("of the whole window: the most for that"),
    "stream_calls": translatable("of tools in one reply; with more it is stopped, and none is run"),
    "stream_characters": translatable("of one reply; with more it is stopped"),
    "stream_quiet_seconds": translatable("without content, though the server sends signs of life"),
    "tool_result_tries": translatable("in one turn to make room for a tool result"),
    "unanswered_least": translatable("that stay of each result that no reply has followed, where not all fit"),
    "unanswered_share": translatable("of what can be used: the most for that floor"),
    "retry_wait_most": translatable("that a provider may ask to wait for; for longer, you are asked instead"),
    "overflow_retries": translatable("after a provider said that the request was too long"),
    "overflow_shed": translatable("of the tool results that are left out then, one step after the other"),
    "flush_distance": translatable("before older messages are summarized, at which memories are saved; 0: never"),
    "flush_share": translatable("of what can be used: the most of that distance"),
    "flush_seconds": translatable("for the model that says what should be remembered; then rules do"),
    "flush_reply": translatable("of its reply"),
    "flush_reply_share": translatable("of its window: the most for that reply"),
    "flush_gone_most": translatable("of archived messages that it is shown again beside the conversation"),
    "memory_most": translatable("of memories in the system prompt"),
    "memory_share": translatable("of what can be used: the most for memories"),
    "recall_most": translatable("that looking up once may bring back"),
    "recall_share": translatable("of what can be used: the most for looking up what the model asks for"),
    "recall_unasked_share": translatable("of what can be used: the most for what is looked up automatically"),
    "recall_unasked_least": translatable("where that share is less, nothing is looked up automatically"),
    "research_rounds": translatable("of the model for one research, the answer's included"),
    "research_seconds": translatable("after which nothing more is searched"),
    "research_answer_seconds": translatable("for the answer then"),
    "research_share": translatable("of what can be used: above it, results of the research are dropped"),
    "research_answer_share": translatable("of what can be used: the most for the answer in the conversation"),
    "caption_most": translatable("that stand for an image which the model cannot see"),
    "caption_seconds": translatable("for the description of one image"),
}


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
    "summary_share_of_target": (0.1, 1),
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


def _group(title: str, *rows: tuple[str, str, str, str]) -> FieldGroup:
    sources = (
        FieldSource(field, row, documents, unit, MEANINGS[field], *_BOUNDS.get(field, _BOUNDS_OF_UNIT[unit]))
        for field, row, documents, unit in rows
    )
    return FieldGroup(title, tuple(sources))


BUDGET = _group(
    translatable("The budget"),
    ("reserve_tokens", "K14", "0 2 3", "tokens"),
    ("reserve_share_of_window", "C7", "1", "share"),
    ("reserve_most", "C7", "0 3", "tokens"),
    ("reserve_least", "C7", "1", "tokens"),
    ("limit_without_window", "C6", "3 4", "tokens"),
    ("messages_most", "K14", "3", "messages"),
    ("calibration_weight", "C5", "+", "share"),
    ("calibration_step", "C5", "+", "factor"),
    ("calibration_least", "C5", "+", "factor"),
    ("calibration_most", "C5", "+", "factor"),
)
LADDER = _group(
    translatable("When room is made"),
    ("is_automatic", "K14", "3", ""),
    ("phases", "S1", "1 3 4", ""),
    ("layers", "S1", "0 2", ""),
    ("shares_of", "C8", "4", ""),
    ("due_least", "C8", "+", "share"),
    ("background_at", "C8", "4", "share"),
    ("prune_at", "C8", "1", "share"),
    ("compact_at", "C8", "0 4", "share"),
    ("blocked_at", "C8", "4", "share"),
    ("buffer_share_of_rest", "C7", "1", "share"),
    ("buffer_least", "C7", "1", "tokens"),
)
TRUNCATE = _group(
    translatable("Layer 1: cut oversized results"),
    ("truncate_lines", "T1", "0 3", "lines"),
    ("truncate_bytes", "T1", "0 3", "bytes"),
    ("truncate_line", "T1", "0", "characters"),
    ("truncate_tools", "T2", "0", "characters"),
    ("truncate_other_tools", "T2", "0", "characters"),
    ("truncate_share", "T1", "+", "share"),
    ("truncate_keep", "T3", "3", ""),
    ("spill_above", "T4", "3", "characters"),
    ("spill_days", "T5", "0", "days"),
)
PRUNE = _group(
    translatable("Layer 2: shorten old results"),
    ("prune_order", "P1-P6", "0 2 3 4", ""),
    ("old_error_turns", "P3", "4", "turns"),
    ("soft_trim_age", "P4", "2", "turns"),
    ("soft_trim_above", "P4", "2", "characters"),
    ("soft_trim_head", "P4", "2", "characters"),
    ("soft_trim_tail", "P4", "2", "characters"),
    ("digest_by", "P5", "3", ""),
    ("digest_above", "P5", "3", "results"),
    ("digest_most", "P5", "3", "characters"),
    ("digest_model_most", "P5", "3", "characters"),
    ("digest_model_input", "P5", "3", "characters"),
    ("digest_model_reply", "P5", "+", "tokens"),
    ("digest_seconds", "P5", "+", "seconds"),
    ("hard_clear_age", "P6", "2 0", "turns"),
    ("protect_newest", "P7", "0", "tokens"),
    ("protect_share_of_window", "P7", "+", "share"),
    ("protect_user_turns", "P7", "4", "turns"),
    ("protected_tools", "P7", "4", ""),
    ("prune_target", "P8", "0", "share"),
    ("prune_least", "P8", "0", "tokens"),
    ("prune_least_share_of_window", "P8", "+", "share"),
    ("prune_runway", "P8", "+", "share"),
    ("prune_enough", "P8", "0", "tokens"),
    ("cache_seconds", "P9", "+", "seconds"),
)
COMPACT = _group(
    translatable("Layer 3: summarize older messages"),
    ("strategy", "K3", "0 1 2 3 4", ""),
    ("target", "K1", "0", "share"),
    ("target_least", "K1", "+", "tokens"),
    ("target_share_of_due", "K1", "+", "share"),
    ("tail_most", "K1", "3", "tokens"),
    ("tail_share", "K1", "3", "share"),
    ("tail_share_least", "W2", "+", "share"),
    ("tail_assistant_turns", "K1", "2", "turns"),
    ("tail_messages", "K14", "3 4", "messages"),
    ("head_least", "K1", "0 4", "messages"),
    ("summary_most", "K2", "0 4", "tokens"),
    ("summary_share_of_head", "K2", "+", "share"),
    ("summary_share_of_target", "K2", "+", "share"),
    ("summary_least", "K2", "+", "tokens"),
    ("summary_asked_share", "K2", "+", "share"),
    ("summary_facts_share", "K7", "+", "share"),
    ("summary_kept_share", "K3", "+", "share"),
    ("summary_input_result", "K3", "3", "characters"),
    ("summary_reply_least", "K3", "+", "tokens"),
    ("summary_reply_share", "K3", "+", "share"),
    ("summary_calls", "K3", "+", "calls"),
    ("aside_share", "K3", "+", "share"),
    ("aside_share_again", "K3", "+", "share"),
    ("call_seconds", "K11", "+", "seconds"),
    ("compaction_seconds", "K11", "+", "seconds"),
    ("repair_calls", "K7", "+", "calls"),
    ("spend_most", "K3", "+", "compactions"),
    ("spend_seconds", "K3", "+", "seconds"),
    ("keep_user_tokens", "K9", "+", "tokens"),
    ("keep_user_share", "K9", "+", "share"),
    ("futile_below", "K8", "+", "share"),
    ("futile_in_a_row", "K8", "+", "compactions"),
    ("last_resort_messages", "K5", "1", "messages"),
)
PHASES = _group(
    translatable("While a reply streams, at tool results, after an overflow"),
    ("stream_stop_at", "S3", "1", "share"),
    ("stream_abort_at", "S3", "1", "share"),
    ("stream_rest", "S3", "+", "share"),
    ("stream_restarts", "S3", "1", "restarts"),
    ("stream_grace", "S3", "+", "tokens"),
    ("stream_grace_share", "S3", "+", "share"),
    ("stream_calls", "S5", "+", "calls"),
    ("stream_characters", "S5", "+", "characters"),
    ("stream_quiet_seconds", "S5", "+", "seconds"),
    ("tool_result_tries", "S2", "1", "tries"),
    ("unanswered_least", "S2", "+", "tokens"),
    ("unanswered_share", "S2", "+", "share"),
    ("retry_wait_most", "S5", "+", "seconds"),
    ("overflow_retries", "S5", "3", "retries"),
    ("overflow_shed", "S5", "+", "shares"),
)
MEMORY = _group(
    translatable("Memory"),
    ("flush_distance", "S7", "2", "tokens"),
    ("flush_share", "S7", "+", "share"),
    ("flush_seconds", "S7", "+", "seconds"),
    ("flush_reply", "S7", "+", "tokens"),
    ("flush_reply_share", "S7", "+", "share"),
    ("flush_gone_most", "S7", "+", "tokens"),
    ("memory_most", "S8", "+", "tokens"),
    ("memory_share", "S8", "+", "share"),
    ("recall_most", "S9", "+", "tokens"),
    ("recall_share", "S9", "+", "share"),
    ("recall_unasked_share", "S9", "+", "share"),
    ("recall_unasked_least", "S9", "+", "tokens"),
)

ASIDE = _group(
    translatable("Beside the conversation: research and images"),
    ("research_rounds", "L2", "+", "calls"),
    ("research_seconds", "L2", "+", "seconds"),
    ("research_answer_seconds", "L2", "+", "seconds"),
    ("research_share", "L2", "+", "share"),
    ("research_answer_share", "L2", "+", "share"),
    ("caption_most", "L2", "+", "tokens"),
    ("caption_seconds", "L2", "+", "seconds"),
)

GROUPS = (BUDGET, LADDER, TRUNCATE, PRUNE, COMPACT, PHASES, MEMORY, ASIDE)
SOURCES = {source.field: source for group in GROUPS for source in group.sources}
