"""What a pattern lets through is said as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.tools import RequiredPermission, Rule
from desktop_app.permissions import rules as texts
from desktop_app.permissions.rules import PatternEffect, decide, effect_of, escape_pattern, merge_effects


@pytest.mark.parametrize(
    ("pattern", "text", "name"),
    [
        ("ls *", texts.READS, "ls …"),
        ("sed *", texts.READS, "sed …"),
        ("git log *", texts.GIT_READS, "git log …"),
        ("git log --output=* *", texts.USUAL, "git log …"),
        ("git log --output *", texts.USUAL, "git log --output …"),
        ("find . -delete *", texts.USUAL, "find . -delete …"),
        ("make *", texts.USUAL, "make …"),
        ("git add *", texts.USUAL, "git add …"),
        ("python3 *", texts.RUNS, "python3 …"),
        ("/usr/bin/env x *", texts.RUNS, "/usr/bin/env x …"),
        ("npm run *", texts.RUNS, "npm run …"),
        ("git *", texts.UNKNOWN, "git …"),
        ("foo --bar *", texts.UNKNOWN, "foo --bar …"),
        ("g* x", texts.ANY_COMMAND, ""),
        ("*", texts.ANY_COMMAND, ""),
    ],
)
def test_a_pattern_of_commands(pattern: str, text: str, name: str) -> None:
    assert effect_of("run", pattern) == PatternEffect(text, (name,) if name else ())


@pytest.mark.parametrize(
    ("kind", "pattern", "text", "name"),
    [
        ("read", "/w/*", texts.FOLDER_READ, "/w/"),
        ("write", "/w/[[]x]/*", texts.FOLDER_WRITTEN, "/w/[x]/"),
        ("read", "/w/*.py", texts.ANYTHING, ""),
        ("network", "*.python.org", texts.SUBDOMAINS, ".python.org"),
        ("network", "*.org", texts.ANY_HOST, "not-.org"),
        ("network", "*python.org", texts.ANY_HOST, "not-python.org"),
        ("network", "docs.*", texts.ANY_HOST, "docs.example.org"),
        ("mcp", "server/*", texts.ANYTHING, ""),
    ],
)
def test_a_pattern_of_paths_and_hosts(kind, pattern: str, text: str, name: str) -> None:
    assert effect_of(kind, pattern) == PatternEffect(text, (name,) if name else ())


def test_what_is_only_looked_at_is_no_risk_and_what_says_the_same_is_said_once() -> None:
    effects = [effect_of("run", pattern) for pattern in ("ls *", "make *", "cat *", "ls *")]
    assert [(effect.names, effect.is_risky) for effect in merge_effects(one for one in effects if one)] == [
        (("ls …", "cat …"), False),
        (("make …",), True),
    ]


@given(st.text(min_size=1, max_size=30))
def test_a_single_line_lets_nothing_else_through(line: str) -> None:
    assert effect_of("run", escape_pattern(line)) is None


@pytest.mark.parametrize("line", ["make x CC=y", "git log --output=x", "find . -delete", "sed -i p x", "ls; rm x"])
def test_a_pattern_that_is_said_to_read_lets_nothing_else_through(line: str) -> None:
    """The words of the effect hold for the decision."""
    pattern = f"{' '.join(line.split()[: 1 + line.startswith('git')])} *"
    assert decide([RequiredPermission("bash", "run", line)], [Rule("bash", pattern)]) == "ask"
