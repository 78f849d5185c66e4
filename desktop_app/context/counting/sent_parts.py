"""The request part by part, with the tokens of each: what the gauge's total is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from msgspec.structs import replace

from desktop_app.context.view.dialect import sent_part, sent_tools
from desktop_app.context.view.items import Item, ItemKind
from desktop_app.context.view.view import View, closing_items
from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.rows import MessageState
from desktop_app.conversation.sent_request import ComparedPart, PartChange, PartKind, SentPart, SentRequest
from desktop_app.conversation.tools import ToolSpec

from .breakdown import OWN_SEGMENT, item_tokens, request_tokens, unasked_prompt
from .tokens import SEGMENT_OF_ROLE, TokenCounts

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
    parts = _scale(parts, gauge)
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
        other_segments=tuple(s for s, count in tokens.parts if count and s is not _segment(item)),
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


def _scale(parts: Sequence[SentPart], gauge: Gauge) -> list[SentPart]:
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
