"""What the cards and tables of the page of insights say. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime

from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.insights import Insights, UsageOf
from desktop_app.conversation.message import NO_USAGE, Usage
from desktop_app.engine.protocol import InsightsRead
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.widgets.formats import (
    format_bytes,
    format_dollars,
    format_number,
    format_percent,
    format_wait,
    percentages,
    pluralize,
)

NONE = "–"
UNNAMED = "not recorded"  # whose reply was of no use
PURPOSES = {
    "chat": "chat",
    "summary": "summaries",
    "memory": "memory",
    "title": "titles",
    "digest": "digests",
    "image": "images",
}
MAX_ROWS = 12
MAX_DAYS = 30


@dataclass(frozen=True)
class Figure:
    """What one card says."""

    title: str
    value: str
    detail: str


@dataclass(frozen=True)
class FigureRow:
    """One row of a table. note: behind the name, fainter."""

    name: str
    cells: tuple[str, ...]
    note: str = ""
    square: Segment | None = None


def format_amount(amount: int) -> str:
    """Return "9,204", "184 k" or "12.9 M"."""
    if amount < 10_000:
        return format_number(amount)
    return f"{amount / 1e3:,.0f} k" if amount < 999_500 else f"{amount / 1e6:,.1f} M"


def figures_of(read: InsightsRead) -> tuple[Figure, ...]:
    """Return what the cards say, in their order."""
    insights = read.insights
    return (_freed(insights), _kept(insights), _cost(insights), _cached(insights, read.saved), _waited(insights))


def _freed(insights: Insights) -> Figure:
    layers: list[str] = []
    for kind in ("compaction", "prune"):
        held = [one for one in insights.operations if one.kind == kind and not one.is_undone]
        if held:
            layers.append(f"{pluralize(len(held), kind)}: {format_number(insights.freed(kind))}")
    whole = insights.whole
    if whole.truncated:
        size = format_bytes(whole.bytes_left_out)
        layers.append(f"{pluralize(whole.truncated, 'result')} truncated: {size}")
    freed = insights.freed("prune") + insights.freed("compaction")
    return Figure("Tokens freed", format_number(freed), "\n".join(layers) or "Nothing had to be shortened")


def _kept(insights: Insights) -> Figure:
    fidelity = insights.fidelity
    if not fidelity.total:
        return Figure("Facts kept in context", NONE, "Nothing was archived")
    counts = (
        f"{format_number(fidelity.verbatim)} word for word, {format_number(fidelity.in_summary)} in summaries",
        f"{format_number(fidelity.recallable)} recallable, {format_number(fidelity.lost)} lost",
    )
    share = (fidelity.verbatim + fidelity.in_summary) / fidelity.total
    return Figure("Facts kept in context", format_percent(share), "\n".join(counts))


def _cost(insights: Insights) -> Figure:
    spent, summaries = insights.spent(), insights.spent("summary")
    tokens = f"{format_amount(spent.prompt_tokens)} tokens in, {format_amount(spent.reply_tokens)} out"
    if spent.dollars is None:
        return Figure("Cost", NONE, f"No price is known\n{tokens}" if spent.requests else "No request yet")
    upkeep = "none for summaries"
    if summaries.requests:
        upkeep = f"of it for summaries {NONE if summaries.dollars is None else format_dollars(summaries.dollars)}"
    return Figure("Cost", format_dollars(spent.dollars), f"{upkeep}\n{tokens}")


def _cached(insights: Insights, saved: float | None) -> Figure:
    spent = insights.spent()
    if not spent.cached_tokens:
        return Figure("Read from the cache", NONE, "No provider reported any")
    detail = f"{format_amount(spent.cached_tokens)} of {format_amount(spent.prompt_tokens)} tokens"
    if saved is not None:
        detail += f"\n{'saved' if saved >= 0 else 'cost'} {format_dollars(abs(saved))}"
    return Figure("Read from the cache", format_percent(spent.cached_tokens / spent.prompt_tokens), detail)


def _waited(insights: Insights) -> Figure:
    if not insights.operations:
        return Figure("Waited for room", NONE, "Room never had to be made")
    waits = [one.seconds for one in insights.operations if one.is_waited_for]
    wanted = sum(not one.note for one in insights.operations)
    longest = f"longest {format_wait(max(waits))}" if waits else "all in the background or by you"
    detail = f"{longest}\n{format_number(wanted)} of {pluralize(len(insights.operations), 'operation')} as intended"
    return Figure("Waited for room", format_wait(sum(waits)), detail)


def content_rows(insights: Insights, gauge: Gauge | None) -> list[FigureRow]:
    """Return what filled the window by segment: all that was said, its share, and the share of the window now."""
    used = [s for s in Segment if insights.said.get(s) or (gauge and gauge.segments.get(s))]
    shares = dict(zip(used, percentages([insights.said.get(s, 0) for s in used]), strict=True))
    rows: list[FigureRow] = []
    for segment in used:
        size = insights.said.get(segment, 0)
        cells = (
            [format_number(size), f"{shares[segment]} %" if shares[segment] else "< 1 %"]
            if size
            else [NONE, "each request"]
        )
        if gauge:
            whole = gauge.window or gauge.total
            cells.append(format_percent(gauge.segments.get(segment, 0) / whole) if whole else NONE)
        rows.append(FigureRow(SEGMENT_NAMES[segment], tuple(cells), square=segment))
    return rows


def model_rows(insights: Insights) -> list[FigureRow]:
    """Return what each model took for each purpose, largest first."""
    return [
        FigureRow(
            part.model.rsplit("/", 1)[-1] or UNNAMED, _usage_cells(part.usage), PURPOSES.get(part.purpose, part.purpose)
        )
        for part in insights.usage[:MAX_ROWS]
    ]


def provider_rows(insights: Insights) -> list[FigureRow]:
    """Return what each server took, largest first."""
    usage = _sums(insights.usage, lambda part: part.model.partition("/")[0] or UNNAMED)
    names = {"builtin": "built in"}
    largest = sorted(usage.items(), key=lambda item: -item[1].prompt_tokens)[:MAX_ROWS]
    return [FigureRow(names.get(name, name), _usage_cells(one)) for name, one in largest]


def _sums(parts: Iterable[UsageOf], key_of: Callable[[UsageOf], str]) -> dict[str, Usage]:
    usage: dict[str, Usage] = {}
    for part in parts:
        usage[key_of(part)] = usage.get(key_of(part), NO_USAGE).plus(part.usage)
    return usage


def _usage_cells(usage: Usage) -> tuple[str, ...]:
    cached = format_percent(usage.cached_tokens / usage.prompt_tokens) if usage.cached_tokens else NONE
    dollars = NONE if usage.dollars is None else format_dollars(usage.dollars)
    return (
        format_number(usage.requests),
        format_amount(usage.prompt_tokens),
        cached,
        format_amount(usage.reply_tokens),
        dollars,
    )


def day_rows(insights: Insights) -> list[FigureRow]:
    """Return the newest days, newest first."""
    rows: list[FigureRow] = []
    for day in insights.days[: -MAX_DAYS - 1 : -1]:
        requests, read, _, written, dollars = _usage_cells(day.usage)
        freed, truncated = format_amount(day.freed), format_number(day.truncated)
        then = date.fromisoformat(day.day)
        cells = (requests, read, written, dollars, format_number(day.operations), freed, truncated)
        rows.append(FigureRow(f"{then:%a} {then.day} {then:%b %Y}", cells))
    return rows


def range_of(insights: Insights) -> str:
    """Return such as "18 to 22 Nov 2026"; "" without a reply or an operation."""
    if not insights.days:
        return ""
    first, last = (date.fromisoformat(day.day) for day in (insights.days[0], insights.days[-1]))
    end = f"{last.day} {last:%b %Y}"
    if first == last:
        return end
    begin = f"{first.day}" if (first.year, first.month) == (last.year, last.month) else f"{first.day} {first:%b %Y}"
    return f"{begin} to {end}"


def clock_of(at: float) -> str:
    """Return such as "Tue 18 Nov, 14:02"."""
    then = datetime.fromtimestamp(at)
    return f"{then:%a} {then.day} {then:%b, %H:%M}"
