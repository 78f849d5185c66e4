"""A conversation as Markdown for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.words import in_fence

SPEAKERS = {Role.SYSTEM: "System", Role.USER: "You", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool"}


def speaker_of(message: Message) -> str:
    """Return who speaks."""
    return message.speaker or SPEAKERS[message.role]


def markdown_of(title: str, messages: Iterable[Message], archived: Collection[str] = (), project: str = "") -> str:
    """Return Markdown for people: a heading for each message, tool calls and results in fences."""
    named = [f"Project: {project}"] if project else []
    sections = [f"# {title}", *named, *(_section_of(message) for message in messages)]
    return "\n\n".join(sections) + "\n"


def _section_of(message: Message) -> str:
    speaker = speaker_of(message)
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
            return _fence(part.text, f"`{part.name}` {ending_of(part)}")
        case Attachment():
            return f"[{part.name}]" if part.is_image else _fence(part.content, part.name)


def ending_of(result: ToolResult) -> str:
    """Return how a call ended, in words."""
    words = {
        "denied": "was not allowed",
        "stopped": "was stopped",
        "timed_out": "took too long",
        "repeated": "was not run again",
    }
    return words.get(result.ending, "failed" if result.is_error else "answered")


def _fence(text: str, heading: str) -> str:
    return f"{heading}:\n\n{in_fence(text)}"
