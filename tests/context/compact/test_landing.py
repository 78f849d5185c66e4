"""A compaction brings the request to the share that its policy names, in every window and for every kind of talk.

What it brings it to is read off the request that would be sent, and its share is computed here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from builders import call, letters, model, record, result, system, user
from desktop_app.commands.policy_command import report_of
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of, plan_compaction
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.fitting import acting_policy, fit_policy
from desktop_app.context.policy import ContextPolicy, budget_for
from desktop_app.context.presets import AGGRESSIVE, BALANCED, FOR_PEOPLE, LMSTUDIO, OPENCODE, RELAXED
from desktop_app.context.view.view import view_of, with_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger
from desktop_app.conversation.words import lexicon
from desktop_app.settings import Settings

WINDOWS = (8_192, 16_384, 32_768, 131_072, 200_000, 1_000_000)
WORDS = sorted(
    lexicon(
        "parser reads value returns index cache server client store lexer render checks every line before we decide "
        "which module owns session token retry limit queue batch schema column merge commit deploy never always must"
    )
)
DOCS = Path(__file__).parents[3] / "docs" / "policies.md"
Kind = Callable[[random.Random, int], Iterator[Message]]
OFF = 0.05
"""Of the usable window: by how much a compaction may miss what its policy names."""


def prose(dice: random.Random, tokens: int) -> str:
    """Sentences with names and numbers in them, of about so many tokens by letters."""
    text = ""
    while len(text) < 4 * tokens:
        words = " ".join(dice.choice(WORDS) for _ in range(dice.randrange(6, 14)))
        text += f"{words.capitalize()} at {dice.choice(WORDS)}_{dice.randrange(999)}. "
    return text[: 4 * tokens]


def chat(dice: random.Random, usable: int) -> Iterator[Message]:
    size = max(usable // 30_000, 1)
    yield user(prose(dice, size * dice.randrange(20, 120)))
    yield model(prose(dice, size * dice.randrange(40, 240)))


def tools(dice: random.Random, usable: int) -> Iterator[Message]:
    yield user(prose(dice, 30))
    for _ in range(dice.randrange(1, 4)):
        yield model("I look.", call("read", f'{{"path": "src/{dice.choice(WORDS)}_{dice.randrange(99)}.py"}}'))
        yield result(prose(dice, dice.randrange(20, max(round(usable * 0.04), 60))), name="read")
    yield model(prose(dice, 60))


def long_messages(dice: random.Random, usable: int) -> Iterator[Message]:
    yield user(prose(dice, round(usable * dice.uniform(0.01, 0.06))))
    yield model(prose(dice, round(usable * dice.uniform(0.02, 0.06))))


KINDS = (chat, tools, long_messages)


def landings(policy: ContextPolicy, window: int, kind: Kind, rounds: int) -> list[float]:
    """The shares of the usable window that are sent after each of the first compactions of one conversation."""
    dice, counts, budget = random.Random(window), letters(), budget_for(policy, window)
    fitted, found, number = fit_policy(policy, budget), [], count()
    transcript = record(system("x" * 4 * 1_350))  # as long as a prompt with our tools
    while len(found) < rounds:
        said, size = [], request_tokens(view_of(transcript), counts)
        while size < max(fitted.background_at, 0.7) * budget.usable:
            said += [replace(message, id=f"n{next(number)}") for message in kind(dice, budget.usable)]
            size = request_tokens(view_of(transcript), counts) + sum(map(counts.total, said))
        transcript = with_entries(transcript, *said)
        view = view_of(transcript)
        plan = plan_compaction(view, fitted, budget, counts, request_tokens(view, counts), Trigger.BEFORE_REQUEST)
        assert plan is not None
        step = compaction_of(plan, transcript, view, counts)
        assert step is not None
        transcript = with_entries(transcript, replace(step, id=f"c{len(found)}"))
        found.append(request_tokens(view_of(transcript), counts) / budget.usable)
    return found


@pytest.mark.parametrize(
    "window", [*WINDOWS[:3], *(pytest.param(window, marks=pytest.mark.long) for window in WINDOWS[3:])]
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_compaction_lands_where_its_policy_says(kind: Kind, window: int) -> None:
    reached = []
    for policy in (*FOR_PEOPLE, OPENCODE, LMSTUDIO):
        budget = budget_for(policy, window)
        named = report_of(acting_policy(policy, budget), Settings(), budget=budget)
        (said,) = [f["value"] for group in named["groups"] for f in group["fields"] if f["field"] == "target"]
        found = landings(policy, window, kind, rounds=2 if window < 100_000 else 1)
        assert all(abs(share - said) <= OFF for share in found), f"{policy.name} names {said:.2f}: {found}"
        reached.append(sum(found) / len(found))
    relaxed, balanced, aggressive, *_ = reached
    assert relaxed - balanced >= 0.08, "one sees which of them is chosen"
    assert balanced - aggressive >= 0.08


@pytest.mark.long
@pytest.mark.parametrize("window", WINDOWS[:4])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("trigger", [Trigger.BEFORE_REQUEST, Trigger.STREAMING])
def test_lmstudio_frees_40_to_60_percent_at_each_moment(trigger: Trigger, kind: Kind, window: int) -> None:
    """As its page says, "40-60% token reduction": from 68 or 75 % of the window as from 90 % while a reply streams."""
    budget, counts, dice = budget_for(LMSTUDIO, window), letters(), random.Random(window)
    fitted, said, size = fit_policy(LMSTUDIO, budget), [system("x" * 400)], 0
    while size < (0.9 * window if trigger is Trigger.STREAMING else fitted.compact_at * budget.usable):
        said += kind(dice, budget.usable)
        size = sum(map(counts.total, said))
    transcript = record(*said)
    view = view_of(transcript)
    plan = next_step(view, fitted, budget, counts, trigger)
    assert isinstance(plan, CompactionPlan)
    step = compaction_of(plan, transcript, view, counts)
    assert step is not None
    assert 0.40 <= 1 - step.tokens_after / step.tokens_before <= 0.60


def test_the_table_of_the_docs_has_what_the_policies_say() -> None:
    rows = [line.strip("| ").split(" | ") for line in DOCS.read_text(encoding="utf-8").splitlines()]
    for policy in FOR_PEOPLE:
        shares = [f"{fit_policy(policy, budget_for(policy, window)).target:.0%}" for window in WINDOWS]
        assert [policy.name, *(share.replace("%", " %") for share in shares)] in rows


def test_each_of_the_presets_names_its_own_share_in_every_window() -> None:
    for window in WINDOWS:
        shares = [fit_policy(policy, budget_for(policy, window)).target for policy in (RELAXED, BALANCED, AGGRESSIVE)]
        assert all(round(one - other, 9) >= 0.10 for one, other in pairwise(shares)), window
    assert [policy.target for policy in (RELAXED, BALANCED, AGGRESSIVE)] == [0.50, 0.30, 0.20]
