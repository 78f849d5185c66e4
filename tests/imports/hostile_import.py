"""Imports files of somebody who means harm, and tells which effects they had that no import may have."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from damage import check_tree

from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.foreign import FoundConversation, ImportReply, ImportRequest, ReadConversation, UnreadFile
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Chain,
    Compaction,
    Imported,
    Rewind,
    Switch,
    Transcript,
)
from desktop_app.imports.child import replies
from request_rules import legal_for_all
from stores import Store

ENTRIES = (Message, Compaction, Imported, Rewind, Switch, AuxiliaryUsage)
"""All that a file of another program may put into a record: no rule, permission, memory, pin or system prompt."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate")
CALLS = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "urllib.", "ctypes.dlopen")
_allowed: list[tuple[str, ...]] = []
_noted: list[str] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if not _allowed:
        return
    if event.startswith(CALLS):
        _noted.append(f"{event} {arguments!r:.200}")
    elif event == "open" or event in CHANGES:
        path = os.path.abspath(os.fsdecode(arguments[0])) if isinstance(arguments[0], str | bytes) else ""
        is_read = event == "open" and not (arguments[2] or 0) & WRITING
        if path and not path.startswith(_allowed[-1]) and not (is_read and path.startswith(_LIBRARIES)):
            _noted.append(f"{event} {path:.200}")


_LIBRARIES = tuple({sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]), "/usr/", "/proc/self/"})
sys.addaudithook(_note)


@contextmanager
def watched(*folders: Path | str) -> Iterator[list[str]]:
    """Note what this process opens, changes, starts and calls outside of these folders and the one for temporary files
    that it makes itself."""
    _noted.clear()
    own = os.path.join(tempfile.gettempdir(), "palimpsest-")
    _allowed.append((*(str(folder) for folder in folders), own))
    try:
        yield _noted
    finally:
        _allowed.pop()


def all_replies(path: Path, only: frozenset[str] | None = None) -> list[ImportReply]:
    """What the process that reads files answers, as it is sent."""
    encode, decode = msgspec.msgpack.encode, msgspec.msgpack.Decoder(ImportReply).decode
    return [decode(encode(reply)) for reply in replies(ImportRequest((str(path),), only))]


def import_here(path: Path, store: Store) -> tuple[int, int]:
    """Import all of a file into an archive, check what became of it; return how many conversations, and how many
    things that were told to be left out."""
    found = all_replies(path)
    ids = frozenset(each.id for each in found if isinstance(each, FoundConversation))
    read = [each for each in all_replies(path, ids) if isinstance(each, ReadConversation)]
    assert {conversation_id(each.conversation) for each in read} == ids
    for each in read:
        check_tree(each.conversation)
        store.import_conversation(each.conversation, each.file, "")
        check_record(store, conversation_id(each.conversation))
    unread = [each for each in found if isinstance(each, UnreadFile)]
    assert all(each.reason for each in unread)
    return len(read), len(unread)


def check_record(store: Store, conversation: str) -> None:
    """The record of an imported conversation holds what was said and nothing else, and can be sent."""
    entries = store.entries(conversation)
    assert entries, "nothing was stored"
    others = [type(entry).__name__ for entry in entries if not isinstance(entry, ENTRIES)]
    assert others == [], "it sets something here"
    assert len({entry.id for entry in entries}) == len(entries), "an id is there twice"
    assert store.setup(conversation) == ConversationSetup()
    info = next(each for each in store.conversations() if each.id == conversation)
    home = str(Path.home())
    assert not f"{home}/".startswith(f"{os.path.realpath(info.folder).rstrip('/')}/") or info.folder == ""
    assert not info.folder.startswith(("//", "\\\\"))
    assert info.policy == ""
    check_sendable(entries)


def check_sendable(entries: tuple[AnyEntry, ...]) -> None:
    problems = legal_for_all(chat_of(assemble(view_of(Transcript(Chain(list(entries)))))))
    assert not problems, problems


def check_nothing_else(store: Store) -> None:
    """There is no memory, and no project that says more than its name and folder."""
    assert store.memories() == ()
    for project in store.projects():
        assert (project.instructions, project.policy, project.model) == ("", "", "")
        assert project.recall_in != "everything"
