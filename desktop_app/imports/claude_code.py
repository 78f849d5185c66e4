"""Claude Code's sessions: `~/.claude/projects/FOLDER/SESSION.jsonl`, a line for each thing that happened.

Lines with a `uuid` are a tree by `parentUuid`; messages are those of type `user` and `assistant` (see
`claude_code_tree.py`), and what the user typed while the agent worked, an attachment of type `queued_command`. Lines of
other types, and what is marked `isMeta`, are not shown there either and are kept as they came. Subagents are
conversations of their own, put away: in versions 1 trees of lines with `isSidechain` within the session's file, since
2.0.60 or so a file each in `SESSION/subagents/`. Seen in versions 1.0 to 2.1.220, 2025 to 2026; nothing is documented.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.foreign import UnreadFile
from desktop_app.conversation.words import translatable

from .claude_code_session import PROGRAM, SessionReader
from .claude_code_tree import BOUNDARY
from .fields import Fields
from .format import Format, Found
from .reasons import NOT_AN_OBJECT, NOT_JSON, bad_line, without_messages
from .sources import Source

FIRST_KEYS = ({"type", "leafUuid"}, {"type", "messageId", "snapshot"})
"""Of kinds of lines with which a file may begin, and which no other program writes."""


def recognizes(source: Source) -> bool:
    """Return whether its first line is one of a session; Qwen Code and Droid name a session, too, but no sidechain."""
    if not source.beginning.lstrip().startswith(b"{"):
        return False
    is_of_session = {"type", "sessionId"} <= source.first_keys and b'"isSidechain"' in source.beginning
    return is_of_session or any(keys <= source.first_keys for keys in FIRST_KEYS)


class _Line(msgspec.Struct, frozen=True, gc=False):
    """A line as it is, and what tells where it belongs: read whole, it takes five times as much memory."""

    content: bytes
    is_linked: bool
    """Whether it says what it follows, be it nothing."""
    uuid: str
    parent: str
    logical_parent: str
    is_boundary: bool
    """Whether it is the mark of a compaction."""
    is_sidechain: bool

    @staticmethod
    def of(content: bytes, fields: Fields) -> _Line:
        return _Line(
            content,
            "parentUuid" in fields,
            fields.text("uuid"),
            fields.text("parentUuid"),
            fields.text("logicalParentUuid"),
            fields.text("subtype") == BOUNDARY,
            fields.flag("isSidechain"),
        )


def read(source: Source) -> Iterator[Found]:
    """Return the session, and its subagents."""
    lines, unread = _lines(source)
    parents = _parents(lines)
    roots = _roots(parents)
    subagents = {root for root in roots.values() if lines[root].is_sidechain}
    sessions = {"": SessionReader(parents, source, "")}
    for name in list(lines):
        root = roots.get(name, "")
        part = root if root in subagents else ""
        if part not in sessions:
            sessions[part] = SessionReader(parents, source, part)
        sessions[part].add(name, Fields(json.loads(lines.pop(name).content)))
    found = [session.conversation() for session in sessions.values()]
    whole = [each for each in found if each.entries]
    if not whole:
        yield UnreadFile(source.name, without_messages(unread))
    for number, each in enumerate(whole):
        yield each if number else replace(each, unread=unread)


def _lines(source: Source) -> tuple[dict[str, _Line], tuple[str, ...]]:
    """Return the lines by their ids, or else numbers, and what could not be read."""
    lines: dict[str, _Line] = {}
    seen: set[int] = set()
    unread: list[str] = []
    for number, content in enumerate(source.lines(), start=1):
        try:
            fields = Fields(json.loads(content))
        except (ValueError, RecursionError):
            unread.append(bad_line(number, NOT_JSON))
            continue
        line = _Line.of(content, fields)
        name, known = line.uuid or f"line {number}", hash(content)
        if not fields:
            unread.append(bad_line(number, NOT_AN_OBJECT))
        elif name not in lines or known not in seen:  # a session that was resumed may have lines twice
            lines[f"{name}#{number}" if name in lines else name] = line
        seen.add(known)
    return lines, tuple(unread)


def _parents(lines: Mapping[str, _Line]) -> dict[str, str]:
    """Return what each line follows. A line that does not say follows the one before."""
    is_linked = any(line.parent in lines for line in lines.values())
    parents: dict[str, str] = {}
    before = ""
    for name, line in lines.items():
        if not line.uuid:
            continue
        parent = line.parent or line.logical_parent
        is_said = parent in lines or (is_linked and line.is_linked)
        parents[name] = parent if is_said else before
        if line.is_boundary and _leads_to(parents[name], name, lines):
            parents[name] = before  # the messages that it kept were put behind it
        before = name
    return parents


def _leads_to(name: str, end: str, lines: Mapping[str, _Line]) -> bool:
    """Return whether the way up from a line passes another one."""
    seen: set[str] = set()
    while name in lines and name not in seen:
        if name == end:
            return True
        seen.add(name)
        name = lines[name].parent
    return False


def _roots(parents: Mapping[str, str]) -> dict[str, str]:
    """Return the line with which the tree of each line begins."""
    roots: dict[str, str] = {}
    for name in parents:
        way = [name]
        while (parent := parents.get(way[-1], "")) in parents and parent not in roots and parent not in way[-2:]:
            way.append(parent)
            if len(way) > len(parents):  # a circle
                break
        root = roots.get(parents.get(way[-1], ""), way[-1])
        roots |= dict.fromkeys(way, root)
    return roots


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.claude/projects, or the file of a session in it"),
    recognizes,
    read,
    homes=(".claude/projects",),
)
