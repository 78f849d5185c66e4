"""Results that stand late, before their call, behind another message, or twice: they come to their calls."""

from __future__ import annotations

import itertools

import pytest
import what_must_hold as must
from hypothesis import given
from hypothesis import strategies as st

from builders import call, model, record, result, sent, user, view
from desktop_app.context.view.items import ItemKind, Repair
from desktop_app.context.view.normalize import INTERJECTED, NO_RESULT
from desktop_app.context.view.pairing import arrange_results, is_placeholder
from desktop_app.context.view.view import assemble, count_repairs, unanswered_ids, view_after, view_of
from desktop_app.conversation.message import Message, Reasoning, Role
from desktop_app.conversation.transcript import Compaction, Prune, PrunedResult, Transcript, Trigger
from request_rules import legal_for_all

A, B = call("read", call_id="a"), call("bash", call_id="b")
ASKED, OF_A, OF_B = [user("q")], result("of a", "a"), result("of b", "b")
CASES: dict[str, tuple[list[Message], list[str]]] = {
    "behind a message of the user's": (
        [*ASKED, model("", A), user("Hurry."), OF_A, model("Done.")],
        ["user: q", "assistant: ", "tool: of a", f"assistant: {INTERJECTED}", "user: Hurry.", "assistant: Done."],
    ),
    "one of two late": (
        [*ASKED, model("", A, B), OF_A, user("Hurry."), OF_B],
        ["user: q", "assistant: ", "tool: of a", "tool: of b", f"assistant: {INTERJECTED}", "user: Hurry."],
    ),
    "behind a reply": (
        [*ASKED, model("", A, B), OF_A, model("I wait."), OF_B],
        ["user: q", "assistant: ", "tool: of a", "tool: of b", "assistant: I wait."],
    ),
    "before its call": ([*ASKED, OF_A, model("", A)], ["user: q", "assistant: ", "tool: of a"]),
    "long before it": (
        [*ASKED, OF_A, model("Yes?"), user("Read."), model("", A)],
        ["user: q", "assistant: Yes?", "user: Read.", "assistant: ", "tool: of a"],
    ),
    "words that there is none, and then the real one": (
        [*ASKED, model("", A), result("[interrupted]", "a"), OF_A],
        ["user: q", "assistant: ", "tool: of a"],
    ),
    "the real one, and then such words": (
        [*ASKED, model("", A), OF_A, result("[Request interrupted by user]", "a")],
        ["user: q", "assistant: ", "tool: of a"],
    ),
    "the real one behind a message": (
        [*ASKED, model("", A), result(NO_RESULT, "a"), user("Hurry."), OF_A],
        ["user: q", "assistant: ", "tool: of a", f"assistant: {INTERJECTED}", "user: Hurry."],
    ),
    "two that say something": (
        [*ASKED, model("", A), OF_A, user("Hurry."), result("and more", "a")],
        ["user: q", "assistant: ", "tool: of a\n\nand more", f"assistant: {INTERJECTED}", "user: Hurry."],
    ),
    "without an id": (
        [*ASKED, model("", A), user("Hurry."), result("of a", "")],
        ["user: q", "assistant: ", "tool: of a", f"assistant: {INTERJECTED}", "user: Hurry."],
    ),
    "an id that repeats": (
        [*ASKED, model("", A), OF_A, model("", A), user("Hurry."), result("of the second", "a")],
        [
            *("user: q", "assistant: ", "tool: of a", "assistant: ", "tool: of the second"),
            *(f"assistant: {INTERJECTED}", "user: Hurry."),
        ],
    ),
    "behind nobody's": (
        [*ASKED, model("", A), result("of z", "z"), OF_A, model("Done.")],
        [
            *("user: q", "assistant: "),
            "tool: of a\n\n[Result of bash, whose call is not in this conversation]\nof z",
            "assistant: Done.",
        ],
    ),
    "nobody's stays where it is": (
        [*ASKED, model("", A), OF_A, model("Done."), result("of z", "z")],
        [
            *("user: q", "assistant: ", "tool: of a", "assistant: Done."),
            "user: [Result of bash, whose call is not in this conversation]\nof z",
        ],
    ),
}


@pytest.mark.parametrize(("said", "shown"), CASES.values(), ids=CASES)
def test_each_result_is_sent_behind_its_call(said: list[Message], shown: list[str]) -> None:
    assert [f"{role}: {text}" for role, text in sent(view(*said))] == shown
    assert not legal_for_all(must.chat_in(view(*said)))


@st.composite
def scattered(draw: st.DrawFn) -> tuple[list[Message], dict[str, str]]:
    """A conversation with its results anywhere, and the text of each by its call's id."""
    texts, said, results = dict[str, str](), list[Message](), list[Message]()
    for number in range(draw(st.integers(1, 5))):
        said.append(user(f"question {number}"))
        ids = [f"c{number}_{index}" for index in range(draw(st.integers(0, 3)))]
        if ids:
            said.append(model("", *(call("read", call_id=one) for one in ids)))
        for one in ids[: draw(st.integers(0, len(ids)))]:
            texts[one] = f"what {one} says"
            results.append(result(texts[one], one, "read"))
        if draw(st.booleans()):
            said.append(model(f"answer {number}"))
    lost = [result(f"nobody asked for {n}", f"lost{n}", "read") for n in range(draw(st.integers(0, 2)))]
    for message in (*results, *lost):
        said.insert(draw(st.integers(0, len(said))), message)
    return said, texts


@given(scattered())
def test_whatever_the_order_each_is_there_once_directly_behind_its_call(
    drawn: tuple[list[Message], dict[str, str]],
) -> None:
    said, texts = drawn
    transcript, grown = Transcript(), view()
    for entry in record(*said).entries:
        transcript = transcript.append(entry)
        grown = view_after(grown, transcript)
    assert assemble(grown) == assemble(view_of(transcript)), "as it grows, so it is folded"
    request = assemble(grown)
    assert not legal_for_all(must.chat_in(grown))
    answers = [m.tool_result for m in request if m.tool_result is not None]
    assert {r.call_id: r.text for r in answers if r.text != NO_RESULT} == texts
    calls = [c.call_id for m in request for c in m.tool_calls]
    assert sorted(r.call_id for r in answers) == sorted(calls), "one for each call"
    others = [m.text for m in said if m.role is Role.USER]
    joined = "\n\n".join(m.text for m in request if m.role is Role.USER)
    assert [joined.count(text) for text in others] == [1] * len(others)
    shown = [item.message.id for item in grown.items if item.kind is ItemKind.MESSAGE]
    assert sorted(shown) == sorted(entry.id for entry in transcript.entries), "each message of the record once"


def test_what_is_in_place_costs_no_new_order() -> None:
    said = [*ASKED, model("", A, B), OF_B, OF_A, model("Done."), model("", A), OF_A]
    assert arrange_results(said).messages is said


def test_what_was_moved_is_told() -> None:
    late = view(*ASKED, model("", A), user("Hurry."), OF_A, model("Done."))
    assert count_repairs(late) == {Repair.MOVED_RESULT: 1}
    twice = view(*ASKED, model("", A), result("[interrupted]", "a"), OF_A)
    assert count_repairs(twice) == {Repair.RESULT_AGAIN: 1}


def test_a_late_one_is_unanswered_though_it_is_sent_before_a_reply() -> None:
    late = view(*ASKED, model("", A, B), OF_A, model("I wait."), OF_B)
    assert unanswered_ids(late) == {"m4"}


def test_a_pair_leaves_together_and_a_prune_finds_its_result() -> None:
    said = [*ASKED, model("", A), user("Hurry."), OF_A, model("Done."), user("Next.")]
    pruned = Prune(id="p", trigger=Trigger.USER, results=(PrunedResult("m3", "x", "shorter"),))
    assert ("tool", "shorter") in sent(view(*said, pruned))
    gone = Compaction(id="c", trigger=Trigger.USER, strategy="x", archived=("m0", "m1", "m3"), summary="S")
    assert [role for role, _ in sent(view(*said, gone))] == ["user", "assistant", "user", "assistant", "user"]


def test_thoughts_between_calls_keep_their_order() -> None:
    first = model(Reasoning("one"), A)
    second = model(Reasoning("two"), B)
    ((_, reply, *_),) = [assemble(view(*ASKED, first, second, OF_B, user("Hurry."), OF_A))]
    assert [type(part).__name__ for part in reply.parts] == ["Reasoning", "ToolCall", "Reasoning", "ToolCall"]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("", True),
        ("[interrupted]", True),
        (NO_RESULT, True),
        ("[Stopped before it ended; it may have had effects.]", True),
        ("(no output)", True),
        ("Tool execution was aborted by the user.", True),
        ("<tool result missing>", True),
        ("one.txt two.txt", False),
        ("[1, 2, 3]", False),
        ("The build ended with 3 errors.", False),
        ("line 1: interrupted\nline 2", False),
        ("The stream was interrupted: " + "x" * 300, False),
    ],
)
def test_what_is_no_result_but_words_for_none(text: str, is_one: bool) -> None:
    assert is_placeholder(text) is is_one


def test_many_that_are_out_of_place_are_paired_in_time() -> None:
    numbers = range(3_000)
    results = [result(f"of {n}", "same") for n in numbers]
    asked = itertools.chain.from_iterable((model("", call("read", call_id="same")), user(str(n))) for n in numbers)
    arranged = arrange_results([*asked, *results]).messages
    assert [m.role for m in arranged[:3]] == [Role.ASSISTANT, Role.TOOL, Role.USER]
    assert len(arranged) == 3 * len(numbers)
