"""The files of Codex sessions: those that belong to one session, and the names of the sessions.

They are looked for in the folder or zip of the import, otherwise in the folder of Codex that contains it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from weakref import WeakKeyDictionary

import msgspec

from .format import Fields, json_in
from .sources import BadFile, Source, Sources, sources_in

SESSIONS, ARCHIVED = "sessions", "archived_sessions"
INDEX = "session_index.jsonl"
NAME = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([0-9a-f-]{36})(?:_[0-9a-f-]{36})?\.jsonl\Z")
MAX_INDEX = 64 * 2**20
MAX_FILES = 1_000
"""Files of one session, which go back to one another."""


class Base(msgspec.Struct, frozen=True):
    """The lines of a session that are the past of another one, or of a later file of its own."""

    session: str
    end: int
    """The first ordinal that does not belong to the past."""

    @staticmethod
    def of(line: Fields) -> Base | None:
        """Return the past that a session's first line names; None for other lines."""
        if line.peek("type") != "session_meta":
            return None
        base = line.object("payload").object("history_base")
        session = base.text("thread_id")
        base.skip("end_byte_offset")
        return Base(session, base.count("end_ordinal_exclusive")) if session else None


class Rollouts:
    """The files of sessions in a folder, a zip, or the folder of Codex around them."""

    def __init__(self, sources: Sources) -> None:
        self._files: dict[str, list[Source]] = {}
        for source in sorted(sources, key=lambda each: each.name.rpartition("/")[2]):
            if match := NAME.search(source.name):
                self._files.setdefault(match[1], []).append(source)
        self._home = _home_around(sources.path)
        self._names: dict[str, str] | None = None
        self._index = sources.beginning_with(INDEX)

    def files_of(self, source: Source) -> list[Source]:
        """Return the files of the session to which a file belongs, in the order in which they were begun."""
        match = NAME.search(source.name)
        return self._files.get(match[1], []) if match else []

    def name_of(self, session: str) -> str:
        """Return the name that the user or Codex gave to a session; "" for none."""
        if self._names is None:
            self._names = dict(self._read_names())
        return self._names.get(session, "")

    def _read_names(self) -> Iterator[tuple[str, str]]:
        """Yield the names, the newest one of a session last."""
        try:
            index = self._index or (sources_in(self._home / INDEX).named(INDEX) if self._home is not None else None)
            lines = index.read(MAX_INDEX).splitlines() if index is not None else []
        except BadFile:  # without it, sessions have titles from what was said
            return
        for line in lines:
            fields = Fields(json_in(line))
            if name := fields.text("thread_name"):
                yield fields.text("id"), name

    def before(self, base: Base, source: Source) -> list[tuple[int, bytes]] | None:
        """Return the numbered lines of a past, in order; None if a file is missing. source: the file that names it."""
        found: list[tuple[int, bytes]] = []
        seen = {source.name}
        for _ in range(MAX_FILES):
            if (file := self._file_with(base, seen)) is None:
                return None
            seen.add(file.name)
            lines, earlier = _lines_before(file, base.end)
            found[:0] = lines
            if earlier is None:
                return found
            base = Base(earlier.session, min(earlier.end, base.end))
        return None

    def _file_with(self, base: Base, seen: set[str]) -> Source | None:
        """Return the newest file of the session that begins before the end of the past."""
        files = self._files.get(base.session) or list(_files_below(self._home, base.session))
        for file in reversed([each for each in files if each.name not in seen]):
            if _first_ordinal(file) < base.end:
                return file
        return None


_known: WeakKeyDictionary[Sources, Rollouts] = WeakKeyDictionary()


def rollouts_around(source: Source) -> Rollouts:
    """Return the files of sessions around a file."""
    found = _known.get(source.folder)
    if found is None:
        found = _known[source.folder] = Rollouts(source.folder)
    return found


def _home_around(path: Path) -> Path | None:
    """Return the folder of Codex in which a file or folder is; None if it is in none."""
    for folder in (path, *path.parents):
        if folder.name in (SESSIONS, ARCHIVED):
            return folder.parent
    return path if (path / SESSIONS).is_dir() else None


def _files_below(home: Path | None, session: str) -> Iterator[Source]:
    """Yield the files of a session in the folder of Codex, in the order in which they were begun."""
    if home is None or not re.fullmatch("[0-9a-f-]{36}", session):
        return
    paths = (path for folder in (SESSIONS, ARCHIVED) for path in (home / folder).rglob(f"rollout-*{session}*.jsonl"))
    for path in sorted(paths, key=lambda each: each.name):
        yield from sources_in(path)


def _first_ordinal(file: Source) -> int:
    line = next(iter(file.lines()), b"")
    return _ordinal_of(line)


def _ordinal_of(line: bytes) -> int:
    """Return the ordinal of a line; 0 if it has none."""
    return Fields(json_in(line)).count("ordinal")


def _lines_before(file: Source, end: int) -> tuple[list[tuple[int, bytes]], Base | None]:
    """Return the lines of a file before an ordinal, with their numbers, and the past that the file itself has."""
    found: list[tuple[int, bytes]] = []
    base: Base | None = None
    for number, line in enumerate(file.lines(), start=1):
        if _ordinal_of(line) >= end:
            break
        if number == 1:
            base = Base.of(Fields(json.loads(line)))
        found.append((number, line))
    return found, base
