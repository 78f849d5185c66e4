from __future__ import annotations

from builders import call, model, record, result, sent, system, user, view
from desktop_app.context.view.items import SUMMARY_HEADING, ItemKind, Repair
from desktop_app.context.view.normalize import NO_RESULT, UNDERSTOOD
from desktop_app.context.view.view import assemble, view_of, with_entries
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import (
    BringBack,
    Compaction,
    Pin,
    Prune,
    PrunedResult,
    Rewind,
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
