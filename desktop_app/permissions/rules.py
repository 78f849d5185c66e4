"""Whether a call may run: what it needs, held against what the user allowed and forbade.

A rule that forbids wins over every one that allows. What no rule speaks of is asked. A pattern with * is proposed for
programs alone that do nothing but look (looking.py). Four things such a pattern does not cover, whoever wrote it:
secrets, which only a rule that names the very file allows (files that are likely to hold keys, and those for whose need
no pattern is proposed); command lines of which one part is not covered; commands that change what the ones behind them
mean; and options that make a program run another one or write (options.py), unless the pattern names them. A line that
cannot be taken apart is covered by "*" alone, or by itself, word for word.

Rules that forbid commands guard against mistakes and are no prison: a command may do anything under another name.
Where such a rule might be meant (a program that runs others, a name that is filled in), the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from desktop_app.conversation.lexicon import lexicon
from desktop_app.conversation.tools import PermissionAnswer, RequiredPermission, Rule

from .command_line import Command, simple_commands
from .command_options import changes_what_follows, does_more, program_of
from .read_only_commands import only_looks, spec_of
from .secret_paths import is_secret, may_mean_secret

Decision = Literal["allow", "ask", "deny"]

COMMANDS = "bash"
"""The tool that runs command lines: whoever allows it anything also allows what these read."""
RUNS_OTHERS = lexicon(
    "sudo doas su pkexec runuser sg env xargs nohup time timeout nice ionice chrt taskset exec command builtin eval"
    " source . sh bash dash zsh fish ksh ssh mosh find parallel watch entr setsid setpriv setarch stdbuf unbuffer"
    " script strace ltrace perf valgrind hyperfine flock prlimit busybox chroot unshare nsenter bwrap firejail fakeroot"
    " systemd-run xvfb-run dbus-run-session rlwrap direnv nix-shell trap alias jobs"
)
"""Programs that run what their arguments say: whatever a rule forbids, they may do it under another name."""
GROUPS: dict[str, tuple[str, ...]] = {
    "all": ("*",),
    "read": ("read", "list", "grep", "glob"),
    "write": ("write", "edit"),
    "run": ("bash",),
    "network": ("web_fetch", "web_search"),
}
"""What a name means on the command line, if it is more than the tool of that name."""
_ITEM = re.compile(r"(\*|[\w.-]+)(?::(.+))?", re.DOTALL)


def decided(
    needs: Sequence[RequiredPermission], always: Sequence[Rule] = (), conversation: Sequence[Rule] = ()
) -> Decision:
    """Whether a call with these needs may run, by the rules that hold always and those of its conversation.

    Of rules that differ only in what they say, the newest of each list holds.
    """
    rules = (*_newest(always), *_newest(conversation))
    decisions = [_decided(need, rules) for need in needs]
    if "deny" in decisions:
        return "deny"
    return "ask" if "ask" in decisions else "allow"


def rule_of(need: RequiredPermission, answer: PermissionAnswer) -> Rule:
    """The rule that an answer makes for a need: with the user's pattern, else the proposed one, else for that alone."""
    return Rule(need.tool, answer.pattern or need.suggestion or literal(need.target), answer.is_allowed)


def rules_of_option(text: str) -> tuple[Rule, ...]:
    r"""The rules of the command line's --allow: "read,write,bash", "all", "bash:git *", "web_fetch:*.python.org".

    "read" means all that reads, "write" also edits; a comma within a pattern is written "\,". Raises ValueError.
    """
    rules: list[Rule] = []
    for item in re.split(r"(?<!\\),", text):
        match = _ITEM.fullmatch(item.replace("\\,", ",").strip())
        if match is None:
            raise ValueError(f'"{item.strip()}" is not a tool\'s name, or TOOL:PATTERN')
        rules += [Rule(tool, match[2] or "*") for tool in GROUPS.get(match[1], (match[1],))]
    return tuple(rules)


def suggested_for(command: Command) -> str:
    """The pattern that is proposed for "always" after that command: its first words where it does nothing but look,
    else itself."""
    found = spec_of(command)
    if found is None or not only_looks(command) or _names_secret(command):
        return literal(command.text)
    return f"{found[0]} *"


def literal(text: str) -> str:
    """A pattern that covers that text and nothing else."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _newest(rules: Sequence[Rule]) -> Iterable[Rule]:
    """Of rules for the same tool and pattern the last one."""
    return {(rule.tool, rule.pattern): rule for rule in rules}.values()


def _decided(need: RequiredPermission, rules: Sequence[Rule]) -> Decision:
    rules = [rule for rule in rules if rule.tool in ("*", need.tool)]
    allowed = [rule for rule in rules if rule.is_allowed]
    denied = [rule for rule in rules if not rule.is_allowed]
    if need.kind == "run":
        return _decided_command(need, allowed, denied)
    if any(rule.covers(need) for rule in denied):
        return "deny"
    if need.kind in ("read", "write") and (is_secret(need.target) or not need.suggestion):
        is_any = need.tool == COMMANDS and any(rule.pattern == "*" for rule in allowed)
        return "allow" if is_any or any(_names(rule.pattern, need.target) for rule in allowed) else "ask"
    return "allow" if any(rule.covers(need) for rule in allowed) else "ask"


def _decided_command(need: RequiredPermission, allowed: Sequence[Rule], denied: Sequence[Rule]) -> Decision:
    commands = _commands(need.target)
    if any(rule.covers(need) or any(_covers(rule, c, is_loose=True) for c in commands or ()) for rule in denied):
        return "deny"
    if any(_may_mean(rule, commands) for rule in denied):
        return "ask"
    if any(rule.pattern in ("*", literal(need.target)) for rule in allowed):
        return "allow"
    if commands is not None and len(commands) > 1 and any(map(changes_what_follows, commands)):
        return "ask"
    is_covered = commands is not None and all(_is_allowed(command, allowed) for command in commands)
    return "allow" if is_covered else "ask"


def _is_allowed(command: Command, allowed: Sequence[Rule]) -> bool:
    return not _names_secret(command) and any(
        rule.pattern == literal(command.text) or (_covers(rule, command) and not does_more(command, rule.pattern))
        for rule in allowed
    )


@lru_cache(256)
def _commands(line: str) -> tuple[Command, ...] | None:
    return simple_commands(line)


def _names(pattern: str, target: str) -> bool:
    """Whether the pattern is that very target, with its signs taken as they are or not."""
    return pattern in (target, literal(target))


def _covers(rule: Rule, command: Command, is_loose: bool = False) -> bool:
    """Whether a rule speaks of a command; "git *" means "git" alone, too.

    is_loose: also of the command under a path, and with variables set for it: for rules that forbid.
    """
    texts = [command.text]
    if is_loose:
        bare = command.without_assignments
        texts += [bare.text, Command((program_of(bare), *bare.words[1:])).text]
    return any(fnmatchcase(text, rule.pattern) or fnmatchcase(f"{text} ", rule.pattern) for text in texts)


def _may_mean(denied: Rule, commands: Sequence[Command] | None) -> bool:
    """Whether a command that a rule forbids may hide in the line: behind a program that runs others, in what is filled
    in, or with more words between those of the rule, as `git -C there push` for "git push *"."""
    if commands is None:
        return True
    forbidden, *rest = denied.pattern.split() or [""]
    for command in commands:
        words = command.without_assignments.words
        if not words or (name := program_of(command)) in RUNS_OTHERS:
            return True
        if fnmatchcase(name, forbidden) and (command.filled or _in_order(rest, words[1:])):
            return True
    return False


def _in_order(patterns: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words fit these patterns in their order, with others between them; "*" may stand for none."""
    left = iter(words)
    return all(any(fnmatchcase(word, pattern) for word in left) for pattern in patterns if pattern.strip("*"))


def _names_secret(command: Command) -> bool:
    words = (*command.words[1:], *command.reads)
    return any(is_secret(part) for word in words for part in parts_of(word)) or any(
        may_mean_secret(part) for word in command.filled for part in parts_of(word)
    )


def parts_of(word: str) -> set[str]:
    """Return what in a word may be a path: --file=x, HEAD:x, @x, -fx."""
    parts = {word, *re.split("[=:@,]", word)}
    return parts | {word[2:]} if re.match(r"-[A-Za-z]", word) else parts
