"""Answers that were replaced, and messages without an answer. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import groupby

import msgspec

from desktop_app.conversation.events import MessageRow, MessageState
from desktop_app.conversation.message import Role


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
