"""The gauge's figures: the tokens of the assembled request by segment and by part, and the totals of a record (C10).

Segments and parts sum to the request exactly. Totals include undone and abandoned messages, which were also paid for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise, takewhile

import msgspec
from msgspec.structs import replace

from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.dialect import (
    join_duplicate_calls,
    reasoning_of,
    reasoning_to_return,
    sent_part,
    sent_tools,
)
from desktop_app.context.view.items import Item, ItemKind, continuation_item
from desktop_app.context.view.view import View, assemble, closing_items, messages_of
from desktop_app.conversation.gauge import (
    ComparedPart,
    Gauge,
    PartChange,
    PartKind,
    Provenance,
    Segment,
    SentPart,
    SentRequest,
    Status,
    scaled_tokens,
)
from desktop_app.conversation.insights import UsageOf
from desktop_app.conversation.listing import ModelInfo, form_of
from desktop_app.conversation.message import (
    NO_USAGE,
    Attachment,
    Message,
    Part,
    ProviderSummary,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Totals,
    Usage,
)
from desktop_app.conversation.message_rows import MessageState
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Chain,
    Compaction,
    Flush,
    Operation,
    Undo,
    active_entries,
    done_as,
    makes_room,
)

from .calibration import AS_COUNTED, Calibration, is_measured, is_plausible, last_measured
from .tokens import SEGMENT_OF_ROLE, TokenCounts, Tokens

NO_TOKENIZER = "characters"
"""The beginning of the tokenizer's name if not even an estimate for the family could be loaded."""
OWN_SEGMENT = {ItemKind.SUMMARY: Segment.SUMMARY, ItemKind.MEMORY: Segment.MEMORY, ItemKind.RECALLED: Segment.MEMORY}
"""Kinds of items with a separate segment, independent of their role."""


class Tally(msgspec.Struct, frozen=True):
    """Running sums over the items of a view, by segment."""

    items: Chain[Item]
    segments: dict[Segment, int]
    measured_at: int | None = None
    """The index of the newest reply whose request the provider counted and no operation has changed since."""

    @property
    def total(self) -> int:
        return sum(self.segments.values())


def item_tokens(item: Item, counts: TokenCounts) -> Tokens:
    """Return the tokens of an item, in the segments in which they are shown."""
    tokens = counts.of(item.message)
    if item.grown is not None:
        tokens = _more_of(item.grown, counts)
    elif item.is_joined:
        tokens = _without_frame(item, tokens, counts)
    segment = Segment.PINNED if item.is_pinned else OWN_SEGMENT.get(item.kind)
    return Tokens(tokens.total, ((segment, tokens.total),)) if segment else tokens


def item_total(item: Item, counts: TokenCounts) -> int:
    """Return the sum of an item's tokens."""
    return item_tokens(item, counts).total if item.is_joined else counts.total(item.message)


def _more_of(grown: tuple[Message, Message], counts: TokenCounts) -> Tokens:
    """Return the tokens that a message adds to the reply that it continues: joined texts have different tokens."""
    before, after = map(counts.of, grown)
    had = dict(before.parts)
    return Tokens(after.total - before.total, tuple((s, n - had.get(s, 0)) for s, n in after.parts))


def _without_frame(item: Item, tokens: Tokens, counts: TokenCounts) -> Tokens:
    """Return the tokens that a message adds to the one it is joined to: a blank line replaces its frame and name."""
    role, speaker = item.message.role, item.message.speaker
    saved = counts.tokenizer.overhead.around(role) - item.separators * counts.separator
    saved += counts.text(speaker) if speaker else 0
    own = SEGMENT_OF_ROLE[role]
    return Tokens(tokens.total - saved, tuple((s, n - saved if s is own else n) for s, n in tokens.parts))


def tally(view: View, counts: TokenCounts, earlier: Tally | None = None) -> Tally:
    """Return the sums of the view. If it grew from `earlier`, only new items are counted."""
    has_grown = earlier is not None and view.items.extends(earlier.items)
    if earlier is not None and has_grown:
        start, segments, measured_at = len(earlier.items), dict(earlier.segments), earlier.measured_at
    else:
        start, segments, measured_at = 0, _base(view, counts), last_measured(view)
    for item in view.items[start:] if start else view.items:
        for segment, tokens in item_tokens(item, counts).parts:
            segments[segment] = segments.get(segment, 0) + tokens
        if has_grown and is_measured(item.message):
            measured_at = last_measured(view)
    return Tally(view.items, segments, measured_at)


def _base(view: View, counts: TokenCounts) -> dict[Segment, int]:
    """Return the tokens of a request besides its items, by segment.

    These are the priming of the reply, the template's own system prompt if none is sent, the difference made by joining
    the system prompt's parts, which is mostly negative, and the schemas of the tools.
    """
    overhead, tools = counts.tokenizer.overhead, sent_tools((), view.tools, counts.dialect)
    first = next(iter(view.items), None)
    has_system = first is not None and first.message.role is Role.SYSTEM
    base: dict[Segment, int] = {Segment.SCHEMAS: counts.tools(tools)} if tools else {}
    frame = overhead.priming + (_joining_tokens(view, counts) if has_system else 0)
    if not has_system and (unasked := overhead.without_system(bool(tools))):
        base[Segment.SYSTEM] = unasked
    base[Segment.FRAME if frame >= 0 else Segment.SYSTEM] = frame
    return base


def unasked_prompt(view: View, counts: TokenCounts) -> int:
    """Return the tokens of the template's own system prompt; 0 if one is sent."""
    return 0 if view.items and view.items[0].message.role is Role.SYSTEM else _base(view, counts).get(Segment.SYSTEM, 0)


def _joining_tokens(view: View, counts: TokenCounts) -> int:
    """Return the difference between the system prompt's tokens and its parts'.

    Joined texts have different tokens, and an estimate rounds each part.
    """
    systems = list(takewhile(lambda item: item.message.role is Role.SYSTEM, view.items))
    if len(systems) < 2:
        return 0
    (sent,) = messages_of(systems)
    return counts.total(sent) - sum(item_total(item, counts) for item in systems)


def base_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens of a request besides its items."""
    return sum(_base(view, counts).values())


def request_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens of the assembled request, counted message by message."""
    sent = sum(item_total(item, counts) for item in view.items)
    return base_tokens(view, counts) + sent + closing_tokens(view, counts)


def closing_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens that depend on the view's end or on the entire view.

    They belong to the closing items, or to no single message.
    """
    closing = sum(counts.total(item.message) for item in closing_items(view))
    return closing + sum(view_level_tokens(view, counts).values())


def view_level_tokens(view: View, counts: TokenCounts, end: int | None = None) -> dict[Segment, int]:
    """Return the tokens of the request besides its messages, by segment; only up to the item at `end` if given."""
    dialect = counts.dialect
    if not (dialect.returned_reasoning or dialect.joins_duplicate_calls or dialect.declares_called_tools):
        return {}
    messages = assemble(view) if end is None else messages_of(view.items[:end])
    return _request_level_tokens(messages, view.tools, counts)


def _request_level_tokens(
    messages: Sequence[Message], tools: tuple[ToolSpec, ...], counts: TokenCounts
) -> dict[Segment, int]:
    """Return the tokens of a request besides its assembled messages, by segment.

    These are returned reasoning, declarations of called tools, and, as negative numbers, duplicate calls that are not
    sent.
    """
    dialect, tokens = counts.dialect, dict[Segment, int]()
    if dialect.returned_reasoning:
        returned = reasoning_to_return(messages, dialect)
        tokens[Segment.REASONING] = sum(counts.reasoning(text) for text in returned if text)
    if dialect.declares_called_tools and not tools:
        tokens[Segment.SCHEMAS] = counts.tools(sent_tools(messages, tools, dialect))
    if dialect.joins_duplicate_calls:
        several = [m for m in messages if len(m.tool_calls) > 1 or m.tool_result is not None]
        if any(message.tool_calls for message in several):
            _add_duplicates(tokens, several, counts)
    return {segment: count for segment, count in tokens.items() if count}


def _add_duplicates(tokens: dict[Segment, int], messages: Sequence[Message], counts: TokenCounts) -> None:
    for sign, counted in ((-1, messages), (1, join_duplicate_calls(messages))):
        for message in counted:
            for segment, count in counts.of(message).parts:
                tokens[segment] = tokens.get(segment, 0) + sign * count


def status_of(share: float, thresholds: Sequence[float]) -> Status:
    """Return the status of a request that takes the share of the usable window. thresholds: as in `Gauge`."""
    reached = sum(share >= threshold for threshold in thresholds)
    return (Status.SAFE, Status.WARNING, Status.TIGHT, Status.CRITICAL, Status.EXCEEDED)[reached]


def _status(total: int, usable: int, thresholds: Sequence[float]) -> Status:
    return status_of(total / usable, thresholds) if usable > 0 else Status.UNKNOWN


def gauge_of(
    view: View,
    sums: Tally,
    counts: TokenCounts,
    policy: ContextPolicy,
    budget: Budget,
    model: ModelInfo,
    calibration: Calibration = AS_COUNTED,
) -> Gauge:
    """Return the gauge of the view for the model.

    It is *measured* if the provider reported the tokens of a request to which the view has only added; otherwise
    *estimated*, or *assumed* without a tokenizer and without a report to learn from. Open calls are counted as they
    would be sent.
    """
    closing = [counts.total(item.message) for item in closing_items(view)]
    whole_view = view_level_tokens(view, counts)
    segments = _segments(view, sums, sum(closing), whole_view)
    total, thresholds = sum(segments.values()), budget.thresholds(policy)
    gauge = Gauge(
        segments=segments,
        total=total,
        window=budget.window,
        reserve=budget.reserve,
        status=_status(total, budget.usable, thresholds),
        window_provenance=model.window_provenance,
        thresholds=thresholds,
        spare=budget.spare,
        provenance=Provenance.ASSUMED if counts.tokenizer.name.startswith(NO_TOKENIZER) else Provenance.ESTIMATED,
        tokenizer=counts.tokenizer.name,
    )
    measured = _measured_total(view, sums, counts, model, calibration, gauge.total, closing, sum(whole_view.values()))
    if measured is None:
        return scale_gauge(gauge, calibration.of_request(total, len(view.items) + len(closing)))
    return measured_gauge(gauge, measured)


def _segments(view: View, sums: Tally, closing: int, whole_view: dict[Segment, int]) -> dict[Segment, int]:
    """Return the tokens by segment, by our own count. closing: of the closing items."""
    segments = dict(sums.segments)
    for segment, tokens in whole_view.items():
        target = segment if segments.get(segment, 0) + tokens >= 0 else max(segments, key=lambda key: segments[key])
        segments[target] = segments.get(target, 0) + tokens
    if closing:
        segment = Segment.RESULTS if view.open_calls else Segment.USER
        segments[segment] = segments.get(segment, 0) + closing
    return segments


def _measured_total(
    view: View,
    sums: Tally,
    counts: TokenCounts,
    model: ModelInfo,
    calibration: Calibration,
    counted: int,
    closing: list[int],
    whole_view: int,
) -> int | None:
    """Return the provider's total of the request from which the view grew, plus the calibrated tokens added since.

    None if there is no such report, or if it is not plausible for the `counted` tokens.
    """
    anchor = view.items[sums.measured_at] if sums.measured_at is not None else None
    if anchor is None or anchor.message.usage is None or anchor.message.model != model.record_name:
        return None
    index = sums.measured_at or 0
    later = [item_tokens(item, counts).total for item in view.items[index + 1 :]] + closing
    usage, around = _reported_usage(anchor, anchor.message.usage, counts, calibration)
    # Reasoning, for example, comes with a reply, and is removed with the next question.
    since = sum(later) + around + whole_view - sum(view_level_tokens(view, counts, index).values())
    if not is_plausible(usage, counted - since):
        return None
    return max(usage.prompt_tokens + usage.reply_tokens + calibration.of_part(since, len(later) + bool(around)), 0)


def _reported_usage(item: Item, usage: Usage, counts: TokenCounts, calibration: Calibration) -> tuple[Usage, int]:
    """Return the reported usage without content that left the view, and the reply's frame, which is not reported.

    The prompt of a continuation is not sent again, and a continuation has no frame of its own. The reported tokens of a
    reply with reasoning include it, so its text and calls are counted instead.
    """
    if item.grown is None:
        around = counts.tokenizer.overhead.not_generated(item.message)
        if usage.reasoning_tokens or reasoning_of(item.message):
            own = counts.total(item.message) - around
            usage = replace(usage, reply_tokens=calibration.of_part(own, 0))
        return usage, around
    asked = calibration.of_part(counts.total(continuation_item(item.grown[0], item.grown[0].text).message), 1)
    return replace(usage, prompt_tokens=max(usage.prompt_tokens - asked, 0)), 0


def add_tokens(gauge: Gauge, segment: Segment, tokens: int) -> Gauge:
    """Return the gauge with tokens added, such as the tokens of a streaming reply."""
    segments = {**gauge.segments, segment: gauge.segments.get(segment, 0) + tokens}
    total = gauge.total + tokens
    status = _status(total, gauge.usable, gauge.thresholds)
    return replace(gauge, segments=segments, total=total, status=status)


def scale_gauge(gauge: Gauge, total: int) -> Gauge:
    """Return an estimated gauge with a calibrated total; the tokenizer's name includes the factor."""
    if total == gauge.total:
        return gauge
    scaled = replace(gauge, provenance=Provenance.ESTIMATED, tokenizer=f"{gauge.tokenizer} × {total / gauge.total:.2f}")
    return _with_total(scaled, total)


def measured_gauge(gauge: Gauge, total: int) -> Gauge:
    """Return the gauge with a total that the provider itself reported."""
    return replace(_with_total(gauge, total), provenance=Provenance.MEASURED)


def _with_total(gauge: Gauge, total: int) -> Gauge:
    """Return the gauge with the total, and with segments scaled to it."""
    status, scale = _status(total, gauge.usable, gauge.thresholds), gauge.scale * total / max(gauge.total, 1)
    segments = _scale_segments(gauge.segments, total, scale / gauge.scale)
    return replace(gauge, segments=segments, total=total, status=status, scale=scale)


def _scale_segments(segments: dict[Segment, int], total: int, scale: float) -> dict[Segment, int]:
    """Return the segments scaled like the parts of the request, with the remainder to `total` in the frame."""
    if not total or sum(segments.values()) in (0, total):
        return segments
    scaled = {segment: scaled_tokens(tokens, scale) for segment, tokens in segments.items() if tokens}
    rest = total - sum(tokens for segment, tokens in scaled.items() if segment is not Segment.FRAME)
    return {**scaled, Segment.FRAME: rest}


CHAT = "chat"
NOT_REPORTED = Usage(0, 0)
"""Usage of a request without a report, which still counts as a request."""


class RunningTotals(msgspec.Struct, frozen=True):
    """The totals of a record so far."""

    totals: Totals = Totals()
    done: tuple[Operation | Undo, ...] = ()
    """Operations and `Undo` entries."""

    def after(self, entries: Sequence[AnyEntry]) -> RunningTotals:
        """Return the totals with the entries added, without reading earlier entries again."""
        replies, auxiliary = usage_totals_of(entries, (self.totals.replies, self.totals.auxiliary))
        done = (*self.done, *(entry for entry in entries if isinstance(entry, Operation | Undo)))
        active = list(filter(makes_room, active_entries(done)))
        operations, freed = {done_as(e) for e in active}, sum(e.tokens_before - e.tokens_after for e in active)
        return RunningTotals(Totals(replies, auxiliary, len(operations), freed), done)


def usage_totals_of(
    entries: Iterable[AnyEntry], before: tuple[Usage, Usage] = (NO_USAGE, NO_USAGE)
) -> tuple[Usage, Usage]:
    """Return the usage in the entries: of replies by a model, and of auxiliary requests.

    before: the usage in earlier entries, which is added.
    """
    replies, auxiliary = before
    for asked in filter(None, map(usage_in, entries)):
        if asked.purpose == CHAT:
            replies = replies.plus(asked.usage)
        else:
            auxiliary = auxiliary.plus(asked.usage)
    return replies, auxiliary


def usage_in(entry: AnyEntry) -> UsageOf | None:
    """Return the usage in an entry, with its model and purpose; None if it has none."""
    match entry:
        case Message() if entry.role is Role.ASSISTANT and entry.model:
            purpose = CHAT
        case Compaction() if entry.usage is not None and not entry.is_usage_recorded:
            purpose = "summary"
        case Flush() if entry.usage is not None:
            purpose = "memory"
        case AuxiliaryUsage():
            purpose = entry.purpose
        case _:
            return None
    return UsageOf(entry.model, purpose, entry.usage or NOT_REPORTED)


PREVIEW = 240
"""Characters of a part's text that are sent to the window at first."""
MAX_ARGUMENTS = 400
"""Characters of a call's arguments in the part of its result."""

FRAME = SentPart(PartKind.FRAME, "", "", "", 0, 0, Segment.FRAME)
"""Tokens between the messages."""
TEMPLATES_OWN = SentPart(PartKind.SYNTHETIC, "system", "", "", 0, 0, Segment.SYSTEM)
"""The chat template's own system prompt if none is sent. Its text is known only to the server."""


def sent_request(
    view: View, gauge: Gauge, counts: TokenCounts, cached_tokens: int = 0, preview: int | None = PREVIEW
) -> SentRequest:
    """Return the view's request, part by part. gauge: of the view.

    Our own counts of the parts are scaled to the gauge's total, like its segments. cached_tokens: tokens that the
    provider last read from its cache. preview: characters of each text; None for the full text.
    """
    parts = _with_sizes_before(_parts(view.items, view, counts), view, counts)
    systems = sum(item.message.role is Role.SYSTEM for item in view.items)
    parts[systems:systems] = _tools(view, counts)
    if unasked := unasked_prompt(view, counts):
        parts.insert(0, replace(TEMPLATES_OWN, tokens=unasked))
    parts += _parts(closing_items(view), view, counts)
    rest = request_tokens(view, counts) - sum(part.tokens for part in parts)
    if rest < 0:  # joined, the system prompt has fewer tokens, and nothing primes the reply
        parts[0], rest = replace(parts[0], tokens=parts[0].tokens + rest), 0
    if rest:
        parts.append(replace(FRAME, tokens=rest))
    parts = _scale_parts(parts, gauge)
    if preview is not None:
        parts = [cut_text(part, preview) for part in parts]
    return SentRequest(gauge, tuple(parts), _parts_within(parts, cached_tokens))


def cut_text(part: SentPart, characters: int = PREVIEW) -> SentPart:
    """Return the part with the beginning of its text."""
    return part if len(part.text) <= characters else replace(part, text=part.text[:characters])


def _parts(items: Iterable[Item], view: View, counts: TokenCounts) -> list[SentPart]:
    parts: list[SentPart] = []
    arguments: dict[str, str] = {}  # by id, of the newest call: ids repeat
    for item in items:
        result = item.message.tool_result
        parts.append(_part(item, view, counts, arguments.get(result.call_id, "") if result else ""))
        arguments.update((call.call_id, call.arguments[:MAX_ARGUMENTS]) for call in item.message.tool_calls)
    return parts


def _part(item: Item, view: View, counts: TokenCounts, arguments: str) -> SentPart:
    message, text, tokens = item.message, _text(item.message, counts), item_tokens(item, counts)
    result = message.tool_result
    part = SentPart(
        PartKind(item.kind.value),
        message.role.value,
        result.name if result else message.speaker,
        text,
        len(text),
        tokens.total,
        _segment(item),
        message.id if item.kind is ItemKind.MESSAGE else "",
        item.pruned_by,
        is_pinned=item.is_pinned,
        repair=item.repair.value if item.repair else "",
        at=message.at,
        other_segments=tuple(s for s, count in tokens.parts if count > 0 and s is not _segment(item)),
        arguments=arguments,
    )
    if item.kind is ItemKind.SUMMARY:
        archived = sum(status.state is MessageState.ARCHIVED for status in view.statuses.values())
        own = next((p for p in _sent_parts(message, counts) if isinstance(p, ProviderSummary)), None)
        return replace(part, operation_id=message.id, stands_for=archived, provider_form=form_of(own))
    if item.kind is ItemKind.RECALLED:
        recalled_for = next((key for key, recalled in view.recalled.items() if recalled.id == message.id), "")
        return replace(part, message_id=recalled_for)
    return part


def _with_sizes_before(parts: list[SentPart], view: View, counts: TokenCounts) -> list[SentPart]:
    """Return the parts, with the original tokens of shortened ones."""
    shortened = {part.message_id for part in parts if part.operation_id and part.kind is PartKind.MESSAGE}
    recorded = {e.id: e for e in view.path if e.id in shortened and isinstance(e, Message)} if shortened else {}
    return [
        replace(part, tokens_before=counts.total(recorded[part.message_id])) if part.message_id in recorded else part
        for part in parts
    ]


def _segment(item: Item) -> Segment:
    return Segment.PINNED if item.is_pinned else OWN_SEGMENT.get(item.kind) or SEGMENT_OF_ROLE[item.message.role]


def _tools(view: View, counts: TokenCounts) -> list[SentPart]:
    """Return parts for the schemas of our own tools and of each server's, with a line for each tool."""
    tools = sent_tools((item.message for item in view.items), view.tools, counts.dialect)
    by_source = {tool.source: [t for t in tools if t.source == tool.source] for tool in tools}
    weights = [counts.tools(tuple(own)) for own in by_source.values()]
    ends = _shares(weights, counts.tools(tools) if tools else 0)
    return [_schemas(source, own, tokens) for (source, own), tokens in zip(by_source.items(), ends, strict=True)]


def _schemas(source: str, tools: Sequence[ToolSpec], tokens: int) -> SentPart:
    text = "\n".join(f"{tool.name}  {' '.join(tool.description.split())}" for tool in tools)
    return SentPart(PartKind.TOOLS, "", source, text, len(text), tokens, Segment.SCHEMAS, stands_for=len(tools))


def _text(message: Message, counts: TokenCounts) -> str:
    return "\n\n".join(filter(None, map(_text_of, _sent_parts(message, counts))))


def _sent_parts(message: Message, counts: TokenCounts) -> list[Part]:
    return [sent_part(part, counts.dialect) for part in message.parts]


def _text_of(part: Part) -> str:
    match part:
        case ProviderSummary():
            return f"{part.readable}\n\n{part.text}".lstrip()
        case Text(text) | ToolResult(_, _, text):
            return text
        case ToolCall(_, name, arguments):
            return f"{name} {arguments}"
        case Attachment():
            return f"[image: {part.name}]" if part.is_image else f"{part.name}\n{part.content}"
        case Reasoning():
            return ""


def _scale_parts(parts: Sequence[SentPart], gauge: Gauge) -> list[SentPart]:
    """Return the parts with their tokens scaled to the gauge's total.

    The remainder of rounding is added to the frame, so that messages have the same figures as elsewhere in the window.
    """
    scaled = [
        replace(part, tokens=gauge.tokens_of(part.tokens), tokens_before=gauge.tokens_of(part.tokens_before))
        for part in parts
    ]
    rest = gauge.total - sum(part.tokens for part in scaled)
    frame = scaled.pop() if scaled and scaled[-1].kind is PartKind.FRAME else FRAME
    between = frame.tokens + rest
    return [*scaled, replace(frame, tokens=between)] if between else scaled


def _shares(weights: Sequence[int], total: int) -> list[int]:
    """Return the total split by the weights; the remainder of rounding goes to the later ones."""
    counted = sum(weights)
    ends = [so_far * total // counted for so_far in accumulate(weights, initial=0)] if counted else [0, *weights]
    return [end - start for start, end in pairwise(ends)]


def _parts_within(parts: Iterable[SentPart], tokens: int) -> int:
    """Return the number of first parts that lie within the given number of tokens."""
    return sum(end <= tokens for end in accumulate(part.tokens for part in parts))


def compare_parts(before: Sequence[SentPart], after: Sequence[SentPart]) -> tuple[ComparedPart, ...]:
    """Return the parts of both requests in order, each with its change."""
    old, new = [_key(part) for part in before], [_key(part) for part in after]
    compared: list[ComparedPart] = []
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs = zip(before[start:stop], after[begin:end], strict=True)
            compared += (
                ComparedPart(new_part, _change(old_part, new_part), old_part.tokens) for old_part, new_part in pairs
            )
        else:
            compared += (ComparedPart(part, PartChange.REMOVED, part.tokens) for part in before[start:stop])
            compared += (ComparedPart(part, PartChange.ADDED) for part in after[begin:end])
    return tuple(compared)


def _key(part: SentPart) -> tuple[str, ...]:
    """Return the identity of a part, whose text and size may differ between requests."""
    return (part.kind, part.message_id) if part.message_id else (part.kind, part.role)


def _change(before: SentPart, after: SentPart) -> PartChange:
    is_same = (before.text, before.characters) == (after.text, after.characters)
    return PartChange.SAME if is_same else PartChange.CHANGED
