"""The conversations in groups by age, and their times in words. Pure, but for the local time zone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.widgets.words import counted


class Group(msgspec.Struct, frozen=True):
    """A heading between conversations."""

    title: str


Line = Group | ConversationInfo


def grouped(conversations: Sequence[ConversationInfo], now: float) -> list[Line]:
    """The conversations, newest first, with a heading before each group."""
    lines: list[Line] = []
    heading = ""
    for info in sorted(conversations, key=lambda info: info.updated_at, reverse=True):
        title = group_title(info.updated_at, now)
        if title != heading:
            lines.append(Group(title))
            heading = title
        lines.append(info)
    return lines


def group_title(at: float, now: float) -> str:
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


def age(at: float, now: float) -> str:
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


def details(info: ConversationInfo, now: float) -> str:
    """The line under a title: "2 min · 1,204 messages"."""
    return f"{age(info.updated_at, now)} · {counted(info.messages, 'message')}"
