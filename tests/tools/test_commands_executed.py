"""Commands that patterns allow unasked, run for real: none of them does more than look."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from command_sandbox import Case, Sandbox, cases

from desktop_app.conversation.tools import Rule, ToolContext
from desktop_app.permissions.command_line import parse_commands
from desktop_app.permissions.rules import decide, suggest_pattern
from desktop_app.tools.bash import BashArguments, BashTool
from desktop_app.tools.path_policy import PathPolicy

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the table was made with GNU's programs")
CASES = tuple(cases())
STORED = tuple(
    Rule("bash", f"{program} *")
    for program in (
        *("cat", "cd", "cut", "date", "diff", "echo", "egrep", "fd", "file", "grep", "head", "hostname", "jq", "ls"),
        *("od", "printenv", "printf", "ps", "pushd", "pwd", "pytest", "realpath", "rg", "sha256sum", "sort", "stat"),
        *("tail", "tree", "umask", "wc", "xxd", "git", "make"),
        *("gh auth", "gh pr", "git archive", "git blame", "git branch", "git cat-file", "git diff", "git foo"),
        *("git grep", "git log", "git ls-files", "git ls-remote", "git rev-parse", "git show", "git stash"),
        *("git status", "git tag", "git reflog", "git remote", "make test", "pip list"),
    )
)
"""Patterns that were proposed before only those for what looks were, and may be among a user's rules."""


def proposed() -> tuple[Rule, ...]:
    """What is proposed for "always" after each seed."""
    seeds = dict.fromkeys(case.seed for case in CASES)
    return tuple(Rule("bash", suggest_pattern(command)) for seed in seeds for command in parse_commands(seed) or ())


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("commands"))


async def decisions(sandbox: Sandbox, rules: tuple[Rule, ...], folder: Path) -> dict[Case, str]:
    """How each command is decided in the working folder of the sandbox."""
    bash = BashTool(PathPolicy(folder / "data"))
    context = ToolContext("one", str(sandbox.pattern / "work"))
    lines = {case: sandbox.line_of(case, str(sandbox.pattern)) for case in CASES}
    return {case: decide(await bash.needs(BashArguments(line), context), rules) for case, line in lines.items()}


@pytest.mark.parametrize("which", ["proposed", "stored"])
async def test_nothing_is_allowed_that_does_more_than_look(
    sandbox: Sandbox, which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(sandbox.pattern / "home"))
    rules = proposed() if which == "proposed" else STORED
    found = await decisions(sandbox, rules, tmp_path)
    assert [case.command for case, decision in found.items() if decision != "ask" and case.effect != "-"] == []
    assert sum(case.effect != "-" for case in CASES) >= 342, "cases that do something"
    if which == "proposed":
        assert [case.command for case, decision in found.items() if decision != "allow" and case.is_plain] == []
        assert sum(case.is_plain for case in CASES) > 60, "what looks is still allowed"


def is_there(case: Case) -> bool:
    """Whether the programs that it runs are on this machine."""
    names = [command.without_assignments.words[:1] for command in parse_commands(case.command) or ()]
    known = ("git", "make", "jq", "tar", "ps", "file")
    return all(not name or name[0] not in known or shutil.which(name[0]) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("seed", dict.fromkeys(case.seed for case in CASES))
def test_each_does_what_the_table_says(sandbox: Sandbox, seed: str) -> None:
    """Every command is run; what its seed does, too, is not held against it."""
    usual = set(sandbox.run(Case(seed, seed, "-", False)).changed)
    wrong: list[str] = []
    for case in (case for case in CASES if case.seed == seed and is_there(case)):
        effect = sandbox.run(case)
        changed = tuple(path for path in effect.changed if path not in usual)
        letters = type(effect)(changed, effect.has_shown).letters
        if letters != case.effect:
            wrong.append(f"{case.command}: {letters}, not {case.effect}")
    assert wrong == []
