"""The line above a message: who speaks, what became of it, when, how many tokens, and what can be done with it."""

from __future__ import annotations

import json
import time
from datetime import datetime

from desktop_app.conversation.events import MessageRow, MessageState
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import ToolCall
from desktop_app.ui.widgets.formats import first_line, format_duration, format_time, pluralize
from desktop_app.ui.widgets.invisible import escape_invisible

from .display_list import Action
from .items import MessageItem
from .page import Ground, Link, Tag


def tags_of(row: MessageRow) -> list[Tag]:
    """What became of the message."""
    tags: list[Tag] = []
    if row.is_pinned:
        tags.append(Tag("◆ pinned", Segment.PINNED, Ground.NOTHING))
    if row.state is MessageState.ARCHIVED:
        tags.append(Tag("archived", "accent", Ground.ACCENT))
    if row.state is MessageState.PRUNED:
        tags.append(Tag("pruned", "warning"))
    if row.message.is_interrupted:
        tags.append(Tag("interrupted", "warning"))
    return tags


def meta_of(row: MessageRow, has_clock: bool = True) -> str:
    """When, or how long it took, and how many tokens."""
    parts = [said_at(row.message.at, time.time())] if has_clock and row.message.at else []
    if not has_clock and row.message.seconds:
        parts.append(
            f"{row.message.seconds:.1f} s" if row.message.seconds < 60 else format_duration(row.message.seconds)
        )
    return " · ".join([*parts, pluralize(row.tokens, "token")])


def actions_of(item: MessageItem, is_running: bool) -> list[Link]:
    """What can be done with the message now."""
    row, key = item.row, item.row.message.id
    links = [Link(Action.COPY, key)]
    if item.is_last_reply and not is_running:
        links.append(Link(Action.REGENERATE, key))
    if row.state is MessageState.ARCHIVED:
        links.append(Link(Action.BRING_BACK, key))
    links.append(Link(Action.UNPIN if row.is_pinned else Action.PIN, key))
    return links


def said_at(at: float, now: float) -> str:
    """The time of a message: the clock alone for today's."""
    is_today = datetime.fromtimestamp(at).date() == datetime.fromtimestamp(now).date()
    return f"{datetime.fromtimestamp(at):%H:%M}" if is_today else format_time(at, now)


def arguments_in_words(call: ToolCall) -> str:
    """A call's arguments on one line: the first value bare, the others with their names."""
    named = _arguments_of(call)
    if named is None:
        return escape_invisible(first_line(call.arguments))
    words = [word if not place else f"{name}={word}" for place, (name, word) in enumerate(named)]
    return escape_invisible(first_line("  ".join(words)))


def arguments_whole(call: ToolCall) -> str:
    """A call's arguments, each with its name; text of several lines as it is written, not as JSON writes it."""
    named = _arguments_of(call)
    if named is None:
        return call.arguments
    return "\n".join(f"{name}:\n{word}" if "\n" in word else f"{name}: {word}" for name, word in named)


def _arguments_of(call: ToolCall) -> list[tuple[str, str]] | None:
    """Names and values in words; None for what is not a JSON object."""
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    if not isinstance(arguments, dict):
        return None
    return [(name, word if isinstance(word, str) else json.dumps(word)) for name, word in arguments.items()]
