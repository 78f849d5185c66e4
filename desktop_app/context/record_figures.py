"""Figures of a record: how full the window was, what filled it, what was freed, and the usage of all requests.

All figures are derived from the record itself, so that no statistics are stored in addition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from desktop_app.conversation.branches import Branches
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.insights import DayInsights, Insights, Moment, OperationMoment, UsageOf
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    FailedCompaction,
    Operation,
    Prune,
    Rewind,
    Switch,
    Transcript,
    Undo,
    active_entries,
    done_as,
    makes_room,
)

from .counting.breakdown import usage_in
from .counting.calibration import is_measured
from .counting.tokens import SEGMENT_OF_ROLE, TokenCounts
from .truncate import sizes_in_notice

MAX_MOMENTS = 800
"""Moments of a conversation in a chart, which is about as wide in pixels."""


def insights_of(
    transcript: Transcript, counts: TokenCounts | None, day_of: Callable[[float], str], share: float = 0.0
) -> Insights:
    """Return the figures of a conversation, including undone and abandoned messages, which were also paid for.

    counts: None to count no text; then there are no moments, and text is measured in characters. day_of: returns the
    day of a time. share: of the usable window, at present.
    """
    entries = transcript.entries
    active = {entry.id for entry in active_entries(entries)}
    compactions = [e.fidelity for e in entries if makes_room(e) and isinstance(e, Compaction) and e.id in active]
    return Insights(
        moments=tuple(_moments(entries, counts)) if counts else (),
        operations=tuple(_moments_of_operations(entries, active)),
        recorded=_sizes_by_segment(entries, counts),
        usage=_usage_of(entries),
        fidelity=_sum_of(compactions),
        days=_sum_of_days(_day_parts(entries, active, day_of)),
        is_counted=counts is not None,
        sizes=tuple(_newest_size(entries)),
        fullest=(max(share, *_shares(entries), 0.0),),
        spills=dict(_spills(entries)),
    )


def combine(several: Iterable[Insights]) -> Insights:
    """Return the combined figures of several conversations."""
    insights = list(several)
    sizes, usage = Counter[Segment](), dict[tuple[str, str], Usage]()
    for figures in insights:
        sizes.update(figures.recorded)
        for part in figures.usage:
            key = part.model, part.purpose
            usage[key] = usage[key].plus(part.usage) if key in usage else part.usage
    operations = sorted((moment for figures in insights for moment in figures.operations), key=lambda moment: moment.at)
    return Insights(
        conversations=sum(figures.conversations for figures in insights),
        operations=tuple(operations),
        recorded=dict(sizes),
        usage=_largest_first(usage),
        fidelity=_sum_of(figures.fidelity for figures in insights),
        days=_sum_of_days(day for figures in insights for day in figures.days),
        is_counted=all(figures.is_counted for figures in insights),
        sizes=tuple(size for figures in insights for size in figures.sizes),
        fullest=tuple(share for figures in insights for share in figures.fullest),
        spills={name: size for figures in insights for name, size in figures.spills.items()},
    )


def thin_out(moments: Sequence[Moment], most: int = MAX_MOMENTS) -> tuple[Moment, ...]:
    """Return about `most` of the moments: the first and the last, and the lowest and highest of each section."""
    if len(moments) <= most:
        return tuple(moments)
    kept = {0, len(moments) - 1}
    for part in range(most // 2):
        section = range(part * len(moments) // (most // 2), (part + 1) * len(moments) // (most // 2))
        kept.add(min(section, key=lambda index: moments[index].tokens))
        kept.add(max(section, key=lambda index: moments[index].tokens))
    return tuple(moments[index] for index in sorted(kept))


def _moments(entries: Iterable[AnyEntry], counts: TokenCounts) -> Iterable[Moment]:
    """Yield a moment for each reply. Sizes that no provider reported grow with messages, and shrink with operations."""
    size, branches, freed = 0, Branches(), dict[str, int]()
    for entry in entries:
        branches.add(entry)
        match entry:
            case Message():
                usage = entry.usage if is_measured(entry) and not entry.continues else None
                size = usage.prompt_tokens + usage.reply_tokens if usage else size + counts.total(entry)
                if entry.role is Role.ASSISTANT:
                    yield Moment(entry.at, size, usage is not None)
            case Prune() | Compaction():
                size = entry.tokens_after
                freed[entry.id] = entry.tokens_before - size if makes_room(entry) else 0
            case Undo():
                size += freed.get(entry.entry_id, 0)
            case Rewind() | Switch():
                path = branches.path()
                total = sum(counts.total(e) for e in path if isinstance(e, Message))
                size = max(total - sum(freed.get(e.id, 0) for e in path), 0)
            case _:
                pass


def _moments_of_operations(entries: Iterable[AnyEntry], active: AbstractSet[str]) -> Iterator[OperationMoment]:
    for entry in entries:
        if makes_room(entry):
            yield _moment_of(entry, entry.id not in active)
        elif isinstance(entry, FailedCompaction):
            tokens, note = entry.tokens, entry.detail or entry.cause
            yield OperationMoment(
                entry.at, "failed", entry.trigger, tokens, tokens, seconds=entry.seconds, note=note, operation=entry.id
            )


def _moment_of(operation: Operation, is_undone: bool) -> OperationMoment:
    moment = OperationMoment(
        operation.at,
        "prune" if isinstance(operation, Prune) else "compaction",
        operation.trigger,
        operation.tokens_before,
        operation.tokens_after,
        len(operation.message_ids if isinstance(operation, Prune) else operation.archived),
        is_undone=is_undone,
        operation=done_as(operation),
    )
    if isinstance(operation, Compaction):
        return replace(moment, seconds=operation.seconds, note=operation.note)
    return moment


def _newest_size(entries: Sequence[AnyEntry]) -> Iterator[int]:
    """Yield the tokens of the newest request and reply whose usage a provider reported, if there is one."""
    for entry in reversed(entries):
        if isinstance(entry, Message) and entry.usage is not None and is_measured(entry):
            yield entry.usage.prompt_tokens + entry.usage.reply_tokens
            return


def _shares(entries: Iterable[AnyEntry]) -> Iterator[float]:
    """Yield the used share of the window before each operation, also before failed ones: between them it only grows."""
    for entry in entries:
        if isinstance(entry, FailedCompaction) and entry.usable:
            yield entry.tokens / entry.usable
        elif isinstance(entry, Prune | Compaction) and entry.usable:
            yield entry.tokens_before / entry.usable


def _spills(entries: Iterable[AnyEntry]) -> Iterator[tuple[str, int]]:
    """Yield the name and the bytes of each output that is stored in a file."""
    for entry in entries:
        if isinstance(entry, Message) and (result := entry.tool_result) and result.spill:
            sizes = sizes_in_notice(result.text)
            yield result.spill, sizes[0] if sizes else 0


def _sizes_by_segment(entries: Iterable[AnyEntry], counts: TokenCounts | None) -> dict[Segment, int]:
    sizes = Counter[Segment]()
    for entry in entries:
        if isinstance(entry, Message):
            for segment, size in counts.of(entry).parts if counts else _characters(entry):
                sizes[segment] += size
    return dict(sizes)


def _characters(message: Message) -> Iterator[tuple[Segment, int]]:
    for part in message.parts:
        match part:
            case Text(text):
                yield SEGMENT_OF_ROLE[message.role], len(text)
            case ToolResult():
                yield Segment.RESULTS, len(part.text)
            case ToolCall():
                yield Segment.CALLS, len(part.name) + len(part.arguments)
            case Attachment() if not part.is_image:
                yield Segment.ATTACHMENTS, len(part.content)
            case _:  # reasoning is rarely sent again, and an image has no characters
                pass


def _day_parts(
    entries: Iterable[AnyEntry], active: AbstractSet[str], day_of: Callable[[float], str]
) -> Iterator[DayInsights]:
    """Yield the figures that each entry adds to its day. Entries without a time belong to no day."""
    counted = set[str]()
    for entry in entries:
        if not entry.at:
            continue
        if makes_room(entry) and entry.id in active:
            freed = entry.tokens_before - entry.tokens_after
            yield DayInsights(day_of(entry.at), operations=int(done_as(entry) not in counted), freed=freed)
            counted.add(done_as(entry))
        if isinstance(entry, Message) and (result := entry.tool_result) and (sizes := sizes_in_notice(result.text)):
            yield DayInsights(day_of(entry.at), truncated=1, bytes_left_out=max(sizes[0] - sizes[1], 0))
        if (asked := usage_in(entry)) is not None:
            yield DayInsights(day_of(entry.at), asked.usage)


def _sum_of_days(parts: Iterable[DayInsights]) -> tuple[DayInsights, ...]:
    days: dict[str, DayInsights] = {}
    for part in parts:
        days[part.day] = days[part.day].plus(part) if part.day in days else part
    return tuple(days[day] for day in sorted(days))


def _usage_of(entries: Iterable[AnyEntry]) -> tuple[UsageOf, ...]:
    usage: dict[tuple[str, str], Usage] = {}
    for part in filter(None, map(usage_in, entries)):
        key = part.model, part.purpose
        usage[key] = usage[key].plus(part.usage) if key in usage else part.usage
    return _largest_first(usage)


def _largest_first(usage: dict[tuple[str, str], Usage]) -> tuple[UsageOf, ...]:
    parts = [UsageOf(model, purpose, took) for (model, purpose), took in usage.items()]
    return tuple(sorted(parts, key=lambda part: -(part.usage.prompt_tokens + part.usage.reply_tokens)))


def _sum_of(several: Iterable[Fidelity]) -> Fidelity:
    verbatim, in_summary, recallable, lost = 0, 0, 0, 0
    for fidelity in several:
        verbatim, in_summary = verbatim + fidelity.verbatim, in_summary + fidelity.in_summary
        recallable, lost = recallable + fidelity.recallable, lost + fidelity.lost
    return Fidelity(verbatim, in_summary, recallable, lost)
