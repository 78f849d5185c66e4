"""Open WebUI's export of one chat or all chats: `history.messages` by their ids, each with its parent.

A user's files, and the images of both roles, are in `files`. Newer versions store a reply's reasoning and tool calls in
`output`; all versions write them as HTML into its text. The envelope is based on an export of 2026, and the two forms
of a reply on programs that read them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
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

from .format import NO_MESSAGES, Fields, Format, Found, arguments_json, json_of, rest_json
from .sources import Source
from .trees import Tree, attachment_at

INTERPRETER = "code_interpreter"
OPENING = re.compile(
    r"""<details\s+type="(reasoning|tool_calls|code_interpreter)"((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*+)\s*>"""
)
CLOSING = "</details>"
ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
SUMMARY = re.compile(r"\A\s*<summary>[^<]*</summary>")
FENCED = re.compile(r"\A\s*```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def parts_of_content(content: str) -> list[Part]:
    """Return the parts in a reply's text: the HTML elements and the text between them."""
    parts: list[Part] = []
    for text, opening, body in _pieces(content):
        parts += _text_parts(text)
        if opening is not None:
            attributes = {a[1]: html.unescape(a[2] or a[3] or "") for a in ATTRIBUTE.finditer(opening[2])}
            inner = html.unescape(SUMMARY.sub("", body))
            parts += list(_element(opening[1], attributes, inner)) or _text_parts(f"{opening[0]}{body}{CLOSING}")
    return parts


def words_of_content(content: str) -> list[str]:
    """Return the words of a reply's text outside the HTML elements."""
    return " ".join(text for text, _, _ in _pieces(content)).split()


def _pieces(content: str) -> Iterator[tuple[str, re.Match[str] | None, str]]:
    """Yield the text before each element, its opening tag and its body; lastly the text after them, None and ""."""
    start = 0
    while (opening := OPENING.search(content, start)) and (end := content.find(CLOSING, opening.end())) >= 0:
        yield content[start : opening.start()], opening, content[opening.end() : end]
        start = end + len(CLOSING)
    yield content[start:], None, ""


def _text_parts(text: str) -> list[Part]:
    return [Text(text.strip())] if text.strip() else []


def _element(kind: str, attributes: dict[str, str], body: str) -> Iterator[Part]:
    """Yield the parts of an element; nothing if its structure is unknown."""
    if kind == "reasoning":
        yield Reasoning("\n".join(re.sub(r"^> ?", "", line) for line in body.strip().splitlines()))
    elif kind == INTERPRETER:
        code = FENCED.search(body)
        yield ToolCall("", INTERPRETER, json_of({"code": code[1] if code else body.strip()}))
        if output := attributes.get("output"):
            yield ToolResult("", INTERPRETER, _as_text(_value(output)))
    elif name := attributes.get("name"):
        call_id, result = attributes.get("id", ""), attributes.get("result") or body.strip()
        yield ToolCall(call_id, name, arguments_json(_value(attributes.get("arguments", ""))))
        if result:
            yield ToolResult(call_id, name, _as_text(_value(result)))
    elif attributes.get("content"):
        yield from _older_calls(Fields({"calls": _value(attributes["content"])}), attributes.get("results", ""))


def _older_calls(fields: Fields, results: str) -> Iterator[Part]:
    """Yield the calls and results of an element in older versions, which contains several calls."""
    names: dict[str, str] = {}
    for call in fields.objects("calls"):
        function, call_id = call.object("function"), call.text("id")
        names[call_id] = function.text("name") or "tool"
        yield ToolCall(call_id, names[call_id], arguments_json(function.value("arguments")))
    for result in Fields({"results": _value(results)}).objects("results"):
        call_id = result.text("tool_call_id")
        yield ToolResult(call_id, names.get(call_id, "tool"), _as_text(result.value("content")))


def _value(text: str) -> Any:
    """Return the value of a JSON text; the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json_of(value)


def parts_of_output(items: Iterable[Fields]) -> list[Part]:
    """Return the parts in an output: items in the format of OpenAI's Responses API, and executed code."""
    parts: list[Part] = []
    names: dict[str, str] = {}
    for item in items:
        kind, call_id = item.text("type"), item.text("call_id", "id")
        item.skip("id", "status", "role", "duration", "started_at", "ended_at", "start_tag", "end_tag", "attributes")
        if kind == "message":
            parts += _text_parts(_text_of(item, "content"))
        elif kind == "reasoning":
            thought = _text_of(item, "content") or _text_of(item, "summary")
            parts += [Reasoning(thought)] if thought else []
        elif kind == "function_call":
            names[call_id] = item.text("name") or "tool"
            parts.append(ToolCall(call_id, names[call_id], arguments_json(item.value("arguments"))))
        elif kind == "function_call_output":
            parts.append(ToolResult(call_id, names.get(call_id, "tool"), _text_of(item, "output")))
        elif kind == f"open_webui:{INTERPRETER}":
            parts.append(ToolCall(call_id, INTERPRETER, json_of({"code": item.text("code")})))
            if output := item.value("output"):
                parts.append(ToolResult(call_id, INTERPRETER, _as_text(output)))
    return parts


def _text_of(item: Fields, name: str) -> str:
    """Return the text of a field: a string, or the joined texts of a list of parts."""
    texts: list[str] = []
    for part in item.objects(name):
        part.skip("type")
        texts.append(part.text("text"))
    return item.text(name) or "\n".join(filter(None, texts))


PROGRAM = "Open WebUI"
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
REDUNDANT = ("id", "childrenIds", "models", "modelIdx", "modelName", "done", "lastSentence")


def recognizes(source: Source) -> bool:
    """Return whether the file contains chats as the server stores them, or one chat without the server's metadata."""
    keys = source.first_keys
    return ("chat" in keys and b'"history"' in source.beginning) or keys >= {"history", "models"}


def read(source: Source) -> Iterator[Found]:
    """Yield the chats of the file."""
    for value in source.values():
        stored = Fields(value)
        chat = stored.object("chat") or stored
        title = stored.text("title") or chat.text("title")
        history = chat.object("history")
        messages = list(history.object("messages").named_objects().items())
        if messages:
            chat.skip("messages")  # repeats the open branch
        else:
            messages = [("", message) for message in chat.objects("messages") if message]
        if messages:
            yield _conversation(stored, chat, title, messages, source)
        else:
            yield UnreadFile(source.name, NO_MESSAGES, title)


def _conversation(
    stored: Fields, chat: Fields, title: str, messages: list[tuple[str, Fields]], source: Source
) -> ForeignConversation:
    tree = Tree(chat.object("params").text("system") or chat.text("system"))
    for name, message in messages:
        tree.add(name or message.text("id"), message.text("parentId"), _message(message))
    entries = tree.in_order()
    created_at = stored.time("created_at") or chat.time("timestamp")
    foreign_id = stored.text("id") or chat.text("id")
    model = next(iter(chat.strings("models")), "")
    current = tree.end_of(chat.object("history").text("currentId"))
    is_pinned, is_put_away, updated_at = stored.flag("pinned"), stored.flag("archived"), stored.time("updated_at")
    chat.skip("title", "id", "timestamp")
    return ForeignConversation(
        PROGRAM,
        foreign_id or f"{title}/{created_at}",
        title,
        entries,
        created_at=created_at or source.modified,
        updated_at=updated_at,
        current=current,
        model=model,
        is_pinned=is_pinned,
        is_put_away=is_put_away,
        rest=rest_json(stored.rest()),
    )


def _message(fields: Fields) -> Message:
    role = ROLES.get(fields.text("role"), Role.ASSISTANT)
    parts = _reply_parts(fields) if role is Role.ASSISTANT else _content_parts(fields)
    files = [_file(file) for file in fields.objects("files")]
    fields.skip(*REDUNDANT)
    message = Message(role=role, parts=(*parts, *files), at=fields.time("timestamp"))
    if role is not Role.ASSISTANT:
        return message
    is_unfinished = fields.value("done") is False or bool(fields.object("error"))
    return replace(message, model=fields.text("model"), usage=_usage(fields), is_interrupted=is_unfinished)


def _reply_parts(fields: Fields) -> list[Part]:
    """Return the parts of a reply: its output, or its text if the user has edited that."""
    content = _content_parts(fields)
    texts = [part.text for part in content if isinstance(part, Text)]
    output = parts_of_output(fields.objects("output"))
    words = " ".join(part.text for part in output if isinstance(part, Text)).split()
    if output and (not texts or words_of_content(" ".join(texts)) == words):
        return [*output, *(part for part in content if not isinstance(part, Text))]
    fields.keep("output")
    error = fields.object("error").text("content")
    if error and not content:
        return [Text(error)]
    return [part for each in content for part in (parts_of_content(each.text) if isinstance(each, Text) else [each])]


def _content_parts(fields: Fields) -> list[Part]:
    """Return the parts of a content, which is a string or a list in OpenAI's format."""
    text = fields.text("content")
    parts: list[Part] = [Text(text)] if text.strip() else []
    for each in fields.objects("content"):
        url, text = each.object("image_url").text("url"), each.text("text")
        each.skip("type")
        parts += [attachment_at(url)] if url else [Text(text)] if text else []
    return parts


def _usage(fields: Fields) -> Usage | None:
    """Return the tokens that the server reported, as OpenAI or Ollama do; older versions store them in `info`."""
    for reported in (fields.object("usage"), fields.object("info")):
        prompt = reported.number("prompt_tokens", "input_tokens", "prompt_eval_count")
        reply = reported.number("completion_tokens", "output_tokens", "eval_count")
        cached = reported.object("prompt_tokens_details").number("cached_tokens")
        if prompt > 0 and reply >= 0:
            return Usage(_tokens(prompt), _tokens(reply), _tokens(cached))
    return None


def _tokens(number: float) -> int:
    return int(number) if 0 <= number < 2**31 else 0


def _file(file: Fields) -> Attachment:
    """Return an image, or a file with its extracted text."""
    stored = file.object("file")
    name = file.text("name") or stored.text("filename") or file.text("title") or file.text("type") or "file"
    kind = stored.object("meta").text("content_type") or file.text("content_type")
    text = stored.object("data").text("content") or file.text("content")
    if text:
        return Attachment(name, "text/plain" if kind.startswith("image/") else kind or "text/plain", text)
    url = file.text("url")
    found = attachment_at(url, name)
    return found if found.content else replace(found, media_type=kind or found.media_type)


FORMAT = Format(PROGRAM, translatable("all chats, or one, exported as JSON"), recognizes, read)
