"""Files become conversations, each message as it is."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import BadChat, read_chat
from desktop_app.conversation.words import translatable

from .conversations import Conversations
from .ports import WorldError
from .session import Session
from .titles import title_of


async def import_file(conversations: Conversations, path: str) -> Session:
    """Create a conversation from a file of OpenAI chat messages. Raises WorldError; then nothing was imported."""
    name, messages = await asyncio.to_thread(messages_of_file, Path(path))
    first = next((m.text for m in messages if m.role is Role.USER and m.text.strip()), name)
    return await conversations.create(title_of(first), messages)


def messages_of_file(path: Path) -> tuple[str, list[Message]]:
    """Return the file's name, and its messages with new ids. Raises WorldError, naming the line of bad input."""
    try:
        return path.stem, read_chat(path.read_bytes(), lambda _: uuid.uuid4().hex)
    except BadChat as error:
        reason = str(error) if error.line else f"{error.reason[:1].upper()}{error.reason[1:]}"
        advice = (
            translatable("Each line must be one chat message as a JSON object.")
            if error.line
            else translatable("Choose another file.")
        )
        raise _not_imported(path, reason, advice) from error
    except OSError as error:
        raise _not_imported(path, error.strerror or str(error), translatable("Choose another file.")) from error


def _not_imported(path: Path, detail: str, advice: str) -> WorldError:
    kept = translatable("Nothing of it was imported; everything else is as it was.")
    return WorldError(
        Failure("bad_input", translatable("{name} could not be imported").format(name=path.name), detail, kept, advice)
    )
