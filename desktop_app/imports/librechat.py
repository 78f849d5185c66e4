"""LibreChat's export of a conversation as JSON: its messages in a list, or nested, each with its replies as `children`.

The text of a reply is in `text`; for agents and in newer versions, it is in parts in `content`: text, think, tool_call.
Based on exports of 2024 and on the types that the program declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.words import translatable

from .format import NO_MESSAGES, Fields, Format, Found, arguments_json, json_of, rest_json
from .sources import Source
from .trees import Tree, attachment_at, image_of

PROGRAM = "LibreChat"
CUT_OFF = ("incomplete", "length")
THINKING = re.compile(r":::thinking\n?(.*?):::", re.DOTALL)
"""Reasoning in versions without parts."""
REDUNDANT = ("conversationId", "messageId", "_id", "__v", "user", "updatedAt", "isTemporary", "expiredAt")


def recognizes(source: Source) -> bool:
    """Return whether the file is a conversation with the time of its export."""
    return source.first_keys >= {"conversationId", "exportAt"}


def read(source: Source) -> Iterator[Found]:
    """Yield the conversation of the file."""
    for value in source.values():
        fields = Fields(value)
        title = fields.text("title")
        messages = list(_flat(fields.values("messagesTree") or fields.values("messages")))
        yield (
            _conversation(fields, title, messages, source) if messages else UnreadFile(source.name, NO_MESSAGES, title)
        )


def _flat(messages: list[object]) -> Iterator[tuple[str, Fields]]:
    """Yield all messages, each with the id of its parent in the tree; "" at the top level.

    A tree is as deep as the conversation is long, so this must not recurse.
    """
    pending = [("", value) for value in reversed(messages)]
    while pending:
        parent, value = pending.pop()
        if isinstance(value, dict):
            message = cast("dict[str, Any]", value)
            children = message.pop("children", None)
            if isinstance(children, list):
                name = Fields(message).text("messageId") or parent
                pending += [(name, child) for child in reversed(cast("list[object]", children))]
            yield parent, Fields(message)


def _conversation(
    fields: Fields, title: str, messages: list[tuple[str, Fields]], source: Source
) -> ForeignConversation:
    options = fields.object("options")
    options.skip("title", "endpoint")
    tree = Tree(options.text("promptPrefix"))
    rests: dict[str, Any] = {}
    for above, message in messages:
        parent = message.text("parentMessageId")
        name = tree.add(message.text("messageId"), above or parent, _message(message, source))
        message.skip(*REDUNDANT)
        if rest := message.rest():
            rests[name] = rest
    entries = tree.in_order()
    model, foreign_id = options.text("model"), fields.text("conversationId")
    fields.skip("branches", "recursive")
    return ForeignConversation(
        PROGRAM,
        foreign_id or entries[0].id if entries else foreign_id,
        title,
        entries,
        created_at=next((e.message.at for e in entries if e.message.at), 0.0) or source.modified,
        model=model,
        rest=rest_json(fields.rest() | ({"messages": rests} if rests else {})),
    )


def _message(fields: Fields, source: Source) -> Message:
    is_user = fields.flag("isCreatedByUser")
    if is_user:
        fields.skip("sender")
    text = fields.text("text")
    parts = [part for content in fields.objects("content") for part in _parts(content, source)]
    files = [_file(file, source) for file in fields.objects("files")]
    is_cut = fields.flag("unfinished", "error") or fields.text("finish_reason") in CUT_OFF
    message = Message(
        role=Role.USER if is_user else Role.ASSISTANT,
        parts=(*(parts or _texts(text)), *files),
        at=fields.time("createdAt"),
    )
    if is_user:
        return message
    return replace(message, model=fields.text("model", "sender"), is_interrupted=is_cut)


def _texts(text: str) -> list[Part]:
    """Return the reasoning in a text, then the text without it."""
    thoughts = [Reasoning(thought.strip()) for thought in THINKING.findall(text)]
    visible = THINKING.sub("", text).strip() if thoughts else text
    return [*thoughts, *([Text(visible)] if visible.strip() else [])]


def _parts(content: Fields, source: Source) -> tuple[Part, ...]:
    """Return the parts of one part of a content. Internal fields, such as the agent's id, remain in the rest."""
    kind = content.text("type")
    if kind == "think":
        thought = _value(content, "think")
        return (Reasoning(thought),) if thought else ()
    if kind == "tool_call":
        return _call(content.object("tool_call"))
    if kind == "image_url":
        url = content.text("image_url") or content.object("image_url").text("url")
        return (attachment_at(url),) if url else ()
    if kind == "image_file":
        return (_file(content.object("image_file"), source),)
    text = _value(content, "text") or content.text("error")
    return (Text(text),) if text else ()


def _value(content: Fields, name: str) -> str:
    """Return the text of a field, which may be an object with annotations."""
    return content.text(name) or content.object(name).text("value")


def _call(call: Fields) -> tuple[Part, ...]:
    """Return a call and its result, made by an agent or by an OpenAI assistant."""
    function, code = call.object("function"), call.object("code_interpreter")
    call_id = call.text("id")
    name = call.text("name") or function.text("name") or call.text("type") or "tool"
    arguments = call.value("args") or function.value("arguments") or code.value("input")
    output = call.value("output") or function.value("output") or code.value("outputs")
    result = output if isinstance(output, str) else json_of(output)
    call.skip("type", "progress")
    tool_call = ToolCall(call_id, name, arguments_json(arguments))
    return (tool_call, ToolResult(call_id, name, result)) if output else (tool_call,)


def _file(file: Fields, source: Source) -> Attachment:
    """Return a file: with its extracted text, if there is one; images are on the server or next to the export."""
    path, kind, text = file.text("filepath"), file.text("type"), file.text("text")
    name = file.text("filename") or path.rpartition("/")[2] or "file"
    if text:
        return Attachment(name, kind or "text/plain", text)
    if path.startswith(("data:", "http://", "https://")):
        return attachment_at(path, name)
    return replace(image_of(source.folder, path.rpartition("/")[2] or name), name=name)


FORMAT = Format(PROGRAM, translatable("a conversation that was exported as JSON"), recognizes, read)
