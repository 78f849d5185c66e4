"""`palimpsest import --found`, with a home of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.imports import openai_files

PROGRAMS = ("Tea Chat", "Ink Chat")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home where two programs may keep a history."""
    home = tmp_path / "home"
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    formats = tuple(replace(openai_files.FORMAT, program=name, homes=(f".{name}",)) for name in PROGRAMS)
    monkeypatch.setattr("desktop_app.imports.formats.FORMATS", formats)
    return home


@pytest.fixture
def filled(home: Path) -> Path:
    """That home with three conversations of the first and one of the second."""
    for number, name in enumerate([PROGRAMS[0]] * 3 + [PROGRAMS[1]]):
        file = home / f".{name}" / "deep" / f"{number}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"role": "user", "content": f"Question {number} for {name}"}))
    return home


def test_an_empty_home_is_said_and_is_no_failure(printed, report, data: Path) -> None:
    assert "No history" in printed("import", "--found", "--data-dir", data)
    assert report("import", "--found", "--data-dir", data) == {"histories": []}
    assert "No history" in printed("import", "--found", "tea chat", "--data-dir", data, code=2)
    assert "No history" in printed("import", "--found", "--all", "--data-dir", data, code=2)
    assert not data.exists()


def test_histories_are_listed_and_nothing_is_stored(printed, report, filled: Path, data: Path) -> None:
    listed = report("import", "--found", "--data-dir", data)["histories"]
    assert {each["program"]: each["files"] for each in listed} == {"Tea Chat": 3, "Ink Chat": 1}
    shown = printed("import", "--found", "--data-dir", data)
    assert all(name in shown and str(filled / f".{name}") in shown for name in PROGRAMS)
    assert not data.exists()


@pytest.mark.parametrize(("arguments", "count"), [(["--all"], 4), (["tea chat"], 3), (["Ink Chat", "TEA CHAT"], 4)])
def test_all_are_imported_or_those_that_are_named(
    report, filled: Path, data: Path, arguments: list[str], count: int
) -> None:
    imported = report("import", "--found", *arguments, "--data-dir", data)["conversations"]
    assert [each["new"] for each in imported] == [1] * count


def test_what_a_history_holds_is_only_listed_if_that_is_asked(report, filled: Path, data: Path) -> None:
    assert len(report("import", "--found", "--all", "--list", "--data-dir", data)["conversations"]) == 4
    assert not data.exists()


def test_a_program_without_a_history_is_named_with_those_that_have_one(printed, filled: Path, data: Path) -> None:
    said = printed("import", "--found", "Soup Chat", "--data-dir", data, code=2)
    assert "soup chat" in said
    assert "Ink Chat, Tea Chat" in said


def test_import_needs_something_to_import(printed, data: Path) -> None:
    assert "--found" in printed("import", "--data-dir", data, code=2)
    assert "--found" in printed("import", "--all", "--data-dir", data, code=2)
