"""Where a memory is sent, and where new ones belong."""

from __future__ import annotations

import pytest

from desktop_app.context.memory.memories import Note, changes_of
from desktop_app.conversation.memory import Memory, memories_in

ALL = Memory("all", "Drinks tea.", 1.0, 1.0)
FOLDER = Memory("folder", "Never touch vendor/.", 1.0, 1.0, "c", "rule", scope="folder", folder="/a")
ALONE = Memory("alone", "Uses Postgres.", 1.0, 1.0, "c", "model", scope="conversation")


@pytest.mark.parametrize(
    ("conversation", "folder", "sent"),
    [
        ("c", "/a", "all folder alone"),
        ("c", "/b", "all alone"),
        ("d", "/a", "all folder"),
        ("d", "/a/b", "all"),
        ("d", "", "all"),
        ("", "", "all"),
    ],
)
def test_a_memory_is_sent_where_it_belongs(conversation: str, folder: str, sent: str) -> None:
    assert [memory.id for memory in memories_in([ALL, FOLDER, ALONE], conversation, folder)] == sent.split()


@pytest.mark.parametrize(("folder", "scope"), [("/a", "folder"), ("", "conversation")])
@pytest.mark.parametrize("author", ["model", "rule"])
def test_what_is_found_belongs_to_the_folder_or_the_conversation(folder: str, scope: str, author: str) -> None:
    (saved,) = changes_of([], [Note("The cat is called Mo.")], 1.0, "c", "m", author, folder=folder).saved
    assert (saved.scope, saved.folder, saved.conversation) == (scope, folder, "c")


def test_what_another_conversation_knows_is_neither_known_nor_replaced_here() -> None:
    name = Memory("n", "The user's name is Ann.", 1.0, 1.0, "c", "model", scope="conversation")
    same = changes_of([name], [Note("The user's name is Ann.")], 2.0, "d", "m", "model")
    assert ([memory.text for memory in same.saved], same.known) == ([name.text], ())
    other = changes_of([name], [Note("The user's name is Bob.", "The user's name is Ann.")], 2.0, "d", "m", "model")
    assert (len(other.saved), other.replaced) == (1, {})
