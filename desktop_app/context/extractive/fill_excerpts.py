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
"""Tokens that must be left for a section of its own."""
MIN_EXCERPT, MAX_EXCERPT = 160, 8_000
"""Characters of each."""
MAX_READ = 400
"""Messages, and calls, that are looked at: the newest."""
TRIES = 3
SURELY = 0.97
"""The share of the room without headings and labels."""
CLOSE = 0.95
"""The share of the room that must be taken."""
MAX_OWN_WORDS = 0.5
"""Share of a message from which on it is speech and no excerpt."""


def add_excerpts(page: SummaryBuilder, head: Sequence[Message], reading: Reading, count: Callable[[str], int]) -> None:
    """Add excerpts while there is room, the newest first, all of the same width."""
    if page.free < ROOM:
        return
    newest = range(len(head) - 1, max(len(head) - MAX_READ, 0) - 1, -1)
    shown = [(index, head[index]) for index in newest if _shows(head[index], reading)]
    answered = list(enumerate(calls_with_results(head)))[: -MAX_READ - 1 : -1]

    def excerpts(width: int) -> list[tuple[str, SummaryLine]]:
        texts = [(index, one_line(message.text, width), _speaker(message)) for index, message in shown]
        lines = [(sections.SHOWN, SummaryLine(text, (index, 0), speaker)) for index, text, speaker in texts]
        for number, (call, result) in answered:
            text = f"{call.name} {one_line(call.arguments)} → {one_line(result.text, width)}"
            lines.append((sections.RESULTS, SummaryLine(text, (number, 0))))
        return lines

    for section, line in excerpts(_width(excerpts, page.free, count)):
        if not page.is_full:
            page.add(section, line)


def _width(excerpts: Callable[[int], list[tuple[str, SummaryLine]]], free: int, count: Callable[[str], int]) -> int:
    """Return the width in characters with which all excerpts take about `free` tokens: by trial, since code and prose
    differ."""
    width = MIN_EXCERPT
    for _ in range(TRIES):
        taken = count("\n".join(f"- {line.speaker}: {line.text}" for _, line in excerpts(width)))
        wider = min(max(round(width * SURELY * free / max(taken, 1)), MIN_EXCERPT), MAX_EXCERPT)
        if wider == width or taken <= free < taken / CLOSE:
            break
        width = wider
    return width


def _speaker(message: Message) -> str:
    return (Voice.USER if message.role is Role.USER else Voice.MODEL).value


def _shows(message: Message, reading: Reading) -> bool:
    """Whether most of a message is code or otherwise pasted."""
    if message.role not in (Role.USER, Role.ASSISTANT) or len(message.text) < MIN_EXCERPT:
        return False
    return sum(map(len, reading.of(message).sentences)) < MAX_OWN_WORDS * len(message.text)
