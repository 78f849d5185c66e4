"""The house's habits that no linter knows: short files, and the words of the glossary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APP_FILES = sorted((ROOT / "desktop_app").rglob("*.py"))
FILES = APP_FILES + sorted((ROOT / "tests").rglob("*.py"))

MOST_LINES = {"desktop_app": 300, "tests": 400}  # a test file may hold one long conversation of cases

# Words that say nothing about what a thing is. Only names that we give are looked at, not those that we use.
EMPTY_WORDS = {"manager", "handler", "helper", "helpers", "util", "utils", "kernel", "ctx"}


def path_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def is_too_long(file: Path) -> bool:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    return lines > MOST_LINES[file.relative_to(ROOT).parts[0]]


def test_files_are_short() -> None:
    too_long = {path_of(file) for file in FILES if is_too_long(file)}
    assert not too_long, "split them by what they are about"


def test_names_say_what_a_thing_is() -> None:
    empty = [
        f"{path_of(file)}:{line} {name}"
        for file in APP_FILES
        for line, name in [(1, file.stem), *names_defined_in(file.read_text(encoding="utf-8"))]
        if EMPTY_WORDS & set(words_of(name))
    ]
    assert not empty, "\n".join(empty)


@pytest.mark.parametrize(
    "source",
    [
        "class TaskManager: ...",
        "def row_helper(): ...",
        "ctx = 1",
        "def f(error_handler): ...",
        "class A:\n  utils: int",
    ],
)
def test_an_empty_word_is_found(source: str) -> None:
    assert any(EMPTY_WORDS & set(words_of(name)) for _, name in names_defined_in(source))


def names_defined_in(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of everything that a file names itself: classes, functions, arguments, variables, fields."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.arg(name):
                yield node.lineno, name
            case ast.Name(name, ast.Store()):
                yield node.lineno, name


def words_of(name: str) -> list[str]:
    """row_helper, RowHelper and ROW_HELPER: row, helper."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
