"""The lines of a Claude Code session: how they follow each other, and what those in tags say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import msgspec

from desktop_app.conversation.message import Role, Text

from .anthropic_blocks import Turn
from .format import NOT_AN_OBJECT, NOT_JSON, Fields, bad_line
from .sources import Source

PROGRAM = "Claude Code"
BOUNDARY = "compact_boundary"


class Preserved(msgspec.Struct, frozen=True):
    """The lines that a compaction kept: from `head` to `tail`, or by their ids."""

    anchor: str = ""
    """The line after which they are sent: the boundary or the summary."""
    head: str = ""
    tail: str = ""
    ids: tuple[str, ...] = ()

    @staticmethod
    def of(about: Fields) -> Preserved:
        segment, messages = about.object("preservedSegment"), about.object("preservedMessages")
        ids = tuple(messages.strings("uuids"))
        return Preserved(
            segment.text("anchorUuid") or messages.text("anchorUuid"),
            segment.text("headUuid") or (ids[0] if ids else ""),
            segment.text("tailUuid") or (ids[-1] if ids else ""),
            ids,
        )

    def lines(self, parents: Mapping[str, str]) -> Sequence[str]:
        """Return the ids of the lines, in order. parents: the line that each line follows."""
        if self.ids or not self.tail:
            return self.ids
        found = dict.fromkeys([name := self.tail])
        while name != self.head and (name := parents.get(name, "")) and name not in found:
            found[name] = None
        return list(found)[::-1] if self.head in found else [self.tail]


class Line(msgspec.Struct, frozen=True, gc=False):
    """An unparsed line with the fields that determine its position: parsed, it takes five times as much memory."""

    content: bytes
    is_linked: bool
    """Whether the line has a parentUuid, even if it is null."""
    uuid: str
    parent: str
    logical_parent: str
    is_boundary: bool
    """Whether the line marks a compaction."""
    is_sidechain: bool
    preserved: Preserved | None
    """The lines that a compaction kept."""

    @staticmethod
    def of(content: bytes, fields: Fields) -> Line:
        is_boundary = fields.text("subtype") == BOUNDARY
        return Line(
            content,
            "parentUuid" in fields,
            fields.text("uuid"),
            fields.text("parentUuid"),
            fields.text("logicalParentUuid"),
            is_boundary,
            fields.flag("isSidechain"),
            Preserved.of(fields.object("compactMetadata")) if is_boundary else None,
        )


def lines_of(source: Source) -> tuple[dict[str, Line], tuple[str, ...]]:
    """Return the lines by their ids (by number if they have none), and notes on what could not be read."""
    lines: dict[str, Line] = {}
    seen: set[int] = set()
    unread: list[str] = []
    for number, content in enumerate(source.lines(), start=1):
        try:
            fields = Fields(json.loads(content))
        except (ValueError, RecursionError):
            unread.append(bad_line(number, NOT_JSON))
            continue
        line = Line.of(content, fields)
        name, known = line.uuid or f"line {number}", hash(content)
        if not fields:
            unread.append(bad_line(number, NOT_AN_OBJECT))
        elif name not in lines or known not in seen:  # a resumed session may have lines twice
            lines[f"{name}#{number}" if name in lines else name] = line
        seen.add(known)
    return lines, tuple(unread)


def parents_of(lines: Mapping[str, Line]) -> dict[str, str]:
    """Return the parent of each line: the one that it names, otherwise the previous line."""
    is_linked = any(line.parent in lines for line in lines.values())
    parents: dict[str, str] = {}
    before = ""
    moved: dict[str, str] = {}  # the last lines that compactions kept after their summaries: what follows those
    for name, line in lines.items():
        if not line.uuid:
            continue
        parent = line.parent or line.logical_parent
        is_named = parent in lines or (is_linked and line.is_linked)
        parents[name] = moved.get(parent, parent) if is_named else before
        kept = line.preserved if line.preserved is not None and line.preserved.tail in parents else None
        if kept is not None and kept.anchor != line.uuid:
            parents[name] = moved.get(kept.tail, kept.tail)
            moved[kept.tail] = name
        elif kept is not None or (line.is_boundary and _leads_to(parents[name], name, lines)):
            parents[name] = before  # the named parent is a line that the compaction kept
        before = name
    return parents


def _leads_to(name: str, end: str, lines: Mapping[str, Line]) -> bool:
    """Return whether `end` is the line `name` or one of its ancestors."""
    seen: set[str] = set()
    while name in lines and name not in seen:
        if name == end:
            return True
        seen.add(name)
        name = lines[name].parent
    return False


def roots_of(parents: Mapping[str, str]) -> dict[str, str]:
    """Return the first line of the tree that each line belongs to."""
    roots: dict[str, str] = {}
    for name in parents:
        path = [name]
        while (parent := parents.get(path[-1], "")) in parents and parent not in roots and parent not in path[-2:]:
            path.append(parent)
            if len(path) > len(parents):  # a cycle
                break
        root = roots.get(parents.get(path[-1], ""), path[-1])
        roots |= dict.fromkeys(path, root)
    return roots


class Written(msgspec.Struct, frozen=True):
    """What a message in tags says. speaker: the program, or "" if the user typed it."""

    text: str
    speaker: str = ""


TAGS = re.compile(
    r"\s*<(command-name|command-message|command-args|local-command-[a-z]+|bash-[a-z]+|task-notification|system-reminder)>"
    r"(.*?)</\1>",
    re.DOTALL,
)
COLORS = re.compile(r"\x1b\[[0-9;]*m")


def written_by(turns: Sequence[Turn]) -> Written | None:
    """Return what a command, its output or a notification says; None if the message is anything else."""
    if len(turns) != 1 or turns[0][0] is not Role.USER or not all(isinstance(part, Text) for part in turns[0][1]):
        return None
    text = "\n".join(part.text for part in turns[0][1] if isinstance(part, Text))
    found: dict[str, str] = {}
    end = 0
    while match := TAGS.match(text, end):
        found[match[1]], end = match[2], match.end()
    if not found or text[end:].strip():
        return None
    if name := found.get("command-name", "").strip():
        return Written(f"{name} {found.get('command-args', '').strip()}".strip())
    if command := found.get("bash-input", ""):
        return Written(f"!{command}")
    words = "\n".join(filter(None, (COLORS.sub("", each).strip() for each in found.values())))
    return Written(words or text, PROGRAM)
