"""A new note beside those that are there: the same, instead of one, or new."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.context.memory.memories import find_meant, find_replaced, find_same
from desktop_app.conversation.memory import Memory
from examples import examples


def memory(text: str, memory_id: str = "m", **fields) -> Memory:
    return Memory(memory_id, text, 1.0, 1.0, **fields)


SAME = [
    ("The user's name is Ann.", "the user's name is Ann"),
    ("The user's name is Ann.", "My name is Ann."),
    ("The user likes green tea.", "The user said: “I like green tea.”"),
    ("The user lives in Berlin, Germany.", "The user lives in Berlin."),
    ("The user prefers tabs over spaces.", "The user usually prefers tabs over spaces!"),
    ("Never push on Fridays.", "never push on fridays"),
    ("用户住在柏林。", "用户住在柏林"),
]
REPLACES = [
    ("The user's name is Ann.", "The user's name is Bob."),
    ("The user said: “My name is Ann.”", "The user's name is Bob."),
    ("The user lives in Berlin.", "The user lives in Oslo now."),
    ("The user lives in Berlin.", "The user has moved to Oslo."),
    ("The user's dog is called Rex.", "The user's dog is called Max."),
    ("The project's deadline is Friday.", "The project's deadline is Monday."),
    ("The user's favourite colour is blue.", "The user's favourite colour is red."),
    ("The user is 41 years old.", "The user is 42 years old."),
    ("The user likes coffee.", "The user does not like coffee."),
    ("The user likes coffee.", "The user hates coffee."),
    ("The user doesn't eat meat.", "The user eats meat."),
    ("Always push to main.", "Never push to main."),
    ("The user prefers tabs.", "The user prefers spaces."),
    ("The user prefers tabs over spaces.", "The user prefers spaces over tabs."),
    ("The user wants tests written with pytest.", "The user wants tests written with unittest."),
    ("The user lives in Berlin.", "The user lives in Berlin, near the zoo."),
    ("Use npm for this project.", "Use yarn instead of npm for this project."),
    ("Ich heiße Anna.", "Ich heiße Berta."),
    ("Je m'appelle Anne.", "Je m'appelle Marie."),
]
NEW = [
    ("The user likes tea.", "The user likes coffee."),
    ("The user likes English breakfast.", "The user likes Italian breakfast."),
    ("The user's name is Ann.", "The user's dog is called Max."),
    ("The user is called Ann.", "The user's dog is called Max."),
    ("The user's sister Anna lives in Rome.", "The user lives in Rome."),
    ("The user lives in Berlin.", "The user's sister lives in Oslo."),
    ("Never push on Fridays.", "Never push."),
    ("Never push.", "Never push on Fridays."),
    ("The user's project is written in Go.", "The user's project is due in May."),
    ("The user has a cat named Tom.", "The user has a cat named Jerry."),
    ("The user's best friend is Ann.", "The user's best friend is a nurse."),
    ("Issue 17 is the user's.", "Issue 18 is the user's."),
    ("The user speaks German.", "The user speaks French."),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_says_the_same_is_known(old: str, new: str) -> None:
    held = [memory("It rains."), memory(old, "old")]
    assert find_same(held, new) is held[1]


@pytest.mark.parametrize(("old", "new"), REPLACES)
def test_what_cannot_hold_any_more_is_replaced(old: str, new: str) -> None:
    held = [memory("It rains."), memory(old, "old")]
    assert find_same(held, new) is None
    assert find_replaced(held, new) == held[1:]


@pytest.mark.parametrize(("old", "new"), NEW)
def test_what_may_hold_beside_it_is_new(old: str, new: str) -> None:
    assert find_same([memory(old)], new) is None
    assert find_replaced([memory(old)], new) == []


def test_several_may_be_replaced_and_nothing_that_was_deleted() -> None:
    held = [memory("The user lives in Rome.", "a"), memory("The user lives in Oslo.", "b")]
    assert find_replaced([*held, memory("The user lives in Ulm.", is_deleted=True)], "The user lives in Bonn.") == held
    assert find_same([memory("The user likes tea.", is_deleted=True)], "The user likes tea.") is None


def test_a_memory_is_found_by_the_words_that_are_quoted_of_it() -> None:
    held = [memory("The user drinks tea in the morning.", "tea"), memory("The user's name is Ann.", "name")]
    found = find_meant(held, "the user drinks tea")
    assert found is not None
    assert found.id == "tea"
    assert find_meant(held, "the capital of France") is None
    assert find_meant(held, "the") is None
    assert find_meant([], "tea") is None


SAID = "the user likes does not never tea coffee lives in Berlin Oslo name is Ann Bob tabs spaces prefers over 7 用户"
WORDS = st.sampled_from([*SAID.split(), "always", "instead", "actually"])
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), st.text(max_size=40))


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(TEXTS, max_size=6), TEXTS)
def test_once_it_is_kept_it_is_the_same_as_itself(texts: list[str], text: str) -> None:
    held = [memory(old, f"m{number}") for number, old in enumerate(texts)]
    if find_same(held, text) is None:
        replaced = find_replaced(held, text)
        held = [*(one for one in held if one not in replaced), memory(text, "new")]
    assert find_same(held, text) is not None
