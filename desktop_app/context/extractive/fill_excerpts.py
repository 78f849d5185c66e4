"""Fill the rest of the page with the beginnings of pasted text, of code and of tool results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from desktop_app.context.ledger.ledger import calls_with_results, one_line
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.conversation.message import Message, Role

from . import summary_builder as sections
from .sentences import Voice
from .summary_builder import SummaryBuilder, SummaryLine

ROOM = 60
"""Tokens; with less left over, a section of its own is not worth its heading."""
LEAST, MOST = 160, 8_000
"""Characters of each: shorter ones tell nothing, and what is longer is looked up in the archive."""
TRIES = 6
SURELY = 0.97
"""Of the room; the headings and labels need some too."""
CLOSE = 0.95
"""Of the room: that much of it taken is near enough."""
MAX_OWN_WORDS = 0.5
"""Share of a message; with more of them it was said and not shown."""


def add_shown(page: SummaryBuilder, head: Sequence[Message], reading: Reading, count: Callable[[str], int]) -> bool:
    """Add excerpts while there is room, the newest first, all of the same width.

    Return whether more of them would fit on a larger page: whether they have the least width.
    """
    if page.free < ROOM:
        return False
    answered = calls_with_results(head)
    shown = [(place, message) for place, message in enumerate(head) if _shows(message, reading)]

    def drawn(width: int) -> list[tuple[str, SummaryLine]]:
        lines = [
            (sections.SHOWN, SummaryLine(one_line(message.text, width), (place, 0), _speaker(message)))
            for place, message in reversed(shown)
        ]
        for number in range(len(answered) - 1, -1, -1):
            call, result = answered[number]
            text = f"{call.name} {one_line(call.arguments)} → {one_line(result.text, width)}"
            lines.append((sections.RESULTS, SummaryLine(text, (number, 0))))
        return lines

    width = _width(drawn, page.free, count)
    for section, line in drawn(width):
        if not page.is_full:
            page.add(section, line)
    return width == LEAST


def _width(drawn: Callable[[int], list[tuple[str, SummaryLine]]], free: int, count: Callable[[str], int]) -> int:
    """Return the width in characters with which all excerpts take about `free` tokens: by trial, since code and prose
    differ."""
    width = LEAST
    for _ in range(TRIES):
        taken = count("\n".join(f"- {line.speaker}: {line.text}" for _, line in drawn(width)))
        wider = min(max(round(width * SURELY * free / max(taken, 1)), LEAST), MOST)
        if wider == width or taken <= free < taken / CLOSE:
            break
        width = wider
    return width


def _speaker(message: Message) -> str:
    return (Voice.USER if message.role is Role.USER else Voice.MODEL).value


def _shows(message: Message, reading: Reading) -> bool:
    """Whether most of a message is code or otherwise pasted."""
    if message.role not in (Role.USER, Role.ASSISTANT) or len(message.text) < LEAST:
        return False
    return sum(map(len, reading.of(message).sentences)) < MAX_OWN_WORDS * len(message.text)
