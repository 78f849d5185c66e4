from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from builders import message
from desktop_app.archive import writing
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignMessage
from desktop_app.conversation.foreign_record import conversation_id, message_ids
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import Compaction, Imported, Trigger
from stores import Store


def said(name: str, parent: str, at: float, role: Role = Role.USER) -> ForeignMessage:
    return ForeignMessage(name, parent, message(role, f"said {name}", at=at))


TRIP = ForeignConversation(
    "Elsewhere",
    "trip",
    "A trip to Lisbon",
    (said("a", "", 100.0), said("b", "a", 101.0, Role.ASSISTANT), said("c", "a", 102.0, Role.ASSISTANT)),
    created_at=99.0,
    section="Travel",
    is_pinned=True,
    current="b",
)


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store(path)
    yield store
    store.close()


def test_a_conversation_stands_in_the_list_as_it_did_there_and_then(store: Store) -> None:
    assert store.import_conversation(TRIP, "export.zip") == 3
    (info,) = store.conversations()
    assert (info.id, info.title, info.is_pinned) == (conversation_id(TRIP), TRIP.title, True)
    assert [(one.id, one.name, one.created_at) for one in store.projects()] == [(info.project, "Travel", 99.0)]
    assert (info.created_at, info.updated_at, info.messages) == (99.0, 102.0, 3)
    assert [result.title for result in store.search("said b")] == [TRIP.title]


def test_a_session_in_a_folder_stands_in_the_project_of_that_folder(store: Store) -> None:
    folders = ["/work/shop/api", "/work/shop/api", "/work/bank/api", str(Path.home())]
    for number, folder in enumerate(folders):
        store.import_conversation(replace(TRIP, id=f"s{number}", section="", folder=folder), "a.jsonl")
    projects = {project.id: project for project in store.projects()}
    assert sorted((one.name, one.folder) for one in projects.values()) == [
        ("api", "/work/shop/api"), ("bank/api", "/work/bank/api"),
    ]  # fmt: skip
    found = [store.conversation(conversation_id(replace(TRIP, id=f"s{number}"))) for number in range(4)]
    assert [projects[info.project].folder for info in found[:3]] == folders[:3]
    assert (found[3].project, found[3].folder) == ("", "")


def test_new_ones_stand_in_the_project_that_is_asked_for(store: Store) -> None:
    store.store_project(Project("p", "Mine"))
    store.import_conversation(TRIP, "export.zip", "p")
    assert ([info.project for info in store.conversations()], len(store.projects())) == (["p"], 1)


def test_importing_twice_stores_nothing_twice(store: Store) -> None:
    store.import_conversation(TRIP, "export.zip")
    before = store.entries(conversation_id(TRIP))
    assert store.import_conversation(TRIP, "again.zip") == 0
    assert store.entries(conversation_id(TRIP)) == before


def test_a_later_export_brings_it_up_to_date_and_keeps_what_the_user_changed(store: Store) -> None:
    store.import_conversation(TRIP, "export.zip")
    store.change(conversation_id(TRIP), title="My trip")
    later = replace(TRIP, title="Renamed there", entries=(*TRIP.entries, said("d", "b", 200.0)))
    assert store.known_messages(message_ids(later)) == 3
    assert store.import_conversation(later, "later.zip") == 1
    (info,) = store.conversations()
    assert (info.title, info.messages, info.updated_at) == ("My trip", 4, 200.0)


def test_one_that_was_deleted_here_is_there_again(store: Store) -> None:
    store.import_conversation(TRIP, "export.zip")
    store.change(conversation_id(TRIP), is_deleted=True)
    assert store.known_messages(message_ids(TRIP)) == 0
    assert store.import_conversation(TRIP, "export.zip") == 0
    assert [info.id for info in store.conversations()] == [conversation_id(TRIP)]


def test_messages_behind_a_compaction_are_archived_and_found(store: Store) -> None:
    cut = ForeignCompaction("cut", "b", "They planned a trip.", at=103.0)
    compacted = replace(TRIP, entries=(TRIP.entries[0], TRIP.entries[1], cut, said("d", "cut", 104.0)), current="d")
    store.import_conversation(compacted, "session.jsonl")
    assert {result.message: result.archived for result in store.search("said")}.values()
    assert [result.archived for result in store.search('"said a"')] == [True]
    assert [result.archived for result in store.search('"said d"')] == [False]


def test_a_branch_that_an_import_opens_brings_its_messages_back(store: Store) -> None:
    store.import_conversation(TRIP, "session.jsonl")
    found = conversation_id(TRIP)
    ids = {entry.text: entry.id for entry in store.entries(found) if isinstance(entry, Message)}
    archived = (ids["said a"], ids["said b"])
    cut = Compaction(
        id="here", at=150.0, trigger=Trigger.USER, strategy="extractive", archived=archived, summary="A trip."
    )
    store.append(found, cut, archived=archived)
    store.import_conversation(replace(TRIP, entries=(*TRIP.entries, said("d", "c", 200.0)), current="d"), "later.jsonl")
    left = {f"said {name}": result.archived for name in "abd" for result in store.search(f'"said {name}"')}
    assert left == {"said a": False, "said b": False, "said d": False}, "the compaction is in the other branch"


def test_what_fails_in_the_middle_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(writing, "_place_in_list", fail)
    with pytest.raises(Exception, match="full"):
        store.import_conversation(TRIP, "export.zip")
    assert store.conversations() == ()


def test_where_it_comes_from_and_what_had_no_place_can_be_seen(store: Store) -> None:
    store.import_conversation(replace(TRIP, rest='{"mood":"sunny"}'), "export.zip")
    (origin,) = [e for e in store.entries(conversation_id(TRIP)) if isinstance(e, Imported)]
    assert (origin.program, origin.file, origin.rest) == ("Elsewhere", "export.zip", '{"mood":"sunny"}')


def test_many_messages_are_asked_for_in_parts(store: Store) -> None:
    links = [said(f"m{n}", f"m{n - 1}" if n else "", float(n + 1)) for n in range(1_201)]
    long = replace(TRIP, id="long", entries=tuple(links), current="")
    store.import_conversation(long, "export.zip")
    assert store.known_messages(message_ids(long)) == 1_201


@pytest.mark.parametrize(
    ("folder", "kept"),
    [
        ("{home}/work", True),
        ("/srv/project", True),
        ("/", False),
        ("{home}", False),
        ("{home}/..", False),
        ("{home}/work/../..", False),
        ("work", False),
    ],
)
def test_a_file_cannot_name_all_that_the_user_has_as_its_folder(store: Store, folder: str, kept: bool) -> None:
    named = folder.format(home=Path.home())
    store.import_conversation(replace(TRIP, folder=named), "session.jsonl")
    (info,) = store.conversations()
    assert info.folder == (named if kept else "")


@pytest.mark.parametrize("folder", ["//evil.example/share", "\\\\evil.example\\share", "/a\0b", "", "a/b", "/", "/.."])
def test_a_folder_that_a_file_may_not_name_is_none(folder: str) -> None:
    assert writing.narrow_folder(folder) == ""
