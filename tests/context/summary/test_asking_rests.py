"""How often a model is asked whose summaries or notes are of no use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.summary.asking_rests import (
    MAX_REST,
    Outcome,
    is_in_doubt,
    notes_rest,
    rest_after,
    summaries_rest,
)
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Flush, Trigger

outcomes = st.lists(st.sampled_from(Outcome), max_size=40)


@given(outcomes)
def test_a_model_is_asked_after_a_reply_that_was_used_and_after_one_unusable_reply(before: list[Outcome]) -> None:
    used = [*before, Outcome.USED]
    assert rest_after(used) == rest_after([*used, Outcome.UNUSABLE]) == 0
    assert 0 <= rest_after(before) <= MAX_REST


@given(outcomes)
def test_a_rest_ends(before: list[Outcome]) -> None:
    rest = rest_after(before)
    for left in range(rest, 0, -1):
        before = [*before, Outcome.NOT_ASKED]
        assert rest_after(before) == left - 1
    assert rest_after(before) == 0


def test_a_model_that_is_never_of_use_is_asked_few_times_of_a_hundred() -> None:
    record, asked = list[Outcome](), 0
    for _ in range(100):
        record.append(Outcome.NOT_ASKED if rest_after(record) else Outcome.UNUSABLE)
        asked += record[-1] is Outcome.UNUSABLE
    assert record[:2] == [Outcome.UNUSABLE] * 2
    assert 4 <= asked <= 12


def compacted(strategy: str = "extractive", model: str = "", trigger: Trigger = Trigger.AFTER_TURN) -> Compaction:
    return Compaction(trigger=trigger, strategy=strategy, archived=("a",), summary="A page.", model=model)


ASKED = AuxiliaryUsage(purpose="summary", model="a")
FAILED: list[AnyEntry] = [ASKED, ASKED, compacted()]


def test_summaries_are_judged_by_the_record() -> None:
    assert summaries_rest(FAILED, "a") == 0
    assert summaries_rest(FAILED * 2, "a") == 2
    assert summaries_rest([*FAILED * 2, compacted()], "a") == 1
    assert summaries_rest(FAILED * 2, "b") == 0
    assert summaries_rest([*FAILED * 2, ASKED, compacted("llm", "a"), *FAILED], "a") == 0
    assert summaries_rest([*FAILED, ASKED, compacted(trigger=Trigger.USER)], "a") == 0
    assert summaries_rest([compacted()] * 5, "a") == 0  # it was not asked


def test_notes_are_judged_by_the_record() -> None:
    failed = Flush(memories=(), usage=Usage(10, 1))
    assert notes_rest([failed], "a") == 0
    assert notes_rest([failed, failed], "a") == 2
    assert notes_rest([failed, failed, Flush(memories=())], "a") == 1
    assert notes_rest([failed, failed, Flush(memories=(), model="a", usage=Usage(10, 1))], "a") == 0
    other = Message(role=Role.ASSISTANT, id="m", at=0.0, model="b")
    assert notes_rest([failed, failed, other], "b") == 2  # they were asked of an unknown model
    assert notes_rest([other, failed, failed], "a") == 0


def test_a_model_that_writes_neither_is_asked_for_neither() -> None:
    failed = Flush(memories=(), usage=Usage(10, 1))
    assert summaries_rest([failed, *FAILED], "a") == notes_rest([failed, *FAILED], "a") == 2
    used = Flush(memories=(), model="a", usage=Usage(10, 1))
    assert summaries_rest([used, *FAILED, used, *FAILED], "a") == 2  # its notes do not make its summaries better
    assert is_in_doubt([used, *FAILED, compacted()], "a")
    for record, model in (([], "a"), ([*FAILED, used], "a"), ([used, *FAILED], "b")):
        assert not is_in_doubt(record, model)
