"""What each number of a policy means, its unit and bounds, and where it comes from: `palimpsest policy` prints it.

A source is a row of the table of features, and the design documents that asked for it by their number:
0 OpenFork, 1 LM Studio autocompaction, 2 SPEC-008, 3 the Go agent, 4 Seline, + our own.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from desktop_app.conversation.words import translatable

from .policy import NO_LIMIT
from .policy_meanings import MEANINGS

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
