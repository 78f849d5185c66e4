"""The looks that the tour can be asked for."""

from __future__ import annotations

import argparse

import pytest

from desktop_app.commands.tour.variants import USUAL, VARIANTS, Variant, add_look_arguments, variant_of


def parsed(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_look_arguments(parser)
    return parser.parse_args(given)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_arguments_of_a_look_give_that_look(name: str) -> None:
    assert variant_of(parsed(*VARIANTS[name].arguments())) == VARIANTS[name]


def test_one_argument_changes_one_thing_and_none_is_the_whole_tour() -> None:
    assert variant_of(parsed()) is None
    assert variant_of(parsed("--size", "800x500")) == Variant(size=(800, 500))
    assert variant_of(parsed("--rtl")) == Variant(is_rtl=True)
    assert variant_of(parsed("--theme", "light")) == USUAL


@pytest.mark.parametrize("size", ["800", "800x", "x500", "0x500", "-8x5", "axb"])
def test_a_size_that_is_none_is_refused(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(f"--size={size}")
    assert size in capsys.readouterr().err


def test_the_settings_of_a_look_have_its_language_theme_and_text_size() -> None:
    settings = VARIANTS["german-small-large-text"].settings()
    assert (settings.language, settings.font_scale, settings.theme) == ("de", 2.0, "light")
