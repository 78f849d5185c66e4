"""An engine whose archive cannot be opened: it refuses, and mends it at the user's word."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop_app.archive.backups import back_up_to_folder
from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import user_message
from desktop_app.engine import protocol as p
from desktop_app.engine.serve import refuse_everything
from desktop_app.paths import backups_folder, database_file
from stores import Store

Answers = list[p.ResponseLine[p.EngineResponse]]


class Lines:
    """Takes what the engine sends."""

    def __init__(self) -> None:
        self.sent: Answers = []

    def send(self, line: p.ResponseLine[p.EngineResponse]) -> None:
        self.sent.append(line)


@pytest.fixture
def damaged(tmp_path: Path) -> tuple[Path, Failure, bytes]:
    """A data folder with a backup and an archive that is damaged beyond saving, why it cannot be opened, and its
    content."""
    archive = database_file(tmp_path)
    store = Store(archive)
    store.create(ConversationInfo("c", "Kept", 1.0, 1.0), [user_message("Hello")])
    store.close()
    back_up_to_folder(archive, backups_folder(tmp_path))
    content = bytearray(archive.read_bytes())
    content[100:4096] = b"\xa5" * 3_996
    archive.write_bytes(content)
    with pytest.raises(ArchiveError) as caught:
        Store(archive)
    return tmp_path, caught.value.failure, bytes(content)


async def answers(data: Path, failure: Failure, *requests: p.AnyRequest) -> Answers:
    reader, lines = asyncio.StreamReader(), Lines()
    for number, request in enumerate(requests):
        reader.feed_data(p.encode_line(p.RequestLine(number, request)))
    reader.feed_eof()
    await refuse_everything(reader, lines, data, failure)
    return lines.sent


async def test_it_says_why_and_restores_a_backup(damaged: tuple[Path, Failure, bytes]) -> None:
    data, failure, content = damaged
    hello, listed, refused = await answers(data, failure, p.Hello(p.VERSION), p.ListBackups(), p.OpenConversation("c"))
    assert hello.failure == refused.failure == failure
    assert failure.kind == p.DAMAGED
    (backup,) = listed.response.backups
    (restored,) = await answers(data, failure, p.RestoreBackup(backup.file))
    assert Path(restored.response.kept).read_bytes() == content
    store = Store(database_file(data))
    assert [info.title for info in store.conversations()] == ["Kept"]
    store.close()


async def test_it_begins_with_an_empty_archive_and_keeps_the_damaged_one(damaged: tuple[Path, Failure, bytes]) -> None:
    data, failure, content = damaged
    begun, ended = await answers(data, failure, p.BeginEmpty(), p.Shutdown(), p.ListBackups())
    assert Path(begun.response.kept).read_bytes() == content
    assert ended.response == p.Done()
    store = Store(database_file(data))
    assert (store.conversations(), store.warning) == ((), None)
    store.close()


async def test_an_archive_that_is_not_damaged_is_never_put_aside(damaged: tuple[Path, Failure, bytes]) -> None:
    data, _, content = damaged
    full = Failure("disk", "The disk is full")
    (answer,) = await answers(data, full, p.BeginEmpty())
    assert answer.failure == full
    assert database_file(data).read_bytes() == content
