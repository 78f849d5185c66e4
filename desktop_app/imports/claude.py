"""Claude's data export: `conversations.json`, alone or in its zip together with the projects.

The file is a list of conversations, each with `chat_messages`. Until 2025, a message has a `text`; since then,
`content`: blocks in Anthropic's format, where one message contains calls and their results. Since 2026, it also has
`parent_message_uuid`; without it, each message follows the previous one. The export contains the text of files, but
only the names of images. Browser extensions save the responses of the web site's API, which have the same structure and
add the model, the project and the end of the open branch. Projects are in `projects.json`, or in one file each in
`projects/`. Based on exports of 2024 to 2026; the format is not documented.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Part, Role, Text
from desktop_app.conversation.words import translatable

from .anthropic_blocks import called_tools, turns_of
from .format import NO_MESSAGES, Fields, Format, Found, bad_message, rest_json
from .sources import BadFile, Source, Sources
from .trees import Tree

PROGRAM = "Claude"
ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
ITS_ID_TWICE, UNKNOWN_SENDER = translatable("its id appears twice"), translatable("it names no known sender")


def recognizes(source: Source) -> bool:
    """Return whether the file has conversations with chat messages: a list, or one as browser extensions save it."""
    return "chat_messages" in source.first_keys


def read(source: Source) -> Iterator[Found]:
    """Yield the conversations of the list, and an `UnreadFile` for each project that none of them names."""
    projects: dict[str, dict[str, Any]] = {}
    for file in _project_files(source.folder):
        try:
            projects |= {Fields(each).text("uuid"): cast("dict[str, Any]", each) for each in file.values()}
        except BadFile as error:
            yield UnreadFile(file.name, error.reason)
    named: set[str] = set()
    for value in source.values():
        fields = Fields(value)
        if not fields.objects("chat_messages"):
            yield UnreadFile(source.name, NO_MESSAGES, fields.text("name"))
            continue
        name = fields.object("project").text("uuid") or fields.text("project_uuid")
        named.add(name)
        yield _conversation(fields, projects.get(name, {}))
    for name, project in projects.items():
        if name not in named and (project.get("docs") or project.get("prompt_template")):
            title = Fields(project).text("name")
            yield UnreadFile(source.name, translatable("no conversation says that it belongs to this project"), title)


def _project_files(folder: Sources) -> Iterator[Source]:
    for file in folder:
        *folders, name = file.name.split("/")
        if (name == "projects.json" or "projects" in folders[-1:]) and "prompt_template" in file.first_keys:
            yield file


def _conversation(fields: Fields, project: dict[str, Any]) -> ForeignConversation:
    title, model, is_pinned = fields.text("name"), fields.text("model"), fields.flag("is_starred")
    created_at, updated_at = fields.time("created_at"), fields.time("updated_at")
    entries, current, unread = _tree(fields)
    section = fields.object("project").text("name") or Fields(project).text("name")
    foreign_id = fields.text("uuid") or f"{title}/{created_at}"
    rest = fields.rest() | ({"project_file": project} if project else {})
    return ForeignConversation(
        PROGRAM,
        foreign_id,
        title,
        entries,
        created_at=created_at,
        updated_at=updated_at,
        current=current,
        model=model,
        section=section,
        is_pinned=is_pinned,
        rest=rest_json(rest),
        unread=unread,
    )


def _tree(conversation: Fields) -> tuple[tuple[ForeignMessage, ...], str, tuple[str, ...]]:
    """Return the messages, the id of the last one of the open branch, and notes on what could not be read."""
    messages = conversation.objects("chat_messages")
    is_linked = any(each.text("parent_message_uuid") for each in messages)
    tree, unread, before = Tree(), list[str](), ""
    for number, each in enumerate(messages, start=1):
        name, role = each.text("uuid") or f"message {number}", ROLES.get(each.text("sender"))
        if role is None or tree.end_of(name):
            unread.append(bad_message(number, ITS_ID_TWICE if role else UNKNOWN_SENDER))
            continue
        model = each.text("model") if role is Role.ASSISTANT else ""
        message = Message(role=role, parts=_parts(each, role), at=each.time("created_at"), model=model)
        before = tree.add(name, each.text("parent_message_uuid") if is_linked else before, message)
    return tree.in_order(), tree.end_of(conversation.text("current_leaf_message_uuid")), tuple(unread)


def _parts(message: Fields, role: Role) -> tuple[Part, ...]:
    """Return the files of a message, then its parts, with tool results in their original positions."""
    blocks = message.objects("content")
    parts = [part for _, parts in turns_of(role, blocks, called_tools(blocks)) for part in parts]
    text = message.text("text")  # repeats the text blocks, if there are any
    if text.strip() and not any(isinstance(part, Text) for part in parts):
        parts.append(Text(text))
    return (*_files(message), *parts)


def _files(message: Fields) -> list[Attachment]:
    """Return the files of a message: with their text if the export has it, otherwise with their names only."""
    found: dict[str, Attachment] = {}
    pasted: list[Attachment] = []
    for each in message.objects("attachments"):
        name, text = each.text("file_name"), each.text("extracted_content")
        if name and not text:
            found[name] = _missing(name)
        elif text:
            pasted.append(Attachment(name or "pasted text", "text/plain", text))
    names = {each.name for each in pasted}
    for each in message.objects("files"):
        if (name := each.text("file_name", "file_uuid")) and name not in names:
            found[name] = _missing(name)
    return [*pasted, *found.values()]


def _missing(name: str) -> Attachment:
    return Attachment(name, "application/octet-stream", "", about="not in the export")


FORMAT = Format(PROGRAM, translatable("the zip of a data export, or the conversations.json in it"), recognizes, read)
