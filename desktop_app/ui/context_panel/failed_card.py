"""What the card of a failed compaction says: why no room was made, what was kept, and the button that helps."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.conversation.message_rows import OperationRow
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.number_formats import format_number

from .requests import PanelRequests

REASONS = {
    "too_small": translatable(
        "{needed} tokens must stay in any case: system prompt, tools, pins and the newest messages."
    ),
    "frees_nothing": translatable("No summary would have been shorter than what it replaces."),
    "stalled": translatable(
        "The last summaries freed so little that no more are made automatically. "
        "Keeping fewer of the newest messages, or fewer pins, frees more."
    ),
    "error": translatable("It ended with an error ({error}). The log has the details."),
}
KEPT = translatable("Nothing was changed: all messages are as they were.")


def cause_in(row: OperationRow) -> str:
    """Return the cause of that failed compaction."""
    return next(iter(row.strategies), "error")


def failed_figures(row: OperationRow) -> str:
    """Return how full the window was."""
    words = tr("{tokens} of {usable} tokens") if row.usable else tr("{tokens} tokens")
    return words.format(tokens=format_number(row.tokens_before), usable=format_number(row.usable))


def failed_reason(row: OperationRow) -> str:
    """Return why no room was made, and what was kept."""
    reason = tr(REASONS.get(cause_in(row), REASONS["error"]))
    return f"{reason.format(needed=format_number(row.tokens_after), error=tr_engine(row.note))} {tr(KEPT)}"


def failed_actions(row: OperationRow, requests: PanelRequests) -> list[tuple[str, Callable[[], None]]]:
    """Return the links that can help, the best one first.

    What must stay fits only into a larger window; otherwise the plan shows what another tail frees. A new conversation
    that begins with a summary of this one helps whatever the cause.
    """
    larger = (translatable("Use a larger model…"), requests.larger_model_requested.emit)
    plan = (translatable("Optimize…"), requests.optimize_requested.emit)
    fresh = (translatable("Start fresh…"), requests.fresh_start_requested.emit)
    match cause_in(row):
        case "too_small":
            return [larger, fresh]
        case "frees_nothing":
            return [larger, plan, fresh]
        case _:
            return [plan, fresh, larger]
