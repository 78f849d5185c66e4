"""Policies of the user's own: a preset with other numbers, of which whatever is wrong is left out and told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.context.fitting import acting_policy
from desktop_app.context.policy import BALANCED, NO_LIMIT, ContextPolicy, budget_for
from desktop_app.context.policy_fields import SOURCES
from desktop_app.context.presets import (
    PRESETS,
    RELAXED,
    WrongNumber,
    bounds_in_words,
    checked_value,
    choices_of,
    describe_policy,
    differences,
    faults_of,
    find_policy,
    own_policy_of,
    policy_of,
    text_of_value,
    value_of_text,
)
from desktop_app.conversation.setup import OwnPolicy
from texts import PERCENTS

FIELDS = st.sampled_from(sorted(SOURCES))
POLICIES = st.sampled_from(sorted(PRESETS)).map(PRESETS.__getitem__)


@pytest.mark.parametrize("policy", PRESETS.values(), ids=lambda policy: policy.name)
def test_every_preset_keeps_the_bounds_of_every_field(policy: ContextPolicy) -> None:
    assert SOURCES.keys() == {field.name for field in msgspec.structs.fields(ContextPolicy)} - {"name"}
    for field in SOURCES:
        assert checked_value(field, getattr(policy, field)) == getattr(policy, field)


@given(POLICIES, FIELDS)
def test_what_a_field_is_written_as_is_read_again(policy: ContextPolicy, field: str) -> None:
    value = getattr(policy, field)
    assert value_of_text(field, text_of_value(field, value)) == value


@given(POLICIES, POLICIES)
def test_only_what_differs_is_stored_and_it_comes_back(base: ContextPolicy, other: ContextPolicy) -> None:
    mine = replace(other, name="mine")
    own = own_policy_of(mine, base.name)
    assert set(own.numbers) == set(differences(mine, base.name))
    assert (base is other) is (not own.numbers)
    stored = msgspec.json.decode(msgspec.json.encode(own), type=OwnPolicy)
    assert policy_of(stored) == mine
    assert faults_of([stored]) == []


@given(
    FIELDS | st.text(max_size=5),
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers() | st.text()),
)
def test_whatever_stands_in_the_file_gives_a_policy_that_can_be_used(field: str, value: Any) -> None:
    own = OwnPolicy("mine", "relaxed", {field: value, "max_summary": 3_000})
    made = policy_of(own)
    is_wrong = bool(faults_of([own]))
    assert all(source.has_within(getattr(made, name)) for name, source in SOURCES.items())
    if field != "max_summary":
        assert made.max_summary == 3_000, "the rest is used"
    if is_wrong:
        assert made == replace(RELAXED, name="mine", max_summary=2_000 if field == "max_summary" else 3_000)
    for window in (1_000, 32_000):
        acting_policy(made, budget_for(made, window))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("compact_at", 1.5),
        ("compact_at", "90"),
        ("compact_at", float("nan")),
        ("max_summary", 0),
        ("max_summary", 2.5),
        ("buffer_share_of_rest", 1.0),
        ("call_seconds", NO_LIMIT),
        ("phases", ["at_noon"]),
        ("prune_order", ["by_chance"]),
        ("overflow_shed", [0.1, 2.0]),
        ("truncate_tools", [["read", -1]]),
        ("is_automatic", 1),
        ("name", "other"),
        ("compact_when", 0.9),
    ],
)
def test_a_wrong_number_is_told_with_its_policy_and_its_field(field: str, value: Any) -> None:
    (fault,) = faults_of([OwnPolicy("mine", "balanced", {field: value})])
    assert field in fault
    assert "mine" in fault


def test_names_are_unique_and_no_preset_can_be_replaced() -> None:
    wrong = OwnPolicy("balanced", numbers={"compact_at": 0.5})
    assert faults_of([wrong])
    assert find_policy("balanced", [wrong]) is BALANCED
    first, second = OwnPolicy("mine", numbers={"compact_at": 0.5}), OwnPolicy("mine", numbers={"compact_at": 0.6})
    assert len(faults_of([first, second])) == 1
    assert (found := find_policy("mine", [first, second])) is not None
    assert found.compact_at == 0.5
    assert find_policy("other", [first]) is None
    unknown = OwnPolicy("mine", "cautious", {"compact_at": 0.5})
    assert "cautious" in faults_of([unknown])[0]
    assert policy_of(unknown) == replace(BALANCED, name="mine", compact_at=0.5)
    assert describe_policy(policy_of(first), [first]).endswith("balanced in 1 field")


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("compact_at", "85%", 0.85),
        ("compact_at", " 85 % ", 0.85),
        ("compact_at", "0.85", 0.85),
        ("max_tail", "20,000", 20_000),
        ("max_tail", "20_000 tokens", 20_000),
        ("max_tail", "no limit", NO_LIMIT),
        ("is_automatic", "no", False),
        ("shares_of", "window", "window"),
        ("truncate_keep", "head tail", "head_tail"),
        ("phases", "streaming, after_turn", ("streaming", "after_turn")),
        ("prune_order", "none", ()),
        ("overflow_shed", "10 %, 100 %", (0.1, 1.0)),
        ("truncate_tools", "read=100,000; bash=5", (("read", 100_000), ("bash", 5))),
        ("truncate_tools", "read=60000, bash=20000", (("read", 60_000), ("bash", 20_000))),
        ("truncate_tools", "read=60,000,bash=20,000 characters, ", (("read", 60_000), ("bash", 20_000))),
        ("truncate_tools", "read = no limit , x__y=1,000,000", (("read", NO_LIMIT), ("x__y", 1_000_000))),
        ("truncate_tools", "bash=20000", (("bash", 20_000),)),
    ],
)
def test_people_write_values_in_many_ways(field: str, text: str, value: Any) -> None:
    assert value_of_text(field, text) == value


@pytest.mark.parametrize(
    ("field", "text"),
    [("compact_at", "85"), ("compact_at", "much"), ("max_tail", "-1"), ("max_tail", "1.5"), ("is_automatic", "maybe"),
     ("shares_of", "all"), ("truncate_tools", "read"), ("unknown", "1"), ("truncate_tools", "=5"),
     ("truncate_tools", "read=60000, bash"), ("truncate_tools", "read=60000, bash=")],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(field: str, text: str) -> None:
    with pytest.raises(WrongNumber, match=field):
        value_of_text(field, text)


@given(st.dictionaries(st.from_regex(r"[a-z_.-]{1,8}", fullmatch=True), st.integers(0, 10_000_000), max_size=5))
def test_the_limits_of_tools_are_read_however_they_are_separated(limits: dict[str, int]) -> None:
    expected = tuple(limits.items())
    for number in ("{}={}", "{} = {:,}"):
        for between in (",", ", ", ";", " ; "):
            text = between.join(number.format(*limit) for limit in limits.items())
            assert value_of_text("truncate_tools", text) == expected
            assert policy_of(OwnPolicy("mine", numbers={"truncate_tools": text})).truncate_tools == expected
    assert policy_of(OwnPolicy("mine", numbers={"truncate_tools": limits})).truncate_tools == expected


def test_bounds_and_choices_can_be_told() -> None:
    assert bounds_in_words(SOURCES["compact_at"]) == PERCENTS
    assert "no limit" in bounds_in_words(SOURCES["max_tail"])
    assert set(choices_of("strategy")) == {"auto", "llm", "provider", "extractive", "last_messages"}
    assert choices_of("max_tail") == choices_of("phases") == ()
