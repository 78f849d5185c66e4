"""Conversion of the parts of Google's `Content`, which Gemini's programs store, to parts of messages."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterable, Iterator
from typing import cast

from desktop_app.conversation.message import Attachment, Part, Reasoning, Role, Text, ToolCall, ToolResult

from .format import Fields, json_of
from .trees import attachment_of

CODE = "code_execution"
"""Google's name for the tool that runs code on its servers."""


def fields_of(content: object) -> list[Fields]:
    """Return the parts of a content: a string, a part, or a list of both."""
    values = cast("list[object]", content) if isinstance(content, list) else [content]
    return [Fields({"text": value} if isinstance(value, str) else value) for value in values]


def parts_of(fields: Iterable[Fields]) -> list[Part]:
    """Return the non-empty parts as parts of messages. Fields without a counterpart stay unread."""
    return [part for each in fields if (part := _part(each))]


def _part(fields: Fields) -> Part | None:
    text = fields.text("text")
    if text:
        return Reasoning(text) if fields.flag("thought") else Text(text)
    for name, read in _READERS.items():
        if inner := fields.object(name):
            return read(inner)
    return None


def _call(call: Fields) -> Part:
    return ToolCall(call.text("id"), call.text("name") or "tool", arguments_of(call))


def arguments_of(call: Fields) -> str:
    """Return the arguments of a call as JSON text."""
    arguments = call.value("args")
    return json_of(arguments if isinstance(arguments, dict) else {})


def _result(result: Fields) -> Part:
    answer = result.value("response")
    fields = cast("dict[str, object]", answer) if isinstance(answer, dict) else {"output": answer or ""}
    is_error = "error" in fields
    text = fields.get("error" if is_error else "output")
    is_only_text = isinstance(text, str) and len(fields) == 1
    return ToolResult(
        result.text("id"),
        result.text("name") or "tool",
        str(text) if is_only_text else json_of(fields),
        is_error,
    )


def _code(code: Fields) -> Part:
    return ToolCall("", CODE, json_of({"language": code.text("language"), "code": code.text("code")}))


def _output(output: Fields) -> Part:
    is_error = output.text("outcome") not in ("", "OUTCOME_OK")
    return ToolResult("", CODE, output.text("output"), is_error)


def _data(data: Fields) -> Part:
    """Return inline data: an image or a text; of other data only the name, and the data stays unread."""
    kind = data.text("mimeType") or "application/octet-stream"
    name = data.text("displayName") or f"file{mimetypes.guess_extension(kind) or ''}"
    encoded = Fields({"data": data.value("data")}).text("data")
    try:
        content = base64.b64decode(encoded, validate=True)
    except ValueError:
        return Attachment(name, kind, "", about="not readable")
    return attachment_of(name, content)


def _file(file: Fields) -> Part:
    address, kind = file.text("fileUri"), file.text("mimeType") or "application/octet-stream"
    name = file.text("displayName") or address.rpartition("/")[2] or "file"
    is_web = address.startswith(("http://", "https://"))
    return Attachment(name, kind, address if is_web else "", about="" if is_web else address)


_READERS = {
    "functionCall": _call,
    "functionResponse": _result,
    "inlineData": _data,
    "fileData": _file,
    "executableCode": _code,
    "codeExecutionResult": _output,
}


def turns_of(role: Role, parts: Iterable[Part]) -> Iterator[tuple[Role, tuple[Part, ...]]]:
    """Yield the messages that one content becomes: each tool result, with the files after it, is a message."""
    turn: list[Part] = []
    speaker = role
    for part in parts:
        is_result = isinstance(part, ToolResult)
        belongs = isinstance(part, Attachment) if speaker is Role.TOOL else not is_result
        if turn and not belongs:
            yield speaker, tuple(turn)
            turn = []
        if not turn:
            speaker = Role.TOOL if is_result else role
        turn.append(part)
    if turn:
        yield speaker, tuple(turn)
