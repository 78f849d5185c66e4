"""The figures of a conversation's life, held against the record that they are of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import letters, model, record, user
from desktop_app.context.counting.breakdown import RunningTotals, usage_totals_of
from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.presets import PRESETS
from desktop_app.context.record_figures import combine, insights_of, thin_out
from desktop_app.context.summary.model_summary import Spending
from desktop_app.context.truncate import sizes_in_notice, truncate_result
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.insights import REACHED, Moment
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Message, Role, ToolResult, Usage
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Compaction,
    FailedCompaction,
    Flush,
    Prune,
    Rewind,
    Transcript,
    Trigger,
    Undo,
)


def compaction(**fields: object) -> Compaction:
    usual = {"trigger": Trigger.USER, "strategy": "llm", "archived": ("m0",), "summary": "…", "at": 5.0}
    return Compaction(**(usual | fields))  # type: ignore[arg-type]


def answer(prompt: int, reply: int, name: str = "one/big") -> AnyEntry:
    return replace(model("Fine."), model=name, usage=Usage(prompt, reply, dollars=0.5))


def day_of(at: float) -> str:
    return f"day {at:g}"


def of(*entries: AnyEntry) -> Transcript:
    return Transcript().extend(tuple(record(*entries).entries))


def test_the_series_is_what_was_reported_and_grows_by_what_was_not() -> None:
    counts, unreported, again = letters(), model("Yes. " * 40), model("Once more.")
    transcript = of(user("Hello?"), answer(100, 20), user("And?"), unreported, Rewind(first_message_id="m3"), again)
    sizes = [moment.tokens for moment in insights_of(transcript, counts, day_of).moments]
    assert sizes[:2] == [120, 120 + counts.total(user("And?")) + counts.total(unreported)]
    said = (user("Hello?"), model("Fine."), user("And?"), again)
    assert sizes[2] == sum(map(counts.total, said)), "the branch has nothing of what was replaced"
    assert [moment.is_measured for moment in insights_of(transcript, counts, day_of).moments] == [True, False, False]


def test_operations_free_tokens_until_they_are_undone() -> None:
    counts = letters()
    prune = Prune(trigger=Trigger.AFTER_TURN, tokens_before=400, tokens_after=300)
    made = compaction(id="c1", tokens_before=300, tokens_after=100, seconds=2.0, note="", fidelity=Fidelity(3, 4, 2, 1))
    transcript = of(user("Hello?"), answer(380, 20), prune, made, user("?"), model("A"))
    insights = insights_of(transcript, counts, day_of)
    assert (insights.freed("prune"), insights.freed("compaction")) == (100, 200)
    assert insights.moments[-1].tokens == 100 + counts.total(user("?")) + counts.total(model("A"))
    assert (insights.fidelity.verbatim, insights.fidelity.total) == (3, 10)
    undone = insights_of(transcript.append(Undo(entry_id="c1", id="u1")), counts, day_of)
    assert (undone.freed("compaction"), undone.fidelity.total) == (0, 0)
    assert [one.is_undone for one in undone.operations] == [False, True]


def test_the_steps_of_a_plan_are_one_operation_everywhere_and_an_undone_one_is_none() -> None:
    prune = Prune(trigger=Trigger.USER, tokens_before=400, tokens_after=300, plan_id="p")
    made = compaction(id="c1", tokens_before=300, tokens_after=100, plan_id="p")
    later = compaction(id="c2", tokens_before=200, tokens_after=150)
    transcript = of(user("Hello?"), answer(380, 20), prune, made, later)
    for record_now, operations in ((transcript, 2), (transcript.append(Undo(entry_id="c2", id="u1")), 1)):
        insights = insights_of(record_now, letters(), day_of)
        assert insights.all_days.operations == operations == RunningTotals().after(record_now.entries).totals.operations
        assert [len(steps) for steps in insights.steps_of_operations()] == [2, 1]


def test_the_summary_that_a_conversation_begins_with_has_freed_nothing_in_it() -> None:
    begun = compaction(id="c1", archived=(), tokens_before=48_000, tokens_after=600, fidelity=Fidelity(3, 4, 2, 1),
                       usage=Usage(900, 90))  # fmt: skip
    transcript = of(begun, user("?"), model("A"))
    insights, totals = insights_of(transcript, letters(), day_of), RunningTotals().after(transcript.entries).totals
    assert (insights.operations, insights.all_days.freed, insights.all_days.operations) == ((), 0, 0)
    assert insights.fidelity.total == 0
    assert (totals.operations, totals.tokens_freed) == (0, 0)
    assert totals.auxiliary.prompt_tokens == insights.spent("summary").prompt_tokens == 900, "it was paid for here"
    assert insights.moments[0].tokens == 600 + letters().total(user("?")) + letters().total(model("A"))


def test_what_it_took_is_told_by_model_and_purpose_and_sums_to_the_totals() -> None:
    made = compaction(model="two/small", usage=Usage(900, 90, dollars=0.1))
    title = AuxiliaryUsage(purpose="title", model="two/small")
    flush = Flush(memories=(), model="one/big", usage=Usage(50, 5))
    transcript = of(user("Hello?"), answer(100, 20), user("?"), answer(200, 30), made, title, flush)
    insights = insights_of(transcript, letters(), day_of)
    assert [(part.model, part.purpose, part.usage.requests) for part in insights.usage] == [
        ("two/small", "summary", 1),
        ("one/big", "chat", 2),
        ("one/big", "memory", 1),
        ("two/small", "title", 1),
    ]
    replies, auxiliary = usage_totals_of(transcript.entries)
    assert sum(part.usage.prompt_tokens for part in insights.usage) == replies.prompt_tokens + auxiliary.prompt_tokens
    assert sum(part.usage.dollars or 0 for part in insights.usage) == (replies.dollars or 0) + (auxiliary.dollars or 0)


def test_several_conversations_are_summed() -> None:
    counts = letters()
    one = insights_of(
        of(user("Hello?"), answer(100, 20), compaction(tokens_before=50, tokens_after=20)), counts, day_of
    )
    other = insights_of(of(user("Hi?"), answer(10, 2, "two/small"), compaction(at=2.0)), counts, day_of)
    both = combine([one, other])
    assert both.conversations == 2
    assert both.recorded[Segment.USER] == one.recorded[Segment.USER] + other.recorded[Segment.USER]
    assert [part.model for part in both.usage] == ["one/big", "two/small"]
    assert [moment.at for moment in both.operations] == sorted(moment.at for moment in both.operations)
    assert both.freed("compaction") == 30
    assert combine([]).usage == ()


def test_days_add_up_to_the_totals_and_have_what_was_truncated() -> None:
    whole = "word " * 5_000
    cut = truncate_result(whole, "bash", PRESETS["balanced"])
    result = Message(role=Role.TOOL, parts=(ToolResult("1", "bash", cut.text, spill=cut.spill or ""),), at=9.0)
    made = compaction(at=8.0, tokens_before=300, tokens_after=100, usage=Usage(90, 9))
    transcript = of(user("Hello?"), replace(answer(100, 20), at=8.0), result, made, replace(answer(200, 30), at=9.0))
    insights = insights_of(transcript, None, day_of)
    assert [day.day for day in insights.days] == ["day 8", "day 9"]
    assert [(day.usage.requests, day.freed, day.truncated) for day in insights.days] == [(2, 200, 0), (1, 0, 1)]
    assert insights.days[1].bytes_left_out == len(whole.encode()) - cut.shown_bytes
    assert insights.all_days.usage.prompt_tokens == insights.spent().prompt_tokens == 390
    assert (insights.moments, insights.is_counted) == ((), False)
    assert insights.recorded == {
        Segment.USER: len("Hello?"),
        Segment.ASSISTANT: 2 * len("Fine."),
        Segment.RESULTS: len(cut.text),
    }
    assert combine([insights, insights]).days[0].usage.requests == 4


def test_the_steps_of_one_plan_are_one_operation_of_their_day_as_in_the_totals() -> None:
    steps = [compaction(id=name, at=5.0, plan_id="plan") for name in ("first", "second")]
    entries = (user("A question."), *steps, compaction(id="alone"))
    (day,) = insights_of(of(*entries), None, day_of).days
    assert day.operations == RunningTotals().after(entries).totals.operations == 2


def test_a_text_that_only_looks_like_the_notice_was_not_truncated() -> None:
    assert sizes_in_notice("[Truncated: many lines]") is None
    assert sizes_in_notice("x" * 2_000) is None


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=400), st.integers(4, 60))
def test_a_thinned_chart_keeps_its_ends_and_its_peaks(sizes: list[int], most: int) -> None:
    moments = [Moment(float(at), tokens, True) for at, tokens in enumerate(sizes)]
    thin = thin_out(moments, most)
    assert (thin[0], thin[-1]) == (moments[0], moments[-1])
    assert max(one.tokens for one in thin) == max(sizes)
    assert min(one.tokens for one in thin) == min(sizes)
    assert list(thin) == sorted(thin, key=lambda one: one.at)
    assert len(moments) <= most or len(thin) <= most + 2


def test_how_full_it_got_is_told_of_each_conversation_and_of_all_together() -> None:
    full = compaction(tokens_before=960, tokens_after=200, usable=1_000)
    failed = FailedCompaction(id="f", trigger=Trigger.BEFORE_REQUEST, cause="error", tokens=800, needed=0, usable=1_000)
    one = insights_of(of(user("Hi"), answer(100, 20), full, user("And?"), answer(200, 40)), letters(), day_of, 0.3)
    other = insights_of(of(user("Hi"), answer(50, 10), failed), None, day_of, 0.2)
    third = insights_of(of(user("Hi")), None, day_of, 0.5)
    assert (one.fullest, other.fullest, third.fullest) == ((0.96,), (0.8,), (0.5,))
    assert one.average_size == (120 + 240) // 2
    both = combine([one, other, third])
    assert [both.reached(share) for share in REACHED] == [2, 1, 1]
    assert both.average_size == (240 + 60) // 2, "of the two whose provider told it"
    assert combine([]).average_size == 0


def test_a_long_output_counts_once_however_often_it_was_kept() -> None:
    cut = truncate_result("heliotrope " * 20_000, "bash", PRESETS["balanced"])
    kept = ToolResult("1", "bash", cut.text, spill="a" * 64)
    said = [Message(id=f"m{n}", role=Role.TOOL, parts=(kept,)) for n in range(2)]
    lost = Message(id="m9", role=Role.TOOL, parts=(replace(kept, spill=""),))
    one = insights_of(Transcript().extend((*said, lost)), None, day_of)
    assert one.spills == {"a" * 64: len("heliotrope " * 20_000)}
    assert combine([one, one]).spills == one.spills


# The spend guard: never more than so many within its time, and no pause that is longer than it has to be.


STEPS = st.lists(st.integers(0, 400), max_size=80)
POLICIES = st.builds(
    lambda most, seconds: replace(BALANCED, max_spend=most, spend_seconds=seconds),
    st.integers(1, 6),
    st.integers(1, 900),
)


def is_paused(spending: Spending, now: float, policy: ContextPolicy) -> bool:
    return spending.paused_until(now, policy) is not None


def begun(steps: list[int], policy: ContextPolicy) -> tuple[list[float], list[float], Spending]:
    """When one was begun, when that was refused, and what is known at the end; each step is so long after the last."""
    spending, now, allowed, refused = Spending(), 1_000.0, list[float](), list[float]()
    for step in steps:
        now += step
        if is_paused(spending, now, policy):
            refused.append(now)
        else:
            spending = spending.after(now, policy)
            allowed.append(now)
    return allowed, refused, spending


@given(STEPS, POLICIES)
def test_never_more_than_that_many_within_that_time(steps: list[int], policy: ContextPolicy) -> None:
    allowed, _, spending = begun(steps, policy)
    for start in allowed:
        assert sum(start <= time < start + policy.spend_seconds for time in allowed) <= policy.max_spend
    assert len(spending.times) <= policy.max_spend, "what does not count any more is forgotten"


@given(STEPS, POLICIES)
def test_nothing_is_refused_without_need(steps: list[int], policy: ContextPolicy) -> None:
    allowed, refused, _ = begun(steps, policy)
    for now in refused:
        assert sum(now - policy.spend_seconds < time <= now for time in allowed) == policy.max_spend


@given(STEPS, POLICIES, st.integers(0, 2_000))
def test_a_pause_ends_when_it_says_and_not_before(steps: list[int], policy: ContextPolicy, later: int) -> None:
    allowed, _, spending = begun(steps, policy)
    now = (allowed[-1] if allowed else 0.0) + later
    until = spending.paused_until(now, policy)
    if until is not None:
        assert now < until <= now + policy.spend_seconds
        assert is_paused(spending, until - 0.001, policy)
        assert not is_paused(spending, until, policy)


def test_neither_a_clock_that_is_set_back_nor_a_limit_of_zero_pauses() -> None:
    assert begun([1] * 80, replace(BALANCED, max_spend=0))[1] == []
    _, _, spending = begun([1] * 24, BALANCED)
    now = spending.times[-1]
    assert is_paused(spending, now, BALANCED)
    assert not is_paused(spending, now - 365 * 86_400.0, BALANCED)
