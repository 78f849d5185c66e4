"""`palimpsest import FILE...`: conversations from JSON Lines of OpenAI chat messages."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from msgspec.structs import replace

from desktop_app.archive.store import Store
from desktop_app.chat.ports import ArchiveError
from desktop_app.chat.titles import title_of
from desktop_app.context.view.items import describe_repairs
from desktop_app.context.view.view import count_repairs, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import BadChat, read_chat
from desktop_app.conversation.transcript import Transcript
from desktop_app.paths import database_file

from .arguments import (
    BAD_INPUT,
    WORLD_ERROR,
    add_data_dir,
    add_json,
    cut_to_width,
    data_of,
    print_failure,
    print_json,
    table,
)
from .terminal import show, show_error

Conversation = tuple[ConversationInfo, tuple[Message, ...]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="JSON Lines of OpenAI chat messages")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Import each file that is sound, whole. Exit code 2 when one was not, 1 when the archive cannot be written."""
    conversations = [conversation for file in args.files if (conversation := _read(file)) is not None]
    code = 0 if len(conversations) == len(args.files) else BAD_INPUT
    imported: list[Conversation] = []
    try:
        _store(database_file(data_of(args)), conversations, imported)
    except ArchiveError as error:
        print_failure(error.failure)
        code = WORLD_ERROR
    for info, messages in imported:
        if repaired := describe_repairs(count_repairs(view_of(Transcript(Chain(messages))))):
            show_error(f"palimpsest: “{info.title}”: repaired for the model: {repaired}.")
    if args.json:  # for a program: as many messages as the record has, the system prompt too
        rows = [{"id": info.id, "title": info.title, "messages": len(messages)} for info, messages in imported]
        print_json({"conversations": rows})
    elif imported:
        lines = [(info.id, f"{info.messages:,}", cut_to_width(info.title, 60)) for info, _ in imported]
        show(table([("CONVERSATION", "MESSAGES", "TITLE"), *lines], right=frozenset({1})))
    return code


def _read(file: Path) -> Conversation | None:
    """Return the conversation of a file; None after printing what is wrong with it."""
    try:
        messages = read_chat(file.read_bytes(), lambda _index: uuid4().hex)
    except BadChat as error:
        location = f"{file}, line {error.line}" if error.line else str(file)
        reason = error.reason
    except OSError as error:
        location, reason = str(file), (error.strerror or str(error)).lower()
    else:
        return _conversation(file, messages)
    show_error(f"palimpsest: {location}: {reason.rstrip('.')}. Nothing was imported from this file.")
    return None


def _conversation(file: Path, messages: Sequence[Message]) -> Conversation:
    """Return the conversation of a file. Such files have no times: everything gets the present one."""
    now = time.time()
    first = next((m.text for m in messages if m.role is Role.USER and m.text.strip()), file.stem)
    counted = [message for message in messages if message.is_counted]
    info = ConversationInfo(uuid4().hex, title_of(first), created_at=now, updated_at=now, messages=len(counted))
    return info, tuple(replace(message, at=now) for message in messages)


def _store(archive: Path, conversations: Sequence[Conversation], imported: list[Conversation]) -> None:
    """Store the conversations one by one; each is then appended to `imported`, which is right after a failure too."""
    if conversations:
        with closing(Store(archive)) as store:
            for conversation in conversations:
                store.create(*conversation)
                imported.append(conversation)
