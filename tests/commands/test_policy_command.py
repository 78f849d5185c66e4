from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from desktop_app.commands.policy_command import side_by_side
from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.presets import PRESETS, SUMMARIES
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.paths import settings_file
from desktop_app.settings import read_settings
from texts import NEEDS_A_POLICY

DOCS = Path(__file__).resolve().parents[2] / "docs" / "policies.md"
BEGIN, END = "<!-- palimpsest policy --side-by-side -->\n", "<!-- end -->\n"


def fields_of(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {field["field"]: field for group in told["groups"] for field in group["fields"]}


def test_without_a_name_each_preset_has_a_line(report, printed) -> None:
    assert [line.split()[0] for line in printed("policy").splitlines()] == list(PRESETS)
    assert [policy["name"] for policy in report("policy")["policies"]] == list(PRESETS)


@pytest.mark.parametrize(
    "asked", [["--diff", "relaxed"], ["--set", "target=40%"], ["--as", "mine"], ["--use"], ["--window", "32K"]]
)
def test_what_is_asked_of_no_policy_is_refused_instead_of_listing_them(asked: list[str], printed) -> None:
    assert NEEDS_A_POLICY.format(option=asked[0]) in printed("policy", *asked, code=2)


@pytest.mark.parametrize("name", PRESETS)
def test_with_a_name_every_number_has_its_source(name: str, report) -> None:
    told = report("policy", name)
    assert (told["name"], told["summary"]) == (name, SUMMARIES[name])
    numbers = fields_of(told)
    assert set(numbers) == {field.name for field in fields(ContextPolicy)} - {"name"}
    assert all(field["row"] and field["documents"] for field in numbers.values())
    for field, number in numbers.items():
        is_other = getattr(PRESETS[name], field) != getattr(BALANCED, field)
        assert number["differs_from_balanced"] is is_other


def test_the_values_are_those_of_the_policy(report) -> None:
    numbers = fields_of(report("policy", "opencode"))
    assert (numbers["compact_at"]["value"], numbers["protect_newest"]["value"]) == (0.9, 40_000)
    assert numbers["max_tail"]["value"] is None, "no limit"
    assert numbers["prune_order"]["value"] == ["soft_trim"]
    assert (numbers["protect_newest"]["row"], numbers["protect_newest"]["documents"]) == ("P7", "0")


def test_people_read_units_marks_and_groups(printed) -> None:
    lines = printed("policy", "seline").splitlines()
    assert lines[0] == f"seline: {SUMMARIES['seline']}"
    (marked,) = [line for line in lines if "reserve_share_of_window" in line]
    assert marked.split()[:4] == ["*", "reserve_share_of_window", "5", "%"]
    (same,) = [line for line in lines if "max_messages" in line]
    assert same.split()[:3] == ["max_messages", "50", "messages"]
    layers = {"Layer 1: cut oversized results", "Layer 2: shorten old results", "Layer 3: summarize older messages"}
    assert {"The budget", *layers, "Memory"} <= set(lines)
    assert "differs from balanced" in lines[-1]
    assert "no limit" in printed("policy", "lmstudio")
    assert printed("policy", "Seline").splitlines() == lines, "however it is written"
    said = printed("policy", "cautious", code=2)
    assert all(name in said for name in ("cautious", *PRESETS))


@pytest.mark.parametrize(
    ("name", "window", "acting"),
    [
        (
            "balanced",
            "8K",
            {"reserve_tokens": 1_600, "truncate_bytes": 2_880, "max_memory": 640, "flush_distance": 960},
        ),
        ("balanced", "200K", {"reserve_tokens": 16_384, "truncate_bytes": 51_200, "max_memory": 1_000}),
        ("opencode", "32K", {"reserve_tokens": 3_200, "truncate_bytes": 51_200, "protect_newest": 32_000}),
    ],
)
def test_in_a_window_the_numbers_are_those_that_act(name: str, window: str, acting: dict[str, int], report) -> None:
    numbers = fields_of(report("policy", name, "--window", window))
    assert {field: numbers[field]["value"] for field in acting} == acting


def test_the_table_of_the_docs_is_the_commands_and_they_speak_of_every_preset() -> None:
    prose, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    assert rest.partition(END)[0].strip() == side_by_side().strip(), "run: palimpsest policy --side-by-side"
    assert all(f"**{name}**" in prose for name in PRESETS)


def test_two_policies_are_compared(report, printed) -> None:
    numbers = fields_of(report("policy", "relaxed", "--diff", "balanced"))
    assert "compact_at" in numbers
    assert all(number["differs_from_balanced"] for number in numbers.values())
    assert (numbers["compact_at"]["value"], numbers["compact_at"]["other"]) == (0.93, 0.9)
    (line,) = [line for line in printed("policy", "relaxed", "--diff", "balanced").splitlines() if "compact_at" in line]
    assert line.split()[:5] == ["compact_at", "93", "%", "90", "%"]
    assert "same" in printed("policy", "balanced", "--diff", "balanced")
    assert "cautious" in printed("policy", "balanced", "--diff", "cautious", code=2)


def test_a_policy_of_ones_own_is_stored_changed_and_used(report, printed, data: Path) -> None:
    change = ("--data-dir", data, "policy", "relaxed", "--set", "compact_at=85%", "--set", "max_summary=3,000")
    numbers = fields_of(report(*change, "--as", "mine"))
    assert (numbers["compact_at"]["value"], numbers["target"]["value"]) == (0.85, 0.50)
    (own,) = read_settings(settings_file(data)).policies
    assert own == OwnPolicy("mine", "relaxed", {"compact_at": 0.85, "max_summary": 3_000})
    report("--data-dir", data, "policy", "mine", "--set", "max_summary=2,000", "--use")
    settings = read_settings(settings_file(data))
    assert settings.policies == (OwnPolicy("mine", "relaxed", {"compact_at": 0.85}),)
    assert settings.policy == "mine"
    assert "mine" in printed("--data-dir", data, "policy").splitlines()[-1]


@pytest.mark.parametrize(
    "change",
    [
        ("balanced", "--set", "target=0.4"),
        ("balanced", "--set", "target=0.4", "--as", "seline"),
        ("balanced", "--set", "target", "--as", "mine"),
        ("balanced", "--set", "targets=0.4", "--as", "mine"),
        ("balanced", "--set", "target=400 %", "--as", "mine"),
        ("none", "--set", "target=0.4", "--as", "mine"),
    ],
)
def test_what_cannot_be_stored_leaves_the_settings_as_they_are(change: tuple[str, ...], printed, data: Path) -> None:
    assert printed("--data-dir", data, "policy", *change, code=2)
    assert not settings_file(data).exists()
