"""Tool results dropped by shares after an overflow."""

from __future__ import annotations

import pytest
import what_must_hold as must
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import ROOMY, call, letters, model, record, result, sent, tokens, user
from conversations_made_up import histories
from desktop_app.context.policy import BALANCED
from desktop_app.context.prune.unanswered import drop_results
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Pin, Prune, Transcript, Trigger, Undo
from request_rules import legal_for_all

SHARES = BALANCED.overflow_shed


def rounds(*sizes: int, name: str = "bash") -> list[Message]:
    """A question, and a round with a result of each of those sizes, in tokens."""
    said = [user("Look into it.")]
    for number, size in enumerate(sizes):
        said += [model("", call(name, call_id=f"c{number}")), result("x123" * size, f"c{number}", name)]
    return said


def after(transcript: Transcript, share: float) -> tuple[Prune, View]:
    step = drop_results(view_of(transcript), BALANCED, ROOMY, letters(), share)
    assert step is not None
    return step, view_of(transcript.append(replace(step, id="shed")))


def test_large_ones_go_before_small_ones_and_old_ones_before_new_ones() -> None:
    of_a_size = record(*rounds(500, 500, 500, 500), model("Done."))
    assert after(of_a_size, 0.10)[0].message_ids == ("m2",)
    assert after(of_a_size, 0.50)[0].message_ids == ("m2", "m4")
    of_both = record(*rounds(400, 10, 900), model("Done."))
    assert after(of_both, 0.10)[0].message_ids == ("m6",), "twice as large counts for more than two replies older"
    of_many_sizes = record(*rounds(100, 120, 3_000, 140), model("Done."))
    assert after(of_many_sizes, 0.50)[0].message_ids == ("m6",)


def test_the_share_is_of_the_tokens_of_all_results() -> None:
    transcript = record(*rounds(*[400] * 20), model("Done."))
    freed = []
    for share in SHARES:
        step, _ = after(transcript, share)
        freed.append((step.tokens_before - step.tokens_after) / (400 * 20))
    assert freed == pytest.approx([0.10, 0.20, 0.50, 1.00], rel=0.12), "but for the line that stays of each"


def test_what_no_reply_has_followed_is_shortened_behind_the_others_and_never_dropped() -> None:
    of_both = record(*rounds(500, 9_000))
    assert after(of_both, 0.05)[0].message_ids == ("m2",), "the older one is share enough"
    for share in SHARES[1:]:
        step, shown = after(of_both, share)
        assert [(r.message_id, r.strategy) for r in step.results] == [("m2", "shed"), ("m4", "unanswered")]
        assert "x123" in must.chat_in(shown)[-1]["content"], "both ends of it are sent"
    alone = record(*rounds(9_000))
    freed = [step.tokens_before - step.tokens_after for step, _ in (after(alone, share) for share in SHARES)]
    assert [round(tokens / 9_000, 1) for tokens in freed] == [0.1, 0.2, 0.5, 1.0]
    assert drop_results(view_of(record(*rounds(300))), BALANCED, ROOMY, letters(), 1.0) is None, "the floor holds"


def test_pins_and_protected_tools_stay_at_any_share() -> None:
    pinned = record(*rounds(900, 800), model("Done."), Pin(message_id="m2", id="p"))
    assert after(pinned, 1.0)[0].message_ids == ("m4",)
    protected = record(*rounds(900, name="save_memory"), model("Done."))
    assert drop_results(view_of(protected), BALANCED, ROOMY, letters(), 1.0) is None


def test_what_was_shed_is_not_shed_again_and_comes_back_with_undo() -> None:
    transcript = record(*rounds(500, 500), model("Done."))
    before = sent(view_of(transcript))
    step, shown = after(transcript, 1.0)
    assert {pruned.strategy for pruned in step.results} == {"shed"}
    assert step.trigger is Trigger.OVERFLOW
    assert drop_results(shown, BALANCED, ROOMY, letters(), 1.0) is None
    grown = transcript.append(replace(step, id="shed")).append(Undo(entry_id="shed", id="u"))
    assert sent(view_of(grown)) == before


@given(histories(), st.sampled_from(SHARES))
def test_whatever_was_said_the_request_stays_legal_and_the_figures_are_measured(
    messages: list[Message], share: float
) -> None:
    transcript = record(*messages)
    before = view_of(transcript)
    step = drop_results(before, BALANCED, ROOMY, letters(), share)
    if step is None:
        return
    shown = view_of(transcript.append(replace(step, id="shed")))
    assert (step.tokens_before, step.tokens_after) == (tokens(before), tokens(shown))
    assert step.tokens_after < step.tokens_before
    assert must.repaired(must.chat_in(shown)) == must.repaired(must.chat_in(before))
    chat = must.chat_in(shown)
    if any(message["role"] != "system" for message in chat):
        must.have_none(legal_for_all(chat))
