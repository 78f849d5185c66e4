"""docs/tokenizers.md says what is so."""

from __future__ import annotations

from pathlib import Path

from desktop_app.models.tokens.estimate import CLASSES, WEIGHTS, families
from desktop_app.models.tokens.templates import OVERHEADS
from desktop_app.models.tokens.tokenizers import SAME_TEXT, SOURCES

PAGE = (Path(__file__).parents[3] / "docs" / "tokenizers.md").read_text(encoding="utf-8")
TEMPLATES = PAGE.split("## What the chat format adds", 1)[1].split("\n## ", 1)[0]
ROWS = {
    cells[0]: cells[1:]
    for line in PAGE.splitlines()
    if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 11 and cells[0] not in ("family", "---")
}
COUNT = 2


def test_the_table_has_every_family_and_no_other() -> None:
    assert set(ROWS) == {*families(), "unknown"}
    assert set(ROWS) >= {*SOURCES, *WEIGHTS, *SAME_TEXT}


def test_every_template_is_named_with_how_it_was_verified() -> None:
    named = {cell.strip() for line in TEMPLATES.splitlines() for cell in line.split("|")[1:2]}
    assert named >= set(OVERHEADS)


def test_what_it_calls_exact_is_exact() -> None:
    for family, cells in ROWS.items():
        source = SOURCES.get(family)
        if family == "smollm2" or (source and not source.extra):
            assert cells[COUNT] == "exact"
        elif source:
            assert cells[COUNT] == "exact with the extra"
            assert source.file.places[0].partition("/")[0].replace("_", "-") in cells[COUNT - 1]
        else:
            assert cells[COUNT] == ("estimate" if SAME_TEXT.get(family, family) in WEIGHTS else "o200k as it is")


def test_its_figures_are_right() -> None:
    errors = [float(cell.split()[0]) for cells in ROWS.values() for cell in cells[COUNT + 1 :] if cell not in "0?"]
    assert len(errors) == 7 * len([family for family in ROWS if SAME_TEXT.get(family, family) in WEIGHTS])
    assert max(map(abs, errors)) < 5
    assert f"into {len(CLASSES)} classes" in PAGE


def test_the_extra_has_every_package() -> None:
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    extra = project.split("\ntokenizers = [", 1)[1].split("]", 1)[0]
    for source in SOURCES.values():
        for package in (source.file.places[0].partition("/")[0], *source.needs) if source.extra else ():
            assert f'"{package.replace("_", "-")}>=' in extra
