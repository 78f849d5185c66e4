"""Decides whether a call may run: compares the permissions that it requires with the user's rules.

A rule that denies wins over all that allow. If no rule matches, the user is asked. A pattern with * is proposed for
read-only programs alone (known_options.py). Whoever wrote it, such a pattern does not cover:

- secrets, which only a rule with the file's own name allows: files that are likely to hold keys, and those for which no
  pattern is proposed;
- command lines of which one part is not covered;
- commands that change what the ones behind them mean;
- options that make a program run another one, or write (command_options.py), unless the pattern names them.

A line that cannot be parsed is covered by "*" alone, or by itself, word for word.

Rules that deny commands guard against mistakes, not against intent: a command may do anything under another name.
Where such a rule might apply (a program that runs others, a name that is expanded), the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from msgspec.structs import replace

from desktop_app.conversation.tools import OUTSIDE, WITH_NETWORK, PermissionAnswer, RequiredPermission, Rule

from .command_line import Command, parse_commands
from .command_options import RUNS_OTHERS, changes_what_follows, exceeds_pattern, program_of
from .known_options import has_known_options, options_of
from .secret_paths import is_secret, may_mean_secret

Decision = Literal["allow", "ask", "deny"]

COMMANDS = "bash"
"""The tool that runs command lines; who allows it everything also allows what these read."""
GROUPS: dict[str, tuple[str, ...]] = {
    "all": ("*",),
    "read": ("read", "list", "grep", "glob"),
    "write": ("write", "edit"),
    "run": ("bash",),
    "network": ("web_fetch", "web_search"),
}
"""Names on the command line that mean more than the tool of that name."""
MAX_MATCHED = 131_072
"""Characters of a target that patterns are held against: Linux gives a program no longer argument, and no system opens
a longer path. A longer one is denied where a rule denies anything of its tool, and else asked for."""
MAX_EXPANDED = 64
"""Words of a command that the shell expands; of more it is not found out whether one may name a secret."""
_ITEM = re.compile(r"(\*|[\w.-]+)(?::(.+))?", re.DOTALL)


def decide(
    needs: Sequence[RequiredPermission], always: Sequence[Rule] = (), conversation: Sequence[Rule] = ()
) -> Decision:
    """Return whether a call that requires these permissions may run.

    always, conversation: the rules that always hold, and those of its conversation; in each, a newer rule replaces
    older ones as `is_replaced` says.
    """
    rules = (*_newest(always), *_newest(conversation))
    decisions = [_decide_one(need, rules) for need in needs]
    if "deny" in decisions:
        return "deny"
    return "ask" if "ask" in decisions else "allow"


def rule_of(need: RequiredPermission, answer: PermissionAnswer) -> Rule:
    """Return the rule of an answer: with the user's pattern, else the proposed one, else for that target alone."""
    pattern = answer.pattern or need.suggestion or escape_pattern(need.target)
    return Rule(need.tool, pattern, answer.is_allowed, need.fingerprint if answer.is_allowed else "")


def is_replaced(old: Rule, new: Rule) -> bool:
    """Return whether a newer rule takes the place of an older one: for the same tool and pattern.

    Two that allow different states of a server's tool stay, since the server may offer either, as in two folders.
    """
    is_other_state = old.is_allowed and new.is_allowed and old.fingerprint != new.fingerprint
    return (old.tool, old.pattern) == (new.tool, new.pattern) and not is_other_state


def with_earlier(needs: Sequence[RequiredPermission], rules: Sequence[Rule]) -> tuple[RequiredPermission, ...]:
    """Return the permissions to ask for, each with why a rule that allows a tool of that name does not hold."""
    return tuple(replace(need, earlier=_earlier(need, rules)) for need in needs)


def _earlier(need: RequiredPermission, rules: Sequence[Rule]) -> Literal["", "changed", "unbound"]:
    if not need.fingerprint:
        return ""
    allowing = [rule for rule in rules if rule.is_allowed and rule.names(need)]
    if not allowing or any(rule.covers(need) for rule in allowing):
        return ""
    return "changed" if any(rule.fingerprint for rule in allowing) else "unbound"


def rules_of_option(text: str) -> tuple[Rule, ...]:
    r"""Return the rules of --allow: "read,write,bash", "all", "bash:git *", "web_fetch:*.python.org".

    "read" means all that reads, "write" also edits; a comma within a pattern is written "\,". Raises ValueError.
    """
    rules: list[Rule] = []
    for item in re.split(r"(?<!\\),", text):
        match = _ITEM.fullmatch(item.replace("\\,", ",").strip())
        if match is None:
            raise ValueError(f'"{item.strip()}" is not a tool\'s name, or TOOL:PATTERN')
        rules += [Rule(tool, match[2] or "*") for tool in GROUPS.get(match[1], (match[1],))]
    return tuple(rules)


def suggest_pattern(command: Command) -> str:
    """Return the pattern to propose for "always": the first words of a read-only command, else the command itself."""
    found = options_of(command)
    if found is None or not found[1].only_reads or not has_known_options(command) or _names_secret(command):
        return escape_pattern(command.text)
    return f"{found[0]} *"


def escape_pattern(text: str) -> str:
    """Return a pattern that matches that text and nothing else."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _newest(rules: Sequence[Rule]) -> Iterable[Rule]:
    """Yield the rules that no newer one replaces."""
    newest: dict[tuple[str, str], list[Rule]] = {}
    for rule in rules:
        alike = newest.setdefault((rule.tool, rule.pattern), [])
        alike[:] = (*(old for old in alike if not is_replaced(old, rule)), rule)
    for alike in newest.values():
        yield from alike


def _decide_one(need: RequiredPermission, rules: Sequence[Rule]) -> Decision:
    allowed = [rule for rule in rules if rule.is_allowed and rule.tool in ("*", need.tool)]
    names = ("*", need.tool, COMMANDS) if need.tool in (WITH_NETWORK, OUTSIDE) else ("*", need.tool)
    denied = [replace(rule, tool=need.tool) for rule in rules if not rule.is_allowed and rule.tool in names]
    if len(need.target) > MAX_MATCHED:
        return "deny" if denied else "ask"
    if need.kind == "run":
        return _decide_command(need, allowed, denied)
    if any(rule.covers(need) for rule in denied):
        return "deny"
    if need.kind in ("read", "write") and (is_secret(need.target) or not need.suggestion):
        is_any = need.tool == COMMANDS and any(rule.pattern == "*" for rule in allowed)
        return "allow" if is_any or any(_is_exactly(rule.pattern, need.target) for rule in allowed) else "ask"
    return "allow" if any(rule.covers(need) for rule in allowed) else "ask"


def _decide_command(need: RequiredPermission, allowed: Sequence[Rule], denied: Sequence[Rule]) -> Decision:
    commands = _commands(need.target)
    if any(rule.covers(need) or any(_matches(rule, c, is_loose=True) for c in commands or ()) for rule in denied):
        return "deny"
    if any(_may_run(rule, commands) for rule in denied):
        return "ask"
    exactly = escape_pattern(need.target)
    if any(rule.pattern in ("*", exactly) for rule in allowed):
        return "allow"
    if commands is not None and len(commands) > 1 and any(map(changes_what_follows, commands)):
        return "ask"
    is_covered = commands is not None and all(_is_allowed(command, allowed) for command in commands)
    return "allow" if is_covered else "ask"


def _is_allowed(command: Command, allowed: Sequence[Rule]) -> bool:
    return not _names_secret(command) and any(
        rule.pattern == escape_pattern(command.text)
        or (_matches(rule, command) and not exceeds_pattern(command, rule.pattern))
        for rule in allowed
    )


@lru_cache(256)
def _commands(line: str) -> tuple[Command, ...] | None:
    return parse_commands(line)


def _is_exactly(pattern: str, target: str) -> bool:
    return pattern in (target, escape_pattern(target))


def _matches(rule: Rule, command: Command, is_loose: bool = False) -> bool:
    """Return whether a rule matches a command; "git *" also matches "git" alone.

    is_loose: match it also with a path or assignments in front, for rules that deny.
    """
    texts = [command.text]
    if is_loose:
        bare = command.without_assignments
        texts += [bare.text, Command((program_of(bare), *bare.words[1:])).text]
    return any(fnmatchcase(text, rule.pattern) or fnmatchcase(f"{text} ", rule.pattern) for text in texts)


def _may_run(denied: Rule, commands: Sequence[Command] | None) -> bool:
    """Return whether the line may run a denied command in disguise: behind a program that runs others, by expansion, or
    with more words between those of the rule, such as `git -C there push` for "git push *"."""
    if commands is None:
        return True
    forbidden, *rest = denied.pattern.split() or [""]
    for command in commands:
        words = command.without_assignments.words
        if not words or (name := program_of(command)) in RUNS_OTHERS:
            return True
        if fnmatchcase(name, forbidden) and (command.expanded or _in_order(rest, words[1:])):
            return True
    return False


def _in_order(patterns: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether words match the patterns in order, with others between them; "*" may match none."""
    left = iter(words)
    return all(any(fnmatchcase(word, pattern) for word in left) for pattern in patterns if pattern.strip("*"))


def _names_secret(command: Command) -> bool:
    words = (*command.words[1:], *command.reads)
    return (
        len(command.expanded) > MAX_EXPANDED
        or any(is_secret(part) for word in words for part in possible_paths(word))
        or any(may_mean_secret(part) for word in command.expanded for part in possible_paths(word))
    )


def possible_paths(word: str) -> set[str]:
    """Return the parts of a word that may be paths: --file=x, HEAD:x, @x, -fx."""
    parts = {word, *re.split("[=:@,]", word)}
    return parts | {word[2:]} if re.match(r"-[A-Za-z]", word) else parts
