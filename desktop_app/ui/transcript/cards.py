"""The layout of marks of operations, failures, and answers that are missing or in another branch."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF

from desktop_app.conversation.events import Failure, FilledBy, OperationRow
from desktop_app.conversation.words import translatable
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_moment, format_number, isolate
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Corner, Tint, colour, font, scale

from .display_list import Action, Fill
from .documents import soft_document
from .items import MessageItem
from .replies import MissingReply
from .row_builder import ActionLink, RowBuilder, advance
from .row_text import OTHER_VERSIONS, mark_text

_TOO_LARGE = (Action.OPTIMIZE_AND_RETRY, Action.START_FRESH, Action.SWITCH_MODEL, Action.EXPORT)
_AGAIN = (Action.TRY_AGAIN,)

WAYS_OUT: dict[str, tuple[Action, ...]] = {
    "overflow": _TOO_LARGE,
    "window_too_small": _TOO_LARGE,
    "message_too_large": (Action.SEND_AS_FILE, Action.SEND_CUT, Action.SWITCH_MODEL, Action.EDIT_MESSAGE),
    "message_too_large_to_cut": (Action.SEND_CUT, Action.SWITCH_MODEL, Action.EDIT_MESSAGE),
    "nothing_can_leave": (Action.SWITCH_MODEL, Action.TRY_AGAIN, Action.START_FRESH, Action.EXPORT),
    "nearly_full": (Action.OPTIMIZE_AND_RETRY, Action.SEND_ANYWAY, Action.START_FRESH, Action.SWITCH_MODEL),
    "silent_cut": (Action.OPTIMIZE_AND_RETRY, Action.USE_OWN_WINDOW, Action.SWITCH_MODEL),
    "rate_limit": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "server": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "timeout": _AGAIN,
    "connection": (Action.TRY_AGAIN, Action.OPEN_SETTINGS),
    "cut": _AGAIN,
    "garbage": (Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "provider": _AGAIN,
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
    "rounds": (Action.GO_ON, Action.OPEN_SETTINGS),  # not "Try again": that would begin the many rounds anew
}
"""For each kind of Failure, the first being what helps most often. Nothing of this is ever done by itself."""

WAYS_TO_EMPTY: dict[FilledBy, tuple[Action, ...]] = {
    "tools": (Action.CHOOSE_TOOLS, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "pins": (Action.SHOW_PINS, Action.TRY_AGAIN, Action.SWITCH_MODEL, Action.START_FRESH),
    "memory": (Action.SHOW_MEMORY, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "instructions": (Action.EDIT_SETUP, Action.TRY_AGAIN, Action.SWITCH_MODEL),
    "message": (Action.EDIT_MESSAGE, Action.SWITCH_MODEL, Action.START_FRESH),
    "results": (Action.SWITCH_MODEL, Action.START_FRESH, Action.EXPORT),
}
"""For what fills the window. Optimizing is not among them: it would free nothing of that."""

SETTING_WORDS = {
    "key": translatable("Enter the key…"),
    "address": translatable("Change the address…"),
    "models": translatable("Change the model…"),
    "window": translatable("Enter the window…"),
}
"""What the way into the settings is called, by the field that it leads to."""


FAILURE_CHARACTERS = 4_000
NOTICES = frozenset({"nearly_full", "silent_cut"})
"""Kinds of failures of which nothing is broken."""


def lay_out_mark(builder: RowBuilder, operation: OperationRow) -> None:
    """Lay out the dashed rule of an operation: what it did, what it freed, and how to undo it."""
    strong, normal, link = font(13, MEDIUM if operation.is_elsewhere else BOLD), font(13), font(13, MEDIUM)
    height = scale(24)
    what, links = mark_text(operation), _mark_links(operation)
    before, after = format_number(operation.tokens_before), format_number(operation.tokens_after)
    figures = " · " + isolate(tr("{before} → {after} tokens").format(before=before, after=after))
    fixed = sum(advance(link, entry.label) + advance(normal, " · ") + 2 for entry in links)
    has_figures = operation.kind in ("prune", "compaction") and not operation.is_elsewhere
    if not has_figures or fixed + advance(strong, what) + advance(normal, figures) > builder.width:
        figures = ""  # a narrow column keeps the words and the way back; the figures stand in the history
    width = min(advance(strong, what) + 1, builder.width - fixed)
    left = max((builder.width - fixed - width - advance(normal, figures)) / 2, 0)
    x = builder.words(left, what, strong, "ink_faint" if operation.is_elsewhere else "ink", height, width)
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
    """Return what can be done about the failure, what helps most often first."""
    ways = WAYS_TO_EMPTY.get(failure.filled_by)
    if ways is None:
        return WAYS_OUT.get(failure.kind, ())
    return (*ways, Action.SEND_ANYWAY) if failure.kind == "nearly_full" else ways


def _way_link(way: Action, failure: Failure) -> ActionLink:
    """Return the link of an action; one into the settings leads to the field itself."""
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
    """Lay out a line that says that the conversation goes on in another branch, with a link to the newest one."""
    height = scale(LINE)
    x = builder.words(0, tr(OTHER_VERSIONS), font(13), "ink_faint", height, builder.width - scale(90))
    builder.link(x + scale(12), ActionLink(Action.EARLIER, ids[-1], tr("Show it")), font(13, MEDIUM), height)
    builder.y += height


def lay_out_missing(builder: RowBuilder, item: MessageItem) -> None:
    """Lay out a line that says that an answer is missing or incomplete, with links to what helps."""
    if not item.missing.value:
        return
    builder.skip(6)
    height, words, x = scale(LINE), tr(item.missing.value), 0.0
    links = _links_for(item)
    small, gap = font(13, MEDIUM), scale(12)
    room = builder.width - sum(advance(small, link.label) + gap for link in links)
    if advance(font(13), words) + 1 < room:
        x = builder.words(0, words, font(13), "ink_faint", height, room) + gap
    else:
        builder.document(soft_document, words, 0)
    for link in links:
        x = builder.link(x, link, small, height) + gap
    if x:
        builder.y += height


def _links_for(item: MessageItem) -> list[ActionLink]:
    """Return what helps where an answer is missing, the best first; nothing before the end of the conversation."""
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
