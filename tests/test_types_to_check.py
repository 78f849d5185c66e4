"""Which files pyright looks at again after a change."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "packaging" / "types_to_check.py"
spec = importlib.util.spec_from_file_location("types_to_check", SCRIPT)
assert spec
assert spec.loader
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)

SOURCES = {
    "app/__init__.py": "",
    "app/a.py": "A = 1",
    "app/b.py": "from .a import A",
    "app/c.py": "def late():\n    from app.b import (\n        f,\n    )",
    "app/d.py": "from app import a as other, c",
    "app/e.py": "import app.f",
    "app/f.py": "import os",
    "app/deep/__init__.py": "from ..f import g",
    "app/deep/h.py": "X = 2",
    "app/i.py": "from app.deep.h import X",
}
PASSED = script.state_of(SOURCES, "recipe")


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        ({}, ""),
        ({"app/e.py": "import os"}, "e"),
        ({"app/b.py": "def f(): ..."}, "b c d"),
        ({"app/a.py": "A = ''"}, "a b c d"),
        ({"app/f.py": "g = 1"}, "deep/__init__ e f i"),  # whoever imports deep.h runs deep, too
        ({"app/new.py": "from .e import x"}, "new"),
    ],
)
def test_what_changed_and_what_imports_it(changed: dict[str, str], checked: str) -> None:
    found = script.files_to_check(SOURCES | changed, "recipe", PASSED)
    assert found == {f"app/{name}.py" for name in checked.split()}


def test_what_imports_a_file_that_is_gone() -> None:
    left = {path: source for path, source in SOURCES.items() if path != "app/b.py"}
    assert script.files_to_check(left, "recipe", PASSED) == {"app/c.py", "app/d.py"}


def test_all_where_nothing_passed_yet_or_the_recipe_is_another() -> None:
    assert script.files_to_check(SOURCES, "recipe", {}) == SOURCES.keys()
    assert script.files_to_check(SOURCES, "another pyright", PASSED) == SOURCES.keys()
