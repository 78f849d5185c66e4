"""Cherry Studio's backup: `data.json`, alone or in its zip together with attached files in `Data/Files`.

The backup is a copy of a browser's storage. The string `persist:cherry-studio` is JSON whose values are JSON strings;
one of them, `assistants`, has the names of topics. The table `topics` contains the messages, and `message_blocks` their
contents; up to version 3, the messages contain these themselves. Replies with the same `askId` are versions of one
reply. Versions 2 to 5 are based on the source code that writes and upgrades them. From version 6, a backup contains the
browser's database files, which cannot be read here; "Export to phone" still writes version 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
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
from desktop_app.conversation.words import translatable

from .format import NO_MESSAGES, Fields, Format, Found, json_of, rest_json
from .sources import Source, Sources
from .trees import attachment_at, image_of, in_turns

Json = dict[str, Any]


def parts_of(block: Fields, folder: Sources) -> tuple[Part, ...]:
    """Return the parts of a block; () for an unsupported kind, whose fields remain in the rest."""
    kind = block.value("type")
    if kind in ("main_text", "compact"):
        text = block.text("content")
        return (Text(text),) if text else ()
    if kind == "thinking":
        text = block.text("content")
        return (Reasoning(text),) if text else ()
    if kind == "code":
        return (Text(f"```{block.text('language')}\n{block.text('content')}\n```"),)
    if kind == "tool":
        return _call_and_result(block)
    if kind in ("image", "file"):
        return _files(block, folder)
    return ()


def _files(block: Fields, folder: Sources) -> tuple[Part, ...]:
    generated = block.object("metadata").object("generateImageResponse")
    images = [_image(url) for url in [block.text("url"), *generated.strings("images")] if url]
    generated.skip("type")
    file = block.object("file")
    if not file:
        return tuple(images)
    return (*images, _file(file, folder))


def _image(url: str) -> Attachment:
    """Return an image from a data URL, a web address or bare Base64."""
    return attachment_at(url if url.startswith(("data:", "http")) else f"data:image/png;base64,{url}")


def _file(file: Fields, folder: Sources) -> Attachment:
    stored = file.text("id", "name")
    found = image_of(folder, stored) if stored else Attachment("file", "application/octet-stream", "")
    name = file.text("origin_name", "name") or found.name
    file.skip("id", "name", "path", "size", "ext", "type", "created_at", "count")
    return replace(found, name=name)


def blocks_before(fields: Fields) -> Iterator[Json]:
    """Yield the content of a message written before blocks existed as blocks, in the order that upgrades give them."""
    yield {"type": "thinking", "content": fields.text("reasoning_content")}
    about = fields.object("metadata")
    for tool in about.values("mcpTools"):
        yield {"type": "tool", "content": Fields(tool).value("response"), "metadata": {"rawMcpToolResponse": tool}}
    yield {"type": "main_text", "content": fields.text("content")}
    for file in fields.values("files"):
        yield {"type": "file", "file": file}
    yield {"type": "image", "metadata": {"generateImageResponse": about.value("generateImage")}}


def rest_of(block: Fields) -> Json:
    """Return the unread fields of a block, with its type; {} if only bookkeeping fields are left."""
    rest = block.rest()
    for name in ("id", "messageId", "status", "createdAt", "updatedAt", "model"):
        rest.pop(name, None)
    return {"type": block.value("type"), **rest} if rest else {}


def _call_and_result(block: Fields) -> tuple[Part, ...]:
    """Return a tool call and, if the tool has run, its result."""
    raw = Fields(block.object("metadata").value("rawMcpToolResponse"))
    name = block.text("toolName") or raw.object("tool").text("name") or block.text("toolId") or "tool"
    call_id = raw.text("toolCallId", "toolUseId", "id") or block.text("toolId")
    block.skip("toolId")
    arguments = block.value("arguments") or raw.value("arguments") or {}
    call = ToolCall(call_id, name, _as_text(arguments))
    result = block.value("content")
    result = raw.value("response") if result is None else result
    status = raw.text("status")
    if result is None and status not in ("done", "error"):
        return (call,)
    fields = Fields(result)
    texts, images = _content(fields)
    if not texts and not images:
        texts = [_as_text(result) if result else ""]
    is_error = status == "error" or fields.flag("isError")
    return (call, ToolResult(call_id, name, "\n\n".join(texts), is_error=is_error), *images)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json_of(value)


def _content(result: Fields) -> tuple[list[str], list[Attachment]]:
    """Return the texts and images of a tool result in MCP's format."""
    texts: list[str] = []
    images: list[Attachment] = []
    for value in result.values("content"):
        part = Fields(value)
        if part.text("type") == "image" and part.text("data"):
            images.append(_image(f"data:{part.text('mimeType') or 'image/png'};base64,{part.text('data')}"))
        else:
            texts.append(part.text("text") or _as_text(value))
    return texts, images


PROGRAM = "Cherry Studio"
DATABASE_FILES = translatable(
    "it holds database files, which cannot be read; what “Export to phone” in Cherry Studio saves can be"
)
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
SYSTEM = "system"
"""The id of the message with the assistant's and the topic's prompt."""


def recognizes(source: Source) -> bool:
    """Return whether the file is a copy of the browser's storage, or the description of a backup of database files."""
    return source.first_keys >= {"time", "version", "localStorage"} or _is_of_database(source)


def _is_of_database(source: Source) -> bool:
    return source.first_keys >= {"appName", "appVersion", "resources"} and PROGRAM.encode() in source.beginning


def read(source: Source) -> Iterator[Found]:
    """Yield the conversations in the table of topics."""
    if _is_of_database(source):
        yield UnreadFile(source.name, DATABASE_FILES)
        return
    topics = _topics(next(source.items("localStorage.persist:cherry-studio"), ""))
    blocks = {Fields(block).text("id"): block for block in source.items("indexedDB.message_blocks.item")}
    for position, value in enumerate(source.items("indexedDB.topics.item"), start=1):
        fields = Fields(value)
        name = fields.text("id")
        topic, assistant = topics.get(name, (Fields({}), Fields({})))
        conversation = _TopicReader(source, blocks).conversation(name or f"topic {position}", fields, topic, assistant)
        if conversation.messages:
            yield conversation
        elif fields.value("messages") != []:  # not an unused topic
            yield UnreadFile(source.name, NO_MESSAGES, topic.text("name"))


def _topics(stored: object) -> dict[str, tuple[Fields, Fields]]:
    """Return each topic's metadata and its assistant, by the topics' ids."""
    slices = Fields(_decoded(stored))
    assistants = Fields(_decoded(slices.value("assistants")))
    found: dict[str, tuple[Fields, Fields]] = {}
    for assistant in [*assistants.objects("assistants"), assistants.object("defaultAssistant")]:
        for topic in assistant.objects("topics"):
            found.setdefault(topic.text("id"), (topic, assistant))
    return found


def _decoded(value: object) -> object:
    """Return the value that a string of JSON encodes, None for any other string, and other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None  # conversations then have no title, model or section


class _TopicReader:
    """Reads the messages of one topic."""

    def __init__(self, source: Source, blocks: dict[str, object]) -> None:
        self._source = source
        self._blocks = blocks
        self._entries: list[ForeignMessage] = []
        self._names: set[str] = set()
        self._newest = ""
        self._groups: dict[str, str] = {}  # by question, the entry that its replies follow
        self._group = ""  # the question that the newest message replies to
        self._is_chosen = False  # whether the user chose one of these replies
        self._rests: dict[str, Json] = {}
        self._missing = 0

    def conversation(self, name: str, table: Fields, topic: Fields, assistant: Fields) -> ForeignConversation:
        if prompt := "\n".join(filter(None, [assistant.text("prompt"), topic.text("prompt")])):
            self._append(SYSTEM, Message(role=Role.SYSTEM, parts=(Text(prompt),)))
        for position, fields in enumerate(table.objects("messages"), start=1):
            self._read(fields.text("id") or f"message {position}", fields)
        missing = translatable("parts of messages that are not in the backup: {number}").format(number=self._missing)
        topic.skip("id", "assistantId", "messages")
        return ForeignConversation(
            PROGRAM,
            name,
            topic.text("name"),
            tuple(self._entries),
            created_at=topic.time("createdAt"),
            updated_at=topic.time("updatedAt"),
            current=self._newest,
            model=assistant.object("model").text("id"),
            section=assistant.text("name"),
            is_pinned=topic.flag("pinned"),
            rest=rest_json({**topic.rest(), **({"messages": self._rests} if self._rests else {})}),
            unread=(missing,) if self._missing else (),
        )

    def _read(self, name: str, fields: Fields) -> None:
        role = ROLES.get(fields.text("role"))
        blocks = [] if role is None else self._blocks_of(fields)
        parts = tuple(part for block in blocks for part in parts_of(block, self._source.folder))
        if role is not None and parts:
            message = _message(fields, role, parts)
            question = fields.text("askId") if role is Role.ASSISTANT else ""
            self._add(name, message, question, is_chosen=fields.flag("useful"))
            fields.skip("id", "assistantId", "topicId", "foldSelected", "modelId", "enabledMCPs")
        rest = fields.rest()
        if block_rests := [block_rest for block in blocks if (block_rest := rest_of(block))]:
            rest["blocks"] = block_rests
        if rest:
            self._rests[name] = rest

    def _add(self, name: str, message: Message, question: str, *, is_chosen: bool) -> None:
        """Append a message. After several replies to a question, the next message follows the chosen or first one."""
        newest, is_first = self._newest, question not in self._groups
        if question and not is_first:
            self._newest = self._groups[question]
            end = self._append(name, message)
            is_next = self._group == question and is_chosen and not self._is_chosen
            self._newest = end if is_next else newest
            self._is_chosen |= is_next
            return
        if question:
            self._groups[question] = newest
        self._group, self._is_chosen = question, is_chosen
        self._append(name, message)

    def _append(self, name: str, message: Message) -> str:
        turns = in_turns(name, self._newest, message, self._names)
        self._entries += turns
        self._newest = turns[-1].id
        return self._newest

    def _blocks_of(self, fields: Fields) -> list[Fields]:
        if "blocks" not in fields:
            return list(map(Fields, blocks_before(fields)))
        names = fields.values("blocks")
        found = [self._blocks[name] for name in names if isinstance(name, str) and name in self._blocks]
        self._missing += len(names) - len(found)
        return list(map(Fields, found))


def _message(fields: Fields, role: Role, parts: tuple[Part, ...]) -> Message:
    at, status, metrics = fields.time("createdAt"), fields.text("status"), fields.object("metrics")
    if role is not Role.ASSISTANT:
        return Message(role=role, parts=parts, at=at)
    return Message(
        role=role,
        parts=parts,
        at=at,
        model=fields.object("model").text("id") or fields.text("modelId"),
        is_interrupted=status not in ("", "success"),
        usage=_usage(fields.object("usage")),
        seconds=metrics.count("time_completion_millsec") / 1000,
    )


def _usage(fields: Fields) -> Usage | None:
    prompt, reply = fields.count("inputTokens", "prompt_tokens"), fields.count("outputTokens", "completion_tokens")
    cached = fields.count("cachedInputTokens") or fields.object("prompt_tokens_details").count("cached_tokens")
    thought = fields.count("reasoningTokens", "thoughts_tokens")
    fields.skip("total_tokens", "totalTokens")
    return Usage(prompt, reply, cached_tokens=cached, reasoning_tokens=thought) if prompt or reply else None


FORMAT = Format(PROGRAM, translatable("the zip of a backup, or the data.json in it"), recognizes, read)
