"""Histories that are broken on arrival, and what becomes of them in the view."""

from __future__ import annotations

import json

import pytest
import what_must_hold as must
from hypothesis import example, given
from msgspec.structs import replace

from builders import call, model, record, result, sent, system, user, view
from conversations_made_up import Letters, histories
from desktop_app.context.counting.breakdown import item_tokens, request_tokens
from desktop_app.context.counting.tokens import TokenCounts, count_message
from desktop_app.context.view.items import Repair, describe_repairs
from desktop_app.context.view.normalize import BEGINNING, EMPTY, EMPTY_RESULT, INTERJECTED, UNREADABLE
from desktop_app.context.view.view import assemble, count_repairs, view_after, view_of
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text
from desktop_app.conversation.transcript import Compaction, Pin, Transcript, Trigger, Undo
from request_rules import legal_for_all

BLANK = user(" \n", "")
THOUGHT = model(Reasoning("hm"))
APART = user("a", " ", "b")
IMAGE = Attachment("cat.png", "image/png", "data:x")
STOPPED_CALL = [user("a"), model("", call("bash")), result("b"), user("do this instead")]
HISTORIES: dict[str, tuple[list[Message], list[str], dict[Repair, int]]] = {
    "two system messages are one": (
        [system("be kind"), user("a"), model("b"), system("be brief")],
        ["system: be kind\n\nbe brief", "user: a", "assistant: b"],
        {Repair.SECOND_SYSTEM: 1},
    ),
    "neighbours of one role are one": (
        [user("a"), user("b"), model("c"), model("d", call("bash")), result("e")],
        ["user: a\n\nb", "assistant: c\n\nd", "tool: e"],
        {},
    ),
    "a speaker keeps the name when joined to another one": (
        [user("I moved.", speaker="caroline"), user("Where to?", speaker="melanie"), user("Oslo.", speaker="melanie")],
        ["user: I moved.\n\nmelanie:\n\nWhere to?\n\nOslo."],
        {},
    ),
    "a user never speaks directly behind a tool": (
        STOPPED_CALL,
        ["user: a", "assistant: ", "tool: b", f"assistant: {INTERJECTED}", "user: do this instead"],
        {},
    ),
    "the assistant does not begin": (
        [system("s"), model("Hello"), user("a")],
        ["system: s", f"user: {BEGINNING}", "assistant: Hello", "user: a"],
        {Repair.ASSISTANT_FIRST: 1},
    ),
    "nothing is empty": (
        [user(""), THOUGHT, BLANK, model("", call("bash")), result("\n")],
        [f"user: {EMPTY}", f"assistant: {EMPTY}", f"user: {EMPTY}", "assistant: ", f"tool: {EMPTY_RESULT}"],
        {Repair.EMPTY: 3},
    ),
    "a blank text beside others is left out": ([APART], ["user: a\n\nb"], {}),
    "an image of the assistant's is named": (
        [user("draw"), model(IMAGE)],
        ["user: draw", "assistant: [cat.png, an image]"],
        {},
    ),
    "a call of somebody else's is a text": (
        [
            replace(system("s"), parts=(call("bash"),)),
            replace(user("a"), parts=(Text("a"), call("bash"))),
            model("b", call("bash")),
            result("c"),
        ],
        ["system: [bash: {}]", "user: a\n\n[bash: {}]", "assistant: b", "tool: c"],
        {},
    ),
    "images without a word are named": ([user(IMAGE)], ["user: [cat.png]"], {}),
    "a result without an id answers the first call that waits": (
        [user("a"), model("", call("read", call_id="x")), result("r", "")],
        ["user: a", "assistant: ", "tool: r"],
        {},
    ),
}


@pytest.mark.parametrize(("said", "shown", "repairs"), HISTORIES.values(), ids=HISTORIES)
def test_what_no_provider_accepts_is_sent_as_all_do(
    said: list[Message], shown: list[str], repairs: dict[Repair, int]
) -> None:
    assert [f"{role}: {text}" for role, text in sent(view(*said))] == shown
    assert count_repairs(view(*said)) == repairs


def test_two_calls_of_one_id_get_ids_of_their_own_and_their_results_in_order() -> None:
    shown = view(user("a"), model("", call("read"), call("bash")), result("of read"), result("of bash"))
    request = assemble(shown)
    assert [c.call_id for c in request[1].tool_calls] == ["c", "call00002"]
    assert [(m.tool_result.call_id, m.text) for m in request[2:] if m.tool_result] == [
        ("c", "of read"),
        ("call00002", "of bash"),
    ]


def test_an_id_that_is_too_long_is_shortened_with_its_result() -> None:
    shown = view(user("a"), model("", call("read", call_id="x" * 99)), result("r", "x" * 99))
    request = assemble(shown)
    assert request[2].tool_result is not None
    assert request[1].tool_calls[0].call_id == request[2].tool_result.call_id == "call00001"


def test_a_call_that_no_provider_accepts_is_sent_as_one_that_all_do() -> None:
    bad = (call("mcp server.tool/1", '{"path": "a/', "tool:0/1"), call("read", "[1]", "x"), call("read", " ", "y"))
    shown = view(user("a"), model("", *bad), result("1", "tool:0/1"), result("2", "x"), result("3", "y"))
    legal = assemble(shown)[1].tool_calls
    assert [(c.name, json.loads(c.arguments)) for c in legal] == [
        ("mcp_server_tool_1", {UNREADABLE: '{"path": "a/'}),
        ("read", {UNREADABLE: "[1]"}),
        ("read", {}),
    ]
    assert [m.tool_result.call_id for m in assemble(shown)[2:] if m.tool_result] == [c.call_id for c in legal]
    assert count_repairs(shown) == {Repair.BAD_CALL: 1}


def test_the_exact_id_comes_before_the_first_open_call() -> None:
    shown = view(
        user("a"), model("", call("read", call_id="x"), call("bash", call_id="")), result("b", ""), result("r", "x")
    )
    assert not count_repairs(shown)
    assert {m.tool_result.name: m.text for m in assemble(shown) if m.tool_result} == {"read": "r", "bash": "b"}


def test_a_speakers_name_has_the_characters_that_are_allowed() -> None:
    assert assemble(view(user("hi", speaker="Mary Ann")))[0].speaker == "Mary_Ann"
    assert assemble(view(user("hi", speaker="n" * 500)))[0].speaker == "n" * 64


def test_calls_that_were_recorded_one_by_one_are_one_reply() -> None:
    shown = view(
        user("a"),
        model("", call("read", call_id="x")),
        model("", call("bash", call_id="y")),
        result("1", "x"),
        result("2", "y"),
    )
    assert [role for role, _ in sent(shown)] == ["user", "assistant", "tool", "tool"]
    assert [c.call_id for c in assemble(shown)[1].tool_calls] == ["x", "y"]
    assert not count_repairs(shown)


def test_a_summary_is_answered_before_the_user_goes_on() -> None:
    compaction = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1"), summary="S", id="op")
    shown = view(user("a"), model("b"), user("c"), compaction)
    assert [role for role, _ in sent(shown)] == ["user", "assistant", "user"]


@given(histories())
def test_whatever_arrives_the_request_is_legal_for_all_and_so_it_is_message_by_message(messages: list[Message]) -> None:
    entries = list(record(*messages).entries)
    transcript, grown = Transcript(), view()
    for entry in entries:
        transcript = transcript.append(entry)
        grown = view_after(grown, transcript)
    assert assemble(grown) == assemble(view_of(transcript))
    if any(message.role is not Role.SYSTEM for message in messages):
        must.have_none(legal_for_all(must.chat_in(grown)))


@example([system("Be brief."), user("a"), system("Be brief.")])
@example([model("a"), Message(role=Role.ASSISTANT, parts=(), speaker="Mary Ann"), model("")])
@given(histories())
def test_the_items_sum_to_the_assembled_request(messages: list[Message]) -> None:
    shown, counts = view(*messages), TokenCounts(Letters())
    sent_texts = (replace(m, parts=(Text(m.text),)) if m.role is Role.SYSTEM else m for m in assemble(shown))
    whole = sum(count_message(message, Letters()).total for message in sent_texts)
    assert request_tokens(shown, counts) == whole + Letters().overhead.priming
    assert all(item_tokens(item, counts).total >= 0 for item in shown.items)


def test_what_may_not_be_parted_from_a_pin_holds_with_it_when_a_compaction_is_redone() -> None:
    said = [user("a"), model("", call("bash")), result("b"), model("c"), user("d")]
    archived = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1", "m2", "m3"), summary="S", id="op")
    shown = view(*said, archived, Undo(entry_id="op", id="u"), Pin(message_id="m1", id="p"), Undo(entry_id="u", id="v"))
    assert [role for role, _ in sent(shown)] == ["user", "assistant", "tool", "assistant", "user"]
    assert set(shown.statuses) == {"m0", "m3"}
    assert not count_repairs(shown)


def test_what_was_repaired_is_told_in_a_line() -> None:
    shown = view(model("Hello"), user(""), model("", call("bash")), user("never mind"), user(" "))
    assert describe_repairs(count_repairs(shown)) == (
        f"{Repair.EMPTY.value} (2), {Repair.ASSISTANT_FIRST.value} (1), {Repair.MISSING_RESULT.value} (1)"
    )
    assert describe_repairs(count_repairs(view(user("a"), model("b")))) == ""


def test_a_thought_of_its_own_is_the_beginning_of_the_reply_that_follows() -> None:
    """As Codex and opencode write them, each in a message; a thought without an answer still says so."""
    thought, more = (
        Message(role=Role.ASSISTANT, parts=(Reasoning("Hm"),)),
        Message(role=Role.ASSISTANT, parts=(Reasoning("Well"),)),
    )
    messages = [user("a"), thought, more, model("b"), user("c"), model("d"), thought]
    transcript = Transcript()
    grown = view_of(transcript)
    for number, message in enumerate(messages):
        transcript = transcript.append(replace(message, id=f"m{number}"))
        grown = view_after(grown, transcript)
        assert assemble(grown) == assemble(view_of(transcript))
    first, last = [message for message in assemble(grown) if message.role is Role.ASSISTANT]
    assert first.parts == (Reasoning("Hm"), Reasoning("Well"), Text("b"))
    assert last.text == "d\n\n[empty message]"
