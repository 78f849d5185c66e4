"""The request part by part, with the tokens of each: what the gauge's total is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from msgspec.structs import replace

from desktop_app.context.view.dialect import sent_part, sent_tools
from desktop_app.context.view.items import Item, ItemKind
from desktop_app.context.view.view import View, closing_items
from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.rows import MessageState
from desktop_app.conversation.sent_request import ComparedPart, PartChange, PartKind, SentPart, SentRequest

from .breakdown import OWN_SEGMENT, item_tokens, request_tokens
from .tokens import SEGMENT_OF_ROLE, TokenCounts

PREVIEW = 1_200
"""Characters of a part's text that are given at first."""


def sent_request(
    view: View, gauge: Gauge, counts: TokenCounts, cached_tokens: int = 0, preview: int | None = PREVIEW
) -> SentRequest:
    """Return the request of that view, whose gauge is `gauge`, part by part.

    The parts are counted here and scaled to the gauge's total, as the gauge's segments are. cached_tokens: what the
    provider last read from its cache. preview: characters of each text; None for all of it.
    """
    parts = [_part(item, view, counts) for item in view.items]
    parts = _with_sizes_before(parts, view, counts)
    systems = sum(item.message.role is Role.SYSTEM for item in view.items)
    parts[systems:systems] = _tools(view, counts)
    parts += [_part(item, view, counts) for item in closing_items(view)]
    rest = request_tokens(view, counts) - sum(part.tokens for part in parts)
    if rest:
        parts.append(SentPart(PartKind.FRAME, "", "", "", 0, rest, Segment.SYSTEM))
    parts = [replace(part, text=part.text[:preview]) for part in _scale(parts, gauge.total)]
    return SentRequest(gauge, tuple(parts), _parts_within(parts, cached_tokens))


def _part(item: Item, view: View, counts: TokenCounts) -> SentPart:
    message, text, tokens = item.message, _text(item.message, counts), item_tokens(item, counts).total
    part = SentPart(
        PartKind(item.kind.value),
        message.role.value,
        message.tool_result.name if message.tool_result else message.speaker,
        text,
        len(text),
        tokens,
        _segment(item),
        message.id if item.kind is ItemKind.MESSAGE else "",
        item.pruned_by,
        is_pinned=item.is_pinned,
        repair=item.repair.value if item.repair else "",
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
    """Return a part for the schemas of all tools, a line for each of them."""
    tools = sent_tools((item.message for item in view.items), view.tools, counts.dialect)
    if not tools:
        return []
    text = "\n".join(f"{tool.name}  {' '.join(tool.description.split())}" for tool in tools)
    return [SentPart(PartKind.TOOLS, "", "", text, len(text), counts.tools(tools), Segment.SCHEMAS)]


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


def _scale(parts: Sequence[SentPart], total: int) -> list[SentPart]:
    """Return the parts with tokens that sum to that total; what rounding leaves over goes to the later parts."""
    counted = sum(part.tokens for part in parts)
    if counted in (0, total):
        return list(parts)
    ends = [so_far * total // counted for so_far in accumulate((part.tokens for part in parts), initial=0)]
    factor = total / counted
    return [
        replace(part, tokens=end - start, tokens_before=round(part.tokens_before * factor))
        for part, start, end in zip(parts, ends, ends[1:], strict=False)
    ]


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
