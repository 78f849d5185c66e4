"""One-line descriptions of what a pattern with wildcards allows, which are shown before the user allows it."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from desktop_app.conversation.tools import NeedKind
from desktop_app.conversation.words import lexicon, translatable

from .command_line import Command
from .command_options import RUNS_OTHERS
from .known_options import options_of

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
