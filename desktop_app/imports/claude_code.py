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
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile

from .claude_code_tree import SessionTree
from .fields import Fields, rest_json
from .format import Format, Found
from .sources import Source

PROGRAM = "Claude Code"
FIRST_KEYS = ({"type", "leafUuid"}, {"type", "messageId", "snapshot"})
"""Of kinds of lines with which a file may begin, and which no other program writes."""
SAID_ELSEWHERE = ("uuid", "parentUuid", "logicalParentUuid")
LASTING = (
    "cwd",
    "version",
    "gitBranch",
    "userType",
    "entrypoint",
    "slug",
    "sessionId",
    "isSidechain",
    "permissionMode",
)
"""What most lines say again; it is kept where it changes."""


def recognizes(source: Source) -> bool:
    """Return whether its first line is one of a session; Qwen Code and Droid name a session, too, but no sidechain."""
    if not source.beginning.lstrip().startswith(b"{"):
        return False
    is_of_session = {"type", "sessionId"} <= source.first_keys and b'"isSidechain"' in source.beginning
    return is_of_session or any(keys <= source.first_keys for keys in FIRST_KEYS)


def read(source: Source) -> Iterator[Found]:
    """Return the session, and its subagents."""
    lines, unread = _lines(source)
    parents = _parents(lines)
    roots = _roots(parents)
    subagents: dict[str, dict[str, Fields]] = {}
    session: dict[str, Fields] = {}
    for name, line in lines.items():
        root = lines.get(roots.get(name, ""))
        is_subagent = root is not None and root.flag("isSidechain")
        (subagents.setdefault(roots[name], {}) if is_subagent else session)[name] = line
    found = [_conversation(session, parents, source, "")]
    found += [_conversation(part, parents, source, _first(part, "agentId") or root) for root, part in subagents.items()]
    whole = [each for each in found if each.entries]
    if not whole:
        yield UnreadFile(source.name, "; ".join(("it has no messages", *unread[:3])))
    for number, each in enumerate(whole):
        yield each if number else replace(each, unread=unread)


def _lines(source: Source) -> tuple[dict[str, Fields], tuple[str, ...]]:
    """Return the lines by their ids, or else numbers, and what could not be read."""
    lines: dict[str, Fields] = {}
    seen: set[bytes] = set()
    unread: list[str] = []
    for number, content in enumerate(source.lines(), start=1):
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            unread.append(f"line {number}: this is not whole JSON")
            continue
        fields = Fields(value)
        name = fields.text("uuid") or f"line {number}"
        if not fields:
            unread.append(f"line {number}: this is no JSON object")
        elif name not in lines or content not in seen:  # a session that was resumed may have lines twice
            lines[f"{name}#{number}" if name in lines else name] = fields
        seen.add(content)
    return lines, tuple(unread)


def _parents(lines: Mapping[str, Fields]) -> dict[str, str]:
    """Return what each line follows. A line that does not say follows the one before."""
    is_linked = any(line.text("parentUuid") in lines for line in lines.values())
    parents: dict[str, str] = {}
    before = ""
    for name, line in lines.items():
        if not line.text("uuid"):
            continue
        parent = line.text("parentUuid") or line.text("logicalParentUuid")
        is_said = parent in lines or (is_linked and "parentUuid" in line)
        parents[name] = parent if is_said else before
        if line.text("subtype") == "compact_boundary" and _leads_to(parents[name], name, lines):
            parents[name] = before  # the messages that it kept were put behind it
        before = name
    return parents


def _leads_to(name: str, end: str, lines: Mapping[str, Fields]) -> bool:
    """Return whether the way up from a line passes another one."""
    seen: set[str] = set()
    while name in lines and name not in seen:
        if name == end:
            return True
        seen.add(name)
        name = lines[name].text("parentUuid")
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


def _conversation(
    lines: dict[str, Fields], parents: Mapping[str, str], source: Source, subagent: str
) -> ForeignConversation:
    """Return what these lines hold. subagent: its name; "" for the session itself."""
    tree = SessionTree(lines, parents)
    entries, current = tree.entries()
    session = _session(lines, source)
    times = [at for line in lines.values() if (at := line.time("timestamp"))]
    folder, title = _first(lines, "cwd"), _title(lines)
    return ForeignConversation(
        PROGRAM,
        f"{session}/{subagent}" if subagent else session,
        title,
        entries,
        created_at=min(times, default=source.modified),
        updated_at=max(times, default=source.modified),
        current=current,
        model=tree.model,
        folder=folder,
        is_put_away=bool(subagent),
        rest=rest_json(_rest(lines)),
    )


def _first(lines: Mapping[str, Fields], field: str) -> str:
    return next((text for line in lines.values() if (text := line.text(field))), "")


def _session(lines: Mapping[str, Fields], source: Source) -> str:
    """Return the session's id. A session that was resumed begins with lines of another one."""
    name = source.name.rpartition("/")[2].removesuffix(".jsonl")
    ids = dict.fromkeys(line.text("sessionId") for line in lines.values() if line.text("sessionId"))
    return name if name in ids or not ids else next(iter(ids))


def _title(lines: Mapping[str, Fields]) -> str:
    """Return the title that the user gave, or else the program. A summary may be of another session's end."""
    titles: dict[str, str] = {}
    for line in lines.values():
        kind = line.text("type")
        if kind in ("custom-title", "ai-title"):
            titles[kind] = line.text("customTitle", "aiTitle")
        elif kind == "summary" and line.text("leafUuid") in lines:
            titles[kind] = line.text("summary")
    return next((titles[kind] for kind in ("custom-title", "ai-title", "summary") if titles.get(kind)), "")


def _rest(lines: Mapping[str, Fields]) -> dict[str, Any]:
    """Return what has no place, by the ids of the lines."""
    lasting: dict[str, Any] = {}
    left: dict[str, Any] = {}
    for name, line in lines.items():
        about = {field: line.value(field) for field in LASTING if field in line}
        line.skip(*SAID_ELSEWHERE)
        changed = {field: value for field, value in about.items() if lasting.get(field) != value}
        lasting |= changed
        rest = line.rest()
        rest.pop("type", None) if set(rest) <= {"type", "timestamp"} else None
        if whole := changed | rest:
            left[name] = whole
    return {"lines": left} if left else {}


FORMAT = Format(
    PROGRAM,
    "the folder ~/.claude/projects, or the file of a session in it",
    recognizes,
    read,
    homes=(".claude/projects",),
)
