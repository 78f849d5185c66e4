"""Detection of commands that do more than a rule with a wildcard covers.

Such commands have options that run another program or write anywhere, or change the meaning of the commands after them.
These lists limit rules that the user has written, or that older versions proposed. For a program in known_options.py,
every option that is not listed there is treated as dangerous.
"""

from __future__ import annotations

import re

from desktop_app.conversation.words import lexicon

from .command_line import Command
from .known_options import has_known_options, options_of

CHANGES = lexicon(
    "cd pushd popd dirs export alias unalias source . eval set shopt unset declare typeset local readonly read mapfile"
    " readarray let trap hash enable exec umask ulimit getopts builtin command complete compopt bind fc history coproc"
    " return"
)
"""Builtins after which the same words have another meaning: another folder, or another program."""
LONG = lexicon(
    "exec execute eval output outfile out output-directory output-file upload-pack receive-pack config config-env"
    " config-file configfile file makefile directory include-dir exec-path open-files-in-pager ext-diff textconv extcmd"
    " tool editor pager template separate-git-dir git-dir work-tree rsh to-command use-compress-program"
    " compress-program checkpoint-action info-script new-volume-script files0-from temporary-directory random-source"
    " pre hostname-bin toolexec vettool basetemp junitxml junit-xml rootdir confcutdir plugin pastebin log-file"
    " cov-report override-ini pythonwarnings import-mode prefix root target install-scripts script-shell node-options"
    " require loader import"
    " init-file rcfile command program browser hook hooks run shell environment-overrides old-file what-if new-file"
    " always-make save trace-file show-token python index-url extra-index-url find-links cwd cache-dir in-place inplace"
    " rsh-command index-file listed-incremental html lesskey-src lesskey-content"
)
"""Dangerous long options; programs may accept any prefix of them."""
LETTERS = frozenset("oOcuexXC")
"""Short options with which many programs run something, write somewhere, or read a configuration that does."""
LETTERS_OF = {"tar": frozenset("FgIr"), "man": frozenset("HP"), "less": frozenset("k")}
"""Further short options, by program."""
RUNS_OTHERS = lexicon(
    "sudo doas su pkexec runuser sg env xargs nohup time timeout nice ionice chrt taskset exec command builtin eval"
    " source . sh bash dash zsh fish ksh ssh mosh find parallel watch entr setsid setpriv setarch stdbuf unbuffer"
    " script strace ltrace perf valgrind hyperfine flock prlimit busybox chroot unshare nsenter bwrap firejail fakeroot"
    " systemd-run xvfb-run dbus-run-session rlwrap direnv nix-shell trap alias jobs"
)
"""Programs that run their arguments, and so may run a command that a rule denies."""
SHELLS = lexicon("sh bash dash zsh fish ksh ssh mosh")
"""A subset of RUNS_OTHERS: a pattern such as "bash *" refers to scripts, or to another machine."""
UNBOUNDED = frozenset(
    {"gh auth", "gh api", "gh config", "gh extension", "gh alias", "pip download", "pip wheel", "pip config"}
    | {"npm exec", "npm config", "cargo install", "go run", "go generate", "git difftool", "git mergetool"}
    | {"git filter-branch", "git config", "git bisect", "git submodule", "git send-email", "git daemon"}
    | {"git grep", "git stash", "git reflog", "git update-index", "git fast-import", "git worktree"}
    | {"rg", "rgrep", "zgrep", "jq", "yq", "ps", "printenv", "hostname", "xxd", "diff", "docker inspect"}
    | {"kubectl get"}
)
"""Programs and subcommands that can run or write anything, or show keys, without any option."""
GIT_VERBS = lexicon(
    "add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap checkout cherry"
    " cherry-pick clean clone commit commit-tree count-objects describe diff diff-files diff-index diff-tree fetch"
    " for-each-ref format-patch fsck gc grep help init log ls-files ls-remote ls-tree merge merge-base mv name-rev"
    " notes prune pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show"
    " show-ref sparse-checkout stash status switch symbolic-ref tag verify-commit version whatchanged worktree"
)
"""Git's own subcommands; any other may be an alias, which can run anything."""


def program_of(command: Command) -> str:
    """Return the name of the program, without its folder; "" if the command consists of assignments."""
    words = command.without_assignments.words
    return words[0].rsplit("/", 1)[-1] if words else ""


def changes_what_follows(command: Command) -> bool:
    """Return whether a command may change the meaning of the commands after it in the line."""
    name, words = program_of(command), command.without_assignments.words
    return not name or name in CHANGES or (name == "printf" and words[1:2] != () and words[1].startswith("-"))


def exceeds_pattern(command: Command, pattern: str) -> bool:
    """Return whether a command may do more than a pattern with a wildcard covers, through words not in the pattern."""
    if changes_what_follows(command):
        return True
    if any("$(" in word or "`" in word or ("{" in word and word != "{}") for word in command.expanded):
        return True  # the word may expand to a dangerous option
    named = frozenset(option_of(word) for word in pattern.split() if word.strip("*"))
    bare = Command((program_of(command), *command.without_assignments.words[1:]), command.expanded)
    if options_of(bare) is not None:
        return not has_known_options(bare, named)
    program, *words = bare.words
    is_wrapper = program in RUNS_OTHERS - SHELLS
    if _is_unbounded(" ".join(bare.words[:2]), named) or (is_wrapper and not _names_program(pattern)):
        return True
    if program == "tar" and words:
        words[0] = f"-{words[0].lstrip('-')}" if not words[0].startswith("--") else words[0]  # tar needs no dash
    letters = LETTERS | LETTERS_OF.get(program, frozenset())
    return any(_is_risky(word, letters) and option_of(word) not in named for word in words)


def _names_program(pattern: str) -> bool:
    """Return whether a pattern for a program that runs others names the other one: `xargs grep *`."""
    return any(re.fullmatch(r"[A-Za-z][\w./+-]*", word) for word in pattern.split()[1:])


def option_of(word: str) -> str:
    """Return an option without its value."""
    return word.partition("=")[0]


def _is_unbounded(verb: str, named: frozenset[str]) -> bool:
    """Return whether a program or subcommand can run or write anything, or may be an alias in git that can."""
    program, _, second = verb.partition(" ")
    if verb in UNBOUNDED or program in UNBOUNDED:
        return True
    is_alias = program == "git" and bool(second) and second not in GIT_VERBS and second not in named
    return is_alias and not second.startswith("-")


def _is_risky(word: str, dangerous: frozenset[str]) -> bool:
    """Return whether a word may be an option that runs or writes something. dangerous: the short options that do."""
    if word.startswith("--"):
        name = option_of(word)[2:].lower()
        return bool(name) and any(option.startswith(name) for option in LONG)
    if word.startswith("-") and len(word) > 1:
        letters = re.split(r"[^A-Za-z]", word[1:])[0]
        return bool(dangerous.intersection(letters)) or (len(letters) > 2 and _is_risky(f"-{word}", dangerous))
    return re.match(r"\w+(?:[:?+!]*)=", word) is not None
