"""A file of `export --all`, which may be anybody's: what it says that it may do here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.archive.archive import ArchiveThread
from desktop_app.archive.whole_archive import export_whole
from desktop_app.chat.stamp import stamp
from desktop_app.conversation.message import user_message
from desktop_app.conversation.project import NO_FOLDER, Project, RecallScope, effective_recall
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import Permit


async def test_a_file_of_a_whole_archive_allows_nothing_here(talk, tmp_path: Path) -> None:
    _, session = await talk([], messages=[user_message("Hello.")])
    await session.record(stamp(Permit(rule=Rule("*"))))
    await session.record(stamp(Permit(rule=Rule("bash", "rm *", is_allowed=False))))
    export_whole(tmp_path / "0" / "archive.sqlite3", tmp_path / "spills", tmp_path / "all.zip")
    other = await ArchiveThread.open(tmp_path / "other" / "archive.sqlite3")
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
    other = await ArchiveThread.open(tmp_path / "other" / "archive.sqlite3")
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
    other = await ArchiveThread.open(tmp_path / "other" / "archive.sqlite3")
    try:
        await other.import_whole(tmp_path / "spills", tmp_path / "all.zip")
        [project], [info] = await other.projects(), await other.conversations()
    finally:
        await other.close()
    is_narrow = folder.endswith("/work")
    assert project.folder == (folder if is_narrow else "")
    assert info.folder == (folder if is_narrow or folder == NO_FOLDER else "")
