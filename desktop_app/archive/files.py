"""Conversations from files: JSON Lines of OpenAI chat messages become values that `Store.create` takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import msgspec

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import BadChat, messages_of, read_jsonl

from .rows import mended

TITLE_LENGTH = 60


def read_conversation(path: Path, at: float) -> tuple[ConversationInfo, tuple[Message, ...]]:
    """The conversation of that file, with new ids; such files tell no times, so all of it happened `at`.

    Text that Unicode does not allow (lone surrogates) is mended. Raises BadChat, naming the line; OSError.
    """
    content = path.read_bytes()
    objects = read_jsonl(content)
    try:
        messages = messages_of(objects, lambda _index: uuid4().hex)
    except BadChat as error:
        raise BadChat(error.reason, _line_of(content, error.line)) from error
    stamped = tuple(_stamped(message, at) for message in messages)
    title = title_of(stamped) or path.stem
    return ConversationInfo(uuid4().hex, title, created_at=at, updated_at=at, messages=len(stamped)), stamped


def title_of(messages: Sequence[Message]) -> str:
    """The first line that the user said, cut behind a word; empty if there is none."""
    said = next((message.text for message in messages if message.role is Role.USER and message.text.strip()), "")
    line = " ".join(said.strip().partition("\n")[0].split())
    if len(line) <= TITLE_LENGTH:
        return line
    cut = line[: TITLE_LENGTH - 1]
    words = cut.rpartition(" ")[0] if line[TITLE_LENGTH - 1] != " " else cut
    return (words or cut).rstrip(" ,;:-") + "…"


def _stamped(message: Message, at: float) -> Message:
    stamped = msgspec.structs.replace(message, at=at)
    try:
        msgspec.json.encode(stamped)
    except UnicodeEncodeError:
        entry = mended(stamped)
        assert isinstance(entry, Message)
        return entry
    return stamped


def _line_of(content: bytes, number: int) -> int:
    """The line of the object of that number: blank lines hold none. Both count from 1."""
    lines = [line for line, text in enumerate(content.splitlines(), start=1) if text.strip(b"\xef\xbb\xbf \t\r\n")]
    return lines[number - 1]
