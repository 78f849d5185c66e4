"""A head that is read in parts, or behind the conversation's own request: lengths, prices, one page from several."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from builders import exchange, letters, view
from desktop_app.chat.compaction.summary_way import Ride, ways_of
from desktop_app.chat.ports import Price
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.summary.model_summary import (
    THOUGHTS,
    Draft,
    OwnRequest,
    estimate_of_ride,
    question_tokens,
    ride_reply,
)
from desktop_app.context.summary.prompt import MessagePiece, SummaryTask
from desktop_app.context.summary.summary_reply import join_pages
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Usage
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.transcript import Trigger
from summary_prompts import BARE, words

PRICE = Price(3e-6, 15e-6, 3e-7, 3.75e-6)


def piece(text: str, tokens: int) -> MessagePiece:
    return MessagePiece("m1 user", text, tokens)


def draft(
    sizes: list[int], budget: int = 600, musts: tuple[str, ...] = (), earlier: str = "", question: str = "Sum up."
) -> Draft:
    parts = tuple((piece(f"part{number} text", size),) for number, size in enumerate(sizes))
    plan = CompactionPlan(Trigger.USER, ("a",), round(budget / 0.8), 9_000, 3_000, 1_000, 1)
    return Draft(plan, (), Ledger(), earlier, SummaryTask(BARE, budget, musts), {}, parts, 4_000, question)


def own(total: int = 50_000, cached: int = 49_000, window: int = 200_000, **more) -> OwnRequest:
    return OwnRequest(total, cached, window, **more)


SIZES = st.lists(st.integers(200, 50_000), min_size=1, max_size=16)


@given(SIZES, st.integers(400, 2_000), st.booleans())
def test_the_parts_share_the_length_and_each_sentence_is_asked_for_once(
    sizes: list[int], budget: int, has_earlier: bool
) -> None:
    musts = (*(f"part{number}" for number in range(0, len(sizes), 2)), "nowhere")
    tasks = draft(sizes, budget, musts, "Earlier." if has_earlier else "").tasks()
    assert len(tasks) == len(sizes)
    assert sum(task.budget for task in tasks) <= budget + 40 * len(sizes)
    assert sorted(must for task in tasks for must in task.musts) == sorted(musts)
    for number, task in enumerate(tasks):
        assert all(must == "nowhere" or must == f"part{number}" or len(sizes) == 1 for must in task.musts)
    assert "nowhere" in tasks[0].musts


@given(
    st.integers(1_000, 300_000),
    st.integers(1_000, 200_000),
    st.floats(0.7, 1.5),
    st.booleans(),
    st.integers(60, 2_000),
)
def test_the_question_and_the_summary_fit_into_the_window_or_nothing_is_asked(
    window: int, total: int, factor: float, is_reasoning: bool, budget: int
) -> None:
    asked, request = draft([500], budget), own(total, total, window, factor=factor, is_reasoning=is_reasoning)
    reply = ride_reply(asked, request, words)
    needed = round((2 * budget + 500) * factor) + (THOUGHTS if is_reasoning else 0)
    if reply:
        assert total + question_tokens(asked, request, words) + reply <= window
        assert reply >= needed
    else:
        assert total + question_tokens(asked, request, words) + needed > window


def test_a_question_that_is_not_in_the_prompts_is_not_asked() -> None:
    assert ride_reply(draft([500], question=""), own(), words) == 0


def ride(request: OwnRequest) -> Ride:
    shown = view(*exchange(["Hi", "Hello"]))
    return Ride(shown, letters().dialect, ReplyOptions(), request)


def test_both_ways_are_priced_as_the_provider_bills_them() -> None:
    asked, request = draft([30_000, 20_000]), own()
    ways = ways_of(asked, ride(request), PRICE, 16, words)
    assert ways.chosen is ways.ride
    assert ways.ride is not None
    assert ways.parts is not None
    question = question_tokens(asked, request, words)
    written = 50_000 - 49_000 + question
    by_hand = 49_000 * 0.3 / 1e6 + written * 3.75 / 1e6 + 750 * 15 / 1e6
    assert ways.ride.dollars is not None
    assert abs(ways.ride.dollars - by_hand) < 1e-9
    assert ways.ride.dollars == PRICE.of(estimate_of_ride(asked, request, words).usage)
    assert estimate_of_ride(asked, request, words).usage == Usage(50_000 + question, 750, 49_000, written)
    assert ways.parts.dollars is not None
    assert ways.parts.dollars > 50_000 * 3 / 1e6
    assert ways.parts.estimate.calls == 2


def test_the_messages_are_sent_as_text_if_that_is_the_only_way_or_the_cheaper_one() -> None:
    asked = draft([30_000])
    assert ways_of(asked, None, PRICE, 16, words).refusal
    assert ways_of(asked, ride(own(cached=0)), PRICE, 16, words).refusal
    assert ways_of(asked, ride(own(window=50_500)), PRICE, 16, words).refusal
    assert not ways_of(asked, ride(own()), PRICE, 16, words).refusal
    assert not ways_of(asked, ride(own()), None, 16, words).refusal, "without a price it is at least quicker"
    same = Price(3e-6, 15e-6)  # a provider without a discount
    assert ways_of(draft([900]), ride(own()), same, 16, words).refusal, "the head alone is cheaper"
    too_many = draft([900] * 17)
    assert ways_of(too_many, ride(own()), PRICE, 16, words).chosen is not None, "one question instead of 17"
    assert ways_of(too_many, ride(own(cached=0)), PRICE, 16, words).chosen is None


LINE = st.sampled_from(
    ("- Use port 8080.", "- Never on Fridays.", "It began with a log.", "The parser was chosen.", "1. First.")
)
SECTION = st.tuples(
    st.sampled_from(("", "## Rules", "## Decisions", "# State")), st.lists(LINE, min_size=1, max_size=4, unique=True)
)
PAGES = st.lists(
    st.lists(SECTION, min_size=1, max_size=3).map(
        lambda sections: "\n\n".join("\n".join(filter(None, (title, *lines))) for title, lines in sections)
    ),
    min_size=1,
    max_size=5,
)


@given(PAGES)
def test_nothing_is_lost_and_the_order_is_kept_when_pages_become_one(pages: list[str]) -> None:
    joined = join_pages(pages)
    if len(pages) == 1:
        assert joined == pages[0]
        return
    lines = [line for line in joined.splitlines() if line]
    assert {line for page in pages for line in page.splitlines() if line} == set(lines)
    titles = [line for line in lines if line.startswith("#")]
    assert len(titles) == len(set(titles)), "each section once"
    for title in titles:
        first = next(number for number, page in enumerate(pages) if title in page.splitlines())
        later = [t for t in titles[titles.index(title) + 1 :]]
        assert all(next(n for n, page in enumerate(pages) if t in page.splitlines()) >= first for t in later)


def test_code_that_two_parts_have_stays_whole() -> None:
    pages = ["## Code\n```\n# not a heading\nx = 1\n```", "## Code\n```\n# not a heading\nx = 1\ny = 2\n```"]
    assert join_pages(pages) == "## Code\n" + "\n\n".join(page.removeprefix("## Code\n") for page in pages)
