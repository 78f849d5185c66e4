"""In which order and under which headings conversations are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec
from PySide6.QtCore import QDate, QLocale

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import locale, tr
from desktop_app.ui.widgets.formats import isolate

PINNED, PUT_AWAY, OTHERS = translatable("Pinned"), translatable("Put away"), translatable("Conversations")


class Order(StrEnum):
    """What the list is sorted by."""

    ACTIVITY = "activity"
    TITLE = "title"
    MESSAGES = "messages"


class Arrangement(msgspec.Struct, frozen=True):
    """What of the conversations is listed, and in which order."""

    order: Order = Order.ACTIVITY
    query: str = ""
    """Words that a title has; "" for all conversations."""
    shows_put_away: bool = False


class Heading(msgspec.Struct, frozen=True):
    """A heading between conversations."""

    title: str


SidebarRow = Heading | ConversationInfo
SORT_KEYS: dict[Order, Callable[[ConversationInfo], tuple[float, str]]] = {
    Order.ACTIVITY: lambda info: (-info.updated_at, ""),
    Order.TITLE: lambda info: (0, info.title.casefold()),
    Order.MESSAGES: lambda info: (-info.messages, info.title.casefold()),
}


def arrange_rows(conversations: Iterable[ConversationInfo], wanted: Arrangement, now: float) -> list[SidebarRow]:
    """Return the rows: pinned ones first, then the user's sections, then the rest, then what was put away.

    With a query there are no headings, and what was put away is found too.
    """
    ordered = sorted(conversations, key=SORT_KEYS[wanted.order])
    words = wanted.query.casefold().split()
    if words:
        return [info for info in ordered if all(word in info.title.casefold() for word in words)]
    sections: dict[str, list[SidebarRow]] = {}
    for info in ordered:
        sections.setdefault(_section_of(info), []).append(info)
    put_away, rest = sections.pop(PUT_AWAY, []), sections.pop("", [])
    pinned = sections.pop(PINNED, [])
    rows = _under(PINNED, pinned)
    for section in sorted(sections, key=lambda name: (name.casefold(), name)):
        rows += [Heading(section[1:]), *sections[section]]
    if wanted.order is Order.ACTIVITY:
        rows += group_by_age([info for info in rest if isinstance(info, ConversationInfo)], now)
    else:
        rows += _under(OTHERS, rest)
    return rows + (_under(PUT_AWAY, put_away) if wanted.shows_put_away else [])


def group_by_age(conversations: Sequence[ConversationInfo], now: float) -> list[SidebarRow]:
    """Return the conversations, newest first, with a heading above each group."""
    rows: list[SidebarRow] = []
    since = float("inf")
    for info in sorted(conversations, key=SORT_KEYS[Order.ACTIVITY]):
        if info.updated_at < since:
            title, since = _heading_of(info.updated_at, now)
            rows.append(Heading(title))
        rows.append(info)
    return rows


def age_text(at: float, now: float) -> str:
    """Return "now", "2 min", "3 h", "Tue", "3 Mar" or "3 Mar 2024"."""
    seconds = max(now - at, 0)
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if seconds < 60:
        return tr("now", "the age of a conversation")
    if seconds < 3600:
        return tr("{minutes} min").format(minutes=int(seconds // 60))
    if days <= 0 or seconds < 12 * 3600:
        return tr("{hours} h").format(hours=int(seconds // 3600))
    if days < 7:
        return locale().dayName(then.isoweekday(), QLocale.FormatType.ShortFormat)
    shape = tr("d MMM", "a day") if then.year == today.year else tr("d MMM yyyy", "a day")
    return locale().toString(QDate(then.year, then.month, then.day), shape)


def details_of(info: ConversationInfo, now: float) -> str:
    """Return the line under a title: "2 min · 1,204 messages"."""
    age, messages = age_text(info.updated_at, now), tr("%n messages", "", info.messages)
    details = f"{isolate(age)} · {isolate(messages)}"
    return tr("Put away · {details}").format(details=details) if info.is_put_away else details


def _section_of(info: ConversationInfo) -> str:
    if info.is_put_away:
        return PUT_AWAY
    if info.is_pinned:
        return PINNED
    return f" {info.section}" if info.section else ""  # the space: a section of the user's may be called "Pinned"


def _under(title: str, infos: list[SidebarRow]) -> list[SidebarRow]:
    return [Heading(tr(title)), *infos] if infos else []


def _heading_of(at: float, now: float) -> tuple[str, float]:
    """Return the heading of that time, and the time since when conversations stand under it."""
    today = datetime.combine(datetime.fromtimestamp(now), datetime.min.time())
    for title, days in ((tr("Today"), 0), (tr("Yesterday"), 1), (tr("This week"), 6)):
        since = (today - timedelta(days)).timestamp()
        if at >= since:
            return title, since
    then = datetime.fromtimestamp(at)
    if then.year == today.year:
        return locale().standaloneMonthName(then.month), datetime(then.year, then.month, 1).timestamp()
    return f"{then:%Y}", datetime(then.year, 1, 1).timestamp()
