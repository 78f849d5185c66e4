"""What is remembered of the user from conversation to conversation."""

from __future__ import annotations

from typing import Literal

import msgspec

MemoryScope = Literal["user", "folder", "conversation"]
"""Where a memory is sent: in every conversation of the user, in those of one working folder, or in one alone."""


class Memory(msgspec.Struct, frozen=True):
    """One thing worth knowing later, in the words in which it is sent. at, changed_at: seconds since 1970, UTC.

    conversation: where it was said; "" if the user wrote it. is_on: whether it is sent. is_deleted: it is not shown
    either, but can be restored. author: "model", "rule" or "user".

    folder: the working folder of the conversation where it was said; "" if it had none.
    """

    id: str
    text: str
    at: float
    changed_at: float
    conversation: str = ""
    author: str = "user"
    is_on: bool = True
    is_deleted: bool = False
    scope: MemoryScope = "user"
    folder: str = ""
