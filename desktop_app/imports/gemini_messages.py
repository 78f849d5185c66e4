"""The messages of Gemini CLI's sessions as messages here: one of theirs holds calls and their results, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from desktop_app.conversation.message import (
    Attachment,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)

from .fields import Fields
from .gemini_parts import arguments_of, fields_of, parts_of, turns_of

ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT}
IMPOSSIBLE_TOKENS = 2**53
"""As many tokens are none."""


class SessionMessages:
    """Reads the messages of one session in their order."""

    def __init__(self) -> None:
        self.rests: dict[str, Any] = {}
        """What has no place, by the message's id."""
        self.notices: dict[str, Any] = {}
        """What the program said to the user, by the message's id."""
        self._answered: set[str] = set()

    def messages_of(self, name: str, value: dict[str, Any]) -> list[Message]:
        """Return the messages that this one is here; none for a notice, and for one without content."""
        fields = Fields(value)
        fields.skip("id")
        role = ROLES.get(fields.text("type", "role"))
        if role is None:
            self.notices[name] = {key: each for key, each in value.items() if key != "id"}
            return []
        inner = fields_of(fields.value("content") or fields.value("parts") or "")
        calls = fields.objects("toolCalls")
        given = [fields_of(call.value("result") or []) for call in calls]
        at = fields.time("timestamp")
        messages = list(self._said(fields, role, inner, calls))
        for call, result in zip(calls, given, strict=True):
            messages += self._result(call, result, at)
        left = [rest for part in [*inner, *(part for result in given for part in result)] if (rest := part.rest())]
        if rest := fields.rest() | ({"parts": left} if left else {}):
            self.rests[name] = rest
        return messages

    def _said(self, fields: Fields, role: Role, inner: list[Fields], calls: list[Fields]) -> Iterator[Message]:
        at, model, usage = fields.time("timestamp"), fields.text("model"), _usage(fields)
        ids = {call.text("id") for call in calls}
        parts = [*_thoughts(fields), *(part for part in parts_of(inner) if not self._is_again(part, ids))]
        parts += [ToolCall(call.text("id"), call.text("name") or "tool", arguments_of(call)) for call in calls]
        for speaker, said in turns_of(role, parts):
            if speaker is Role.ASSISTANT:
                yield Message(role=speaker, parts=said, at=at, model=model, usage=usage)
                usage = None
            else:
                yield Message(role=speaker, parts=said, at=at)

    def _is_again(self, part: Part, calls: set[str]) -> bool:
        """Return whether it stands among the calls too, where the program wrote down what it sent to the model."""
        if isinstance(part, ToolResult):
            return part.call_id in self._answered
        return isinstance(part, ToolCall) and part.call_id in calls

    def _result(self, call: Fields, inner: list[Fields], at: float) -> Iterator[Message]:
        call_id, name, status = call.text("id"), call.text("name") or "tool", call.text("status")
        parts = [part for part in parts_of(inner) if not isinstance(part, ToolResult) or part.call_id in ("", call_id)]
        text = _text(parts)
        shown = call.text("resultDisplay") if call.peek("resultDisplay") == text or not text else ""
        if not parts and not shown and status not in ("error", "cancelled"):
            return
        self._answered.add(call_id)
        result = ToolResult(
            call_id,
            name,
            text or shown,
            is_error=status in ("error", "cancelled") or any(isinstance(p, ToolResult) and p.is_error for p in parts),
            ending="stopped" if status == "cancelled" else "",
        )
        files = (part for part in parts if isinstance(part, Attachment))
        yield Message(role=Role.TOOL, parts=(result, *files), at=call.time("timestamp") or at)


def _text(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, ToolResult | Text) and part.text)


def _thoughts(fields: Fields) -> list[Part]:
    thoughts = ((each.text("subject"), each.text("description")) for each in fields.objects("thoughts"))
    texts = ("\n\n".join(filter(None, (subject and f"**{subject}**", said))) for subject, said in thoughts)
    text = "\n\n".join(filter(None, texts))
    return [Reasoning(text)] if text else []


def _usage(fields: Fields) -> Usage | None:
    tokens = fields.object("tokens")
    thought, prompt = _count(tokens, "thoughts"), _count(tokens, "input")
    usage = Usage(prompt, _count(tokens, "output") + thought, _count(tokens, "cached"), reasoning_tokens=thought)
    tokens.skip("total")
    return usage if usage.prompt_tokens or usage.reply_tokens else None


def _count(tokens: Fields, name: str) -> int:
    found = tokens.number(name)
    return int(found) if 0 <= found < IMPOSSIBLE_TOKENS else 0
