"""A summary that was written ahead: when it is due, what it covers, and when a compaction may use it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import exchange, letters, record
from desktop_app.context.compact.compaction import plan_compaction
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.summary.summary_ahead import compaction_from, covers, is_ahead_due, plan_ahead, standing_in
from desktop_app.context.view.view import view_of
from desktop_app.conversation.message import user_message
from desktop_app.conversation.transcript import Compaction, Pin, StandingSummary, Transcript, Trigger, Undo

COUNTS, BUDGET = letters(), Budget(3_600, 600)
PAGE = "## Primary intent\nQuestions about details of the parser."


def said(count: int, name: str = "m") -> Transcript:
    return record(*exchange([f"{n}: the parser reads a value. " * 6 for n in range(count)], name))


def plan_of(transcript: Transcript):
    view = view_of(transcript)
    total = request_tokens(view, COUNTS)
    return view, total, plan_compaction(view, BALANCED, BUDGET, COUNTS, total, Trigger.BEFORE_REQUEST)


def with_standing(transcript: Transcript) -> Transcript:
    view = view_of(transcript)
    plan = plan_ahead(view, BALANCED, BUDGET, COUNTS, request_tokens(view, COUNTS))
    assert plan is not None
    earlier = view.summary.id if view.summary else ""
    return transcript.append(
        StandingSummary(id="s", message_ids=plan.archived, summary=PAGE, follows=earlier, model="m/m")
    )


@given(st.integers(46, 60), st.integers(0, 6))
def test_what_a_compaction_archives_is_covered_if_less_was_said_since_than_it_keeps(before: int, after: int) -> None:
    transcript = with_standing(said(before))
    for number in range(after):
        transcript = transcript.append(replace(user_message(f"{number}: and this? " * 6), id=f"n{number}"))
    view, _, plan = plan_of(transcript)
    assert plan is not None
    standing = standing_in(view)
    assert standing is not None
    assert covers(standing, plan)
    made = compaction_from(standing, plan, transcript, view, COUNTS)
    assert made is not None
    assert made.archived == plan.archived
    assert made.summary.startswith(PAGE)
    assert (made.strategy, made.model, made.usage) == ("llm", "m/m", None)
    assert made.tokens_after < made.tokens_before
    assert plan_ahead(view, BALANCED, BUDGET, COUNTS, request_tokens(view, COUNTS)) is None, "and is not written twice"


def test_it_changes_nothing_in_the_view_and_can_be_undone_and_redone() -> None:
    plain = said(50)
    transcript = with_standing(plain)
    assert [i.message for i in view_of(transcript).items] == [i.message for i in view_of(plain).items]
    undone = transcript.append(Undo(id="u", entry_id="s"))
    assert standing_in(view_of(undone)) is None
    assert standing_in(view_of(undone.append(Undo(id="r", entry_id="u")))) is not None
    assert standing_in(view_of(transcript.append(Pin(id="p", message_id="m3")))) is not None


def test_it_is_of_no_use_after_another_compaction_and_again_after_its_undo() -> None:
    transcript = with_standing(said(50))
    other = Compaction(id="c", trigger=Trigger.USER, strategy="edited", archived=("m0", "m1"), summary="Earlier.")
    after = transcript.append(other)
    assert standing_in(view_of(after)) is None
    assert standing_in(view_of(after.append(Undo(id="u", entry_id="c")))) is not None


def test_a_plan_that_archives_more_or_has_less_room_is_summarized_as_before() -> None:
    transcript = with_standing(said(50))
    view, _, plan = plan_of(transcript)
    assert plan is not None
    standing = standing_in(view)
    assert standing is not None
    part = replace(standing, message_ids=standing.message_ids[:3])
    assert compaction_from(part, plan, transcript, view, COUNTS) is None
    assert compaction_from(standing, replace(plan, summary_budget=5), transcript, view, COUNTS) is None
    assert compaction_from(None, plan, transcript, view, COUNTS) is None


@given(st.integers(0, 4_000))
def test_it_is_due_a_tenth_below_the_first_threshold(total: int) -> None:
    assert is_ahead_due(BALANCED, BUDGET, total) == (total >= 0.65 * 3_000)
    assert not is_ahead_due(replace(BALANCED, ahead=0.0), BUDGET, total)
    assert not is_ahead_due(BALANCED, Budget(0, 0), total)
