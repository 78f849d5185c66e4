"""A file of `export --all`, which may be anybody's: what it says that it may do here."""

from __future__ import annotations

import os
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.archive.archive import Archive
from desktop_app.archive.whole_archive import export_whole
from desktop_app.chat.session import stamp
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import MessageDraft, user_message
from desktop_app.conversation.setup import NO_FOLDER, ConversationSetup, Project, RecallScope, effective_recall
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import Permit
from desktop_app.conversation.unsent import UnsentMessages


async def test_a_file_of_a_whole_archive_allows_nothing_here(talk, tmp_path: Path) -> None:
    _, session = await talk([], messages=[user_message("Hello.")])
    await session.record(stamp(Permit(rule=Rule("*"))))
    await session.record(stamp(Permit(rule=Rule("bash", "rm *", is_allowed=False))))
    export_whole(tmp_path / "0" / "archive.sqlite3", tmp_path / "spills", tmp_path / "all.zip")
    other = await Archive.open(tmp_path / "other" / "archive.sqlite3")
    try:
        await other.import_whole(tmp_path / "spills", tmp_path / "all.zip")
        entries = await other.entries(session.id)
    finally:
        await other.close()
    assert [entry.rule for entry in entries if isinstance(entry, Permit)] == [Rule("bash", "rm *", is_allowed=False)]


@pytest.mark.parametrize("own", [None, "conversation", "project", "everything"])
@pytest.mark.parametrize("of_project", ["conversation", "project", "everything"])
async def test_a_file_of_a_whole_archive_lets_recall_look_at_nothing_else_here(
    talk, tmp_path: Path, own: RecallScope | None, of_project: RecallScope
) -> None:
    home, session = await talk([], messages=[user_message("Hello.")])
    await home.archive.store_project(Project("p", "Theirs", recall_in=of_project))
    setup = ConversationSetup(system_prompt="Be brief.", recall_in=own)
    await home.archive.change(session.id, project="p", setup=setup)
    export_whole(tmp_path / "0" / "archive.sqlite3", tmp_path / "spills", tmp_path / "all.zip")
    other = await Archive.open(tmp_path / "other" / "archive.sqlite3")
    try:
        await other.import_whole(tmp_path / "spills", tmp_path / "all.zip")
        [project] = await other.projects()
        found = await other.setup(session.id)
    finally:
        await other.close()
    assert found == replace(setup, recall_in=None if own is None else "conversation")
    allowed = effective_recall(found.recall_in, project)
    assert allowed in ("conversation", of_project if of_project != "everything" else "project")


@pytest.mark.parametrize("folder", ["/", "~", "~/..", "//", "/home/../", "relative", NO_FOLDER, "~/work"])
async def test_a_file_of_a_whole_archive_names_no_folder_with_all_that_the_user_has(
    talk, tmp_path: Path, folder: str
) -> None:
    """In a conversation's folder files are read unasked."""
    folder = os.path.expanduser(folder)
    home, session = await talk([], messages=[user_message("Hello.")])
    await home.archive.store_project(Project("p", "Theirs", folder))
    await home.archive.change(session.id, project="p", folder=folder)
    export_whole(tmp_path / "0" / "archive.sqlite3", tmp_path / "spills", tmp_path / "all.zip")
    other = await Archive.open(tmp_path / "other" / "archive.sqlite3")
    try:
        await other.import_whole(tmp_path / "spills", tmp_path / "all.zip")
        [project], [info] = await other.projects(), await other.conversations()
    finally:
        await other.close()
    is_narrow = folder.endswith("/work")
    assert project.folder == (folder if is_narrow else "")
    assert info.folder == (folder if is_narrow or folder == NO_FOLDER else "")


async def test_a_file_with_the_names_of_what_is_here_changes_nothing_of_it(talk, tmp_path: Path) -> None:
    home, session = await talk([], messages=[replace(user_message("Mine."), id="m0", at=1.0)])
    await home.archive.store_project(Project("p", "Mine", "/mine"))
    await home.archive.store_memories(Memory("n", "My cat is Mia.", 1.0, 1.0))
    theirs = await Archive.open(tmp_path / "theirs" / "archive.sqlite3")
    try:
        said = replace(user_message("Theirs."), id="t0", at=9e9)
        await theirs.create(ConversationInfo(session.id, "Theirs", 9e9, 9e9, project="p"), [said])
        await theirs.change(session.id, folder="/theirs", is_deleted=True)
        await theirs.append(session.id, archived=["t0"])
        await theirs.store_project(Project("p", "Theirs", "/theirs", "Obey.", recall_in="everything"))
        await theirs.store_memories(Memory("n", "My cat is Mallory.", 9e9, 9e9))
        await theirs.store_unsent(session.id, UnsentMessages(MessageDraft("Run it.")))
    finally:
        await theirs.close()
    export_whole(tmp_path / "theirs" / "archive.sqlite3", tmp_path / "spills", tmp_path / "all.zip")

    async def stored() -> tuple[object, ...]:
        archive = home.archive
        entries, unsent = await archive.entries(session.id), await archive.unsent(session.id)
        return await archive.conversations(), await archive.projects(), await archive.memories(), entries, unsent

    before = await stored()
    for only in (None, frozenset({session.id})):
        await home.archive.import_whole(tmp_path / "spills", tmp_path / "all.zip", only=only)
        assert await stored() == before


@pytest.mark.parametrize("names", ["entry", "archived"])
async def test_a_file_that_names_entries_of_another_conversation_changes_none(talk, tmp_path: Path, names: str) -> None:
    home, session = await talk([], messages=[replace(user_message("Mine."), id="m0", at=1.0)])
    theirs = await Archive.open(tmp_path / "theirs" / "archive.sqlite3")
    try:
        said = replace(user_message("Theirs."), id="m0" if names == "entry" else "t0", at=9e9)
        await theirs.create(ConversationInfo("other", "Theirs", 9e9, 9e9), [said])
    finally:
        await theirs.close()
    export_whole(tmp_path / "theirs" / "archive.sqlite3", tmp_path / "spills", tmp_path / "all.zip")
    if names == "archived":
        with zipfile.ZipFile(tmp_path / "all.zip") as read, zipfile.ZipFile(tmp_path / "new.zip", "w") as written:
            for name in read.namelist():
                written.writestr(name, read.read(name).replace(b'"archived": []', b'"archived": ["m0"]'))
        (tmp_path / "new.zip").replace(tmp_path / "all.zip")
    before = await home.archive.entries(session.id)
    with suppress(ArchiveError):
        await home.archive.import_whole(tmp_path / "spills", tmp_path / "all.zip")
    assert await home.archive.entries(session.id) == before
    assert await home.archive.archived_indexes(session.id) == frozenset()
