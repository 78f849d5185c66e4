"""The words of the page of policies: each number has a name and a meaning, and is written as the language writes it."""

import pytest
from PySide6.QtWidgets import QApplication

from desktop_app.context.policy import BALANCED, NO_LIMIT
from desktop_app.context.policy_fields import SOURCES
from desktop_app.context.presets import WrongNumber
from desktop_app.ui.policy.policy_words import UNITS, about_field, text_in_field, value_of_field
from desktop_app.ui.translation import use_language


@pytest.fixture(params=["en", "de"])
def language(qapp: QApplication, request, language_is_restored) -> str:
    return use_language(qapp, request.param)


def test_each_field_has_a_name_and_a_known_unit() -> None:
    assert all(source.number.label for source in SOURCES.values())
    assert len({source.number.label for source in SOURCES.values()}) == len(SOURCES)
    assert {source.unit for source in SOURCES.values()} <= {*UNITS, "share", "shares", ""}


@pytest.mark.parametrize("field", SOURCES)
def test_a_number_is_read_as_it_was_written(language, field) -> None:
    value = getattr(BALANCED, field)
    if not isinstance(value, bool | str):  # those have a switch or a list
        assert value_of_field(field, text_in_field(field, value)) == value


def test_thousands_and_decimals_are_those_of_the_language(qapp, language) -> None:
    many, part = {"en": ("20,000", "62.5 %"), "de": ("20.000", "62,5 %")}[language]
    assert text_in_field("max_tail", 20_000) == many
    assert text_in_field("compact_at", 0.625) == part
    assert value_of_field("compact_at", part) == 0.625
    assert value_of_field("max_tail", text_in_field("max_tail", NO_LIMIT)) == NO_LIMIT
    with pytest.raises(WrongNumber):
        value_of_field("max_tail", "some")


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("compact_at", "85", 0.85),  # what stands beside it ends in "%"
        ("compact_at", "62.5", 0.625),
        ("compact_at", "0.85", 0.85),
        ("compact_at", "100", 1.0),
        ("prune_least_share_of_window", "1", 0.01),
        ("max_tail", "85", 85),
    ],
)
def test_a_bare_number_in_a_field_of_percent_is_percent(qapp, field, text, value) -> None:
    assert value_of_field(field, text) == value


def test_a_number_tells_which_programs_have_it_and_not_that_it_is_ours(qapp) -> None:
    assert about_field(SOURCES["compact_at"]).endswith("as in OpenFork, Seline")
    own = about_field(SOURCES["truncate_share"])
    assert "Palimpsest" not in own
    assert "as in" not in own
