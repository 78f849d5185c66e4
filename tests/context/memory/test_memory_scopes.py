"""Where a memory is sent, and where new ones belong."""

from __future__ import annotations

import pytest

from desktop_app.context.memory.memories import Note, changes_of
from desktop_app.conversation.memory import Memory, memories_in

ALL = Memory("all", "Drinks tea.", 1.0, 1.0)
FOLDER = Memory("folder", "Never touch vendor/.", 1.0, 1.0, "c", "rule", scope="folder", folder="/a")
ALONE = Memory("alone", "Uses Postgres.", 1.0, 1.0, "c", "model", scope="conversation")
SHARED = Memory("shared", "Ships on Fridays.", 1.0, 1.0, "c", "model", scope="project", project="p", folder="/a")


@pytest.mark.parametrize(
    ("conversation", "folder", "project", "sent"),
    [
        ("c", "/a", "", "all folder alone"),
        ("c", "/b", "p", "all shared alone"),
        ("d", "/a", "q", "all folder"),
        ("d", "/a/b", "p", "all shared"),
        ("d", "", "", "all"),
        ("", "", "", "all"),
    ],
)
def test_a_memory_is_sent_where_it_belongs(conversation: str, folder: str, project: str, sent: str) -> None:
    assert [
        memory.id for memory in memories_in([ALL, FOLDER, SHARED, ALONE], conversation, folder, project)
    ] == sent.split()


@pytest.mark.parametrize(
    ("folder", "project", "scope"),
    [("/a", "", "folder"), ("", "", "conversation"), ("/a", "p", "project"), ("", "p", "project")],
)
@pytest.mark.parametrize("author", ["model", "rule"])
def test_what_is_found_belongs_to_the_project_or_the_folder_or_the_conversation(
    folder: str, project: str, scope: str, author: str
) -> None:
    notes, where = [Note("The cat is called Mo.")], {"folder": folder, "project": project}
    (saved,) = changes_of([], notes, 1.0, "c", "m", author, **where).saved
    assert (saved.scope, saved.folder, saved.project, saved.conversation) == (scope, folder, project, "c")


def test_what_another_conversation_knows_is_neither_known_nor_replaced_here() -> None:
    name = Memory("n", "The user's name is Ann.", 1.0, 1.0, "c", "model", scope="conversation")
    same = changes_of([name], [Note("The user's name is Ann.")], 2.0, "d", "m", "model")
    assert ([memory.text for memory in same.saved], same.known) == ([name.text], ())
    other = changes_of([name], [Note("The user's name is Bob.", "The user's name is Ann.")], 2.0, "d", "m", "model")
    assert (len(other.saved), other.replaced) == (1, {})
