"""The texts of a failed compaction's card: why no room was made and what was kept; and the links that can help."""

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
KEPT = translatable("Nothing was changed: all messages are as before.")


def cause_in(row: OperationRow) -> str:
    """Return the cause of a failed compaction."""
    return next(iter(row.strategies), "error")


def failed_figures(row: OperationRow) -> str:
    """Return the tokens of the request, and of the usable window if that is known."""
    words = tr("{tokens} of {usable} tokens") if row.usable else tr("{tokens} tokens")
    return words.format(tokens=format_number(row.tokens_before), usable=format_number(row.usable))


def failed_reason(row: OperationRow) -> str:
    """Return why no room was made, and what was kept."""
    reason = tr(REASONS.get(cause_in(row), REASONS["error"]))
    return f"{reason.format(needed=format_number(row.tokens_after), error=tr_engine(row.note))} {tr(KEPT)}"


def failed_actions(row: OperationRow, requests: PanelRequests) -> list[tuple[str, Callable[[], None]]]:
    """Return the links that can help, the best one first.

    Messages that must stay fit only into a larger window; for other causes the plan shows what a shorter tail frees. A
    new conversation that begins with a summary of this one helps in any case.
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
