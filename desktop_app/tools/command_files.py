"""The private files that the words of a command may name: by links, relative to its folder, and by what a shell would
substitute there. What the words alone say is checked in permissions/rules.py."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path

from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.permissions.command_line import Command
from desktop_app.permissions.rules import possible_paths
from desktop_app.permissions.secret_paths import may_mean_secret

from .path_policy import PathPolicy, working_folder

MAX_MATCHES = 2_000
"""Names that one pattern is expanded to."""
MAX_PATTERN_FOLDERS = 3
"""Names with wildcards in one pattern: each may multiply what has to be looked at."""
MAX_PATH = 4_096
"""Characters; no file has a longer path."""


def private_files(
    tool: str, commands: Sequence[Command], policy: PathPolicy, context: ToolContext
) -> tuple[RequiredPermission, ...]:
    """Return a permission for each private file that exists; it can be allowed by its own name alone."""
    folder = os.path.realpath(working_folder(context))
    found: dict[str, None] = {}
    for command in commands:
        for word in (*command.words[1:], *command.reads):
            if word in command.expanded and sum(map(has_magic, word.split("/"))) > MAX_PATTERN_FOLDERS:
                found[os.path.join(folder, word)] = None  # expanding it would take too long
                continue
            for path in _existing_paths(word, folder, word in command.expanded):
                real = os.path.realpath(path)
                if real not in found and not Path(folder).is_relative_to(real) and policy.is_private(Path(real)):
                    found[real] = None
    return tuple(RequiredPermission(tool, "read", path) for path in found)


def _existing_paths(word: str, folder: str, is_expanded: bool) -> Iterator[str]:
    """Yield the existing files that the word may name."""
    for part in possible_paths(word):
        if not part or len(part) > MAX_PATH or "\0" in part:
            continue
        path = os.path.join(folder, os.path.expanduser(os.path.expandvars(part) if is_expanded else part))
        if is_expanded and has_magic(part) and not may_mean_secret(part):  # else permission is required anyway
            yield from islice(iglob(path), MAX_MATCHES)
        if os.path.lexists(path):
            yield path
