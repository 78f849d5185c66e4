"""How each kind of row is laid out: messages, tool results as cards, marks, failures."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from desktop_app.conversation.events import MessageRow, MessageState
from desktop_app.conversation.message import Attachment, Reasoning, Role
from desktop_app.ui.widgets.formats import format_number, pluralize, speaker_of
from desktop_app.ui.widgets.look import MEDIUM, colour, font, scaled

from .answer_rows import lay_out_earlier, lay_out_missing
from .answers import EarlierItem
from .cards import lay_out_failure, lay_out_mark
from .display_list import Action, Fill, RowLayout
from .document_shelf import DocumentShelf
from .documents import LINE_HEIGHT
from .head_line import actions_of, arguments_in_words, meta_of, tags_of
from .items import FailureItem, Item, MarkItem, MessageItem, ReplyItem, ToolItem
from .page import Link, Page
from .pages import GapItem
from .text_flow import estimated_text_height, flow_markdown, flow_plain
from .tool_card import CARD_LINES, HEAD, lay_out_result, lay_out_running

LONG = 20_000  # characters from which on what the user has sent is shown shortened, until it is unfolded
SHOWN_OF_LONG = 6_000
GAP_MESSAGE = 130  # pixels for a message that is not here
ARCHIVED_OPACITY = 0.55


def lay_out(
    item: Item,
    width: float,
    shelf: DocumentShelf,
    is_unfolded: bool,
    is_running: bool,
    looked_at: float = 0,
    chosen: int = -1,
) -> RowLayout:
    """The row in a column of that width, in pixels. looked_at: see `Page`. chosen: which of several answers."""
    page = Page(width, shelf, looked_at)
    match item:
        case MessageItem(row) if row.message.role is Role.SYSTEM:
            _system(page, row, is_unfolded)
        case MessageItem(row) if row.message.role is Role.TOOL:
            lay_out_result(page, item, is_unfolded)
        case MessageItem(row):
            _message(page, item, is_unfolded, is_running)
        case EarlierItem():
            lay_out_earlier(page, item, is_unfolded, chosen)
        case ReplyItem():
            _reply(page, item, is_unfolded)
        case ToolItem():
            lay_out_running(page, item, is_unfolded)
        case GapItem():
            page.y = estimated_height(item, width)
        case MarkItem(operation):
            lay_out_mark(page, operation)
        case FailureItem(failure):
            lay_out_failure(page, failure)
    if isinstance(item, MessageItem):
        lay_out_missing(page, item)
        page.layout.message_id = item.row.message.id
        page.layout.opacity = ARCHIVED_OPACITY if item.row.state is MessageState.ARCHIVED else 1.0
    return page.done()


def estimated_height(item: Item, width: float) -> float:
    """About how tall the row will be: good enough for a scroll bar."""
    match item:
        case MessageItem(row) if row.message.role is Role.SYSTEM:
            return scaled(20)
        case MessageItem(row) if row.message.role is Role.TOOL:
            return scaled(40 + 19 * min(row.message.text.count("\n") + 1, CARD_LINES) + 20)
        case MessageItem(row):
            is_user, text = row.message.role is Role.USER, row.message.text
            shown = text[:SHOWN_OF_LONG] if is_user and len(text) > LONG else text
            return scaled(20 + (24 if is_user else 0)) + estimated_text_height(shown, width, LINE_HEIGHT)
        case ToolItem():
            return scaled(HEAD)
        case GapItem(first, last):
            return scaled(GAP_MESSAGE) * (last - first + 1)
        case EarlierItem(is_only=True):
            return scaled(20) + estimated_text_height(item.text(-1), width, LINE_HEIGHT)
        case EarlierItem():
            return scaled(20)
        case _:
            return scaled(60)


def _message(page: Page, item: MessageItem, is_unfolded: bool, is_running: bool) -> None:
    message = item.row.message
    name = speaker_of(message)
    if message.tool_calls and not message.text and not item.unanswered:
        name += " called " + ", ".join(call.name for call in message.tool_calls)
    page.head_line(name, tags_of(item.row), meta_of(item.row), actions_of(item, is_running))
    _reasoning(page, item.key, "\n\n".join(p.text for p in message.parts if isinstance(p, Reasoning)), is_unfolded)
    if message.role is Role.USER:
        _user_box(page, item.key, message.text, is_unfolded)
    elif message.text:
        page.skip(6 if message.text.startswith(("```", "~~~")) else 2)
        flow_markdown(page, item.key, message.text)
    for part in message.parts:
        if isinstance(part, Attachment):
            page.skip(6)
            _chip_line(page, part.name, part.media_type)
    for call in item.unanswered:
        page.skip(6)
        _chip_line(page, call.name, arguments_in_words(call))


def _user_box(page: Page, key: str, text: str, is_unfolded: bool) -> None:
    is_long = len(text) > LONG
    top = page.y = page.y + scaled(2)
    page.skip(11)
    place = len(page.layout.drawn)
    flow_plain(page, text[:SHOWN_OF_LONG] if is_long and not is_unfolded else text, inset=scaled(16))
    page.skip(11)
    box = QRectF(0, top, page.width, page.y - top)
    page.layout.drawn.insert(place, Fill(box, colour("user"), None, scaled(12)))
    if is_long:
        page.skip(4)
        label = "Show less" if is_unfolded else f"Show all {format_number(len(text))} characters"
        page.link(0, Link(Action.FOLD, key, label), font(13, MEDIUM), scaled(22))
        page.y += scaled(22)


def _chip_line(page: Page, name: str, detail: str) -> None:
    height = scaled(22)
    x = page.words(0, name, font(12.5, MEDIUM, is_mono=True), "ink", height)
    page.words(x + scaled(10), detail, font(12.5, is_mono=True), "ink_soft", height, page.width - x - scaled(10))
    page.y += height


def _reasoning(page: Page, key: str, reasoning: str, is_unfolded: bool) -> None:
    page.y += scaled(20)
    if not reasoning:
        return
    arrow = "▾" if is_unfolded else "▸"
    page.skip(2)
    label = f"{arrow} Reasoning · {pluralize(len(reasoning.split()), 'word')}"
    page.link(0, Link(Action.FOLD, key, label), font(12), scaled(20))
    page.y += scaled(20)
    if is_unfolded:
        flow_plain(page, reasoning, inset=scaled(14), is_soft=True)
        page.skip(6)


def _system(page: Page, row: MessageRow, is_unfolded: bool) -> None:
    arrow = "▾" if is_unfolded else "▸"
    label = f"{arrow} System prompt · {pluralize(row.tokens, 'token')}"
    height = scaled(20)
    x = page.link(0, Link(Action.FOLD, row.message.id, label), font(12), height)
    for tag in tags_of(row):
        x = page.tag(x + scaled(8), tag, height)
    page.y += height
    if is_unfolded:
        page.skip(4)
        flow_plain(page, row.message.text, inset=scaled(14), is_soft=True)


def _reply(page: Page, item: ReplyItem, is_unfolded: bool) -> None:
    page.head_line(item.model.rsplit("/", 1)[-1] or "Assistant", (), "", ())
    _reasoning(page, item.key, item.reasoning, is_unfolded)
    page.skip(2)
    if item.text:
        flow_markdown(page, item.key, item.text)
    elif not item.reasoning:
        page.words(0, "Reading the conversation…", font(), "ink_faint", scaled(22))
        page.y += scaled(22)
