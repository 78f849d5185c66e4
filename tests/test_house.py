"""The house's habits that no linter knows: short files, and the words of the glossary."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APP_FILES = sorted((ROOT / "desktop_app").rglob("*.py"))
FILES = APP_FILES + sorted((ROOT / "tests").rglob("*.py"))

MOST_LINES = 600  # a module holds one subject, some 150 to 600 lines

# Words that say nothing about what a thing is. Only names that we give are looked at, not those that we use.
EMPTY_WORDS = {"manager", "handler", "helper", "helpers", "util", "utils", "kernel", "ctx"}


def names_defined_in(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each name that a file defines (classes, functions, arguments, variables, fields), and whether it is that of
    a class or a function of the module itself."""
    tree = ast.parse(source)
    own = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.arg(name):
                yield name, id(node) in own
            case ast.Name(name, ast.Store()):
                yield name, False


def words_of(name: str) -> list[str]:
    """row_helper, RowHelper and ROW_HELPER: row, helper."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


@cache
def names_of_app() -> tuple[set[str], list[str]]:
    """Return all names that the application defines, and those of its modules' own classes and functions."""
    named = [one for file in APP_FILES for one in names_defined_in(file.read_text(encoding="utf-8"))]
    return {file.stem for file in APP_FILES} | {name for name, _ in named}, [name for name, is_own in named if is_own]


def test_files_are_short() -> None:
    lines = {file: file.read_text(encoding="utf-8").count("\n") for file in FILES}
    too_long = [file for file in FILES if lines[file] > MOST_LINES]
    assert not too_long, "split them by what they are about"


def is_empty_word(name: str) -> bool:
    return bool(EMPTY_WORDS & set(words_of(name)))


def test_names_say_what_a_thing_is() -> None:
    assert not [name for name in names_of_app()[0] if is_empty_word(name)]
    planted = "class TaskManager:\n  utils: int\ndef row_helper(error_handler): ctx = 1"
    assert sum(is_empty_word(name) for name, _ in names_defined_in(planted)) == 5


# The glossary (docs/glossary.md): what things were called, so that no class, function or module is called so again.
REPLACED_NAMES = {
    "borders", "describer", "equipment", "fates", "finding", "foot", "glance", "has_eyes", "hot", "inquiry", "joined",
    "keeper", "landing", "leftover", "lookups", "manners", "mend", "namer", "newsroom", "one_reply", "outbox",
    "preparation", "reminder", "ridden", "row_shadow", "scribe", "shadow_line", "shed", "shelf", "stage", "standing",
    "stretch", "surroundings", "told", "tone", "uninterrupted", "upkeep", "weigh", "while_wanted", "wish", "workbench",
    "workplace", "worth", "writings",
}  # fmt: skip
# A function does something: its name is a verb. These are none, and neither is a single word that ends in "ed".
PARTICIPLES = {
    "begun", "built", "by", "chosen", "done", "drawn", "given", "gone", "heard", "held", "its", "kept", "known",
    "left", "made", "meant", "own", "said", "seen", "sent", "shown", "taken", "told", "undone", "written",
}  # fmt: skip
NOT_PARTICIPLES = {"embed", "feed", "need", "proceed", "seed", "shielded", "speed"}


def is_bare_participle(name: str) -> bool:
    return name in PARTICIPLES or ("_" not in name and name.endswith("ed") and name not in NOT_PARTICIPLES)


def test_a_class_name_means_one_thing() -> None:
    counts = Counter(name for name in names_of_app()[1] if name.lstrip("_")[:1].isupper())
    assert not {name for name, count in counts.items() if count > 1}


def test_no_name_is_one_that_the_glossary_replaced() -> None:
    named = {file.stem for file in APP_FILES} | set(names_of_app()[1])
    assert not {name for name in named if "_".join(words_of(name)) in REPLACED_NAMES}


def test_bounds_begin_with_max_or_min() -> None:
    assert not {name for name in names_of_app()[0] if name.isupper() and {"most", "least"} & set(words_of(name))}


def test_functions_are_verbs() -> None:
    assert not {name for name in names_of_app()[1] if name[:1].islower() and is_bare_participle(name)}
    assert is_bare_participle("pinned")
    assert not is_bare_participle("pinned_ids")


ASSERTION = re.compile(r"^( *)assert .*(?:\n\1(?:    |[)\]}]).*)*", re.MULTILINE)
SENTENCE = re.compile(r'"((?!SELECT )(?:[^"\\\n ]+ ){4}[^"\\\n]+)"')
"""A literal of five words or more, and no query."""


def sentences_asserted_in(source: str, program: str) -> list[str]:
    """Return the sentences of the program that an assertion compares with; its own message is none of them."""
    found = {text for each in ASSERTION.finditer(source) for text in SENTENCE.findall(each[0]) if text in program}
    if not found:
        return []  # parsing all modules takes seconds
    tests = (node.test for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert))
    literals = (node for test in tests for node in ast.walk(test) if isinstance(node, ast.Constant))
    return [node.value for node in literals if node.value in found]


def test_no_assertion_repeats_a_sentence_of_the_program() -> None:
    program = "\n".join(file.read_text(encoding="utf-8") for file in APP_FILES)
    tests = (file.read_text(encoding="utf-8") for file in FILES if file not in APP_FILES)
    assert not [text for source in tests for text in sentences_asserted_in(source, program)], "see support/texts.py"
    planted = 'assert (\n    shown == "It is no longer there."\n), "It was no longer there."'
    assert sentences_asserted_in(planted, planted) == ["It is no longer there."]
