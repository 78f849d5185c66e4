"""What a record tells of its life: how full the window was, what filled it, what was freed, and what it all took.

Each figure is of the record itself, so that nothing has to be counted beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from desktop_app.conversation.branches import Branches
from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.insights import Insights, Moment, OperationMoment, UsageOf
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Compaction,
    Flush,
    Operation,
    Prune,
    Rewind,
    Switch,
    Transcript,
    Undo,
    active_entries,
)

from .counting.measured import is_measured
from .counting.tokens import TokenCounts

NOT_REPORTED = Usage(0, 0)
"""A request of which its provider said nothing counts as a request."""


def insights_of(transcript: Transcript, counts: TokenCounts) -> Insights:
    """Return the figures of one conversation. What was undone or abandoned was said and paid for all the same."""
    entries = transcript.entries
    holding = {entry.id for entry in active_entries(entries)}
    operations = [entry for entry in entries if isinstance(entry, Operation)]
    compactions = [e.fidelity for e in operations if isinstance(e, Compaction) and e.id in holding]
    return Insights(
        moments=tuple(_moments(entries, counts)),
        operations=tuple(_moment_of(operation, operation.id not in holding) for operation in operations),
        said=_said(entries, counts),
        usage=_usage_of(entries),
        fidelity=_sum_of(compactions),
    )


def combine(several: Iterable[Insights]) -> Insights:
    """Return the figures of several conversations together."""
    insights = list(several)
    said, usage = Counter[Segment](), dict[tuple[str, str], Usage]()
    for one in insights:
        said.update(one.said)
        for part in one.usage:
            key = part.model, part.purpose
            usage[key] = usage[key].plus(part.usage) if key in usage else part.usage
    operations = sorted((moment for one in insights for moment in one.operations), key=lambda moment: moment.at)
    return Insights(
        conversations=sum(one.conversations for one in insights),
        operations=tuple(operations),
        said=dict(said),
        usage=_largest_first(usage),
        fidelity=_sum_of(one.fidelity for one in insights),
    )


def _moments(entries: Iterable[AnyEntry], counts: TokenCounts) -> Iterable[Moment]:
    """Yield a moment for each reply. What no provider reported grows by what is said, and shrinks by what is freed."""
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
                size, freed[entry.id] = entry.tokens_after, entry.tokens_before - entry.tokens_after
            case Undo():
                size += freed.get(entry.entry_id, 0)
            case Rewind() | Switch():
                path = branches.path()
                said = sum(counts.total(e) for e in path if isinstance(e, Message))
                size = max(said - sum(freed.get(e.id, 0) for e in path), 0)
            case _:
                pass


def _moment_of(operation: Operation, is_undone: bool) -> OperationMoment:
    moment = OperationMoment(
        operation.at,
        "prune" if isinstance(operation, Prune) else "compaction",
        operation.trigger,
        operation.tokens_before,
        operation.tokens_after,
        is_undone=is_undone,
    )
    if isinstance(operation, Compaction):
        return replace(moment, seconds=operation.seconds, note=operation.note)
    return moment


def _said(entries: Iterable[AnyEntry], counts: TokenCounts) -> dict[Segment, int]:
    said = Counter[Segment]()
    for entry in entries:
        if isinstance(entry, Message):
            for segment, tokens in counts.of(entry).parts:
                said[segment] += tokens
    return dict(said)


def _usage_of(entries: Iterable[AnyEntry]) -> tuple[UsageOf, ...]:
    usage: dict[tuple[str, str], Usage] = {}
    for entry in entries:
        purpose = _purpose_of(entry)
        if not purpose or not isinstance(entry, Message | Compaction | Flush | AuxiliaryUsage):
            continue
        key, took = (entry.model, purpose), entry.usage or NOT_REPORTED
        usage[key] = usage[key].plus(took) if key in usage else took
    return _largest_first(usage)


def _purpose_of(entry: AnyEntry) -> str:
    """Return what the request was made for whose usage the entry has; "" if it has none."""
    match entry:
        case Message() if entry.role is Role.ASSISTANT and entry.model:
            return "chat"
        case Compaction() if entry.usage is not None:
            return "summary"
        case Flush() if entry.usage is not None:
            return "memory"
        case AuxiliaryUsage():
            return entry.purpose
        case _:
            return ""


def _largest_first(usage: dict[tuple[str, str], Usage]) -> tuple[UsageOf, ...]:
    parts = [UsageOf(model, purpose, took) for (model, purpose), took in usage.items()]
    return tuple(sorted(parts, key=lambda part: -(part.usage.prompt_tokens + part.usage.reply_tokens)))


def _sum_of(several: Iterable[Fidelity]) -> Fidelity:
    verbatim, in_summary, recallable, lost = 0, 0, 0, 0
    for one in several:
        verbatim, in_summary = verbatim + one.verbatim, in_summary + one.in_summary
        recallable, lost = recallable + one.recallable, lost + one.lost
    return Fidelity(verbatim, in_summary, recallable, lost)
