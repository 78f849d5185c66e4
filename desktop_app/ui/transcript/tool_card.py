"""Cards of tool calls: the call, its output while it runs, and its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF

from desktop_app.context.recall.recollection import sources_in
from desktop_app.conversation.message import ToolCall, ToolResult
from desktop_app.conversation.tools import DENIED, FORBIDDEN, HAS_IT, OFF_HERE
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import MEDIUM, Corner, Tint, colour, font, scale
from desktop_app.ui.widgets.number_formats import escape_invisible, format_duration

from .call_diff import ChangedLines, changes_in_call
from .cards import lay_out_attachments
from .documents import code_document
from .row_builder import ActionLink, RowBuilder, Tag, TagFrame, advance
from .row_painter import Action, Fill, Flow, HitRegion
from .row_text import (
    MAX_LINE,
    actions_of,
    arguments_summary,
    arguments_text,
    beginning_of_output,
    last_lines,
    meta_of,
    place_of,
    tags_of,
)
from .transcript_items import MessageItem, ToolItem

CARD_LINES = 6
DIFF_LINES = 12
CARD_CHARACTERS = 600  # a single long line of this length fills about CARD_LINES
UNFOLDED = 10  # the factor for the limits of an unfolded card
ARGUMENT_CHARACTERS = 6_000
HEAD = 38  # pixels
WIDE = 520  # pixels of width from which the head shows where the program ran
RECALL = "recall"
MAX_SOURCES = 8  # conversations that a card names
FAILED: tuple[str, Tint] = (translatable("error"), "critical")
ENDINGS: dict[str, tuple[str, Tint]] = {
    "denied": (translatable("not allowed"), "ink_faint"),
    "stopped": (translatable("stopped"), "ink_faint"),
    "timed_out": (translatable("timed out"), "warning"),
    "repeated": (translatable("not run again"), "ink_faint"),
}
"""Labels of endings that are not failures of the tool."""
REFUSALS = {
    DENIED: translatable("You did not allow this call."),
    OFF_HERE: translatable("You have switched this tool off in this conversation."),
    FORBIDDEN: translatable("One of your rules forbids this call."),
    HAS_IT: translatable(
        "It gave the same result twice in this turn, so the model was reminded that it has it already."
    ),
}
"""Texts for the user in place of results that were written for the model."""
TINTS_OF_LINES: dict[str, Tint] = {"-": "critical", "+": "ok"}


def lay_out_result(builder: RowBuilder, item: MessageItem) -> None:
    """Lay out a tool result: the call, the beginning of the result, and its state."""
    row = item.row
    result = row.message.tool_result
    frame = len(builder.layout.drawn)
    tags = tags_of(row)
    if result is not None and result.spill:
        tags.insert(0, Tag(tr("truncated"), "warning"))
    if result is not None and (result.is_error or result.ending == "repeated"):
        ending, tint = ENDINGS.get(result.ending, FAILED)
        tags.insert(0, Tag(tr(ending), tint))
    pad, height = scale(14), scale(HEAD)
    meta = [meta_of(row, builder.tokens_of(row), has_clock=False)]
    if (place := place_of(row)) and builder.width >= scale(WIDE):
        meta.insert(0, place)
    right = builder.right_end(" · ".join(meta), actions_of(item), pad, height)
    _head(builder, item.key, result.name if result else tr("tool"), item.call, tags, right)
    body = builder.y
    if item.call is not None:
        _call_body(builder, item.key, item.call)
        _divide(builder, body)
    _result_body(builder, item, result)
    _frame(builder, frame, body)


def lay_out_running(builder: RowBuilder, item: ToolItem) -> None:
    """Lay out a call that is waiting or running, with the end of its output so far."""
    frame = len(builder.layout.drawn)
    pad, height = scale(14), scale(HEAD)
    if item.run is None:
        tag, right = Tag(tr("waiting"), "ink_faint"), builder.width - pad
    else:
        tag, small = Tag(tr("running"), "accent", TagFrame.ACCENT), font(13, MEDIUM)
        stop = ActionLink(Action.STOP, item.key)
        width = advance(small, stop.label) + 1
        builder.link(builder.width - pad - width, stop, small, height)
        right = builder.right_end(format_duration(item.seconds), (), pad + width + scale(12), height)
    _head(builder, item.key, item.call.name, item.call, [tag], right)
    body = builder.y
    _call_body(builder, item.key, item.call)
    if item.run is not None and item.run.tail:
        _divide(builder, body)
        builder.skip(9)
        visible = last_lines(item.run.tail, CARD_LINES * (UNFOLDED if builder.is_unfolded else 1))
        document = builder.cache.passing(visible or " ", builder.width - 2 * pad)
        builder.flow(Flow(QPointF(pad, builder.y), document, is_code=True))
        if item.run.lines > visible.count("\n") + 1:
            builder.words(pad, tr("%n lines so far", "", item.run.lines), font(12), "ink_faint", scale(20))
            builder.y += scale(20)
        builder.skip(9)
    _frame(builder, frame, body)


def _head(builder: RowBuilder, key: str, name: str, call: ToolCall | None, tags: list[Tag], right: float) -> None:
    """Put the name, arguments and tags; a click on them unfolds the card."""
    pad, height = scale(14), scale(HEAD)
    tags_width = sum(tag.width + scale(8) for tag in tags)
    x = builder.words(pad, name, font(12.5, MEDIUM, is_mono=True), "ink", height, max(right - tags_width - pad, 40))
    words = arguments_summary(call) if call else ""
    width = right - tags_width - x - scale(10)
    if words and width > scale(40):
        x = builder.words(x + scale(10), words, font(12.5, is_mono=True), "ink_soft", height, width)
    for tag in tags:
        x = builder.tag(x + scale(8), tag, height)
    builder.layout.hit_regions.append(HitRegion(QRectF(0, 0, max(right, 0), height), Action.FOLD, key))
    builder.y += height


def _call_body(builder: RowBuilder, key: str, call: ToolCall) -> None:
    """Put the changes of the call, or else, if the card is unfolded, all arguments."""
    changes = changes_in_call(call)
    if changes:
        _changes(builder, key, changes)
    elif builder.is_unfolded:
        _arguments(builder, call)


def _changes(builder: RowBuilder, key: str, changes: ChangedLines) -> None:
    """Put the beginning of a diff, or more of it if the card is unfolded."""
    most, pad = DIFF_LINES * (UNFOLDED if builder.is_unfolded else 1), scale(14)
    diff = "\n".join(line[:MAX_LINE] for line in changes.begun[:most])
    builder.skip(9)
    top, before = builder.y, len(builder.layout.drawn)
    builder.document(code_document, diff, pad, is_code=True)
    builder.layout.drawn[before:before] = _stripes(builder, top)
    if changes.lines > most:
        more = ActionLink(Action.FOLD, key, tr("Show %n more lines", "", changes.lines - most))
        builder.link(pad, more, font(12), scale(22))
        builder.y += scale(22)
    builder.skip(9)


def _stripes(builder: RowBuilder, top: float) -> Iterator[Fill]:
    """Yield backgrounds for the lines of the diff that was laid out last, from one edge of the card to the other."""
    document = builder.layout.flows[-1].document
    layout = document.documentLayout()
    block = document.begin()
    while block.isValid():
        tint = TINTS_OF_LINES.get(block.text()[:1])
        if tint is not None:
            begin = layout.blockBoundingRect(block).top()
            after = block.next()
            end = layout.blockBoundingRect(after).top() if after.isValid() else document.size().height()
            yield Fill(QRectF(1, top + begin, builder.width - 2, end - begin), colour(tint, 0.16))
        block = block.next()


def _divide(builder: RowBuilder, body: float) -> None:
    """Put a line below the call, if a part of it is shown below the head."""
    if builder.y > body:
        builder.layout.drawn.append(Fill(QRectF(0, builder.y, builder.width, 1), colour("line_soft")))


def _arguments(builder: RowBuilder, call: ToolCall) -> None:
    """Put all arguments of the call."""
    words = arguments_text(call).rstrip()
    if words:
        builder.skip(9)
        visible = words[:ARGUMENT_CHARACTERS] + ("…" if len(words) > ARGUMENT_CHARACTERS else "")
        builder.document(code_document, visible, scale(14), is_code=True)
        builder.skip(9)


def _beginning(lines: Sequence[str], most: int) -> str:
    """Return the first lines, up to `most` characters; the last one is incomplete only if no line fits otherwise."""
    text = "\n".join(lines)
    head = text[:most].rpartition("\n")[0]
    return head if len(text) > most and head.strip() else text[:most]


def _result_body(builder: RowBuilder, item: MessageItem, result: ToolResult | None) -> None:
    output = result.text if result else item.row.message.text
    if output in REFUSALS:
        output = tr(REFUSALS[output])
    factor = UNFOLDED if builder.is_unfolded else 1
    text, is_all = beginning_of_output(output, factor * CARD_LINES, CARD_CHARACTERS * factor)
    visible = _beginning(text.split("\n"), CARD_CHARACTERS * factor)
    pad = scale(14)
    builder.skip(9)
    builder.document(code_document, visible or tr("(empty)"), pad, is_code=True)
    left = output.count("\n") - visible.count("\n")
    links: list[ActionLink] = []
    if len(visible) < len(text) or not is_all:
        label = tr("Show %n more lines", "", left) if left else tr("Show all %n characters", "", len(output))
        links.append(ActionLink(Action.READ, item.row.message.id, label))
    if result is not None and result.spill:
        links.append(ActionLink(Action.OPEN_WHOLE, item.row.message.id))
    x = pad
    for link in links:
        x = builder.link(x, link, font(12.5, is_mono=link.action is Action.READ), scale(22)) + scale(16)
    builder.y += scale(22) if links else 0
    for source in sources_in(result.text)[:MAX_SOURCES] if result is not None and result.name == RECALL else ():
        label = tr("From “{title}”").format(title=escape_invisible(source.title))
        link = ActionLink(Action.SHOW_RECALLED, f"{source.conversation}#{source.index}", label)
        builder.link(pad, link, font(12.5), scale(22))
        builder.y += scale(22)
    lay_out_attachments(builder, item.row.message, pad)
    builder.skip(9)


def _frame(builder: RowBuilder, index: int, body: float) -> None:
    """Draw the box around the card, with another background below the head."""
    outline = QRectF(0, 0, builder.width, builder.y)
    inner = QRectF(0, body, builder.width, builder.y - body)
    under = [
        Fill(inner, colour("code"), None, Corner.CARD, has_square_top=True),
        Fill(QRectF(0, body, builder.width, 1), colour("line_soft")),
    ]
    builder.layout.drawn[index:index] = [
        Fill(outline, colour("raised"), None, Corner.CARD),
        *(under if inner.height() > 1 else []),
        Fill(outline, None, colour("line"), Corner.CARD),
    ]
