"""Moments of which no event tells, and at which a cancellation does harm: something is on its way and not yet known."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import AnyEntry


class Moment(msgspec.Struct, frozen=True):
    """Something happens in a conversation."""

    conversation: str


class StoringPrompt(Moment, frozen=True):
    """What the user said is being stored."""


class StoringReply(Moment, frozen=True):
    """A reply, or what has arrived of it, is being stored."""


class StoringResult(Moment, frozen=True):
    """The result of a tool is being stored."""


class StoringStep(Moment, frozen=True):
    """An operation, or something else that nobody said, is being stored."""


class ToolAnswered(Moment, frozen=True):
    """A tool has come to its end, and its result is not stored yet."""

    call: str
    words: str
    """With which its result begins."""


STORING = {Role.USER: StoringPrompt, Role.ASSISTANT: StoringReply, Role.TOOL: StoringResult}


def storing(conversation: str, entries: Sequence[AnyEntry]) -> Moment:
    """Return the moment at which these entries are stored."""
    roles = [entry.role for entry in entries if isinstance(entry, Message)]
    return STORING.get(roles[-1], StoringStep)(conversation) if roles else StoringStep(conversation)
