"""ChatGPT's data export: `conversations.json`, alone or in its zip together with images.

The file is a list of conversations, each with a `mapping` of nodes. A node has a message (the root has none), a parent
and children. `current_node` is the last node of the open branch. Newer exports split the list into
`conversations-000.json` and so on. Based on exports of 2023 to 2026; OpenAI does not document the format.

Newer replies mark citations with private-use characters, which `metadata.content_references` resolves: the sources are
its `items`. Until 2024, a mark was a text such as 【3†source】, with its position and page in `metadata.citations`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.words import translatable

from .format import NO_MESSAGES, Fields, Format, Found, arguments_json, json_of, rest_json
from .sources import Source
from .trees import image_of, in_order

MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
MARKS = re.compile("[\ue200-\ue206]")
SEPARATOR = "\ue202"


def with_links(text: str, references: Sequence[Fields]) -> tuple[str, bool]:
    """Return a text with its marks replaced by links, and whether each mark had one; marks without one are removed."""
    known = {
        mark: link for each in references if MARK.match(mark := each.text("matched_text")) and (link := _link(each))
    }
    is_complete = True

    def replacement(found: re.Match[str]) -> str:
        nonlocal is_complete
        text = known.get(found[0]) or _entity(found[1])
        is_complete = is_complete and bool(text)
        return text

    return MARKS.sub("", MARK.sub(replacement, text)), is_complete


def _link(reference: Fields) -> str:
    """Return links to the pages of a reference; its name if it has no page."""
    pages = [page for page in reference.objects("items") if page.text("url")]
    links = [_markdown(page.text("attribution", "title"), page.text("url")) for page in pages]
    if links:
        return f"({', '.join(links)})"
    url = reference.text("url") or next(iter(reference.strings("safe_urls")), "")
    title = reference.text("alt", "title", "name")
    return title if "](" in title or not url else _markdown(title, url)


def _markdown(title: str, url: str) -> str:
    name = " ".join((title or url.partition("://")[2].partition("/")[0]).split())
    return f"[{name.replace('[', '(').replace(']', ')')}]({url.replace(' ', '%20').replace(')', '%29')})"


def _entity(mark: str) -> str:
    """Return the name in an entity mark (`entity`, then a JSON list of its kind and name); "" for other marks."""
    kind, _, payload = mark.partition(SEPARATOR)
    if kind != "entity":
        return ""
    try:
        names = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    return names[1] if isinstance(names, list) and len(names) > 1 and isinstance(names[1], str) else ""


def with_older_links(text: str, citations: Sequence[Fields]) -> str:
    """Return a text with its older marks replaced by links, where the citations' positions match the marks."""
    for each in sorted(citations, key=lambda citation: citation.number("start_ix"), reverse=True):
        start, end = int(each.number("start_ix")), int(each.number("end_ix"))
        page = each.object("metadata")
        url = page.text("url")
        if url and 0 <= start < end <= len(text) and "†" in text[start:end]:
            text = f"{text[:start]} ({_markdown(page.text('title'), url)}){text[end:]}"
    return text


PROGRAM = "ChatGPT"
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
TO_EVERYBODY = ("", "all")
CONTEXTS = ("user_editable_context", "model_editable_context")
"""Content types of custom instructions and memory, which ChatGPT adds to each conversation and does not display."""


def recognizes(source: Source) -> bool:
    """Return whether the file contains conversations with a mapping: a list, or one as browser extensions save it."""
    return "mapping" in source.first_keys


def read(source: Source) -> Iterator[Found]:
    """Yield the conversations of the list."""
    for value in source.values():
        fields = Fields(value)
        title = fields.text("title")
        if not fields.object("mapping"):
            yield UnreadFile(source.name, NO_MESSAGES, title)
        else:
            yield _conversation(fields, title, source)


def _conversation(fields: Fields, title: str, source: Source) -> ForeignConversation:
    nodes = fields.object("mapping").named_objects()
    parents = {name: node.text("parent") for name, node in nodes.items()}
    messages: dict[str, ForeignMessage] = {}
    for name, node in nodes.items():
        node.skip("id", "children")
        message = _message(node.object("message"), source)
        if message is not None:
            messages[name] = ForeignMessage(name, "", message)
    current, model = fields.text("current_node"), fields.text("default_model_slug")
    is_put_away, is_pinned = fields.flag("is_archived"), fields.flag("is_starred")
    created_at, updated_at = fields.time("create_time"), fields.time("update_time")
    foreign_id = fields.text("conversation_id", "id") or f"{title}/{created_at}"
    fields.skip("id")
    return ForeignConversation(
        PROGRAM,
        foreign_id,
        title,
        in_order(messages, parents),
        created_at=created_at,
        updated_at=updated_at,
        current=current,
        model=model,
        is_pinned=is_pinned,
        is_put_away=is_put_away,
        rest=rest_json(fields.rest()),
    )


def _message(fields: Fields, source: Source) -> Message | None:
    """Return the message of a node; None for the root and for hidden messages without content."""
    role = ROLES.get(fields.object("author").text("role"))
    if role is None:
        return None
    if fields.object("content").text("content_type") in CONTEXTS:
        role = Role.SYSTEM
    about = fields.object("metadata")
    parts = (*_cited(_parts(fields, role, source), fields, about), *_files(about, source))
    if not parts:
        return None
    is_finished = fields.text("status") in ("", "finished_successfully", "finished", "finished_partial_completion")
    fields.skip("id")
    return Message(
        role=role,
        parts=parts,
        at=fields.time("create_time"),
        model=about.text("model_slug") if role is Role.ASSISTANT else "",
        is_interrupted=role is Role.ASSISTANT and not is_finished,
    )


def _cited(parts: tuple[Part, ...], fields: Fields, about: Fields) -> Iterator[Part]:
    """Yield the parts with their citations as links; if a citation has none, the original content is kept as well."""
    references, citations = about.objects("content_references"), about.objects("citations")
    for part in parts:
        if not isinstance(part, Text):
            yield part
            continue
        text, is_complete = with_links(with_older_links(part.text, citations), references)
        if not is_complete:
            fields.object("content").keep("parts")
        if text.strip():
            yield Text(text)


def _files(about: Fields, source: Source) -> Iterator[Attachment]:
    """Yield the files attached to a message. Images are skipped: the content also contains them."""
    for file in about.objects("attachments"):
        name, kind, file_id = file.text("name"), file.text("mime_type", "mimeType"), file.text("id")
        if file_id and not kind.startswith("image/"):
            yield replace(image_of(source.folder, file_id), name=name or file_id)


def _parts(fields: Fields, role: Role, source: Source) -> tuple[Part, ...]:
    content, recipient = fields.object("content"), fields.text("recipient")
    kind = content.text("content_type")
    if role is Role.ASSISTANT and recipient not in TO_EVERYBODY:
        arguments = _content_parts(content, source)
        text = "\n".join(part.text for part in arguments if isinstance(part, Text))
        return (ToolCall("", recipient, arguments_json(text)),)
    if role is Role.TOOL:
        results = _content_parts(content, source)
        text = "\n".join(part.text for part in results if isinstance(part, Text))
        images = [part for part in results if isinstance(part, Attachment)]
        return (ToolResult("", fields.object("author").text("name") or "tool", text), *images)
    if kind == "thoughts":
        thoughts = [f"{t.text('summary')}\n\n{t.text('content')}".strip() for t in content.objects("thoughts")]
        return (Reasoning("\n\n".join(thoughts)),) if any(thoughts) else ()
    if kind == "reasoning_recap":
        return ()
    return _content_parts(content, source)


def _content_parts(content: Fields, source: Source) -> tuple[Part, ...]:
    """Return the texts and images of a content of any type."""
    kind = content.text("content_type")
    if kind in ("code", "execution_output", "tether_quote", "tether_browsing_display", "system_error"):
        text = content.text("text", "result")
        return (Text(text),) if text else ()
    if kind in CONTEXTS:
        texts = content.text("user_profile"), content.text("user_instructions"), content.text("model_set_context")
        return tuple(Text(text) for text in texts if text)
    return tuple(part for value in content.values("parts") if (part := _part(value, source)))


def _part(value: object, source: Source) -> Part | None:
    if isinstance(value, str):
        return Text(value) if value else None
    fields = Fields(value)
    pointer = fields.text("asset_pointer") or fields.object("audio_asset_pointer").text("asset_pointer")
    if pointer:
        return image_of(source.folder, pointer.rpartition("/")[2])
    text = fields.text("text")  # the transcription of spoken input
    return Text(text) if text else Attachment(fields.text("content_type") or "part", "application/json", json_of(value))


FORMAT = Format(PROGRAM, translatable("the zip of a data export, or the conversations.json in it"), recognizes, read)
