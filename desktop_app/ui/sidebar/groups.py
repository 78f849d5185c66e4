"""The conversations in groups by age, and their times in words. Pure, but for the local time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.widgets.formats import pluralize


class Heading(msgspec.Struct, frozen=True):
    """A heading between conversations."""

    title: str


SidebarRow = Heading | ConversationInfo


def group_by_age(conversations: Sequence[ConversationInfo], now: float) -> list[SidebarRow]:
    """The conversations, newest first, with a heading before each group."""
    lines: list[SidebarRow] = []
    heading = ""
    for info in sorted(conversations, key=lambda info: info.updated_at, reverse=True):
        title = heading_of(info.updated_at, now)
        if title != heading:
            lines.append(Heading(title))
            heading = title
        lines.append(info)
    return lines


def heading_of(at: float, now: float) -> str:
    """Today, Yesterday, This week, then by month and year."""
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days < 7:
        return "This week"
    return f"{then:%B}" if then.year == today.year else f"{then:%Y}"


def age_text(at: float, now: float) -> str:
    """How long ago: "now", "2 min", "3 h", "Tue", "3 Mar", "3 Mar 2024"."""
    seconds = max(now - at, 0)
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if days <= 0 or seconds < 12 * 3600:
        return f"{int(seconds // 3600)} h"
    if days < 7:
        return f"{then:%a}"
    return f"{then.day} {then:%b}" if then.year == today.year else f"{then.day} {then:%b} {then.year}"


def details_of(info: ConversationInfo, now: float) -> str:
    """The line under a title: "2 min · 1,204 messages"."""
    return f"{age_text(info.updated_at, now)} · {pluralize(info.messages, 'message')}"
