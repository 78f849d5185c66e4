"""Claude's data export: `conversations.json`, alone or in its zip with the projects beside it.

A list of conversations, each with `chat_messages`. Until 2025 a message has a `text`; since then `content`, blocks in
Anthropic's shape, in which calls and results stand within one message; and since 2026 `parent_message_uuid`, without
which a message follows the one before. The export has the text of files, and of images the names. What extensions save
of the web site's own interface has the same shape, with the model, the project and the end of the open branch. Projects
stand in `projects.json`, or one in each file of `projects/`. Seen in exports of 2024 to 2026; nothing is documented.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Role, Text

from .anthropic_blocks import Turn, called_tools, turns_of
from .fields import Fields, rest_json
from .format import Format, Found
from .sources import BadFile, Source, Sources
from .trees import in_order

PROGRAM = "Claude"
ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}


def recognizes(source: Source) -> bool:
    """Return whether it is conversations with chat messages: a list of them, or one, as browser extensions save it."""
    return "chat_messages" in source.first_keys


def read(source: Source) -> Iterator[Found]:
    """Return the conversations of the list, and say which projects none of them names."""
    projects: dict[str, dict[str, Any]] = {}
    for file in _project_files(source.folder):
        try:
            projects |= {Fields(each).text("uuid"): cast("dict[str, Any]", each) for each in _values(file)}
        except BadFile as error:
            yield UnreadFile(file.name, error.reason)
    named: set[str] = set()
    for value in _values(source):
        fields = Fields(value)
        if not fields.objects("chat_messages"):
            yield UnreadFile(source.name, "it has no messages", fields.text("name"))
            continue
        name = fields.object("project").text("uuid") or fields.text("project_uuid")
        named.add(name)
        yield _conversation(fields, projects.get(name, {}))
    for name, project in projects.items():
        if name not in named and (project.get("docs") or project.get("prompt_template")):
            title = Fields(project).text("name")
            yield UnreadFile(source.name, "no conversation says that it belongs to this project", title)


def _values(source: Source) -> Iterator[object]:
    """Return the elements of a list, or the one object. Raises BadFile."""
    return source.items("item" if source.beginning.lstrip().startswith(b"[") else "")


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
    """Return the messages, the one with which the open branch ends, and what could not be read.

    One of theirs may be several here, each behind the one before; what follows it then follows the last of them.
    """
    said = conversation.objects("chat_messages")
    is_linked = any(each.text("parent_message_uuid") for each in said)
    messages: dict[str, ForeignMessage] = {}
    parents: dict[str, str] = {}
    pieces: dict[str, str] = {}
    ends: dict[str, str] = {}
    unread: list[str] = []
    before = ""
    for number, each in enumerate(said, start=1):
        name, role = each.text("uuid") or f"message {number}", ROLES.get(each.text("sender"))
        if role is None or name in ends:
            unread.append(f"message {number}: " + ("its id is there twice" if role else "it names no known sender"))
            continue
        parents[name] = each.text("parent_message_uuid") if is_linked else before
        before = end = name
        for piece, (spoken_by, parts) in enumerate(_turns(each, role)):
            if piece:
                end, pieces[f"{name}/{piece}"] = f"{name}/{piece}", end
            model = each.text("model") if spoken_by is Role.ASSISTANT else ""
            messages[end] = ForeignMessage(
                end, "", Message(role=spoken_by, parts=parts, at=each.time("created_at"), model=model)
            )
        ends[name] = end
    linked = {name: ends.get(parent, "") for name, parent in parents.items()} | pieces
    return in_order(messages, linked), ends.get(conversation.text("current_leaf_message_uuid"), ""), tuple(unread)


def _turns(message: Fields, role: Role) -> list[Turn]:
    blocks = message.objects("content")
    turns = turns_of(role, blocks, called_tools(blocks))
    text = message.text("text")  # of messages with blocks, the same again
    if text.strip() and not any(isinstance(part, Text) for _, parts in turns for part in parts):
        turns.append((role, (Text(text),)))
    if files := _files(message):
        parts = turns.pop(0)[1] if turns and turns[0][0] is role else ()
        turns.insert(0, (role, (*parts, *files)))
    return turns


def _files(message: Fields) -> list[Attachment]:
    """Return the files of a message: with the text that was in them, else their names."""
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


FORMAT = Format(PROGRAM, "the zip of a data export, or the conversations.json in it", recognizes, read)
