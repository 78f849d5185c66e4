"""Open WebUI's export of all chats, or of one: `history.messages` by their ids, each with its parent.

A user's files and the images of both sides are `files`. What a reply thought and called stands in `output` in newer
versions, and as HTML in its text. The envelope was seen in an export of 2026, the two ways of a reply in programs that
read them.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Part, Role, Text, Usage
from desktop_app.conversation.words import translatable

from .fields import Fields, rest_json
from .format import Format, Found
from .images import attachment_at
from .openwebui_replies import parts_of_content, parts_of_output, words_of_content
from .reasons import NO_MESSAGES
from .sources import Source
from .trees import Tree

PROGRAM = "Open WebUI"
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
SAID_ELSEWHERE = ("id", "childrenIds", "models", "modelIdx", "modelName", "done", "lastSentence")


def recognizes(source: Source) -> bool:
    """Return whether it is chats as the server stores them, or one without what the server knows of it."""
    keys = source.first_keys
    return ("chat" in keys and b'"history"' in source.beginning) or keys >= {"history", "models"}


def read(source: Source) -> Iterator[Found]:
    """Return the chats of the file."""
    for value in source.values():
        stored = Fields(value)
        chat = stored.object("chat") or stored
        title = stored.text("title") or chat.text("title")
        history = chat.object("history")
        messages = list(history.object("messages").named_objects().items())
        if messages:
            chat.skip("messages")  # of the branch that is open
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
    fields.skip(*SAID_ELSEWHERE)
    message = Message(role=role, parts=(*parts, *files), at=fields.time("timestamp"))
    if role is not Role.ASSISTANT:
        return message
    is_unfinished = fields.value("done") is False or bool(fields.object("error"))
    return replace(message, model=fields.text("model"), usage=_usage(fields), is_interrupted=is_unfinished)


def _reply_parts(fields: Fields) -> list[Part]:
    """Return what a reply said: its output, or its text where a user has changed that."""
    content = _content_parts(fields)
    texts = [part.text for part in content if isinstance(part, Text)]
    output = parts_of_output(fields.objects("output"))
    said = " ".join(part.text for part in output if isinstance(part, Text)).split()
    if output and (not texts or words_of_content(" ".join(texts)) == said):
        return [*output, *(part for part in content if not isinstance(part, Text))]
    fields.keep("output")
    error = fields.object("error").text("content")
    if error and not content:
        return [Text(error)]
    return [part for each in content for part in (parts_of_content(each.text) if isinstance(each, Text) else [each])]


def _content_parts(fields: Fields) -> list[Part]:
    """Return a content, which is a text, or a list in OpenAI's shape."""
    text = fields.text("content")
    parts: list[Part] = [Text(text)] if text.strip() else []
    for each in fields.objects("content"):
        url, said = each.object("image_url").text("url"), each.text("text")
        each.skip("type")
        parts += [attachment_at(url)] if url else [Text(said)] if said else []
    return parts


def _usage(fields: Fields) -> Usage | None:
    """Return the tokens that the server reported: OpenAI's, or Ollama's, which older versions call `info`."""
    for given in (fields.object("usage"), fields.object("info")):
        prompt = given.number("prompt_tokens", "input_tokens", "prompt_eval_count")
        reply = given.number("completion_tokens", "output_tokens", "eval_count")
        cached = given.object("prompt_tokens_details").number("cached_tokens")
        if prompt > 0 and reply >= 0:
            return Usage(_tokens(prompt), _tokens(reply), _tokens(cached))
    return None


def _tokens(number: float) -> int:
    return int(number) if 0 <= number < 2**31 else 0


def _file(file: Fields) -> Attachment:
    """Return an image, or a file with the text that was taken out of it."""
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
