"""Rows that are cards or rules: tool results, marks of operations, failures."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from desktop_app.conversation.events import Failure, OperationRow
from desktop_app.ui.widgets.look import BOLD, MEDIUM, colour, font, scaled
from desktop_app.ui.widgets.words import counted, thousands

from .display_list import Action, Fill, Flow
from .head_line import actions_of, arguments_in_words, meta_of, tags_of
from .items import MessageItem
from .page import Link, Page, Tag, advance

CARD_LINES = 6
CARD_CHARACTERS = 600  # about as many lines of one long line
FAILURE_CHARACTERS = 4_000


def lay_out_card(page: Page, item: MessageItem, is_unfolded: bool) -> None:
    """A tool result: what was called, the beginning of what came back, and what became of it."""
    row, pad, height = item.row, scaled(14), scaled(38)
    result = row.message.tool_result
    text = result.text if result else row.message.text
    frame = len(page.layout.drawn)
    tags = tags_of(row)
    if result is not None and result.is_error:
        tags.insert(0, Tag("error", "critical"))
    right = page.right_end(meta_of(row, has_clock=False), actions_of(item, is_running=True), pad, height)
    tags_width = sum(tag.width + scaled(8) for tag in tags)
    x = page.words(pad, result.name if result else "tool", font(12.5, MEDIUM, is_mono=True), "ink", height)
    call = arguments_in_words(item.call) if item.call else ""
    room = right - tags_width - x - scaled(10)
    if call and room > scaled(40):
        x = page.words(x + scaled(10), call, font(12.5, is_mono=True), "ink_soft", height, room)
    for tag in tags:
        x = page.tag(x + scaled(8), tag, height)
    page.y += height
    body = page.y
    _card_body(page, item.key, text, pad, is_unfolded)
    inner = QRectF(0, body, page.width, page.y - body)
    whole = QRectF(0, 0, page.width, page.y)
    page.layout.drawn[frame:frame] = [
        Fill(whole, colour("raised"), None, scaled(10)),
        Fill(inner, colour("code"), None, scaled(10), has_square_top=True),
        Fill(QRectF(0, body, page.width, 1), colour("line_soft")),
        Fill(whole, None, colour("line"), scaled(10)),
    ]


def _card_body(page: Page, key: str, text: str, pad: float, is_unfolded: bool) -> None:
    lines = text.split("\n")
    most = 10 * CARD_LINES if is_unfolded else CARD_LINES
    shown = "\n".join(lines[:most])[: CARD_CHARACTERS * (10 if is_unfolded else 1)]
    page.skip(9)
    document = page.shelf.code(shown or "(empty)", page.width - 2 * pad)
    page.flow(Flow(QPointF(pad, page.y), document, is_code=True))
    left = len(lines) - shown.count("\n") - 1
    if len(shown) < len(text):
        label = f"… {counted(left, 'line')} more: open" if left else f"… {thousands(len(text))} characters: open"
        page.link(pad, Link(Action.READ, key, label), font(12.5, is_mono=True), scaled(20))
        page.y += scaled(20)
    page.skip(9)


def lay_out_mark(page: Page, operation: OperationRow) -> None:
    """The dashed rule: what went, what it freed, and the way back."""
    strong, normal, link = font(13, BOLD), font(13), font(13, MEDIUM)
    height = scaled(24)
    if operation.kind == "compaction":
        what = counted(operation.messages, "message") + " archived"
    else:
        what = counted(operation.messages, "tool result") + " pruned"
    figures = f" · {thousands(operation.tokens_before)} → {thousands(operation.tokens_after)} tokens · "
    links = (Link(Action.SHOW_OPERATION, operation.id), Link(Action.UNDO_OPERATION, operation.id))
    ends = advance(strong, what) + advance(normal, " · ") + sum(advance(link, entry.label) + 2 for entry in links)
    if ends + advance(normal, figures) > page.width:
        figures = " · "  # a narrow column keeps the words and the way back; the figures stand in the history
    width = ends + advance(normal, figures)
    left = max((page.width - width) / 2, 0)
    x = page.words(left, what, strong, "ink", height)
    x = page.words(x, figures, normal, "ink_soft", height)
    x = page.link(x, links[0], link, height)
    x = page.words(x, " · ", normal, "ink_soft", height)
    x = page.link(x, links[1], link, height)
    page.rule(left, x, height)
    page.y += height


def lay_out_failure(page: Page, failure: Failure) -> None:
    """What happened, what was kept, what to do."""
    pad = scaled(18)
    page.skip(12)
    page.words(pad, failure.title, font(14, BOLD), "critical", scaled(22), page.width - 2 * pad)
    page.y += scaled(24)
    for text in (failure.detail, failure.kept, failure.advice):
        if text:
            page.plain(text[:FAILURE_CHARACTERS], inset=pad, is_soft=True)
            page.skip(2)
    action = Action.OPTIMIZE if failure.kind == "window_too_small" else Action.REGENERATE
    label = "" if action is Action.OPTIMIZE else "Try again"
    if failure.kind in ("window_too_small", "provider", "engine"):
        page.link(pad, Link(action, "", label), font(13, MEDIUM), scaled(26))
        page.y += scaled(26)
    page.skip(10)
    box = QRectF(0, 0, page.width, page.y)
    page.layout.drawn[0:0] = [
        Fill(box, colour("raised"), colour("line"), scaled(10)),
        Fill(QRectF(0, scaled(12), 3, page.y - scaled(24)), colour("critical"), None, 1.5),
    ]
