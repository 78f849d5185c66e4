"""What the README quotes and points to is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_quoted_turn_is_the_turn_that_runs() -> None:
    source = (ROOT / "desktop_app" / "chat" / "turn" / "take_turn.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.AsyncFunctionDef))
    take_turn = next(node for node in functions if node.name == "take_turn")
    assert f"```python\n{ast.get_source_segment(source, take_turn)}\n```" in README


PLACES = sorted(
    {
        *re.findall(r"\]\(([\w./-]+)\)", README),
        *re.findall(r"(?:packaging|resources|desktop_app)/[\w./-]*\w", README),
    }
)


@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_it_names_exists(place: str) -> None:
    assert (ROOT / place).exists()
