"""Trees of messages of other programs as records: held against the tree itself, path by path."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import model, system, user
from desktop_app.context.counting.breakdown import usage_in
from desktop_app.context.view.view import view_of
from desktop_app.conversation.branches import FIRST, Branches
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
from desktop_app.conversation.foreign_record import conversation_id, message_ids, new_entries
from desktop_app.conversation.message import (
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    user_message,
)
from desktop_app.conversation.transcript import AnyEntry, Chain, Compaction, Imported, Switch, Transcript
from examples import examples


def tree(*links: tuple[str, str], current: str = "") -> ForeignConversation:
    """A conversation of messages that say their own names: (name, parent)."""
    messages = tuple(
        ForeignMessage(name, parent, user(name, at=float(n + 1))) for n, (name, parent) in enumerate(links)
    )
    return ForeignConversation("Elsewhere", "c1", "A tree", messages, current=current)


def path_in(foreign: ForeignConversation, name: str) -> list[str]:
    """What is said from the first message to that one, by walking up the tree."""
    parents = {entry.id: entry.parent for entry in foreign.entries}
    way: list[str] = []
    while name:
        way.append(name)
        name = parents[name]
    return way[::-1]


def path_of(entries: list[AnyEntry]) -> list[str]:
    return [entry.text for entry in Branches(entries).path() if isinstance(entry, Message)]


def all_paths(entries: list[AnyEntry]) -> set[tuple[str, ...]]:
    """The paths of all branches that end in a message which nothing follows."""
    branches = Branches(entries)
    ends = [e.id for e in entries if isinstance(e, Message) and not branches.followers(e.id)]
    paths: set[tuple[str, ...]] = set()
    for end in ends:
        name = branches.ending_with(end)
        assert name is not None
        paths.add(tuple(path_of([*entries, Switch(branch=name)])))
    return paths


@st.composite
def trees(draw: st.DrawFn) -> ForeignConversation:
    count = draw(st.integers(1, 14))
    links = [(f"m{n}", draw(st.sampled_from(["", *(f"m{k}" for k in range(n))]))) for n in range(count)]
    return tree(*links, current=draw(st.sampled_from([name for name, _ in links])))


@settings(max_examples=examples(200))
@given(trees())
def test_every_path_of_the_tree_is_a_branch_of_the_record(foreign: ForeignConversation) -> None:
    entries = new_entries(foreign, "file.json")
    parents = {entry.parent for entry in foreign.entries}
    leaves = [entry.id for entry in foreign.entries if entry.id not in parents]
    assert all_paths(entries) == {tuple(path_in(foreign, leaf)) for leaf in leaves}
    assert sum(isinstance(entry, Message) for entry in entries) == len(foreign.entries)
    assert len({entry.id for entry in entries}) == len(entries)


@settings(max_examples=examples(200))
@given(trees())
def test_the_branch_that_was_open_is_the_current_one(foreign: ForeignConversation) -> None:
    assert foreign.current in path_of(new_entries(foreign, "file.json"))


@settings(max_examples=examples(200))
@given(trees(), st.integers(0, 14))
def test_a_later_export_adds_what_it_has_more_and_nothing_twice(whole: ForeignConversation, known: int) -> None:
    earlier = ForeignConversation("Elsewhere", "c1", "A tree", whole.entries[:known])
    record = new_entries(earlier, "first.json")
    record += new_entries(whole, "second.json", record)
    parents = {entry.parent for entry in whole.entries}
    leaves = [entry.id for entry in whole.entries if entry.id not in parents]
    assert all_paths(record) == {tuple(path_in(whole, leaf)) for leaf in leaves}
    assert new_entries(whole, "third.json", record) == []
    assert len({entry.id for entry in record}) == len(record)


@settings(max_examples=examples(100))
@given(trees(), trees())
def test_what_the_user_wrote_here_stays_open(foreign: ForeignConversation, later: ForeignConversation) -> None:
    record = new_entries(foreign, "first.json")
    mine = user("mine")
    record.append(Message(id="mine", role=mine.role, parts=mine.parts))
    added = new_entries(
        tree(*[(e.id, e.parent) for e in foreign.entries], ("late", later.entries[0].parent)), "2", record
    )
    assert path_of([*record, *added])[-1] == "mine"


def test_a_message_keeps_its_time_and_one_without_has_that_of_the_one_before() -> None:
    messages = [("a", 5.0), ("b", 0.0), ("c", 9.0)]
    linked = [
        ForeignMessage(name, before, user(name, at=at))
        for (name, at), before in zip(messages, ["", "a", "b"], strict=True)
    ]
    entries = new_entries(ForeignConversation("Elsewhere", "c1", "", tuple(linked)), "file.json")
    assert [entry.at for entry in entries if isinstance(entry, Message)] == [5.0, 5.0, 9.0]


def test_the_record_says_where_it_comes_from() -> None:
    foreign = ForeignConversation("Elsewhere", "c1", "", tree(("a", "")).entries, rest='{"x":1}')
    first = new_entries(foreign, "file.json")[0]
    assert isinstance(first, Imported)
    assert (first.program, first.source_id, first.file, first.rest) == ("Elsewhere", "c1", "file.json", '{"x":1}')


def test_conversations_of_two_programs_are_two() -> None:
    one, other = (ForeignConversation(program, "c1", "", ()) for program in ("Elsewhere", "Nowhere"))
    assert conversation_id(one) != conversation_id(other)


def compacted() -> ForeignConversation:
    entries: tuple[ForeignEntry, ...] = (
        ForeignMessage("system", "", system("be kind")),
        ForeignMessage("a", "system", user("a")),
        ForeignMessage("b", "a", model("b")),
        ForeignCompaction("cut", "b", "They greeted.", at=7.0, tokens_before=150_000),
        ForeignMessage("c", "cut", user("c", at=8.0)),
    )
    return ForeignConversation("Elsewhere", "c1", "", entries)


def test_a_compaction_is_one_here_with_all_that_was_said_before_archived() -> None:
    entries = new_entries(compacted(), "file.jsonl")
    view = view_of(Transcript(Chain(entries)))
    said_now = [item.message.text for item in view.items]
    assert view.summary is not None
    assert view.summary.summary == "They greeted."
    assert said_now[0] == "be kind"
    assert said_now[-1] == "c"
    assert not {"a", "b"} & set(said_now)


def test_a_second_compaction_archives_only_what_came_since_and_is_not_taken_in_twice() -> None:
    first = compacted()
    again = (*first.entries, ForeignCompaction("cut2", "c", "Then more.", at=9.0))
    record = new_entries(first, "file.jsonl")
    record += new_entries(ForeignConversation("Elsewhere", "c1", "", again), "file.jsonl", record)
    compactions = [entry for entry in record if isinstance(entry, Compaction)]
    assert [len(compaction.archived) for compaction in compactions] == [2, 1]


class Sent:
    """The list that an imaginary program sends, changed by each step the way such programs change theirs."""

    def __init__(self) -> None:
        self.entries: list[ForeignEntry] = []
        self.now: list[str] = []

    def say(self) -> None:
        name, before = f"m{len(self.entries)}", self.entries[-1].id if self.entries else ""
        make = user if len(self.entries) % 2 else model
        self.entries.append(ForeignMessage(name, before, make(name)))
        self.now.append(name)

    def compact(self, keeps: list[bool], place: int) -> None:
        """Replace what is not kept by a summary, which comes after `place` kept ones."""
        name, before = f"c{len(self.entries)}", self.entries[-1].id if self.entries else ""
        kept = [each for each, keep in zip(self.now, keeps, strict=False) if keep and each.startswith("m")]
        place = min(place, len(kept))
        follows = kept[place - 1] if place else ""
        self.entries.append(ForeignCompaction(name, before, name, kept=tuple(kept), follows=follows))
        self.now = [*kept[:place], name, *kept[place:]]


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.integers(1, 4), st.lists(st.booleans(), max_size=12), st.integers(0, 3)), max_size=4))
def test_the_view_is_what_the_other_program_would_send(steps: list[tuple[int, list[bool], int]]) -> None:
    sent = Sent()
    for messages, keeps, place in steps:
        for _ in range(messages):
            sent.say()
        sent.compact(keeps, place)
    sent.say()
    whole = ForeignConversation("Elsewhere", "c1", "", tuple(sent.entries))
    items = view_of(Transcript(Chain(new_entries(whole, "file")))).items
    texts = [item.message.text.rpartition("\n")[2] for item in items if item.repair is None]
    assert [text for text in texts if text in {each.id for each in sent.entries}] == sent.now


def test_a_message_that_an_earlier_compaction_archived_can_be_kept_by_a_later_one() -> None:
    again = ForeignCompaction("cut2", "c", "Then more.", at=9.0, kept=("a", "cut"))
    entries = new_entries(ForeignConversation("E", "c1", "", (*compacted().entries, again)), "file.jsonl")
    view = view_of(Transcript(Chain(entries)))
    assert view.summary is not None
    assert view.summary.summary == "They greeted.\n\nThen more."
    assert "a" in [item.message.text for item in view.items]


def talk(turns: list[tuple[int, bool]], *, is_kept_before: bool) -> ForeignConversation:
    """Turns with that many calls, each with a result; some are compacted afterwards, with what was said last kept.

    is_kept_before: whether a kept message is after its compaction, as in programs that write it again.
    """
    entries: list[ForeignEntry] = []

    def add(name: str, message: Message) -> None:
        entries.append(ForeignMessage(name, entries[-1].id if entries else "", message))

    for turn, (calls, is_compacted) in enumerate(turns):
        add(f"q{turn}", user(f"q{turn}"))
        called = tuple(ToolCall(f"{turn}-{n}", "ls", "{}") for n in range(calls))
        add(f"a{turn}", Message(role=Role.ASSISTANT, parts=(Reasoning("Hm"), Text(f"a{turn}"), *called)))
        for call in called:
            add(f"r{call.call_id}", Message(role=Role.TOOL, parts=(ToolResult(call.call_id, "ls", call.call_id),)))
        if is_compacted:
            add(f"k{turn}", user(f"k{turn}"))
            last, before = entries[-1], entries[-2].id
            cut = ForeignCompaction(f"c{turn}", last.id, f"c{turn}", kept=(last.id,))
            if is_kept_before and isinstance(last, ForeignMessage):
                entries[-1:] = [replace(cut, parent=before, kept=()), replace(last, parent=cut.id)]
            else:
                entries.append(cut)
    return ForeignConversation("Elsewhere", "c1", "", tuple(entries))


def sent(record: list[AnyEntry]) -> list[tuple[Role, tuple[Part, ...]]]:
    """What is sent to the model: neighbours of one role are joined."""
    joined: list[tuple[Role, tuple[Part, ...]]] = []
    for item in view_of(Transcript(Chain(record))).items:
        role, parts = item.message.role, item.message.parts
        if joined and joined[-1][0] is role is Role.ASSISTANT:
            joined[-1] = (role, (*joined[-1][1], *parts))
        else:
            joined.append((role, parts))
    return joined


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=4), st.booleans(), st.data())
def test_a_file_that_is_cut_anywhere_and_imported_again_is_as_if_imported_once(
    turns: list[tuple[int, bool]], is_kept_before: bool, data: st.DataObject
) -> None:
    whole = talk(turns, is_kept_before=is_kept_before)
    cut = data.draw(st.integers(1, len(whole.entries)))
    entries = list(whole.entries[:cut])
    last = entries[-1]
    if isinstance(last, ForeignMessage) and last.message.role is Role.ASSISTANT:  # it is being written
        parts = last.message.parts[: data.draw(st.integers(2, len(last.message.parts)))]
        entries[-1] = replace(last, message=replace(last.message, parts=parts))
    if is_kept_before and data.draw(st.booleans()):  # what was kept was written before its compaction
        entries = [e for e in entries if isinstance(e, ForeignMessage)]
        ids = [e.id for e in entries]
        entries = [replace(e, parent=before) for e, before in zip(entries, ["", *ids], strict=False)]
    record = new_entries(replace(whole, entries=tuple(entries)), "first")
    record += new_entries(whole, "second", record)
    assert sent(record) == sent(new_entries(whole, "whole"))
    assert new_entries(whole, "third", record) == []
    assert len({entry.id for entry in record}) == len(record)


def test_the_branch_that_is_open_there_is_open_here_until_the_user_goes_to_another() -> None:
    links = [("a", ""), ("b", "a"), ("c", "b")]
    record = new_entries(tree(*links), "first")
    there = tree(*links, ("d", "a"))
    assert path_of([*record, *new_entries(there, "second", record)]) == ["a", "d"]
    mine = [*record, Switch(branch=FIRST)]
    assert path_of([*mine, *new_entries(there, "second", mine)]) == ["a", "b", "c"]


def test_other_data_is_stored_again_only_where_it_has_changed() -> None:
    def about(rest: str, *links: tuple[str, str]) -> ForeignConversation:
        return replace(tree(*links), rest=rest)

    record = new_entries(about('{"lines":{"a":{"x":1},"b":{"y":2}}}', ("a", "")), "first")
    later = new_entries(about('{"lines":{"a":{"x":1},"b":{"y":3},"c":{"z":[]}}}', ("a", ""), ("b", "a")), "2", record)
    assert [e.rest for e in later if isinstance(e, Imported)] == ['{"lines":{"b":{"y":3},"c":{"z":[]}}}']


def test_our_own_message_type_is_what_is_stored() -> None:
    message = user_message("hello")
    entries = new_entries(ForeignConversation("E", "c", "", (ForeignMessage("a", "", message),)), "f")
    stored = entries[-1]
    assert isinstance(stored, Message)
    assert stored.parts == message.parts


def test_the_messages_by_which_a_conversation_is_known_are_those_that_a_person_counts() -> None:
    instructions = ForeignMessage("s", "", system("Be brief."))
    question = ForeignMessage("q", "s", user("Hello"))
    foreign = ForeignConversation("Elsewhere", "c1", "Brief", (instructions, question))
    assert len(message_ids(foreign)) == foreign.messages == 1


def test_the_usage_that_a_program_writes_down_later_is_stored_once() -> None:
    def answered(usage: Usage | None) -> ForeignConversation:
        reply = Message(role=Role.ASSISTANT, parts=(Text("b"),), model="m", usage=usage)
        return ForeignConversation("E", "c", "", (ForeignMessage("a", "", user("a")), ForeignMessage("b", "a", reply)))

    record = new_entries(answered(None), "first")
    for _ in range(2):
        record += new_entries(answered(Usage(10, 5)), "again", record)
    used = [used.usage for used in map(usage_in, record) if used is not None]
    assert used.count(Usage(10, 5)) == 1
