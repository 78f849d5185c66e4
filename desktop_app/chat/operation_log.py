"""Log the operations that change how full the context window is, with their cause and duration.

No line quotes a message: they contain only figures, and the names of tools and models.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from desktop_app.context.truncate import sizes_in_notice
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    FailedCompaction,
    Flush,
    Operation,
    Prune,
    StandingSummary,
    Transcript,
    Trigger,
    Undo,
)
from desktop_app.conversation.words import format_number, pluralize

from .ports import ModelError

log = logging.getLogger(__name__)


def log_entries(conversation: str, entries: Iterable[AnyEntry], transcript: Transcript) -> None:
    """Log the entries that changed how full the window is. transcript: the record, which already contains them."""
    for entry in entries:
        if line := _line_of(entry, transcript):
            level = logging.WARNING if isinstance(entry, FailedCompaction) else logging.INFO
            log.log(level, "%s: %s", conversation, line)


def log_retry(conversation: str, error: ModelError, attempt: int, seconds: float) -> None:
    """Log that a request will be sent again."""
    log.warning("%s: Retry %d in %.1f s after an error of the provider: %s", conversation, attempt, seconds, error.kind)


def log_compaction_begins(
    conversation: str, trigger: Trigger, total: int, usable: int, due_at: float, writer: str
) -> None:
    """Log that a compaction begins, and why.

    due_at: the share of the window at which it became due; 0 if the user has requested it. writer: the strategy, and
    the model's name if a model writes the summary.
    """
    used = f"{total / usable:.0%}" if usable else "?"
    why = f"due from {due_at:.0%}" if due_at else "asked for"
    tokens = f"{format_number(total)} of {format_number(usable)} tokens"
    log.info("%s: Compaction begins: %s (%s), %s, %s, %s", conversation, tokens, used, trigger, why, writer)


def log_limit(conversation: str, model: str, before: int, after: int, cause: str) -> None:
    """Log that another window size is now assumed for a model."""
    if before != after:
        log.warning("%s: Learned limit of %s: %s → %s tokens (%s)", conversation, model, *_pair(before, after), cause)


def _line_of(entry: AnyEntry, transcript: Transcript) -> str:
    match entry:
        case Message() if (result := entry.tool_result) and (sizes := sizes_in_notice(result.text)):
            before, after = _pair(*sizes)
            kept = "spilled" if result.spill else "not spilled"
            return f"Truncated {result.name} output: {before} → {after} bytes ({kept}), after {entry.seconds:.1f} s"
        case Prune():
            results = pluralize(len(entry.message_ids), "result")
            return f"Pruned: {_tokens(entry)} ({results} shortened), {entry.trigger}"
        case Compaction():
            by = f"{entry.strategy} by {entry.model}" if entry.model else entry.strategy
            done = pluralize(len(entry.archived), "message")
            took = f"{entry.seconds:.1f} s" + (", not as intended" if entry.note else "")
            return f"Compacted: {_tokens(entry)} ({done} archived), {entry.trigger}, {by}, {took}"
        case StandingSummary():
            done = pluralize(len(entry.message_ids), "message")
            return f"Summarized ahead: {done}, by {entry.model}, {entry.seconds:.1f} s"
        case Flush():
            kept = pluralize(len(entry.memories), "memory", "memories") if entry.memories else "nothing to remember"
            asked = f"asked {entry.model}" if entry.model else "by rule"
            return f"Memory flush: {kept}, {entry.trigger}, {asked}"
        case FailedCompaction():
            tokens, usable = _pair(entry.tokens, entry.usable)
            why = f"{entry.cause}: {entry.detail}" if entry.detail else entry.cause
            return f"Compaction failed: {tokens} of {usable} tokens, {entry.trigger}, {why}, {entry.seconds:.1f} s"
        case Undo():
            undone = transcript.entry(entry.entry_id)
            if isinstance(undone, Undo):
                return f"Redone: {undone.entry_id}"
            return f"Undone: {entry.entry_id}, {_tokens(undone)}" if isinstance(undone, Operation) else ""
        case _:
            return ""


def _tokens(operation: Operation) -> str:
    before, after = _pair(operation.tokens_before, operation.tokens_after)
    freed = format_number(operation.tokens_before - operation.tokens_after)
    return f"{before} → {after} tokens, {freed} freed"


def _pair(before: int, after: int) -> tuple[str, str]:
    return format_number(before), format_number(after)
