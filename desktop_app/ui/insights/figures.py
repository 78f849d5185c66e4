"""Pure functions that compute the content of the insights page's cards and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QDate, Qt

from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.insights import REACHED, Insights, UsageOf
from desktop_app.conversation.message import NO_USAGE, Usage
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import InsightsRead
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.translation import locale, tr
from desktop_app.ui.widgets.number_formats import (
    format_bytes,
    format_decimal,
    format_dollars,
    format_moment,
    format_number,
    format_percent,
    format_wait,
    isolate,
    percentages,
)

NONE = "–"
UNNAMED = translatable("not recorded")  # the model of a reply that was discarded
PURPOSES = {
    "chat": translatable("chat"),
    "summary": translatable("summaries"),
    "memory": translatable("memory"),
    "title": translatable("titles"),
    "digest": translatable("digests"),
    "image": translatable("images"),
}
MAX_ROWS = 12
MAX_DAYS = 30


@dataclass(frozen=True)
class Figure:
    """The content of one card."""

    title: str
    value: str
    detail: str


@dataclass(frozen=True)
class FigureRow:
    """One row of a table. note: shown after the name, fainter."""

    name: str
    cells: tuple[str, ...]
    note: str = ""
    square: Segment | None = None


def format_amount(amount: int) -> str:
    """Return "9,204", "184 k" or "12.9 M"."""
    if amount < 10_000:
        return format_number(amount)
    if amount < 999_500:
        return tr("{number} k", "thousands").format(number=format_decimal(amount / 1e3, 0))
    return tr("{number} M", "millions").format(number=format_decimal(amount / 1e6, 1))


def figures_of(read: InsightsRead) -> tuple[Figure, ...]:
    """Return the content of the cards, in their order."""
    insights = read.insights
    cached = _cached(insights, read.saved)
    return (_freed(insights), _kept(insights), _size(insights), _cost(insights), cached, _waited(insights))


def _freed(insights: Insights) -> Figure:
    held = [one.kind for one in insights.operations if not one.is_undone]
    compactions, prunes, whole = held.count("compaction"), held.count("prune"), insights.all_days
    by_layer = {
        tr("%n summaries: {amount}", "", compactions): (compactions, format_number(insights.freed("compaction"))),
        tr("Old results shortened %n times: {amount}", "", prunes): (prunes, format_number(insights.freed("prune"))),
        tr("%n results truncated: {amount}", "", whole.truncated): (
            whole.truncated,
            format_bytes(whole.bytes_left_out),
        ),
    }
    layers = [text.format(amount=amount) for text, (count, amount) in by_layer.items() if count]
    freed = insights.freed("prune") + insights.freed("compaction")
    return Figure(tr("Tokens freed"), format_number(freed), "\n".join(layers) or tr("Nothing had to be shortened"))


def _kept(insights: Insights) -> Figure:
    fidelity = insights.fidelity
    if not fidelity.total:
        return Figure(tr("Facts kept in context"), NONE, tr("Nothing was summarized"))
    words = tr("{verbatim} word for word, {in_summary} in summaries\n{recallable} only in the archive, {lost} lost")
    counts = words.format(
        verbatim=format_number(fidelity.verbatim),
        in_summary=format_number(fidelity.in_summary),
        recallable=format_number(fidelity.recallable),
        lost=format_number(fidelity.lost),
    )
    share = (fidelity.verbatim + fidelity.in_summary) / fidelity.total
    return Figure(tr("Facts kept in context"), format_percent(share), counts)


def _size(insights: Insights) -> Figure:
    if insights.conversations > 1:
        words, every = tr("{count} of {all} reached {share}"), format_number(insights.conversations)
        reached = ((format_number(insights.reached(share)), format_percent(share)) for share in REACHED)
        lines = [words.format(count=count, all=every, share=share) for count, share in reached]
        if 0 < len(insights.sizes) < insights.conversations:
            lines.insert(0, tr("of %n with reported tokens", "", len(insights.sizes)))
    else:
        lines = [
            tr("{share} of the window at its fullest").format(share=format_percent(max(insights.fullest, default=0.0)))
        ]
    if insights.spills:
        kept = tr("%n long outputs in files: {size}", "", len(insights.spills))
        lines.append(kept.format(size=format_bytes(sum(insights.spills.values()))))
    average = insights.average_size
    return Figure(tr("Average size"), format_amount(average) if average else NONE, "\n".join(lines))


def _cost(insights: Insights) -> Figure:
    spent, summaries = insights.spent(), insights.spent("summary")
    read, written = format_amount(spent.prompt_tokens), format_amount(spent.reply_tokens)
    tokens = tr("{read} tokens in, {written} out").format(read=read, written=written)
    if spent.dollars is None:
        detail = "\n".join((tr("No price is known"), tokens)) if spent.requests else tr("No request yet")
        return Figure(tr("Cost"), NONE, detail)
    share = tr("none for summaries")
    if summaries.requests:
        cost = NONE if summaries.dollars is None else format_dollars(summaries.dollars)
        share = tr("of it for summaries {cost}").format(cost=cost)
    return Figure(tr("Cost"), format_dollars(spent.dollars), f"{share}\n{tokens}")


def _cached(insights: Insights, saved: float | None) -> Figure:
    spent = insights.spent()
    if not spent.cached_tokens:
        return Figure(tr("Read from the cache"), NONE, tr("No provider reported any"))
    cached, read = format_amount(spent.cached_tokens), format_amount(spent.prompt_tokens)
    detail = [tr("{part} of {all} tokens").format(part=cached, all=read)]
    if saved is not None:
        template = tr("saved {cost}") if saved >= 0 else tr("cost {cost}")
        detail.append(template.format(cost=format_dollars(abs(saved))))
    share = format_percent(spent.cached_tokens / spent.prompt_tokens)
    return Figure(tr("Read from the cache"), share, "\n".join(detail))


def _waited(insights: Insights) -> Figure:
    if not insights.operations:
        return Figure(tr("Time waited for room"), NONE, tr("Room never had to be made"))
    waits = [one.seconds for one in insights.operations if one.is_waited_for]
    operations = insights.steps_of_operations()
    succeeded = [steps for steps in operations if all(one.kind != "failed" for one in steps)]
    wanted, share = sum(not any(one.note for one in steps) for steps in succeeded), len(succeeded) / len(operations)
    longest = tr("all in the background or by you")
    if waits:
        longest = tr("longest {wait}").format(wait=format_wait(max(waits)))
    succeeded_words = tr("{share} of %n operations succeeded, {count} as intended", "", len(operations))
    detail = "\n".join((longest, succeeded_words.format(share=format_percent(share), count=format_number(wanted))))
    return Figure(tr("Time waited for room"), format_wait(sum(waits)), detail)


def content_rows(insights: Insights, gauge: Gauge | None) -> list[FigureRow]:
    """Return a row for each segment: its size in the record, its share, and its share of the window now."""
    used = [s for s in Segment if insights.recorded.get(s) or (gauge and gauge.segments.get(s))]
    shares = dict(zip(used, percentages([insights.recorded.get(s, 0) for s in used]), strict=True))
    rows: list[FigureRow] = []
    for segment in used:
        size = insights.recorded.get(segment, 0)
        cells = (
            [
                format_number(size),
                isolate(tr("{number} %").format(number=shares[segment]) if shares[segment] else tr("< 1 %")),
            ]
            if size
            else [NONE, tr("each request")]
        )
        if gauge:
            whole = gauge.usable if gauge.is_window_known else gauge.total
            cells.append(format_percent(gauge.segments.get(segment, 0) / whole) if whole else NONE)
        rows.append(FigureRow(tr(SEGMENT_NAMES[segment]), tuple(cells), square=segment))
    return rows


def model_rows(insights: Insights) -> list[FigureRow]:
    """Return the usage of each model for each purpose, the largest first."""
    return [
        FigureRow(
            part.model.rsplit("/", 1)[-1] or tr(UNNAMED),
            _usage_cells(part.usage),
            tr(PURPOSES.get(part.purpose, part.purpose)),
        )
        for part in insights.usage[:MAX_ROWS]
    ]


def provider_rows(insights: Insights) -> list[FigureRow]:
    """Return the usage of each server, the largest first."""
    usage = _sums(insights.usage, lambda part: part.model.partition("/")[0] or tr(UNNAMED))
    names = {"builtin": tr("built in")}
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
    """Return up to MAX_DAYS days, the newest first."""
    rows: list[FigureRow] = []
    for day in insights.days[: -MAX_DAYS - 1 : -1]:
        requests, read, _, written, dollars = _usage_cells(day.usage)
        freed, truncated = format_amount(day.freed), format_number(day.truncated)
        cells = (requests, read, written, dollars, format_number(day.operations), freed, truncated)
        rows.append(FigureRow(_date_words(day.day, tr("ddd d MMM yyyy", "a time, as QLocale reads it")), cells))
    return rows


def range_of(insights: Insights) -> str:
    """Return a range such as "18 to 22 Nov 2026"; "" without a reply or an operation."""
    if not insights.days:
        return ""
    first, last = insights.days[0].day, insights.days[-1].day
    whole = tr("d MMM yyyy", "a time, as QLocale reads it")
    end = _date_words(last, whole)
    if first == last:
        return end
    is_one_month = first[: len("2026-11")] == last[: len("2026-11")]
    begin = _date_words(first, tr("d", "a time, as QLocale reads it") if is_one_month else whole)
    return tr("{begin} to {end}").format(begin=begin, end=end)


def _date_words(day: str, form: str) -> str:
    return locale().toString(QDate.fromString(day, Qt.DateFormat.ISODate), form)


def clock_of(at: float) -> str:
    """Return a time such as "Tue 18 Nov, 14:02"."""
    return format_moment(at, tr("ddd d MMM, HH:mm", "a time, as QLocale reads it"))
