"""The gauge's figures: the tokens of the assembled request by segment. They sum to the request exactly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.dialect import join_duplicate_calls, reasoning_of, reasoning_to_return, sent_tools
from desktop_app.context.view.items import Item, ItemKind, continuation_item
from desktop_app.context.view.view import View, assemble, closing_items, messages_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.gauge import Gauge, Provenance, Segment, Status, scaled_tokens
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.tools import ToolSpec

from .calibration import AS_COUNTED, Calibration, is_plausible
from .measured import is_measured, last_measured
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
        return scale_gauge(gauge, calibration.of_request(total, len(view.items) + len(closing), policy), policy)
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
    segments = _scale(gauge.segments, total, scale / gauge.scale)
    return replace(gauge, segments=segments, total=total, status=status, scale=scale)


def _scale(segments: dict[Segment, int], total: int, scale: float) -> dict[Segment, int]:
    """Return the segments scaled as each part of the request is, and with the rest between the messages, to `total`."""
    if not total or sum(segments.values()) in (0, total):
        return segments
    scaled = {segment: scaled_tokens(tokens, scale) for segment, tokens in segments.items() if tokens}
    rest = total - sum(tokens for segment, tokens in scaled.items() if segment is not Segment.FRAME)
    return {**scaled, Segment.FRAME: rest}
