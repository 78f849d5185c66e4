"""The gauge's figures: the tokens of the assembled request by segment and by part, and the totals of a record (C10).

Segments and parts sum to the request exactly. Totals include what was undone or abandoned: it was paid for.
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
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import (
    NO_USAGE,
    Attachment,
    Message,
    Part,
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
"""How the name of what counts begins when not even an estimate for the family could be loaded."""
OWN_SEGMENT = {ItemKind.SUMMARY: Segment.SUMMARY, ItemKind.MEMORY: Segment.MEMORY, ItemKind.RECALLED: Segment.MEMORY}
"""Kinds of items that are shown apart, whoever seems to say them."""


class Tally(msgspec.Struct, frozen=True):
    """Running sums over the items of one view, by segment."""

    items: Chain[Item]
    segments: dict[Segment, int]
    measured_at: int | None = None
    """The index of the newest reply whose request the provider counted and nothing changed since."""

    @property
    def total(self) -> int:
        return sum(self.segments.values())


def item_tokens(item: Item, counts: TokenCounts) -> Tokens:
    """Return the tokens of one item in the segments where it is shown."""
    tokens = counts.of(item.message)
    if item.grown is not None:
        tokens = _more_of(item.grown, counts)
    elif item.is_joined:
        tokens = _without_frame(item, tokens, counts)
    segment = Segment.PINNED if item.is_pinned else OWN_SEGMENT.get(item.kind)
    return Tokens(tokens.total, ((segment, tokens.total),)) if segment else tokens


def item_total(item: Item, counts: TokenCounts) -> int:
    """Return all tokens of one item."""
    return item_tokens(item, counts).total if item.is_joined else counts.total(item.message)


def _more_of(grown: tuple[Message, Message], counts: TokenCounts) -> Tokens:
    """Return what a message adds to the reply that it continues: where two texts meet, tokens become others."""
    before, after = map(counts.of, grown)
    had = dict(before.parts)
    return Tokens(after.total - before.total, tuple((s, n - had.get(s, 0)) for s, n in after.parts))


def _without_frame(item: Item, tokens: Tokens, counts: TokenCounts) -> Tokens:
    """Return what a message adds to the one that it is joined to: a blank line instead of a frame and a name."""
    role, speaker = item.message.role, item.message.speaker
    saved = counts.tokenizer.overhead.around(role) - item.separators * counts.separator
    saved += counts.text(speaker) if speaker else 0
    own = SEGMENT_OF_ROLE[role]
    return Tokens(tokens.total - saved, tuple((s, n - saved if s is own else n) for s, n in tokens.parts))


def tally(view: View, counts: TokenCounts, earlier: Tally | None = None) -> Tally:
    """Return the sums of that view. If it grew from `earlier`, only what is new is counted."""
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
    """Return the tokens of a request beside its items: what primes the reply, what a template writes where there is no
    system prompt, what joining its parts makes more or, mostly, less, and the schemas of the tools."""
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
    """Return the tokens of the system prompt that the template writes, since none is sent; 0 if one is."""
    return 0 if view.items and view.items[0].message.role is Role.SYSTEM else _base(view, counts).get(Segment.SYSTEM, 0)


def _joining_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens of the system prompt beyond those of its parts: where two texts meet, tokens become others, and
    an estimate rounds each."""
    systems = list(takewhile(lambda item: item.message.role is Role.SYSTEM, view.items))
    if len(systems) < 2:
        return 0
    (sent,) = messages_of(systems)
    return counts.total(sent) - sum(item_total(item, counts) for item in systems)


def base_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens of a request beside its items."""
    return sum(_base(view, counts).values())


def request_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens of the assembled request, counted message by message."""
    sent = sum(item_total(item, counts) for item in view.items)
    return base_tokens(view, counts) + sent + closing_tokens(view, counts)


def closing_tokens(view: View, counts: TokenCounts) -> int:
    """Return the tokens that depend on how the view ends, or on all of it: of the closing items, and of what belongs to
    no message by itself."""
    closing = sum(counts.total(item.message) for item in closing_items(view))
    return closing + sum(view_level_tokens(view, counts).values())


def view_level_tokens(view: View, counts: TokenCounts, end: int | None = None) -> dict[Segment, int]:
    """Return what the request has beside the tokens of its messages; of the request up to the item at `end`."""
    dialect = counts.dialect
    if not (dialect.returned_reasoning or dialect.joins_duplicate_calls or dialect.declares_called_tools):
        return {}
    messages = assemble(view) if end is None else messages_of(view.items[:end])
    return _request_level_tokens(messages, view.tools, counts)


def _request_level_tokens(
    messages: Sequence[Message], tools: tuple[ToolSpec, ...], counts: TokenCounts
) -> dict[Segment, int]:
    """Return what a request of these assembled messages has beside the tokens of each, by segment: reasoning that goes
    back, declarations of tools that were called, and, less than nothing, duplicates of calls that are not sent."""
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


def status_of(share: float, policy: ContextPolicy) -> Status:
    """Return the status of a request that takes that share of the usable window."""
    reached = sum(share >= threshold for threshold in policy.thresholds)
    return (Status.SAFE, Status.WARNING, Status.TIGHT, Status.CRITICAL, Status.EXCEEDED)[reached]


def _status(total: int, usable: int, policy: ContextPolicy) -> Status:
    return status_of(total / usable, policy) if usable > 0 else Status.UNKNOWN


def gauge_of(
    view: View,
    sums: Tally,
    counts: TokenCounts,
    policy: ContextPolicy,
    budget: Budget,
    model: ModelInfo,
    calibration: Calibration = AS_COUNTED,
) -> Gauge:
    """Return the gauge of that view for that model.

    *Measured* when the provider reported the tokens of a request that this view only grew from; else *estimated*, or
    *assumed* if there is nothing to go by: neither a tokenizer nor a report to learn from. Open calls count as they
    would be sent.
    """
    closing = [counts.total(item.message) for item in closing_items(view)]
    whole_view = view_level_tokens(view, counts)
    segments = _segments(view, sums, sum(closing), whole_view)
    total = sum(segments.values())
    gauge = Gauge(
        segments=segments,
        total=total,
        window=budget.window,
        reserve=budget.reserve,
        status=_status(total, budget.usable, policy),
        window_provenance=model.window_provenance,
        thresholds=policy.thresholds,
        provenance=Provenance.ASSUMED if counts.tokenizer.name.startswith(NO_TOKENIZER) else Provenance.ESTIMATED,
        tokenizer=counts.tokenizer.name,
    )
    measured = _measured_total(view, sums, counts, model, calibration, gauge.total, closing, sum(whole_view.values()))
    if measured is None:
        return scale_gauge(gauge, calibration.of_request(total, len(view.items) + len(closing)), policy)
    return measured_gauge(gauge, measured, policy)


def _segments(view: View, sums: Tally, closing: int, whole_view: dict[Segment, int]) -> dict[Segment, int]:
    """Return the tokens by segment as they are counted here. closing: of the closing items."""
    segments = dict(sums.segments)
    for segment, tokens in whole_view.items():
        shown = segment if segments.get(segment, 0) + tokens >= 0 else max(segments, key=lambda one: segments[one])
        segments[shown] = segments.get(shown, 0) + tokens
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
    """Return the provider's total of the request that this view grew from, and what came after that, calibrated.

    None if there is no such report, or none that can be true of the `counted` tokens.
    """
    anchor = view.items[sums.measured_at] if sums.measured_at is not None else None
    if anchor is None or anchor.message.usage is None or anchor.message.model != model.record_name:
        return None
    index = sums.measured_at or 0
    later = [item_tokens(item, counts).total for item in view.items[index + 1 :]] + closing
    usage, around = _reported_usage(anchor, anchor.message.usage, counts, calibration)
    # Reasoning, for one, comes with a reply, and goes with the next question.
    since = sum(later) + around + whole_view - sum(view_level_tokens(view, counts, index).values())
    if not is_plausible(usage, counted - since):
        return None
    return max(usage.prompt_tokens + usage.reply_tokens + calibration.of_part(since, len(later) + bool(around)), 0)


def _reported_usage(item: Item, usage: Usage, counts: TokenCounts, calibration: Calibration) -> tuple[Usage, int]:
    """Return what was reported of what the view still has, and the tokens of the reply's frame, which is not reported.

    A continuation was asked for in words that are not sent again, and has no frame of its own. What is reported of a
    reply with reasoning includes it, so that its text and its calls are counted here.
    """
    if item.grown is None:
        around = counts.tokenizer.overhead.not_generated(item.message)
        if usage.reasoning_tokens or reasoning_of(item.message):
            own = counts.total(item.message) - around
            usage = replace(usage, reply_tokens=calibration.of_part(own, 0))
        return usage, around
    asked = calibration.of_part(counts.total(continuation_item(item.grown[0], item.grown[0].text).message), 1)
    return replace(usage, prompt_tokens=max(usage.prompt_tokens - asked, 0)), 0


def add_tokens(gauge: Gauge, segment: Segment, tokens: int, policy: ContextPolicy) -> Gauge:
    """Return the gauge with some tokens more, such as those of a reply that is still streaming."""
    segments = {**gauge.segments, segment: gauge.segments.get(segment, 0) + tokens}
    total = gauge.total + tokens
    status = _status(total, gauge.usable, policy)
    return replace(gauge, segments=segments, total=total, status=status)


def scale_gauge(gauge: Gauge, total: int, policy: ContextPolicy) -> Gauge:
    """Return an estimated gauge with a calibrated total; its tokenizer's name says by how much it was scaled."""
    if total == gauge.total:
        return gauge
    scaled = replace(gauge, provenance=Provenance.ESTIMATED, tokenizer=f"{gauge.tokenizer} × {total / gauge.total:.2f}")
    return _with_total(scaled, total, policy)


def measured_gauge(gauge: Gauge, total: int, policy: ContextPolicy) -> Gauge:
    """Return the gauge of a request of which the provider itself said how long it is."""
    return replace(_with_total(gauge, total, policy), provenance=Provenance.MEASURED)


def _with_total(gauge: Gauge, total: int, policy: ContextPolicy) -> Gauge:
    """Return the gauge with that total, the segments scaled to it."""
    status, scale = _status(total, gauge.usable, policy), gauge.scale * total / max(gauge.total, 1)
    segments = _scale_segments(gauge.segments, total, scale / gauge.scale)
    return replace(gauge, segments=segments, total=total, status=status, scale=scale)


def _scale_segments(segments: dict[Segment, int], total: int, scale: float) -> dict[Segment, int]:
    """Return the segments scaled as each part of the request is, and with the rest between the messages, to `total`."""
    if not total or sum(segments.values()) in (0, total):
        return segments
    scaled = {segment: scaled_tokens(tokens, scale) for segment, tokens in segments.items() if tokens}
    rest = total - sum(tokens for segment, tokens in scaled.items() if segment is not Segment.FRAME)
    return {**scaled, Segment.FRAME: rest}


CHAT = "chat"
NOT_REPORTED = Usage(0, 0)
"""A request of which its provider said nothing counts as a request."""


class RunningTotals(msgspec.Struct, frozen=True):
    """The totals of a record so far."""

    totals: Totals = Totals()
    done: tuple[Operation | Undo, ...] = ()
    """Operations, and what undoes them."""

    def after(self, entries: Sequence[AnyEntry]) -> RunningTotals:
        """Return the totals of the record that has these entries, too: only they are looked at."""
        replies, auxiliary = usage_totals_of(entries, (self.totals.replies, self.totals.auxiliary))
        done = (*self.done, *(entry for entry in entries if isinstance(entry, Operation | Undo)))
        holding = list(filter(makes_room, active_entries(done)))
        operations, freed = {done_as(e) for e in holding}, sum(e.tokens_before - e.tokens_after for e in holding)
        return RunningTotals(Totals(replies, auxiliary, len(operations), freed), done)


def usage_totals_of(
    entries: Iterable[AnyEntry], before: tuple[Usage, Usage] = (NO_USAGE, NO_USAGE)
) -> tuple[Usage, Usage]:
    """Return what these entries took: the replies that a model of ours wrote, and auxiliary requests.

    before: what others took, which is added.
    """
    replies, auxiliary = before
    for asked in filter(None, map(usage_in, entries)):
        if asked.purpose == CHAT:
            replies = replies.plus(asked.usage)
        else:
            auxiliary = auxiliary.plus(asked.usage)
    return replies, auxiliary


def usage_in(entry: AnyEntry) -> UsageOf | None:
    """Return what the request took whose usage the entry has; None if it has none."""
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
"""Characters of a part's text that are given at first."""
MAX_ARGUMENTS = 400
"""Characters of a call's arguments that are given with its result."""

FRAME = SentPart(PartKind.FRAME, "", "", "", 0, 0, Segment.FRAME)
"""What lies between the messages."""
TEMPLATES_OWN = SentPart(PartKind.SYNTHETIC, "system", "", "", 0, 0, Segment.SYSTEM)
"""The system prompt that a chat template writes where none is sent. Its text is the server's."""


def sent_request(
    view: View, gauge: Gauge, counts: TokenCounts, cached_tokens: int = 0, preview: int | None = PREVIEW
) -> SentRequest:
    """Return the request of that view, whose gauge is `gauge`, part by part.

    The parts are counted here and scaled to the gauge's total, as the gauge's segments are. cached_tokens: what the
    provider last read from its cache. preview: characters of each text; None for all of it.
    """
    parts = _with_sizes_before(_parts(view.items, view, counts), view, counts)
    systems = sum(item.message.role is Role.SYSTEM for item in view.items)
    parts[systems:systems] = _tools(view, counts)
    if unasked := unasked_prompt(view, counts):
        parts.insert(0, replace(TEMPLATES_OWN, tokens=unasked))
    parts += _parts(closing_items(view), view, counts)
    rest = request_tokens(view, counts) - sum(part.tokens for part in parts)
    if rest < 0:  # the system prompt has less as one text than in parts, and nothing primes the reply
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
    arguments: dict[str, str] = {}  # of the newest call of that id: ids repeat
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
        return replace(part, operation_id=message.id, stands_for=archived)
    if item.kind is ItemKind.RECALLED:
        recalled_for = next((key for key, recalled in view.recalled.items() if recalled.id == message.id), "")
        return replace(part, message_id=recalled_for)
    return part


def _with_sizes_before(parts: list[SentPart], view: View, counts: TokenCounts) -> list[SentPart]:
    """Return the parts, the shortened ones with what they took before."""
    shortened = {part.message_id for part in parts if part.operation_id and part.kind is PartKind.MESSAGE}
    recorded = {e.id: e for e in view.path if e.id in shortened and isinstance(e, Message)} if shortened else {}
    return [
        replace(part, tokens_before=counts.total(recorded[part.message_id])) if part.message_id in recorded else part
        for part in parts
    ]


def _segment(item: Item) -> Segment:
    return Segment.PINNED if item.is_pinned else OWN_SEGMENT.get(item.kind) or SEGMENT_OF_ROLE[item.message.role]


def _tools(view: View, counts: TokenCounts) -> list[SentPart]:
    """Return a part for the schemas of our tools and of each server's, a line for each tool."""
    tools = sent_tools((item.message for item in view.items), view.tools, counts.dialect)
    by_source = {tool.source: [t for t in tools if t.source == tool.source] for tool in tools}
    weights = [counts.tools(tuple(own)) for own in by_source.values()]
    ends = _shares(weights, counts.tools(tools) if tools else 0)
    return [_schemas(source, own, tokens) for (source, own), tokens in zip(by_source.items(), ends, strict=True)]


def _schemas(source: str, tools: Sequence[ToolSpec], tokens: int) -> SentPart:
    text = "\n".join(f"{tool.name}  {' '.join(tool.description.split())}" for tool in tools)
    return SentPart(PartKind.TOOLS, "", source, text, len(text), tokens, Segment.SCHEMAS, stands_for=len(tools))


def _text(message: Message, counts: TokenCounts) -> str:
    return "\n\n".join(filter(None, (_text_of(sent_part(part, counts.dialect)) for part in message.parts)))


def _text_of(part: Part) -> str:
    match part:
        case Text(text) | ToolResult(_, _, text):
            return text
        case ToolCall(_, name, arguments):
            return f"{name} {arguments}"
        case Attachment():
            return f"[image: {part.name}]" if part.is_image else f"{part.name}\n{part.content}"
        case Reasoning():
            return ""


def _scale_parts(parts: Sequence[SentPart], gauge: Gauge) -> list[SentPart]:
    """Return the parts with their tokens in the gauge's request, to whose total they sum.

    What rounding leaves over lies between the messages: each has the figure that the window tells of it elsewhere.
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
    """Return the total split by these weights; what rounding leaves over goes to the later ones."""
    counted = sum(weights)
    ends = [so_far * total // counted for so_far in accumulate(weights, initial=0)] if counted else [0, *weights]
    return [end - start for start, end in pairwise(ends)]


def _parts_within(parts: Iterable[SentPart], tokens: int) -> int:
    """Return how many of the first parts lie within so many tokens."""
    return sum(end <= tokens for end in accumulate(part.tokens for part in parts))


def compare_parts(before: Sequence[SentPart], after: Sequence[SentPart]) -> tuple[ComparedPart, ...]:
    """Return the parts of both requests in their order, each with what became of it."""
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
    """Return what makes two parts the same one, although its text or its size may differ."""
    return (part.kind, part.message_id) if part.message_id else (part.kind, part.role)


def _change(before: SentPart, after: SentPart) -> PartChange:
    is_same = (before.text, before.characters) == (after.text, after.characters)
    return PartChange.SAME if is_same else PartChange.CHANGED
