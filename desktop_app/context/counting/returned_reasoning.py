"""Reasoning that goes back to the model with the calls that it led to.

Most providers do not want it again. Kimi and DeepSeek want that of the turn under way, which depends on the whole
request; what came as details with a call always goes back with it, and is counted with its message (tokens.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop_app.conversation.listing import ReturnedReasoning
from desktop_app.conversation.message import Message, Reasoning, Role

if TYPE_CHECKING:
    from .tokens import TokenCounts

BLANK = " "
"""Stands for reasoning that is not needed any more, where the field must not be missing."""


def reasoning_of(message: Message) -> str:
    """Return the reasoning of that message; "" if it is not known."""
    return "".join(part.text for part in message.parts if isinstance(part, Reasoning))


def reasoning_to_return(messages: Sequence[Message], kind: ReturnedReasoning) -> list[str]:
    """Return for each message of a request the reasoning that goes back with it; "" for none.

    kind: `ModelInfo.returned_reasoning` of the model that it goes to.
    """
    running = max((index for index, message in enumerate(messages) if message.role is Role.USER), default=-1)
    return [_back(message, index > running, kind) for index, message in enumerate(messages)]


def _back(message: Message, is_running: bool, kind: ReturnedReasoning) -> str:
    if not message.tool_calls or not kind:
        return ""
    reasoning = reasoning_of(message) if is_running else ""
    return reasoning or (BLANK if kind == "always" else "")


def returned_reasoning_tokens(messages: Sequence[Message], counts: TokenCounts) -> int:
    """Return the tokens of the reasoning that goes back with these messages of a request."""
    if not counts.returned_reasoning:
        return 0
    back = reasoning_to_return(messages, counts.returned_reasoning)
    return sum(counts.reasoning(text) for text in back if text)
