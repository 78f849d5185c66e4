"""Rows that are rules or cards: marks of operations, failures with their ways out."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from desktop_app.conversation.events import Failure, OperationRow
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Tint, colour, font, scaled

from .display_list import Action, Fill
from .page import Link, Page, advance
from .recovery import SETTING_WORDS, ways_out
from .spoken import mark_words

FAILURE_CHARACTERS = 4_000
NOTICES = frozenset({"nearly_full", "silent_cut"})
"""Kinds of failures of which nothing is broken."""


def lay_out_mark(page: Page, operation: OperationRow) -> None:
    """The dashed rule: what went, what it freed, and the way back."""
    strong, normal, link = font(13, BOLD), font(13), font(13, MEDIUM)
    height = scaled(24)
    what, links = mark_words(operation), _mark_links(operation)
    figures = f" · {format_number(operation.tokens_before)} → {format_number(operation.tokens_after)} tokens"
    fixed = sum(advance(link, entry.label) + advance(normal, " · ") + 2 for entry in links)
    has_figures = operation.kind in ("prune", "compaction")
    if not has_figures or fixed + advance(strong, what) + advance(normal, figures) > page.width:
        figures = ""  # a narrow column keeps the words and the way back; the figures stand in the history
    told = min(advance(strong, what) + 1, page.width - fixed)
    left = max((page.width - fixed - told - advance(normal, figures)) / 2, 0)
    x = page.words(left, what, strong, "ink", height, told)
    x = page.words(x, figures, normal, "ink_soft", height) if figures else x
    for entry in links:
        x = page.words(x, " · ", normal, "ink_soft", height)
        x = page.link(x, entry, link, height)
    page.rule(left, x, height)
    page.y += height


def _mark_links(operation: OperationRow) -> tuple[Link, ...]:
    if operation.kind == "link":
        return (Link(Action.OPEN_CONVERSATION, operation.linked),)
    back = "Revert" if operation.kind == "flush" else ""
    return Link(Action.SHOW_OPERATION, operation.id), Link(Action.UNDO_OPERATION, operation.id, back)


def _way_link(way: Action, failure: Failure) -> Link:
    """A way out; one into the settings leads to the very field, and says so."""
    if way is Action.OPEN_SETTINGS and failure.setting:
        return Link(way, failure.setting, SETTING_WORDS.get(failure.setting.rpartition("/")[2], ""))
    return Link(way, "")


def lay_out_failure(page: Page, failure: Failure) -> None:
    """What happened, what was kept, what to do."""
    pad = scaled(18)
    tint: Tint = "warning" if failure.kind in NOTICES else "critical"
    page.skip(12)
    page.words(pad, failure.title, font(14, BOLD), tint, scaled(22), page.width - 2 * pad)
    page.y += scaled(24)
    for text in (failure.detail, failure.kept, failure.advice):
        if text:
            page.plain(text[:FAILURE_CHARACTERS], inset=pad, is_soft=True)
            page.skip(2)
    ways = ways_out(failure.kind)
    if ways:
        page.skip(8)
        page.buttons(pad, [_way_link(way, failure) for way in ways])
    page.skip(10)
    box = QRectF(0, 0, page.width, page.y)
    page.layout.drawn[0:0] = [
        Fill(box, colour("raised"), colour("line"), scaled(10)),
        Fill(QRectF(0, scaled(12), 3, page.y - scaled(24)), colour(tint), None, 1.5),
    ]
