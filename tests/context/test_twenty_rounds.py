"""A long life: twenty rounds of growing and compacting, and what must still be there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import call, letters, model, record, result, system, user
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.ledger import MAX_FACTS
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.view import View, assemble, view_after, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Compaction, Transcript, Trigger

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
