"""A message of the user's that alone is larger than the window: found, cut, or sent as a file that is read in parts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Role, Text

from .compact.tail import measure_blocks
from .counting.tokens import TokenCounts
from .policy import Budget, ContextPolicy
from .text_cuts import head_of, tail_of
from .truncate import MIN_SIZE, truncate_result
from .view.view import View

READ = "read"
"""The tool that reads a spill, and whose limits such a message gets."""
MIN_ROOM = 200
"""Tokens: with less there is no sense in what is left of the message."""
MIN_SHARE = 0.001
MIN_TEXT = 400
"""Characters of a text that is left as it is: beside a large attachment stands what is to be done with it."""


class Oversized(msgspec.Struct, frozen=True):
    """A message that must stay and does not fit. Tokens."""

    message: Message
    tokens: int
    room: int
    """What it may take."""


class ShortMessage(msgspec.Struct, frozen=True):
    """The parts of a message that fit. spills: texts that are to be kept whole."""

    text: str
    attachments: tuple[Attachment, ...]
    spills: tuple[str, ...] = ()


def find_oversized(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> Oversized | None:
    """Return the newest message of the user's if it is what does not fit: shortened, the request would."""
    item = next((item for item in view.items if item.message.id == view.last_user_id), None)
    if item is None or item.message.role is not Role.USER or budget.usable <= 0:
        return None
    tokens, fixed = counts.total(item.message), measure_blocks(view, counts).fixed
    room = round(budget.usable * policy.compact_at) - (fixed - tokens)
    does_fit = fixed <= budget.usable * policy.blocked_at
    return None if does_fit or not MIN_ROOM <= room < tokens else Oversized(item.message, tokens, room)


def cut_message(oversized: Oversized, counts: TokenCounts) -> ShortMessage:
    """Return both ends of each text, two thirds of it from the beginning, with a mark between them; images stay."""
    share = oversized.room / oversized.tokens

    def ends_of(text: str) -> str:
        return _ends_of(text, round(len(text) * share))

    short = _with_texts(oversized.message, ends_of)
    while not _fits(short, oversized, counts) and share > MIN_SHARE:
        share *= 0.8
        short = _with_texts(oversized.message, ends_of)
    return short


def message_as_files(oversized: Oversized, policy: ContextPolicy, counts: TokenCounts) -> ShortMessage:
    """Return each long text cut as a tool result would be, with a notice that names its spill and how to read on."""
    limits, spills = policy, list[str]()

    def cut(text: str) -> str:
        made = truncate_result(text, READ, limits)
        spills.extend([text] if made.spill else [])
        return made.text

    short = _with_texts(oversized.message, cut)
    while not _fits(short, oversized, counts) and limits.truncate_bytes > MIN_SIZE:
        limits = replace(limits, truncate_bytes=max(limits.truncate_bytes // 2, MIN_SIZE))
        spills.clear()
        short = _with_texts(oversized.message, cut)
    return replace(short, spills=tuple(spills))


def _with_texts(message: Message, change: Callable[[str], str]) -> ShortMessage:
    texts = [change(part.text) for part in message.parts if isinstance(part, Text)]
    attached = [part for part in message.parts if isinstance(part, Attachment)]
    changed = (one if one.is_image else replace(one, content=change(one.content)) for one in attached)
    return ShortMessage("\n\n".join(texts), tuple(changed))


def _fits(short: ShortMessage, oversized: Oversized, counts: TokenCounts) -> bool:
    parts = (*((Text(short.text),) if short.text else ()), *short.attachments)
    return counts.total(replace(oversized.message, parts=parts)) <= oversized.room


def _ends_of(text: str, most: int) -> str:
    if len(text) <= max(most, MIN_TEXT):
        return text
    head, tail = head_of(text, most * 2 // 3, 200), tail_of(text, most // 3, 200)
    return f"{head}\n\n[… {len(text) - len(head) - len(tail):,} characters left out …]\n\n{tail}"
