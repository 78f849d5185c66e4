"""A tool, and messages of a round in which it is called."""

from __future__ import annotations

from builders import model, result
from desktop_app.conversation.message import Message, Reasoning, ToolCall
from desktop_app.conversation.tools import ToolSpec

READ = ToolSpec("read", "Reads a file", '{"type":"object","properties":{"path":{"type":"string"}}}')


def called(*ids: str, reasoning: str = "", arguments: str = '{"path": "a"}') -> Message:
    """A reply that makes a call for each of the ids."""
    thought = (Reasoning(reasoning),) if reasoning else ()
    return model(*thought, *(ToolCall(one, "read", arguments) for one in ids))


def answered(call_id: str, text: str = "What a holds.") -> Message:
    """The result of one."""
    return result(text, call_id, "read")
