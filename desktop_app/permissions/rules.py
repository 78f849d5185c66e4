"""The decision whether a call may run: compares the permissions that it requires with the user's rules.

A rule that denies takes precedence over rules that allow. If no rule matches, the user is asked. Patterns with * are
proposed only for read-only programs (known_options.py). Whether proposed or written by the user, they do not cover:

- secrets, which only a rule with the exact file name allows: files that probably contain keys, and files for which no
  pattern is proposed;
- command lines with a part that is not covered;
- commands that change the meaning of the commands after them;
- options that make a program run another one, or write (command_options.py), unless the pattern names them.

A line that cannot be parsed is covered only by "*", or by the line itself, word for word.

Rules that deny commands protect against mistakes, not against intent: a command may do anything under another name. If
such a rule might apply (a program that runs others, a name that is expanded), the user is asked.
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
"""The tool that runs command lines; a rule that allows all of them also allows the files that they read."""
GROUPS: dict[str, tuple[str, ...]] = {
    "all": ("*",),
    "read": ("read", "list", "grep", "glob"),
    "write": ("write", "edit"),
    "run": ("bash",),
    "network": ("web_fetch", "web_search"),
}
"""Names for --allow that stand for several tools."""
MAX_MATCHED = 131_072
"""Characters of a target that is matched against patterns: the longest argument that Linux passes to a program, and
more than any system's longest path. A longer target is denied if any rule denies its tool; otherwise, the user is
asked."""
MAX_EXPANDED = 64
"""Expanded words of a command that are checked for secrets; a command with more is assumed to name one."""
_ITEM = re.compile(r"(\*|[\w.-]+)(?::(.+))?", re.DOTALL)


def decide(
    needs: Sequence[RequiredPermission], always: Sequence[Rule] = (), conversation: Sequence[Rule] = ()
) -> Decision:
    """Return whether a call that requires these permissions may run.

    always, conversation: the general rules, and the rules of the conversation; in each, a newer rule replaces older
    ones as `is_replaced` determines.
    """
    rules = (*_newest(always), *_newest(conversation))
    decisions = [_decide_one(need, rules) for need in needs]
    if "deny" in decisions:
        return "deny"
    return "ask" if "ask" in decisions else "allow"


def rule_of(need: RequiredPermission, answer: PermissionAnswer) -> Rule:
    """Return the rule for an answer, with the user's pattern, the proposed one, or the exact target, in this order."""
    pattern = answer.pattern or need.suggestion or escape_pattern(need.target)
    return Rule(need.tool, pattern, answer.is_allowed, need.fingerprint if answer.is_allowed else "")


def is_replaced(old: Rule, new: Rule) -> bool:
    """Return whether a newer rule replaces an older one, because it has the same tool and pattern.

    Rules that allow different states of a server's tool are all kept, because the server may offer both, as in two
    folders.
    """
    is_other_state = old.is_allowed and new.is_allowed and old.fingerprint != new.fingerprint
    return (old.tool, old.pattern) == (new.tool, new.pattern) and not is_other_state


def with_earlier(needs: Sequence[RequiredPermission], rules: Sequence[Rule]) -> tuple[RequiredPermission, ...]:
    """Return the permissions to ask for, each with the reason why a rule that names its tool no longer applies."""
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

    "read" stands for all tools that read, "write" includes edit; a comma in a pattern is written "\,". Raises
    ValueError.
    """
    rules: list[Rule] = []
    for item in re.split(r"(?<!\\),", text):
        match = _ITEM.fullmatch(item.replace("\\,", ",").strip())
        if match is None:
            raise ValueError(f'"{item.strip()}" is not a tool\'s name, or TOOL:PATTERN')
        rules += [Rule(tool, match[2] or "*") for tool in GROUPS.get(match[1], (match[1],))]
    return tuple(rules)


def suggest_pattern(command: Command) -> str:
    """Return the pattern to propose for "always": the first words of a read-only command, or the exact command."""
    found = options_of(command)
    if found is None or not found[1].only_reads or not has_known_options(command) or _names_secret(command):
        return escape_pattern(command.text)
    return f"{found[0]} *"


def escape_pattern(text: str) -> str:
    """Return a pattern that matches only the given text."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _newest(rules: Sequence[Rule]) -> Iterable[Rule]:
    """Yield the rules that are not replaced by a newer one."""
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
    """Return whether the line may run a denied command in disguise.

    It may do so through a program that runs others, by expansion, or with additional words between the words of the
    rule, such as `git -C there push` for "git push *".
    """
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
    """Return whether words match the patterns in order, possibly with other words between them; "*" may match none."""
    remaining = iter(words)
    return all(any(fnmatchcase(word, pattern) for word in remaining) for pattern in patterns if pattern.strip("*"))


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
