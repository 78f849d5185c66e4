"""OpenAI's chat shape, both ways: what files are imported from, and what a request is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

from .foreign_files import SUPPORTED, kind_of_file
from .message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

Json = dict[str, Any]


class BadChat(ValueError):
    """Raised for what is not in OpenAI's chat shape. line: from 1; 0 when it is not about a line."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason = reason
        self.line = line


def read_jsonl(content: bytes) -> list[Json]:
    """Return the objects of a file of JSON Lines; blank lines and a byte order mark are skipped.

    Raises BadChat, naming the line, for what is not UTF-8, not JSON or not an object, or naming the program whose file
    it is.
    """
    try:
        return _objects_of(content)
    except BadChat as error:
        raise _explain(error, content) from error


def _explain(error: BadChat, content: bytes) -> BadChat:
    """Return the error, or one that says which other program's file this is and what can be read."""
    kind = kind_of_file(content)
    return BadChat(f"this is {kind}, which cannot be read. {SUPPORTED}") if kind else error


def _objects_of(content: bytes) -> list[Json]:
    objects: list[Json] = []
    for number, line in _filled_lines(content):
        try:
            value: object = json.loads(line)
        except UnicodeDecodeError as error:
            raise BadChat("this is not UTF-8 text", number) from error
        except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
            raise BadChat(f"this is not JSON ({error})", number) from error
        if not isinstance(value, dict):
            raise BadChat("a chat message must be a JSON object", number)
        objects.append(cast("Json", value))
    if not objects:
        raise BadChat("the file holds no messages")
    return objects


def _filled_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Return each line that is not blank, with its number from 1."""
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines()
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def read_chat(content: bytes, new_id: Callable[[int], str]) -> list[Message]:
    """Return the messages of a file of JSON Lines; `new_id(index)` names them. Raises BadChat, naming the line."""
    objects = read_jsonl(content)
    try:
        return messages_of(objects, new_id)
    except BadChat as error:
        numbers = [number for number, _ in _filled_lines(content)]
        raise _explain(BadChat(error.reason, numbers[error.line - 1]), content) from error


def messages_of(objects: Iterable[Json], new_id: Callable[[int], str]) -> list[Message]:
    """Return a message for each object; `new_id(index)` names them. Raises BadChat, naming the object's number."""
    names_of_calls: dict[str, str] = {}
    messages: list[Message] = []
    for index, value in enumerate(objects):
        try:
            message = _message(value, new_id(index), names_of_calls)
        except BadChat as error:
            raise BadChat(error.reason, index + 1) from error
        names_of_calls.update({call.call_id: call.name for call in message.tool_calls})
        messages.append(message)
    return messages


ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def _message(value: Json, message_id: str, names_of_calls: dict[str, str]) -> Message:
    role = ROLES.get(str(value.get("role")))
    if value.get("role") is None:
        raise BadChat(f"a chat message must have a role, one of {', '.join(ROLES)}")
    if role is None:
        raise BadChat(f"the role {value.get('role')!r} is not one of {', '.join(ROLES)}")
    content = _parts(value.get("content"))
    speaker = value.get("name")
    if role is Role.TOOL:
        call_id = str(value.get("tool_call_id") or "")
        name = str(speaker or names_of_calls.get(call_id) or "tool")
        text = "\n".join(p.text for p in content if isinstance(p, Text))
        return Message(id=message_id, role=role, parts=(ToolResult(call_id, name, text),))
    reasoning = value.get("reasoning_content")
    parts: list[Part] = [Reasoning(reasoning)] if isinstance(reasoning, str) and reasoning else []
    parts += content
    parts += _tool_calls(value.get("tool_calls"))
    if isinstance(value.get("function_call"), dict):  # the shape before tool calls: one call, without an id
        parts += _tool_calls([{"function": value["function_call"]}])
    named = str(speaker) if speaker else ""
    return Message(id=message_id, role=role, parts=tuple(parts), speaker=named)


def _parts(content: object) -> list[Part]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [Text(content)]
    if not isinstance(content, list):
        raise BadChat("`content` must be text, a list of parts, or null")
    return [_part(part) for part in cast("list[object]", content)]


def _part(part: object) -> Part:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        raise BadChat("a part of `content` must be an object")
    fields = cast("Json", part)
    if isinstance(fields.get("text"), str):
        return Text(fields["text"])
    if fields.get("type") == "image_url":
        image = fields.get("image_url")
        url = cast("Json", image).get("url") if isinstance(image, dict) else image
        return Attachment("image", "image/*", str(url))
    return Attachment(str(fields.get("type") or "part"), "application/json", json.dumps(fields, ensure_ascii=False))


def _tool_calls(value: object) -> list[ToolCall]:
    if not value:
        return []
    if not isinstance(value, list):
        raise BadChat("`tool_calls` must be a list")
    calls: list[ToolCall] = []
    for call in cast("list[object]", value):
        function = cast("Json", call).get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise BadChat("a tool call must have a `function` with a name")
        fields = cast("Json", function)
        arguments = fields.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
        calls.append(ToolCall(str(cast("Json", call).get("id") or ""), str(fields.get("name") or "tool"), text))
    return calls


def chat_of(messages: Sequence[Message]) -> list[Json]:
    """Return the messages in OpenAI's chat shape. Reasoning is not sent back; an image is an `image_url` part."""
    return [_chat_message(message) for message in messages]


def _chat_message(message: Message) -> Json:
    result = message.tool_result
    if message.role is Role.TOOL and result is not None:
        return {"role": "tool", "tool_call_id": result.call_id, "name": result.name, "content": message.text}
    chat: Json = {"role": message.role.value, "content": _content(message)}
    if message.speaker:
        chat["name"] = message.speaker
    if message.tool_calls:
        chat["content"] = chat["content"] or None  # to empty text beside calls some providers add words of their own
        chat["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return chat


def _content(message: Message) -> str | list[Json]:
    if not any(isinstance(part, Attachment) and part.is_image for part in message.parts):
        return "\n\n".join(_text(part) for part in message.parts if isinstance(part, Text | Attachment))
    return [
        {"type": "image_url", "image_url": {"url": part.content}}
        if isinstance(part, Attachment) and part.is_image
        else {"type": "text", "text": _text(part)}
        for part in message.parts
        if isinstance(part, Text | Attachment)
    ]


def _text(part: Text | Attachment) -> str:
    return part.text if isinstance(part, Text) else part.as_text
