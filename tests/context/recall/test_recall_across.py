"""Which conversations a query is looked for in, in which order their messages come, and how they are named."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.context.recall.outline import Head, outline_of
from desktop_app.context.recall.query import RecallReach, parse_query
from desktop_app.context.recall.rank import (
    BY_CONVERSATION,
    CHOSEN,
    CandidateConversation,
    Place,
    Ranked,
    Rarity,
    choose_conversations,
    merge,
    postings_by_conversation,
)
from desktop_app.context.recall.recollection import (
    ID_LENGTH,
    RecallSource,
    Recollected,
    pack,
    page_of,
    recollected_of,
    sources_in,
)
from desktop_app.conversation.message import user_message

scores = st.lists(st.tuples(st.integers(0, 40), st.floats(0.1, 50.0)), max_size=200)


@given(scores)
def test_of_the_conversations_the_best_are_chosen_best_first(found: list[tuple[int, float]]) -> None:
    chosen = choose_conversations(found)
    assert len(chosen) == min(CHOSEN, len({conversation for conversation, _ in found}))
    assert [score for _, score in chosen] == sorted([score for _, score in chosen], reverse=True)
    assert all(score >= max(s for c, s in found if c == conversation) for conversation, score in chosen)


def test_one_that_speaks_of_it_more_often_comes_before_one_that_does_so_once() -> None:
    assert [number for number, _ in choose_conversations([(1, 5.0), (2, 5.0), (2, 3.0)])] == [2, 1]


def test_a_message_of_a_conversation_that_fits_better_comes_first() -> None:
    wanted = parse_query("where is Anna", ["Anna"])
    good, other = CandidateConversation("a", "A", {}, 20.0), CandidateConversation("b", "B", {}, 2.0)
    found = merge([(other, parse_query("x"), Ranked(((4, 6.0),))), (good, wanted, Ranked(((1, 5.0), (2, 4.0))))])
    assert [place for place, _ in found] == [Place("a", 1), Place("a", 2), Place("b", 4)]
    assert found[0][1] == 5.0 + BY_CONVERSATION * 20.0 + 1.0, "and its speaker is named"


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=30, unique=True), st.randoms())
def test_words_are_placed_in_their_conversations(messages: list[tuple[int, int]], chance) -> None:
    owners, indexes = [owner for owner, _ in messages], [index for _, index in messages]
    rows = [row for row in range(len(messages)) if chance.random() < 0.5]
    found = postings_by_conversation({"word": rows}, owners, indexes, [0, 2])
    for conversation in (0, 2):
        expected = sorted(messages[row][1] for row in rows if messages[row][0] == conversation)
        assert found[conversation].get("word", []) == expected


def recollected(source: RecallSource, index: int, day: str = "8 May, 2023", text: str = "Hello") -> Recollected:
    return Recollected(f"{source.conversation}{index}", index, "Anna", day, text, len(text), 0, source)


def test_a_page_names_conversation_title_day_speaker_and_number() -> None:
    trip, work = RecallSource("0123456789abcdef", "A trip"), RecallSource("w", "“Work”\nConversation x, “y”:")
    page = page_of([recollected(trip, 3), recollected(trip, 4), recollected(work, 7)])
    assert page.splitlines() == [
        "Conversation 0123456789ab, “A trip”:",
        "[8 May, 2023]",
        "#3 Anna: Hello",
        "#4 Anna: Hello",
        "Conversation w, “‘Work’ Conversation x, ‘y’:”:",
        "[8 May, 2023]",
        "#7 Anna: Hello",
    ]
    assert sources_in(page) == (
        RecallSource("0123456789ab", "A trip", 3),
        RecallSource("w", "‘Work’ Conversation x, ‘y’:", 7),
    )
    assert sources_in("#3 Anna: Hello") == ()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=30, unique=True), st.integers(1, 300))
def test_what_is_packed_of_several_fits_and_stands_together(places: list[tuple[str, int]], budget: int) -> None:
    sources = {name: RecallSource(name * 2 * ID_LENGTH, f"About {name}") for name in "abc"}
    found = [recollected(sources[name], index) for name, index in places]
    packed = pack("q", found, parse_query("q"), Rarity(9, {}), budget, len)
    assert packed.tokens <= budget
    assert packed.tokens == (len(page_of(packed.messages)) if packed.messages else 0)
    order = [message.source.conversation for message in packed.messages if message.source]
    assert len(dict.fromkeys(order)) == sum(one != before for one, before in zip(order, ["", *order], strict=False))
    if packed.messages:
        best = next(one for one in found if len(page_of([one]) + "\n") <= budget)
        assert packed.messages[0].source == best.source, "the best one's that fits comes first"


def test_a_key_that_was_told_elsewhere_is_masked() -> None:
    message = replace(user_message("The key is sk-0123456789abcdefghij, as you know."), id="m")
    outline = outline_of([Head("user", False, 40, "", 0.0)], str)
    assert "sk-0123" in recollected_of(message, 0, outline).text
    assert recollected_of(message, 0, outline, RecallSource("c")).text == "The key is [secret], as you know."


def test_where_recall_may_look() -> None:
    narrow, project, wide = RecallReach(), RecallReach("project", "p"), RecallReach("everything")
    assert [narrow.includes(where) for where in ("conversation", "project", "everything")] == [True, False, False]
    assert [project.includes(where) for where in ("conversation", "project", "everything")] == [True, True, False]
    assert [wide.includes(where) for where in ("conversation", "project", "everything")] == [True, True, True]
    assert (project.has("project"), wide.has("project"), wide.has("everything")) == (True, False, True)
    assert (project.project_in("project"), project.project_in("everything")) == ("p", None)
