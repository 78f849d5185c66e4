"""Claude Code's sessions: `~/.claude/projects/FOLDER/SESSION.jsonl`, one JSON object a line.

Lines with a `uuid` are a tree by `parentUuid`; messages are those of type `user` and `assistant`, and what the user
typed while the agent worked, an attachment of type `queued_command`. Lines of other types, and what is marked `isMeta`,
are not shown there either and are kept as they came. Subagents become conversations of their own, put away: in versions
1 trees of lines with `isSidechain` within the session's file, since 2.0.60 or so a file each in `SESSION/subagents/`.

A reply is written in a line for each of its blocks, all with the same `message.id`; here it is one message. Its tool
calls run in parallel: each result is a line that follows its call, so that the lines fork where nobody branched off.
Here the results follow the reply, one after the other, and what follows any of them follows the last. A compaction is a
line `compact_boundary` followed by the summary, a user's line marked `isCompactSummary`.

Seen in versions 1.0 to 2.1.220, 2025 to 2026; nothing is documented.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.foreign import (
    ForeignCompaction,
    ForeignConversation,
    ForeignEntry,
    ForeignMessage,
    UnreadFile,
)
from desktop_app.conversation.message import Message, Part, Role, ToolResult, Usage
from desktop_app.conversation.words import translatable

from .anthropic_blocks import Turn, called_tools, turns_of
from .format import NOT_AN_OBJECT, NOT_JSON, Fields, Format, Found, bad_line, json_of, rest_json, without_messages
from .sources import Source
from .trees import in_order

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
BOUNDARY = "compact_boundary"
NO_MODEL = "<synthetic>"
"""What stands as the model of what the program itself says, such as an error."""


class SessionTree:
    """Lines on their way to entries. A group is what stands together: a reply with its results, or one line alone."""

    def __init__(self, parents: Mapping[str, str]) -> None:
        """parents: what each line follows, also of lines that are not added."""
        self._parents = parents
        self._lines: dict[str, None] = {}
        self._current = ""
        self._entries: dict[str, ForeignEntry] = {}
        self._inner: dict[str, str] = {}  # of each entry in a group but the first, the one before
        self._group_of: dict[str, str] = {}  # of each line
        self._ends: dict[str, str] = {}  # of each group
        self._replies: dict[str, str] = {}  # by the ids of their messages
        self._callers: dict[str, str] = {}  # the replies with calls without a result, by the ids of the calls
        self._names: dict[str, str] = {}
        self.model = ""
        """The last one that replied."""

    def __contains__(self, name: str) -> bool:
        return name in self._lines

    def add(self, name: str, line: Fields) -> None:
        """Take a line in."""
        self._lines[name] = None
        if self._add(name, line):
            self._current = name

    def entries(self) -> tuple[tuple[ForeignEntry, ...], str]:
        """Return the entries in order, and the one with which the branch ends that was open."""
        self._drop_empty_compactions()
        linked = {name: self._end_of(self._parents.get(name, "")) for name in self._lines}
        return in_order(self._entries, linked | self._inner), self._end_of(self._current)

    def _end_of(self, name: str) -> str:
        """Return what follows a line follows in truth; of a line without a message, itself."""
        return self._ends[self._group_of[name]] if name in self._group_of else name

    def _add(self, name: str, line: Fields) -> bool:
        """Return whether the line is a message, after it was taken in."""
        kind = line.text("type")
        if line.text("subtype") == BOUNDARY:
            self._add_boundary(name, line)
            return False
        queued = line.object("attachment")
        if kind == "attachment" and queued.text("type") == "queued_command" and queued.text("commandMode") == "prompt":
            return self._add_turns(name, line, turns_of(Role.USER, _blocks(queued, "prompt"), {}))
        role = ROLES.get(kind)
        if role is None or _is_hidden(line):
            return False
        blocks = _blocks(line.object("message"), "content")
        if line.flag("isCompactSummary") and self._add_summary(name, line, blocks):
            return True
        return self._add_reply(name, line, blocks) if role is Role.ASSISTANT else self._add_said(name, line, blocks)

    def _add_boundary(self, name: str, line: Fields) -> None:
        about = line.object("compactMetadata")
        self._start(
            name,
            ForeignCompaction(
                name,
                "",
                "",
                at=line.time("timestamp"),
                is_automatic=about.text("trigger") != "manual",
                tokens_before=about.count("preTokens"),
                tokens_after=about.count("postTokens"),
            ),
        )

    def _add_summary(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        """Make a summary that of its compaction. One with nothing before it is a message: it replaced another file."""
        summary = "\n\n".join(filter(None, (block.text("text") for block in blocks)))
        if not summary:
            return False
        above = self._above(self._parents.get(name, ""))
        boundary = self._entries.get(above)
        if isinstance(boundary, ForeignCompaction) and not boundary.summary:
            self._entries[above] = replace(boundary, summary=summary)
            self._group_of[name] = above
            return True
        if not above:
            return False
        self._start(name, ForeignCompaction(name, "", summary, at=line.time("timestamp")))
        return True

    def _above(self, name: str) -> str:
        """Return the group of the nearest line from here up that has one; "" for none."""
        seen: set[str] = set()
        while name and name not in seen and name not in self._group_of:
            seen.add(name)
            name = self._parents.get(name, "")
        return self._group_of.get(name, "")

    def _drop_empty_compactions(self) -> None:
        for name, entry in list(self._entries.items()):
            if isinstance(entry, ForeignCompaction) and not entry.summary:
                del self._entries[name]
                del self._ends[self._group_of.pop(name)]

    def _add_reply(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        turns = turns_of(Role.ASSISTANT, blocks, called_tools(blocks))
        said = line.object("message")
        said.skip("type", "role")
        model, usage = said.text("model").replace(NO_MODEL, ""), _usage(said.object("usage"))
        self.model = model or self.model
        message_id = said.text("id")
        reply = self._replies.get(message_id, "") if message_id else ""
        if not turns:
            return False
        if reply:
            self._group_of[name] = reply
            self._grow(reply, [part for role, parts in turns if role is Role.ASSISTANT for part in parts], usage)
            turns = [turn for turn in turns if turn[0] is Role.TOOL]
        else:
            reply = name
        self._add_turns(name, line, turns, into=reply if reply != name else "")
        started = self._entries.get(name)
        if reply == name and isinstance(started, ForeignMessage):
            is_interrupted = line.flag("isAbortedMidStream")
            whole = replace(started.message, model=model, usage=usage, is_interrupted=is_interrupted)
            self._entries[name] = replace(started, message=whole)
            self._replies[message_id] = name
        called = called_tools(blocks)
        self._names |= called
        self._callers |= dict.fromkeys(called, reply)
        return True

    def _grow(self, reply: str, parts: list[Part], usage: Usage | None) -> None:
        entry = self._entries[reply]
        if isinstance(entry, ForeignMessage):
            message = entry.message
            grown = replace(message, parts=(*message.parts, *parts), usage=usage or message.usage)
            self._entries[reply] = replace(entry, message=grown)

    def _add_said(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        """Add what the user said, or tools answered."""
        line.object("message").skip("role")
        turns = turns_of(Role.USER, blocks, self._names)
        calls = [parts[0].call_id for _, parts in turns if isinstance(parts[0], ToolResult)]
        callers = {self._callers.pop(call, "") for call in calls if call}
        reply = callers.pop() if len(callers) == 1 else ""
        if line.text("toolDenialKind") == "user-rejected":
            turns = [(role, _denied(parts)) for role, parts in turns]
        return self._add_turns(name, line, turns, into=reply)

    def _add_turns(self, name: str, line: Fields, turns: Iterable[Turn], into: str = "") -> bool:
        """Add messages: as a group of their own, or at the end of one."""
        at = line.time("timestamp")
        group = into
        for number, (role, parts) in enumerate(turns):
            piece = f"{name}/{number}" if number else name
            entry = ForeignMessage(piece, "", Message(role=role, parts=parts, at=at))
            if not group:
                group = name
                self._start(name, entry)
            else:
                self._inner[piece] = self._ends[group]
                self._entries[piece] = entry
                self._ends[group] = piece
        if group:
            self._group_of[name] = group
        return bool(group)

    def _start(self, name: str, entry: ForeignEntry) -> None:
        self._entries[name] = entry
        self._group_of[name] = self._ends[name] = name


def _is_hidden(line: Fields) -> bool:
    """Return whether it is words of the program's to the model, which the user never saw."""
    kinds = {block.text("type") for block in line.object("message").objects("content")}
    return line.flag("isMeta") and kinds <= {"text"}


def _blocks(holder: Fields, field: str) -> list[Fields]:
    """Return the blocks of a content: a text is one block."""
    if text := holder.text(field):
        return [Fields({"type": "text", "text": text})]
    values = holder.values(field)
    blocks = holder.objects(field) if values else []
    pairs = zip(values, blocks, strict=True)
    return [Fields({"type": "text", "text": value}) if isinstance(value, str) else block for value, block in pairs]


def _denied(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(replace(part, ending="denied") if isinstance(part, ToolResult) else part for part in parts)


def _usage(fields: Fields) -> Usage | None:
    """Return the tokens of the request so far: each line of a reply has them, the last one all."""
    if not fields:
        return None
    read, written = fields.count("cache_read_input_tokens"), fields.count("cache_creation_input_tokens")
    return Usage(
        fields.count("input_tokens") + read + written,
        fields.count("output_tokens"),
        cached_tokens=read,
        cache_written_tokens=written,
        reasoning_tokens=fields.object("output_tokens_details").count("thinking_tokens"),
    )


PROGRAM = "Claude Code"
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
TITLES = ("custom-title", "ai-title", "summary")
"""Of the user, of the program, and of a summary, which may be that of another session's end. The first one is taken."""


class SessionReader:
    """What its lines hold. Of a line that was taken in, only what has no place is kept as it came."""

    def __init__(self, parents: Mapping[str, str], source: Source, root: str) -> None:
        """root: the line with which a subagent begins; "" for the session itself."""
        self._tree = SessionTree(parents)
        self._source = source
        self._root = root
        self._ids: dict[str, None] = {}
        self._times: list[float] = []
        self._folder = ""
        self._agent = ""
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str]] = []  # each with the line that it ends with
        self._lasting: dict[str, Any] = {}
        self._rest: list[str] = []  # as JSON, which takes a third of the memory

    def add(self, name: str, line: Fields) -> None:
        """Take a line in."""
        self._tree.add(name, line)
        if session := line.text("sessionId"):
            self._ids[session] = None
        if at := line.time("timestamp"):
            self._times.append(at)
        self._folder = self._folder or line.text("cwd")
        self._agent = self._agent or line.text("agentId")
        self._add_title(line)
        self._add_rest(name, line)

    def conversation(self) -> ForeignConversation:
        """Return what all lines hold."""
        entries, current = self._tree.entries()
        session = self._session()
        return ForeignConversation(
            PROGRAM,
            f"{session}/{self._agent or self._root}" if self._root else session,
            self._title(),
            entries,
            created_at=min(self._times, default=self._source.modified),
            updated_at=max(self._times, default=self._source.modified),
            current=current,
            model=self._tree.model,
            folder=self._folder,
            is_put_away=bool(self._root),
            rest=f'{{"lines":{{{",".join(self._rest)}}}}}' if self._rest else "",
        )

    def _session(self) -> str:
        """Return the session's id. A session that was resumed begins with lines of another one."""
        name = self._source.name.rpartition("/")[2].removesuffix(".jsonl")
        return name if name in self._ids or not self._ids else next(iter(self._ids))

    def _add_title(self, line: Fields) -> None:
        kind = line.text("type")
        if kind in ("custom-title", "ai-title"):
            self._titles[kind] = line.text("customTitle", "aiTitle")
        elif kind == "summary":
            self._summaries.append((line.text("leafUuid"), line.text("summary")))
        line.keep("customTitle", "aiTitle", "leafUuid", "summary")  # only one of all becomes the title

    def _title(self) -> str:
        own = [summary for leaf, summary in self._summaries if leaf in self._tree]
        titles = self._titles | ({"summary": own[-1]} if own else {})
        return next((titles[kind] for kind in TITLES if titles.get(kind)), "")

    def _add_rest(self, name: str, line: Fields) -> None:
        """Keep what has no place, by the id of the line."""
        about = {field: line.value(field) for field in LASTING if field in line}
        line.skip(*SAID_ELSEWHERE)
        changed = {field: value for field, value in about.items() if self._lasting.get(field) != value}
        self._lasting |= changed
        rest = line.rest()
        rest.pop("type", None) if set(rest) <= {"type", "timestamp"} else None
        if whole := changed | rest:
            self._rest.append(f"{json_of(name)}:{rest_json(whole)}")


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
