"""Each row of docs/features.md that a person sees has tests marked with it, most of them with the real engine.

`pytest tests/ui -m row --collect-only -q` lists them; the marker's second argument is what the row promises.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
OTHER_ROWS = {"B1", "J1", "Q1", "S10"}  # of the later sections, those that are seen in the window
REAL_ENGINE = ("play_by_engine", "ui.engine_process import engine_command")


class Promise(msgspec.Struct, frozen=True):
    """A marker of a test. is_real: whether its module plays the real engine, not one that follows a script."""

    row: str
    promise: str
    is_real: bool


@cache
def promises() -> tuple[Promise, ...]:
    found: list[Promise] = []
    for file in sorted((ROOT / "tests" / "ui").glob("test_*.py")):
        source = file.read_text(encoding="utf-8")
        if "pytest.mark.row(" not in source:
            continue
        is_real = any(sign in source for sign in REAL_ENGINE)
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.row":
                row, promise = map(ast.literal_eval, node.args)
                found.append(Promise(row, promise, is_real))
    return tuple(found)


def test_each_row_of_the_window_has_a_test_and_no_other_row_has() -> None:
    table = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| ([WU]\d+) \|", table, re.MULTILINE)) | OTHER_ROWS
    assert len(rows) >= 22
    assert {promise.row for promise in promises()} == rows
    assert all(promise.promise for promise in promises())


def test_most_rows_are_tried_with_the_real_engine() -> None:
    real = {promise.row for promise in promises() if promise.is_real}
    assert len(real) > 0.9 * len({promise.row for promise in promises()})
    assert not all(promise.is_real for promise in promises())
