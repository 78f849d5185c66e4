"""Replies that were stopped for lack of room, and go on: in the view they are one."""

from __future__ import annotations

import itertools

import pytest
import what_must_hold as must
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import (
    MODEL,
    call,
    continuation,
    continuing,
    gauge,
    letters,
    model,
    numbered,
    record,
    result,
    sent,
    user,
    view,
)
from conversations_made_up import Letters
from desktop_app.context.compact.compaction import measure_blocks, plan_compaction
from desktop_app.context.counting.breakdown import request_tokens, tally
from desktop_app.context.counting.tokens import TokenCounts, count_message
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.view.continuing import continuation_prompt, whole_replies
from desktop_app.context.view.items import cut_points
from desktop_app.context.view.view import View, assemble, inseparable_ids, view_after, view_of
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, Usage
from desktop_app.conversation.transcript import BringBack, Compaction, Pin, Rewind, Trigger, Undo
from desktop_app.models.tokens.tokenizers import tokenizer_for
from request_rules import legal_for_all


def stopped(*parts: Part | str, continues: str = "", is_last: bool = False) -> Message:
    """A part of a reply; `continues` names the one before it."""
    said = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Message(role=Role.ASSISTANT, parts=said, continues=continues, is_interrupted=not is_last)


def test_a_chain_is_one_reply_and_may_end_in_calls() -> None:
    shown = view(
        user("a"),
        stopped(Reasoning("hm"), "one\n"),
        stopped("\n", continues="m1"),
        stopped(Reasoning("so"), "  two", call("bash"), continues="m2", is_last=True),
        result("done"),
    )
    assert sent(shown) == [("user", "a"), ("assistant", "one\n\n  two"), ("tool", "done")]
    assert len(assemble(shown)[1].tool_calls) == 1
    must.have_none(legal_for_all(must.chat_in(shown)))


def test_what_only_calls_or_only_thinks_adds_no_text() -> None:
    shown = view(user("a"), stopped("one"), stopped(Reasoning("hm"), call("bash"), continues="m1"), result("r"))
    assert sent(shown) == [("user", "a"), ("assistant", "one"), ("tool", "r")]
    assert sent(view(user("a"), stopped("one"), stopped(Reasoning("hm"), continues="m1"))) == [
        ("user", "a"),
        ("assistant", "one"),
    ]


@pytest.mark.parametrize(
    "between",
    [
        (user("and?"), stopped("two", continues="m1")),
        (stopped("two", continues="m0"),),
        (stopped("two"),),
        (replace(stopped("two", continues="m1"), speaker="bob"),),
    ],
    ids=["something stands between", "it names another one", "it names none", "another speaker"],
)
def test_what_does_not_go_on_directly_is_a_message_of_its_own(between: tuple[Message, ...]) -> None:
    assert "onetwo" not in " ".join(text for _, text in sent(view(user("a"), stopped("one"), *between)))


def test_what_goes_on_with_nothing_shows_no_made_up_words_inside() -> None:
    shown = view(user("a"), stopped(Reasoning("hm")), stopped("Hello", continues="m1", is_last=True))
    assert sent(shown)[1] == ("assistant", "[empty message]\n\nHello")


def test_no_cut_parts_them_and_what_is_done_to_one_is_done_to_both() -> None:
    said = [
        user("a"),
        stopped("fort"),
        stopped("y-two.", continues="m1", is_last=True),
        user("b"),
        model("c"),
        user("d"),
    ]
    assert 2 not in cut_points(list(view(*said).items))
    assert inseparable_ids([m for m in numbered(*said) if isinstance(m, Message)], {"m2"}) == ["m1", "m2"]
    gone = view(*said, Rewind(first_message_id="m1", id="r"))
    assert {"m1", "m2"} <= set(gone.statuses)
    compaction = Compaction(trigger=Trigger.USER, strategy="x", archived=("m0", "m1", "m2"), summary="S", id="op")
    assert ("assistant", "forty-two.") not in sent(view(*said, compaction))
    assert ("assistant", "forty-two.") in sent(view(*said, compaction, Undo(entry_id="op", id="u")))
    back = BringBack(message_ids=("m1", "m2"), id="b")
    assert ("assistant", "forty-two.") in sent(view(*said, compaction, back))
    pinned = view(
        *said, compaction, Undo(entry_id="op", id="u"), Pin(message_id="m2", id="p"), Undo(entry_id="u", id="v")
    )
    assert not {"m1", "m2"} & set(pinned.statuses)


PARTS = st.lists(st.text("ab 😀\n", min_size=0, max_size=9), min_size=1, max_size=4)


@given(PARTS, st.booleans(), st.booleans())
def test_the_segments_sum_to_the_request_wherever_a_reply_was_cut(
    cuts: list[str], is_pinned: bool, calls: bool
) -> None:
    said = [stopped("x" + cuts[0])] + [stopped(text, continues=f"m{n}") for n, text in enumerate(cuts[1:], 1)]
    said[-1] = replace(said[-1], parts=(*said[-1].parts, *([call("bash", '{"a": 1}')] * calls)))
    entries = [user("q"), *said, *([result("r")] * calls), user("b"), *([Pin(message_id="m1", id="p")] * is_pinned)]
    shown = view(*entries)
    assert ("assistant", "x" + "".join(cuts)) in sent(shown)
    for counts in (letters(), O200K):
        whole = sum(count_message(message, counts.tokenizer).total for message in assemble(shown))
        assert request_tokens(shown, counts) == whole + counts.tokenizer.overhead.priming
        sums = tally(shown, counts)
        assert sums.total == request_tokens(shown, counts)
        assert measure_blocks(shown, counts).fixed > 0
    must.have_none(legal_for_all(must.chat_in(shown)))


O200K = TokenCounts(tokenizer_for("gpt-4o"))


def asking(*entries: Message, lost_call: str = "") -> View:
    return continuing(view(*entries), lost_call)


def test_a_request_to_go_on_ends_with_a_user_who_asks_for_it() -> None:
    shown = asking(user("a"), stopped("The quick brown fox ju"))
    role, line = sent(shown)[-1]
    assert role == "user"
    assert "The quick brown fox ju”" in line
    must.have_none(legal_for_all(must.chat_in(shown)))
    assert sent(shown)[:-1] == sent(view(user("a"), stopped("The quick brown fox ju")))


def test_only_the_end_of_a_long_reply_is_quoted_and_a_lost_call_is_named() -> None:
    assert len(continuation_prompt("word " * 900)) < 400
    assert "…" in continuation_prompt("word " * 900)
    assert "“x\ny" not in continuation_prompt("x\ny")
    assert "`bash`" in continuation_prompt("word", "bash")
    assert "“" not in continuation_prompt("")


def test_the_wish_to_go_on_is_counted_where_it_is_sent() -> None:
    shown, counts = asking(user("a"), stopped("one " * 40), lost_call="bash"), letters()
    whole = sum(count_message(message, Letters()).total for message in assemble(shown)) + Letters().overhead.priming
    assert request_tokens(shown, counts) == whole
    told = gauge(shown, counts)
    assert told.total == sum(told.segments.values()) == whole
    assert told.segments[Segment.USER] > 40


def test_the_wish_ends_with_the_next_message_and_outlives_an_operation() -> None:
    transcript = record(user("q"), model("r"), user("a"), stopped("one"))
    transcript = transcript.append(continuation(view_of(transcript)))
    shown = view_of(transcript)
    compaction = Compaction(trigger=Trigger.STREAMING, strategy="x", archived=("m0", "m1"), summary="S", id="op")
    assert sent(view_after(shown, transcript.append(compaction)))[-1] == sent(shown)[-1]
    more = replace(stopped(" two", continues="m3", is_last=True), id="m4")
    assert sent(view_after(shown, transcript.append(more)))[-1] == ("assistant", "one two")
    assert sent(view_after(shown, transcript.append(replace(user("stop"), id="m4"))))[-1] == ("user", "stop")


def test_the_reply_that_is_to_go_on_stays_whatever_is_archived() -> None:
    counts = letters()
    said = [m for n in range(8) for m in (user(f"question {n} " * 20), model(f"answer {n} " * 40))]
    shown = view(*said, user("write a lot"), stopped("so be it " * 300))
    wanted = continuing(shown)
    for window in (1_200, 1_500, 2_000, 3_000):
        budget = Budget(window, window // 4)
        total = request_tokens(wanted, counts)
        plan = plan_compaction(wanted, BALANCED, budget, counts, total, Trigger.STREAMING)
        assert plan is not None
        assert set(plan.archived) >= {f"m{n}" for n in range(12)}
        assert not {"m16", "m17"} & set(plan.archived)
    total = request_tokens(shown, counts)
    for budget, is_archived in ((Budget(1_200, 300), False), (Budget(800, 200), True)):
        ordinary = plan_compaction(shown, BALANCED, budget, counts, total, Trigger.USER)
        assert ordinary is not None
        assert ("m17" in ordinary.archived) is is_archived, "a cut reply, which may be continued, stays if it fits"


def test_a_measured_continuation_does_not_count_the_wish_that_is_not_sent_again() -> None:
    counts = letters()
    before = [user("u" * 400), stopped("p" * 400)]
    asked = request_tokens(asking(*before), counts)
    more = replace(stopped("q" * 400, continues="m1", is_last=True), model=MODEL.record_name, usage=Usage(asked, 100))
    shown = view(*before, more, user("v" * 400))
    told = gauge(shown, counts)
    assert told.provenance.value == "measured"
    assert told.total == request_tokens(shown, counts), "what the provider counted is what is counted here"


def test_whoever_reads_the_record_can_read_whole_replies() -> None:
    said = [
        user("a"),
        stopped("fort"),
        stopped("y-", continues="m1"),
        stopped("two", continues="m2"),
        model("b"),
        user("c"),
    ]
    messages = [m for m in numbered(*said) if isinstance(m, Message)]
    assert [m.text for m in whole_replies(messages)] == ["a", "forty-two", "b", "c"]
    assert whole_replies(messages[2:])[0].text == "y-two"
    for order in itertools.permutations(messages, 3):
        assert "".join(m.text for m in whole_replies(order)) == "".join(m.text for m in order)


def test_the_model_is_not_given_a_reason_that_may_be_wrong():
    """A connection, a crash or the user may have ended the reply."""
    assert "Your reply above was interrupted, right after “So far”." in continuation_prompt("So far")
