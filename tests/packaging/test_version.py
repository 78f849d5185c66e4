"""One version, said in one place; the changelog, the package and the release notes agree with it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import desktop_app

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("release_notes", ROOT / "packaging" / "release_notes.py")
assert spec
assert spec.loader
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
MADE = (
    "# Changelog\n\n## [Unreleased]: 0.3.0\n\n### Added\n\n- Three.\n\n## [0.2.1] - 2027-01-31\n\n### Fixed\n\n- Two.\n"
)


def test_the_package_takes_its_version_from_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "desktop_app.__version__"}


def test_the_program_says_it() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "desktop_app", "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout == f"palimpsest {desktop_app.__version__}\n"


def test_the_changelog_begins_with_this_version() -> None:
    headings = [line for line in CHANGELOG.splitlines() if line.startswith("## ")]
    assert [line for line in headings if not script.HEADING.fullmatch(line)] == []
    assert next(iter(script.notes_of(CHANGELOG))) == desktop_app.__version__


def test_no_page_names_another_version() -> None:
    """Pages of a version that is not out yet would be of another program."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "packaging").glob("*.md")]
    named = {
        (page.name, found)
        for page in pages
        for found in re.findall(r"palimpsest[-_ ](\d+\.\d+\.\d+)", page.read_text())
    }
    assert {version for _, version in named} <= set(script.notes_of(CHANGELOG)), named


def test_the_notes_of_a_release_are_its_part_of_the_changelog() -> None:
    assert script.notes_of(MADE) == {"0.3.0": "### Added\n\n- Three.", "0.2.1": "### Fixed\n\n- Two."}


def test_the_notes_can_be_printed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(script, "CHANGELOG", tmp_path / "CHANGELOG.md")
    (tmp_path / "CHANGELOG.md").write_text(MADE)
    assert script.main() == "# Palimpsest 0.3.0\n\n## Added\n\n- Three."
    assert script.main("0.2.1") == "# Palimpsest 0.2.1\n\n## Fixed\n\n- Two."
    with pytest.raises(SystemExit, match=r"nothing of 0\.9\.0"):
        script.main("0.9.0")
