"""The house's habits that no linter knows: short files, and the words of the glossary."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
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
        for line, name in [(1, file.stem), *names_in(file)]
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
    assert any(EMPTY_WORDS & set(words_of(name)) for _, name in names_defined_in(ast.parse(source)))


# The glossary (docs/glossary.md): what things were called, so that no class, function or module is called so again.
REPLACED_NAMES = {
    "borders", "describer", "equipment", "fates", "finding", "foot", "has_eyes", "hot", "inquiry", "joined",
    "keeper", "landing", "leftover", "lookups", "manners", "mend", "namer", "newsroom", "one_reply", "outbox",
    "preparation", "reminder", "ridden", "scribe", "shed", "shelf", "stage", "standing", "stretch",
    "surroundings", "told", "tone", "uninterrupted", "upkeep", "weigh", "while_wanted", "wish", "workbench",
    "workplace", "worth", "writings",
}  # fmt: skip
# A function does something: its name is a verb. These are none, and neither is a single word that ends in "ed".
PARTICIPLES = {
    "begun", "built", "by", "chosen", "done", "drawn", "given", "gone", "heard", "held", "its", "kept", "known",
    "left", "made", "meant", "own", "said", "seen", "sent", "shown", "taken", "told", "undone", "written",
}  # fmt: skip
NOT_PARTICIPLES = {"embed", "feed", "need", "proceed", "seed", "shielded", "speed"}


@cache
def names_in(file: Path) -> tuple[tuple[int, str], ...]:
    return tuple(names_defined_in(tree_of(file)))


def top_level(file: Path, kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> list[str]:
    return [node.name for node in tree_of(file).body if isinstance(node, kind) and hasattr(node, "name")]


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def test_a_class_name_means_one_thing() -> None:
    counts = Counter(name for file in APP_FILES for name in top_level(file, ast.ClassDef))
    assert not {name for name, count in counts.items() if count > 1}


def test_no_name_is_one_that_the_glossary_replaced() -> None:
    named = {file.stem for file in APP_FILES}
    for file in APP_FILES:
        named.update(top_level(file, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)))
    assert not {name for name in named if "_".join(words_of(name)) in REPLACED_NAMES}


def test_bounds_begin_with_max_or_min() -> None:
    named = {name for file in APP_FILES for _, name in names_in(file)}
    assert not {name for name in named if name.isupper() and {"most", "least"} & set(words_of(name))}


def test_functions_are_verbs() -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    named = {name for file in APP_FILES for name in top_level(file, functions) if not name.startswith("_")}
    assert not {name for name in named if is_bare_participle(name)}


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("undone", True), ("pinned", True), ("told", True), ("undo", False), ("embed", False), ("pinned_ids", False)],
)
def test_a_bare_participle_is_found(name: str, is_one: bool) -> None:
    assert is_bare_participle(name) is is_one


def is_bare_participle(name: str) -> bool:
    return name in PARTICIPLES or ("_" not in name and name.endswith("ed") and name not in NOT_PARTICIPLES)


def names_defined_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of everything that a file names itself: classes, functions, arguments, variables, fields."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.arg(name):
                yield node.lineno, name
            case ast.Name(name, ast.Store()):
                yield node.lineno, name


def words_of(name: str) -> list[str]:
    """row_helper, RowHelper and ROW_HELPER: row, helper."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
