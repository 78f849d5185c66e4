"""docs/tests-by-row.md: each row of the window has tests that exist, a good part of them with the real engine."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).resolve().parent.parent
OTHER_ROWS = {"B1", "J1", "Q1", "S10"}  # of the later sections, those that are seen in the window


class Promise(msgspec.Struct, frozen=True):
    """A line of the page."""

    row: str
    module: str
    test: str
    engine: str

    @property
    def file(self) -> Path:
        return ROOT / "tests" / "ui" / f"{self.module}.py"


def promises() -> list[Promise]:
    page = (ROOT / "docs" / "tests-by-row.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\w+) \| [^|]+ \| `(\w+)::(\w+)` \| (\w+) \|$", page, re.MULTILINE)
    assert len(found) == page.count("\n| ") - 1, "each line but the headings is one"
    return [Promise(*groups) for groups in found]


@pytest.mark.parametrize("module", sorted({promise.module for promise in promises()}))
def test_the_tests_that_are_named_exist(module: str) -> None:
    named = [promise for promise in promises() if promise.module == module]
    tree = ast.parse(named[0].file.read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert {promise.test for promise in named} <= functions


def test_each_row_of_the_window_has_one() -> None:
    table = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| ([WU]\d+) \|", table, re.MULTILINE)) | OTHER_ROWS
    assert len(rows) >= 22
    assert {promise.row for promise in promises()} == rows


def test_a_good_part_is_tried_with_the_real_engine() -> None:
    real = {promise for promise in promises() if promise.engine == "real"}
    assert {promise.engine for promise in promises()} == {"real", "scripted"}
    starts = ("play_by_engine", "ui.engine_process import engine_command")
    assert not [one for one in real if not any(start in one.file.read_text(encoding="utf-8") for start in starts)]
    rows = {promise.row for promise in promises()}
    assert len({promise.row for promise in real}) > 0.9 * len(rows)
