from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from msgspec.structs import replace

from builders import call, gauge, letters, model, record, result, sent, system, user, view
from conversations_made_up import Letters, histories, long_conversation
from desktop_app.context.counting.breakdown import Tally, gauge_of, request_tokens, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.items import (
    INSTRUCTIONS_HEADING,
    SUMMARY_HEADING,
    Item,
    ItemKind,
    Repair,
    blocks,
    cut_points,
)
from desktop_app.context.view.normalize import NO_RESULT, UNDERSTOOD
from desktop_app.context.view.view import View, assemble, count_repairs, view_after, view_of, with_entries
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Reasoning, Role
from desktop_app.conversation.tools import Rule, ToolSpec
from desktop_app.conversation.transcript import (
    AnyEntry,
    BringBack,
    Chain,
    Compaction,
    Permit,
    Pin,
    Prune,
    PrunedResult,
    Recalled,
    RequestContext,
    Rewind,
    Transcript,
    Trigger,
    Undo,
    Unpin,
)
from texts import RESULT_ALONE

COMPACTED = Compaction(trigger=Trigger.USER, strategy="extractive", archived=("m1", "m2"), summary="They met.", id="op")
PRUNED = Prune(trigger=Trigger.USER, results=(PrunedResult("m2", "soft_trim", "short"),), id="op")


def test_what_was_said_is_sent_in_its_order_with_the_system_prompt_first() -> None:
    shown = view(user("a"), model("b"), system("be kind"), user("c"))
    assert sent(shown) == [("system", "be kind"), ("user", "a"), ("assistant", "b"), ("user", "c")]
    assert shown.last_user_id == "m3"


def test_a_compaction_puts_a_summary_in_place_of_what_it_archives() -> None:
    shown = view(system("s"), user("a"), model("b"), user("c"), COMPACTED)
    assert sent(shown) == [
        ("system", "s"),
        ("user", f"{SUMMARY_HEADING}\n\nThey met."),
        ("assistant", UNDERSTOOD),
        ("user", "c"),
    ]
    assert shown.statuses["m1"].state is MessageState.ARCHIVED
    assert shown.statuses["m1"].operation_id == "op"
    assert shown.items[1].kind is ItemKind.SUMMARY


def test_undo_gives_the_view_back_and_undoing_the_undo_is_redo() -> None:
    said = [system("s"), user("a"), model("b"), user("c")]
    undone = view(*said, COMPACTED, Undo(entry_id="op", id="u"))
    assert sent(undone) == sent(view(*said))
    redone = view(*said, COMPACTED, Undo(entry_id="op", id="u"), Undo(entry_id="u", id="uu"))
    assert sent(redone) == sent(view(*said, COMPACTED))


def test_a_pruned_result_is_sent_short_and_stays_whole_in_the_record() -> None:
    transcript = record(user("a"), model("", call("bash")), result("long " * 50), PRUNED)
    shown = view_of(transcript)
    assert sent(shown)[-1] == ("tool", "short")
    assert shown.items[2].pruned_by == "op"
    assert isinstance(transcript.entries[2], Message)
    assert transcript.entries[2].text == "long " * 50


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    shown = view(user("a"), model("", call("bash", call_id="x")), user("and?"))
    assert sent(shown)[2] == ("tool", NO_RESULT)
    assert shown.items[2].kind is ItemKind.SYNTHETIC
    assert shown.items[2].repair is Repair.MISSING_RESULT
    open_still = view(user("a"), model("", call("bash", call_id="x")))
    assert [c.call.call_id for c in open_still.open_calls] == ["x"]
    assert assemble(open_still)[-1].text == NO_RESULT
    assert len(open_still.items) == 2, "it is closed for the request, not in the view: the result may still come"


def test_a_result_without_a_call_becomes_a_note() -> None:
    shown = view(user("a"), result("who asked?", call_id="nobody", name="read"))
    assert sent(shown) == [("user", f"a\n\n{RESULT_ALONE.format(tool='read')}\nwho asked?")]
    assert shown.items[1].repair is Repair.ORPHAN_RESULT
    assert shown.last_user_id == "m0", "a note is not the user's word"


def test_calls_are_paired_by_place_since_ids_repeat() -> None:
    shown = view(
        user("a"), model("", call("bash")), result("one"), model("", call("bash")), result("two"), result("three")
    )
    one, two = (text for role, text in sent(shown) if role == "tool")
    assert (one, two.split("\n")[0]) == ("one", "two")
    assert two.endswith("three"), "what nobody asked for is told behind the last result"
    ids = [message.tool_calls[0].call_id for message in assemble(shown) if message.tool_calls]
    assert ids == ["c", "call00002"], "providers refuse a call id that repeats"


def test_pins_and_what_is_brought_back() -> None:
    said = [user("a"), model("b"), user("c"), Pin(message_id="m0", id="p")]
    assert view(*said).items[0].is_pinned
    assert not view(*said, Unpin(message_id="m0", id="q")).items[0].is_pinned
    archived = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1"), summary="S", id="op")
    back = view(user("a"), model("b"), user("c"), archived, BringBack(message_ids=("m0",), id="back"))
    assert [text for _, text in sent(back)][1:] == [UNDERSTOOD, "a\n\nc"]
    assert set(back.statuses) == {"m1"}


def test_a_pin_shows_a_pruned_message_word_for_word() -> None:
    said = [user("a"), model("", call("bash")), result("long " * 50), PRUNED, Pin(message_id="m2", id="p")]
    shown = view(*said)
    assert sent(shown)[-1] == ("tool", "long " * 50)
    assert shown.items[2].pruned_by == ""
    assert sent(view(*said, Unpin(message_id="m2", id="q")))[-1] == ("tool", "short")


def test_a_rewind_abandons_what_came_after() -> None:
    shown = view(user("a"), model("b"), user("c"), model("d"), Rewind(first_message_id="m2", id="r"), user("e"))
    assert [text for _, text in sent(shown)] == ["a", "b", "e"]
    assert shown.statuses["m3"].state is MessageState.ABANDONED
    unknown = view(user("a"), Rewind(first_message_id="nobody", id="r"))
    assert sent(unknown) == [("user", "a")]


def test_a_preview_leaves_the_record_alone() -> None:
    transcript = record(system("s"), user("a"), model("b"), user("c"))
    shown = view_of(with_entries(transcript, COMPACTED))
    assert len(transcript.entries) == 4
    assert sent(shown)[1][1].endswith("They met.")


# A message that is appended costs the work of one message, however long the conversation is; memory is shared.


SHORT, LONG = 1_000, 100_000
MAX_RATIO = 3.0
APPENDED, BATCHES = 200, 7
MAX_BYTES = 3_000
"""What an appended message may take in the record, the view, the sums and the counts, beside its own text."""
BUDGET = budget_for(BALANCED, 10_000_000)
MODEL = ModelInfo("m", "M", 10_000_000, 0)


class Open:
    """An open conversation, as the engine holds it. What comes is made beforehand: making it is not measured."""

    def __init__(self, length: int, *, is_compacted: bool) -> None:
        messages = long_conversation(length + APPENDED * (BATCHES + 1))
        self.coming = iter(messages[length:])
        self.counts = TokenCounts(Letters())
        self.transcript = Transcript(Chain(messages[:length]))
        if is_compacted:
            archived = tuple(m.id for m in messages[1 : length // 2])
            self.transcript = self.transcript.append(
                Compaction(id="op", trigger=Trigger.USER, strategy="llm", archived=archived, summary="They met.")
            )
        self.view: View = view_of(self.transcript)
        self.sums: Tally = tally(self.view, self.counts)

    def append(self, message: Message) -> Gauge:
        self.transcript = self.transcript.append(message)
        self.view = view_after(self.view, self.transcript)
        self.sums = tally(self.view, self.counts, self.sums)
        return gauge_of(self.view, self.sums, self.counts, BALANCED, BUDGET, MODEL)

    def seconds_a_message(self) -> float:
        """Of CPU time; the best of several batches, since the machine does other things too."""
        return min(self._batch() for _ in range(BATCHES))

    def _batch(self) -> float:
        messages = [next(self.coming) for _ in range(APPENDED)]
        started = time.process_time()
        for message in messages:
            self.append(message)
        return (time.process_time() - started) / APPENDED


@pytest.mark.slow
@pytest.mark.parametrize("is_compacted", [False, True])
def test_appending_to_a_long_conversation_costs_what_it_costs_in_a_short_one(is_compacted: bool) -> None:
    short = Open(SHORT, is_compacted=is_compacted).seconds_a_message()
    long = Open(LONG, is_compacted=is_compacted).seconds_a_message()
    assert long < MAX_RATIO * short, f"{long * 1e6:.0f} µs a message, and {short * 1e6:.0f} µs in a short one"


def test_the_memory_of_a_message_is_its_own() -> None:
    """Nothing is copied: all earlier views are held here, and share what they have in common."""
    opened = Open(5_000, is_compacted=False)
    messages = [replace(next(opened.coming), id=f"new{n}") for n in range(APPENDED)]
    views: list[tuple[Transcript, View, Tally]] = []
    tracemalloc.start()
    for message in messages:
        opened.append(message)
        views.append((opened.transcript, opened.view, opened.sums))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken / APPENDED < MAX_BYTES, f"{taken / APPENDED:.0f} bytes a message"
    assert len(views[0][1].items) < len(views[-1][1].items)


# Tools and memory in the view: recorded, counted, and the same bytes from request to request.


READ = ToolSpec("read", "Reads a file.", '{"type":"object","properties":{"path":{"type":"string"}}}')
EQUIPPED = RequestContext(id="e", tools=(READ,), memory="The user's name is Ada.")
BASE = record(system("Be brief."), EQUIPPED, user("Hello"), model("Hi"))
RECALLED = Recalled(id="r", for_message_id="u", text="[Earlier: the key is under the mat.]")
ASKED = replace(user("Where is the key?"), id="u")


def test_the_memory_stands_in_the_system_prompt_and_the_gauge_shows_it_and_the_schemas() -> None:
    view, counts = view_of(BASE), letters()
    assert [message.text for message in assemble(view)] == ["Be brief.\n\nThe user's name is Ada.", "Hello", "Hi"]
    assert view.tools == (READ,)
    told = gauge(view, counts)
    assert told.segments[Segment.SCHEMAS] > 10
    assert told.segments[Segment.MEMORY] > 4
    assert sum(told.segments.values()) == told.total == request_tokens(view, counts)


def test_the_instructions_of_the_project_stand_between_the_system_prompt_and_the_memory() -> None:
    context, counts = replace(EQUIPPED, instructions="Answer in French.", project="p"), letters()
    view = view_of(record(system("Be brief."), context, user("Hello"), model("Hi")))
    labelled = f"{INSTRUCTIONS_HEADING}\n\nAnswer in French."
    assert assemble(view)[0].text == f"Be brief.\n\n{labelled}\n\nThe user's name is Ada."
    assert not count_repairs(view)
    told, before = gauge(view, counts), gauge(view_of(BASE), counts)
    sizes = [one.segments[Segment.SYSTEM] + one.segments[Segment.FRAME] for one in (told, before)]
    assert sizes[0] - sizes[1] == told.total - before.total > 10
    assert told.segments[Segment.MEMORY] == before.segments[Segment.MEMORY]
    alone = view_of(record(replace(context, memory=""), user("Hello")))
    assert assemble(alone)[0].text == labelled


def test_undoing_the_newest_context_gives_the_one_before() -> None:
    changed = BASE.append(RequestContext(id="e2", memory="The user's name is Grace."))
    assert view_of(changed).tools == ()
    assert "Grace" in assemble(view_of(changed))[0].text
    assert assemble(view_of(changed.append(Undo(id="x", entry_id="e2")))) == assemble(view_of(BASE))


@pytest.mark.parametrize(
    "steps",
    [[(Permit(id="p", rule=Rule("read")), RECALLED, ASKED)], [(RECALLED,), (ASKED,)], [(ASKED,), (RECALLED,)]],
    ids=["at once", "one by one", "late"],
)
def test_what_was_recalled_stands_before_its_message(steps: list[tuple[AnyEntry, ...]]) -> None:
    transcript, view, counts = BASE, view_of(BASE), letters()
    sums = tally(view, counts)
    for entries in steps:
        transcript = transcript.extend(entries)
        view = view_after(view, transcript)
        sums = tally(view, counts, sums)
    assert assemble(view) == assemble(view_of(transcript))
    assert assemble(view)[:3] == assemble(view_of(BASE)), "what was sent stays as it was"
    assert assemble(view)[3].text == f"{RECALLED.text}\n\nWhere is the key?"
    assert sums.total == tally(view_of(transcript), counts).total == request_tokens(view, counts)


def test_recall_behind_a_stopped_tool_call_is_legal() -> None:
    transcript = BASE.extend((user("Go"), model("", call("read")), result("text"), RECALLED, ASKED))
    roles = [message.role.value for message in assemble(view_of(transcript))]
    assert roles == ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"]


#


def test_a_call_and_its_results_are_one_block() -> None:
    two = model("", call("read", call_id="x"), call("bash", call_id="y"))
    items = list(view(user("a"), two, result("1", "x"), result("2", "y"), user("b")).items)
    assert cut_points(items) == [0, 1, 4, 6], "what was put before the user's word goes with it"
    assert blocks(items) == [range(0, 1), range(1, 4), range(4, 6)]


def test_nothing_has_one_cut_point_and_no_block() -> None:
    assert cut_points([]) == [0]
    assert blocks([]) == []


@given(histories())
def test_whatever_was_said_a_cut_parts_no_pair(messages: list[Message]) -> None:
    items = list(view(*messages).items)
    runs = blocks(items)
    assert [index for run in runs for index in run] == list(range(len(items)))
    for run in runs:
        if items[run.start].message.role is Role.TOOL:
            assert run.start == 0, "a view that begins with a result has no call for it"
        called = sorted(c.call_id for index in run for c in items[index].message.tool_calls)
        results = [items[i].message.tool_result for i in run if items[i].repair is not Repair.ORPHAN_RESULT]
        answered = sorted(result.call_id for result in results if result)
        assert answered == called or run is runs[-1], "only the last block may wait for results"


def test_a_pinned_answer_keeps_its_question() -> None:
    items = list(view(user("q"), model("a"), user("r"), model("b"), Pin(message_id="m3", id="p")).items)
    assert cut_points(items) == [0, 1, 2, 4]


def test_reasoning_that_was_recorded_apart_stays_with_its_calls() -> None:
    thought = model("Let me see.", Reasoning("hm"))
    items = [Item(user("q")), Item(thought), Item(model("", call("bash"))), Item(result("r"))]
    assert cut_points(items) == [0, 1, 4]
