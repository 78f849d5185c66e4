"""A message of the user's that alone is larger than the window: found, cut, or sent as a file that is read in parts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Role, Text
from desktop_app.conversation.words import format_number, translatable

from .compact.tail import measure_blocks
from .counting.tokens import TokenCounts
from .policy import Budget, ContextPolicy
from .text_cuts import head_of, tail_of
from .truncate import MIN_SIZE, Truncation, truncate_result
from .view.view import View

READ = "read"
"""The tool that reads a spill, and whose limits such a message gets."""
MIN_ROOM = 200
"""Tokens: with less there is no sense in what is left of the message."""
MIN_SHARE = 0.001
MIN_TEXT = 400
"""Characters of a text that is left as it is: beside a large attachment stands what is to be done with it."""

NOTHING_SENT = translatable("only its name is sent; the model can read it")
LINES_SENT = translatable("{shown} of {whole} lines are sent; the model can read the rest")
BYTES_SENT = translatable("{shown} of {whole} bytes are sent; the model can read the rest")
ENDS_SENT = translatable("{shown} of {whole} characters are sent, from its beginning and its end")


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

    def ends_of(text: str) -> _ShortText:
        return _ends_of(text, round(len(text) * share))

    short = _with_texts(oversized.message, ends_of)
    while not _fits(short, oversized, counts) and share > MIN_SHARE:
        share *= 0.8
        short = _with_texts(oversized.message, ends_of)
    return short


def message_as_files(oversized: Oversized, policy: ContextPolicy, counts: TokenCounts) -> ShortMessage:
    """Return each long text cut as a tool result would be, with a notice that names its spill and how to read on."""
    limits, spills = policy, list[str]()

    def cut(text: str) -> _ShortText:
        made = truncate_result(text, READ, limits)
        spills.extend([text] if made.spill else [])
        return _ShortText(made.text, _about_beginning(text, made) if made.spill else "")

    short = _with_texts(oversized.message, cut)
    while not _fits(short, oversized, counts) and limits.truncate_bytes > MIN_SIZE:
        limits = replace(limits, truncate_bytes=max(limits.truncate_bytes // 2, MIN_SIZE))
        spills.clear()
        short = _with_texts(oversized.message, cut)
    return replace(short, spills=tuple(spills))


class _ShortText(msgspec.Struct, frozen=True):
    """A text as it is sent. about: how much of it that is, if not all; in words for the user."""

    text: str
    about: str = ""


def _with_texts(message: Message, change: Callable[[str], _ShortText]) -> ShortMessage:
    texts = [change(part.text).text for part in message.parts if isinstance(part, Text)]
    attached = [part for part in message.parts if isinstance(part, Attachment)]
    changed = (one if one.is_image else _with_content(one, change(one.content)) for one in attached)
    return ShortMessage("\n\n".join(texts), tuple(changed))


def _with_content(file: Attachment, short: _ShortText) -> Attachment:
    """Return the file as it is sent, with what is known of it: of the file, and of what is sent of that."""
    if not short.about:
        return file
    return replace(file, content=short.text, about=" · ".join(filter(None, (file.about, short.about))))


def _about_beginning(text: str, cut: Truncation) -> str:
    lines = cut.lines - text.endswith("\n")
    if not cut.shown_bytes:
        return NOTHING_SENT
    if cut.shown_lines < lines:
        return LINES_SENT.format(shown=format_number(cut.shown_lines), whole=format_number(lines))
    return BYTES_SENT.format(shown=format_number(cut.shown_bytes), whole=format_number(cut.bytes))


def _fits(short: ShortMessage, oversized: Oversized, counts: TokenCounts) -> bool:
    parts = (*((Text(short.text),) if short.text else ()), *short.attachments)
    return counts.total(replace(oversized.message, parts=parts)) <= oversized.room


def _ends_of(text: str, most: int) -> _ShortText:
    if len(text) <= max(most, MIN_TEXT):
        return _ShortText(text)
    head, tail = head_of(text, most * 2 // 3, 200), tail_of(text, most // 3, 200)
    shown = len(head) + len(tail)
    about = ENDS_SENT.format(shown=format_number(shown), whole=format_number(len(text)))
    return _ShortText(f"{head}\n\n[… {len(text) - shown:,} characters left out …]\n\n{tail}", about)
