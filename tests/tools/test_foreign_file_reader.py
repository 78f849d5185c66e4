"""The process that reads other programs' files, on real files, and what an import makes of it in a real archive."""

from __future__ import annotations

import json
import zipfile
from contextlib import aclosing
from pathlib import Path

import pytest

from desktop_app.archive.archive import Archive
from desktop_app.chat.importing import import_conversations, look_through
from desktop_app.conversation.foreign import (
    FoundConversation,
    ImportRequest,
    ReadConversation,
    ReadProgress,
    UnreadFile,
)
from desktop_app.tools.foreign_files import ForeignFileReader

pytestmark = pytest.mark.wire


def node(name: str, parent: str | None, text: str, at: float) -> dict[str, object]:
    role = "user" if name.startswith("q") else "assistant"
    content = {"content_type": "text", "parts": [text]}
    message = {"id": name, "author": {"role": role}, "create_time": at, "content": content, "recipient": "all"}
    return {"id": name, "parent": parent, "children": [], "message": message}


def export(*names: str, size: int = 1) -> str:
    conversations = [
        {
            "title": f"About {name}",
            "conversation_id": name,
            "create_time": 100.0 + index,
            "mapping": {
                "q": node("q", None, f"What is {name}?" * size, 101.0 + index),
                "a": node("a", "q", f"{name} is a word.", 102.0 + index),
            },
            "current_node": "a",
        }
        for index, name in enumerate(names)
    ]
    return json.dumps(conversations)


async def test_what_is_found_comes_frame_by_frame_and_a_wrong_path_is_named(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text(export("tea", "ink"))
    request = ImportRequest((str(tmp_path / "conversations.json"), str(tmp_path / "nowhere.zip")))
    async with aclosing(ForeignFileReader().read(request)) as replies:
        found = [reply async for reply in replies]
    assert [reply.title for reply in found if isinstance(reply, FoundConversation)] == ["About tea", "About ink"]
    assert [reply.file for reply in found if isinstance(reply, UnreadFile)] == [str(tmp_path / "nowhere.zip")]


async def test_any_number_of_conversations_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text(export("tea", "ink"))
    paths = (str(tmp_path / "conversations.json"),)
    async with aclosing(ForeignFileReader().read(ImportRequest(paths))) as replies:
        ids = [reply.id async for reply in replies if isinstance(reply, FoundConversation)]
    wanted = frozenset((ids[0], *(f"{number:032x}" for number in range(10_000))))
    async with aclosing(ForeignFileReader().read(ImportRequest(paths, wanted))) as replies:
        titles = [reply.conversation.title async for reply in replies if isinstance(reply, ReadConversation)]
    assert titles == ["About tea"]


async def test_a_frame_is_as_large_as_its_conversation(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text(export("tea", size=200_000))
    first = ImportRequest((str(tmp_path / "conversations.json"),))
    async with aclosing(ForeignFileReader().read(first)) as replies:
        (found,) = [reply async for reply in replies if isinstance(reply, FoundConversation)]
    whole = ImportRequest(first.paths, frozenset({found.id}))
    async with aclosing(ForeignFileReader().read(whole)) as replies:
        read = [reply async for reply in replies]
    (conversation,) = [reply.conversation for reply in read if isinstance(reply, ReadConversation)]
    assert conversation.entries[0].message.text == "What is tea?" * 200_000  # type: ignore[union-attr]
    assert [reply.bytes for reply in read if isinstance(reply, ReadProgress)]


async def test_a_zip_is_looked_through_and_what_was_chosen_is_imported_once(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations.json", export("tea", "ink", "oak"))
    files, paths = ForeignFileReader(), (str(tmp_path / "export.zip"),)
    store = await Archive.open(tmp_path / "archive.sqlite3")
    offer = await look_through(files, store, paths, lambda *_: None)
    assert [(each.title, each.messages, each.known) for each in offer.found] == [
        ("About oak", 2, 0),
        ("About ink", 2, 0),
        ("About tea", 2, 0),
    ]
    chosen = frozenset({offer.found[0].id, offer.found[2].id})
    outcome = await import_conversations(files, store, paths, chosen, lambda *_: None)
    assert (outcome.conversations, outcome.messages, outcome.newest) == (2, 4, offer.found[0].id)
    assert {info.title for info in await store.conversations()} == {"About oak", "About tea"}
    again = await look_through(files, store, paths, lambda *_: None)
    assert [each.known for each in again.found] == [2, 0, 2]
    assert (await import_conversations(files, store, paths, chosen, lambda *_: None)).messages == 0
    await store.close()
