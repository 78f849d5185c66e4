"""Reading the figures of conversations from the record, and writing them to a file."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

from desktop_app.context.record_figures import combine, insights_of
from desktop_app.conversation.insights import REACHED, Insights
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.transcript import Chain, Transcript

from .export_files import write_export
from .ports import Archive, Price
from .session import Session
from .tasks import CheckPoint, run_while_wanted

BYTE_ORDER_MARK = "\ufeff"  # without it some spreadsheets take the file for another encoding
_FORMULA = re.compile(r"[\s\x00-\x1f\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]")
"""The beginning of what a spreadsheet may take for a formula; some trim blanks, and some read wide signs."""
HEADINGS: tuple[str, ...] = (
    "kind", "at", "name", "detail", "tokens_before", "tokens_after", "tokens_freed", "messages", "seconds", "requests",
    "tokens_in", "tokens_cached", "tokens_out", "dollars", "bytes_left_out", "conversations", "files", "bytes",
)  # fmt: skip


def local_day(at: float) -> str:
    """Return the day on which that was here, as 2026-11-22."""
    return date.fromtimestamp(at).isoformat()


async def insights_of_one(session: Session) -> Insights:
    """Return the figures of an open conversation, with the tokens of all that was said."""
    transcript, counts, share = session.transcript, session.counts, session.gauge().share

    def read(check: CheckPoint) -> Insights:
        for entry in transcript.entries:
            if isinstance(entry, Message):
                check()
                counts.of(entry)  # which takes the longest, and is kept
        return insights_of(transcript, counts, local_day, share)

    return await run_while_wanted(read)


async def insights_of_all(archive: Archive, project: str = "") -> Insights:
    """Return the figures of all conversations together, or of those of the project of that id.

    One is read after the other, so that nothing waits for long.
    """
    insights: list[Insights] = []
    for info in [info for info in await archive.conversations() if project in ("", info.project)]:
        transcript = Transcript(Chain(await archive.entries(info.id)))
        insights.append(await asyncio.to_thread(insights_of, transcript, None, local_day, info.share))
    return combine(insights)


def dollars_saved(insights: Insights, price_of: Callable[[str], Price | None]) -> float | None:
    """Return what prompt caches have saved at those prices, less what writing to them cost; None without a price."""
    priced = [(part.usage, price) for part in insights.usage if (price := price_of(part.model))]
    return sum(_saved(usage, price) for usage, price in priced) if priced else None


def _saved(usage: Usage, price: Price) -> float:
    return price.of(Usage(usage.prompt_tokens, usage.reply_tokens)) - price.of(usage)


async def export_insights(insights: Insights, path: str) -> None:
    """Write the figures as CSV, a row for each. Raises WorldError; then there is no half a file."""
    text = BYTE_ORDER_MARK + csv_of(insights)
    await asyncio.to_thread(write_export, Path(path), text, is_replacing=True)  # the file dialog has asked


def csv_of(insights: Insights) -> str:
    """Return a table: replies, operations, days, models and what was said, told apart by the first column."""
    text = io.StringIO()
    table = csv.DictWriter(text, HEADINGS, lineterminator="\r\n")
    table.writeheader()
    table.writerows({name: _cell(value) for name, value in row.items()} for row in _rows(insights))
    return text.getvalue()


def _rows(insights: Insights) -> Iterable[dict[str, object]]:
    for moment in insights.moments:
        how = "measured" if moment.is_measured else "estimated"
        yield {"kind": "reply", "at": moment.at, "detail": how, "tokens_after": moment.tokens}
    for one in insights.operations:
        state = "undone" if one.is_undone else one.note
        yield {
            "kind": one.kind, "at": one.at, "name": one.trigger.value, "detail": state, "messages": one.messages,
            "tokens_before": one.tokens_before, "tokens_after": one.tokens_after, "tokens_freed": one.freed,
            "seconds": one.seconds,
        }  # fmt: skip
    for day in insights.days:
        figures = {"tokens_freed": day.freed, "messages": day.truncated, "bytes_left_out": day.bytes_left_out}
        yield {"kind": "day", "at": day.day} | figures | _usage_cells(day.usage)
    for part in insights.usage:
        yield {"kind": "model", "name": part.model, "detail": part.purpose} | _usage_cells(part.usage)
    yield {"kind": "size", "name": "average", "tokens_after": insights.average_size or ""}
    for share in REACHED:
        yield {"kind": "reached", "name": f"{share:.0%}", "conversations": insights.reached(share)}
    yield {"kind": "spills", "files": len(insights.spills), "bytes": sum(insights.spills.values())}
    unit = "tokens" if insights.is_counted else "characters"
    for segment, size in insights.said.items():
        yield {"kind": "said", "name": segment.value, "detail": unit, "tokens_in": size}


def _usage_cells(usage: Usage) -> dict[str, object]:
    return {
        "requests": usage.requests, "tokens_in": usage.prompt_tokens, "tokens_cached": usage.cached_tokens,
        "tokens_out": usage.reply_tokens, "dollars": "" if usage.dollars is None else usage.dollars,
    }  # fmt: skip


def _cell(value: object) -> object:
    """Return the value of a cell; a text that a spreadsheet would take for a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
