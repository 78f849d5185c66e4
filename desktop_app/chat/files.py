"""Conversations become files, archived messages too; and files become conversations, each message as it is."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from pathlib import Path

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.openai_chat import BadChat, chat_of, read_chat

from .conversations import Conversations
from .ports import WorldError
from .session import Session
from .titles import title_of

SPEAKERS = {Role.SYSTEM: "System", Role.USER: "You", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool"}


async def export_file(session: Session, path: str, kind: str) -> int:
    """Write the whole record as "markdown", or as "json": lines of OpenAI chat messages, which can be imported again.

    Returns the file's size in bytes. Raises WorldError; then there is no half a file.
    """
    messages = [entry for entry in session.transcript.entries if isinstance(entry, Message)]
    write = markdown_of if kind == "markdown" else lines_of
    content = (await asyncio.to_thread(write, session.info.title, messages)).encode(errors="replace")
    try:
        await asyncio.to_thread(_write, Path(path), content)
    except (OSError, ValueError) as error:  # ValueError: it is no name that a file can have
        detail, advice = getattr(error, "strerror", None) or str(error), "Choose another place."
        kept = "The conversation is as it was."
        raise WorldError(Failure("disk", f"{path} could not be written", detail, kept, advice)) from error
    return len(content)


def _write(path: Path, content: bytes) -> None:
    new = path.with_name(f"{path.name}.part")
    try:
        new.write_bytes(content)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def lines_of(title: str, messages: list[Message]) -> str:
    """Return one OpenAI chat message a line."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in chat_of(messages))


def markdown_of(title: str, messages: list[Message]) -> str:
    """Return Markdown for people: a heading for each message, tool calls and results in fences."""
    sections = [f"# {title}", *(_section_of(message) for message in messages)]
    return "\n\n".join(sections) + "\n"


def _section_of(message: Message) -> str:
    speaker = message.speaker or SPEAKERS[message.role]
    return "\n\n".join([f"## {speaker}", *filter(None, map(_part, message.parts))])


def _part(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Reasoning(text):
            quoted = text.replace("\n", "\n> ")
            return f"> {quoted}"
        case ToolCall():
            return _fence(part.arguments, f"Calls `{part.name}`")
        case ToolResult():
            return _fence(part.text, f"`{part.name}` {_ending(part)}")
        case Attachment():
            return f"[{part.name}]" if part.is_image else _fence(part.content, part.name)


def _ending(result: ToolResult) -> str:
    words = {"denied": "was not allowed", "stopped": "was stopped", "timed_out": "took too long"}
    return words.get(result.ending, "failed" if result.is_error else "answered")


def _fence(text: str, heading: str) -> str:
    """Return the text in a fence that it cannot close itself."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{heading}:\n\n{fence}\n{text}\n{fence}"


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
        advice = "Each line must be one chat message as a JSON object." if error.line else "Choose another file."
        raise _not_imported(path, reason, advice) from error
    except OSError as error:
        raise _not_imported(path, error.strerror or str(error), "Choose another file.") from error


def _not_imported(path: Path, detail: str, advice: str) -> WorldError:
    kept = "Nothing of it was imported; everything else is as it was."
    return WorldError(Failure("bad_input", f"{path.name} could not be imported", detail, kept, advice))
