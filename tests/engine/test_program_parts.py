"""What the program is made of: versions, parts and their licences, also where little of it is known."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, PathDistribution
from pathlib import Path

import pytest
from desk import Desk

from desktop_app import __version__
from desktop_app.conversation.installation import report_of
from desktop_app.engine import program_parts
from desktop_app.engine import protocol as p
from desktop_app.engine.program_parts import describe_program, family_of, program_packages, read_licence
from texts import NO_LICENCE


def test_all_that_the_program_asks_for_is_a_part_and_what_tests_ask_for_is_not(tmp_path: Path) -> None:
    info = describe_program(tmp_path)
    parts = {part.name: part for part in info.parts}
    assert {"Palimpsest", "PySide6_Essentials", "litellm", "msgspec", "openai", "Python", "SQLite"} <= parts.keys()
    assert {"all-MiniLM-L6-v2", "SCOWL"} <= parts.keys(), "what the table of words is made from"
    assert parts.keys().isdisjoint({"pytest", "ruff", "pyright", "hypothesis", "pip"})
    assert parts["PySide6_Essentials"].family == "LGPL and GPL"
    assert len(parts) == len(info.parts), "each once"
    named = dict(info.versions)
    assert named["litellm"] == parts["litellm"].version
    assert info.version == __version__
    assert report_of(info).splitlines()[0] == f"Palimpsest: {__version__}"
    assert str(tmp_path) in report_of(info)


@pytest.mark.long
def test_every_part_has_a_text(tmp_path: Path) -> None:
    for part in describe_program(tmp_path).parts:
        assert len(read_licence(part.name)) > 30, part.name
    for words in ("GNU LESSER GENERAL PUBLIC LICENSE", "GNU GENERAL PUBLIC LICENSE", "replace them by your own"):
        assert words in read_licence("PySide6_Essentials")
    assert read_licence("no such part") == ""
    assert read_licence("../../etc/passwd") == ""


@pytest.mark.parametrize(
    ("licence", "family"),
    [("MIT", "MIT"), ("LGPL-3.0-only OR GPL-2.0-only", "LGPL and GPL"), ("Apache License 2.0", "Apache"),
     ("BSD-3-Clause AND ISC", "BSD and ISC"), ("PSF-2.0", "Python"), ("", "Others"), ("MITRE", "Others")],
)  # fmt: skip
def test_licences_are_grouped(licence: str, family: str) -> None:
    assert family_of(licence) == family


def test_a_bundle_that_knows_little_says_what_it_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "tea-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tea\nVersion: 1.0\nLicense: Apache-2.0\n")

    def missing(name: str) -> PathDistribution:
        if name != "tea":
            raise PackageNotFoundError(name)
        return PathDistribution(info)

    monkeypatch.setattr(program_parts, "distribution", missing)
    monkeypatch.setattr(program_parts, "distributions", lambda: [PathDistribution(info)])
    assert [package.name for package in program_packages()] == ["tea"]
    assert [part.name for part in describe_program(tmp_path).parts] == [
        "all-MiniLM-L6-v2", "tea", "Python", "SQLite", "SCOWL"
    ]  # fmt: skip
    assert NO_LICENCE.format(licence="Apache-2.0") in read_licence("tea")
    assert "Apache License" in read_licence("tea")


async def test_the_window_is_told(desk: Desk) -> None:
    info = (await desk.ask(p.DescribeProgram())).info
    assert info.data == str(desk.engine.services.data)
    assert "MIT" in (await desk.ask(p.ReadLicence("Palimpsest"))).text
