"""The pages say what is so: quoted code, named places, and lines that can be read."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "packaging" / "README.md"])
GUIDES = ("README.md", "docs/troubleshooting.md", "CONTRIBUTING.md", "docs/architecture.md")
FOLDERS = ("packaging", "resources", "tests", "docs", "context", "chat", "engine", "models", "ui")
MAX_README_LINES = 130
MAX_PROSE = 120
"""Characters of a line; tables and code may be wider."""


def test_the_quoted_turn_is_the_turn_that_runs() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    source = (ROOT / "desktop_app" / "chat" / "turn" / "take_turn.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.AsyncFunctionDef))
    take_turn = next(node for node in functions if node.name == "take_turn")
    assert f"```python\n{ast.get_source_segment(source, take_turn)}\n```" in page


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < MAX_README_LINES


def places_in(page: str) -> set[str]:
    """Return the files and folders that a page links to or names."""
    text = (ROOT / page).read_text(encoding="utf-8")
    folder = Path(page).parent
    linked = {(folder / link).as_posix() for link in re.findall(r"\]\(([\w./-]+)\)", text)}
    named = re.findall(
        r"`((?:packaging|resources|tests|docs)/[\w./-]*\w|(?:context|chat|engine|models|ui)/[\w./-]*\w)", text
    )
    return linked | {name if (ROOT / name.split("/")[0]).exists() else f"desktop_app/{name}" for name in named}


@pytest.mark.parametrize("page", GUIDES)
def test_the_places_that_a_guide_names_exist(page: str) -> None:
    missing = [
        place for place in places_in(page) if not (ROOT / place).exists() and not (ROOT / f"{place}.py").exists()
    ]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_of_prose_can_be_read(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert not [line for line in text.splitlines() if len(line) > MAX_PROSE and not line.startswith("|")]


@pytest.mark.parametrize("page", ["docs/security.md", "docs/reliability.md"])
def test_each_test_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(r"`([\w/]+\.py|(?:imports|fuzz|tools/mcp)/)`", (ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 8
    assert not [name for name in named if not (ROOT / "tests" / name).exists()]
