"""Replies as they are shown: joined where one was continued, growing, replaced, or missing. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import groupby

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow, MessageState
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text
from desktop_app.ui.live_turns import LiveReply


class MissingReply(Enum):
    """What a message waits for, in the words that are shown under it."""

    NOTHING = ""
    ANSWER = "No answer yet."
    REST = "This reply ended early."
    PASSED_OVER = "Not answered."

    @property
    def can_be_had(self) -> bool:
        """Whether the model can be asked for it: only at the end of the conversation."""
        return self in (MissingReply.ANSWER, MissingReply.REST)


class EarlierItem(msgspec.Struct, frozen=True):
    """Answers that were replaced, oldest first, each as its messages.

    after: the id of the message that they answered. is_only: whether there is no newer one; then it is shown, else
    folded.
    """

    after: str
    answers: tuple[tuple[MessageRow, ...], ...]
    is_only: bool = False

    @property
    def key(self) -> str:
        return f"earlier than {self.after}"

    def has(self, message_id: str) -> bool:
        """Whether that message is part of one of them."""
        return any(row.message.id == message_id for answer in self.answers for row in answer)

    def text(self, number: int) -> str:
        """Return one of them as Markdown, with the names of the tools that it called."""
        parts: list[str] = []
        for row in self.answers[number]:
            if row.message.role is Role.ASSISTANT:
                is_further = row.message.continues and parts
                parts.append((parts.pop() if is_further else "") + row.message.text)
                parts += [f"*Called `{call.name}`*" for call in row.message.tool_calls]
        return "\n\n".join(filter(None, parts))

    def is_interrupted(self, number: int) -> bool:
        return self.answers[number][-1].message.is_interrupted


def earlier_answers(rows: Sequence[MessageRow]) -> dict[str, EarlierItem]:
    """Return the replaced answers by the id of the message before them; each replacement is an operation.

    A question that was replaced, with all that came after it, is not an answer and is left out.
    """
    after, found = "", dict[str, list[MessageRow]]()
    is_left_out = False
    for row in rows:
        if row.state is not MessageState.ABANDONED:
            after, is_left_out = row.message.id, False
        elif row.message.role is Role.USER:
            is_left_out = True
        elif after and not is_left_out:
            found.setdefault(after, []).append(row)
    return {
        after: EarlierItem(after, tuple(tuple(answer) for _, answer in groupby(left, lambda row: row.operation_id)))
        for after, left in found.items()
    }


def missing_after(rows: Sequence[MessageRow], index: int, is_settled: bool) -> MissingReply:
    """Return what the message at that index waits for.

    rows: those that are shown. is_settled: nothing is under way, and no card says what happened.
    """
    message = rows[index].message
    is_last = index == len(rows) - 1
    if is_last and is_settled and message.role in (Role.USER, Role.TOOL):
        return MissingReply.ANSWER
    if is_last and is_settled and message.is_interrupted:
        return MissingReply.REST
    is_passed_over = not is_last and message.role is Role.USER and rows[index + 1].message.role is Role.USER
    return MissingReply.PASSED_OVER if is_passed_over else MissingReply.NOTHING


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
