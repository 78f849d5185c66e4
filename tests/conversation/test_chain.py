from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.transcript import Chain, GrowingSet


def test_an_older_version_branches_and_the_newest_stays_untouched() -> None:
    root = Chain([1, 2])
    left = root.append(3)
    right = root.append(4)
    assert (list(left), list(right)) == ([1, 2, 3], [1, 2, 4])
    assert list(right.append(5)) == [1, 2, 4, 5]
    assert list(left) == [1, 2, 3]


def test_the_newest_version_shares_and_a_branch_does_not() -> None:
    root = Chain([1])
    grown = root.append(2)
    assert grown.extends(root)
    assert not root.extends(grown)
    assert not root.append(3).extends(grown), "that one is a branch with a list of its own"


@given(st.lists(st.integers()), st.integers(-6, 6), st.none() | st.integers(-6, 6), st.sampled_from([None, 1, 2, -1]))
def test_it_reads_like_a_list(elements: list[int], start: int, stop: int | None, step: int | None) -> None:
    chain = Chain[int]()
    for element in elements:
        chain = chain.append(element)
    later = chain.append(99)
    assert list(chain) == elements
    assert chain[start:stop:step] == elements[start:stop:step]
    assert chain == Chain(elements)
    assert list(reversed(chain)) == elements[::-1]
    assert len(later) == len(elements) + 1
    if elements:
        assert (chain[0], chain[-1]) == (elements[0], elements[-1])


@pytest.mark.parametrize("index", [1, -2, 7])
def test_an_index_outside_of_this_version_is_an_error_even_if_a_later_one_has_it(index: int) -> None:
    first = Chain([1])
    first.append(2)
    with pytest.raises(IndexError):
        first[index]


def test_equal_chains_have_equal_hashes_and_other_things_are_not_equal() -> None:
    assert hash(Chain([1, 2])) == hash(Chain([1]).append(2))
    assert Chain([1]) != [1]
    assert repr(Chain([1])) == "Chain([1])"


def test_a_growing_set_branches_as_a_chain_does() -> None:
    root = GrowingSet().add("a")
    left, right = root.add("b"), root.add("c")
    assert [[name in names for name in "abc"] for names in (root, left, right)] == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert [len(root), len(left), len(right)] == [1, 2, 2]
