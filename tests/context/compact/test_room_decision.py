from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import call, letters, model, record, result, system, tokens, user
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import WindowTooSmall, is_due, is_stalled, next_step, room_to_go_on
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import fit_policy
from desktop_app.context.ledger.ledger import MAX_FACTS
from desktop_app.context.policy import BALANCED, Budget, budget_for
from desktop_app.context.view.view import View, assemble, view_after, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Compaction, Pin, Prune, Transcript, Trigger
from texts import LARGER_WINDOW, UNPIN


def chat(turns: int) -> View:
    said = [m for n in range(turns) for m in (user(f"question {n} " * 8), model(f"answer {n} " * 8))]
    return view_of(record(*said, user("go on")))


def asked(view: View, share: float, trigger: Trigger) -> Prune | CompactionPlan | None:
    """What make_room says when the view takes that share of what can be used."""
    return next_step(view, BALANCED, Budget(round(tokens(view) / share), 0), letters(), trigger)


@pytest.mark.parametrize(
    ("trigger", "share", "is_made"),
    [
        (Trigger.BEFORE_REQUEST, 0.89, False),
        (Trigger.BEFORE_REQUEST, 0.91, True),
        (Trigger.TOOL_RESULT, 0.91, True),
        (Trigger.STREAMING, 0.79, False),
        (Trigger.STREAMING, 0.81, True),
        (Trigger.AFTER_TURN, 0.74, False),
        (Trigger.AFTER_TURN, 0.76, True),
        (Trigger.USER, 0.49, False),
        (Trigger.USER, 0.51, True),
        (Trigger.OVERFLOW, 0.40, True),
    ],
)
def test_each_moment_has_its_step_of_the_ladder(trigger: Trigger, share: float, is_made: bool) -> None:
    view = chat(60)
    step = asked(view, share, trigger)
    assert (step is not None) is is_made
    due = is_due(view, tokens(view), BALANCED, Budget(round(tokens(view) / share), 0), trigger)
    assert due or not is_made


def test_what_must_stay_and_does_not_fit_is_an_error_that_says_what_helps() -> None:
    view = view_of(record(user("a " * 50), model("b"), user("x" * 8_000), Pin(message_id="m0", id="pin")))
    with pytest.raises(WindowTooSmall) as caught:
        next_step(view, BALANCED, Budget(1_000, 0), letters(), Trigger.BEFORE_REQUEST)
    error = caught.value
    assert error.usable == 1_000
    assert error.needed > 2_000
    assert UNPIN.format(pins=1) in error.advice
    assert LARGER_WINDOW in error.advice
    assert "shorten the last message" in str(error)


FUTILE = Compaction(
    trigger=Trigger.AFTER_TURN, strategy="x", archived=(), summary="S", tokens_before=1_000, tokens_after=950
)
ROUNDS = [*[m for n in range(60) for m in (user("q " * 20), model("a " * 20))], user("go")]


def test_two_futile_compactions_in_a_row_stop_the_third() -> None:
    pins = [Pin(message_id=f"m{n}", id=f"p{n}") for n in range(6, 120)]
    stalled = view_of(record(*ROUNDS, *pins, FUTILE, FUTILE))
    assert is_stalled(stalled)
    assert asked(stalled, 0.92, Trigger.BEFORE_REQUEST) is None
    assert asked(view_of(record(*ROUNDS, *pins, FUTILE)), 0.92, Trigger.BEFORE_REQUEST) is not None
    assert asked(stalled, 1.02, Trigger.BEFORE_REQUEST) is not None, "but never when the request would not fit"
    worthwhile = replace(FUTILE, tokens_after=500)
    assert not is_stalled(view_of(record(*ROUNDS, worthwhile, FUTILE)))
    assert not is_stalled(view_of(record(*ROUNDS, FUTILE)))


def test_the_pause_ends_once_a_step_would_free_a_tenth() -> None:
    """Such as when what was pinned no longer is, or the conversation has gone on."""
    view = view_of(record(*ROUNDS, FUTILE, FUTILE))
    assert is_stalled(view)
    step = asked(view, 0.92, Trigger.BEFORE_REQUEST)
    assert isinstance(step, CompactionPlan)
    assert step.projected <= 0.9 * step.total


def test_a_summary_that_was_written_for_a_larger_window_is_shortened() -> None:
    page = "\n".join(f"- User: the ledger of region {n} closes on the {n}th, never earlier." for n in range(120))
    summary = Compaction(trigger=Trigger.USER, strategy="edited", archived=("m0", "m1"), summary=page, id="op")
    transcript = record(user("a"), model("b"), user("c"), summary)
    view, budget = view_of(transcript), Budget(1_000, 0)
    plan = next_step(view, BALANCED, budget, letters(), Trigger.BEFORE_REQUEST)
    assert isinstance(plan, CompactionPlan)
    shorter = compaction_of(plan, transcript, view, letters())
    assert shorter is not None
    after = view_of(transcript.append(replace(shorter, id="op2")))
    assert tokens(after) == shorter.tokens_after <= budget.usable
    assert "never earlier" in shorter.summary
    assert set(after.statuses) == {"m0", "m1"}, "what was archived stays archived"


def with_old_results() -> View:
    said = [m for n in range(40) for m in (model("", call("bash", f'{{"n": {n}}}')), result(f"{n} " + "ok\n" * 2_000))]
    return view_of(record(user("go"), *said, user("and?"), model("x"), user("now")))


def test_after_a_turn_a_prune_waits_until_the_cache_is_cold_or_the_window_tight() -> None:
    view = with_old_results()
    budget, policy = Budget(round(tokens(view) / 0.77), 0), replace(BALANCED, cache_seconds=300)
    for seconds, is_made in ((10.0, False), (299.0, False), (301.0, True), (None, True)):
        step = next_step(view, policy, budget, letters(), Trigger.AFTER_TURN, seconds)
        assert isinstance(step, Prune) is is_made
        assert (step is None) is not is_made
    tight = Budget(round(tokens(view) / 0.81), 0)
    assert isinstance(next_step(view, BALANCED, tight, letters(), Trigger.AFTER_TURN, 10.0), Prune)
    assert isinstance(next_step(view, BALANCED, tight, letters(), Trigger.BEFORE_REQUEST, 10.0), Prune)


def test_what_a_compaction_archives_is_not_shortened_first() -> None:
    old = [m for n in range(9) for m in (model("", call("bash", f'{{"n": {n}}}')), result("ok " * 400))]
    said = [m for n in range(40) for m in (user(f"question {n} " * 30), model(f"answer {n} " * 30))]
    view = view_of(record(user("go"), *old, *said, user("now")))
    budget = Budget(round(tokens(view) / 1.5), 0)
    assert isinstance(next_step(view, BALANCED, budget, letters(), Trigger.BEFORE_REQUEST), CompactionPlan)


def test_a_prune_that_spares_a_compaction_is_made_instead() -> None:
    view = with_old_results()
    budget = Budget(round(tokens(view) / 1.2), 0)
    step = next_step(view, BALANCED, budget, letters(), Trigger.BEFORE_REQUEST)
    assert isinstance(step, Prune)
    assert budget.share(step.tokens_after) < BALANCED.compact_at


@pytest.mark.parametrize(("window", "max_output"), [(1_024, 0), (4_096, 0), (32_000, 0), (200_000, 1_024)])
def test_a_reply_that_was_stopped_finds_room_for_as_much_as_is_kept_for_a_whole_one(
    window: int, max_output: int
) -> None:
    budget = budget_for(BALANCED, window, max_output)
    policy = fit_policy(BALANCED, budget)
    stop = round(policy.stream_stop_at * window)
    view = chat(1)
    assert is_due(view, stop, policy, budget, Trigger.STREAMING)
    most = room_to_go_on(policy, budget)
    assert stop - most >= max(budget.reserve, window // 10) - 1
    assert not is_due(view, min(most, round(policy.prune_at * budget.usable)) - 1, policy, budget, Trigger.STREAMING)
    assert not is_due(view, window - 1, replace(policy, phases=()), Budget(window, 0), Trigger.STREAMING)


@pytest.mark.parametrize(
    ("turns", "trigger", "is_made"),
    [
        (24, Trigger.BEFORE_REQUEST, False),  # 49 messages
        (25, Trigger.BEFORE_REQUEST, True),
        (25, Trigger.AFTER_TURN, True),
        (25, Trigger.USER, False),
    ],
)
def test_where_no_limit_is_known_messages_are_counted(turns: int, trigger: Trigger, is_made: bool) -> None:
    policy = replace(BALANCED, limit_without_window=0)
    budget = budget_for(policy, 128_000, is_assumed=True)
    view, counts = chat(turns), letters()
    assert is_due(view, tokens(view), policy, budget, trigger) is is_made
    assert not is_due(view, tokens(view), policy, budget_for(policy, 128_000), trigger), "that one is known"
    exactly = replace(budget, max_messages=2 * turns + 1)
    assert is_due(view, tokens(view), policy, exactly, trigger) is (trigger is not Trigger.USER)
    step = next_step(view, policy, budget, counts, trigger)
    assert (step is not None) is is_made
    if isinstance(step, CompactionPlan):
        assert len(step.archived) == 2 * turns + 1 - policy.tail_messages
        transcript = Transcript(view.entries)
        compaction = compaction_of(step, transcript, view, counts)
        assert compaction is not None
        after = view_of(transcript.append(replace(compaction, id="op")))
        assert next_step(after, policy, budget, counts, trigger) is None, "and then there are few"


# A long life: twenty rounds of growing and compacting, and what must still be there.


RULES = [
    "Never touch vendor/ by hand.",
    "Always run make test before you say that it works.",
    "Every migration needs a down step.",
    "Please don't use floats for money.",
    "You must ask me before you change config/production.toml.",
]
OPENING = [
    system("You are careful."),
    user("We move billing to a ledger. " + RULES[0]),
    model("I look at the layout first."),
    user(f"{RULES[1]} {RULES[2]}"),
    model("Both are noted."),
    user(RULES[3]),
    model("Integers it is."),
    user(RULES[4]),
    model("I will."),
]


def round_of(number: int, steps: int = 6) -> list[Message]:
    """A day's work: requests, calls with long results, errors, another rule now and then."""
    said = []
    for step in range(steps):
        n = f"{number}_{step}"
        said += [
            user(f"Now port module_{n} in src/billing/part_{n}.py, the deadline is 2026-03-{step:02}."),
            model("", call("read", f'{{"path": "src/billing/part_{n}.py"}}', f"r{n}")),
            result(f"def total_{n}(rows):\n" + "    return sum(rows)\n" * 40, f"r{n}", "read"),
            model("", call("edit", f'{{"path": "src/billing/part_{n}.py", "new": "x"}}', f"e{n}")),
            result(f"TypeError: module_{n} got floats\nexit code 1", f"e{n}", "edit"),
            model(f"Ported module_{n}. The root cause was that the rows of day {n} came as text. " * 24),
        ]
    return [*said, user(f"You should avoid globals in package_{number}.")]


def grown(transcript: Transcript, view: View, said: list[Message]) -> tuple[Transcript, View]:
    for message in said:
        transcript = transcript.append(replace(message, id=f"m{len(transcript.entries)}"))
    return transcript, view_after(view, transcript)


def with_room(transcript: Transcript, view: View, window: int, counts: TokenCounts) -> tuple[Transcript, View, int]:
    made = 0
    while step := next_step(view, BALANCED, budget_for(BALANCED, window), counts, Trigger.USER):
        operation = compaction_of(step, transcript, view, counts) if isinstance(step, CompactionPlan) else step
        assert operation is not None
        made += isinstance(operation, Compaction)
        transcript = transcript.append(replace(operation, id=f"op{len(transcript.entries)}"))
        view = view_of(transcript)
    return transcript, view, made


@pytest.mark.parametrize(("window", "steps"), [(8_192, 6), pytest.param(32_000, 20, marks=pytest.mark.wire)])
def test_after_twenty_rounds_the_first_rules_are_still_there_word_for_word(window: int, steps: int) -> None:
    counts = letters()
    transcript = record(*OPENING)
    view = view_of(transcript)
    compactions = 0
    for number in range(20):
        transcript, view = grown(transcript, view, round_of(number, steps))
        transcript, view, made = with_room(transcript, view, window, counts)
        compactions += made
        assert request_tokens(view, counts) <= budget_for(BALANCED, window).usable
        sent = "\n".join(message.text for message in assemble(view))
        assert [rule for rule in RULES if rule not in sent] == [], f"round {number}"
    assert compactions >= 18
    assert view.summary is not None
    assert "- We move billing to a ledger." in view.summary.summary, "what it all was for"


def test_the_ledger_stays_within_its_bounds_and_says_what_it_dropped() -> None:
    counts = letters()
    transcript = record(*OPENING)
    view = view_of(transcript)
    for number in range(20):
        transcript, view = grown(transcript, view, round_of(number))
        transcript, view, _ = with_room(transcript, view, 8_192, counts)
    assert all(len(getattr(view.ledger, kind)) <= most for kind, most in MAX_FACTS.items())
    assert len(view.ledger.files_edited) > 100
    edited = {fact.text for fact in view.ledger.files_edited}
    assert "src/billing/part_0_0.py" in edited
    assert view.ledger.dropped > 0
    assert [fact.text for fact in view.ledger.rules][: len(RULES)] == RULES
