"""How answers that were replaced are laid out, and what is said under a message that waits for one."""

from __future__ import annotations

from desktop_app.ui.widgets.formats import pluralize
from desktop_app.ui.widgets.look import MEDIUM, font, scaled

from .answers import EarlierItem
from .display_list import Action
from .items import MessageItem
from .page import Link, Page, Tag
from .text_flow import flow_markdown

LINE = 22
OPACITY = 0.7


def lay_out_earlier(page: Page, item: EarlierItem, is_toggled: bool, chosen: int) -> None:
    """A line that unfolds to one of the answers, the newest first; with several, ways to the others."""
    is_shown, count = is_toggled != item.is_only, len(item.answers)
    number = min(max(chosen if chosen >= 0 else count - 1, 0), count - 1)
    height, small = scaled(LINE), font(12)
    words = "Earlier answer" if count == 1 else pluralize(count, "earlier answer")
    x = page.link(0, Link(Action.FOLD, item.key, f"{'▾' if is_shown else '▸'} {words}"), small, height)
    if item.is_interrupted(number) and is_shown:
        x = page.tag(x + scaled(8), Tag("interrupted", "warning"), height)
    if is_shown and count > 1:
        x = page.words(x + scaled(14), f"{number + 1} of {count}", small, "ink_faint", height)
        if number > 0:
            x = page.link(x + scaled(14), Link(Action.EARLIER, item.key), small, height)
        if number < count - 1:
            x = page.link(x + scaled(14), Link(Action.LATER, item.key), small, height)
    if is_shown:
        page.link(page.width - scaled(34), Link(Action.COPY, item.key), small, height, is_on_hover=True)
    page.y += height
    if is_shown:
        page.skip(2)
        flow_markdown(page, f"{item.key} {number}", item.text(number))
        page.layout.opacity = OPACITY


def lay_out_missing(page: Page, item: MessageItem) -> None:
    """That a message was not answered, or a reply not ended, and the way to have it."""
    if not item.missing.value:
        return
    page.skip(6)
    height = scaled(LINE)
    words = " ".join(filter(None, (item.missing.value, item.why)))
    x = page.words(0, words, font(13), "ink_faint", height, page.width - scaled(90))
    if item.missing.can_be_had:
        page.link(x + scaled(12), Link(Action.TRY_AGAIN, ""), font(13, MEDIUM), height)
    page.y += height
