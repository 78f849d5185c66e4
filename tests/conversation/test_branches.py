"""Branches, held against the plainest account of them: a list of entries for each, copied at every fork."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.conversation import transcript
from desktop_app.conversation.branches import Branches, entries_before
from desktop_app.conversation.message import user_message
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import (
    AnyEntry,
    BringBack,
    Compaction,
    Continuation,
    Permit,
    Pin,
    Prune,
    PrunedResult,
    Recalled,
    Rewind,
    Switch,
    Trigger,
    Undo,
    active_entries,
    with_new_ids,
)
from examples import examples

STEPS = st.lists(st.tuples(st.sampled_from("mmmmrrsspc"), st.integers(0, 40)), max_size=40)


def entry(kind: AnyEntry, name: str) -> AnyEntry:
    return replace(kind, id=name, at=1.0)


def message(name: str) -> AnyEntry:
    return entry(user_message(name), name)


def compaction(name: str, *archived: str) -> AnyEntry:
    return entry(Compaction(trigger=Trigger.USER, strategy="extractive", archived=archived, summary="…"), name)


class PlainBranches:
    """A whole list for each branch; what follows a message is looked up in all of them."""

    def __init__(self) -> None:
        self.paths: dict[str, list[AnyEntry]] = {"": []}
        self.current, self.used = "", [""]

    def add(self, entry: AnyEntry) -> None:
        if isinstance(entry, Rewind):
            self.paths[entry.id] = entries_before(self.paths[self.current], entry.first_message_id)
        elif not isinstance(entry, Switch):
            self.paths[self.current].append(entry)
            return
        self.current = entry.id if isinstance(entry, Rewind) else entry.branch
        self.used.append(self.current)

    def said(self, name: str) -> list[str]:
        return [e.id for e in self.paths[name] if e.id.startswith("m")]

    def versions(self, message_id: str) -> set[str]:
        pairs = {pair for name in self.paths for pair in zip(["", *self.said(name)], self.said(name), strict=False)}
        before = next(before for before, after in pairs if after == message_id)
        return {after for one, after in pairs if one == before}

    def branch_with(self, message_id: str) -> str:
        return next(name for name in reversed(self.used) if message_id in self.said(name))


@settings(max_examples=examples(300))
@given(STEPS)
def test_branches_are_the_lists_that_a_copy_at_each_fork_gives(steps: list[tuple[str, int]]) -> None:
    branches, plain, names = Branches(), PlainBranches(), [""]
    messages: list[str] = []
    for number, (kind, choice) in enumerate(steps):
        present = plain.said(plain.current)
        match kind:
            case "r" if present:
                step = entry(Rewind(first_message_id=present[choice % len(present)]), f"r{number}")
                names.append(step.id)
            case "s":
                step = entry(Switch(branch=names[choice % len(names)]), f"s{number}")
            case "p" if present:
                step = entry(Pin(message_id=present[choice % len(present)]), f"p{number}")
            case "c" if present:
                step = compaction(f"c{number}", *present[: choice % len(present)])
            case _:
                step = message(f"m{number}")
                messages.append(step.id)
        branches.add(step)
        plain.add(step)
        assert branches.path() == plain.paths[plain.current]
    for name in messages:
        versions = branches.versions(name)
        assert set(versions) == plain.versions(name)
        assert list(versions) == sorted(versions, key=messages.index)
        assert branches.is_current(name) == (name in plain.said(plain.current))
        assert branches.branch_with(name) == plain.branch_with(name)
    said = plain.said(plain.current)
    assert branches.newest == (said[-1] if said else "")


def test_a_branch_keeps_what_was_done_about_the_messages_that_it_shares() -> None:
    kept = [
        compaction("c1", "m1"),
        entry(Pin(message_id="m1"), "p1"),
        entry(BringBack(message_ids=("m1",)), "b1"),
        entry(Prune(trigger=Trigger.USER, results=(PrunedResult("m1", "hard_clear", "…"),)), "x1"),
        entry(Undo(entry_id="c1"), "u1"),
        entry(Permit(rule=Rule("read")), "a1"),
    ]
    gone = [
        entry(Recalled(for_message_id="m3", text="…"), "f1"),
        entry(Prune(trigger=Trigger.USER, results=(PrunedResult("m3", "hard_clear", "…"),)), "x2"),
        entry(Continuation(reply_id="m3"), "t1"),
        compaction("c2", "m2", "m3"),
        entry(Undo(entry_id="c2"), "u2"),
        entry(BringBack(message_ids=("m2", "m3")), "b2"),
        compaction("c3", "m2"),  # its summary goes on from that of c2
    ]
    path = [message("m1"), message("m2"), message("m3"), *kept[:3], *gone, *kept[3:]]
    assert entries_before(path, "m3") == [*path[:2], *kept]


def archived_in(path: list[AnyEntry]) -> set[str]:
    """Return what its compactions hold archived, as the fold of the view does."""
    archived = set[str]()
    for each in active_entries(path):
        if isinstance(each, Compaction):
            archived.update(each.archived)
        elif isinstance(each, BringBack):
            archived.difference_update(each.message_ids)
    return archived


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.sampled_from("mmmccbbu"), st.integers(0, 40), st.integers(1, 3)), max_size=25), st.data())
def test_what_is_brought_back_stays_so_and_was_archived(steps: list[tuple[str, int, int]], draw: st.DataObject) -> None:
    path, said = [message("m0")], ["m0"]
    for number, (kind, choice, count) in enumerate(steps, 1):
        archived, name = archived_in(path), f"{kind}{number}"
        there = [i for i in said if (i in archived) is (kind == "b")]
        chosen = there[choice % len(there) :][:count] if there else []
        if kind == "m":
            said.append(name)
            path.append(message(name))
        elif kind == "c" and chosen:
            path.append(compaction(name, *chosen))
        elif kind == "b" and chosen:
            path.append(entry(BringBack(message_ids=tuple(chosen)), name))
        elif kind == "u" and (done := [e.id for e in active_entries(path) if isinstance(e, Compaction | BringBack)]):
            path.append(entry(Undo(entry_id=done[choice % len(done)]), name))
    shared = entries_before(path, draw.draw(st.sampled_from(said)))
    assert archived_in(shared) <= archived_in(path)
    ever = set[str]()
    for each in shared:
        if isinstance(each, Compaction):
            ever.update(each.archived)
        elif isinstance(each, BringBack):
            assert each.message_ids
            assert ever.issuperset(each.message_ids)


def test_a_switch_to_nowhere_and_a_rewind_to_nothing_change_nothing() -> None:
    said = [message("m1"), message("m2")]
    branches = Branches([*said, entry(Switch(branch="r9"), "s1")])
    assert branches.current == ""
    branches.add(entry(Rewind(first_message_id="m9"), "r1"))
    assert branches.path() == said
    assert branches.branch_with("m9") is None


def test_a_branch_that_is_begun_twice_under_one_id_ends_nowhere_in_a_circle() -> None:
    """As only a damaged archive has it: a branch that left itself would have no beginning."""
    rewind = entry(Rewind(first_message_id="b"), "r")
    branches = Branches([message("a"), message("b"), rewind, message("c"), rewind, message("d")])
    assert [each.id for each in branches.path()] == ["a", "c", "d"]
    assert branches.is_current("d")


NAMES = st.sampled_from(["a", "b", "c", "elsewhere", "", "Other words."])
NEW_IDS = {"a": "new-a", "b": "new-b", "c": "new-c"}
FIELDS_WITH_IDS = {
    *("id", "message_id", "message_ids", "archived", "follows", "continues", "as_of", "before", "for_message_id"),
    *("first_message_id", "branch", "reply_id", "entry_id", "extends"),
}
"""The fields of entries, and of the values in them, that hold ids of entries."""


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return values of a type, each text of which may equal an id."""
    if kind is str:
        return NAMES
    if get_origin(kind) is tuple:
        return st.lists(values_of(get_args(kind)[0]), max_size=3).map(tuple)
    if get_origin(kind) in (Union, UnionType):
        return st.one_of(*map(values_of, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = get_type_hints(kind)
        return st.builds(kind, **{name: values_of(hints[name]) for name in kind.__struct_fields__})
    return st.from_type(kind)


def texts_of(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text in a value with the name of its field."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from texts_of(getattr(value, name), name)
    elif isinstance(value, tuple):
        for element in value:
            yield from texts_of(element, field)
    elif isinstance(value, str):
        yield field, value


def structs_in(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """Yield the struct types that a value of a type may consist of, subclasses included."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
        kinds = (*get_type_hints(kind).values(), *kind.__subclasses__())
    else:
        kinds = get_args(kind)
    for part in kinds:
        yield from structs_in(part)


def test_every_type_with_ids_is_known_to_the_copying() -> None:
    types = {kind for entry in get_args(AnyEntry) for kind in structs_in(entry)}
    missing = {
        (kind.__name__, name)
        for kind in types
        for name in FIELDS_WITH_IDS.intersection(kind.__struct_fields__) - {"id"}
        if name not in transcript.FIELDS_WITH_IDS.get(kind, ())
    }
    assert not missing


@settings(max_examples=examples(400))
@given(st.one_of(*map(values_of, get_args(AnyEntry))))
def test_a_copied_entry_refers_to_copies_and_every_other_text_is_the_same(entry: AnyEntry) -> None:
    copied = with_new_ids(entry, NEW_IDS)
    assert type(copied) is type(entry)
    for (field, before), (_, after) in zip(texts_of(entry), texts_of(copied), strict=True):
        assert after == (NEW_IDS.get(before, before) if field in FIELDS_WITH_IDS else before)
