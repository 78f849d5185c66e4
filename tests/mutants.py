"""Plants faults at random places of `desktop_app`, one at a time, and tells which of them the tests find.

    python tests/mutants.py --count 80 --seed 1 --jobs 2 > found.jsonl

Each fault goes into a copy of the tree, where the fast tests run until one fails: those that import the file first,
then its folder's, then the others. A line of JSON a fault: where, what, and the test that found it, or null.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("desktop_app", "tests", "resources", "packaging", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")
SECONDS = 420
"""For the tests of one fault, all stages together."""
LATER = ("conversation", "context", "permissions", "chat", "models", "tools", "archive", "engine", "commands", "ui")
"""Folders of tests in the order in which they are tried for a fault that its own folder does not find."""

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
CALCULATED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}


@dataclass(frozen=True)
class Fault:
    """A piece of a file, by its offsets, and what stands there instead."""

    path: str
    line: int
    start: int
    end: int
    was: str
    becomes: str


def faults_in(path: str, source: str) -> Iterator[Fault]:
    """Yield every fault that can be planted in that file."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    untouched = _not_code(tree)
    for node in ast.walk(tree):
        if id(node) in untouched:
            continue
        for old, new in _changes(node):
            start, end = starts[old.lineno - 1] + old.col_offset, starts[old.end_lineno - 1] + old.end_col_offset
            yield Fault(path, old.lineno, start, end, source.encode()[start:end].decode(), new)


def _not_code(tree: ast.AST) -> set[int]:
    """Return what is no code that runs: annotations, decorators, and the lines of a log."""
    roots: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                roots += [*node.decorator_list, *filter(None, [node.returns])]
            case ast.ClassDef():
                roots += [*node.decorator_list, *node.keywords]
            case ast.AnnAssign() | ast.arg():
                roots += filter(None, [node.annotation])
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("log" | "logger")))):
                roots.append(node)
            case _:
                pass
    return {id(part) for root in roots for part in ast.walk(root)}


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield what of the node is replaced, and by what."""
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            yield node, f"({ast.unparse(ast.Compare(left, [COMPARED[type(op)]()], [right]))})"
        case ast.BoolOp(op, values):
            other = ast.And() if isinstance(op, ast.Or) else ast.Or()
            yield node, f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(ast.Not(), operand):
            yield node, f"({ast.unparse(operand)})"
        case ast.BinOp(left, op, right) if type(op) in CALCULATED and not _is_text(left, right):
            yield node, f"({ast.unparse(ast.BinOp(left, CALCULATED[type(op)](), right))})"
        case ast.Constant(bool() as value):
            yield node, str(not value)
        case ast.Constant(int() as value):
            yield node, f"({value + 1})"
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield test, f"(not ({ast.unparse(test)}))"
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value, "None"
        case ast.Expr(ast.Call() | ast.Await()) | ast.Raise():
            yield node, "pass"
        case _:
            pass


def _is_text(*sides: ast.expr) -> bool:
    return any(isinstance(side, ast.JoinedStr | ast.Constant) and not _is_number(side) for side in sides)


def _is_number(side: ast.expr) -> bool:
    return isinstance(side, ast.Constant) and isinstance(side.value, int | float)


def chosen(count: int, seed: int) -> list[Fault]:
    """Return that many faults, drawn from the whole application."""
    files = sorted((ROOT / "desktop_app").rglob("*.py"))
    faults = [
        fault
        for file in files
        if "tour" not in file.parts
        for fault in faults_in(file.relative_to(ROOT).as_posix(), file.read_text())
    ]
    return random.Random(seed).sample(faults, count)


def stages_of(fault: Fault, tests: Path) -> list[list[str]]:
    """Return the tests for that fault, those that are likely to find it first."""
    module = fault.path.removesuffix(".py").replace("/", ".")
    package, _, name = module.rpartition(".")
    imported = re.compile(rf"\b{re.escape(module)}\b|\bfrom {re.escape(package)} import \w*{name}\b")
    files = [
        file for file in sorted(tests.rglob("test_*.py")) if not {"bench", "end_to_end", "faults"} & set(file.parts)
    ]
    direct = [file for file in files if imported.search(file.read_text())]
    room = fault.path.split("/")[1]
    own = [file for file in files if file.relative_to(tests).parts[0] == room and file not in direct]
    begin = LATER.index(room) + 1 if room in LATER else 0
    stages = [
        direct,
        own,
        *([f for f in files if f.relative_to(tests).parts[0] == later and f not in direct] for later in LATER[begin:]),
    ]
    return [[str(file) for file in stage] for stage in stages if stage]


def outcome_of(fault: Fault) -> dict[str, object]:
    """Plant the fault in a copy of the tree, and return what the tests say."""
    began, found = time.monotonic(), None
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(folder) / "tree"
        copy.mkdir()
        for name in COPIED:
            source = ROOT / name
            shutil.copytree(source, copy / name) if source.is_dir() else shutil.copy(source, copy / name)
        file = copy / fault.path
        content = file.read_bytes()
        file.write_bytes(content[: fault.start] + fault.becomes.encode() + content[fault.end :])
        for stage in stages_of(fault, copy / "tests"):
            left = SECONDS - (time.monotonic() - began)
            if left <= 0 or (found := _failing(stage, copy, left)):
                break
        file.write_bytes(content)
        if found and _failing([found.partition(" ")[0] if "::" in found else stage[0]], copy, SECONDS):
            found = None  # the test fails without the fault, too
    return {**asdict(fault), "found": found, "seconds": round(time.monotonic() - began, 1)}


def _failing(tests: list[str], copy: Path, seconds: float) -> str | None:
    """Run the tests until one fails, and return its name; a run without an end counts as found."""
    environment = os.environ | {
        "PYTHONPATH": str(copy),
        "PALIMPSEST_HYPOTHESIS": "few",
        "QT_QPA_PLATFORM": "offscreen",
        "CI": "true",
    }
    options = ["-x", "-q", "-p", "no:cacheprovider", "--timeout", "60", "-m", "not slow and not model"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode in (0, 5):
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[1].removeprefix(f"{copy}/") if failed else f"exit {done.returncode}"


def main() -> None:
    """Print a line of JSON for each fault, and at the end how many were found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    outcomes = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(outcome_of, chosen(arguments.count, arguments.seed)):
            outcomes.append(outcome)
            print(json.dumps(outcome), flush=True)
    found = sum(outcome["found"] is not None for outcome in outcomes)
    print(f"{found} of {len(outcomes)} faults were found", file=sys.stderr)


if __name__ == "__main__":
    main()
