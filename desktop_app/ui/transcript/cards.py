"""Layout of attachments and of cards for operations, failures, and answers that are missing or in another branch.

Images are shown in place, other files as chips that open them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF

from desktop_app.conversation.events import Failure, FilledBy, OperationRow
from desktop_app.conversation.message import Attachment, Message
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr, tr_details, tr_engine
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Corner, Tint, colour, font, scale
from desktop_app.ui.widgets.number_formats import escape_name, format_moment, format_number, isolate
from desktop_app.ui.widgets.pictures import fitting_size

from .documents import soft_document
from .row_builder import ActionLink, RowBuilder, advance
from .row_painter import Action, Fill, HitRegion, Picture, TextLine
from .row_text import OTHER_VERSIONS, mark_text
from .transcript_items import MessageItem, MissingReply

_TOO_LARGE = (Action.OPTIMIZE_AND_RETRY, Action.START_FRESH, Action.SWITCH_MODEL, Action.EXPORT)
_AGAIN = (Action.TRY_AGAIN,)

WAYS_OUT: dict[str, tuple[Action, ...]] = {
    "overflow": _TOO_LARGE,
    "window_too_small": _TOO_LARGE,
    "message_too_large": (Action.SEND_AS_FILE, Action.SEND_CUT, Action.SWITCH_MODEL, Action.EDIT_MESSAGE),
    "message_too_large_to_cut": (Action.SEND_CUT, Action.SWITCH_MODEL, Action.EDIT_MESSAGE),
    "nothing_can_leave": (Action.SWITCH_MODEL, Action.TRY_AGAIN, Action.START_FRESH, Action.EXPORT),
    "nearly_full": (Action.OPTIMIZE_AND_RETRY, Action.SEND_ANYWAY, Action.START_FRESH, Action.SWITCH_MODEL),
    "spending": (Action.SEND_ANYWAY, Action.SWITCH_MODEL, Action.OPTIMIZE_AND_RETRY, Action.OPEN_SETTINGS),
    "silent_cut": (Action.OPTIMIZE_AND_RETRY, Action.USE_OWN_WINDOW, Action.SWITCH_MODEL),
    "rate_limit": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "server": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "timeout": _AGAIN,
    "connection": (Action.TRY_AGAIN, Action.OPEN_SETTINGS),
    "cut": _AGAIN,
    "garbage": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "provider": (Action.TRY_AGAIN, Action.EDIT_MESSAGE, Action.START_FRESH, Action.SWITCH_MODEL),
    "engine": _AGAIN,
    "disk": _AGAIN,
    "auth": (Action.OPEN_SETTINGS, Action.TRY_AGAIN),
    "address": (Action.OPEN_SETTINGS, Action.TRY_AGAIN),
    "window_unknown": (Action.OPEN_SETTINGS, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "quota": (Action.OPEN_SETTINGS, Action.SWITCH_MODEL, Action.TRY_AGAIN),
    "content_filter": (Action.EDIT_MESSAGE, Action.TRY_AGAIN),
    "malformed": (Action.EXPORT, Action.START_FRESH),
    "unsupported": (Action.SWITCH_MODEL,),
    "not_found": (Action.OPEN_SETTINGS, Action.SWITCH_MODEL, Action.TRY_AGAIN),
    "circles": (Action.GO_ON, Action.SWITCH_MODEL),
    "rounds": (Action.GO_ON, Action.OPEN_SETTINGS),  # not "Try again", which would begin all rounds again
}
"""Actions for each kind of Failure, the most helpful one first. None is ever carried out automatically."""

WAYS_TO_EMPTY: dict[FilledBy, tuple[Action, ...]] = {
    "tools": (Action.CHOOSE_TOOLS, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "pins": (Action.SHOW_PINS, Action.TRY_AGAIN, Action.SWITCH_MODEL, Action.START_FRESH),
    "memory": (Action.SHOW_MEMORY, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "instructions": (Action.EDIT_SETUP, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "message": (Action.EDIT_MESSAGE, Action.SWITCH_MODEL, Action.START_FRESH),
    "results": (Action.SWITCH_MODEL, Action.START_FRESH, Action.EXPORT),
}
"""Actions by what fills the window. They do not include optimizing, which would not free any of it."""

SETTING_WORDS = {
    "key": translatable("Enter the key…"),
    "address": translatable("Change the address…"),
    "models": translatable("Change the model…"),
    "window": translatable("Enter the window…"),
}
"""Labels of the action that opens the settings, by the field that it leads to."""


FAILURE_CHARACTERS = 4_000
NOTICES = frozenset(
    {
        "nearly_full",
        "spending",
        "silent_cut",
        "no_tools",
        "pictures_left_out",
        "pictures_damaged",
        "waiting",
        "sandbox",
        "too_many_tools",
    }
)
"""Kinds of failures that are warnings: nothing is broken."""


def lay_out_mark(builder: RowBuilder, operation: OperationRow) -> None:
    """Lay out the dashed rule of an operation: what it did, what it freed, and a link to undo it."""
    strong, normal, link = font(13, MEDIUM if operation.is_elsewhere else BOLD), font(13), font(13, MEDIUM)
    height = scale(24)
    words, links = mark_text(operation), _mark_links(operation)
    before, after = format_number(operation.tokens_before), format_number(operation.tokens_after)
    figures = " · " + isolate(tr("{before} → {after} tokens").format(before=before, after=after))
    fixed = sum(advance(link, entry.label) + advance(normal, " · ") + 2 for entry in links)
    has_figures = operation.kind in ("prune", "compaction") and not operation.is_elsewhere
    if not has_figures or fixed + advance(strong, words) + advance(normal, figures) > builder.width:
        figures = ""  # a narrow column keeps the text and the links; the figures are in the history
    width = min(advance(strong, words) + 1, builder.width - fixed)
    left = max((builder.width - fixed - width - advance(normal, figures)) / 2, 0)
    x = builder.words(left, words, strong, "ink_faint" if operation.is_elsewhere else "ink", height, width)
    x = builder.words(x, figures, normal, "ink_soft", height) if figures else x
    for entry in links:
        x = builder.words(x, " · ", normal, "ink_soft", height)
        x = builder.link(x, entry, link, height)
    builder.rule(left, x, height)
    builder.y += height


def _mark_links(operation: OperationRow) -> tuple[ActionLink, ...]:
    if operation.kind == "link":
        return (ActionLink(Action.OPEN_CONVERSATION, operation.linked),)
    if operation.is_beginning:
        return (ActionLink(Action.SHOW_OPERATION, operation.id, tr("Show summary")),)
    if operation.is_elsewhere:
        return (ActionLink(Action.SHOW_OPERATION, operation.id),)
    back = tr("Revert") if operation.kind == "flush" else ""
    return ActionLink(Action.SHOW_OPERATION, operation.id), ActionLink(Action.UNDO_OPERATION, operation.id, back)


def ways_out_of(failure: Failure) -> tuple[Action, ...]:
    """Return the actions for a failure, the most helpful one first."""
    if failure.setting.startswith("mcp_servers/"):
        return (Action.OPEN_SETTINGS,)
    ways = WAYS_TO_EMPTY.get(failure.filled_by)
    if ways is None:
        return WAYS_OUT.get(failure.kind, ())
    return (*ways, Action.SEND_ANYWAY) if failure.kind == "nearly_full" else ways


def _way_link(way: Action, failure: Failure) -> ActionLink:
    """Return the link of an action; a link into the settings leads to the field that has to be changed."""
    if way is Action.OPEN_SETTINGS and failure.setting:
        return ActionLink(way, failure.setting, tr(SETTING_WORDS.get(failure.setting_field, "")))
    if way is Action.TRY_AGAIN and failure.retry_at > time.time():
        at = format_moment(failure.retry_at, "HH:mm:ss")
        return ActionLink(way, str(failure.retry_at), tr("Try again at {time}").format(time=at))
    return ActionLink(way, "")


def lay_out_failure(builder: RowBuilder, failure: Failure) -> None:
    """Lay out what happened, what was kept, and what to do."""
    pad = scale(18)
    tint: Tint = "warning" if failure.kind in NOTICES else "critical"
    builder.skip(12)
    builder.words(pad, tr_engine(failure.title), font(14, BOLD), tint, scale(22), builder.width - 2 * pad)
    builder.y += scale(24)
    for text in (failure.detail, failure.kept, failure.advice):
        if text:
            builder.document(soft_document, tr_engine(text)[:FAILURE_CHARACTERS], pad)
            builder.skip(2)
    ways = ways_out_of(failure)
    if ways:
        builder.skip(8)
        builder.buttons(pad, [_way_link(way, failure) for way in ways])
    builder.skip(10)
    box = QRectF(0, 0, builder.width, builder.y)
    builder.layout.drawn[0:0] = [
        Fill(box, colour("raised"), colour("line"), Corner.CARD),
        Fill(QRectF(0, scale(12), 3, builder.y - scale(24)), colour(tint), None, Corner.MARK),
    ]


LINE = 22


def lay_out_other_versions(builder: RowBuilder, ids: Sequence[str]) -> None:
    """Lay out a line that the conversation continues in another branch, with a link to the newest one."""
    height = scale(LINE)
    x = builder.words(0, tr(OTHER_VERSIONS), font(13), "ink_faint", height, builder.width - scale(90))
    builder.link(x + scale(12), ActionLink(Action.EARLIER, ids[-1], tr("Show it")), font(13, MEDIUM), height)
    builder.y += height


def lay_out_missing(builder: RowBuilder, item: MessageItem) -> None:
    """Lay out a line that an answer is missing or incomplete, with links that help."""
    if not item.missing.value:
        return
    builder.skip(6)
    height, words, x = scale(LINE), tr(item.missing.value), 0.0
    links = _links_for(item)
    small, gap = font(13, MEDIUM), scale(12)
    width = builder.width - sum(advance(small, link.label) + gap for link in links)
    if advance(font(13), words) + 1 < width:
        x = builder.words(0, words, font(13), "ink_faint", height, width) + gap
    else:
        builder.document(soft_document, words, 0)
    for link in links:
        x = builder.link(x, link, small, height) + gap
    if x:
        builder.y += height


def _links_for(item: MessageItem) -> list[ActionLink]:
    """Return links for a missing answer, the most helpful one first; none before the end of the conversation."""
    again = ActionLink(Action.TRY_AGAIN, "")
    other_model, edit = ActionLink(Action.SWITCH_MODEL, ""), ActionLink(Action.EDIT_MESSAGE, "")
    match item.missing:
        case MissingReply.ANSWER:
            return [again]
        case MissingReply.REST | MissingReply.CUT | MissingReply.CUT_CALL:
            more = [ActionLink(Action.CONTINUE_REPLY, "", tr("Continue"))] if item.row.message.can_continue else []
            return [*more, ActionLink(Action.TRY_AGAIN, "", tr("Write it again"))]
        case MissingReply.REFUSED:
            return [edit, again, other_model]
        case MissingReply.NOTHING | MissingReply.PASSED_OVER:
            return []
        case _:
            return [again, other_model]


CHIP, GAP = 34, 8  # pixels


def attachments_of(message: Message) -> Iterator[tuple[int, Attachment]]:
    """Yield the attachments with their indices among the parts."""
    return ((number, part) for number, part in enumerate(message.parts) if isinstance(part, Attachment))


def estimated_attachments_height(message: Message) -> float:
    """Return the approximate height of a message's attachments, in pixels."""
    images = [attachment.is_image for _, attachment in attachments_of(message)]
    return scale(240) * sum(images) + scale(CHIP + GAP) * (len(images) - sum(images))


def lay_out_attachments(builder: RowBuilder, message: Message, left: float = 0.0) -> None:
    """Lay the attachments out below the text: first images, then chips side by side. left: x of the first ones."""
    found = list(attachments_of(message))
    chips = [(n, a) for n, a in found if not (a.is_image and _picture(builder, a, left))]
    x = left
    for number, attachment in chips:
        x = _chip(builder, x, message.id, number, attachment)
    if chips:
        builder.y += scale(CHIP)


def _picture(builder: RowBuilder, attachment: Attachment, left: float) -> bool:
    """Lay an image out; return False if it cannot be shown, for example because it is on the web."""
    size = fitting_size(attachment.content) if attachment.content.startswith("data:") else None
    if size is None or size.isEmpty():
        return False
    builder.skip(GAP)
    share = min((builder.width - 2 * left) / size.width(), 1.0)
    box = QRectF(left, builder.y, size.width() * share, size.height() * share)
    builder.layout.drawn.append(Picture(box, attachment.content, Corner.CONTROL))
    builder.y += box.height()
    builder.skip(4)
    label = " · ".join(filter(None, (escape_name(attachment.name), tr_details(attachment.about))))
    builder.words(left, label, font(12), "ink_faint", scale(18), builder.width - 2 * left)
    builder.y += scale(18)
    return True


def _chip(builder: RowBuilder, x: float, message_id: str, number: int, attachment: Attachment) -> float:
    """Lay a chip out at `x`, or on the next line; return the x of the next one."""
    name, detail, inset = font(13, MEDIUM), font(12), scale(12)
    file_name = escape_name(attachment.name)
    about = tr_details(attachment.about) or attachment.media_type
    detail_width = advance(detail, about) + 1
    width = min(advance(name, file_name) + detail_width + 2 * inset + scale(10), builder.width)
    if x == 0:
        builder.skip(GAP)
    elif x + width > builder.width:
        x = 0
        builder.y += scale(CHIP + GAP)
    box = QRectF(x, builder.y, width, scale(CHIP))
    builder.layout.drawn.append(Fill(box, colour("raised"), colour("line"), Corner.CONTROL))
    detail_box = QRectF(box.right() - inset - detail_width, box.top(), detail_width, box.height())
    builder.layout.drawn.append(TextLine(detail_box, about, detail, colour("ink_faint")))
    words_box = QRectF(x + inset, box.top(), detail_box.left() - scale(10) - x - inset, box.height())
    words = TextLine(words_box, file_name, name, colour("ink"))
    if attachment.is_image:
        builder.layout.drawn.append(words)
    else:
        region = HitRegion(box, Action.OPEN_ATTACHMENT, f"{message_id} {number}", words)
        builder.layout.hit_regions.append(region)
    return box.right() + scale(GAP)
