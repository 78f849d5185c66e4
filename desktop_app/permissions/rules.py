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

One-line descriptions of what a pattern with wildcards allows are shown before the user allows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.tools import OUTSIDE, WITH_NETWORK, NeedKind, PermissionAnswer, RequiredPermission, Rule
from desktop_app.conversation.words import lexicon, translatable

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
    return "allow" if need.is_granted or any(rule.covers(need) for rule in allowed) else "ask"


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


INTERPRETERS = lexicon(
    "perl ruby node nodejs php lua deno bun npx npm yarn pnpm docker podman vim vi nvim emacs gdb tclsh osascript"
    " powershell pwsh go cargo uv uvx pipx poetry"
)
"""Programs in addition to RUNS_OTHERS that run their arguments, or files of the project, as programs."""
READS = translatable("Covers any {names} that only reads; secrets are still asked for.")
GIT_READS = translatable(
    "Covers any {names} that only reads. Git also runs programs that the settings of the repository name."
)
USUAL = translatable(
    "Covers any {names} with its usual options: it changes files, or runs programs that files of the project name."
)
RUNS = translatable("Covers any {names}, which can run any program: this allows nearly everything.")
UNKNOWN = translatable(
    "Covers any {names}, whatever it does; only options known to run or write something are still asked for."
)
ANY_COMMAND = translatable("Covers every command that fits this rule, whatever it does.")
FOLDER_READ = translatable("Covers every file below {names}; secrets are still asked for.")
FOLDER_WRITTEN = translatable(
    "Covers changing every file below {names}; secrets, hooks and hidden settings are still asked for."
)
SUBDOMAINS = translatable("Covers every host whose name ends in {names}.")
ANY_HOST = translatable("Covers also hosts of somebody else, such as {names}.")
ANYTHING = translatable("Covers everything that fits this rule.")
QUOTED = translatable("“{name}”")
HARMLESS = frozenset({READS, GIT_READS, FOLDER_READ, SUBDOMAINS})
_LITERAL = re.compile(r"\[[*?[]\]")


class PatternEffect(msgspec.Struct, frozen=True):
    """The effect of a pattern."""

    text: str
    """A translatable text with the placeholder {names}."""
    names: tuple[str, ...] = ()

    @property
    def is_risky(self) -> bool:
        """Whether the pattern allows more than reading."""
        return self.text not in HARMLESS


def effect_of(kind: NeedKind, pattern: str) -> PatternEffect | None:
    """Return the effect of a pattern; None for a pattern without wildcards."""
    if not re.search(r"[*?[]", _LITERAL.sub("", pattern)):
        return None
    if kind == "run":
        return _effect_on_commands(pattern)
    if kind == "network":
        return _effect_on_hosts(pattern)
    if kind in ("read", "write") and pattern.endswith("/*"):
        name = _LITERAL.sub(lambda found: found[0][1], pattern[:-1])
        return PatternEffect(FOLDER_READ if kind == "read" else FOLDER_WRITTEN, (name,))
    return PatternEffect(ANYTHING)


def merge_effects(effects: Iterable[PatternEffect]) -> tuple[PatternEffect, ...]:
    """Return the effects, with effects of the same text merged into one that has all their names."""
    names: dict[str, dict[str, None]] = {}
    for effect in effects:
        names.setdefault(effect.text, {}).update(dict.fromkeys(effect.names))
    return tuple(PatternEffect(text, tuple(found)) for text, found in names.items())


def _effect_on_commands(pattern: str) -> PatternEffect:
    words = pattern.split()
    literal = [word for word in words if not re.search(r"[*?[]", word)]
    if not literal or literal[0] != words[0]:
        return PatternEffect(ANY_COMMAND)
    program = literal[0].rsplit("/", 1)[-1]
    known = options_of(Command((program, *literal[1:])))
    names = (f"{' '.join(words[: words.index(literal[-1]) + 1])} …",)
    if known is not None:
        reads = GIT_READS if program == "git" else READS
        extra = [word for word in words[1:] if word.startswith("-")]  # named options are allowed, whatever they do
        is_reading = known[1].only_reads and not extra
        return PatternEffect(reads if is_reading else USUAL, names)
    runs = program in RUNS_OTHERS | INTERPRETERS or re.fullmatch(r"python[\d.]*", program)
    return PatternEffect(RUNS if runs else UNKNOWN, names)


def _effect_on_hosts(pattern: str) -> PatternEffect:
    if re.fullmatch(r"\*(\.[\w-]+){2,}", pattern):
        return PatternEffect(SUBDOMAINS, (pattern[1:],))
    example = re.sub(r"\*$", "example.org", pattern).replace("*", "not-")
    example = re.sub(r"\?|\[.*?\]", "x", example)
    return PatternEffect(ANY_HOST, (example,))
