"""Convert from and to OpenAI's chat format, for imported files and for requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import msgspec

from .foreign import SUPPORTED, kind_of_file
from .message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from .tools import ToolSpec
from .words import translatable

Json = dict[str, Any]
NOT_UTF8 = translatable("this is not UTF-8 text")
NOT_AN_OBJECT = translatable("a chat message must be a JSON object")


class BadChat(ValueError):
    """Raised for content that is not in OpenAI's chat format. line: from 1; 0 for no particular line."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason = reason
        self.line = line


def not_json(error: Exception) -> str:
    """Return the message that something is not JSON, with Python's error."""
    return translatable("this is not JSON ({error})").format(error=error)


def read_jsonl(content: bytes) -> list[Json]:
    """Return the objects of a file of JSON Lines; blank lines and a byte order mark are skipped.

    Raises BadChat with the line that is not UTF-8, not JSON or not an object, or with the program whose file it is.
    """
    try:
        return _objects_of(content)
    except BadChat as error:
        raise _explain(error, content) from error


def _explain(error: BadChat, content: bytes) -> BadChat:
    """Return the error, or one that names the program whose file this is and the supported format."""
    kind = kind_of_file(content)
    return BadChat(f"this is {kind}, which cannot be read. {SUPPORTED}") if kind else error


def _objects_of(content: bytes) -> list[Json]:
    objects: list[Json] = []
    for number, line in _filled_lines(content):
        try:
            value: object = json.loads(line)
        except UnicodeDecodeError as error:
            raise BadChat(NOT_UTF8, number) from error
        except (ValueError, RecursionError) as error:  # also for a number with more digits than Python converts
            raise BadChat(not_json(error), number) from error
        if not isinstance(value, dict):
            raise BadChat(NOT_AN_OBJECT, number)
        objects.append(cast("Json", value))
    if not objects:
        raise BadChat(translatable("the file holds no messages"))
    return objects


def _filled_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank, with its number from 1."""
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines()
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def read_chat(content: bytes, new_id: Callable[[int], str]) -> list[Message]:
    """Return the messages of a file of JSON Lines; `new_id(index)` returns their ids. Raises BadChat with the line."""
    return read_objects_and_messages(content, new_id)[1]


def read_objects_and_messages(content: bytes, new_id: Callable[[int], str]) -> tuple[list[Json], list[Message]]:
    """Return the objects of a file of JSON Lines, and their messages, as `read_jsonl` and `read_chat` do."""
    objects = read_jsonl(content)
    try:
        return objects, messages_of(objects, new_id)
    except BadChat as error:
        numbers = [number for number, _ in _filled_lines(content)]
        raise _explain(BadChat(error.reason, numbers[error.line - 1]), content) from error


def messages_of(objects: Iterable[Json], new_id: Callable[[int], str]) -> list[Message]:
    """Return a message for each object; `new_id(index)` returns their ids. Raises BadChat with the object's number."""
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


UNKNOWN_ROLE = translatable("the role “{role}” is not one of {roles}")
ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    function: _Function
    id: str | int | None = None


class _Chat(msgspec.Struct):
    role: str
    content: str | list[str | Json] = []
    name: str | int = ""
    reasoning_content: Any = None
    refusal: Any = None
    """The model's refusal, in place of the content."""
    tool_call_id: str | int = ""
    tool_calls: list[_Call] = []
    function_call: _Function | None = None
    """The format before tool calls: one call, without an id."""


def _message(value: Json, message_id: str, names_of_calls: dict[str, str]) -> Message:
    try:
        chat = msgspec.convert({field: element for field, element in value.items() if element}, _Chat)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # the latter for a lone surrogate
        raise BadChat(translatable("this is not a chat message: {error}").format(error=error)) from error
    role = ROLES.get(chat.role)
    if role is None:
        raise BadChat(UNKNOWN_ROLE.format(role=chat.role, roles=", ".join(ROLES)))
    content = [_part(part) for part in ([chat.content] if isinstance(chat.content, str) else chat.content)]
    if isinstance(chat.refusal, str):
        content.append(Text(chat.refusal))
    if role is Role.TOOL:
        call_id = str(chat.tool_call_id)
        name = str(chat.name or names_of_calls.get(call_id) or "tool")
        text = "\n".join(part.text for part in content if isinstance(part, Text))
        return Message(id=message_id, role=role, parts=(ToolResult(call_id, name, text),))
    calls = [*chat.tool_calls, *([_Call(chat.function_call)] if chat.function_call else [])]
    reasoning = [Reasoning(chat.reasoning_content)] if isinstance(chat.reasoning_content, str) else []
    return Message(id=message_id, role=role, parts=(*reasoning, *content, *map(_call, calls)), speaker=str(chat.name))


def _part(part: str | Json) -> Part:
    text = part if isinstance(part, str) else part.get("text") or part.get("refusal")
    if isinstance(text, str):
        return Text(text)
    fields = cast("Json", part)
    if fields.get("type") == "image_url":
        image = fields.get("image_url")
        url = cast("Json", image).get("url") if isinstance(image, dict) else image
        return Attachment("image", "image/*", str(url))
    return Attachment(str(fields.get("type") or "part"), "application/json", json.dumps(fields, ensure_ascii=False))


def _call(call: _Call) -> ToolCall:
    arguments = call.function.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(str(call.id or ""), call.function.name or "tool", text)


def function_of(tool: ToolSpec) -> Json:
    """Return a tool in the format of a request."""
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
    return {"type": "function", "function": function}


def chat_of(messages: Sequence[Message]) -> list[Json]:
    """Return the messages in OpenAI's chat format. Reasoning is left out; an image is an `image_url` part."""
    return [_chat_message(message) for message in messages]


def _chat_message(message: Message) -> Json:
    result = message.tool_result
    if message.role is Role.TOOL and result is not None:
        return {"role": "tool", "tool_call_id": result.call_id, "name": result.name, "content": message.text}
    chat: Json = {"role": message.role.value, "content": _content(message)}
    if message.speaker:
        chat["name"] = message.speaker
    if message.tool_calls:
        chat["content"] = chat["content"] or None  # some providers add text of their own to empty text with calls
        chat["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return chat


def _content(message: Message) -> str | list[Json]:
    if not message.has_image:
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
