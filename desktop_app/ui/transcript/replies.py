"""Replies as they are shown: joined where one was continued, growing, in another branch, or missing. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text
from desktop_app.conversation.words import translatable
from desktop_app.ui.live_turns import LiveReply


class MissingReply(Enum):
    """What a message waits for, in the words that are shown under it, translated."""

    NOTHING = ""
    ANSWER = translatable("No answer yet.")
    REST = translatable("This reply ended early. What had arrived is kept.")
    CUT = translatable("This reply was cut: it reached the longest length of one reply.")
    CUT_CALL = translatable("This reply reached the longest length in the middle of a tool call, which was not run.")
    CUT_THOUGHTS = translatable("The model reached the longest length of one reply before it answered.")
    REFUSED = translatable("The provider refused to answer this, or to go on with it.")
    BAD_CALL = translatable("The model made a tool call that could not be read. Nothing was run.")
    EMPTY = translatable("The model answered nothing.")
    ONLY_THOUGHTS = translatable("The model only thought, and answered nothing.")
    PASSED_OVER = translatable("Not answered.")


class OtherVersionsItem(msgspec.Struct, frozen=True):
    """What follows the newest message in other branches, where nothing follows it in the current one."""

    ids: tuple[str, ...]

    @property
    def key(self) -> str:
        return "other versions"


def missing_after(rows: Sequence[MessageRow], index: int, is_settled: bool) -> MissingReply:
    """Return what the message at that index waits for.

    rows: those that are shown. is_settled: nothing is under way, and no card says what happened.
    """
    message = rows[index].message
    is_last = index == len(rows) - 1
    if is_last and is_settled and message.role in (Role.USER, Role.TOOL):
        return MissingReply.ANSWER
    if is_last and is_settled and message.role is Role.ASSISTANT:
        return _missing_of(message)
    is_passed_over = not is_last and message.role is Role.USER and rows[index + 1].message.role is Role.USER
    return MissingReply.PASSED_OVER if is_passed_over else MissingReply.NOTHING


def _missing_of(reply: Message) -> MissingReply:
    """Return what a reply lacks that nothing follows."""
    thinks = any(isinstance(part, Reasoning) for part in reply.parts)
    match reply.ending:
        case "length" if reply.lost_call:
            return MissingReply.CUT_CALL
        case "length":
            return MissingReply.CUT if reply.can_continue else MissingReply.CUT_THOUGHTS
        case "content_filter":
            return MissingReply.REFUSED
        case "malformed_call":
            return MissingReply.BAD_CALL
        case "empty":
            return MissingReply.ONLY_THOUGHTS if thinks else MissingReply.EMPTY
        case _:
            return MissingReply.REST if reply.is_interrupted else MissingReply.NOTHING


class ReplyItem(msgspec.Struct, frozen=True):
    """A reply that is being written. begun: what it continues, if it does."""

    reply: LiveReply
    begun: MessageRow | None = None

    @property
    def key(self) -> str:
        """The key that the stored message will have, too."""
        return self.begun.message.id if self.begun is not None else self.reply.reply_id

    @property
    def text(self) -> str:
        return (self.begun.message.text if self.begun is not None else "") + self.reply.text

    @property
    def reasoning(self) -> str:
        parts = self.begun.message.parts if self.begun is not None else ()
        return "\n\n".join(part.text for part in parts if isinstance(part, Reasoning)) + self.reply.reasoning


def join_continued(rows: Sequence[MessageRow]) -> tuple[list[MessageRow], dict[str, str]]:
    """Return the rows with each chain of continued replies as one, under the id of its first.

    The second value maps the id of each message that was joined to that of the first. A reply whose beginning is not
    loaded stays as it is.
    """
    shown: list[MessageRow] = []
    indices: dict[str, int] = {}
    roots: dict[str, str] = {}
    for row in rows:
        index = indices.get(row.message.continues) if row.message.continues else None
        if index is None:
            indices[row.message.id] = len(shown)
            shown.append(row)
        else:
            indices[row.message.id] = index
            roots[row.message.id] = shown[index].message.id
            shown[index] = _one(shown[index], row)
    return shown, roots


def _one(first: MessageRow, second: MessageRow) -> MessageRow:
    head, tail = first.message, second.message
    message = replace(
        head,
        parts=_join_parts(head, tail),
        is_interrupted=tail.is_interrupted,
        ending=tail.ending,
        lost_call=tail.lost_call,
        usage=tail.usage,
        seconds=head.seconds + tail.seconds,
    )
    is_pinned = first.is_pinned or second.is_pinned
    return replace(first, message=message, tokens=first.tokens + second.tokens, state=second.state, is_pinned=is_pinned)


def _join_parts(head: Message, tail: Message) -> tuple[Part, ...]:
    """Return the parts of both with the texts joined without a gap: the second continues the first."""
    before, after = list(head.parts), list(tail.parts)
    last = next((n for n in reversed(range(len(before))) if isinstance(before[n], Text)), None)
    first = next((n for n, part in enumerate(after) if isinstance(part, Text)), None)
    if last is not None and first is not None:
        one, other = before[last], after.pop(first)
        assert isinstance(one, Text)
        assert isinstance(other, Text)
        before[last] = Text(one.text + other.text)
    return (*before, *after)
