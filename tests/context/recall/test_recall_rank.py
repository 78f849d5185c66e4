from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.ledger.prose import without_stamp
from desktop_app.context.recall.outline import Head, Outline, outline_of
from desktop_app.context.recall.passage_cuts import BITS
from desktop_app.context.recall.query import indexes_named, parse_query
from desktop_app.context.recall.rank import (
    CANDIDATES,
    MAX_OPEN,
    Ranked,
    rank,
    rarity_of,
    score_words,
)

CHAT = [
    ("Anna", "[1:00 pm on 8 May, 2023] Hey Ben!"),
    ("Ben", "Hi Anna, how was the weekend?"),
    ("Anna", "We painted the fence, and the cat watched."),
    ("Ben", "Do you play any music?"),
    ("Anna", "Yes, since I was seven."),
    ("Ben", "That is long."),
    ("Ben", "[9:00 am on 2 June, 2023] Good morning Anna"),
    ("Anna", "I bought a violin in Rome."),
    ("Ben", "I would like to see Rome too."),
    ("Anna", "You should go."),
]


def outlined(chat: list[tuple[str, str]]) -> Outline:
    return outline_of([Head(name, True, len(text), without_stamp(text)[0], 0.0) for name, text in chat], str)


def held_in(chat: list[tuple[str, str]], terms: list[str]) -> dict[str, tuple[int, ...]]:
    """What the archive's index would say, without word forms."""
    found = {
        term: tuple(
            n << BITS for n, (_, text) in enumerate(chat) if re.search(rf"\b{re.escape(term)}\b", text, re.IGNORECASE)
        )
        for term in terms
    }
    return {term: held for term, held in found.items() if held}


def ranked(query: str, chat: list[tuple[str, str]] = CHAT, among: set[int] | None = None) -> Ranked:
    outline = outlined(chat)
    wanted = parse_query(query, outline.named)
    held = held_in(chat, list(wanted.words))
    own = score_words(wanted.words, outline, held, rarity_of(held, outline.passages))
    return rank(wanted, outline, held, own, among, of_days=indexes_named(outline, query))


def order(query: str, chat: list[tuple[str, str]] = CHAT, among: set[int] | None = None) -> list[int]:
    return [index for index, _ in ranked(query, chat, among).scores]


def test_a_conversation_from_afar() -> None:
    outline = outlined(CHAT)
    assert outline.days == ("8 May, 2023", "2 June, 2023")
    assert outline.sessions == (0,) * 6 + (1,) * 4
    assert outline.day_of(7) == "2 June, 2023"
    assert outline.named == {"Anna", "Ben"}
    heads = [Head("user", False, 5, "", at) for at in (0.0, 60.0, 90_000.0, 90_001.0)]
    assert outline_of(heads, str).sessions == (0, 0, 1, 1)
    assert outline_of(heads, str).days == ("0.0", "90000.0")
    assert outline_of([], str) == Outline()


def test_rare_words_count_more_and_the_best_comes_first() -> None:
    assert order("a violin in Rome")[0] == 7
    assert order("the fence")[0] == 2


def test_the_answer_beside_a_question_comes_before_what_has_nothing_to_do_with_it() -> None:
    assert order("Who plays music?")[:2] == [3, 4]  # "Yes, since I was seven." holds none of the words


def test_neighbours_end_with_the_session() -> None:
    assert 6 not in order("That is long")[:5]
    assert 5 in order("That is long")


def test_messages_of_a_speaker_who_is_named_come_first() -> None:
    assert order("What did Ben say about Rome?")[0] == 8
    assert order("What did Anna say about Rome?")[0] == 7


def test_days_that_are_named_count_for_their_messages() -> None:
    assert set(order("What happened in June 2023?")[:4]) == {6, 7, 8, 9}
    assert set(order("What happened on 8 May?")[:6]) == set(range(6))
    assert set(order("Anything on 2023-06-02?")[:4]) == {6, 7, 8, 9}
    assert indexes_named(outlined(CHAT), "Anything on 2023-06-03?") == frozenset()
    assert order("Anything on 2023-06-03?")[0] == 6, "a stamp with one of its numbers, and not the day of another"


def test_only_those_that_are_asked_for() -> None:
    assert order("Rome", among={8, 9}) == [8, 9]
    assert order("Rome", among=set()) == []


def test_bearing_is_what_one_message_says_of_the_query() -> None:
    long_chat = [*CHAT, *((name, f"number{n} and so on") for n in range(50) for name in ("Anna",))]
    assert ranked("When did Anna buy the violin in Rome?", long_chat).bearing > 3
    assert ranked("zebra", long_chat).bearing == ranked("").bearing == 0
    assert order("thanks, go on!") == []
    half = ranked("Which violin did the orchestra of Vienna use in 1870?", long_chat).bearing
    assert half < ranked("Which violin?", long_chat).bearing
    assert ranked("let's try the fence", long_chat).bearing == 0  # neither asks nor names: one word is chance
    assert ranked("painted the fence", long_chat).bearing > 3
    assert ranked("When was the violin bought?", long_chat, {0, 1, 2}).bearing == 0


def test_in_a_large_conversation_common_words_only_add_to_rarer_ones() -> None:
    messages = 10 * MAX_OPEN
    outline = outline_of([Head("user", False, 50, "", 0.0)] * messages, str)
    wanted = parse_query("zebra crossing street")
    places = {"zebra": (5,), "crossing": range(0, messages, 8), "street": range(3, messages, 6)}
    held = {term: tuple(index << BITS for index in indexes) for term, indexes in places.items()}
    own = score_words(wanted.words, outline, held, rarity_of(held, messages))
    assert len(own) == messages // 8 + 1  # "street" found none by itself
    best = rank(wanted, outline, held, own).scores
    assert best[0][0] == 5
    assert len(best) <= CANDIDATES
    often = {"street": tuple(index << BITS for index in range(1, messages)), "zebra": (0,)}
    rarity = rarity_of(often, messages)
    assert score_words(wanted.words, outline, often, rarity).keys() == {0}, "what nearly all hold says nothing"
    alone = score_words(parse_query("street").words, outline, often, rarity)
    assert len(alone) == messages - 1, "unless there is no other"


def test_words_in_one_passage_count_more_than_in_several_and_a_user_more_than_a_model() -> None:
    chat = [("assistant", "a"), ("user", "b"), ("assistant", "c"), ("user", "d")]
    outline = outlined([(name, "x" * 2_000) for name, _ in chat])
    held = {"zebra": (0, 2 << BITS), "crossing": (1, 2 << BITS, (3 << BITS) + 5)}
    own = score_words(parse_query("zebra crossing").words, outline, held, rarity_of(held, 40))
    assert own[2] > max(own[0], own[3])
    same = {"zebra": (0, 1 << BITS)}
    own = score_words(parse_query("zebra").words, outline, same, rarity_of(same, 40))
    assert own[1] > own[0] > 0


def test_those_that_are_asked_for_are_found_among_many_others_that_say_more() -> None:
    chat = [("Anna", "a violin in Rome and a violin in Vienna")] * 350 + [("Ben", "one violin, long ago")]
    assert order("Which violin in Rome?", chat, {350}) == [350]


words = st.sampled_from(["violin", "Rome", "cat", "fence", "tea", "and", "Anna", "May 2023"])
sentences = st.lists(words, max_size=6).map(" ".join)


@given(chat=st.lists(st.tuples(st.sampled_from(["Anna", "Ben"]), sentences), max_size=40), query=sentences)
def test_each_message_is_ranked_once_and_always_the_same(chat: list[tuple[str, str]], query: str) -> None:
    first = ranked(query, chat)
    indexes = [index for index, _ in first.scores]
    assert len(indexes) == len(set(indexes))
    assert all(0 <= index < len(chat) for index in indexes)
    assert [score for _, score in first.scores] == sorted((score for _, score in first.scores), reverse=True)
    assert first == ranked(query, chat)
    assert first.bearing >= 0
