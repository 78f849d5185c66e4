"""What the chart of the window shows: replies and operations in the order of time, in words, and with their times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from desktop_app.conversation.insights import Insights, OperationMoment
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_moment, format_number, format_percent, format_wait

from .figures import clock_of

DAY = 86_400.0  # seconds


@dataclass(frozen=True)
class ChartPoint:
    """A reply, or an operation that took the request from `before` to `tokens`."""

    at: float
    before: int
    tokens: int
    is_measured: bool = False
    operation: OperationMoment | None = None


def points_of(insights: Insights) -> list[ChartPoint]:
    """Return replies and operations in the order of time."""
    replies = [ChartPoint(one.at, one.tokens, one.tokens, one.is_measured) for one in insights.moments]
    operations = [ChartPoint(one.at, one.tokens_before, one.tokens_after, operation=one) for one in insights.operations]
    return sorted([*replies, *operations], key=lambda point: point.at)


def describe_point(point: ChartPoint, usable: int) -> str:
    """Return what is known of a point, such as "Tue 18 Nov, 14:02 · 42,310 tokens, 66 % · measured"."""
    words = [clock_of(point.at)] if point.at else []
    if (done := point.operation) is None:
        tokens = tr("{tokens} tokens, {share}") if usable else tr("{tokens} tokens")
        share = format_percent(point.tokens / usable) if usable else ""
        source = tr("measured") if point.is_measured else tr("estimated")
        return " · ".join([*words, tokens.format(tokens=format_number(point.tokens), share=share), source])
    if done.kind == "failed":
        size = tr("{tokens} tokens").format(tokens=format_number(point.before))
        return " · ".join([*words, tr("No room could be made"), size])
    name = tr("Older messages summarized") if done.kind == "compaction" else tr("Results shortened")
    change = tr("{before} → {after} tokens")
    words += [name, change.format(before=format_number(point.before), after=format_number(point.tokens))]
    words += [format_wait(done.seconds)] if done.seconds else []
    return " · ".join([*words, *([tr("undone")] if done.is_undone else [])])


def time_labels(points: Sequence[ChartPoint], most: int) -> Iterator[tuple[int, str]]:
    """Yield at most `most` indexes of points with their times: days, or hours if all are of one day; none twice."""
    is_long = points[-1].at - points[0].at > DAY
    form = tr("d MMM", "a time, as QLocale reads it") if is_long else "HH:mm"
    before = ""
    for number in range(most):
        index = number * (len(points) - 1) // max(most - 1, 1)

        label = format_moment(points[index].at, form)
        if points[index].at and label != before:
            yield index, label
            before = label
