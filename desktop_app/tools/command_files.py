"""Which files the words of a command lead to that are nothing for a model: by links, from the folder it runs in, and by
what a shell would fill in there. What the words alone tell is held against the rules in context/permissions.py."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from glob import has_magic, iglob
from itertools import islice
from pathlib import Path

from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.permissions.command_line import Command
from desktop_app.permissions.rules import parts_of
from desktop_app.permissions.secret_paths import may_mean_secret

from .places import PathPolicy, folder_of

FOUND_MOST = 2_000
"""Names that one pattern is filled in with."""
FOLDERS_MOST = 3
"""Names in one pattern that are filled in: each may multiply what has to be looked at."""
NAME_MOST = 4_096
"""Characters; no file has a longer path."""


def private_files(
    tool: str, commands: Sequence[Command], borders: PathPolicy, place: ToolContext
) -> tuple[RequiredPermission, ...]:
    """Return a need for each such file that is there: it can be allowed by its own name alone."""
    folder = os.path.realpath(folder_of(place))
    found: dict[str, None] = {}
    for command in commands:
        for word in (*command.words[1:], *command.reads):
            if word in command.filled and sum(map(has_magic, word.split("/"))) > FOLDERS_MOST:
                found[os.path.join(folder, word)] = None  # to look at all of them would take too long
                continue
            for path in _paths(word, folder, word in command.filled):
                real = os.path.realpath(path)
                if real not in found and not Path(folder).is_relative_to(real) and borders.is_private(Path(real)):
                    found[real] = None
    return tuple(RequiredPermission(tool, "read", path) for path in found)


def _paths(word: str, folder: str, is_filled: bool) -> Iterator[str]:
    """Files that are there, of those that the word may name."""
    for part in parts_of(word):
        if not part or len(part) > NAME_MOST or "\0" in part:
            continue
        path = os.path.join(folder, os.path.expanduser(os.path.expandvars(part) if is_filled else part))
        if is_filled and has_magic(part) and not may_mean_secret(part):  # else it is asked for anyway
            yield from islice(iglob(path), FOUND_MOST)
        if os.path.lexists(path):
            yield path
