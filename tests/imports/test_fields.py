"""Objects of foreign files, read field by field."""

from __future__ import annotations

import json
import math

import pytest

from desktop_app.imports.format import MAX_LEVELS, TOO_DEEP, Fields, json_of, seconds_of


def test_a_list_of_texts_with_anything_else_in_it_is_kept_whole() -> None:
    fields = Fields({"models": ["a", "b"], "tags": ["x", 7]})
    assert fields.strings("models") == ["a", "b"]
    assert fields.strings("tags") == ["x"]
    assert fields.rest() == {"tags": ["x", 7]}


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 10**400, -(10**400), 2**63, True, "1"])
def test_a_number_that_counts_nothing_is_none(number: object) -> None:
    assert Fields({"n": number}).count("n") == Fields({"n": number}).number("n") == 0
    assert seconds_of(number) == 0.0


def test_what_is_nested_too_deeply_is_cut_off_and_told() -> None:
    value: object = 1
    for _ in range(20_000):
        value = {"a": value}
    kept = json_of(value)
    assert (kept.count('"a"'), TOO_DEEP in kept) == (MAX_LEVELS, True)
    assert json.loads(kept)
