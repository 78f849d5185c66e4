"""Docstrings, comments and names are plain technical English, and each file has a name of its own.

A list of words can only hold what a reader's eye has found: each file was read for it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

APP = Path(__file__).resolve().parent.parent / "desktop_app"
ROOMS = ("", *sorted(folder.name for folder in APP.iterdir() if (folder / "__init__.py").exists()))
"""The folders of desktop_app, and "" for the files at its top."""
OPENINGS = re.compile(r"(What|Which|How|Where|Who|Whether|That which)\b")
"""A docstring says what a thing does or is, not what it is about."""
PHRASES = re.compile(
    r"\b(anew|whoever|that of|those of"
    r"|stands?(?! for\b| in for\b|-in)|(?:is|are|was|were) told|tells? of|meanwhile|beside"
    r"|of the user's(?=[.,;: ]?$)|so many|in force|at the user's word)\b|, too\b",
    re.IGNORECASE,
)
NAMES = {"told", "said", "made", "shown", "given"}
"""Participles say what happened to a value, not what it is."""
SUSPECTED = re.compile(rf"{PHRASES.pattern}|\b(?:{'|'.join(NAMES)})\b|\A\W*{OPENINGS.pattern}", re.IGNORECASE)
"""Found in the source of each module that has a fault, and in few others."""


def texts_of(source: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each docstring and comment, with its line. A string that is a statement documents what precedes it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def variables_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.arg(name) | ast.Name(name, ast.Store()):
                yield node.lineno, name
            case _:
                pass


def faults_of(source: str) -> list[str]:
    """Return what is not plain English in a module, with the line."""
    if not SUSPECTED.search(source):
        return []  # nothing that a parsed module could show: parsing them all takes seconds
    tree = ast.parse(source)
    faults = [f"{line}: {found[0]}" for line, text in texts_of(source, tree) for found in PHRASES.finditer(text)]
    opening = OPENINGS.match(ast.get_docstring(tree) or "")
    faults += [f"1: begins with {opening[0]}"] if opening else []
    return faults + [f"{line}: a variable {name}" for line, name in variables_of(tree) if name in NAMES]


def files_of(room: str) -> list[Path]:
    return sorted(APP.glob("*.py") if not room else (APP / room).rglob("*.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_in_plain_english(room: str) -> None:
    files = files_of(room)
    assert files
    assert not {
        str(file.relative_to(APP)): faults for file in files if (faults := faults_of(file.read_text(encoding="utf-8")))
    }


def test_what_is_not_plain_is_found() -> None:
    planted = '"""What stands here."""\nshown = 1  # anew\ndef f(told): """Return it, too."""\n'
    assert len(faults_of(planted)) == 6


def test_no_file_has_the_name_of_another() -> None:
    names = Counter(file.name for file in APP.rglob("*.py") if file.name != "__init__.py")
    assert not [name for name, count in names.items() if count > 1]
